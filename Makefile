# The newcomer's two words are `make identify` and `make test`; everything else builds on .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEV    := $(VENV)/.dev
EXTRAS := $(VENV)/.extras

# As the command line does: many small products, and processes instead of threads.
export OPENBLAS_NUM_THREADS = 1

# Compiled modules are kept, whatever the environment says: tests start many processes.
export PYTHONDONTWRITEBYTECODE =

# The shipped specs that are single targets; a family stands for many.
TARGETS = $(filter-out $(shell grep -l '^\[parameters\]' specs/*.toml),$(sort $(wildcard specs/*.toml)))

.PHONY: identify test test-all lint types docs lesson-site release picture gallery bench suite reach programs readings atlas trained mlregtest golden clean

identify: $(STAMP)
	$(BIN)/idinf identify majority --max-n 64

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "idinf needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

# What tests, lint, types and figures need.
$(DEV): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

# What the site and a release need.
$(VENV)/.docs $(VENV)/.release: $(VENV)/.%: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	touch $@

# What only the slow tests need.
$(EXTRAS): $(DEV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,cluster,docs,lesson,notebook,release,torch]'
	touch $@

# One process runs a whole file: what its tests share is computed once.
test: $(DEV)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

test-all: $(EXTRAS)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m 'slow or not slow'

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

# Every shipped target for at most 20 seconds; `make docs` takes build/gallery along.
gallery: $(STAMP)
	mkdir -p build
	$(BIN)/idinf batch $(filter-out specs/majority-26-next.toml,$(TARGETS)) --max-n 16 \
		--time-limit 20 -j 2 -o build/found/
	$(BIN)/idinf show build/found/reports --site build/gallery

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build
	@du -sm build/site | sed 's| *\t.*| MB; open build/site/index.html|'

# The lesson as a static site, whose Python runs in the browser: that, and packages, come from a network then.
lesson-site: $(EXTRAS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv
	rm -rf build/lesson build/lesson-site
	mkdir -p build/lesson
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/lesson .
	cd build/lesson && printf '# dependencies = ["marimo", "idinf @ %s"]\n' *.whl > header
	sed '/^# .*script$$/r build/lesson/header' idinf/lesson/notebook.py > build/lesson/notebook.py
	cp idinf/lesson/lesson.css build/lesson
	cd build/lesson && PATH="$(CURDIR)/$(BIN):$$PATH" $(CURDIR)/$(BIN)/python -m marimo export html-wasm notebook.py -o ../lesson-site --mode run
	@du -sm build/lesson-site | sed 's| *\t.*| MB; python -m http.server --directory build/lesson-site|'

# Tried, not made: it tags only when it is asked to, by `make release TAG=yes`.
release: $(VENV)/.release
	$(BIN)/python -m tools.release $(if $(filter yes,$(TAG)),tag,try)

# The page in the README, as a Chromium of the system shows it.
picture: $(STAMP)
	mkdir -p build
	$(BIN)/idinf identify majority -o build/majority.json
	$(BIN)/idinf show build/majority.json -o build/majority.html
	chromium --headless --no-sandbox --hide-scrollbars --window-size=1000,990 \
		--screenshot=docs/figures/page.png "file://$(CURDIR)/build/majority.html#n=2"

bench: $(STAMP)
	$(BIN)/python -m tools.bench -o bench.json

suite: $(STAMP)
	$(BIN)/python -m tools.suite --document -o suite.json

reach: $(STAMP)
	$(BIN)/python -m tools.reach --document -o reach.csv

# Targets whose R* the family finds within 10,000 steps, and two without an n0: of the others
# a table of brackets would remain.
READ = 012-02 aa-star aaaa-star at-least-3-ones contains-ab d-2 dyck-1 ge-2-3 majority parity \
	tomita-1 tomita-1-next tomita-2 tomita-2-next tomita-7-next

readings: $(STAMP)
	$(BIN)/idinf batch $(READ) --readings all --max-n 32 --work 10000 --no-prove -j 2 -o docs/results/readings.csv
	$(BIN)/python -m tools.readings

programs: $(STAMP)
	$(BIN)/python -m tools.programs --document

# An hour of one core; what is finished lies in build/atlas, so it goes on where it was ended.
atlas: $(DEV)
	$(BIN)/python -m tools.atlas --document
	$(BIN)/idinf plot $(addprefix docs/results/atlas/,$(addsuffix .csv,threshold share chain nested blocks)) -o docs/figures/atlas-families.svg
	$(BIN)/idinf plot docs/results/atlas/ge.csv --kind family -o docs/figures/atlas-law.svg

# Hours of two cores; what is trained stands in docs/results/trained.csv, so it goes on where it was ended.
trained: $(EXTRAS)
	$(BIN)/python -m tools.trained -j 2
	$(BIN)/python -m tools.trained --facts
	$(BIN)/python -m tools.trained --document

# The automata of MLRegTest lie elsewhere: make mlregtest AUTOMATA=FOLDER
mlregtest: $(STAMP)
	$(BIN)/python -m tools.mlregtest $(AUTOMATA) classes programs runs --document

golden: $(DEV)
	IDINF_GOLDEN=1 $(BIN)/python -m pytest -q -m 'slow or not slow' tests/test_golden.py tests/report/test_schema.py tests/test_documents.py tests/test_notebook.py \
		tests/nets/test_json_format.py tests/spec/test_catalogue.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
