# Every target works from a fresh clone on Debian or Ubuntu with Go, git and
# make. Builds and tests need root: run make as root, or with a sudo that asks
# nothing.

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench fuzz image dist parity clean

# The tests' own programs must not trust what the caller's environment names.
# internal/testbed has the same list; a test compares them.
CA_VARIABLES := SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE PIP_CERT \
	GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_PROXY_SSL_CAINFO NODE_EXTRA_CA_CERTS NPM_CONFIG_CAFILE \
	CARGO_HTTP_CAINFO PERL_LWP_SSL_CA_FILE PERL_LWP_SSL_CA_PATH HTTPLIB2_CA_CERTS \
	AWS_CA_BUNDLE NIX_SSL_CERT_FILE GRPC_DEFAULT_SSL_ROOTS_FILE_PATH \
	CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE WGETRC SYSTEM_WGETRC
SCRUBBED := env $(CA_VARIABLES:%=-u %)

CACHE := $(or $(LOOPX_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/loopx)

# Who is not root runs the built programs by sudo, with root's own home, so that
# the caches of the user's go command keep their owner.
ifneq ($(shell id -u),0)
SUDO    := sudo -n
AS_ROOT := -exec "sudo -n -E -H env PATH=$(PATH) LOOPX_CACHE=$(CACHE) GOMODCACHE=$(shell go env GOMODCACHE)"
endif

PKGS     ?= ./...
FUZZTIME ?= 60s
BENCH    ?= .

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo '  Variables: PKGS=./... FUZZTIME=60s BENCH=. IMAGE=registry/name:tag OCI=dir TAR=file'
	@echo "             IMAGEFLAGS='-platforms linux/amd64 -targets linux/amd64' (go run ./internal/cmd/mkimage -help)"
	@echo '             VERSION=v1.2.3 DISTFLAGS=… (go run ./internal/cmd/dist -help)'

setup: ## install system packages, build the pinned tools once (LOOPX_CACHE=dir to keep them elsewhere)
	@go run ./internal/cmd/setup >/dev/null
	@go list -deps -test $(PKGS) >/dev/null

demo: setup ## see clear-text fetches move to TLS, with a real BuildKit on loopback
	@$(SCRUBBED) go run $(AS_ROOT) ./internal/cmd/demo

test: setup ## run all tests
	@echo 'go test $(TESTFLAGS) $(PKGS)'
	@$(SCRUBBED) go test $(AS_ROOT) -timeout 30m $(TESTFLAGS) $(PKGS)

lint: ## vet, gofumpt, staticcheck, deadcode, go mod tidy, go fix, shell syntax
	@scripts/lint

bench: setup ## run the benchmarks
	@$(SCRUBBED) go test $(AS_ROOT) -timeout 60m -run '^$$' -bench '$(BENCH)' $(TESTFLAGS) $(PKGS)

fuzz: setup ## run every fuzz target for FUZZTIME
	@FUZZTIME=$(FUZZTIME) scripts/fuzz $(PKGS)

image: ## build the frontend image without docker: IMAGE=registry/name:tag, OCI=dir or TAR=file
	@go run ./internal/cmd/mkimage $(if $(IMAGE),-push $(IMAGE)) $(if $(OCI),-oci $(OCI)) $(if $(TAR),-tar $(TAR)) $(IMAGEFLAGS)

dist: ## make the files of a release in dist/: VERSION=v1.2.3, IMAGE=registry/name that it will be pulled from
	@go run ./internal/cmd/dist $(if $(VERSION),-version '$(VERSION)') $(if $(IMAGE),-image '$(IMAGE)') $(DISTFLAGS)

parity: setup ## run BuildKit's own Dockerfile tests against the image (scripts/parity)
	@if [ -x scripts/parity ]; then scripts/parity; else echo 'make parity: there is no scripts/parity yet' >&2; exit 1; fi

clean: ## remove what setup and the tests keep in the cache
	$(SUDO) rm -rf "$(CACHE)"
