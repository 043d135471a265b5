/* The page: a head, one JSON description, binary blocks in base64, a tail. See replay.h, and docs/replay.md for the
 * layout of the blocks. Names reach the page only as JSON strings that cannot end the element they are in. */
#include "io/replay_private.h"

#include <string.h>

/* ---- small pieces of JSON ----------------------------------------------------------------------- */

static void page_key(slip_stream *out, const char *key)
{
    slip_put_format(out, "\"%s\":", key);
}

static void page_text(slip_stream *out, const char *key, const char *text)
{
    page_key(out, key);
    slip_put_json(out, text);
    slip_put_text(out, ",");
}

static void page_number(slip_stream *out, const char *key, double x, int digits)
{
    page_key(out, key);
    slip_put_json_real(out, x, digits);
    slip_put_text(out, ",");
}

static void page_reals(slip_stream *out, const char *key, const slip_real *x, int n)
{
    int i;

    page_key(out, key);
    for (i = 0; i < n; ++i) {
        slip_put_text(out, i ? "," : "[");
        slip_put_json_real(out, (double)x[i], 7);
    }
    slip_put_text(out, "],");
}

static void page_pose(slip_stream *out, const slip_pose *X)
{
    slip_real q[4];

    slip_mat3_to_quat(X->R, q);
    page_reals(out, "p", X->p, 3);
    page_reals(out, "q", q, 4);
}

static void page_pieces(slip_stream *out, const char *const *piece)
{
    for (; *piece; ++piece) slip_put_text(out, *piece);
}

/* ---- what the world is made of ------------------------------------------------------------------ */

static const char *page_body_name(const slip_model *m, int body)
{
    return body > 0 && m->body_link[body] >= 0 ? m->link_name[m->body_link[body]] : "world";
}

static int page_root(const slip_model *m, int body)
{
    while (m->parent[body] > 0) body = m->parent[body];
    return body;
}

static void page_bodies(const slip_model *m, slip_stream *out)
{
    int b, i;

    page_key(out, "bodies");
    slip_put_text(out, "[");
    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *inertia = m->inertia + 10*b;
        slip_real com[3];

        for (i = 0; i < 3; ++i) com[i] = inertia[0] > 0 ? inertia[1 + i]/inertia[0] : 0;
        slip_put_text(out, b > 1 ? ",\n{" : "\n{");
        page_text(out, "name", page_body_name(m, b));
        page_number(out, "root", page_root(m, b), 10);
        page_number(out, "mass", (double)inertia[0], 7);
        page_reals(out, "com", com, 3);
        slip_put_text(out, "\"up\":");
        slip_put_int(out, m->parent[b]);
        slip_put_text(out, "}");
    }
    slip_put_text(out, "],\n");
}

static void page_colliders(const slip_world_def *w, slip_stream *out)
{
    int i;

    page_key(out, "colliders");
    slip_put_text(out, "[");
    for (i = 0; i < w->ncolliders; ++i) {
        const slip_collider_def *c = &w->colliders[i];

        slip_put_text(out, i ? ",[" : "[");
        slip_put_json(out, c->name);
        slip_put_text(out, ",");
        slip_put_json(out, c->link < 0 ? "world" : w->model->link_name[c->link]);
        slip_put_format(out, ",%d]", c->link < 0 ? 0 : w->model->link_body[c->link]);
    }
    slip_put_text(out, "],\n");
}

/* ---- shapes ------------------------------------------------------------------------------------- */

static void page_shape(const slip_replay *rec, int i, slip_stream *out)
{
    const replay_shape *s = &rec->shapes[i];
    const slip_shape *shape = &s->visual.shape;
    slip_real half[3];

    slip_copy3(shape->half, half);
    slip_put_text(out, i ? ",\n{" : "\n{");
    page_text(out, "kind", s->mesh >= 0 ? "mesh" : slip_shape_kind_name(shape->kind));
    page_number(out, "body", s->body, 10);
    if (s->mesh >= 0) page_number(out, "mesh", s->mesh, 10);
    page_number(out, "r", (double)shape->radius, 7);
    page_reals(out, "h", half, 3);
    page_pose(out, &s->in_body);
    if (s->visual.colour[3] > 0) page_reals(out, "c", s->visual.colour, 4);
    page_key(out, "drawn");
    slip_put_text(out, "1}");
}

static void page_shapes(const slip_replay *rec, slip_stream *out)
{
    int i;

    page_key(out, "shapes");
    slip_put_text(out, "[");
    for (i = 0; i < rec->nshapes; ++i) page_shape(rec, i, out);
    slip_put_text(out, "],\n");
}

