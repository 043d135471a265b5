"""Eight arms at once: the best of random constant actions for one goal."""
import slipstick

envs = slipstick.VectorEnv(slipstick.ArmEnv, 8)
best = (-9.0, None)
for trial in range(3):
    envs.reset(seed=7)
    for env in envs.envs:
        env.goal = (0.4, 0.2, 0.3)
    actions = [envs.action_space.sample() for _ in envs.envs]
    for _ in range(50):
        _, rewards, _, _, _ = envs.step(actions)
    best = max(best, max(zip(rewards, actions)))
print(f"the best of 24 ends {-best[0]:.3f} m from the goal")
