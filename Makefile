# Every target needs Python 3.11 to 3.13 and nothing else; `make setup` builds .venv once and again when requirements change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= auto
MAKEFLAGS += --no-print-directory
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup webui demo run test test-slow test-all lint types bench docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.* ## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) webui ## create .venv with the project, its console script `hyphe` and the test tools

$(STAMP): requirements.txt requirements-test.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
	  { echo "Python 3.11, 3.12 or 3.13 is needed: make setup PYTHON=/path/to/it"; exit 1; }
	@test -x $(BIN)/python || { echo "creating $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing requirements"
	@$(BIN)/python -m pip install -qq -r requirements.txt -r requirements-test.txt
	@$(BIN)/python -m pip install -qq --no-deps --editable .
	@touch $@
	@echo "ready: $(BIN)/hyphe"

webui:
	@if [ ! -f webui/package.json ]; then :; \
	elif ! command -v npm >/dev/null; then echo "webui: not built (npm is not installed)"; \
	elif [ webui/dist -nt webui/package.json ]; then :; \
	elif (cd webui && npm ci --silent && npm run --silent build) >webui/build.log 2>&1; then echo "webui: built"; \
	else echo "webui: not built (see webui/build.log)"; fi

demo: setup ## crawl the bundled local web and draw its network into demo-output/
	@$(BIN)/python -m hyphe_core.demo

run: setup ## start the service
	@$(BIN)/hyphe serve

test: $(STAMP) ## lint, types, import contracts, then the fast tests
	@$(MAKE) lint types
	@$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile

test-slow: $(STAMP) ## the slow tests alone
	@$(BIN)/python -m pytest -q -m slow

test-all: $(STAMP) ## everything, the slow tests too
	@$(MAKE) test
	@$(MAKE) test-slow

lint: $(STAMP) ## ruff and the import contracts
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-logo >/dev/null 2>&1 || $(BIN)/lint-imports

types: $(STAMP) ## strict mypy
	@$(BIN)/mypy

bench: $(STAMP) ## measure speed against the yardsticks
	@$(BIN)/python -m benchmarks

docs: $(STAMP) ## write the generated pages of docs/ again
	@$(BIN)/python docs/generate.py

clean: ## remove what building, testing and the demo left behind
	@rm -rf build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis demo-output
