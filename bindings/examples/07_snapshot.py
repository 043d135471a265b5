"""A snapshot is the whole state: two runs from it end in the same bits."""
import slipstick

world = slipstick.World(slipstick.models("humanoid.urdf"))
world.step(100)
snapshot, ends = world.snapshot(), []
for _ in range(2):
    world.restore(snapshot)
    world.step(300)
    ends.append(list(world.q))
print("the same bits" if ends[0] == ends[1] else "DIFFERENT", f"({len(snapshot)} bytes)")
