/* The inside of a recorder, shared by the files of the replay. */
#ifndef SLIP_IO_REPLAY_PRIVATE_H
#define SLIP_IO_REPLAY_PRIVATE_H

#include "geom/heightfield.h"
#include "io/put.h"
#include "io/replay_pack.h"
#include "io/replay_read.h"

/* A frame in the pool: this head, 7 floats (position, quaternion) for each moving body, then its contacts. */
typedef struct {
    float time;
    int kept, met;                       /* contacts                                                            */
    float curve[SLIP_CURVES];
} replay_frame;

/* A shape to be drawn: a visual, or the collider of a link that has none. */
typedef struct {
    slip_replay_visual visual;
    int body;                            /* 0: the world                                                        */
    slip_pose in_body;
    int mesh;                            /* the first shape with the same triangles; -1: it has none of its own */
} replay_shape;

struct slip_replay {
    slip_replay_def def;
    const slip_model *model;
    int nb;                              /* moving bodies: model bodies 1 .. nb                                 */
    int nshapes;
    replay_shape *shapes;
    unsigned char *pool;
    size_t size, used;                   /* bytes; frames from the low end, their offsets from the high end     */
    int nframes, interval;               /* a frame every so many steps                                         */
    long steps;                          /* seen                                                                */
    long world_steps;                    /* of the world when last looked at                                    */
    int *heap;                           /* [max_contacts] the strongest contacts so far, the weakest on top    */
    slip_real *strength;                 /* [max_contacts]                                                      */
    slip_real residual, penetration;     /* maxima since the last frame                                         */
    int iterations;
    slip_replay_summary sum;
};

const replay_frame *slip_replay_frame_at(const slip_replay *rec, int frame);
const float *slip_replay_poses_at(const slip_replay *rec, int frame);

/* A contact of the last step as a page has it, judged; `trace` is slip_replay_least_impulse() of the step: the impulse
 * below which a contact counts as open [N s]. */
slip_real slip_replay_least_impulse(const slip_world *world);
void slip_replay_contact_of(const slip_contact_info *c, slip_real trace, slip_replay_contact *k);

/* What a page shows besides the runs' frames: a <script> element of JSON, then one for each mesh. Of the page's runs,
 * which need one frame at least, the first one counts. Does not flush. */
void slip_replay_describe(const slip_replay_page *page, slip_stream *out);

/* The text of the page around the data, made from the files in replay_page/ (`make page`): pieces, NULL at the end. */
const char *const *slip_replay_page_head(void);          /* up to the data                                       */
const char *const *slip_replay_page_tail(void);          /* from behind the data                                 */

#endif