/* A mesh by its corners, whatever it comes from. */
typedef struct {
    int nv, nt;
    slip_real lo[3], hi[3];
    const replay_shape *from;
} page_mesh;

static void page_corner(const page_mesh *m, int v, slip_real x[3])
{
    const slip_replay_visual *from = &m->from->visual;

    if (from->mesh) slip_copy3(from->mesh->vertex + 3*v, x);
    else if (from->shape.kind == SLIP_SHAPE_MESH) slip_copy3(from->shape.hull->vertex + 3*v, x);
    else {
        const slip_heightfield *f = from->shape.field;
        const int row = v/f->nx;

        slip_set3(f->x0 + (slip_real)(v%f->nx)*f->dx, f->y0 + (slip_real)row*f->dy, f->height[v], x);
    }
}

static page_mesh page_mesh_of(const replay_shape *from)
{
    const slip_replay_visual *v = &from->visual;
    page_mesh m;
    slip_real x[3];
    int i, k;

    m.from = from;
    if (v->mesh) { m.nv = v->mesh->nv; m.nt = v->mesh->nt; }
    else if (v->shape.kind == SLIP_SHAPE_MESH) {
        m.nv = v->shape.hull->nv;
        m.nt = v->shape.hull->nf > 0 ? v->shape.hull->loop_start[v->shape.hull->nf] - 2*v->shape.hull->nf : 0;
    } else {
        m.nv = v->shape.field->nx*v->shape.field->ny;
        m.nt = 2*(v->shape.field->nx - 1)*(v->shape.field->ny - 1);
    }
    slip_zero3(m.lo);
    slip_zero3(m.hi);
    for (i = 0; i < m.nv; ++i) {
        page_corner(&m, i, x);
        for (k = 0; k < 3; ++k) {
            m.lo[k] = i ? slip_min(m.lo[k], x[k]) : x[k];
            m.hi[k] = i ? slip_max(m.hi[k], x[k]) : x[k];
        }
    }
    return m;
}

static void page_meshes(const slip_replay *rec, slip_stream *out)
{
    int i, any = 0;

    page_key(out, "meshes");
    slip_put_text(out, "[");
    for (i = 0; i < rec->nshapes; ++i) {
        slip_real extent[3];
        page_mesh m;

        if (rec->shapes[i].mesh != i) continue;
        m = page_mesh_of(&rec->shapes[i]);
        slip_sub3(m.hi, m.lo, extent);
        slip_put_text(out, any++ ? ",\n{" : "\n{");
        page_number(out, "id", i, 10);
        page_number(out, "nv", m.nv, 10);
        page_number(out, "nt", m.nt, 10);
        page_reals(out, "lo", m.lo, 3);
        page_reals(out, "extent", extent, 3);
        slip_put_format(out, "\"smooth\":%d}", rec->shapes[i].visual.shape.kind == SLIP_SHAPE_HEIGHTFIELD);
    }
    slip_put_text(out, "],\n");
}

/* ---- runs --------------------------------------------------------------------------------------- */

static void page_summary(const slip_replay_summary *s, slip_stream *out)
{
    page_key(out, "summary");
    slip_put_text(out, "{");
    page_number(out, "steps", (double)s->steps, 15);
    page_number(out, "missed", (double)s->missed, 15);
    page_number(out, "residual", (double)s->residual, 6);
    page_number(out, "penetration", (double)s->penetration, 6);
    page_number(out, "signorini", (double)s->signorini, 6);
    page_number(out, "coulomb", (double)s->coulomb, 6);
    page_number(out, "dissipation", (double)s->dissipation, 6);
    page_number(out, "contacts", (double)s->contacts, 15);
    page_number(out, "iterations", (double)s->iterations, 15);
    page_number(out, "seconds", s->seconds, 6);
    page_number(out, "timed", (double)s->timed, 15);
    slip_put_format(out, "\"broken\":[%g,%g,%g]}", (double)s->broken[0], (double)s->broken[1], (double)s->broken[2]);
}

static int page_contacts_of(const slip_replay *rec)
{
    int f, n = 0;

    for (f = 0; f < rec->nframes; ++f) n += slip_replay_frame_at(rec, f)->kept;
    return n;
}

