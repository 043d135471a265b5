"""Forces on the feet add up to the weight."""
import slipstick

world = slipstick.World(slipstick.models("quadruped.urdf"))
world.step(2000)
for contact in world.contacts():
    print(f"{contact.link_b}: {contact.force[2]:.2f} N")
print(f"sum {sum(c.force[2] for c in world.contacts()):.3f} N, weight {9.81 * world.mass:.3f} N")
