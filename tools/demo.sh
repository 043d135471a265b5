#!/bin/sh
# `make run`: a quadruped trots over rough, slippery ground, with a summary of what happened.
set -e
slipstick=${1:-./slipstick}

echo "A quadruped trots over 10 cm of bumps at a friction of 0.35:"
echo "  $slipstick sim models/quad_rough.xml --trot 0.4"
echo
"$slipstick" sim models/quad_rough.xml --trot 0.4
echo
echo "Other things to try:"
echo "  $slipstick sim models/bench/quad_stand.xml --repeat 20    the same robot standing; best time of twenty runs"
echo "  $slipstick sim models/wall.xml                            a wall of cubes hit by a ball"
echo "  $slipstick sim models/cube_slide.xml --like mujoco        another engine's contact model on a sliding cube"
echo "  $slipstick sim models/quad_trot.xml --trot 0.3,0.1,0.3 --csv trot.csv"
