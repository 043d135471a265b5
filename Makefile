# Slipstick: one Makefile, GNU make and a C compiler; nothing to configure.
#
#   CC=clang            another compiler              REAL=float     single precision
#   CFLAGS='-O1 -g'     other optimisation flags      NATIVE=1       this machine's instructions, fused multiply-add
#   SAN=address,undefined   sanitizers                UNITY=DIR      tests against upstream Unity's src/
#   COVER=1             counts what runs, for gcov
#   SHARE=1             tests and command with the library as one shared object, which `make mutate` exchanges
#   MERGED=1            the library from its two-file form, as `make dist` writes it
#   ONLY='ncp_gs arena' `make test` builds and runs tests/test_ncp_gs.c and tests/test_arena.c alone
#   V=1                 whole commands instead of a line a file
#   PREFIX=/usr/local DESTDIR=                        where `make install` puts things
#
# Objects of different CC, REAL, NATIVE, SAN, COVER, SHARE and MERGED live side by side in build/; other CFLAGS replace them.

ifeq ($(origin CC),default)
CC := cc
endif
ifeq ($(origin AR),default)
AR := ar
endif
HOSTCC ?= $(CC)
REAL   ?= double
CFLAGS ?= -O3
PREFIX ?= /usr/local

VERSION := $(shell sed -n 's/^\#define SLIP_VERSION "\(.*\)"/\1/p' src/slipstick.h)

# What the sources need: C99, headers under src/, and floating point that is the same everywhere (no
# contraction) but may be reordered by nobody. errno and traps of libm are not used.
WARN  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wvla -Wstrict-prototypes -Werror
FP    := -fno-math-errno -fno-trapping-math -ffp-contract=off
DEPS  := -MMD -MP
TAG   := $(notdir $(firstword $(CC)))$(patsubst --target=%,-%,$(filter --target=%,$(CC)))-$(REAL)

ifneq ($(filter-out float double,$(REAL)),)
$(error REAL is float or double, not '$(REAL)')
endif
LIBS  := -lm
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
ifneq ($(filter s390%,$(MACHINE)),)
FP    += -fexcess-precision=fast                               # else gcc makes doubles of floats there, as C99 lets it
endif
ifneq ($(findstring mingw,$(CC)),)
LIBS  += -lpthread                                             # clock_gettime
EXE   := .exe
endif
ifneq ($(filter tcc%,$(notdir $(firstword $(CC)))),)
DEPS  := -MD                                                   # all that tcc 0.9.27 knows
endif
ifeq ($(NATIVE),1)
FP    := -fno-math-errno -fno-trapping-math -ffp-contract=fast -march=native
TAG   := $(TAG)-native
endif
ifeq ($(REAL),float)
DEFS  := -DSLIP_REAL_FLOAT
endif
ifneq ($(SAN),)
comma := ,
FP    += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer -g
WARN  := $(filter-out -Werror,$(WARN))     # instrumented code draws warnings that the plain code does not
TAG   := $(TAG)-$(subst $(comma),-,$(SAN))
endif
ifneq ($(filter fuzzer-no-link,$(subst $(comma), ,$(SAN))),)
NUMERICS := -fno-sanitize-coverage=trace-cmp   # half of the time there; what is compared with words is in base, io and tools
endif
ifeq ($(COVER),1)
FP    += --coverage
TAG   := $(TAG)-cover
endif
ifeq ($(SHARE),1)
FP    += -fPIC
TAG   := $(TAG)-share
endif
ifeq ($(MERGED),1)
TAG   := $(TAG)-merged
endif

# One short line a command; V=1 shows the command itself.
ifneq ($(V),1)
Q   := @
ifeq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
say  = @printf '%-5s %s\n' $(1)
endif
endif

BUILD    := build/$(TAG)
DIST     := build/dist
ALL_C    := -std=c99 $(WARN) $(FP) $(DEFS) -Isrc $(CFLAGS)