static void page_run(const slip_replay *rec, slip_stream *out)
{
    const slip_solver *s = rec->def.solver;

    slip_put_text(out, "{");
    page_text(out, "solver", rec->def.label ? rec->def.label : s->id);
    page_text(out, "model", slip_contact_model_name(s->model));
    page_text(out, "method", s->about);
    page_text(out, "paper", *s->paper ? s->paper : "ours");
    page_text(out, "engines", s->engines);
    page_number(out, "dt", (double)rec->def.world->options.dt, 9);
    page_number(out, "tol", (double)rec->def.world->options.solve.tol, 6);
    page_number(out, "facets", rec->def.world->options.solve.facets, 10);
    page_number(out, "frames", rec->nframes, 10);
    page_number(out, "bodies", rec->nb, 10);
    page_number(out, "contacts", page_contacts_of(rec), 10);
    page_summary(&rec->sum, out);
    slip_put_text(out, "}");
}

static void page_curves(slip_stream *out)
{
    int c;

    page_key(out, "curves");
    for (c = 0; c < SLIP_CURVES; ++c) {
        slip_put_text(out, c ? ",[" : "[[");
        slip_put_json(out, slip_curve_name((slip_curve)c));
        slip_put_text(out, ",");
        slip_put_json(out, slip_curve_unit((slip_curve)c));
        slip_put_text(out, "]");
    }
    slip_put_text(out, "],\n");
}

static void page_camera(const slip_replay_page *page, slip_stream *out)
{
    const slip_replay_camera *c = &page->camera;
    const slip_model *m = page->runs[0]->model;
    const int fixed = slip_distance3(c->eye, c->target) > 0;

    page_key(out, "camera");
    slip_put_text(out, "{");
    if (fixed) {
        page_reals(out, "eye", c->eye, 3);
        page_reals(out, "target", c->target, 3);
    }
    page_number(out, "fov", c->fov > 0 ? (double)c->fov : 45.0, 6);
    slip_put_format(out, "\"follow\":%d},\n", c->follow >= 0 && c->follow < m->nlinks ? m->link_body[c->follow] : 0);
}

static void page_json(const slip_replay_page *page, slip_stream *out)
{
    const slip_replay *first = page->runs[0];
    int i;

    slip_put_text(out, "{\"format\":1,\n");
    page_text(out, "title", page->title);
    page_text(out, "about", page->about);
    page_text(out, "command", page->command);
    page_number(out, "reference", page->reference >= 0 && page->reference < page->nruns ? page->reference : -1, 10);
    page_reals(out, "gravity", first->model->gravity, 3);
    page_camera(page, out);
    page_curves(out);
    page_bodies(first->model, out);
    page_colliders(first->def.world, out);
    page_shapes(first, out);
    page_meshes(first, out);
    page_key(out, "runs");
    slip_put_text(out, "[");
    for (i = 0; i < page->nruns; ++i) {
        if (i) slip_put_text(out, ",\n");
        page_run(page->runs[i], out);
    }
    slip_put_text(out, "]}\n");
}

/* ---- blocks ------------------------------------------------------------------------------------- */

typedef struct { slip_base64 state; slip_stream *out; } page_block;

static void block_u8(page_block *b, unsigned x)
{
    const unsigned char byte = (unsigned char)(x & 255u);

    slip_base64_put(&b->state, b->out, &byte, 1);
}

static void block_u16(page_block *b, unsigned x)
{
    const unsigned char byte[2] = { (unsigned char)(x & 255u), (unsigned char)(x >> 8 & 255u) };

    slip_base64_put(&b->state, b->out, byte, 2);
}

static void block_u32(page_block *b, uint32_t x)
{
    block_u16(b, x & 65535u);
    block_u16(b, x >> 16);
}

static void block_f32(page_block *b, float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    block_u32(b, bits);
}

static void block_begin(page_block *b, slip_stream *out, const char *id, int number)
{
    memset(b, 0, sizeof *b);
    b->out = out;
    slip_put_format(out, "<script type=\"text/plain\" id=\"%s%d\">", id, number);
}

static void block_end(page_block *b)
{
    slip_base64_end(&b->state, b->out);
    slip_put_text(b->out, "</script>\n");
}

/* Corners as 16 bits within the mesh's box, then triangles by 32-bit indices as two halves. */
static void block_hull_triangles(page_block *b, const slip_hull *h)
{
    int f, k;

    for (f = 0; f < h->nf; ++f)
        for (k = h->loop_start[f] + 1; k + 1 < h->loop_start[f + 1]; ++k) {
            block_u32(b, (uint32_t)h->loop[h->loop_start[f]]);
            block_u32(b, (uint32_t)h->loop[k]);
            block_u32(b, (uint32_t)h->loop[k + 1]);
        }
}

static void block_field_triangles(page_block *b, const slip_heightfield *f)
{
    int i, j;

    for (j = 0; j + 1 < f->ny; ++j)
        for (i = 0; i + 1 < f->nx; ++i) {
            const uint32_t v = (uint32_t)(j*f->nx + i), up = v + (uint32_t)f->nx;

            block_u32(b, v);  block_u32(b, v + 1);   block_u32(b, up + 1);
            block_u32(b, v);  block_u32(b, up + 1);  block_u32(b, up);
        }
}

