# Slipstick: one Makefile, GNU make and a C compiler; nothing to configure.
#
#   CC=clang            another compiler              REAL=float     single precision
#   CFLAGS='-O1 -g'     other optimisation flags      NATIVE=1       this machine's instructions, fused multiply-add
#   SAN=address,undefined   sanitizers                UNITY=DIR      tests against upstream Unity's src/
#   PREFIX=/usr/local DESTDIR=                        where `make install` puts things
#
# Objects of different settings live side by side in build/.

ifeq ($(origin CC),default)
CC := cc
endif
REAL   ?= double
CFLAGS ?= -O3
PREFIX ?= /usr/local
AR     ?= ar

VERSION := $(shell sed -n 's/^\#define SLIP_VERSION "\(.*\)"/\1/p' src/slipstick.h)

# What the sources need: C99, headers under src/, and floating point that is the same everywhere (no
# contraction) but may be reordered by nobody. errno and traps of libm are not used.
WARN  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wvla -Wstrict-prototypes -Werror
FP    := -fno-math-errno -fno-trapping-math -ffp-contract=off
TAG   := $(notdir $(firstword $(CC)))-$(REAL)

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
TAG   := $(TAG)-$(subst $(comma),-,$(SAN))
endif

BUILD    := build/$(TAG)
ALL_C    := -std=c99 $(WARN) $(FP) $(DEFS) -Isrc $(CFLAGS)

LIB_SRC  := $(wildcard src/*/*.c)
TOOL_SRC := $(wildcard tools/*.c)
TEST_SRC := $(wildcard tests/test_*.c)
AID_SRC  := $(filter-out $(TEST_SRC),$(wildcard tests/*.c))

LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(BUILD)/%.o)
AID_OBJ  := $(AID_SRC:%.c=$(BUILD)/%.o)
LIB      := $(BUILD)/libslipstick.a
BIN      := $(BUILD)/slipstick

# Tests: our own Unity, or upstream's with UNITY=DIR. Both get the same sources.
ifeq ($(UNITY),)
UNITY_INC := -Itests/unity
UNITY_SRC := tests/unity/unity.c
UNITY_C    = $(TEST_C)
TESTS_DIR := $(BUILD)/tests
else
UNITY_INC := -isystem $(UNITY)
UNITY_SRC := $(UNITY)/unity.c
UNITY_C   := -std=c99 -I$(UNITY) -DUNITY_INCLUDE_DOUBLE -DUNITY_INCLUDE_FLOAT -O1
TESTS_DIR := $(BUILD)/tests-unity
endif
UNITY_OBJ := $(TESTS_DIR)/unity.o
TEST_BIN  := $(TEST_SRC:tests/%.c=$(TESTS_DIR)/%)
TEST_C    := $(ALL_C) $(UNITY_INC) -Itests -DUNITY_INCLUDE_DOUBLE -DUNITY_INCLUDE_FLOAT -DSLIP_TEST_BIN='"$(BIN)"'
ifeq ($(REAL),float)
TEST_C    += -Wno-double-promotion -Wno-float-conversion -Wno-conversion
endif

.PHONY: all lib run test test-browser bench page dist install clean help flags
.DELETE_ON_ERROR:
.SECONDARY:                       # keep the tests' objects

all: $(LIB) $(BIN) slipstick      ## the library and the command (default)

lib: $(LIB)                       ## the library alone

slipstick: $(BIN)
	@ln -sf $(BIN) slipstick

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $(LIB_OBJ)

$(BIN): $(TOOL_OBJ) $(LIB)
	$(CC) $(ALL_C) $(LDFLAGS) -o $@ $(TOOL_OBJ) $(LIB) -lm

# Rebuild everything when the flags change; .d files carry the header dependencies.
$(BUILD)/flags: flags
	@mkdir -p $(BUILD)
	@echo '$(subst ','"'"',$(CC) $(ALL_C))' | cmp -s - $@ || echo '$(subst ','"'"',$(CC) $(ALL_C))' > $@

$(TESTS_DIR)/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(dir $@)
	$(CC) $(TEST_C) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(dir $@)
	$(CC) $(ALL_C) -MMD -MP -c -o $@ $<

$(UNITY_OBJ): $(UNITY_SRC) $(BUILD)/flags
	@mkdir -p $(dir $@)
	$(CC) $(UNITY_C) -MMD -MP -c -o $@ $<

$(TESTS_DIR)/test_%: $(TESTS_DIR)/test_%.o $(AID_SRC:tests/%.c=$(TESTS_DIR)/%.o) $(UNITY_OBJ) $(LIB)
	$(CC) $(ALL_C) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) -lm

run: all                          ## the main job: something worth looking at
	@sh tools/demo.sh ./slipstick

test: all $(TEST_BIN)             ## build and run all tests; ends with `N passed, 0 failed`
	@sh tests/run.sh $(TEST_BIN)

bench: all                        ## timings of every layer (use NATIVE=1 for the figures in docs/)
	./slipstick bench

# The replay's page: its sources are files of their own; the library carries them as C strings, which are kept in
# the tree so that a build needs a compiler alone. A test tells when they are out of date.
PAGE := $(wildcard src/io/replay_page/*)

page: $(PAGE)                     ## src/io/replay_page.c from src/io/replay_page/, after a change there
	@mkdir -p $(BUILD)
	$(CC) -std=c99 -Wall -Wextra -O1 -o $(BUILD)/embed src/io/replay_page/embed.c
	$(BUILD)/embed src/io/replay_page > $(BUILD)/replay_page.c
	@cmp -s $(BUILD)/replay_page.c src/io/replay_page.c || cp $(BUILD)/replay_page.c src/io/replay_page.c

test-browser: all                 ## replays in a real, headless Chromium (needs chromium and python3)
	@python3 tests/browser/run.py ./slipstick $(BUILD)/browser

dist: all                         ## slipstick.c + slipstick.h, the whole library as two files, in build/dist
	@sh tools/amalgamate.sh build/dist

install: all                      ## to $(DESTDIR)$(PREFIX): command, library, header, pkg-config file
	@sh tools/amalgamate.sh build/dist
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/slipstick
	install -m 644 $(LIB) $(DESTDIR)$(PREFIX)/lib/libslipstick.a
	install -m 644 build/dist/slipstick.h $(DESTDIR)$(PREFIX)/include/slipstick.h
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: slipstick' \
	    'Description: Rigid-body dynamics and frictional contact for robots' 'Version: $(VERSION)' \
	    'Cflags: -I$${prefix}/include $(DEFS)' 'Libs: -L$${prefix}/lib -lslipstick -lm' \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/slipstick.pc

clean:                            ## remove build/ and the link to the command
	rm -rf build slipstick

help:                             ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(TEST_BIN:=.d) $(AID_SRC:tests/%.c=$(TESTS_DIR)/%.d) $(UNITY_OBJ:.o=.d)
