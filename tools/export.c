/* Writes models and worlds as C: numbers as the shortest decimals that read back to the same bits. See export.h. */
#include "export.h"

#include <ctype.h>
#include <string.h>

/* ---- numbers and lists ------------------------------------------------------------------------------------- */

/* A literal of the working precision. */
static void put_real(FILE *out, slip_real x)
{
    const char *suffix = sizeof(slip_real) == sizeof(float) ? "f" : "";
    char text[SLIP_NUMBER_SIZE];

    if (!(x - x == 0)) {                                 /* INFINITY is a float, and for tcc no constant */
        fprintf(out, "(slip_real)(%s/0.0)", x > 0 ? "1.0" : x < 0 ? "-1.0" : "0.0");
        return;
    }
    slip_print_real(x, 0, text);
    fprintf(out, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", suffix);
}

/* Lists break after `width` entries. Those without entries get one: C has no arrays of none. */
static void put_reals(FILE *out, const slip_real *x, int n, int width)
{
    int i;

    fputs("{", out);
    for (i = 0; i < n; ++i) {
        fputs(i % width == 0 && n > width ? "\n    " : " ", out);
        put_real(out, x[i]);
        if (i + 1 < n) fputs(",", out);
    }
    fputs(n == 0 ? " 0 }" : n > width ? "\n}" : " }", out);
}

static void list_reals(FILE *out, const char *name, const char *field, const slip_real *x, int n, int width)
{
    fprintf(out, "static const slip_real %s_%s[] = ", name, field);
    put_reals(out, x, n, width);
    fputs(";\n", out);
}

static void list_ints(FILE *out, const char *name, const char *field, const int *x, int n)
{
    enum { WIDTH = 20 };
    int i;

    fprintf(out, "static const int %s_%s[] = {", name, field);
    for (i = 0; i < n; ++i)
        fprintf(out, "%s%d%s", i % WIDTH == 0 && n > WIDTH ? "\n    " : " ", x[i], i + 1 < n ? "," : "");
    fputs(n == 0 ? " 0 };\n" : n > WIDTH ? "\n};\n" : " };\n", out);
}

static void put_text(FILE *out, const char *s)
{
    if (!s) { fputs("NULL", out);  return; }
    fputs("\"", out);
    for (; *s; ++s) {
        if (*s == '"' || *s == '\\' || *s == '?') fprintf(out, "\\%c", *s);
        else if (!isprint((unsigned char)*s)) fprintf(out, "\\%03o", (unsigned)(unsigned char)*s);
        else fputc(*s, out);
    }
    fputs("\"", out);
}

static void list_texts(FILE *out, const char *name, const char *field, const char *const *text, int n)
{
    int i;

    fprintf(out, "static const char *const %s_%s[] = {", name, field);
    for (i = 0; i < n; ++i) {
        fputs(i % 4 == 0 ? "\n    " : " ", out);
        put_text(out, text[i]);
        if (i + 1 < n) fputs(",", out);
    }
    fputs(n == 0 ? " 0 };\n" : "\n};\n", out);
}

static void put_pose(FILE *out, const slip_pose *X)
{
    fputs("{ ", out);
    put_reals(out, X->R, 9, 9);
    fputs(", ", out);
    put_reals(out, X->p, 3, 3);
    fputs(" }", out);
}

static void list_poses(FILE *out, const char *name, const char *field, const slip_pose *X, int n)
{
    int i;

    fprintf(out, "static const slip_pose %s_%s[] = {", name, field);
    for (i = 0; i < n; ++i) {
        fputs("\n    ", out);
        put_pose(out, &X[i]);
        if (i + 1 < n) fputs(",", out);
    }
    fputs(n == 0 ? " { { 0 }, { 0 } } };\n" : "\n};\n", out);
}

/* ---- the model --------------------------------------------------------------------------------------------- */

/* The arrays of a model, by the names of their fields. One that begins with the numbers of another is not written
 * again: most joints have no offset, damping or friction, and without mimic joints freedoms are coordinates. */
typedef struct {
    const char *field;
    const int *ints;
    const slip_real *reals;
    int n, width;
    const char *as;                      /* the field whose array it shares; its own: none before it   */
} export_array;

enum { EXPORT_ARRAYS = 40 };

static void model_arrays(const slip_model *m, export_array list[EXPORT_ARRAYS])
{
    const int nb = m->nbodies, nd = m->ndofs, nv = m->nv, nl = m->nlinks, nj = m->njoints;
    const export_array all[EXPORT_ARRAYS] = {
        { "parent", m->parent, 0, nb, 0, 0 }, { "type", m->type, 0, nb, 0, 0 }, { "iq", m->iq, 0, nb, 0, 0 },
        { "idof", m->idof, 0, nb, 0, 0 }, { "angle", m->angle, 0, nb, 0, 0 },
        { "body_joint", m->body_joint, 0, nb, 0, 0 }, { "body_link", m->body_link, 0, nb, 0, 0 },
        { "dof_body", m->dof_body, 0, nd, 0, 0 }, { "dof_axis", m->dof_axis, 0, nd, 0, 0 },
        { "dof_angular", m->dof_angular, 0, nd, 0, 0 }, { "dof_iv", m->dof_iv, 0, nd, 0, 0 },
        { "limit_iq", m->limit_iq, 0, nv, 0, 0 }, { "link_body", m->link_body, 0, nl, 0, 0 },
        { "joint_type", m->joint_type, 0, nj, 0, 0 }, { "joint_body", m->joint_body, 0, nj, 0, 0 },
        { "mimics", m->mimics, 0, nb, 0, 0 },
        { "dofs_parent", m->dofs.parent, 0, nd, 0, 0 }, { "dofs_depth", m->dofs.depth, 0, nd, 0, 0 },
        { "dofs_row", m->dofs.row, 0, nd, 0, 0 }, { "dofs_path", m->dofs.path, 0, m->dofs.size, 0, 0 },
        { "dofs_run", m->dofs.run, 0, nd, 0, 0 },
        { "branches_parent", m->branches.parent, 0, nv, 0, 0 }, { "branches_depth", m->branches.depth, 0, nv, 0, 0 },
        { "branches_row", m->branches.row, 0, nv, 0, 0 },
        { "branches_path", m->branches.path, 0, m->branches.size, 0, 0 },
        { "branches_run", m->branches.run, 0, nv, 0, 0 },
        { "inertia", 0, m->inertia, 10*nb, 10, 0 }, { "body_mass", 0, m->body_mass, nb, 10, 0 },
        { "offset", 0, m->offset, nb, 10, 0 }, { "scale", 0, m->scale, nb, 10, 0 }, { "turn", 0, m->turn, nb, 10, 0 },
        { "dof_armature", 0, m->dof_armature, nd, 10, 0 }, { "dof_scale", 0, m->dof_scale, nd, 10, 0 },
        { "armature", 0, m->armature, nv, 10, 0 }, { "damping", 0, m->damping, nv, 10, 0 },
        { "friction", 0, m->friction, nv, 10, 0 }, { "velocity_limit", 0, m->velocity_limit, nv, 10, 0 },
        { "effort_limit", 0, m->effort_limit, nv, 10, 0 }, { "lower", 0, m->lower, nv, 10, 0 },
        { "upper", 0, m->upper, nv, 10, 0 } };
    int i, k;

    memcpy(list, all, sizeof all);
    for (i = 0; i < EXPORT_ARRAYS; ++i) {
        export_array *a = &list[i];
        const size_t bytes = (size_t)a->n*(a->ints ? sizeof(int) : sizeof(slip_real));

        a->as = a->field;
        for (k = 0; k < i; ++k) {
            const export_array *b = &list[k];

            if (!a->ints != !b->ints || a->n > b->n || a->n == 0) continue;
            if (memcmp(a->ints ? (const void *)a->ints : a->reals, b->ints ? (const void *)b->ints : b->reals, bytes)
                == 0) { a->as = b->as;  break; }
        }
    }
}

static const char *shared_name(const export_array *list, const char *field)
{
    int i = 0;

    while (strcmp(list[i].field, field) != 0) ++i;
    return list[i].as;
}

static void list_model(FILE *out, const char *name, const slip_model *m, const export_array *list)
{
    int i;

    for (i = 0; i < EXPORT_ARRAYS; ++i) {
        const export_array *a = &list[i];

        if (a->as != a->field) continue;
        if (a->ints) list_ints(out, name, a->field, a->ints, a->n);
        else list_reals(out, name, a->field, a->reals, a->n, a->width);
    }
    list_poses(out, name, "tree", m->tree, m->nbodies);
    list_poses(out, name, "link_pose", m->link_pose, m->nlinks);
    list_texts(out, name, "link_name", m->link_name, m->nlinks);
    list_texts(out, name, "joint_name", m->joint_name, m->njoints);
}

static void put_branches(FILE *out, const char *name, const char *field, const slip_branches *b,
                         const export_array *list)
{
    static const char *const parts[] = { "parent", "depth", "row", "path", "run" };
    char part[32];
    size_t i;

    fprintf(out, "    .%s = { %d, %d", field, b->n, b->size);
    for (i = 0; i < sizeof parts/sizeof *parts; ++i) {
        sprintf(part, "%s_%s", field, parts[i]);
        fprintf(out, ", %s_%s", name, shared_name(list, part));
    }
    fputs(" },\n", out);
}

static void put_model(FILE *out, const char *name, const slip_model *m, const export_array *list)
{
    static const char *const others[] = { "tree", "link_pose", "link_name", "joint_name" };
    size_t i;

    fprintf(out, "\nconst slip_model %s_model = {\n    .name = ", name);
    put_text(out, m->name);
    fprintf(out, ",\n    .nq = %d, .nv = %d, .nbodies = %d, .ndofs = %d, .nlinks = %d, .njoints = %d,\n    .gravity = ",
            m->nq, m->nv, m->nbodies, m->ndofs, m->nlinks, m->njoints);
    put_reals(out, m->gravity, 3, 3);
    fputs(",\n", out);
    if (m->idle > 0) fprintf(out, "    .idle = %d,\n", m->idle);
    put_branches(out, name, "dofs", &m->dofs, list);
    put_branches(out, name, "branches", &m->branches, list);
    for (i = 0; i < EXPORT_ARRAYS; ++i)
        if (strncmp(list[i].field, "dofs_", 5) != 0 && strncmp(list[i].field, "branches_", 9) != 0)
            fprintf(out, "    .%s = %s_%s,\n", list[i].field, name, list[i].as);
    for (i = 0; i < sizeof others/sizeof *others; ++i) fprintf(out, "    .%s = %s_%s,\n", others[i], name, others[i]);
    fputs("};\n", out);
}

/* ---- shapes ------------------------------------------------------------------------------------------------ */

static void list_hull(FILE *out, const char *name, const slip_hull *h)
{
    const int loops = h->nf > 0 ? h->loop_start[h->nf] : 0, adjacent = h->adj_start[h->nv];

    list_reals(out, name, "vertex", h->vertex, 3*h->nv, 3);
    list_reals(out, name, "soa", h->soa, 3*h->stride, 8);
    list_reals(out, name, "plane", h->plane, 4*h->nf, 4);
    list_ints(out, name, "loop_start", h->loop_start, h->nf > 0 ? h->nf + 1 : 0);
    list_ints(out, name, "loop", h->loop, loops);
    list_ints(out, name, "loop_twin", h->loop_twin, loops);
    list_ints(out, name, "edge", h->edge, 4*h->ne);
    list_ints(out, name, "adj_start", h->adj_start, h->nv + 1);
    list_ints(out, name, "adj", h->adj, adjacent);
    list_ints(out, name, "adj_face", h->adj_face, adjacent);
    fprintf(out, "static const slip_hull %s = {\n    .nv = %d, .nf = %d, .ne = %d, .stride = %d,\n    .vertex = "
            "%s_vertex, .soa = %s_soa, .plane = %s_plane, .loop_start = %s_loop_start, .loop = %s_loop,\n    "
            ".loop_twin = %s_loop_twin, .edge = %s_edge, .adj_start = %s_adj_start, .adj = %s_adj, .adj_face = "
            "%s_adj_face,\n    .lo = ", name, h->nv, h->nf, h->ne, h->stride, name, name, name, name, name, name, name,
            name, name, name);
    put_reals(out, h->lo, 3, 3);
    fputs(", .hi = ", out);
    put_reals(out, h->hi, 3, 3);
    fputs(", .centre = ", out);
    put_reals(out, h->centre, 3, 3);
    fputs(",\n    .radius = ", out);
    put_real(out, h->radius);
    fputs(", .reach = ", out);
    put_real(out, h->reach);
    fputs("\n};\n", out);
}

static void list_field(FILE *out, const char *name, const slip_heightfield *f)
{
    const slip_real sizes[] = { f->dx, f->dy, f->x0, f->y0, f->lo, f->hi };
    static const char *const fields[] = { "dx", "dy", "x0", "y0", "lo", "hi" };
    size_t i;

    list_reals(out, name, "height", f->height, f->nx*f->ny, 10);
    list_reals(out, name, "block", f->block, 2*f->bx*f->by, 10);
    fprintf(out, "static const slip_heightfield %s = {\n    .nx = %d, .ny = %d, .bx = %d, .by = %d, .height = "
            "%s_height, .block = %s_block", name, f->nx, f->ny, f->bx, f->by, name, name);
    for (i = 0; i < sizeof sizes/sizeof *sizes; ++i) {
        fprintf(out, ", .%s = ", fields[i]);
        put_real(out, sizes[i]);
    }
    fputs("\n};\n", out);
}

/* The collider whose hull or field collider i shares: the first with it. */
static int first_with_data(const slip_world_def *d, int i)
{
    int k = 0;

    while (d->colliders[k].shape.hull != d->colliders[i].shape.hull
           || d->colliders[k].shape.field != d->colliders[i].shape.field) ++k;
    return k;
}

static void list_shapes(FILE *out, const char *name, const slip_world_def *d)
{
    char part[256];
    int i;

    for (i = 0; i < d->ncolliders; ++i) {
        const slip_shape *s = &d->colliders[i].shape;

        if ((!s->hull && !s->field) || first_with_data(d, i) != i) continue;
        sprintf(part, "%.200s_shape%d", name, i);
        if (s->hull) list_hull(out, part, s->hull);
        else list_field(out, part, s->field);
    }
}

/* ---- the world --------------------------------------------------------------------------------------------- */

static void list_colliders(FILE *out, const char *name, const slip_world_def *d)
{
    int i;

    fprintf(out, "\nstatic const slip_collider_def %s_colliders[] = {", name);
    for (i = 0; i < d->ncolliders; ++i) {
        const slip_collider_def *c = &d->colliders[i];

        fputs("\n    { .name = ", out);
        put_text(out, c->name);
        fprintf(out, ", .link = %d, .material = %d, .group = %uu, .mask = %uu,\n      .shape = { .kind = "
                "(slip_shape_kind)%d, .radius = ", c->link, c->material, c->group, c->mask, (int)c->shape.kind);
        put_real(out, c->shape.radius);
        fputs(", .half = ", out);
        put_reals(out, c->shape.half, 3, 3);
        if (c->shape.hull) fprintf(out, ", .hull = &%s_shape%d", name, first_with_data(d, i));
        if (c->shape.field) fprintf(out, ", .field = &%s_shape%d", name, first_with_data(d, i));
        fputs(" },\n      .pose = ", out);
        put_pose(out, &c->pose);
        fputs(",\n      .surface_velocity = ", out);
        put_reals(out, c->surface_velocity, 6, 6);
        fputs(i + 1 < d->ncolliders ? " }," : " }", out);
    }
    fputs(d->ncolliders == 0 ? " { 0 } };\n" : "\n};\n", out);
}

static void put_material(FILE *out, const slip_material *m)
{
    const slip_real x[] = { m->friction, m->restitution, m->stiffness, m->damping, m->tangent_stiffness,
                            m->tangent_damping, m->torsion, m->rolling, m->time_constant, m->damping_ratio, m->d_min,
                            m->d_max, m->width };

    put_reals(out, x, 13, 13);
}

static void list_materials(FILE *out, const char *name, const slip_world_def *d)
{
    int i;

    fprintf(out, "\nstatic const slip_material %s_materials[] = {", name);
    for (i = 0; i < d->nmaterials; ++i) {
        fputs(i ? ",\n    " : "\n    ", out);
        put_material(out, &d->materials[i]);
    }
    fputs(d->nmaterials == 0 ? " { 0 } };\n" : "\n};\n", out);
    fprintf(out, "static const slip_material_pair %s_material_pairs[] = {", name);
    for (i = 0; i < d->nmaterial_pairs; ++i) {
        fprintf(out, "%s\n    { %d, %d, ", i ? "," : "", d->material_pairs[i].a, d->material_pairs[i].b);
        put_material(out, &d->material_pairs[i].material);
        fputs(" }", out);
    }
    fputs(d->nmaterial_pairs == 0 ? " { 0, 0, { 0 } } };\n" : "\n};\n", out);
}

static void list_pairs_and_loops(FILE *out, const char *name, const slip_world_def *d)
{
    int i;

    fprintf(out, "static const int %s_excludes[][2] = {", name);
    for (i = 0; i < d->nexcludes; ++i)
        fprintf(out, "%s{ %d, %d }%s", i % 8 == 0 ? "\n    " : " ", d->excludes[i][0], d->excludes[i][1],
                i + 1 < d->nexcludes ? "," : "");
    fputs(d->nexcludes == 0 ? " { 0, 0 } };\n" : "\n};\n", out);
    fprintf(out, "static const slip_loop_def %s_loops[] = {", name);
    for (i = 0; i < d->nloops; ++i) {
        const slip_loop_def *l = &d->loops[i];

        fputs(i ? ",\n    { " : "\n    { ", out);
        put_text(out, l->name);
        fprintf(out, ", (slip_loop_kind)%d, %d, %d,\n      ", (int)l->kind, l->link_a, l->link_b);
        put_pose(out, &l->frame_a);
        fputs(",\n      ", out);
        put_pose(out, &l->frame_b);
        fputs(",\n      ", out);
        put_real(out, l->stiffness);
        fputs(", ", out);
        put_real(out, l->damping);
        fputs(", ", out);
        put_real(out, l->length);
        fputs(" }", out);
    }
    fputs(d->nloops == 0 ? " { 0, SLIP_LOOP_BALL, 0, 0, { { 0 }, { 0 } }, { { 0 }, { 0 } }, 0, 0, 0 } };\n" : "\n};\n", out);
}

/* ---- options ----------------------------------------------------------------------------------------------- */

typedef struct { const char *field; slip_real x; } export_number;
typedef struct { const char *field, *type; int x; } export_choice;

static void put_numbers(FILE *out, const char *indent, const export_number *f, size_t n)
{
    size_t i;

    for (i = 0; i < n; ++i) {
        fprintf(out, "%s.%s = ", i % 5 == 0 ? indent : " ", f[i].field);
        put_real(out, f[i].x);
        fputs(",", out);
    }
}

static void put_choices(FILE *out, const char *indent, const export_choice *f, size_t n)
{
    size_t i;

    for (i = 0; i < n; ++i) fprintf(out, "%s.%s = %s%d,", i % 5 == 0 ? indent : " ", f[i].field, f[i].type, f[i].x);
}

static void put_solver_options(FILE *out, const slip_solver_options *o)
{
    const export_number numbers[] = {
        { "tol", o->tol }, { "relaxation", o->relaxation }, { "alpha", o->alpha }, { "alpha_decay", o->alpha_decay },
        { "alpha_min", o->alpha_min }, { "rho", o->rho }, { "rho_tube", o->rho_tube }, { "rho_power", o->rho_power },
        { "rho_factor", o->rho_factor }, { "eta", o->eta }, { "over_relaxation", o->over_relaxation },
        { "regularization", o->regularization }, { "barrier", o->barrier }, { "elastic", o->elastic },
        { "r_min", o->r_min }, { "r_max", o->r_max }, { "d_max", o->d_max }, { "barrier_final", o->barrier_final } };
    const export_choice choices[] = {
        { "tol_rule", "(slip_tol_rule)", (int)o->tol_rule }, { "stop", "(slip_stop_rule)", (int)o->stop },
        { "max_iterations", "", o->max_iterations }, { "step", "(slip_step_rule)", (int)o->step },
        { "patience", "", o->patience }, { "rho_rule", "(slip_rho_rule)", (int)o->rho_rule },
        { "rho_every", "", o->rho_every }, { "facets", "", o->facets },
        { "sweeps", "", o->sweeps } };

    fputs("        .solve = {", out);
    put_choices(out, "\n            ", choices, sizeof choices/sizeof *choices);
    put_numbers(out, "\n            ", numbers, sizeof numbers/sizeof *numbers);
    fputs(" },\n", out);
}

static void put_law(FILE *out, const slip_contact_law *l)
{
    const export_number numbers[] = {
        { "cfm", l->cfm }, { "cfm_share", l->cfm_share }, { "time_constant", l->time_constant },
        { "damping_ratio", l->damping_ratio }, { "d_min", l->d_min }, { "d_max", l->d_max }, { "width", l->width },
        { "midpoint", l->midpoint }, { "power", l->power }, { "friction_ratio", l->friction_ratio },
        { "stiffness", l->stiffness }, { "allowance", l->allowance }, { "relaxation_time", l->relaxation_time },
        { "near_rigid", l->near_rigid }, { "stiction", l->stiction } };

    fprintf(out, "        .law = { .kind = (slip_law_kind)%d, .overlap = %d,", (int)l->kind, l->overlap);
    put_numbers(out, "\n            ", numbers, sizeof numbers/sizeof *numbers);
    fputs(" },", out);
}

/* The C name of a solver's constant. */
static void put_solver(FILE *out, const slip_solver *s)
{
    const char *c;

    fputs("&slip_solver_", out);
    for (c = s->id; *c; ++c) fputc(*c == '-' ? '_' : *c, out);
}

static void put_options(FILE *out, const slip_world_options *o)
{
    const export_number numbers[] = {
        { "dt", o->dt }, { "margin", o->margin }, { "erp", o->erp }, { "ring", o->ring }, { "slop", o->slop },
        { "max_push", o->max_push }, { "max_pull", o->max_pull }, { "rest_speed", o->rest_speed },
        { "sleep", o->sleep }, { "sleep_time", o->sleep_time }, { "warm_share", o->warm_share },
        { "reuse", o->reuse } };
    const export_choice choices[] = {
        { "integrator", "(slip_integrator)", (int)o->integrator }, { "impact", "(slip_impact_law)", (int)o->impact },
        { "mix", "(slip_mix_rule)", (int)o->mix }, { "parent_child", "", o->parent_child }, { "self", "", o->self },
        { "max_contacts", "", o->max_contacts }, { "max_pairs", "", o->max_pairs }, { "work", "", o->work },
        { "islands", "", o->islands }, { "warm_start", "", o->warm_start }, { "soften", "", o->soften },
        { "correct", "", o->correct }, { "exact_mean", "", o->exact_mean },
        { "step_iterations", "", o->step_iterations }, { "scratch_rows", "", o->scratch_rows } };

    fputs("    .options = {\n        .solver = ", out);
    put_solver(out, o->solver);
    fputs(",\n", out);
    put_solver_options(out, &o->solve);
    put_law(out, &o->law);
    put_choices(out, "\n        ", choices, sizeof choices/sizeof *choices);
    put_numbers(out, "\n        ", numbers, sizeof numbers/sizeof *numbers);
    fputs("\n    }\n", out);
}

/* ---- the two files ----------------------------------------------------------------------------------------- */

static void list_start(FILE *out, const export_robot *r)
{
    int i;

    fprintf(out, "\nconst slip_real %s_q[] = ", r->name);
    put_reals(out, r->q, r->model->nq, 10);
    fprintf(out, ";\nconst slip_real %s_v[] = ", r->name);
    put_reals(out, r->v, r->model->nv, 10);
    fprintf(out, ";\nconst slip_drive %s_drives[] = {", r->name);
    for (i = 0; i < r->model->nv; ++i) {
        const slip_drive *d = &r->drives[i];
        const slip_real x[] = { d->kp, d->kd, d->q_ref, d->v_ref, d->feed, d->effort };
        int k;

        fputs("\n    { ", out);
        for (k = 0; k < 6; ++k) { put_real(out, x[k]);  fputs(", ", out); }
        fprintf(out, "%d }%s", d->implicit, i + 1 < r->model->nv ? "," : "");
    }
    fputs(r->model->nv == 0 ? " { 0 } };\n" : "\n};\n", out);
}

static void put_world(FILE *out, const export_robot *r)
{
    const slip_world_def *d = r->world;
    int i;

    fprintf(out, "\nconst slip_world_def %s_world = {\n    .model = &%s_model, .ncolliders = %d, .nmaterials = %d, "
            ".nmaterial_pairs = %d, .nexcludes = %d, .nloops = %d,\n", r->name, r->name, d->ncolliders, d->nmaterials,
            d->nmaterial_pairs, d->nexcludes, d->nloops);
    fprintf(out, "    .colliders = %s_colliders, .materials = %s_materials, .material_pairs = %s_material_pairs,\n"
            "    .excludes = %s_excludes, .loops = %s_loops,\n", r->name, r->name, r->name, r->name, r->name);
    put_options(out, &d->options);
    fprintf(out, "};\n\nconst slip_solver *const %s_solvers[] = {", r->name);
    for (i = 0; i < r->nsolvers; ++i) {
        fputs(i ? ", " : " ", out);
        put_solver(out, r->solvers[i]);
    }
    fputs(" };\n", out);
}

void export_source(FILE *out, const export_robot *r)
{
    const char *name = r->name;
    export_array arrays[EXPORT_ARRAYS];

    fprintf(out, "/* %s: made from %s by `slipstick export`, version %s, in %s. */\n#include \"%s\"\n\n"
            "#include <string.h>\n\n", name, r->source, SLIP_VERSION, SLIP_REAL_NAME, r->header);
    model_arrays(r->model, arrays);
    list_model(out, name, r->model, arrays);
    put_model(out, name, r->model, arrays);
    list_shapes(out, name, r->world);
    list_colliders(out, name, r->world);
    list_materials(out, name, r->world);
    list_pairs_and_loops(out, name, r->world);
    put_world(out, r);
    list_start(out, r);
    fprintf(out, "\nvoid %s_reset(slip_world *world)\n{\n    int i;\n\n"
            "    memcpy(slip_world_q(world), %s_q, sizeof %s_q);\n    memcpy(slip_world_v(world), %s_v, sizeof %s_v);\n"
            "    for (i = 0; i < %d; ++i) *slip_world_drive(world, i) = %s_drives[i];\n}\n", name, name, name, name,
            name, r->model->nv, name);
    fprintf(out, "\nslip_status %s_start(slip_arena *mem, slip_world **world, slip_error *err)\n{\n"
            "    const slip_status s = slip_world_create(&%s_world, mem, world, NULL, err);\n\n"
            "    if (s >= 0) %s_reset(*world);\n    return s;\n}\n", name, name, name);
}

/* A letter of an identifier in capitals. */
static int export_letter(char c) { return isalnum((unsigned char)c) ? toupper((unsigned char)c) : '_'; }

/* An identifier in capitals. */
static void put_capitals(FILE *out, const char *name)
{
    for (; *name; ++name) fputc(export_letter(*name), out);
}

static void put_constant(FILE *out, const char *name, const char *what, long value, const char *about)
{
    fputs("#define ", out);
    put_capitals(out, name);
    fprintf(out, "_%s %ld", what, value);
    fprintf(out, "%*s/* %s */\n", 2, "", about);
}

/* Kinds of shapes, as SLIP_SHAPES has them. */
static long export_shapes(const slip_world_def *d)
{
    long kinds = 0;
    int i;

    for (i = 0; i < d->ncolliders; ++i) kinds |= 1L << d->colliders[i].shape.kind;
    return kinds;
}

/* Whether two names are the same identifier in capitals. */
static int export_same(const char *a, const char *b)
{
    while (*a && *b && export_letter(*a) == export_letter(*b)) ++a, ++b;
    return *a == *b;
}

/* Name i of a list in capitals. Where another one is the same in capitals ("a-b", "a_b", "A_B"), its number follows
 * after two underscores, as it does where the name itself has two. */
static void put_unique(FILE *out, const char *const *name, int n, int i)
{
    const char *c;
    int k, unclear = 0;

    put_capitals(out, name[i]);
    for (k = 0; k < n; ++k) unclear |= k != i && export_same(name[k], name[i]);
    for (c = name[i]; *c && c[1]; ++c) unclear |= export_letter(*c) == '_' && export_letter(c[1]) == '_';
    if (unclear) fprintf(out, "__%d", i);
}

/* Where the joints are in q and v. */
static void put_places(FILE *out, const char *name, const slip_model *m)
{
    int i;

    fputs("\n/* Joints: the first of their coordinates in q and in v. */\nenum {\n", out);
    for (i = 0; i < m->njoints; ++i) {
        slip_joint_place at;

        if (slip_model_find_place(m, m->joint_name[i], &at) < 0 || at.iq < 0) continue;
        fputs("    ", out);
        put_capitals(out, name);
        fputs("_Q_", out);
        put_unique(out, m->joint_name, m->njoints, i);
        fprintf(out, " = %d, ", at.iq);
        put_capitals(out, name);
        fputs("_V_", out);
        put_unique(out, m->joint_name, m->njoints, i);
        fprintf(out, " = %d,\n", at.iv);
    }
    fputs("    ", out);
    put_capitals(out, name);
    fputs("_JOINTS_END\n};\n\n/* Links, in the numbering of the model. */\nenum {\n", out);
    for (i = 0; i < m->nlinks; ++i) {
        fputs("    ", out);
        put_capitals(out, name);
        fputs("_LINK_", out);
        put_unique(out, m->link_name, m->nlinks, i);
        fprintf(out, " = %d,\n", i);
    }
    fputs("    ", out);
    put_capitals(out, name);
    fputs("_LINKS_END\n};\n", out);
}

void export_header(FILE *out, const export_robot *r)
{
    const char *name = r->name;
    const int is_float = sizeof(slip_real) == sizeof(float);

    fprintf(out, "/* %s: made from %s by `slipstick export`, version %s, in %s.\n *\n"
            " *     static unsigned char memory[", name, r->source, SLIP_VERSION, SLIP_REAL_NAME);
    put_capitals(out, name);
    fprintf(out, "_ARENA_BYTES];\n *     slip_arena mem = slip_arena_over(memory, sizeof memory);\n"
            " *     slip_world *world;\n *     if (%s_start(&mem, &world, NULL) == SLIP_OK) for (;;) slip_step(world); "
            "*/\n#ifndef ", name);
    put_capitals(out, name);
    fputs("_EXPORT_H\n#define ", out);
    put_capitals(out, name);
    fprintf(out, "_EXPORT_H\n\n#include \"slipstick.h\"\n\n#if%s SLIP_REAL_FLOAT\n#error \"%s was exported in %s\"\n"
            "#endif\n#if SLIP_LANES != %d\n#error \"%s was exported for SLIP_LANES %d\"\n#endif\n\n",
            is_float ? "ndef" : "def", name, SLIP_REAL_NAME, SLIP_LANES, name, SLIP_LANES);
    put_constant(out, name, "NQ", r->model->nq, "coordinates of q ...");
    put_constant(out, name, "NV", r->model->nv, "... and of v");
    put_constant(out, name, "DATA_BYTES", (long)r->data_bytes, "slip_data_create(): dynamics alone");
    put_constant(out, name, "ARENA_BYTES", (long)r->arena_bytes, "the world, with any of the solvers");
    put_constant(out, name, "STACK_BYTES", (long)r->stack_bytes, "the deepest stack met while it was made and stepped");
    put_constant(out, name, "WORST_ITERATIONS", r->worst.iterations,
                 "most that a step took of a budget, in a hostile set of states");
    put_constant(out, name, "WORST_CONTACTS", r->worst.contacts, "contacts at most in these steps");
    put_constant(out, name, "SHAPES", export_shapes(r->world), "slipstick.c may be built with this as SLIP_SHAPES");
    fprintf(out, "/* The sizes are those of %d-bit addresses; on machines with shorter ones they are enough. */\n\n",
            (int)(8*sizeof(void *)));
    fprintf(out, "extern const slip_model %s_model;\nextern const slip_world_def %s_world;\n"
            "extern const slip_real %s_q[], %s_v[];              /* the start */\n"
            "extern const slip_drive %s_drives[];\n", name, name, name, name, name);
    fprintf(out, "extern const slip_solver *const %s_solvers[];     /* %d; the first is the world's */\n", name,
            r->nsolvers);
    put_places(out, name, r->model);
    fprintf(out, "\n/* A world in the starting state, and putting it back there. */\n"
            "slip_status %s_start(slip_arena *mem, slip_world **world, slip_error *err);\n"
            "void %s_reset(slip_world *world);\n\n#endif\n", name, name);
}
