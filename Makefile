# Everything a fresh machine with Python and make needs; each target sets itself up.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
STAMP := $(VENV)/.installed

ifneq ($(wildcard ../shared/data),)
export SOFTLEARN_DATA ?= $(abspath ../shared/data)
endif

ALONE := build/alone
EXTRAS ?=

PILOT := $(addprefix --pilot ,$(wildcard ../shared/reference/pilot.py))

.PHONY: demo test check format bench clean browser docs package coverage

demo: $(STAMP)          ## learn a small world, compare it with the truth
	$(RUN)/softlearn demo

test: $(STAMP) browser  ## all tests
	$(RUN)/python -m pytest --numprocesses auto --dist worksteal

browser:                ## Debian's chromium, in which the explorer is tested
	@command -v chromium >/dev/null || (apt-get update && apt-get install --yes chromium) >/dev/null 2>&1 \
		|| echo "no chromium can be installed here: tests of the explorer's page are skipped"

check: $(STAMP) docs    ## formatting, lint, types, and that the site builds
	$(RUN)/ruff format --check .
	$(RUN)/ruff check .
	$(RUN)/mypy

docs: $(STAMP)          ## the documentation as a site: build/site/index.html
	$(RUN)/python docs/build_site.py

coverage: $(STAMP)      ## which lines the tests reach (kernels run compiled, and are not counted)
	$(RUN)/python -m pytest --cov --cov-report=term-missing:skip-covered

package: $(STAMP)       ## wheel and sdist, tried in an empty environment; prints sizes and seconds
	rm -rf dist $(ALONE)
	$(RUN)/python -m build
	$(PYTHON) -m venv $(ALONE)
	du -sm $(ALONE)
	time $(ALONE)/bin/pip install --quiet --no-cache-dir "$$(ls dist/*.whl)$(EXTRAS)"
	du -sm $(ALONE)
	$(ALONE)/bin/python tests/installed.py

format: $(STAMP)        ## write what `check` would ask for
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

bench: $(STAMP)         ## speed, beside the machine's own limit and, where there is one, a pilot
	$(RUN)/python -m benchmarks
	$(RUN)/python -m benchmarks.learning $(PILOT)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis demo

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@
