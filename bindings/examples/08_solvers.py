"""One step by every contact solver: iterations, and the residual by the judge."""
import slipstick

world = slipstick.World(slipstick.models("quadruped.urdf"))
world.step(500)
snapshot = world.snapshot()
for name in slipstick.solvers():
    world.restore(snapshot)
    world.set_solver(name)
    try:
        world.step()
        print(f"{name:18} {world.iterations:4} {world.residual:.1e}")
    except slipstick.Error as error:
        print(f"{name:18} {error}")
