"""Ten seconds of random actions in the quadruped's environment, as for Gymnasium."""
import slipstick

env = slipstick.QuadrupedEnv()
observation, info = env.reset(seed=1)
env.action_space.seed(1)
total, episodes = 0.0, 1
for _ in range(500):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    total += reward
    if terminated or truncated:
        observation, info = env.reset()
        episodes += 1
print(f"{len(observation)} numbers an observation, return {total:.2f} in {episodes} episodes")
