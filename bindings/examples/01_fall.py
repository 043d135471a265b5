"""A robot stands on level ground for a second."""
import slipstick

world = slipstick.World(slipstick.models("solo12.urdf"))
world.step(1000)
print(f"after {world.time:.1f} s the base is {world.q[2]:.3f} m high, on {world.ncontacts} contacts")
