# Everything a fresh machine with Python and make needs; each target sets itself up.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
STAMP := $(VENV)/.installed

ifneq ($(wildcard ../shared/data),)
export SOFTLEARN_DATA ?= $(abspath ../shared/data)
endif

PILOT := $(addprefix --pilot ,$(wildcard ../shared/reference/pilot.py))

.PHONY: demo test check format bench clean browser

demo: $(STAMP)          ## learn a small world, compare it with the truth
	$(RUN)/softlearn demo

test: $(STAMP) browser  ## all tests
	$(RUN)/python -m pytest

browser:                ## Debian's chromium, in which the explorer is tested
	@command -v chromium >/dev/null || (apt-get update && apt-get install --yes chromium) >/dev/null 2>&1 \
		|| echo "no chromium can be installed here: tests of the explorer's page are skipped"

check: $(STAMP)         ## formatting, lint, types
	$(RUN)/ruff format --check .
	$(RUN)/ruff check .
	$(RUN)/mypy

format: $(STAMP)        ## write what `check` would ask for
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

bench: $(STAMP)         ## speed, beside the machine's own limit and, where there is one, a pilot
	$(RUN)/python -m benchmarks
	$(RUN)/python -m benchmarks.learning $(PILOT)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@
