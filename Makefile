# The project's commands; `make` alone lists them. Needs Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Stamp files: what was installed for which pyproject.toml. The demo does not wait for the development tools.
RUNTIME := $(VENV)/.runtime
TOOLS := $(VENV)/.tools

# Where the benchmark's scenes and other methods' published maps are, for `make paper`.
SHARED := $(or $(IOADR_SHARED),../shared)
DATA ?= $(SHARED)/data/hci
PEERS ?= $(SHARED)/data/peers

.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(TOOLS) ## create .venv with the package, all extras and the development tools

.PHONY: demo
demo: $(RUNTIME) ## estimate the embedded scene into out/demo and print its errors against the exact truth
	@$(BIN)/ioadr demo --out out/demo --overwrite

.PHONY: explore
explore: $(RUNTIME) ## see why a pixel has its depth, in the browser: the embedded scene, or SCENE=path
	@$(BIN)/python -c 'import starlette, uvicorn' 2>/dev/null || $(INSTALL) --editable '.[formats,explore]'
	@$(BIN)/ioadr explore $(SCENE)

.PHONY: test
test: lint ## lint, types and all quick tests
	@$(BIN)/python -m pytest -q -m "not slow"

.PHONY: test-slow
test-slow: $(TOOLS) ## the tests that take longer
	@$(BIN)/python -m pytest -q -m slow

.PHONY: paper
paper: $(RUNTIME) ## the paper's tables into out/paper, ours beside the printed figures (DATA=folder of its four scenes)
	@test -d "$(DATA)" || { \
	  echo "make paper needs boxes, cotton, dino and sideboard of the 4D Light Field Benchmark, found no folder $(DATA)."; \
	  echo "Name it: make paper DATA=path/to/scenes [PEERS=path/to/published/maps]"; exit 2; }
	@$(BIN)/ioadr paper --data "$(DATA)" $(if $(wildcard $(PEERS)),--peers "$(PEERS)") --out out/paper

.PHONY: bench
bench: $(TOOLS) ## time, memory and growth into docs/performance.md: minutes on a quiet machine (FULL=1: all scenes and sizes)
	@$(BIN)/ioadr bench --verbose --out docs/performance.json $(if $(FULL),--full) $(if $(wildcard $(DATA)),--data "$(DATA)")
	@$(BIN)/python -m tests.reference.bench docs/performance.json
	@$(BIN)/python scripts/performance_page.py docs/performance.json docs/performance.md

.PHONY: fuzz
fuzz: $(TOOLS) ## break files of all formats at random for ten minutes: they may be refused, nothing else
	@$(BIN)/python -m tests.fuzz_readers --seconds 600

.PHONY: lint
lint: $(TOOLS) ## style, format and types, without changing anything
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

.PHONY: format
format: $(TOOLS) ## put the code into the project's format
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

.PHONY: clean
clean: ## remove what the other commands made, .venv included
	rm -rf $(VENV) out build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "ioadr needs Python 3.11 or newer, found $$($(PYTHON) --version). Name another: make PYTHON=python3.12"; exit 1; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(RUNTIME): pyproject.toml | $(BIN)/python
	@echo "installing ioadr into $(VENV) (a minute, once)"
	@$(INSTALL) --editable '.[formats]'
	@touch $@

$(TOOLS): pyproject.toml | $(BIN)/python
	@echo "installing ioadr and the development tools into $(VENV) (a minute, once)"
	@$(INSTALL) --editable '.[all,dev]'
	@touch $(RUNTIME) $@
