"""A drive moves one joint of an arm while the others hold."""
import slipstick

arm = slipstick.World(slipstick.models("arm.urdf"))
joint = next(j for j in arm.joints if arm.place(j)[3] == 1)
arm.drive(joint, q_ref=0.5)
arm.step(3000)
print(f"{joint} is at {arm.q[arm.place(joint)[0]]:.4f} rad; its drive: {arm.drive(joint)}")
