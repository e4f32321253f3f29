# Every target sets up what it needs. Variables: PYTHON, KB_PORT, KB_DATA_DIR, KB_TORCH (auto|cpu|cuda|none), KB_TORCH_INDEX,
# KB_WHEELS=FOLDER (no network), DATABASE_URL. See kbweb/bootstrap.py and README.md.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && { echo $$p; exit; }; done; \
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 14))' 2>/dev/null && echo python3)
V := .venv/bin/python
PYTEST := $(V) -m pytest
WORKERS ?= 2
GPU_WORKERS ?= 4
GPU_PYTHON := $(if $(wildcard .venv/bin/pytest),$(V),$(PYTHON))
GPU_PYTEST := PYTHONPATH=.$(if $(PYTHONPATH),:$(PYTHONPATH)) $(GPU_PYTHON) -m pytest tests/gpu -p no:django --confcutdir=tests/gpu --rootdir=tests/gpu -c /dev/null -o addopts=

.PHONY: run test lint bench browser gpu screenshots pages setup setup-dev python

run: setup ## The site on http://127.0.0.1:8000 with database and workers
	@exec $(V) -m kbweb.cli up

test: setup-dev ## Every test; browser tests where Chromium is, GPU tests where a GPU is
	$(PYTEST) -n $(WORKERS) --dist loadgroup --no-loadscope-reorder $(ARGS)

lint: setup-dev ## Format, lint, types, templates, migrations, OpenAPI
	$(V) -m ruff format --check .
	$(V) -m ruff check .
	$(V) -m mypy
	find templates -name '*.html' -print0 | xargs -0 .venv/bin/djade --target-version 5.2 --check
	DJANGO_SETTINGS_MODULE=tests.settings $(V) manage.py makemigrations --check --dry-run kbweb submissions leaderboard
	DJANGO_SETTINGS_MODULE=tests.settings $(V) manage.py check --fail-level WARNING
	DJANGO_SETTINGS_MODULE=tests.settings $(V) manage.py spectacular --validate --fail-on-warn --file /dev/null

bench: setup ## The evaluator's own speed and repeatability on this machine, kept in bench.json and bench.md
	$(V) -m evaluator bench --json bench.json --markdown bench.md $(ARGS)

browser: setup-dev ## The browser tests alone
	$(PYTEST) tests/browser $(ARGS)

gpu: python ## tests/gpu with torch, triton and pytest alone (no Django): GPU_WORKERS at once, then those that time
	@test -e /dev/nvidiactl || echo "no NVIDIA GPU here: the tests in tests/gpu were not run"
	@test ! -e /dev/nvidiactl || { at_once=0; alone=0; \
	$(GPU_PYTEST) -m "not alone" $$($(GPU_PYTHON) -c "import xdist; print('-n $(GPU_WORKERS)')" 2>/dev/null) $(ARGS) || at_once=$$?; \
	$(GPU_PYTEST) -m alone $(ARGS) || alone=$$?; \
	case "$$at_once $$alone" in "0 0" | "0 5" | "5 0") ;; *) exit 1 ;; esac; }

screenshots: setup-dev ## Pictures of every page in test-results/screenshots, and those of the README
	$(V) -m tests.browser.screenshots $(ARGS)

pages: setup-dev ## Queries, time of the server, HTML and JavaScript of every page
	@PAGES_RUNS=3 $(PYTEST) -q tests/pages/test_page_costs.py $(ARGS)
	@cat test-results/pages.txt

setup: python
	@$(PYTHON) -P kbweb/bootstrap.py run

setup-dev: python
	@$(PYTHON) -P kbweb/bootstrap.py dev

python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and none was found. Install one, or name it: make run PYTHON=/path/to/python3.12" >&2; exit 3; }
