"""A thousand random poses of an arm by one call: how far its tip can reach."""
import random
import slipstick

arm = slipstick.World(slipstick.models("arm.urdf"))
random.seed(1)
q = [[random.uniform(max(a, -3.14), min(b, 3.14)) for a, b in zip(arm.lower, arm.upper)] for _ in range(1000)]
poses = arm.batch_pose(arm.links[-1], q)
flat = [float(x) for row in poses for x in (row if hasattr(row, "__len__") else [row])]
tips = [flat[12 * k + 9 : 12 * k + 12] for k in range(len(q))]
print(f"its tip was up to {max(sum(x * x for x in tip) ** 0.5 for tip in tips):.3f} m from its base's origin")
