# Everything a person or CI does in this tree. `make` alone explains itself.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
# More arguments for pytest, for example PYTEST="-k r5 -x".
PYTEST ?=
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed
OURS := cutpurse-proto cutpurse-rules cutpurse-server cutpurse-sdk cutpurse-bots
DISTRIBUTIONS := proto server/rules server/service sdk/python bots

.PHONY: help
help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamp is older than a changed requirement, so a pull that changes one installs anew.
$(STAMP): requirements/dev.txt pyproject.toml $(DISTRIBUTIONS:%=%/pyproject.toml)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Cutpurse needs Python 3.11 or newer; set PYTHON=…")'
	@echo 'Installing Cutpurse and what it needs into .venv; on a machine that has none of it this takes a minute or more.'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	# The build backend comes first and from the same pins, so no build fetches another one of its own.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements/dev.txt hatchling editables
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c requirements/dev.txt \
		$(DISTRIBUTIONS:%=-e %) -e .
	touch $(STAMP)
	@echo 'Installed: $(BIN)/cutpurse'

.PHONY: install
install: $(STAMP) ## Install everything into .venv (needs python3 and make, nothing else)

# A test compares with the table of games.
GAMES := art_robbery big_max shadow_thief

.PHONY: demo
demo: $(GAMES:%=demo-%) ## Play a tournament of every game and audit what each exported (build/demo)

.PHONY: $(GAMES:%=demo-%)  # One for each game, behind `demo`.
$(GAMES:%=demo-%): demo-%: install
	rm -rf build/demo/$*
	$(BIN)/cutpurse tournament run --game $* --bot greedy --bot random --bot first --bot greedy \
		--players 3 --rounds 3 --out build/demo/$*
	$(BIN)/cutpurse audit build/demo/$*/bundle

.PHONY: test
test: install ## Run the quick tests
	$(BIN)/python -m pytest -m "not slow and not postgresql and not long and not languages" $(PYTEST)

.PHONY: test-slow
test-slow: install bubblewrap ## Run only the slow tests
	$(BIN)/python -m pytest -m "slow and not postgresql and not long and not languages" $(PYTEST)

.PHONY: test-postgresql
test-postgresql: install postgresql ## Run only the tests that start a PostgreSQL of their own
	$(BIN)/python -m pytest -m "postgresql and not long" $(PYTEST)

.PHONY: test-compiled
test-compiled: export PYTHONPATH := $(abspath build/compiled)
test-compiled: compiled ## Run the quick tests on the compiled form of rules and service (needs a C compiler)
	$(BIN)/python -c 'from cutpurse_rules import chance; assert chance.__file__.endswith(".so"), chance.__file__'
	$(BIN)/python -c 'from cutpurse_server.matches import record; assert record.__file__.endswith(".so"), record.__file__'
	$(BIN)/python -m pytest -m "not interpreted and not slow and not postgresql and not long and not languages" $(PYTEST)

.PHONY: test-all
test-all: test test-slow test-postgresql test-languages test-compiled ## Run the quick tests, the slow ones, those with PostgreSQL, all languages, the compiled form

# The languages beside Python. Each has a target that builds and tests its SDK and its first bot; a missing toolchain fails it.
LANGUAGES := cpp go java rust typescript
# The service that those tests start.
export CUTPURSE ?= $(abspath $(BIN))/cutpurse

.PHONY: test-languages
test-languages: $(LANGUAGES:%=test-%) ## Build and test the SDKs of all languages, then let all of them play at one table
	$(BIN)/python -m pytest -m "languages and not long" --timeout 900 $(PYTEST)

.PHONY: test-typescript
test-typescript: install ## Build and test the TypeScript SDK and its first bot, and check the bot
	cd sdk/typescript && npm ci --no-fund --no-audit && npm run lint && npm test
	cd bots/examples/typescript && npm ci --no-fund --no-audit && npm run build
	$(CUTPURSE) bot check --patience 3 "node bots/examples/typescript/dist/bot.js"

.PHONY: test-go
test-go: install ## Build and test the Go SDK and its first bot, and check the bot (needs a C compiler: the race detector's)
	cd sdk/go && test -z "$$(gofmt -l . ../../bots/examples/go)" && go vet ./... && go test -race .
	cd sdk/go && BUF=$(abspath $(BIN))/buf go test ./internal/...

.PHONY: test-java
test-java: install ## Build and test the Java SDK and its first bot, and check the bot
	cd sdk/java && mvn --quiet --batch-mode install
	cd bots/examples/java && mvn --quiet --batch-mode package
	$(CUTPURSE) bot check --patience 3 "java -jar bots/examples/java/target/first-bot.jar"

