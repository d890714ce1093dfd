# make site   builds the command and the demo site
# make test   runs every test, and looks at some pages of hostile texts
# make check-pages   judges finished pages in a browser and other tools, and a site of hostile texts
# Both install what is missing with apt, and nothing else is needed first but the Swift toolchain.

SWIFT ?= swift
CONFIGURATION ?= release
PREFIX ?= /usr/local
PROGRAM := .build/$(CONFIGURATION)/build-site

# Debian packages: to build, to run the tests, to look at pages in a browser.
BUILD_PACKAGES := pkg-config libsqlite3-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libgumbo-dev libyaml-dev libsodium-dev libxxhash-dev libdeflate-dev zlib1g-dev libbrotli-dev libvips-dev libexpat1-dev libcsv-dev libcivetweb-dev
TEST_PACKAGES := $(BUILD_PACKAGES) gcc libc6-dev python3 xz-utils python3-venv chromium fonts-noto-core fonts-noto-cjk rsync rclone git openssh-client openssh-server python3-pyftpdlib brotli nodejs
BENCH_PACKAGES := $(BUILD_PACKAGES) gcc libc6-dev python3 python3-venv nodejs
BROWSER_PACKAGES := chromium chromium-driver default-jre-headless python3-venv fonts-noto-core fonts-noto-cjk

.PHONY: site build install test check check-pages bench bench-search format clean install-build install-test install-bench install-browser

site: build
	$(PROGRAM) --site .
	@echo "open it with:  xdg-open public/index.html   (or any browser: file://$(CURDIR)/public/index.html)"

build: install-build
	$(SWIFT) build -c $(CONFIGURATION) --static-swift-stdlib --product build-site
	$(SWIFT) build -c $(CONFIGURATION) --static-swift-stdlib --product picture-worker

test: install-test
	Tests/run

check-pages: install-build install-browser
	$(SWIFT) build --product build-site
	$(SWIFT) build --product picture-worker
	Tests/Pages/check
	Tests/Hostile/check

# Installs the command with its manual page and completions.
install: build
	install -D $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/build-site
	mkdir -p $(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	$(PROGRAM) man > $(DESTDIR)$(PREFIX)/share/man/man1/build-site.1
	$(PROGRAM) completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/build-site
	$(PROGRAM) completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_build-site
	$(PROGRAM) completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/build-site.fish

check: install-build
	$(SWIFT) format lint --strict --recursive Sources Tests Plugins Package.swift
	$(SWIFT) build --explicit-target-dependency-import-check error

bench: install-bench build
	Benchmarks/run --program $(PROGRAM)

bench-search: install-bench build
	Benchmarks/search --program $(PROGRAM)

format:
	$(SWIFT) format --in-place --recursive Sources Tests Plugins Package.swift

clean:
	rm -rf .build public .build-site/public

install-build:
	@Tests/install $(BUILD_PACKAGES)

install-bench:
	@Tests/install $(BENCH_PACKAGES)

install-test:
	@Tests/install $(TEST_PACKAGES)

install-browser:
	@Tests/install $(BROWSER_PACKAGES)
