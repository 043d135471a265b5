/* How a contact moves with its bodies. The point of a contact lies halfway between both surfaces (geom/patch.h), n
 * points from a to b. In closed form:
 *
 * Plane: body P has a plane, the other one a feature f, a corner or the centre of a ball of radius r, s = 1 when b
 * has it, -1 when a has it. Along n the feature is at f = x + s (r + gap/2) n:
 *     df = motion of the feature,  dn = w_P x n,  dgap = s n . (df - motion of P at f)
 *     dx = df - s ((r + gap/2) dn + dgap/2 n)
 * Balls: centres at x - (r_a + gap/2) n and x + (r_b + gap/2) n, l apart:
 *     dgap = n . (db - da),  dn = (1 - n n')(db - da)/l,  dx = da + (r_a + gap/2) dn + dgap/2 n
 *
 * Any other pair: a carries x and n along, and what b's motion against a adds is found by central differences of the
 * contact points alone, two of them extrapolated: the motion is a small matrix that depends on the shapes, and all that
 * follows from it stays in closed form. */
#include "sim/step_derivatives_private.h"


/* The motion of a difference, of the shape's size: its truncation h^4 and the rounding of points over h are below
 * 1e-11. Differences over h and h/2 differ by h^2, 1e-8, where a shape is smooth, and by h, 1e-4, or more where a
 * feature ends: CONTACT_SMOOTH is between the two. */
#define CONTACT_MOVE SLIP_TOL(1e-4, 1e-2)
#define CONTACT_SMOOTH SLIP_TOL(1e-5, 1e-2)
#define CONTACT_SAME SLIP_TOL(1e-9, 1e-5)    /* normals of one contact, found twice */

/* Whether n is along an axis of a box. */
static int contact_is_face(const slip_pose *X, const slip_real n[3])
{
    slip_real t[3];
    int i;

    slip_mat3_tvec(X->R, n, t);
    for (i = 0; i < 3; ++i) if (slip_abs(slip_abs(t[i]) - 1) <= 16*SLIP_REAL_EPS) return 1;
    return 0;
}

/* The contact of a pair in these poses that has c's feature, or else the nearest one: x, n and gap. Returns 0: there is
 * none, 1: it has the feature, 2: it is the nearest one. */
static int contact_find(const slip_world *w, const sim_contact *c, const slip_pose *xa, const slip_pose *xb,
                        slip_real at[7])
{
    const slip_real margin = w->opt.margin + w->step.collider_way[c->a] + w->step.collider_way[c->b];
    sim_touch touch;
    int k, best = 0, same;

    if (slip_sim_touch(w, c->a, c->b, xa, xb, 2*margin, NULL, &touch) != SLIP_OK || touch.n == 0) return 0;
    for (k = 0; k < touch.n && touch.point[k].id != c->feature; ++k)
        if (slip_distance3(touch.point[k].point, c->site.point)
            < slip_distance3(touch.point[best].point, c->site.point)) best = k;
    same = k < touch.n;
    if (same) best = k;
    slip_copy3(touch.point[best].point, at);
    slip_copy3(touch.normal[best], at + 3);
    at[6] = touch.point[best].gap;
    return same ? 1 : 2;
}

/* Central difference of the contact by b's motion k (linear, angular about c's point), over 2 h. 0: there is no contact
 * on one side; *kinked: another feature touches there. */
static int contact_difference(const slip_world *w, const sim_contact *c, int k, slip_real h, slip_real out[7],
                              int *kinked)
{
    slip_real side[2][7];
    int i, found;

    for (i = 0; i < 2; ++i) {
        slip_pose x = w->step.collider_pose[c->b];
        slip_real turn[3] = { 0, 0, 0 }, e[4], E[9], arm[3];

        if (k < 3) x.p[k] += i ? h : -h;
        else {
            turn[k - 3] = i ? h : -h;
            slip_quat_exp(turn, e);
            slip_quat_to_mat3(e, E);
            slip_mat3_mul(E, w->step.collider_pose[c->b].R, x.R);
            slip_sub3(x.p, c->site.point, arm);
            slip_mat3_vec(E, arm, arm);
            slip_add3(c->site.point, arm, x.p);
        }
        found = contact_find(w, c, &w->step.collider_pose[c->a], &x, side[i]);
        if (!found) return 0;
        *kinked |= found == 2;
    }
    for (i = 0; i < 7; ++i) out[i] = (side[1][i] - side[0][i])/(2*h);
    return 1;
}

