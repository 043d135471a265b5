"""The next step as x+ = A x + B u: what a torque at one joint of an arm without drives does to the others."""
import slipstick

arm = slipstick.World(slipstick.models("arm.urdf"))
moving = [joint for joint in arm.joints if arm.place(joint)[3] == 1]
for joint in moving:
    arm.drive(joint, kp=0, kd=0)
arm.q[1], arm.q[2] = -1.0, 1.0  # off the ground
linear = arm.linearize()
B = [float(x) for row in linear.B for x in (row if hasattr(row, "__len__") else [row])]
for i, joint in enumerate(moving):
    print(f"1 N m at {moving[0]} changes the rate of {joint} by {B[(arm.nv + i) * arm.nv]:+.2e} rad/s a step")
