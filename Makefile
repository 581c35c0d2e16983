# What a submission must pass is .ci/run: it runs the targets up to release.
# Needs Go; the interop tests need Node (and npm) too. Everything else comes
# through tools.mod and testutil/npm/package-lock.json, pinned.

.DEFAULT_GOAL := help
SHELL     := bash
TOOL      := go tool -modfile=$(CURDIR)/tools.mod
# Tests log every event here as JSON; .ci/run counts them. What they reach is in bin/cover.
TESTLOG   := bin/test.jsonl
TESTFLAGS ?= -shuffle=on
FUZZTIME  ?= 10s
CHAOSTIME ?= 60s
CHAOSSEEDS ?= 10
SOAKCALLS  ?= 1000000
ROUNDS     ?= 15
PLATFORMS := windows/amd64 darwin/arm64
# The product's module, and those beside it, which keep what they need out of its own.
MODULES   := $(patsubst %/go.mod,%,$(wildcard ./go.mod */go.mod */*/go.mod))
# What make quickstart asks the example server.
EXAMPLE   := {"time":"2026-01-15 09:30","from":"Europe/Berlin","to":"Asia/Tokyo"}
# Where the project lives, for packages that say so.
ADDRESS   ?= https://example.com/mcp-aggregator
SERVERS   := testutil/npm/node_modules/.package-lock.json

# As releases are built, so that what one target has compiled the others find.
export GOFLAGS := $(shell go env GOFLAGS) -trimpath

# The race detector needs a C compiler.
RACE := $(shell command -v "$$(go env CC)" >/dev/null 2>&1 && echo -race)

.PHONY: help quickstart build test lint fuzz release chaos bench bench-service bench-search

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' Makefile

quickstart: ## build the stdio program and two example servers, show their tools, call one (a minute or two when nothing was built before)
	@mkdir -p bin
	@echo 'Building mcp-simple-aggregator and the servers of examples/ into bin/.'
	@echo 'The first time Go downloads 20 modules and compiles for a minute or two; after that it takes seconds.'
	go build -o bin/ ./cmd/mcp-simple-aggregator ./examples/...
	@echo 'Starting both servers, and showing what they offer:'
	bin/mcp-simple-aggregator check --config docs/quickstart.json
	@echo 'Calling a tool of one of them:'
	bin/mcp-simple-aggregator call --config docs/quickstart.json clock:convert_time '$(EXAMPLE)'

build: ## build the programs into ./bin
	@mkdir -p bin
	go build -o bin/ ./cmd/...

test: ## run every test, with the race detector and against real servers where Node is
	@mkdir -p bin; rm -f $(TESTLOG)
	@if command -v npm >/dev/null 2>&1; then $(MAKE) -s $(SERVERS); \
	elif [ -n "$${CI:-}" ]; then echo 'npm is missing: CI must run the interop tests' >&2; exit 1; \
	else echo '*** npm is missing: the interop tests with real servers are SKIPPED ***' >&2; fi
	@[ -n "$(RACE)" ] || echo '*** no C compiler: the tests run WITHOUT the race detector ***' >&2
	$(TOOL) gotestsum --format pkgname --jsonfile $(TESTLOG) --raw-command -- .ci/gotest $(RACE) $(TESTFLAGS)

lint: ## run the linters of .golangci.yml; fail if a go.mod, tools.mod or a sum file is not tidy
	@set -e; for m in $(MODULES); do echo "go mod tidy -diff ($$m)"; go mod tidy -C $$m -diff; done
	@set -euo pipefail; echo 'go mod tidy -diff (tools.mod)'; d=$$(mktemp -d); trap 'rm -rf "$$d"' EXIT; \
	cp tools.mod "$$d/go.mod"; cp tools.sum "$$d/go.sum"; cd "$$d"; go mod tidy -diff
	@code=0; for m in $(MODULES); do echo "golangci-lint run ($$m)"; (cd $$m && $(TOOL) golangci-lint run ./...) || code=1; done; exit $$code

# Go 1.26 can report the end of the fuzzing time as a failure (go.dev/issue/75804,
# fixed in 1.27): told from a finding by the input that a finding leaves behind.
fuzz: ## fuzz every target for FUZZTIME (10s)
	@set -euo pipefail; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	grep -roE --include='*_test.go' --exclude-dir=node_modules '^func Fuzz\w+' . | sort | while IFS=: read -r file func; do \
		folder=$$(dirname "$$file"); name=$${func#func }; \
		echo "go test -fuzz ^$$name\$$ -fuzztime $(FUZZTIME) $$folder"; \
		go test -C "$$folder" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) . </dev/null 2>&1 | tee "$$log" || \
		{ grep -q '^    context deadline exceeded$$' "$$log" && ! grep -q 'Failing input' "$$log" && echo 'the time was up: no failure'; }; \
	done

release: ## vet and build for every platform, and package a snapshot into dist/
	@set -euo pipefail; for p in $(PLATFORMS); do for m in $(MODULES); do \
		echo "go vet: $$p ($$m)"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go vet -C $$m ./...; \
	done; done
	go build -C release -o ../bin/ .
	bin/release -out dist -address $(ADDRESS)

# `make test` runs one seed for a few seconds, and few calls. A failure says how to
# run its seed again.
chaos: ## make SOAKCALLS (1000000) calls, then torment the aggregator for CHAOSTIME (60s) under each of CHAOSSEEDS (10)
	go test -count=1 -v -run '^TestSoak' ./app/simple/e2e -soak.calls $(SOAKCALLS)
	go test $(RACE) -count=1 -timeout 0 -v -run '^TestChaos' ./app/simple/e2e -chaos.time $(CHAOSTIME) -chaos.seeds $(CHAOSSEEDS)

bench: build ## measure what the aggregator costs, and write docs/benchmarks.md (several minutes)
	go build -C bench -o ../bin/bench/ ./...
	go test -run '^$$' -bench 'Scan|Splice|Route' -benchmem -benchtime 0.2s -count 6 ./modules/wire ./app/simple > bin/bench/allocs.txt || { cat bin/bench/allocs.txt; exit 1; }
	$(TOOL) benchstat bin/bench/allocs.txt
	bin/bench/bench -rounds $(ROUNDS) -allocs bin/bench/allocs.txt -out docs

bench-service: build ## measure what the service costs, and write docs/benchmarks-service.md (four minutes)
	go build -C bench -o ../bin/bench/ ./...
	bin/bench/benchservice -out docs

bench-search: ## measure how well and how fast tools are found, and write the figures of docs/search.md (a minute)
	go test -count=1 -run '^TestReport$$' ./modules/search -search.report $(CURDIR)/docs/search.md

$(SERVERS): testutil/npm/package-lock.json
	npm ci --prefix testutil/npm --ignore-scripts --no-audit --no-fund
	@touch $@
