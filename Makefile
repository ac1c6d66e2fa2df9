# `make figures` and `make test` need only Python 3.11 to 3.13 and make: each sets up what is missing.

VENV     := .venv
USE_VENV ?= $(if $(filter replication,$(CONDA_DEFAULT_ENV)),0,1)

ifeq ($(USE_VENV),0)
PY    := $(or $(PYTHON),python)
READY :=
else
PY    := $(VENV)/bin/python
READY := $(VENV)/ready
endif
TOOLS := build/tools
# What `make archive` has packed is installed without a network.
WHEELS := $(if $(wildcard wheels/*.whl),--no-index --find-links wheels)
WARM  := build/warm-$(notdir $(patsubst %/bin/python,%,$(PY)))

# A program for the shell: succeeds where the interpreter is one that the lock was made for.
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
VERSION   := import sys; print(*sys.version_info[:2], sep=".")

define FIND_PYTHON
for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python) none; do \
  $$python -c '$(SUPPORTED)' 2>/dev/null && break; \
done; \
if [ $$python = none ]; then \
  echo '$(if $(PYTHON),PYTHON=$(PYTHON) is not,No) Python 3.11, 3.12 or 3.13$(if $(PYTHON),, found): \
name one with PYTHON=path' >&2; exit 1; \
fi
endef

# PYTHON= asks for an interpreter: an environment made with another version is made anew.
ifneq ($(PYTHON),)
ifneq ($(shell $(PYTHON) -c '$(VERSION)' 2>&1),$(shell $(VENV)/bin/python -c '$(VERSION)' 2>/dev/null))
OTHER_VERSION := other-version
endif
endif

# Always this checkout's package: also in kernels that a notebook starts, and after the folder was moved.
export PYTHONPATH := $(CURDIR)

ifneq ($(TRACES),)
export REPLICATION_TRACES := $(shell cd "$(patsubst ~%,$(HOME)%,$(TRACES))" 2>/dev/null && pwd)
ifeq ($(REPLICATION_TRACES),)
$(error TRACES=$(TRACES): no such folder)
endif
endif

OPTIONS := $(if $(SCALE),--scale $(SCALE)) $(if $(ONLY),--only $(ONLY)) $(if $(WORKERS),--workers $(WORKERS)) \
  $(if $(ENGINE),--engine $(ENGINE))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help figures test test-contrib check lab traces article report site archive bench setup lock audit clean distclean other-version

help:
	@awk -F '  +' '/^[a-z-]+:.*  ## / { \
	    sub(/:.*/, "", $$1); sub(/^## /, "", $$NF); printf "  make %-15s%s\n", $$1, $$NF } \
	  /^#: / { sub(/^#: /, "", $$1); printf "%s  %-20s%s\n", seen++ ? "" : "Options:\n", $$1, $$2 }' Makefile

figures: $(WARM)  ## Draw every table and figure, then assemble the report
	@$(PY) -m replication figures $(OPTIONS)

test: $(WARM)  ## Run the tests
	@$(PY) -m pytest $(if $(WORKERS),-n $(WORKERS)) $(TESTS)

test-contrib: $(WARM)  ## Run the tests of contrib/
	@PYTHONPATH=$(CURDIR):$(CURDIR)/contrib/cluster $(PY) -m pytest -c contrib/cluster/pyproject.toml contrib/cluster

check: $(READY)  ## Say which verdicts have changed since they were committed
	@$(PY) -m replication check

lab: $(WARM)  ## Open the explorer and the notebooks in JupyterLab
	@$(PY) -m jupyterlab --FileContentsManager.pre_save_hook=replication.report.lab.clean \
	  --LabApp.default_url=/lab/tree/notebooks/explore.ipynb $(LAB)

traces: $(READY)  ## Fetch the real logs from the archive
	@$(PY) -m replication traces fetch

site: build/docs-ready  ## Build the documentation in build/site/ (opens without a network)
	@$(PY) -m sphinx -q -b html docs build/site && echo build/site/index.html

article: $(READY)  ## Build the article; list where it and the results disagree
	@$(PY) -m replication article

report: $(READY)  ## Assemble the article and the report from what was drawn
	@$(PY) -m replication report

archive: $(READY)  ## Pack the last commit and the locked packages into one file
	@mkdir -p build/wheels
	@$(PY) -m pip download -qq --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
	  --dest build/wheels -r requirements.lock
	@git archive --format=tar --prefix=replication/wheels/ \
	  $$(for wheel in build/wheels/*.whl; do echo "--add-file=$$wheel"; done) --prefix=replication/ HEAD \
	  > build/replication.tar
	@sha256sum build/replication.tar

bench: $(WARM)  ## Time the kernels against plain C++
	@$(PY) -m benchmarks

setup: $(WARM)  ## Only set up: .venv, locked packages, compiled kernels

lock: $(TOOLS)/ready  ## Resolve pyproject.toml anew into the locks
	@compile="$(TOOLS)/bin/uv pip compile --universal --python-version 3.11 --fork-strategy fewest \
	  --generate-hashes --no-annotate --no-header --upgrade --quiet"; \
	$$compile pyproject.toml --extra figures --extra lab --extra test --group build --output-file requirements.lock && \
	$$compile pyproject.toml --extra dask --constraint requirements.lock --output-file dask.lock && \
	$$compile pyproject.toml --extra docs --constraint requirements.lock --output-file docs.lock && \
	$$compile --group tools --output-file tools.lock

audit: $(TOOLS)/ready  ## Ask whether locked packages have known vulnerabilities
	@for lock in requirements.lock dask.lock tools.lock; do \
	  PYTHONPATH=$(TOOLS) $(PY) -m pip_audit --strict --disable-pip --require-hashes --progress-spinner off \
	    --requirement $$lock 2>build/audit.txt || { \
	    grep -q '^Found' build/audit.txt || echo "$$lock: not every package could be looked up; nothing is known:" >&2; \
	    tail -n 1 build/audit.txt >&2; exit 1; }; \
	done; echo 'No known vulnerabilities in the locked packages'

clean:  ## Remove what was built, and caches (keeps kept simulations, figures/, data/traces/ and .venv)
	@echo 'Removing build/ but for build/results (simulations kept: make distclean removes them), and caches'
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name results -exec rm -rf {} +
	@rm -rf .pytest_cache .hypothesis replication.egg-info
	@find replication tests benchmarks notebooks \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune \
	  -exec rm -rf {} +

distclean: clean  ## Remove kept simulations and .venv as well
	@echo 'Removing build/results ($(or $(shell du -sh build/results 2>/dev/null | cut -f1),nothing kept)) and $(VENV)'
	@rm -rf build $(VENV)

# Packages exactly as locked, each checked against its hash, and never built here; then this package itself.
$(VENV)/ready: requirements.lock pyproject.toml $(OTHER_VERSION)
	@start=$$(date +%s); \
	if [ '$(OTHER_VERSION)' ] || ! $(PY) -c 'import pip; $(SUPPORTED)' 2>/dev/null; then \
	  $(FIND_PYTHON); \
	  echo "Making $(VENV) with Python $$($$python -c '$(VERSION)')"; \
	  $$python -m venv --clear $(VENV) || exit 1; \
	fi; \
	echo 'Installing the locked packages (a minute or two the first time)'; \
	install="$(PY) -m pip install -qq --disable-pip-version-check --no-input $(WHEELS)"; \
	$$install --require-hashes --only-binary :all: -r requirements.lock && \
	$$install --no-deps --no-build-isolation --editable . && \
	touch $@ && echo "Environment ready in $$(($$(date +%s) - start)) s"

build/docs-ready: docs.lock $(READY)
	@mkdir -p build
	@$(PY) -m pip install -qq --disable-pip-version-check --no-input --require-hashes --only-binary :all: -r docs.lock
	@touch $@

# Tools that make and check locks, apart from what the package needs.
$(TOOLS)/ready: tools.lock $(READY)
	@rm -rf $(TOOLS)
	@$(PY) -m pip install -qq --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
	  --target $(TOOLS) -r tools.lock
	@touch $@

$(WARM): $(READY) $(wildcard replication/simulator/kernels/*.py)
	@mkdir -p $(@D)
	@$(PY) -m replication warm
	@touch $@

#: SCALE=quick         fewer runs than the paper (by default: SCALE=paper on real logs, quick on stand-ins)
#: ONLY="a/x b"        only these, say "heel_and_toe/fig02 pv_easy/table3"
#: WORKERS=n           at once: threads that simulate (figures), processes (test)
#: ENGINE=name         where sweeps run (figures): threads, processes, or a Dask scheduler's address
#: TRACES=dir          folder that holds the real logs
#: TESTS=path          only these tests, in pytest's own words
#: LAB=options         JupyterLab's own, say --no-browser
#: PYTHON=path         interpreter to make .venv with
#: USE_VENV=0          run in the active environment (conda's, say) instead of .venv
