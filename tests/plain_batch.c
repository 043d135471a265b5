/* src/rbd/batch.c once more, a state at a time, under other names: what its vectors are compared with. */
#define SLIP_NO_VECTORS
#define slip_batch            plain_batch
#define slip_batch_bytes      plain_batch_bytes
#define slip_batch_create     plain_batch_create
#define slip_batch_lanes      plain_batch_lanes
#define slip_batch_kinematics plain_batch_kinematics
#define slip_batch_rnea       plain_batch_rnea
#define slip_batch_crba       plain_batch_crba
#define slip_batch_aba        plain_batch_aba
#include "../src/rbd/batch.c"
