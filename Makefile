# Every target sets up what it needs on a Debian machine with Go.
# The recordings of vendors' traffic are third-party data and no part of the
# project; tests that use them run where IKIGAI_FIXTURES names them.

export CGO_ENABLED ?= 0
FIXTURES := $(wildcard ../shared/fixtures)
ifneq ($(FIXTURES),)
export IKIGAI_FIXTURES ?= $(abspath $(FIXTURES))
endif
FUZZTIME ?= 5s
TOOL := go tool -modfile=tools/go.mod

.PHONY: build demo test kill race bench lint fuzz update tidy need

build: ## bin/ikigai
	go build -trimpath -ldflags="-s -w" -o bin/ikigai ./cmd/ikigai

demo: build ## the main job, offline, without a key
	bin/ikigai demo

test: need ## all tests
	tools/test -timeout 30m
	cd internal/oracle && go test ./...

kill: need ## kills the program at every system call of its life (test tries some of them)
	go test -timeout 60m ./internal/cli -run 'TestKill(Matrix|Undo)' -kill.all -v

race: need ## all tests with the race detector
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 tools/test -timeout 30m -race

bench: need ## ikigai beside a bare loop that does the same, its stores beside bare SQL, its search beside ripgrep, tasks at once beside one, its front at a terminal
	@tools/need ripgrep
	go run ./bench
	go run ./bench/store
	go run ./bench/search
	go run ./bench/delegate
	go run ./bench/terminal

lint: ## gofmt, vet, staticcheck, errcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt these files"; exit 1; }
	go vet ./...
	GOOS=darwin go vet ./...
	$(TOOL) staticcheck ./...
	$(TOOL) errcheck -ignoretests -exclude tools/errcheck.txt ./...

fuzz: need ## every fuzz target for FUZZTIME
	@tools/fuzz $(FUZZTIME)

update: need ## write the golden files anew; read the diff before you commit it
	go test ./... -update

tidy: ## go.mod and go.sum say what the code needs
	go mod tidy
	cd internal/oracle && go mod tidy

need: # programs that tests run
	@tools/need git bash postgresql python3 nodejs npm tmux
	@cd internal/mcp/testdata && { npm ls >/dev/null 2>&1 || npm ci --ignore-scripts --silent --no-fund --no-audit; }
