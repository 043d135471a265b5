/* Mass properties by closed forms, and by exact integration over tetrahedra.
 *
 * For the tetrahedron (0, a, b, c) with D = det[a b c] and s = a + b + c:
 *   volume D/6,   integral of x: D s/24,   integral of x x': D (s s' + a a' + b b' + c c')/120.
 * Over a closed surface the signed sum is exact for the solid inside, convex or not. */
#include "geom/mass_private.h"

#include <string.h>

/* ---- integration ---------------------------------------------------------------------------------- */

void slip_mass_sums_begin(const slip_real ref[3], slip_mass_sums *sums)
{
    int i;

    memset(sums, 0, sizeof *sums);
    for (i = 0; i < 3; ++i) sums->ref[i] = (double)ref[i];
}

void slip_mass_sums_add(const slip_real a[3], const slip_real b[3], const slip_real c[3], slip_mass_sums *sums)
{
    static const int row[6] = { 0, 0, 0, 1, 1, 2 }, col[6] = { 0, 1, 2, 1, 2, 2 };
    double x[3], y[3], z[3], s[3], d;
    int i;

    for (i = 0; i < 3; ++i) {
        x[i] = (double)a[i] - sums->ref[i];
        y[i] = (double)b[i] - sums->ref[i];
        z[i] = (double)c[i] - sums->ref[i];
        s[i] = x[i] + y[i] + z[i];
    }
    d = x[0]*(y[1]*z[2] - y[2]*z[1]) + x[1]*(y[2]*z[0] - y[0]*z[2]) + x[2]*(y[0]*z[1] - y[1]*z[0]);
    sums->v6 += d;
    for (i = 0; i < 3; ++i) sums->s24[i] += d*s[i];
    for (i = 0; i < 6; ++i) {
        const int p = row[i], q = col[i];

        sums->c120[i] += d*(s[p]*s[q] + x[p]*x[q] + y[p]*y[q] + z[p]*z[q]);
    }
}

slip_status slip_mass_from_sums(const slip_mass_sums *sums, slip_real density, slip_mass *mass)
{
    const double sign = sums->v6 < 0 ? -1 : 1, v = sign*sums->v6/6, rho = (double)density;
    double m[3], c[6];
    int i;

    memset(mass, 0, sizeof *mass);
    for (i = 0; i < 3; ++i) mass->centre[i] = (slip_real)sums->ref[i];
    if (!(v > 0)) return SLIP_DEGENERATE;
    for (i = 0; i < 3; ++i) m[i] = sign*sums->s24[i]/(24*v);
    for (i = 0; i < 6; ++i) c[i] = sign*sums->c120[i]/120;
    c[0] -= v*m[0]*m[0];  c[1] -= v*m[0]*m[1];  c[2] -= v*m[0]*m[2];      /* moved to the centre */
    c[3] -= v*m[1]*m[1];  c[4] -= v*m[1]*m[2];  c[5] -= v*m[2]*m[2];
    mass->volume = (slip_real)v;
    mass->mass = (slip_real)(rho*v);
    for (i = 0; i < 3; ++i) mass->centre[i] = (slip_real)(sums->ref[i] + m[i]);
    mass->inertia[0] = (slip_real)(rho*(c[3] + c[5]));
    mass->inertia[3] = (slip_real)(rho*(c[0] + c[5]));
    mass->inertia[5] = (slip_real)(rho*(c[0] + c[3]));
    mass->inertia[1] = (slip_real)(0 - rho*c[1]);
    mass->inertia[2] = (slip_real)(0 - rho*c[2]);
    mass->inertia[4] = (slip_real)(0 - rho*c[4]);
    return SLIP_OK;
}

/* ---- shapes --------------------------------------------------------------------------------------- */

static void mass_diagonal(slip_real volume, slip_real density, slip_real xx, slip_real yy, slip_real zz,
                          slip_mass *mass)
{
    const slip_real m = volume*density;

    memset(mass, 0, sizeof *mass);
    mass->volume = volume;
    mass->mass = m;
    mass->inertia[0] = m*xx;
    mass->inertia[3] = m*yy;
    mass->inertia[5] = m*zz;
}

/* A cylinder between two half balls, whose own centres lie 3r/8 beyond its ends. */
static void mass_capsule(slip_real r, slip_real h, slip_real density, slip_mass *mass)
{
    const slip_real cyl = 2*SLIP_PI*r*r*h, ball = 4*SLIP_PI*r*r*r/3, v = cyl + ball;
    const slip_real along = (cyl*r*r/2 + ball*2*r*r/5);
    const slip_real across = cyl*(r*r/4 + h*h/3) + ball*(2*r*r/5 + h*h + 3*r*h/4);

    if (v > 0) mass_diagonal(v, density, across/v, across/v, along/v, mass);
    else       mass_diagonal(0, density, 0, 0, 0, mass);
}

