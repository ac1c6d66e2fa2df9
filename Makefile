# Needs Python 3.11 to 3.13, make, and for `make bench` a C++ compiler. Each target installs what it needs into .venv.

PYTHON   ?= python3
USE_VENV ?= $(if $(filter replication,$(CONDA_DEFAULT_ENV)),0,1)
ifeq ($(USE_VENV),0)
PY    := $(if $(filter-out python3,$(PYTHON)),$(PYTHON),python)
else
PY    := .venv/bin/python
READY := .venv/ready
endif
TOOLS   := build/tools
LINKER  := build/linker
KERNELS := build/kernels

# Import this checkout's package, also in kernels that a notebook starts.
export PYTHONPATH := $(CURDIR)
# uv leaves the packages uncompiled. Compiled at each start instead of once, they cost four seconds a process.
unexport PYTHONDONTWRITEBYTECODE
ifneq ($(TRACES),)
export REPLICATION_TRACES := $(shell cd "$(patsubst ~%,$(HOME)%,$(TRACES))" 2>/dev/null && pwd)
$(if $(REPLICATION_TRACES),,$(error TRACES=$(TRACES): no such folder))
endif
OPTIONS := $(if $(SCALE),--scale $(SCALE)) $(if $(ONLY),--only "$(ONLY)") $(if $(WORKERS),--workers $(WORKERS)) \
  $(if $(SET),--set '$(subst ;,' --set ',$(subst ','\'',$(SET)))')
REPORT  := $(PY) -m docs.articles.build_articles && $(PY) -m replication report $(if $(STANDALONE),--standalone)
PYTEST  := $(PY) -m pytest --dist worksteal -n $(or $(WORKERS),auto) $(TESTS)

SHELL := bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help figures test lab studies pins check lint page site setup report traces test-all test-contrib conformance schedulers bench wasm lock audit clean

help:
	@awk -F '  +' '/^[a-z-]+:.*  ## / { \
	    sub(/:.*/, "", $$1); sub(/^## /, "", $$NF); printf "  make %-15s%s\n", $$1, $$NF } \
	  /^#: / { sub(/^#: /, "", $$1); printf "%s  %-20s%s\n", seen++ ? "" : "Options:\n", $$1, $$2 }' Makefile

figures: $(if $(ONLY),$(READY),$(KERNELS))  ## Run the notebooks of the papers and build the report; or ONLY= some
	@$(PY) -m replication figures $(OPTIONS); code=$$?; \
	if [ -z "$(ONLY)" ] && [ $$code = 0 -o $$code = 3 ]; then $(REPORT) || exit; fi; exit $$code  # 3: a result differs
test: $(READY)  ## Run the tests except the long ones
	@$(PYTEST) -m "not slow"
lab: $(READY)  ## Open the explorer and the notebooks in JupyterLab
	@nice $(MAKE) -s $(KERNELS) 2> /dev/null & trap "kill $$! 2> /dev/null" EXIT; \
	$(PY) -m jupyterlab --config=.ci/lab_config.py --LabApp.default_url=/lab/tree/notebooks/explore.ipynb $(LAB) || { \
	  code=$$?; [ "$$(id -u)" != 0 ] || [[ "$(LAB)" == *--allow-root* ]] || echo 'As root: make lab LAB=--allow-root' >&2; exit $$code; }
studies: $(READY)  ## Run our own studies; or ONLY= some
	@$(PY) -m replication studies $(OPTIONS)
pins: $(READY)  ## Write the pinned results of the tests again, and name what changed
	@$(PY) -m tests.pins $(ONLY)
check: $(READY)  ## Compare all verdicts with the committed ones
	@$(PY) -m replication check
lint: $(READY)  ## Check format, imports, public names, types, locks and the links of pages
	@mkdir -p build; $(PY) -m ruff format --check -q . && $(PY) -m ruff check -q .
	@$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()' --no-cache > build/lint.txt \
	  && $(PY) -m pytest -q -n 0 tests/project/check_*.py > build/lint.txt 2>&1 || { cat build/lint.txt; exit 1; }
page: $(READY)  ## Build the page that needs no installation: figures/page.html
	@$(PY) -m notebooks.browser.build_page
site: build/docs-ready  ## Build the documentation in build/site/
	@$(MAKE) -s report STANDALONE=1
	@$(PY) -m sphinx -b html docs build/site && echo build/site/index.html

setup: $(KERNELS)  ## Create .venv with the locked packages, and compile the kernels
	@git config filter.notebook.clean "python3 .ci/strip_outputs.py" && \
	  echo "git: set filter.notebook.clean in this clone, which commits notebooks without outputs" || true
report: $(READY)  ## Build both articles and the report from existing results
	@$(REPORT)
traces: $(READY)  ## Download the real logs
	@$(PY) -m replication logs fetch
