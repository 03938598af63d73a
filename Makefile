# A thin front for CMake: see CMakePresets.json for the other builds.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# More arguments for configuring, e.g. CMAKE_ARGS=-DBERTH_DEV=OFF
CMAKE_ARGS ?=

# Where it is there, Ninja makes a build folder that is new: it spends less on looking at what there is to do. It is
# not exported: the tests run cmake too, with the generator that a user has.
ifneq ($(shell command -v ninja 2>/dev/null),)
CMAKE_GENERATOR ?= Ninja
endif
configure = $(if $(CMAKE_GENERATOR),env "CMAKE_GENERATOR=$(CMAKE_GENERATOR)") cmake

VERSION := $(shell sed -n 's/^project.berth VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# Configuring each time costs little, and notices a test script that has become executable.
# The inner build has its own jobs and flags: this make is not to pass on its own.
make-it = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build build -j $(JOBS)
# The product, for its users: a warning of their compiler stops nobody.
build = $(configure) -S . -B build $(CMAKE_ARGS) >/dev/null && $(make-it)
# The tests too, for its makers: BERTH_DEV=ON, which stays on in this folder.
build-all = $(configure) --preset release $(CMAKE_ARGS) >/dev/null && $(make-it) --target all tests

.PHONY: all demo check check-quick check-long gpu-check bench simulate torture torture-etcd fuzz install uninstall dist \
	deb format \
	clean

all:
	@$(build)

demo:
	@tools/setup --build
	@$(build)
	@tools/demo

check:
	@tools/setup
	@$(build-all)
	@tools/run-tests

# At least one test of every kind, in a minute or so once everything has been built.
check-quick:
	@tools/setup
	@$(build-all)
	@tests=$$(tools/quick-tests) && tools/run-tests -R "$$tests"

# On a machine with an NVIDIA GPU: it finds what the CPU finds, of every protocol and variant.
gpu-check: CMAKE_ARGS += -DBERTH_GPU_OPTIMIZE=-O2
gpu-check:
	@tools/setup
	@$(build-all)
	tests/gpu/check --jobs $(JOBS)

bench:
	@tools/setup
	@$(build)
	@tools/setup --bench || echo "bench: going on without it"
	@for script in bench/*/run; do \
		if [ -f "$$script" ] && [ -x "$$script" ]; then \
			echo "== $$script" && "$$script" || exit 1; \
		fi; \
	done

# The long forms of the tests labelled torture and fuzz. FUZZ_SECONDS=3600 make fuzz
KILLS ?= 100000
JOBSERVER_KILLS ?= 1000
FUZZ_SECONDS ?= 600

torture:
	@tools/setup
	@$(build-all)
	build/tests/torture/berth-torture --kills $(KILLS)
	build/tests/torture/berth-torture-points --kills $(KILLS)
	build/tests/torture/berth-torture-several --kills $(KILLS)
	build/tests/torture/berth-killpoints --passages 20 --table
	tools/newer-clients build/newer-clients || [ $$? -eq 77 ]
	tests/torture/jobserver --kills $(JOBSERVER_KILLS) --berth build/berth \
		--work build/tests/jobserver-work --newer build/newer-clients

# A hundred times as many random runs as in `make check`, of each script.
TIMES ?= 100

simulate:
	@$(build-all)
	build/tests/sim/berth-sim --times $(TIMES)
	build/tests/sim/berth-sim --systematic 2

# Ten minutes of faults against three etcd servers, two of them with handles that are shared by threads, and the three
# clients that are wrong on purpose: each of them has to be found within a minute.
CAMPAIGN = LOAD=build/tests/etcd/berth-etcd-load tests/etcd/campaign

check-long: check
	@LONG=1 tools/run-tests -R '^(gpu|cli/(add-protocol|page|prove|results|space|theorems))$$'
	@BERTH_SIM_TIMES=6 tools/run-tests -R '^sim/random$$'
	@BERTH_TEST_EFFORT=300 tools/run-tests -L unit
	@cmake -DSOURCE=$(CURDIR) -DBUILD=$(CURDIR)/build -DLONG=1 -P cmake/check-tidy.cmake
	@cmake -DSOURCE=$(CURDIR) -DBUILD=$(CURDIR)/build -DLONG=1 -P cmake/check-sanitize.cmake
	@if command -v z3 >/dev/null && command -v g++ >/dev/null; then \
		echo "== mutants of the pool"; tests/prove/mutate build/berth . --only pool; \
	else \
		echo "skipped: mutants of the pool, which need z3 and g++"; \
	fi
	@$(CAMPAIGN) --seconds 480
	@$(CAMPAIGN) --seconds 120 --shared
	@for wrong in lease barge blind; do \
		echo "== a client that is wrong: $$wrong"; \
		$(CAMPAIGN) --seconds 60 --wrong $$wrong --faults kill-host,stop-clients; \
		[ $$? -eq 1 ] || { echo "check-long: it was not found" >&2; exit 1; }; \
	done
	@$(MAKE) deb
	@for script in tests/packages/long/*; do \
		echo "== $$script"; $$script; status=$$?; [ $$status -eq 0 ] || [ $$status -eq 77 ] || exit 1; \
	done

# An hour of that, and ten times each fault, and many more kills.
ROUNDS ?= 10
CAMPAIGN_SECONDS ?= 3600

torture-etcd:
	@tools/setup
	@$(build-all)
	@$(CAMPAIGN) --seconds $(CAMPAIGN_SECONDS)
	@$(CAMPAIGN) --seconds 600 --shared
	@for script in kill-matrix loan-kills lease dead-lease grace failed nothing-left restored longest-lease endpoints refused \
		herd threads cluster paused-leader partition clocks; do \
		echo "== $$script" && BERTH=$(CURDIR)/build/berth SRC=$(CURDIR) \
			LOAD=$(CURDIR)/build/tests/etcd/berth-etcd-load \
			HANDLE_PROGRAM=$(CURDIR)/build/tests/etcd/berth-etcd-handle LONG=1 \
			TORTURE_LOANS=$(CURDIR)/build/tests/torture/berth-torture-loans SECONDS_OF_TORTURE=300 \
			SHIM=$(CURDIR)/build/tests/etcd/libberth-etcd-shim.so \
			ROUNDS=$(ROUNDS) KILLS=1000 ACQUIRES=2000 tests/etcd/$$script.sh || exit 1; \
	done

fuzz:
	@tools/setup
	@$(build-all)
	@[ -x build/tests/fuzz/berth-fuzz ] || { echo "fuzz: clang with libFuzzer is missing" >&2; exit 1; }
	BERTH=$(CURDIR)/build/berth tests/fuzz/inputs --seconds $(FUZZ_SECONDS) --seed $$$$ --found build/tests/fuzz/found-inputs
	$(shell setarch -R true 2>/dev/null && echo setarch -R) build/tests/fuzz/berth-fuzz \
		-max_total_time=$(FUZZ_SECONDS) -timeout=5 -len_control=0 -max_len=4096 \
		-artifact_prefix=build/tests/fuzz/found/ build/tests/fuzz/corpus tests/fuzz/corpus
	[ ! -x build/tests/fuzz/berth-fuzz-etcd ] || \
		$(shell setarch -R true 2>/dev/null && echo setarch -R) build/tests/fuzz/berth-fuzz-etcd \
		-max_total_time=$(FUZZ_SECONDS) -timeout=5 -len_control=0 -max_len=4096 \
		-artifact_prefix=build/tests/fuzz/found/ build/tests/fuzz/corpus-etcd tests/fuzz/corpus-etcd

install: all
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

# What the last `make install` from here has put there, and folders that are empty then. Pools and
# declarations stay.
uninstall:
	@tools/uninstall "$(DESTDIR)" build/install_manifest.txt

# The same commit gives the same bytes.
dist:
	@mkdir -p build
	@tools/dist build/berth-$(VERSION).tar.gz

# Debian packages, in build/deb.
deb:
	@tools/setup --deb
	@JOBS=$(JOBS) tools/deb

format:
	@cmake -DSOURCE="$(CURDIR)" -DFIX=ON -P cmake/check-format.cmake

clean:
	rm -rf build build-debug build-asan build-tsan
