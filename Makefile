# The project's commands; `make` alone lists them. Needs Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL = $(BIN)/python scripts/install_locked.py
# The pip of the lock, by the pip of $(PYTHON): a third of the time that Python's own copy takes.
GIVE_PIP = $(PYTHON) -m pip --python $(BIN)/python install --quiet --no-compile --require-hashes -r requirements/pip.txt
# Python keeps what it compiles, also where the environment forbids it: tests start hundreds of processes, and each would
# compile every module that it imports.
unexport PYTHONDONTWRITEBYTECODE
# Stamp files of installations. The demo does not need the development tools.
RUNTIME := $(VENV)/.runtime
TOOLS := $(VENV)/.tools

# Tests run in this many processes: one more than two cores have, because tests of servers and browsers often wait. A
# file stays in one process, because its tests share fixtures, and files keep their order, because those with few but
# long tests would otherwise come last.
JOBS ?= 3
PARALLEL = -n $(JOBS) --dist loadfile --no-loadscope-reorder

# Where the benchmark's scenes and other methods' published maps are, for `make paper`.
SHARED := $(or $(IOADR_SHARED),../shared)
DATA ?= $(SHARED)/data/hci
PEERS ?= $(SHARED)/data/peers
# The project's own rendered scene, for the picture of the README.
TOYS ?= $(SHARED)/data/rendered/toys

# Without tests that need other programs, the documentation or a browser.
OLDEST_TESTS ?= tests/reference tests/unit/geometry tests/unit/solver tests/unit/evaluation tests/unit/io/readers \
  tests/unit/test_laws.py tests/unit/test_hard_inputs.py tests/unit/test_doors.py tests/unit/app/test_commands.py \
  tests/unit/app/test_evaluation_commands.py tests/unit/app/explorer tests/unit/app/batch tests/system/batch

# The part of `make figures` that needs the benchmark's scenes: the scores of the README.
MEASURED = $(BIN)/ioadr benchmark "$(DATA)" --scenes boxes,cotton,dino,sideboard --methods paper,fast,best --out out/benchmark && \
  $(BIN)/python scripts/readme_scores.py out/benchmark/results.json

# A script that makes pictures, and the note of what they were made from (tests/pictures.json).
DRAW = $(BIN)/python $(1) $(2) && $(BIN)/python -m tests.pictures $(1)

# The scenes on which confidence is checked: the benchmark's four, toys and the parts of hard scenes.
CHECKED = $(addprefix $(DATA)/,boxes cotton dino sideboard) $(TOYS) \
  $(addprefix $(SHARED)/data/hard/,floor leaves desk wedges turntable machine)

# What `make accuracy` and `make research` run: those scenes and two synthetic ones of each family, every preset.
SEEDS ?= 1
SCORED = synthetic-0 synthetic-1 $(CHECKED) --jobs 2
PRESETS = $(SCORED) --methods paper,best,fast --by-scene

# What `make bench` does: a comparison with another revision, or all figures of docs/performance.md.
BENCH = $(BIN)/ioadr bench --verbose $(if $(FULL),--full) $(if $(wildcard $(DATA)),--data "$(DATA)")
COMPARED = $(BENCH) --base "$(BASE)"
MEASURE_ALL = $(BENCH) --out docs/performance.json && $(BIN)/python -m tests.reference.bench docs/performance.json && \
  $(BIN)/python scripts/performance_page.py docs/performance.json docs/performance.md

.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(TOOLS) ## create .venv with the package, all extras and the development tools

.PHONY: demo
demo: $(RUNTIME) ## estimate the built-in scene into out/demo and compare it with its exact ground truth
	@$(BIN)/ioadr demo --out out/demo --overwrite

.PHONY: explore
explore: $(RUNTIME) ## see why a pixel has its depth, in the browser: the built-in scene, or SCENE=path
	@$(BIN)/python -c 'import starlette, uvicorn' 2>/dev/null || { \
	  echo "installing the explorer and the development tools into $(VENV) (a minute, once)"; $(INSTALL) dev; }
	@$(BIN)/ioadr explore $(SCENE)

.PHONY: test
test: $(RUNTIME) ## run lint, type checks and all quick tests
	@$(MAKE) --no-print-directory -j 2 lint quick-tests

.PHONY: quick-tests
quick-tests: $(TOOLS) kernels ## run all quick tests, without lint and type checks
	@$(BIN)/python -m pytest -q -m "not slow" $(PARALLEL)

.PHONY: kernels
kernels: $(RUNTIME) ## compile the loops that most tests need, while `make test` installs other tools
	@$(BIN)/python -m tests.kernels

.PHONY: test-slow
test-slow: $(TOOLS) ## run the slow tests
	@$(BIN)/python -m pytest -q -m slow

.PHONY: test-oldest
test-oldest: ## test with the oldest versions that pyproject.toml allows, in .venv-oldest
	@test -x .venv-oldest/bin/python || $(PYTHON) -m venv .venv-oldest
	@.venv-oldest/bin/python scripts/install_locked.py oldest
	@.venv-oldest/bin/python -m pytest -q -m "not slow and not browser" -W default $(OLDEST_TESTS)

.PHONY: audit
audit: $(TOOLS) ## list known vulnerabilities in pinned dependencies, offline (ADVISORIES=all.zip of the ecosystem PyPI, from osv.dev)
	@$(BIN)/python scripts/audit.py $(ADVISORIES)

.PHONY: lock
lock: $(TOOLS) ## update the pinned versions in requirements/*.txt, with hashes, for all platforms (needs the network)
	@$(BIN)/python scripts/lock.py