# One folder for all that is built in Rust, so that dependencies are compiled once; a project that `bot new` makes takes part.
test-rust test-languages: export CARGO_TARGET_DIR := $(abspath build/rust)
test-rust test-languages: export PROFILE := dev
.PHONY: test-rust
test-rust: install ## Build and test the Rust SDK and its first bot, and check the bot
	cd sdk/rust && cargo fmt --check && cargo clippy --quiet --all-targets -- --deny warnings && cargo test --quiet
	cd bots/examples/rust && cargo fmt --check && cargo build --quiet
	$(CUTPURSE) bot check --patience 3 build/rust/debug/first-bot

.PHONY: test-cpp
test-cpp: install cpp-packages ## Build the C++ bot from the protocol alone, and check it
	cmake -S bots/examples/cpp_proto_only -B build/cpp
	cmake --build build/cpp --parallel
	$(CUTPURSE) bot check --patience 3 build/cpp/bot

.PHONY: postgresql
postgresql: ## Install PostgreSQL's programs by apt if there are none (as root, on Debian and its kin)
	@compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null || command -v initdb > /dev/null || { \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes postgresql; }

.PHONY: bubblewrap
bubblewrap: ## Install bubblewrap by apt if there is none, for isolated bots (as root, on Debian and its kin)
	@command -v bwrap > /dev/null || { \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes bubblewrap; }

.PHONY: cpp-packages
cpp-packages: ## Install gRPC and protobuf for C++ by apt if they are missing (as root, on Debian and its kin)
	@test -e /usr/include/grpcpp/grpcpp.h && type grpc_cpp_plugin protoc cmake g++ > /dev/null 2>&1 || { \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes \
			cmake g++ libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc; }

.PHONY: long
long: install postgresql ## Run the kill loops and the fuzzing (minutes)
	$(BIN)/python -m pytest -m long --timeout 3600 $(PYTEST)

.PHONY: lint
lint: install ## Check style, formatting, import direction and the proto files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache
	cd proto && ../$(BIN)/buf lint && ../$(BIN)/buf format --diff --exit-code

.PHONY: format
format: install ## Format the Python code and the proto files
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	cd proto && ../$(BIN)/buf format --write

.PHONY: types
types: install ## Check the types (mypy, strict)
	$(BIN)/mypy

# The toy game of the tests has a proto of its own; its code is generated by the same script.
TOY := tests/rules/rock_paper_scissors

.PHONY: proto
proto: install ## Generate the code of the proto files
	$(BIN)/python proto/generate.py proto proto/gen/python
	test ! -d $(TOY)/proto || $(BIN)/python proto/generate.py $(TOY)/proto $(TOY)/gen

.PHONY: proto-go
proto-go: install ## Generate the Go code of the proto files (needs Go)
	cd sdk/go && $(abspath $(BIN))/buf generate

.PHONY: proto-check
proto-check: install ## Check that the committed generated code is fresh, and the protocol against the last tag
	$(BIN)/python -m pytest tests/repository/test_generated_is_fresh.py -m ""
	@# buf breaking binds from the first tag, whose image is committed as proto/released.binpb.
	test ! -e proto/released.binpb || (cd proto && ../$(BIN)/buf breaking --against released.binpb)

.PHONY: bench
bench: install ## Measure, each figure as a ratio to a floor measured in the same run (build/bench.json); BENCH="--rounds 1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c requirements/dev.txt \
		-e "server/service[bench]"
	$(BIN)/cutpurse bench --output build/bench.json $(BENCH)

.PHONY: compiled
compiled: install ## Build the wheels of rules and service compiled (build/compiled-wheels; minutes, needs a C compiler), and unpack them (build/compiled)
	rm -rf build/compiled build/compiled-wheels
	for distribution in server/rules server/service; do \
		CUTPURSE_COMPILED=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
			--wheel-dir build/compiled-wheels ./$$distribution; done
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --target build/compiled \
		build/compiled-wheels/*.whl

.PHONY: scale
scale: install ## Play 100,000 matches of 1,000 entrants through log and reconciler, the play faked; SCALE="--format ladder"
	$(BIN)/python -m cutpurse_server.bench.scale $(SCALE)

.PHONY: strength
strength: install ## Measure how many points greedy gets among random, every game and table; STRENGTH="--matches 500 --hero first"
	$(BIN)/python -m tests.acceptance.strength $(STRENGTH)

.PHONY: picture
picture: install ## Play the tournament whose picture stands in the README (docs/pictures/demo.svg)
	$(BIN)/python docs/pictures/make_demo_picture.py

.PHONY: wheels
wheels: install ## Build every distribution as a wheel (build/wheels)
	rm -rf build/wheels
	for distribution in $(DISTRIBUTIONS); do \
		$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheels ./$$distribution; done

.PHONY: requirements
requirements: install ## Pin the newest tools that pyproject.toml allows, without addresses
	$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --extra bench --universal --python-version 3.11 \
		--no-emit-index-url $(OURS:%=--no-emit-package %) --no-annotate --no-header --output-file requirements/dev.txt

.PHONY: clean
clean: ## Remove what tools made: build/ and caches (.venv stays)
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -path ./.venv -prune -o -type d -name __pycache__ -print0 | xargs -0 rm -rf