test-all: $(READY)  ## Run all tests
	@REPLICATION_ROUNDS=$(or $(ROUNDS),12000) $(PYTEST)
test-contrib: $(READY)  ## Run the tests of contrib/
	@for package in contrib/*; do \
	  PYTHONPATH=$(CURDIR):$(CURDIR)/$$package $(PY) -m pytest -c $$package/pyproject.toml $$package || test $$? -eq 5 || exit 1; done
conformance: build/conformance.zip  ## Pack the conformance suite in one file: build/conformance.zip
build/conformance.zip: $(shell find contrib/conformance -type f -not -path '*/__pycache__/*')
	@mkdir -p build && rm -f $@ && cd contrib/conformance && python3 -m zipfile -c $(CURDIR)/$@ \
	  __main__.py README.md CHANGES.md exercise.ipynb exercise.py sentences.md manifest.json easy.awk conformance logs schedules
schedulers:  ## Run Slurm, Grid Engine and OAR, if installed, through the suite, as root
	@python3 contrib/conformance/schedulers/table.py $(foreach root,$(ROOTS),--root '$(root)')
bench: $(READY)  ## Compare kernels with plain C++; GROWTH=1: also over the queue
	@$(PY) -m tests.benchmarks $(if $(GROWTH),--growth)
wasm: $(LINKER)/ready  ## Compile the kernel of the page again: notebooks/browser/kernel.wasm
	@PYTHONPATH=$(CURDIR):$(LINKER) $(PY) -m notebooks.browser.compile_kernel
lock: $(TOOLS)/ready  ## Update the locks from pyproject.toml
	@$(PY) .ci/lock.py $(TOOLS)/bin/uv
audit: $(TOOLS)/ready  ## Look up known vulnerabilities of the locked packages
	@PYTHONPATH=$(TOOLS) $(PY) -m pip_audit --strict --disable-pip --require-hashes --progress-spinner off \
	  $(foreach lock,$(wildcard requirements/*.lock),--requirement $(lock))
clean:  ## Remove caches, stored simulations and all else in build/
	@rm -rf build .pytest_cache .hypothesis replication.egg-info
	@find . -path ./.venv -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

# The packages exactly as locked, each checked against its hash; then this package itself.
.venv/ready: requirements/main.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo '$(PYTHON) is not Python 3.11, 3.12 or 3.13: give another with PYTHON=path' >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv
	@$(PY) .ci/install.py requirements/main.lock
	@# In a locale of UTF-8, since the path may have letters that the locale of the shell lacks.
	@LC_ALL=C.UTF-8 $(PY) -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings editable_mode=compat --editable .
	@# Name the checkout by a relative path: Python 3.11 reads the file as ASCII under LC_ALL=C, where
	@# an absolute path with an umlaut would stop every start of Python.
	@cd .venv/lib/python3.*/site-packages && echo ../../../.. > "$$(echo __editable__.*.pth)"
	@$(PY) -m jupyter labextension disable --level=sys_prefix "@jupyterlab/apputils-extension:announcements" > /dev/null 2>&1 || true
	@# Kernels of this environment would write the traceback of a failed cell, which the notebook shows,
	@# to the terminal once more, and a warning of TCP ports at each start.
	@mkdir -p .venv/etc/ipython && echo 'c.IPKernelApp.log_level = 50' > .venv/etc/ipython/ipython_kernel_config.py
	@touch $@
# Without this, each kernel is compiled at its first use.
$(KERNELS): $(wildcard replication/simulator/kernels/*.py) $(READY)
	@$(PY) -m replication warm && mkdir -p build && touch $@
build/docs-ready: requirements/docs.lock $(READY)
	@$(PY) .ci/install.py requirements/docs.lock && mkdir -p build && touch $@
$(TOOLS)/ready: requirements/tools.lock $(READY)
	@rm -rf $(TOOLS) && $(PY) .ci/install.py requirements/tools.lock $(TOOLS) && touch $@
$(LINKER)/ready: requirements/linker.lock $(READY)
	@rm -rf $(LINKER) && $(PY) .ci/install.py requirements/linker.lock $(LINKER) && touch $@

#: TRACES=dir          folder with the real logs
#: ONLY="a/x b"        only these notebooks, such as "heel_and_toe/fig02", or studies
#: SCALE=quick         fewer jobs and runs
#: SET="f_max=2"       other parameters of notebooks, in YAML, with ; between two; the results go to build/other/
#: ROOTS="a b"         folders with installed schedulers (schedulers)
#: WORKERS=n           threads, or processes of tests
#: STANDALONE=1        one file to send, build/report/standalone/report.html (report)
#: TESTS=path          only these tests; LAB=options: those of JupyterLab
#: PYTHON=path         interpreter for .venv; USE_VENV=0: the active environment instead
