/* Height fields: making them, looking up heights, triangles and prisms. Contacts: heightfield_contact.c. */
#include "geom/heightfield_contact.h"

#include <string.h>

typedef struct { slip_real *height, *block; } field_store;

static int field_blocks(int samples) { return (samples - 2)/SLIP_FIELD_BLOCK + 1; }

static int field_take(int nx, int ny, slip_arena *arena, field_store *s)
{
    s->height = slip_arena_reals(arena, (size_t)nx*(size_t)ny);
    s->block = slip_arena_reals(arena, 2*(size_t)field_blocks(nx)*(size_t)field_blocks(ny));
    return s->height && s->block;
}

static int field_size_ok(int nx, int ny)
{
    return nx >= 2 && ny >= 2 && nx <= SLIP_FIELD_MOST && ny <= SLIP_FIELD_MOST;
}

size_t slip_heightfield_bytes(int nx, int ny)
{
    slip_arena count = slip_arena_counting();
    field_store s;

    if (!field_size_ok(nx, ny)) return 0;
    field_take(nx, ny, &count, &s);
    return slip_arena_needed(&count);
}

/* Bounds of each block of cells; a block shares the samples of its border with the next. */
static void field_bound_blocks(slip_heightfield *f, slip_real *block)
{
    int a, b, i, j;

    f->lo = f->hi = f->height[0];
    for (b = 0; b < f->by; ++b)
        for (a = 0; a < f->bx; ++a) {
            slip_real *r = block + 2*(b*f->bx + a);

            r[0] = SLIP_REAL_MAX;
            r[1] = -SLIP_REAL_MAX;
            for (j = b*SLIP_FIELD_BLOCK; j <= (b + 1)*SLIP_FIELD_BLOCK && j < f->ny; ++j)
                for (i = a*SLIP_FIELD_BLOCK; i <= (a + 1)*SLIP_FIELD_BLOCK && i < f->nx; ++i) {
                    r[0] = slip_min(r[0], f->height[j*f->nx + i]);
                    r[1] = slip_max(r[1], f->height[j*f->nx + i]);
                }
            f->lo = slip_min(f->lo, r[0]);
            f->hi = slip_max(f->hi, r[1]);
        }
}

/* Takes the memory and fills everything but heights and bounds. */
static slip_status field_begin(int nx, int ny, slip_real dx, slip_real dy, slip_arena *arena, slip_heightfield *f,
                               field_store *s, slip_error *err)
{
    if (!field_size_ok(nx, ny))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "height field of %d by %d samples: 2 to %d each", nx, ny,
                         SLIP_FIELD_MOST);
    if (!(dx > 0 && dy > 0 && slip_is_finite(dx*(slip_real)nx) && slip_is_finite(dy*(slip_real)ny)))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "height field spacing must be positive and finite");
    if (!field_take(nx, ny, arena, s))
        return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "height field of %d by %d samples needs %z bytes", nx, ny,
                         slip_heightfield_bytes(nx, ny));
    f->nx = nx;
    f->ny = ny;
    f->dx = dx;
    f->dy = dy;
    f->x0 = -dx*(slip_real)(nx - 1)/2;
    f->y0 = -dy*(slip_real)(ny - 1)/2;
    f->bx = field_blocks(nx);
    f->by = field_blocks(ny);
    f->height = s->height;
    f->block = s->block;
    return SLIP_OK;
}

/* Checks the heights and bounds them. */
static slip_status field_end(slip_heightfield *f, field_store *s, slip_error *err)
{
    int k;

    for (k = 0; k < f->nx*f->ny; ++k)
        if (!slip_is_finite(s->height[k]))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "height %d of row %d is not finite", k % f->nx + 1,
                             k/f->nx + 1);
    field_bound_blocks(f, s->block);
    return SLIP_OK;
}

slip_status slip_heightfield_build(int nx, int ny, slip_real dx, slip_real dy, const slip_real *height,
                                   slip_arena *arena, slip_heightfield *field, slip_error *err)
{
    const size_t mark = slip_arena_mark(arena);
    slip_heightfield f;
    field_store store;
    slip_status s = field_begin(nx, ny, dx, dy, arena, &f, &store, err);

    if (s == SLIP_OK) {
        memcpy(store.height, height, (size_t)nx*(size_t)ny*sizeof *height);
        s = field_end(&f, &store, err);
    }
    if (s < 0) { slip_arena_release(arena, mark);  return s; }
    *field = f;
    return SLIP_OK;
}

