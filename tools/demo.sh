#!/bin/sh
# What `make run` shows: a quadruped that trots over rough ground with frozen puddles, one scene under several solvers,
# and pages to look at. Argument: the command.
set -e
mkdir -p build
"$1" sim models/quad_ice.xml --trot 0.4 --html build/quadruped.html
echo
"$1" compare models/slide_aslant.xml --quiet --html build/compare.html
echo
echo "Open in a browser: build/quadruped.html (the walk) and build/compare.html (a sliding cube, solver by solver)"
if [ -f build/lab.html ]; then echo "The laboratory, every solver live: build/lab.html"
else echo "The laboratory, every solver live in the browser: make lab, then open build/lab.html"; fi
