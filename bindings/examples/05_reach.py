"""Inverse kinematics of an arm: steps along the transposed Jacobian bring its tip to a point."""
import slipstick

arm = slipstick.World(slipstick.models("arm.urdf"))
q, goal, tip = list(arm.q), (0.4, 0.2, 0.3), arm.links[-1]
for _ in range(2000):
    error = [g - p for g, p in zip(goal, arm.pose(tip, q)[1])]
    J = [float(x) for row in arm.jacobian(tip, q) for x in (row if hasattr(row, "__len__") else [row])]
    q = [x + 0.5 * sum(J[k * arm.nv + i] * error[k] for k in range(3)) for i, x in enumerate(q)]
print(f"missed by {1000 * sum(e * e for e in error) ** 0.5:.3f} mm")
