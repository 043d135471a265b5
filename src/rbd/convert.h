/* Conversion to and from the conventions of MuJoCo, Pinocchio, ROS and Bullet.
 *
 * Ours: quaternions x y z w; a floating joint has v = (linear, angular) in the child's axes, the linear part
 * being the velocity of the child frame's origin; tau is dual to v. docs/conventions.md has worked examples.
 *
 * Whole-state converters keep the order of the model's joints (match names first: other libraries sort
 * differently) and leave out joints that mimic, which have no coordinate of their own here. They return
 * SLIP_ERR_ARGUMENT, outputs untouched, for numbers that are not finite and quaternions of zero length.
 * Outputs may alias inputs of the same size unless said otherwise. */
#ifndef SLIP_RBD_CONVERT_H
#define SLIP_RBD_CONVERT_H

#include "rbd/dynamics.h"

/* ---- small ones ------------------------------------------------------------------------------------- */

/* Quaternions with the scalar first: MuJoCo, Eigen's constructor, Drake, Isaac. */
void slip_quat_to_wxyz(const slip_real q[4], slip_real wxyz[4]);
void slip_quat_from_wxyz(const slip_real wxyz[4], slip_real q[4]);

/* Fixed-axis roll, pitch, yaw as in URDF and tf: R = Rz(yaw) Ry(pitch) Rx(roll) [rad]. Back: pitch in
 * [-pi/2, pi/2]; at either end roll is taken as 0. */
void slip_quat_from_rpy(const slip_real rpy[3], slip_real q[4]);
void slip_quat_to_rpy(const slip_real q[4], slip_real rpy[3]);

/* A velocity or a wrench, (linear, angular) at one point, from the axes of a frame at X to the world's, and back. */
void slip_twist_to_world(const slip_pose *X, const slip_real in_frame[6], slip_real in_world[6]);
void slip_twist_from_world(const slip_pose *X, const slip_real in_world[6], slip_real in_frame[6]);

/* ---- MuJoCo ------------------------------------------------------------------------------------------- */

/* qpos [nq], qvel, qacc, qfrc [nv]. A free joint's qpos is position and quaternion w x y z of the body in the
 * world; its qvel is the linear velocity of the body frame's origin in WORLD axes and the angular velocity in
 * BODY axes; qacc is the time derivative of qvel; qfrc is dual to it. A ball joint's quaternion is w x y z.
 * A planar joint stands for slide x, slide y, hinge z: its velocity is in axes that do not turn. MuJoCo has
 * free joints only below the world; another floating joint is treated as if its parent were the world. */
slip_status slip_q_to_mujoco(const slip_model *model, const slip_real *q, slip_real *qpos);
slip_status slip_q_from_mujoco(const slip_model *model, const slip_real *qpos, slip_real *q);
slip_status slip_v_to_mujoco(const slip_model *model, const slip_real *q, const slip_real *v, slip_real *qvel);
slip_status slip_v_from_mujoco(const slip_model *model, const slip_real *q, const slip_real *qvel, slip_real *v);
slip_status slip_a_to_mujoco(const slip_model *model, const slip_real *q, const slip_real *v, const slip_real *a,
                             slip_real *qacc);
slip_status slip_a_from_mujoco(const slip_model *model, const slip_real *q, const slip_real *v, const slip_real *qacc,
                               slip_real *a);
slip_status slip_tau_to_mujoco(const slip_model *model, const slip_real *q, const slip_real *tau, slip_real *qfrc);
slip_status slip_tau_from_mujoco(const slip_model *model, const slip_real *q, const slip_real *qfrc, slip_real *tau);

/* ---- Pinocchio ---------------------------------------------------------------------------------------- */

/* v, a and tau are ours. q is too, but a continuous joint has (cos, sin) and a planar one (x, y, cos, sin);
 * the way back gives angles in (-pi, pi], the number of turns being lost. q and pin must not overlap. */
int         slip_pinocchio_nq(const slip_model *model);
slip_status slip_q_to_pinocchio(const slip_model *model, const slip_real *q, slip_real *pin);
slip_status slip_q_from_pinocchio(const slip_model *model, const slip_real *pin, slip_real *q);

