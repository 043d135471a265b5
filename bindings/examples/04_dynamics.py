"""Inverse dynamics undoes forward dynamics, at a random state."""
import random
import slipstick

arm = slipstick.World(slipstick.models("arm.urdf"))
q, v, tau = ([random.uniform(-1, 1) for _ in range(arm.nv)] for _ in range(3))
a = arm.forward_dynamics(q, v, tau)
print("tau comes back to", max(abs(x - y) for x, y in zip(tau, arm.inverse_dynamics(q, v, a))))
