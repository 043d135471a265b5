/* How a contact moves with its bodies, in closed form. The point of a contact lies halfway between both surfaces
 * (geom/patch.h), n points from a to b.
 *
 * Plane: body P has a plane, the other one a feature f, a corner or the centre of a ball of radius r, s = 1 when b
 * has it, -1 when a has it. Along n the feature is at f = x + s (r + gap/2) n:
 *     df = motion of the feature,  dn = w_P x n,  dgap = s n . (df - motion of P at f)
 *     dx = df - s ((r + gap/2) dn + dgap/2 n)
 * Balls: centres at x - (r_a + gap/2) n and x + (r_b + gap/2) n, l apart:
 *     dgap = n . (db - da),  dn = (1 - n n')(db - da)/l,  dx = da + (r_a + gap/2) dn + dgap/2 n */
#include "sim/step_derivatives_private.h"

/* Whether n is along an axis of a box. */
static int contact_is_face(const slip_pose *X, const slip_real n[3])
{
    slip_real t[3];
    int i;

    slip_mat3_tvec(X->R, n, t);
    for (i = 0; i < 3; ++i) if (slip_abs(slip_abs(t[i]) - 1) <= 16*SLIP_REAL_EPS) return 1;
    return 0;
}

slip_status slip_sim_contact_kind(const slip_world *w, const sim_contact *c, sim_contact_kind *kind)
{
    const sim_collider *A = &w->fixed.colliders[c->a], *B = &w->fixed.colliders[c->b];
    const slip_shape_kind a = A->shape.kind, b = B->shape.kind;
    const int flat_a = a == SLIP_SHAPE_HALFSPACE, flat_b = b == SLIP_SHAPE_HALFSPACE;
    const slip_shape_kind other = flat_a ? b : a;

    kind->radius[0] = A->shape.radius;
    kind->radius[1] = B->shape.radius;
    kind->balls = a == SLIP_SHAPE_SPHERE && b == SLIP_SHAPE_SPHERE;
    kind->plane = flat_b;
    if (kind->balls) return SLIP_OK;
    if (flat_a || flat_b)
        return other == SLIP_SHAPE_SPHERE || other == SLIP_SHAPE_BOX || other == SLIP_SHAPE_CAPSULE
            || other == SLIP_SHAPE_MESH ? SLIP_OK : SLIP_ERR_UNSUPPORTED;
    kind->plane = b == SLIP_SHAPE_BOX;
    if (a + b != SLIP_SHAPE_BOX + SLIP_SHAPE_SPHERE) return SLIP_ERR_UNSUPPORTED;
    return contact_is_face(&w->step.collider_pose[kind->plane ? c->b : c->a], c->site.frame + 6) ? SLIP_OK
        : SLIP_ERR_UNSUPPORTED;
}

/* Change of the frame of slip_tangents(), k = 1/(1 + z): t1 = (1 - k x^2, -k x y, -x), t2 = (-k x y, 1 - k y^2, -y). */
static void contact_frame(const slip_real n[3], const slip_real dn[3], slip_real d[9])
{
    const slip_real x = n[0], y = n[1], k = 1/(1 + n[2]), dk = -k*k*dn[2], dx = dn[0], dy = dn[1];
    const slip_real xy = -dk*x*y - k*(dx*y + x*dy);

    slip_set3(-dk*x*x - 2*k*x*dx, xy, -dx, d);
    slip_set3(xy, -dk*y*y - 2*k*y*dy, -dy, d + 3);
    slip_copy3(dn, d + 6);
}

void slip_sim_contact_motion(const sim_contact *c, const sim_contact_kind *kind, const slip_real da[6],
                             const slip_real db[6], slip_real dx[3], slip_real dframe[9], slip_real *dgap)
{
    const slip_real *n = c->site.frame + 6, *x = c->site.point;
    slip_real dn[3], f[3], df[3], t[3];
    int i;

    if (kind->balls) {
        const slip_real ra = kind->radius[0] + c->gap/2, rb = kind->radius[1] + c->gap/2;

        slip_axpy3(-ra, n, x, f);
        slip_sim_motion_at(da, f, dx);
        slip_axpy3(rb, n, x, f);
        slip_sim_motion_at(db, f, t);
        slip_sub3(t, dx, t);
        *dgap = slip_dot3(n, t);
        slip_axpy3(-*dgap, n, t, dn);
        slip_scale3(1/(ra + rb), dn, dn);
        slip_axpy3(ra, dn, dx, dx);
        slip_axpy3(*dgap/2, n, dx, dx);
    } else {
        const slip_real s = kind->plane ? -1 : 1, r = kind->radius[!kind->plane] + c->gap/2;
        const slip_real *plane = kind->plane ? db : da, *feature = kind->plane ? da : db;

        slip_axpy3(s*r, n, x, f);
        slip_sim_motion_at(feature, f, df);
        slip_sim_motion_at(plane, f, t);
        slip_sub3(df, t, t);
        *dgap = s*slip_dot3(n, t);
        slip_cross3(plane + 3, n, dn);
        slip_axpy3(-s*r, dn, df, dx);
        slip_axpy3(-s*(*dgap)/2, n, dx, dx);
    }
    for (i = 0; i < 9; ++i) dframe[i] = 0;
    if (slip_dot3(dn, dn) > 0) contact_frame(n, dn, dframe);
}