# Modules from the bottom up: each may use those before it.
MODULES  := base rbd geom contact solvers sim io
LIB_SRC  := $(foreach m,$(MODULES),$(sort $(wildcard src/$m/*.c)))
LIB_HDR  := src/slipstick.h src/slipstick_parts.h $(wildcard src/*/*.h)
TOOL_SRC := $(filter-out tools/amalgamate.c tools/embed.c tools/bench_fast.c,$(wildcard tools/*.c))
TEST_ALL := $(wildcard tests/test_*.c)
TEST_SRC := $(if $(strip $(ONLY)),$(patsubst %,tests/test_%.c,$(patsubst test_%,%,$(ONLY))),$(TEST_ALL))
AID_SRC  := $(filter-out $(TEST_ALL),$(wildcard tests/*.c))
NO_TEST  := $(filter-out $(TEST_ALL),$(TEST_SRC))
ifneq ($(NO_TEST),)
$(error ONLY=$(ONLY): there is no $(NO_TEST))
endif

LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
ifeq ($(MERGED),1)
LIB_OBJ  := $(BUILD)/slipstick.o
endif
TOOL_OBJ := $(TOOL_SRC:%.c=$(BUILD)/%.o)
LIB      := $(BUILD)/libslipstick.a
ifeq ($(SHARE),1)
LIB      := $(BUILD)/libslipstick_tests.so
endif
BIN      := $(BUILD)/slipstick$(EXE)

# Tests: our own Unity, or upstream's with UNITY=DIR. Both get the same sources.
ifeq ($(UNITY),)
UNITY_INC := -Itests/unity
UNITY_SRC := tests/unity/unity.c
UNITY_C    = $(TEST_C)
TESTS_DIR := $(BUILD)/tests
else
UNITY_INC := -isystem '$(UNITY)'
UNITY_SRC := $(UNITY)/unity.c
UNITY_C   := -std=c99 -I'$(UNITY)' -DUNITY_INCLUDE_DOUBLE -DUNITY_INCLUDE_FLOAT -O1
TESTS_DIR := $(BUILD)/tests-unity
endif
UNITY_OBJ := $(TESTS_DIR)/unity.o
AID_OBJ   := $(AID_SRC:tests/%.c=$(TESTS_DIR)/%.o)
TEST_BIN  := $(TEST_SRC:tests/%.c=$(TESTS_DIR)/%)
TEST_C    := $(ALL_C) $(UNITY_INC) -Itests -DUNITY_INCLUDE_DOUBLE -DUNITY_INCLUDE_FLOAT \
             -DSLIP_TEST_BIN='"$(BIN)"' -DSLIP_TEST_LIB='"$(LIB)"' -DSLIP_TEST_CC='"$(CC) $(FP) $(DEFS) -Isrc"'
ifeq ($(REAL),float)
TEST_C    += -Wno-double-promotion -Wno-float-conversion -Wno-conversion
endif

.PHONY: all lib shared slipstick run test test-build test-python test-cpp test-cross test-browser fuzz race soak coverage lint \
    mutate mutate-solvers lab bits bench bench-compare bench-results bench-check bench-threads papers page dist firmware size \
    install clean help flags
.DELETE_ON_ERROR:
.SECONDARY:                       # keep the tests' objects

all: $(LIB) $(BIN) slipstick      ## the library and the command (default)

lib: $(LIB)                       ## the library alone

# Phony: after REAL=float the link is no older than the program in double, and must change all the same.
slipstick: $(BIN)
	@ln -sf $(BIN) slipstick

$(LIB): $(LIB_OBJ)
	@rm -f $@
ifeq ($(SHARE),1)
	$(call say,LINK $@)
	$(Q)$(CC) -shared -Wl,-soname,$(notdir $@) -o $@ $(LIB_OBJ) $(LIBS)
else
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $(LIB_OBJ)
endif

$(BIN): $(TOOL_OBJ) $(LIB)
	$(call say,LINK $@)
	$(Q)$(CC) $(ALL_C) $(LDFLAGS) -o $@ $(TOOL_OBJ) $(LIB) $(LIBS)

# Rebuild everything when the flags change; .d files carry the header dependencies.
FLAGS_NOW := $(CC) $(TEST_C) $(UNITY)
$(BUILD)/flags: flags
	@mkdir -p $(BUILD)
	@echo '$(subst ','"'"',$(FLAGS_NOW))' | cmp -s - $@ || echo '$(subst ','"'"',$(FLAGS_NOW))' > $@

$(TESTS_DIR)/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(dir $@)
	$(call say,CC $@)
	$(Q)$(CC) $(TEST_C) $(DEPS) -c -o $@ $<

$(foreach m,rbd geom contact solvers sim,$(BUILD)/src/$m/%.o): MORE_C := $(NUMERICS)

$(BUILD)/slipstick.o: $(DIST)/slipstick.c $(BUILD)/flags
	@mkdir -p $(dir $@)
	$(call say,CC $@)
	$(Q)$(CC) $(filter-out -Isrc,$(ALL_C)) -DSLIP_PRIVATE= -c -o $@ $<

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(dir $@)
	$(call say,CC $@)
	$(Q)$(CC) $(ALL_C) $(MORE_C) $(DEPS) -c -o $@ $<

# The blanks of a path in UNITY are escaped for make and quoted for the shell.
empty :=
$(UNITY_OBJ): $(subst $(empty) $(empty),\ ,$(UNITY_SRC)) $(BUILD)/flags
	@mkdir -p $(dir $@)
	$(call say,CC $@)
	$(Q)$(CC) $(UNITY_C) $(DEPS) -c -o $@ '$(UNITY_SRC)'

$(TESTS_DIR)/test_%: $(TESTS_DIR)/test_%.o $(AID_OBJ) $(UNITY_OBJ) $(LIB)
	$(call say,LINK $@)
	$(Q)$(CC) $(ALL_C) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS)

# Targets for fuzzing: their seeds are a test; with clang's libFuzzer they run for TIME seconds each.
FUZZ_SRC := $(filter-out tests/fuzz/entry.c,$(wildcard tests/fuzz/*.c))
FUZZ_OBJ := $(FUZZ_SRC:tests/%.c=$(TESTS_DIR)/%.o) $(filter-out $(BUILD)/tools/slipstick.o,$(TOOL_OBJ))
ifneq ($(wildcard src/io/mjcf.h),)
TEST_C   += -DSLIP_FUZZ_MJCF
endif
$(TESTS_DIR)/test_fuzz: $(FUZZ_OBJ)
$(TESTS_DIR)/fuzz/run: $(TESTS_DIR)/fuzz/entry.o $(FUZZ_OBJ) $(LIB)
	$(call say,LINK $@)
	$(Q)$(CC) $(ALL_C) -fsanitize=fuzzer $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS)

# Parts of the command that are tested by themselves: pairs of shapes as text; the trot, which others may build on;
# recorded tosses; inverse dynamics of plans.
$(TESTS_DIR)/test_distance: $(BUILD)/tools/pairs.o
$(TESTS_DIR)/test_trot: $(addprefix $(BUILD)/tools/,trot.o trot_plan.o mpc.o sim_run.o solver_args.o output.o cli.o)
$(TESTS_DIR)/test_real: $(addprefix $(BUILD)/tools/,real.o real_sim.o real_fit.o real_example.o sim_run.o solver_args.o \
    output.o cli.o)
$(TESTS_DIR)/test_plan: $(addprefix $(BUILD)/tools/,plan_knot.o sim_run.o solver_args.o output.o cli.o)
$(TESTS_DIR)/test_solve_probe: $(addprefix $(BUILD)/tools/,solve_probe.o cli.o)

run: all                          ## the main job: something worth looking at
	@sh tools/demo.sh ./slipstick

test-build: all $(TEST_BIN)       ## build all tests

test: test-build                  ## build and run all tests; ends with `N passed, 0 failed`
	@sh tests/run.sh $(TEST_BIN)

test-cross:                       ## hashes and tests on other machines and compilers, emulated; says what it skipped
	@MAKE='$(MAKE)' sh tests/cross.sh

papers: all                       ## the papers' experiments again: data, plots, verdicts, one report in papers/
	./slipstick papers --expect docs/papers_verdicts_full.txt

bits:                             ## tests/bits.txt again, after a change that is meant to change results
	@for real in float double; do \
	    $(MAKE) -s REAL=$$real slipstick && sh tests/bits.sh --write ./slipstick || exit 1; done

bench: all                        ## timings of every layer (use NATIVE=1 for the figures in docs/)
	./slipstick bench

# Peers from Debian packages on the same scenes and problems; instructions and times as JSON, and two of these compared.
bench-compare:                    ## beside MuJoCo, Bullet, ODE, FCL, libccd, Siconos (COMPARE='--quick --rounds 3', --large)
	@python3 tools/bench/compare.py $(COMPARE)

bench-results: all                ## bench/results.json again (needs valgrind, which may not know this machine's newest instructions: no NATIVE=1)
	@python3 tools/bench/results.py measure $(BIN)

bench-threads: lib                ## two threads with worlds of their own against one (SCENE=..., use NATIVE=1)
	@$(CC) $(ALL_C) -pthread -o $(BUILD)/threads tools/bench/threads.c $(LIB) $(LIBS)
	@$(BUILD)/threads $(SCENE)

bench-check:                      ## what got slower: OLD=bench/results.json NEW=results.json
	@python3 tools/bench/results.py check '$(OLD)' '$(NEW)'

# The replay's page: its sources are files of their own; the library carries them as C strings, which are kept in
# the tree so that a build needs a compiler alone. A test tells when they are out of date.
PAGE := $(wildcard src/io/replay_page/*)

page: $(PAGE)                     ## src/io/replay_page.c from src/io/replay_page/, after a change there
	@mkdir -p $(BUILD)
	$(Q)$(CC) -std=c99 -Wall -Wextra -O1 -o $(BUILD)/embed tools/embed.c
	$(call say,PAGE src/io/replay_page.c)
	$(Q)$(BUILD)/embed src/io/replay_page > $(BUILD)/replay_page.c
	@cmp -s $(BUILD)/replay_page.c src/io/replay_page.c || cp $(BUILD)/replay_page.c src/io/replay_page.c

# The laboratory: the library as a module of WebAssembly, with a C library of our own beneath it, inside one page.
# No -msimd128: with it clang 14 at -O2 computes other bits (models/bits/pile.xml), and little is gained.
LAB       := build/lab
LAB_CC    ?= clang
LAB_LD    ?= wasm-ld
LAB_FLAGS := --target=wasm32 -std=c99 $(WARN) -nostdlibinc -fno-math-errno -fno-trapping-math -ffp-contract=off \
             -DNDEBUG -O3 -mbulk-memory -mnontrapping-fptoint -msign-ext -fvisibility=hidden \
             -ffunction-sections -fdata-sections -Ilab/libc -Isrc -Itools
# The readers in src/io are small instead: they are not what takes time.
LAB_SMALL := -Os
LAB_SRC   := $(LIB_SRC) lab/lab.c lab/libc/libc.c $(addprefix tools/,trot.c trot_plan.c mpc.c run_log.c)
LAB_OBJ   := $(LAB_SRC:%.c=$(LAB)/%.o)
LAB_PAGE  := $(wildcard lab/page/*) $(PAGE) tests/bits.txt
LAB_MODEL := $(wildcard models/*.xml models/*.urdf models/*.obj models/bits/*.xml)

lab: build/lab.html               ## the laboratory, one self-contained page, as build/lab.html (needs clang and wasm-ld)

$(LAB)/flags: flags
	@mkdir -p $(LAB)
	@echo '$(LAB_CC) $(LAB_FLAGS) $(LAB_SMALL)' | cmp -s - $@ || echo '$(LAB_CC) $(LAB_FLAGS) $(LAB_SMALL)' > $@

$(LAB)/lab/libc/libc.o: LAB_FLAGS += -fno-builtin
$(LAB)/src/io/%.o: LAB_FLAGS += $(LAB_SMALL)
$(LAB)/%.o: %.c $(LAB)/flags
	@mkdir -p $(dir $@)
	$(call say,WASM $@)
	$(Q)$(LAB_CC) $(LAB_FLAGS) -MMD -MP -c -o $@ $<

$(LAB)/lab.wasm: $(LAB_OBJ)
	$(call say,LINK $@)
	$(Q)$(LAB_LD) --no-entry --gc-sections --strip-all -O2 -z stack-size=1048576 -o $@ $(LAB_OBJ)

$(LAB)/pack: lab/pack.c
	@mkdir -p $(LAB)
	$(call say,LINK $@)
	$(Q)$(HOSTCC) -std=c99 -Wall -Wextra -O1 -o $@ $<

build/lab.html: $(LAB)/lab.wasm $(LAB)/pack $(LAB_PAGE) $(LAB_MODEL)
	$(call say,PAGE $@)
	$(Q)$(LAB)/pack lab/page/lab.html $(LAB)/lab.wasm $(VERSION) $(LAB_MODEL) > $@

test-browser: all lab             ## replays, and the laboratory, in a real, headless Chromium (needs chromium and python3)
	@python3 tests/browser/run.py ./slipstick $(BUILD)/browser
	@python3 tests/browser/lab.py ./slipstick build/lab.html $(BUILD)/browser

.PHONY: course course-pages
course: lib                       ## the course's programs and solutions (docs/course), built and run
	@sh tools/course.sh '$(CC) $(FP) $(DEFS) -Isrc' $(LIB) $(BUILD)/course

course-pages: lib                 ## docs/course again, after a change there: programs and outputs in its pages, figures
	@sh tools/course.sh '$(CC) $(FP) $(DEFS) -Isrc' $(LIB) $(BUILD)/course --write

TIME ?= 60
fuzz:                             ## every target of tests/fuzz under ASan and UBSan for TIME=60 s each (clang; FUZZ='urdf log')
	@$(MAKE) -s CC=clang SAN=fuzzer-no-link,address,undefined CFLAGS='-O2 -g' \
	    build/clang-$(REAL)-fuzzer-no-link-address-undefined/tests/fuzz/run
	@sh tests/fuzz/run.sh build/clang-$(REAL)-fuzzer-no-link-address-undefined/tests/fuzz/run $(TIME) $(FUZZ)

coverage:                         ## lines and branches that tests reach, per module (gcc, gcov, python3; ONLY='...' for some tests)
	@rm -rf $(if $(strip $(ONLY)),$(TEST_SRC:tests/%.c=build/coverage/%),build/coverage)
	@$(MAKE) -s CC=gcc COVER=1 CFLAGS=-O0 SLIP_TEST_RUN='sh tools/coverage_run.sh build/gcc-$(REAL)-cover build/coverage' test; \
	    status=$$?; python3 tools/coverage.py build/gcc-$(REAL)-cover build/coverage && exit $$status

ifeq ($(origin LINT),default)                                # make has a LINT of its own
LINT := --tools quick,cppcheck
endif
lint:                             ## clang-tidy and cppcheck against tests/lint.txt (LINT='--tools tidy,gcc', --help)
	@python3 tools/lint.py $(LINT)

race:                             ## eight threads with worlds of their own under ThreadSanitizer (clang)
	@$(MAKE) -s CC=clang SAN=thread CFLAGS='-O1 -g' lib
	@clang $(FP) $(DEFS) -Isrc -O1 -g -fsanitize=thread -pthread -o build/clang-$(REAL)-thread/threads \
	    tools/bench/threads.c build/clang-$(REAL)-thread/libslipstick.a -lm
	@for s in quad_trot stack humanoid_fall hand_cubes conveyor four_bar; do \
	    echo "$$s"; build/clang-$(REAL)-thread/threads models/$$s.xml 8 $(RACE_SECONDS) || exit 1; done
RACE_SECONDS ?= 0.2

STEPS ?= 1000000
soak: all                         ## STEPS=1000000 steps of every scene by every solver: numbers, memory, misses (python3; days; goes on)
	@python3 tools/soak.py $(BIN) $(STEPS) $(SOAK)

# Changes of the sources, one by one, and whether a test fails: tools/mutants.py says which, tools/mutate.py --help the rest.
MUTANTS ?= 1000
mutate:                           ## MUTANTS=1000 random ones of base, rbd, geom, contact, sim (hours; goes on; MUTATE='--help')
	@python3 tools/mutate.py --count $(MUTANTS) $(MUTATE)

mutate-solvers:                   ## constants and gates of the solvers, the step and the operator, all of them (hours; goes on)
	@python3 tools/mutate.py --kinds scale,gate $(MUTATE) \
	    '^src/(solvers|sim)/|^src/contact/(operator|sparse|joint|node_lu)'

# Two files that need nothing else, and slipstick_parts.h: compiled alone, with all warnings, and their symbols checked.
dist: $(DIST)/slipstick.o         ## slipstick.c + slipstick.h, the whole library as two files, in build/dist
	@sh tools/check_dist.sh $(DIST)

$(DIST)/slipstick.c: build/amalgamate LICENSE $(LIB_SRC) $(LIB_HDR)
	@mkdir -p $(DIST)
	$(call say,JOIN $(DIST)/slipstick.c)
	$(Q)build/amalgamate $(DIST) LICENSE src/slipstick.h src/slipstick_parts.h $(LIB_SRC)

$(DIST)/slipstick.h $(DIST)/slipstick_parts.h: $(DIST)/slipstick.c ;

# The shared library: the two-file form, of which all that is not in its headers is static, and bindings/flat.c.
SHARED := $(BUILD)/libslipstick.so.$(VERSION)
SONAME := libslipstick.so.$(firstword $(subst ., ,$(VERSION)))

shared: $(SHARED)                 ## libslipstick.so, with versioned symbols, and slipstick.py beside it

$(SHARED): $(DIST)/slipstick.c bindings/flat.c bindings/flat.h bindings/slipstick.map $(BUILD)/flags
	@mkdir -p $(BUILD)
	$(call say,LINK $@)
	$(Q)$(CC) $(filter-out -Isrc,$(ALL_C)) -I$(DIST) -Ibindings -fPIC -shared $(LDFLAGS) -Wl,-soname,$(SONAME) \
	    -Wl,--version-script=bindings/slipstick.map -o $@ $(DIST)/slipstick.c bindings/flat.c $(LIBS)
	@ln -sf libslipstick.so.$(VERSION) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/libslipstick.so
	@sh tools/check_symbols.sh $@ $(DIST)/slipstick.h $(DIST)/slipstick_parts.h bindings/flat.h

CXX      ?= c++
TEST_CXX := -std=c++17 -Wall -Wextra -Werror -O1 $(DEFS) -Isrc -Ibindings
test-cpp: $(LIB)                  ## tests of slipstick.hpp, with and without exceptions (needs a C++17 compiler)
	$(Q)$(CXX) $(TEST_CXX) -o $(BUILD)/test_cpp bindings/test_slipstick.cpp $(LIB) $(LIBS)
	@$(BUILD)/test_cpp models
	$(Q)$(CXX) $(TEST_CXX) -fno-exceptions -DSLIPSTICK_NO_EXCEPTIONS -o $(BUILD)/test_cpp bindings/test_slipstick.cpp \
	    $(LIB) $(LIBS)
	@$(BUILD)/test_cpp models

test-python: shared               ## tests of slipstick.py and its examples (needs python3; NumPy where there is one)
	@SLIPSTICK_LIBRARY='$(abspath $(SHARED))' python3 bindings/test_slipstick.py

$(DIST)/slipstick.o: $(DIST)/slipstick.c $(BUILD)/flags
	$(call say,CC $@)
	$(Q)$(CC) $(filter-out -Isrc,$(ALL_C)) -c -o $@ $<

build/amalgamate: tools/amalgamate.c
	@mkdir -p build
	$(call say,LINK $@)
	$(Q)$(HOSTCC) -std=c99 -O1 -o $@ $<

# Export and reference come from builds in both precisions.
firmware: $(DIST)/slipstick.c     ## examples/firmware in QEMU, against this machine (arm-none-eabi-gcc, qemu-system-arm)
	@$(MAKE) -s REAL=double build/$(notdir $(firstword $(CC)))-double/slipstick
	@$(MAKE) -s REAL=float build/$(notdir $(firstword $(CC)))-float/slipstick
	@sh tools/firmware.sh $(DIST) build/$(notdir $(firstword $(CC)))-double build/$(notdir $(firstword $(CC)))-float \
	    build/firmware '$(CC)'

size: $(LIB)                      ## code and data of every object; try CFLAGS=-Os
	@size -t $(LIB)

install: all shared               ## to $(DESTDIR)$(PREFIX): command, libraries, headers, slipstick.py, models
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib/pkgconfig' '$(DESTDIR)$(PREFIX)/include' \
	    '$(DESTDIR)$(PREFIX)/lib/slipstick' '$(DESTDIR)$(PREFIX)/share/slipstick/models'
	install -m 755 $(SHARED) '$(DESTDIR)$(PREFIX)/lib'
	ln -sf $(notdir $(SHARED)) '$(DESTDIR)$(PREFIX)/lib/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(PREFIX)/lib/libslipstick.so'
	install -m 644 bindings/slipstick.py '$(DESTDIR)$(PREFIX)/lib/slipstick'
	install -m 644 models/*.urdf models/*.xml models/*.obj '$(DESTDIR)$(PREFIX)/share/slipstick/models'
	install -m 755 $(BIN) '$(DESTDIR)$(PREFIX)/bin/slipstick$(EXE)'
	install -m 644 $(LIB) '$(DESTDIR)$(PREFIX)/lib/libslipstick.a'
	install -m 644 $(DIST)/slipstick.h $(DIST)/slipstick_parts.h bindings/slipstick.hpp '$(DESTDIR)$(PREFIX)/include'
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: slipstick' \
	    'Description: Rigid-body dynamics and frictional contact for robots' 'Version: $(VERSION)' \
	    'Cflags: -I"$${prefix}/include" $(DEFS)' 'Libs: "$${prefix}/lib/libslipstick.a" -lm' \
	    > '$(DESTDIR)$(PREFIX)/lib/pkgconfig/slipstick.pc'

clean:                            ## remove build/ and the link to the command
	rm -rf build slipstick

help:                             ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

-include $(FUZZ_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(LAB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(TEST_BIN:=.d) $(AID_OBJ:.o=.d) $(UNITY_OBJ:.o=.d)
