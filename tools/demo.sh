#!/bin/sh
# What `make run` shows. Argument: the command.
set -e
"$1" info models/gripper.urdf