.PHONY: paper
paper: $(RUNTIME) ## reproduce the paper's tables in out/paper, next to the published figures (DATA=folder of its four scenes)
	@test -d "$(DATA)" || { \
	  echo "make paper needs boxes, cotton, dino and sideboard of the 4D Light Field Benchmark; there is no folder $(DATA)."; \
	  echo "Give it: make paper DATA=path/to/scenes [PEERS=path/to/published/maps]"; exit 2; }
	@$(BIN)/ioadr paper --data "$(DATA)" $(if $(wildcard $(PEERS)),--peers "$(PEERS)") --out out/paper

.PHONY: golden
golden: $(TOOLS) ## update the maps and scores that tests compare with, after a change of the method (DATA=folder of the four scenes)
	@$(BIN)/python -m tests.golden
	@if test -d "$(DATA)"; then $(BIN)/python -m tests.real.golden "$(DATA)"; else \
	  echo "tests/real/golden.json is unchanged: there are no scenes $(DATA); give DATA="; fi

.PHONY: accuracy
accuracy: $(RUNTIME) ## score paper, best and fast on all scenes and list where best loses to paper; continues after an interruption (SEEDS=3)
	@$(BIN)/ioadr research $(PRESETS) --seeds $(SEEDS) --table out/accuracy.csv

.PHONY: research
research: $(RUNTIME) ## the same with three seeds and without each step of best, into docs/research (about 45 minutes; continues)
	@$(BIN)/ioadr research $(PRESETS) --seeds 3 --table docs/research/accuracy.csv
	@$(BIN)/ioadr research $(SCORED) --methods best --seeds 3 --ablations --table docs/research/ablations.csv
	@$(BIN)/python scripts/research_page.py

.PHONY: bench
bench: $(TOOLS) ## measure time, memory and growth into docs/performance.md, on an idle machine (FULL=1: all scenes and sizes; BASE=rev: compare)
	@$(if $(BASE),$(COMPARED),$(MEASURE_ALL))

.PHONY: docs
docs: $(TOOLS) ## build all pages and the reference as an offline site in site/; warnings are errors
	@$(BIN)/mkdocs build --quiet --strict
	@echo "open site/index.html"

.PHONY: figures
figures: $(TOOLS) ## regenerate the pictures of README and docs, with DATA and TOYS also the scores and the title picture
	@$(call DRAW,scripts/convention_figure.py)
	@$(call DRAW,scripts/concept_figures.py)
	@$(call DRAW,scripts/garbage_figures.py)
	@$(call DRAW,scripts/gallery.py)
	@if command -v chromium >/dev/null; then $(call DRAW,scripts/explorer_picture.py); else \
	  echo "docs/images/explorer.png is unchanged: chromium is missing"; fi
	@if test -d "$(TOYS)"; then $(call DRAW,scripts/readme_picture.py,"$(TOYS)"); else \
	  echo "docs/images/readme.jpg is unchanged: there is no scene $(TOYS); give TOYS="; fi
	@if test -d "$(DATA)"; then $(MEASURED); else \
	  echo "README's scores are unchanged: there are no scenes $(DATA); give DATA="; fi

.PHONY: calibrate
calibrate: $(TOOLS) ## fit the weights of confidence to synthetic scenes and print them for solver/trust_model.py (some minutes)
	@$(BIN)/python scripts/calibrate_confidence.py out/calibration

.PHONY: confidence
confidence: $(TOOLS) ## measure the calibration of confidence into docs/confidence.md (needs the scenes of CHECKED)
	@for scene in $(CHECKED); do \
	  $(BIN)/ioadr estimate "$$scene" --save npz --no-report --quiet --overwrite --out out/confidence/$$(basename $$scene) || exit; \
	done
	@$(call DRAW,scripts/confidence_curve.py,out/confidence docs/confidence.md docs/images/sparsification.svg $(CHECKED))

.PHONY: release-check
release-check: $(TOOLS) ## build archive and wheel, test the wheel in a new environment, also with Open3D and pycolmap, run the demo
	@$(BIN)/python scripts/release_check.py $(TESTS)

.PHONY: fuzz
fuzz: $(TOOLS) ## break files of all formats at random and compare writers (about twelve minutes)
	@$(BIN)/python -m tests.fuzz_readers --seconds 400
	@$(BIN)/python -m tests.fuzz_doors --seconds 200
	@$(BIN)/python -m tests.differential --inputs 4000

.PHONY: lint
lint: $(TOOLS) ## check style, format, spelling and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/codespell $$(git ls-files 2>/dev/null || echo src tests docs scripts examples *.md)
	@$(BIN)/mypy

.PHONY: format
format: $(TOOLS) ## format the code
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

.PHONY: clean
clean: ## remove generated files, .venv included
	rm -rf $(VENV) .venv-oldest out build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "ioadr needs Python 3.11 or newer, found $$($(PYTHON) --version). Name another: make PYTHON=python3.12"; exit 1; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv --without-pip $(VENV)
	@$(GIVE_PIP) 2>/dev/null || $(BIN)/python -m ensurepip >/dev/null || { rm -r $(VENV); exit 1; }

$(RUNTIME): pyproject.toml requirements/run.txt | $(BIN)/python
	@echo "installing ioadr into $(VENV) (a minute, once)"
	@$(INSTALL) run
	@touch $@

$(TOOLS): pyproject.toml requirements/dev.txt | $(BIN)/python
	@echo "installing ioadr and the development tools into $(VENV) (a minute, once)"
	@$(INSTALL) dev
	@touch $(RUNTIME) $@