static void block_mesh(page_block *b, const page_mesh *m)
{
    const slip_replay_visual *v = &m->from->visual;
    slip_real x[3];
    int i, k;

    for (i = 0; i < m->nv; ++i) {
        page_corner(m, i, x);
        for (k = 0; k < 3; ++k)
            block_u16(b, slip_pack_unit((float)x[k], (float)m->lo[k], (float)(m->hi[k] - m->lo[k])));
    }
    if (m->nv%2) block_u16(b, 0);                            /* keeps the indices on a multiple of 4 bytes */
    if (v->mesh) for (i = 0; i < 3*m->nt; ++i) block_u32(b, (uint32_t)v->mesh->triangle[i]);
    else if (v->shape.kind == SLIP_SHAPE_MESH) block_hull_triangles(b, v->shape.hull);
    else block_field_triangles(b, v->shape.field);
}

static void block_meshes(const slip_replay *rec, slip_stream *out)
{
    page_block b;
    int i;

    for (i = 0; i < rec->nshapes; ++i) {
        page_mesh m;

        if (rec->shapes[i].mesh != i) continue;
        m = page_mesh_of(&rec->shapes[i]);
        block_begin(&b, out, "mesh", i);
        block_mesh(&b, &m);
        block_end(&b);
    }
}

/* The box that a body's origin stays in. */
static void block_body_box(const slip_replay *rec, int body, float lo[3], float extent[3])
{
    float hi[3];
    int f, k;

    for (f = 0; f < rec->nframes; ++f) {
        const float *p = slip_replay_poses_at(rec, f) + 7*body;

        for (k = 0; k < 3; ++k) {
            lo[k] = f && lo[k] < p[k] ? lo[k] : p[k];
            hi[k] = f && hi[k] > p[k] ? hi[k] : p[k];
            extent[k] = hi[k] - lo[k];
        }
    }
}

static void block_contact_box(const slip_replay *rec, float lo[3], float extent[3])
{
    float hi[3] = { 0, 0, 0 };
    int f, i, k, any = 0;

    for (k = 0; k < 3; ++k) lo[k] = extent[k] = 0;
    for (f = 0; f < rec->nframes; ++f)
        for (i = 0; i < slip_replay_contacts(rec, f); ++i, any = 1) {
            const float *p = slip_replay_contact_at(rec, f, i)->point;

            for (k = 0; k < 3; ++k) {
                lo[k] = any && lo[k] < p[k] ? lo[k] : p[k];
                hi[k] = any && hi[k] > p[k] ? hi[k] : p[k];
                extent[k] = hi[k] - lo[k];
            }
        }
}

/* Largest impulse and velocity, at least tiny: halves are relative to them. */
static void block_scales(const slip_replay *rec, float *impulse, float *velocity)
{
    int f, i, k;

    *impulse = *velocity = 1e-30f;
    for (f = 0; f < rec->nframes; ++f)
        for (i = 0; i < slip_replay_contacts(rec, f); ++i) {
            const slip_replay_contact *c = slip_replay_contact_at(rec, f, i);

            for (k = 0; k < 3; ++k) {
                if (fabsf(c->impulse[k]) > *impulse) *impulse = fabsf(c->impulse[k]);
                if (fabsf(c->velocity[k]) > *velocity) *velocity = fabsf(c->velocity[k]);
            }
        }
}

enum { BLOCK_COLUMNS = 17, BLOCK_BYTES = 4 };

typedef struct { float lo[3], extent[3], impulse, velocity; } block_frame;

/* A contact's number for a 16-bit column. */
static unsigned block_column(const slip_replay_contact *c, const block_frame *s, int column)
{
    uint16_t q[3];

    if (column == 0) return (unsigned)c->collider_a & 65535u;
    if (column == 1) return (unsigned)c->collider_b & 65535u;
    if (column == 2) return (c->feature ^ c->feature >> 16) & 65535u;
    if (column < 6) return slip_pack_unit(c->point[column - 3], s->lo[column - 3], s->extent[column - 3]);
    if (column < 9) {
        slip_pack_quat(c->quat, q);
        return q[column - 6];
    }
    if (column < 12) return slip_pack_half(1024*c->impulse[column - 9]/s->impulse);
    if (column < 15) return slip_pack_half(1024*c->velocity[column - 12]/s->velocity);
    return slip_pack_half(column == 15 ? c->mu : c->gap);
}