/* Whether a contact is that of the present poses: seams.c may take one from where the velocity leads. */
static int contact_is_here(const slip_world *w, const sim_contact *c)
{
    slip_real at[7];

    return contact_find(w, c, &w->step.collider_pose[c->a], &w->step.collider_pose[c->b], at) == 1
        && slip_abs(at[6] - c->gap) <= CONTACT_SAME*slip_max(1, w->opt.margin)
        && slip_distance3(at + 3, c->site.frame + 6) <= CONTACT_SAME;
}

/* by of a pair without a closed form. The two differences differ by h^2 where shapes are smooth, and by h or 1 where a
 * feature ends. */
static slip_status contact_by_differences(const slip_world *w, const sim_contact *c, sim_contact_kind *kind)
{
    const slip_real reach = slip_max(w->fixed.colliders[c->a].shape.kind == SLIP_SHAPE_HALFSPACE ? 0
                                     : w->fixed.colliders[c->a].span, w->fixed.colliders[c->b].span);
    slip_real wide[7], small[7];
    int k, i;

    kind->form = SIM_OTHER;
    for (k = 0; k < 6; ++k) {
        const slip_real size = k < 3 ? slip_min(1, slip_max(reach, SLIP_R(1e-3))) : 1, h = CONTACT_MOVE*size;

        if (!contact_difference(w, c, k, h, wide, &kind->kinked)
            || !contact_difference(w, c, k, h/2, small, &kind->kinked)) return SLIP_ERR_UNSUPPORTED;
        for (i = 0; i < 7; ++i) {
            kind->kinked |= slip_abs(small[i] - wide[i]) > CONTACT_SMOOTH*(1 + slip_abs(small[i]));
            kind->by[k][i] = small[i] + (small[i] - wide[i])/3;
        }
    }
    return SLIP_OK;
}

slip_status slip_sim_contact_kind(const slip_world *w, const sim_contact *c, sim_contact_kind *kind)
{
    const sim_collider *A = &w->fixed.colliders[c->a], *B = &w->fixed.colliders[c->b];
    const slip_shape_kind a = A->shape.kind, b = B->shape.kind;
    const int flat_a = a == SLIP_SHAPE_HALFSPACE, flat_b = b == SLIP_SHAPE_HALFSPACE;
    const slip_shape_kind other = flat_a ? b : a;

    kind->kinked = 0;
    kind->radius[0] = A->shape.radius;
    kind->radius[1] = B->shape.radius;
    kind->form = a == SLIP_SHAPE_SPHERE && b == SLIP_SHAPE_SPHERE ? SIM_BALLS : SIM_ON_PLANE;
    kind->plane = flat_b;
    if (!flat_a && !flat_b && !contact_is_here(w, c)) return SLIP_ERR_UNSUPPORTED;
    if (kind->form == SIM_BALLS) return SLIP_OK;
    if ((flat_a || flat_b) && (other == SLIP_SHAPE_SPHERE || other == SLIP_SHAPE_BOX || other == SLIP_SHAPE_CAPSULE
                               || other == SLIP_SHAPE_MESH)) return SLIP_OK;
    kind->plane = b == SLIP_SHAPE_BOX;
    if (!flat_a && !flat_b && a + b == SLIP_SHAPE_BOX + SLIP_SHAPE_SPHERE
        && contact_is_face(&w->step.collider_pose[kind->plane ? c->b : c->a], c->site.frame + 6)) return SLIP_OK;
    return contact_by_differences(w, c, kind);
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

    if (kind->form == SIM_OTHER) {
        slip_real rel[6];
        int k;

        slip_sim_motion_at(da, x, dx);
        slip_sim_motion_at(db, x, rel);
        slip_sub3(rel, dx, rel);
        slip_sub3(db + 3, da + 3, rel + 3);
        slip_cross3(da + 3, n, dn);
        *dgap = 0;
        for (k = 0; k < 6; ++k) {
            slip_axpy3(rel[k], kind->by[k], dx, dx);
            slip_axpy3(rel[k], kind->by[k] + 3, dn, dn);
            *dgap += rel[k]*kind->by[k][6];
        }
    } else if (kind->form == SIM_BALLS) {
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
