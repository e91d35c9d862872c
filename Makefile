# `make` alone prints what there is.
.DEFAULT_GOAL := help
.PHONY: check test race fuzz property tidy golden figures soak kill pictures release releasecheck help

check: ## run everything CI runs; SUITE="vet layers" for a part
	@.ci/run $(SUITE)

test: ## run the tests of every module, without the race detector
	@for m in . app fantasytool agent; do (cd $$m && go test ./...) || exit 1; done

race: ## run the scripts of the command line with the race detector; 6 minutes
	@cd app && go test -race -count=1 -timeout 30m -run '^TestScripts$$' ./internal/cli

FUZZTIME ?= 10s
fuzz: ## run every fuzz target with new inputs; FUZZTIME=60s, ONLY=FuzzParse
	@FUZZTIME=$(FUZZTIME) ONLY=$(ONLY) .ci/fuzz

SEED ?= $(shell date +%s)
property: ## check the properties of all dialects, a million cases each; SEED=7 repeats a run
	@echo "seed $(SEED)"
	@SAYSO_LONG=1 go test -count=1 -timeout 1h -run 'Holds$$|Readback$$|ReadsBack$$' ./dialect -seed $(SEED)

tidy: ## tidy every go.mod and go.sum
	@release/modules tidy

golden: ## rewrite golden files, then read the diff
	@grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -r -n1 dirname | sort -u | \
		while read -r d; do (cd $$d && go test . -update) || exit 1; done

figures: ## measure the published figures; ONLY=P1,R02
	@ONLY=$(ONLY) .ci/figures

MINUTES ?= 2
RATE ?= 50
WAITING ?= 20000
CLIENTS ?= 64
soak: ## keep the server busy for MINUTES=2 at RATE=50 cycles a second, with WAITING=20000 asks and CLIENTS=64 streams and waits
	@cd app && SAYSO_SOAK=$(MINUTES) SAYSO_RATE=$(RATE) SAYSO_WAITING=$(WAITING) SAYSO_CLIENTS=$(CLIENTS) go test -count=1 -timeout 24h -v -run '^TestSoak$$' ./loadtest

kill: ## kill the agent host at every step; takes ten to twenty minutes
	@cd agent && SAYSO_KILL=1 SAYSO_LONG=1 go test -count=1 -timeout 1h -v -run '^TestKill' . | grep -vE '^ *(=== |--- PASS)'

pictures: ## take pictures of every page and state of the web inbox into .work/pictures/web; ONLY=ask,held
	@ONLY=$(ONLY) docs/pictures/webstates.sh

release: ## build every artifact of a release into dist/; VERSION=0.1.0
	@release/run $(or $(VERSION),$(error say which version: make release VERSION=0.1.0))

releasecheck: ## build a release for all six targets twice, compare, install; half an hour
	@release/run 0.1.0 tools && release/check

help:
	@sed -nE 's/^([a-z]+):.*## /  make \1	/p' $(MAKEFILE_LIST)