/* ---- ROS ---------------------------------------------------------------------------------------------- */

/* geometry_msgs/Pose: position and orientation x y z w. The way back fails for a quaternion of zero length. */
void        slip_pose_to_ros(const slip_pose *X, slip_real position[3], slip_real orientation[4]);
slip_status slip_pose_from_ros(const slip_real position[3], const slip_real orientation[4], slip_pose *X);

/* nav_msgs/Odometry of a floating joint: pose in the fixed frame, twist of the child frame's origin in the
 * CHILD's axes (geometry_msgs/TwistStamped in the fixed frame: slip_twist_to_world()). */
typedef struct {
    slip_real position[3], orientation[4];               /* [m]; x y z w     */
    slip_real linear[3], angular[3];                     /* [m/s], [rad/s]   */
} slip_ros_odometry;

/* `joint` in the user's numbering, as slip_model_find_joint() gives it. The way back writes that joint's part
 * of q and v only. SLIP_ERR_UNSUPPORTED unless it is a floating joint below the world. */
slip_status slip_joint_to_odometry(const slip_model *model, int joint, const slip_real *q, const slip_real *v,
                                   slip_ros_odometry *out);
slip_status slip_joint_from_odometry(const slip_model *model, int joint, const slip_ros_odometry *in,
                                     slip_real *q, slip_real *v);

/* sensor_msgs/JointState: one number per joint [njoints], in the user's numbering and with mimicking joints,
 * as robot_state_publisher wants them; joints without exactly one freedom get 0 and are not read back. The
 * force on a coordinate is given to the joint it belongs to, 0 to its followers; on the way back the efforts
 * of followers are added, and their positions and velocities ignored. */
slip_status slip_state_to_joints(const slip_model *model, const slip_real *q, const slip_real *v, const slip_real *tau,
                                 slip_real *position, slip_real *velocity, slip_real *effort);
slip_status slip_state_from_joints(const slip_model *model, const slip_real *position, const slip_real *velocity,
                                   const slip_real *effort, slip_real *q, slip_real *v, slip_real *tau);

/* ---- Bullet ------------------------------------------------------------------------------------------- */

/* A btRigidBody. Its frame sits at the CENTRE OF MASS, with the axes of the link. */
typedef struct {
    slip_pose pose;                                      /* btTransform: R row by row is getBasis()     */
    slip_real rotation[4];                               /* the same as a btQuaternion, x y z w         */
    slip_real linear[3], angular[3];                     /* of the centre of mass, WORLD axes           */
} slip_bullet_body;

/* One link: its frame X, the velocity of its origin v (linear, angular; world axes), its centre of mass in its
 * own frame. The way back reads pose, not rotation. */
void slip_link_to_bullet(const slip_pose *X, const slip_real v[6], const slip_real com[3], slip_bullet_body *out);
void slip_link_from_bullet(const slip_bullet_body *in, const slip_real com[3], slip_pose *X, slip_real v[6]);

/* A force with a moment about the link's origin (world axes), as applyCentralForce() and applyTorque() take
 * it, about the centre of mass; and back. */
void slip_wrench_to_bullet(const slip_pose *X, const slip_real com[3], const slip_real wrench[6], slip_real at_com[6]);
void slip_wrench_from_bullet(const slip_pose *X, const slip_real com[3], const slip_real at_com[6],
                             slip_real wrench[6]);

/* All moving bodies with what is fixed to them, bodies[0 .. nbodies-2] for bodies 1, 2, ...; the first needs
 * slip_velocities(). The way back finds the q and v that come closest joint by joint: exact for bodies that
 * keep their joints, the part along the freedoms for bodies that drifted apart. */
void        slip_state_to_bullet(const slip_model *model, const slip_data *data, slip_bullet_body *bodies);
slip_status slip_state_from_bullet(const slip_model *model, const slip_bullet_body *bodies, slip_real *q, slip_real *v);

#endif
