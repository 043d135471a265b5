#!/bin/sh
# The functions that a public header declares, one name a line: count_functions.sh HEADER
# Counted are prototypes and static inline functions, of HEADER and of the headers below src/ that it names itself (as
# `make dist` puts exactly those in place); not those that these include in turn, nor function types and macros.
# A declaration begins in column 1 at file scope, as everywhere here.
dir=$(dirname "$1")
for file in "$1" $(sed -n 's|^#include "\(.*\)"|'"$dir"'/\1|p' "$1"); do
    sed -e 's|/\*[^*]*\*/||g' "$file" | awk '
        !comment && /^[a-z][a-z0-9_ ]*[ *]slip_[a-z0-9_]+\(/ && !/^typedef/ { match($0, /slip_[a-z0-9_]+\(/)
                                                                               print substr($0, RSTART, RLENGTH - 1) }
        /\/\*/ { comment = 1 }
        /\*\// { comment = 0 }'
done | sort -u
