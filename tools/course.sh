#!/bin/sh
# The course: builds and runs the programs of docs/course and the solutions of its exercises.
#   sh tools/course.sh 'CC -Isrc ...' LIBRARY DIRECTORY            shows what they print; they go to DIRECTORY
#   sh tools/course.sh 'CC -Isrc ...' LIBRARY DIRECTORY --write    puts programs and outputs into the pages, and the
#                                                                  figures into docs/course/figures
set -e
cc=$1 lib=$2 dir=$3 write=$4
mkdir -p "$dir/solutions"

for c in docs/course/[0-9]*.c docs/course/solutions/*.c; do
    name=${c#docs/course/} name=${name%.c}
    $cc -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -o "$dir/$name" "$c" "$lib" -lm
    "$dir/$name" > "$dir/$name.txt"
    [ "$write" ] || { echo "--- $c"; cat "$dir/$name.txt"; }
done
[ "$write" ] || exit 0

$cc -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -o "$dir/figures" docs/course/figures.c "$lib" -lm
"$dir/figures" docs/course/figures

# The first ```c of a page is the program, the first ```text what it prints, the second what the solution prints.
for page in docs/course/[0-9]*.md; do
    name=$(basename "$page" .md)
    awk -v program="docs/course/$name.c" -v printed="$dir/$name.txt" -v solution="$dir/solutions/$name.txt" '
        function show(file,  line) { while ((getline line < file) > 0) print line; skip = 1 }
        skip && /^```/ { skip = 0 }
        skip { next }
        { print }
        /^```c$/ { show(program) }
        /^```text$/ { show(++n == 1 ? printed : solution) }' "$page" > "$dir/page.md"
    cmp -s "$dir/page.md" "$page" || cp "$dir/page.md" "$page"
done