static slip_status mass_hull(const slip_hull *hull, slip_real density, slip_mass *mass)
{
    slip_mass_sums sums;
    int f, k;

    slip_mass_sums_begin(hull->centre, &sums);
    for (f = 0; f < hull->nf; ++f) {
        const int *loop = hull->loop + hull->loop_start[f], n = hull->loop_start[f + 1] - hull->loop_start[f];

        for (k = 1; k + 1 < n; ++k)
            slip_mass_sums_add(hull->vertex + 3*loop[0], hull->vertex + 3*loop[k], hull->vertex + 3*loop[k + 1], &sums);
    }
    if (hull->nf <= 2) sums.v6 = 0;                      /* both sides of a polygon: rounding is no volume */
    return slip_mass_from_sums(&sums, density, mass);
}

slip_status slip_shape_mass(const slip_shape *shape, slip_real density, slip_mass *mass)
{
    const slip_real r = shape->radius, *h = shape->half;

    if (!(density >= 0) || !slip_is_finite(density)) return SLIP_ERR_ARGUMENT;
    switch (shape->kind) {
    case SLIP_SHAPE_SPHERE:
        mass_diagonal(4*SLIP_PI*r*r*r/3, density, 2*r*r/5, 2*r*r/5, 2*r*r/5, mass);
        return SLIP_OK;
    case SLIP_SHAPE_BOX:
        mass_diagonal(8*h[0]*h[1]*h[2], density, (h[1]*h[1] + h[2]*h[2])/3, (h[0]*h[0] + h[2]*h[2])/3,
                      (h[0]*h[0] + h[1]*h[1])/3, mass);
        return SLIP_OK;
    case SLIP_SHAPE_CAPSULE:
        mass_capsule(r, h[2], density, mass);
        return SLIP_OK;
    case SLIP_SHAPE_CYLINDER:
        mass_diagonal(2*SLIP_PI*r*r*h[2], density, r*r/4 + h[2]*h[2]/3, r*r/4 + h[2]*h[2]/3, r*r/2, mass);
        return SLIP_OK;
    case SLIP_SHAPE_ELLIPSOID:
        mass_diagonal(4*SLIP_PI*h[0]*h[1]*h[2]/3, density, (h[1]*h[1] + h[2]*h[2])/5, (h[0]*h[0] + h[2]*h[2])/5,
                      (h[0]*h[0] + h[1]*h[1])/5, mass);
        return SLIP_OK;
    case SLIP_SHAPE_MESH:
        return shape->hull ? mass_hull(shape->hull, density, mass) : SLIP_ERR_ARGUMENT;
    case SLIP_SHAPE_HALFSPACE:
    case SLIP_SHAPE_HEIGHTFIELD:
        return SLIP_ERR_UNSUPPORTED;
    }
    return SLIP_ERR_ARGUMENT;
}

/* ---- changing them -------------------------------------------------------------------------------- */

void slip_mass_set(slip_real total, slip_mass *mass)
{
    const slip_real k = mass->mass > 0 ? total/mass->mass : 0;
    int i;

    for (i = 0; i < 6; ++i) mass->inertia[i] *= k;
    mass->mass = total;
}

void slip_mass_transform(const slip_mass *mass, const slip_pose *X, slip_mass *out)
{
    const slip_real *I = mass->inertia;
    const slip_real A[9] = { I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5] };
    slip_real B[9], C[9], T[9];

    slip_mat3_mul(X->R, A, B);                           /* R I R' */
    slip_mat3_transpose(X->R, T);
    slip_mat3_mul(B, T, C);
    out->volume = mass->volume;
    out->mass = mass->mass;
    slip_pose_point(X, mass->centre, out->centre);
    out->inertia[0] = C[0];  out->inertia[1] = (C[1] + C[3])/2;  out->inertia[2] = (C[2] + C[6])/2;
    out->inertia[3] = C[4];  out->inertia[4] = (C[5] + C[7])/2;  out->inertia[5] = C[8];
}

void slip_mass_add(const slip_mass *a, const slip_mass *b, slip_mass *sum)
{
    const slip_real m = a->mass + b->mass, k = m > 0 ? a->mass*b->mass/m : 0;
    slip_mass r;
    slip_real d[3];
    int i;

    slip_sub3(b->centre, a->centre, d);
    r.volume = a->volume + b->volume;
    r.mass = m;
    slip_axpy3(m > 0 ? b->mass/m : SLIP_R(0.5), d, a->centre, r.centre);
    for (i = 0; i < 6; ++i) r.inertia[i] = a->inertia[i] + b->inertia[i];
    r.inertia[0] += k*(d[1]*d[1] + d[2]*d[2]);           /* the two about their common centre */
    r.inertia[3] += k*(d[0]*d[0] + d[2]*d[2]);
    r.inertia[5] += k*(d[0]*d[0] + d[1]*d[1]);
    r.inertia[1] -= k*d[0]*d[1];
    r.inertia[2] -= k*d[0]*d[2];
    r.inertia[4] -= k*d[1]*d[2];
    *sum = r;
}
