# Everything a fresh machine with Python and make needs; each target sets itself up.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
STAMP := $(VENV)/.installed

ifneq ($(wildcard ../shared/data),)
export SOFTLEARN_DATA ?= $(abspath ../shared/data)
endif

.PHONY: demo test check format bench clean

demo: $(STAMP)          ## build a circuit, ask it questions
	$(RUN)/python -m softlearn.demo

test: $(STAMP)          ## all tests
	$(RUN)/python -m pytest

check: $(STAMP)         ## formatting, lint, types
	$(RUN)/ruff format --check .
	$(RUN)/ruff check .
	$(RUN)/mypy

format: $(STAMP)        ## write what `check` would ask for
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

bench: $(STAMP)         ## speed, beside the machine's own limit
	$(RUN)/python -m benchmarks

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@
