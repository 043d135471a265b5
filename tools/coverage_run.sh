#!/bin/sh
# Runs a test program with gcov's counts in a folder of its own: tools/coverage_run.sh BUILD FOLDER PROGRAM [ARGUMENTS...]
# Counts of the program go to FOLDER/NAME/src/... instead of beside the objects in BUILD, and so do those of the commands that
# it starts in the same way. tests/run.sh and tests/command.c call it by SLIP_TEST_RUN. `make coverage` adds the folders
# up; `make mutate` asks each of them.
if [ -z "$GCOV_PREFIX" ]; then
    GCOV_PREFIX=$PWD/$2/$(basename "$3")
    GCOV_PREFIX_STRIP=$(printf %s "$PWD/$1" | tr -cd / | wc -c)
    export GCOV_PREFIX GCOV_PREFIX_STRIP
fi
shift 2
exec "$@"
