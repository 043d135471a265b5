"""A scene as text: a cube slides until friction has stopped it, v^2 / (2 mu g)."""
import slipstick

world = slipstick.World("slide.xml", text="<scene><surface name='default' friction='0.5'/><ground/><body name='cube' "
                        "velocity='2 0 0'><origin xyz='0 0 0.05'/><geometry><box size='0.1 0.1 0.1'/></geometry></body>"
                        "</scene>")
world.step(1000)
print(f"it slid {world.q[0]:.4f} m, by the formula {2**2 / (2 * 0.5 * 9.81):.4f} m")
