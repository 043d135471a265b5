"""Processor time of a vector of quadrupeds, against that of the same steps in C: python3 bindings/bench_env.py"""
import time

import slipstick

ENVS, ACTIONS, RUNS = 16, 50, 8


def seconds(function):
    before = time.process_time()
    for _ in range(ACTIONS):
        function()
    return time.process_time() - before


vector = slipstick.VectorEnv(slipstick.QuadrupedEnv, ENVS)
worlds = slipstick.Worlds([env.world for env in vector.envs])
actions = [[0.0] * 12 for _ in range(ENVS)]
vector.reset(seed=1)
seconds(lambda: vector.step(actions))  # they land, and memory is touched for the first time
ratios = []
for _ in range(RUNS):
    python = seconds(lambda: vector.step(actions))
    ratios.append(seconds(lambda: worlds.step(vector.envs[0].decimation)) / python)
print("C over Python, a run each: " + " ".join(f"{ratio:.2f}" for ratio in ratios))