static unsigned block_byte(const slip_replay_contact *c, int column)
{
    return column < 3 ? slip_pack_decade(c->eps[column]) : (unsigned)(c->state | c->broken << 2);
}

static void block_contacts(page_block *b, const slip_replay *rec, const block_frame *s)
{
    int f, i, column;

    for (column = 0; column < BLOCK_COLUMNS + BLOCK_BYTES; ++column)
        for (f = 0; f < rec->nframes; ++f)
            for (i = 0; i < slip_replay_contacts(rec, f); ++i) {
                const slip_replay_contact *c = slip_replay_contact_at(rec, f, i);

                if (column < BLOCK_COLUMNS) block_u16(b, block_column(c, s, column));
                else block_u8(b, block_byte(c, column - BLOCK_COLUMNS));
            }
}

/* Frame by frame, body by body: three numbers within the body's box and a quaternion. Boxes are found anew for each
 * body: the poses are stored by frame, so the outer loop goes over bodies and the page's order is by body. */
static void block_poses(page_block *b, const slip_replay *rec)
{
    int body, f, k;

    for (body = 0; body < rec->nb; ++body) {
        float lo[3] = { 0, 0, 0 }, extent[3] = { 0, 0, 0 };

        block_body_box(rec, body, lo, extent);
        for (f = 0; f < rec->nframes; ++f) {
            const float *p = slip_replay_poses_at(rec, f) + 7*body;
            uint16_t q[3];

            for (k = 0; k < 3; ++k) block_u16(b, slip_pack_unit(p[k], lo[k], extent[k]));
            slip_pack_quat(p + 3, q);
            for (k = 0; k < 3; ++k) block_u16(b, q[k]);
        }
    }
}

static void block_heads(page_block *b, const slip_replay *rec, const block_frame *s)
{
    int f, k, c, body;
    uint32_t start = 0;

    for (f = 0; f < rec->nframes; ++f) block_f32(b, slip_replay_frame_at(rec, f)->time);
    for (c = 0; c < SLIP_CURVES; ++c)
        for (f = 0; f < rec->nframes; ++f) block_f32(b, slip_replay_frame_at(rec, f)->curve[c]);
    for (body = 0; body < rec->nb; ++body) {
        float lo[3] = { 0, 0, 0 }, extent[3] = { 0, 0, 0 };

        block_body_box(rec, body, lo, extent);
        for (k = 0; k < 3; ++k) block_f32(b, lo[k]);
        for (k = 0; k < 3; ++k) block_f32(b, extent[k]);
    }
    for (k = 0; k < 3; ++k) block_f32(b, s->lo[k]);
    for (k = 0; k < 3; ++k) block_f32(b, s->extent[k]);
    block_f32(b, s->impulse/1024);
    block_f32(b, s->velocity/1024);
    for (f = 0; f < rec->nframes; ++f) {
        block_u32(b, start);
        start += (uint32_t)slip_replay_contacts(rec, f);
    }
    block_u32(b, start);
}

static void block_run(const slip_replay *rec, int number, slip_stream *out)
{
    block_frame s;
    page_block b;

    block_contact_box(rec, s.lo, s.extent);
    block_scales(rec, &s.impulse, &s.velocity);
    block_begin(&b, out, "run", number);
    block_heads(&b, rec, &s);
    block_poses(&b, rec);
    block_contacts(&b, rec, &s);
    block_end(&b);
}

/* ---- the page ----------------------------------------------------------------------------------- */

void slip_replay_describe(const slip_replay_page *page, slip_stream *out)
{
    slip_put_text(out, "<script type=\"application/json\" id=\"about\">");
    page_json(page, out);
    slip_put_text(out, "</script>\n");
    block_meshes(page->runs[0], out);
}

slip_status slip_replay_write(const slip_replay_page *page, slip_stream *out)
{
    int i;

    if (page->nruns < 1) return SLIP_ERR_ARGUMENT;
    for (i = 0; i < page->nruns; ++i) {
        const slip_replay *r = page->runs[i];

        if (r->nframes < 1 || r->nb != page->runs[0]->nb || r->nshapes != page->runs[0]->nshapes
            || r->def.world->ncolliders != page->runs[0]->def.world->ncolliders) return SLIP_ERR_ARGUMENT;
    }
    slip_put_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    slip_put_xml(out, page->title && *page->title ? page->title : "replay");
    slip_put_text(out, " \xc2\xb7 slipstick</title>\n");
    page_pieces(out, slip_replay_page_head());
    slip_replay_describe(page, out);
    for (i = 0; i < page->nruns; ++i) block_run(page->runs[i], i, out);
    page_pieces(out, slip_replay_page_tail());
    return slip_stream_flush(out);
}
