#!/bin/sh
# What `make run` shows: a quadruped that walks, one scene under several solvers, and pages to look at. Argument: the
# command.
set -e
mkdir -p build
"$1" sim models/quad_trot.xml --trot 0.5 --html build/quadruped.html
echo
"$1" compare models/slide_aslant.xml --quiet --html build/compare.html
echo
echo "Open in a browser: build/quadruped.html (the walk) and build/compare.html (a sliding cube, solver by solver)"
