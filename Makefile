# Everything a person or CI does in this tree. `make` alone explains itself.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed
DISTRIBUTIONS := proto server/rules server/service sdk/python bots

.PHONY: help
help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamp is older than a changed requirement, so a pull that changes one installs anew.
$(STAMP): requirements/dev.txt pyproject.toml $(DISTRIBUTIONS:%=%/pyproject.toml)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Cutpurse needs Python 3.11 or newer; set PYTHON=…")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	# The build backend comes first and from the same pins, so no build fetches another one of its own.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements/dev.txt hatchling editables
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c requirements/dev.txt \
		$(DISTRIBUTIONS:%=-e %) -e .
	touch $(STAMP)

.PHONY: install
install: $(STAMP) ## Install everything into .venv (needs python3 and make, nothing else)

.PHONY: clean
clean: ## Remove what tools made: build/ and caches (.venv stays)
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -path ./.venv -prune -o -type d -name __pycache__ -print0 | xargs -0 rm -rf