slip_status slip_heightfield_from(int nx, int ny, slip_real dx, slip_real dy, slip_height_function f, void *context,
                                  slip_arena *arena, slip_heightfield *field, slip_error *err)
{
    const size_t mark = slip_arena_mark(arena);
    slip_heightfield made;
    field_store store;
    slip_status s = field_begin(nx, ny, dx, dy, arena, &made, &store, err);
    int i, j;

    if (s == SLIP_OK) {
        for (j = 0; j < ny; ++j)
            for (i = 0; i < nx; ++i)
                store.height[j*nx + i] = f(context, made.x0 + dx*(slip_real)i, made.y0 + dy*(slip_real)j);
        s = field_end(&made, &store, err);
    }
    if (s < 0) { slip_arena_release(arena, mark);  return s; }
    *field = made;
    return SLIP_OK;
}

void slip_heightfield_triangle(const slip_heightfield *f, int t, slip_real corner[9])
{
    static const int step[2][3][2] = { { { 0, 0 }, { 1, 0 }, { 1, 1 } }, { { 0, 0 }, { 1, 1 }, { 0, 1 } } };
    const int cell = t/2, i = cell % (f->nx - 1), j = cell/(f->nx - 1);
    int k;

    for (k = 0; k < 3; ++k) {
        const int a = i + step[t & 1][k][0], b = j + step[t & 1][k][1];

        slip_set3(f->x0 + f->dx*(slip_real)a, f->y0 + f->dy*(slip_real)b, f->height[b*f->nx + a], corner + 3*k);
    }
}

int slip_heightfield_at(const slip_heightfield *f, slip_real x, slip_real y, slip_real *height, slip_real normal[3])
{
    const slip_real u = (x - f->x0)/f->dx, v = (y - f->y0)/f->dy;
    slip_real a, b, z0, zx, zy;
    const slip_real *h;
    int i, j;

    if (!(u >= 0 && v >= 0 && u <= (slip_real)(f->nx - 1) && v <= (slip_real)(f->ny - 1))) return 0;
    i = (int)u < f->nx - 2 ? (int)u : f->nx - 2;
    j = (int)v < f->ny - 2 ? (int)v : f->ny - 2;
    a = u - (slip_real)i;
    b = v - (slip_real)j;
    h = f->height + j*f->nx + i;
    z0 = h[0];
    if (b <= a) { zx = h[1] - z0;               zy = h[f->nx + 1] - h[1]; }        /* lower right */
    else        { zx = h[f->nx + 1] - h[f->nx];  zy = h[f->nx] - z0; }             /* upper left  */
    *height = z0 + a*zx + b*zy;
    if (normal) {
        slip_set3(-zx/f->dx, -zy/f->dy, 1, normal);
        slip_normalize3(normal, normal);
    }
    return 1;
}

slip_real slip_heightfield_depth(const slip_heightfield *f)
{
    return slip_max(f->dx*(slip_real)(f->nx - 1), f->dy*(slip_real)(f->ny - 1));
}

void slip_heightfield_bounds(const slip_heightfield *f, const slip_pose *pose, slip_real depth, slip_real lo[3],
                             slip_real hi[3])
{
    const slip_real half[3] = { f->dx*(slip_real)(f->nx - 1)/2, f->dy*(slip_real)(f->ny - 1)/2,
                                (f->hi - f->lo + depth)/2 };
    const slip_real mid[3] = { f->x0 + half[0], f->y0 + half[1], f->hi - half[2] };
    slip_real centre[3];
    int i;

    slip_pose_point(pose, mid, centre);
    for (i = 0; i < 3; ++i) {
        const slip_real *r = pose->R + 3*i;
        const slip_real e = slip_abs(r[0])*half[0] + slip_abs(r[1])*half[1] + slip_abs(r[2])*half[2];

        lo[i] = centre[i] - e;
        hi[i] = centre[i] + e;
    }
}
