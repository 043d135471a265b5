/* Free parameters: their names, the numbers x that stand for them, and worlds that have them. See fit.h.
 *
 * The mass, the centre of mass c and the second moment of mass about it, S = sum m_i (r_i - c)(r_i - c)', are those of
 * some body exactly if m > 0 and S is positive definite: then the pseudo-inertia [S + m c c', m c; m c', m] is, of
 * which m and S are the blocks of its factorisation. So log m, c and the Cholesky factor of S with the logarithms of
 * its diagonal take any values (docs/fit.md). I = tr(S) 1 - S. */
#include "fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIT_TOL SLIP_TOL(1e-10, 1e-6)        /* of contact problems */

typedef enum { FIT_OF_SURFACE, FIT_OF_LINK, FIT_OF_JOINT } fit_owner;

typedef struct {
    const char *name, *unit;
    fit_owner owner;
    int count, is_log;
    double lo, hi;               /* of a single number that is reported */
} fit_kind_info;

static const fit_kind_info fit_kinds[FIT_KINDS] = {
    { "mu", "", FIT_OF_SURFACE, 1, 0, 0, 1e3 },
    { "restitution", "", FIT_OF_SURFACE, 1, 0, 1e-3, 1 },
    { "stiffness", "N/m", FIT_OF_SURFACE, 1, 1, 1e-3, 1e12 },
    { "contact_damping", "N s/m", FIT_OF_SURFACE, 1, 1, 1e-6, 1e12 },
    { "mass", "kg", FIT_OF_LINK, 1, 1, 1e-9, 1e12 },
    { "com", "m", FIT_OF_LINK, 3, 0, -1e6, 1e6 },
    { "inertia", "kg m^2", FIT_OF_LINK, 6, 0, -DBL_MAX, DBL_MAX },
    { "damping", "N m s", FIT_OF_JOINT, 1, 0, 0, 1e9 },
    { "friction", "N m", FIT_OF_JOINT, 1, 0, 0, 1e9 },
    { "armature", "kg m^2", FIT_OF_JOINT, 1, 0, 0, 1e9 } };

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Least number of letters that are changed, added or left out (Levenshtein). */
static int fit_letters(const char *a, int n, const char *b)
{
    enum { MOST = 64 };
    int row[MOST + 1], i, k, m = (int)strlen(b);

    if (m > MOST || n > MOST) return MOST;
    for (k = 0; k <= m; ++k) row[k] = k;
    for (i = 1; i <= n; ++i) {
        int corner = row[0];

        row[0] = i;
        for (k = 1; k <= m; ++k) {
            const int change = corner + (a[i - 1] != b[k - 1]), other = 1 + (row[k] < row[k - 1] ? row[k] : row[k - 1]);

            corner = row[k];
            row[k] = change < other ? change : other;
        }
    }
    return row[m];
}

static const char *fit_owner_name(const slip_scene *s, fit_owner owner, int i)
{
    if (owner == FIT_OF_SURFACE) return i < s->world.nmaterials ? s->surfaces[i] : NULL;
    if (owner == FIT_OF_LINK) return i < s->def.nlinks ? s->def.links[i].name : NULL;
    return i < s->def.njoints ? s->def.joints[i].name : NULL;
}

/* The index of a name, or of the nearest one with a minus and less one: -1 - k. */
static int fit_find(const slip_scene *s, fit_owner owner, const char *name, int n)
{
    int i, near = 0, least = 1000;
    const char *other;

    for (i = 0; (other = fit_owner_name(s, owner, i)) != NULL; ++i) {
        const int letters = fit_letters(name, n, other);

        if (slip_text_equal_n(name, n, other)) return i;
        if (letters < least) { least = letters;  near = i; }
    }
    return -1 - near;
}

static int fit_unknown(const char *command, const slip_scene *s, fit_owner owner, const char *name, int n, int found)
{
    static const char *const owners[] = { "surface", "link", "joint" };
    const char *near = fit_owner_name(s, owner, -1 - found);

    return cli_fail(command, "--free: no %s is called '%.*s'%s%s%s", owners[owner], n, name, near ? "; perhaps '" : "",
                    near ? near : "", near ? "'?" : ""), 0;
}

/* `A/B`: the scene's own pair of these surfaces. */
static int fit_find_pair(const char *command, const slip_scene *s, const char *name, int n, fit_parameter *p)
{
    const char *slash = (const char *)memchr(name, '/', (size_t)n);
    const int first = slash ? (int)(slash - name) : n;
    const int a = fit_find(s, FIT_OF_SURFACE, name, first);
    const int b = slash ? fit_find(s, FIT_OF_SURFACE, slash + 1, n - first - 1) : a;
    int i;

    p->index = a;
    if (a < 0) return fit_unknown(command, s, FIT_OF_SURFACE, name, first, a);
    if (b < 0) return fit_unknown(command, s, FIT_OF_SURFACE, slash + 1, n - first - 1, b);
    if (!slash) return 1;
    for (i = 0; i < s->world.nmaterial_pairs; ++i) {
        const slip_material_pair *pair = &s->world.material_pairs[i];

        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) { p->pair = i;  return 1; }
    }
    return cli_fail(command, "--free: the scene has no <surface_pair> of '%.*s'", n, name), 0;
}

static int fit_kind_of(const char *command, const char *text, int n)
{
    int k, near = 0, least = 1000;

    for (k = 0; k < FIT_KINDS; ++k) {
        const int letters = fit_letters(text, n, fit_kinds[k].name);

        if (slip_text_equal_n(text, n, fit_kinds[k].name)) return k;
        if (letters < least) { least = letters;  near = k; }
    }
    cli_fail(command, "--free: unknown parameter '%.*s'; perhaps '%s'? There are mu, restitution, stiffness, "
             "contact_damping (of all surfaces, :SURFACE or :A/B), mass, com, inertia (:LINK), damping, friction, "
             "armature (:JOINT)", n, text, fit_kinds[near].name);
    return -1;
}

/* A second moment that has a factor: that of the link, with a millionth of its trace where it is flat. */
static int fit_second_moment(const slip_link_def *l, double L[6])
{
    const double t = ((double)l->inertia[0] + (double)l->inertia[3] + (double)l->inertia[5])/2;
    double a[6], d;

    a[0] = t - (double)l->inertia[0];  a[1] = -(double)l->inertia[1];  a[2] = t - (double)l->inertia[3];
    a[3] = -(double)l->inertia[2];  a[4] = -(double)l->inertia[4];  a[5] = t - (double)l->inertia[5];
    d = 1e-6*t;
    if (!(t > 0)) return 0;
    L[0] = sqrt(fmax(a[0], d));
    L[1] = a[1]/L[0];
    L[2] = sqrt(fmax(a[2] - L[1]*L[1], d));
    L[3] = a[3]/L[0];
    L[4] = (a[4] - L[3]*L[1])/L[2];
    L[5] = sqrt(fmax(a[5] - L[3]*L[3] - L[4]*L[4], d));
    return 1;
}

/* Whether the parameter can be fitted from what the scene has; 0 after a message. */
static int fit_can_start(const char *command, const slip_scene *s, const fit_parameter *p)
{
    double L[6];

    if (fit_kinds[p->kind].owner == FIT_OF_LINK && p->kind != FIT_COM && !(s->def.links[p->index].mass > 0))
        return cli_fail(command, "--free %s: the link has no mass to start from", p->name), 0;
    if (p->kind == FIT_INERTIA && !fit_second_moment(&s->def.links[p->index], L))
        return cli_fail(command, "--free %s: the link has no inertia to start from", p->name), 0;
    if (fit_kinds[p->kind].owner == FIT_OF_JOINT && slip_joint_nv(s->def.joints[p->index].type) != 1)
        return cli_fail(command, "--free %s: the joint is %s; expected one of one freedom", p->name,
                        slip_joint_type_name(s->def.joints[p->index].type)), 0;
    return 1;
}

static int fit_add(const char *command, const char *text, int n, const slip_scene *s, fit_set *set)
{
    const char *colon = (const char *)memchr(text, ':', (size_t)n), *owner = colon ? colon + 1 : NULL;
    const int head = colon ? (int)(colon - text) : n, tail = n - head - 1, kind = fit_kind_of(command, text, head);
    fit_parameter *p = &set->parameter[set->nparameters];
    int i;

    if (kind < 0) return 0;
    memset(p, 0, sizeof *p);
    p->kind = (fit_kind)kind;
    p->pair = p->index = -1;
    p->first = set->n;
    p->count = fit_kinds[kind].count;
    p->lo = fit_kinds[kind].lo;
    p->hi = fit_kinds[kind].hi;
    slip_format(p->name, (int)sizeof p->name, "%.*s", n, text);
    if (set->n + p->count > FIT_MOST)
        return cli_fail(command, "--free: more than %d numbers are free", FIT_MOST), 0;
    if (!owner && fit_kinds[kind].owner != FIT_OF_SURFACE)
        return cli_fail(command, "--free: %s of which %s? %s:NAME", p->name,
                        fit_kinds[kind].owner == FIT_OF_LINK ? "link" : "joint", p->name), 0;
    if (owner && fit_kinds[kind].owner == FIT_OF_SURFACE) {
        if (!fit_find_pair(command, s, owner, tail, p)) return 0;
    } else if (owner) {
        p->index = fit_find(s, fit_kinds[kind].owner, owner, tail);
        if (p->index < 0) return fit_unknown(command, s, fit_kinds[kind].owner, owner, tail, p->index);
    }
    for (i = 0; i < set->nparameters; ++i)
        if (strcmp(set->parameter[i].name, p->name) == 0)
            return cli_fail(command, "--free: '%s' twice", p->name), 0;
    if (!fit_can_start(command, s, p)) return 0;
    set->nparameters += 1;
    set->n += p->count;
    return 1;
}

int fit_set_read(const char *command, const char *list, const slip_scene *scene, fit_set *set)
{
    memset(set, 0, sizeof *set);
    while (*list) {
        const int n = (int)strcspn(list, ",");

        if (!fit_add(command, list, n, scene, set)) return 0;
        list += n + (list[n] == ',');
    }
    if (set->n == 0) return cli_fail(command, "--free: nothing is free; for example --free mu,restitution"), 0;
    return 1;
}

int fit_set_bound(const char *command, const char *text, fit_set *set)
{
    const char *equal = strchr(text, '='), *colon = equal ? strchr(equal, ':') : NULL;
    double lo, hi;
    int i;

    if (!equal || !colon || slip_read_double(equal + 1, (int)(colon - equal) - 1, &lo) != colon - equal - 1
        || slip_read_double(colon + 1, (int)strlen(colon + 1), &hi) != (int)strlen(colon + 1) || !(lo < hi))
        return cli_fail(command, "--bound: '%s', expected NAME=LOWER:UPPER, as mu=0:1", text), 0;
    for (i = 0; i < set->nparameters; ++i) {
        fit_parameter *p = &set->parameter[i];

        if (!slip_text_equal_n(text, (int)(equal - text), p->name)) continue;
        if (p->kind == FIT_INERTIA) return cli_fail(command, "--bound: an inertia has none but to be possible"), 0;
        if (lo > fit_kinds[p->kind].lo) p->lo = lo;
        if (hi < fit_kinds[p->kind].hi) p->hi = hi;
        return 1;
    }
    return cli_fail(command, "--bound: '%.*s' is not among the parameters of --free", (int)(equal - text), text), 0;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static const fit_parameter *fit_parameter_of(const fit_set *set, int i)
{
    int k;

    for (k = 0; k + 1 < set->nparameters && i >= set->parameter[k + 1].first; ++k) { }
    return &set->parameter[k];
}

/* Whether x_i is a logarithm: of an inertia the factor's diagonal, 0, 2 and 5. */
static int fit_is_log(const fit_parameter *p, int k)
{
    return p->kind == FIT_INERTIA ? k == 0 || k == 2 || k == 5 : fit_kinds[p->kind].is_log;
}

static const slip_material *fit_material(const slip_scene *s, const fit_parameter *p)
{
    if (p->pair >= 0) return &s->world.material_pairs[p->pair].material;
    if (p->index < 0 && s->world.nmaterial_pairs > 0) return &s->world.material_pairs[0].material;
    return &s->world.materials[p->index < 0 ? 0 : p->index];
}

static double fit_scene_value(const slip_scene *s, const fit_parameter *p, int k)
{
    const slip_material *m = fit_kinds[p->kind].owner == FIT_OF_SURFACE ? fit_material(s, p) : NULL;
    const slip_joint_def *j = fit_kinds[p->kind].owner == FIT_OF_JOINT ? &s->def.joints[p->index] : NULL;

    switch (p->kind) {
    case FIT_MU: return (double)m->friction;
    case FIT_RESTITUTION: return (double)m->restitution;
    case FIT_STIFFNESS: return m->stiffness > 0 ? (double)m->stiffness : 1e4;        /* of a rigid one: docs/fit.md */
    case FIT_CONTACT_DAMPING: return m->damping > 0 ? (double)m->damping : 1;
    case FIT_MASS: return (double)s->def.links[p->index].mass;
    case FIT_COM: return (double)s->def.links[p->index].com[k];
    case FIT_DAMPING: return (double)j->damping;
    case FIT_FRICTION: return (double)j->friction;
    default: return (double)j->armature;
    }
}

void fit_set_start(const fit_set *set, const slip_scene *scene, double *x)
{
    int i, k;

    for (i = 0; i < set->nparameters; ++i) {
        const fit_parameter *p = &set->parameter[i];
        double L[6];

        if (p->kind == FIT_INERTIA) fit_second_moment(&scene->def.links[p->index], L);
        for (k = 0; k < p->count; ++k) {
            const double value = p->kind == FIT_INERTIA ? L[k] : fit_scene_value(scene, p, k);

            x[p->first + k] = fit_is_log(p, k) ? log(value) : value;
        }
    }
    fit_set_clamp(set, x);
}

/* The bounds of x_i; infinite for inertias. */
static void fit_bounds(const fit_set *set, int i, double *lo, double *hi)
{
    const fit_parameter *p = fit_parameter_of(set, i);
    const int is_log = p->kind != FIT_INERTIA && fit_kinds[p->kind].is_log;

    *lo = is_log ? log(p->lo) : p->lo;
    *hi = is_log ? log(p->hi) : p->hi;
}

void fit_set_clamp(const fit_set *set, double *x)
{
    double lo, hi;
    int i;

    for (i = 0; i < set->n; ++i) {
        fit_bounds(set, i, &lo, &hi);
        x[i] = x[i] < lo ? lo : x[i] > hi ? hi : x[i];
    }
}

int fit_set_at_bound(const fit_set *set, const double *x, int i)
{
    double lo, hi;

    fit_bounds(set, i, &lo, &hi);
    return x[i] <= lo ? -1 : x[i] >= hi;
}

int fit_set_is_step(const fit_set *set, const double *dx)
{
    int i, k;

    for (i = 0; i < set->nparameters; ++i)
        for (k = 0; k < set->parameter[i].count; ++k)
            if (fit_is_log(&set->parameter[i], k) && !(fabs(dx[set->parameter[i].first + k]) < 1)) return 0;
    return 1;
}

/* Differences of h have an error of h^2 and round by the precision over h. */
double fit_set_scale(const fit_set *set, const double *x, int i)
{
    const double h = (double)SLIP_TOL(1e-5, 1e-2);
    const fit_parameter *p = fit_parameter_of(set, i);
    const int k = i - p->first;

    if (fit_is_log(p, k)) return h;
    if (p->kind == FIT_INERTIA) return h*exp(x[p->first]);
    if (p->kind == FIT_COM) return h*0.1;
    if (p->kind == FIT_MU || p->kind == FIT_RESTITUTION) return h;
    return h*fmax(0.01, x[i]);
}

/* I of the factor of S, packed as in slip_link_def. */
static void fit_inertia(const double *x, double I[6])
{
    const double a = exp(x[0]), b = x[1], c = exp(x[2]), d = x[3], e = x[4], f = exp(x[5]);
    const double xx = a*a, xy = a*b, yy = b*b + c*c, xz = a*d, yz = b*d + c*e, zz = d*d + e*e + f*f;

    I[0] = yy + zz;  I[1] = -xy;  I[2] = -xz;
    I[3] = xx + zz;  I[4] = -yz;  I[5] = xx + yy;
}

void fit_set_values(const fit_set *set, const double *x, double *y)
{
    int i, k;

    for (i = 0; i < set->nparameters; ++i) {
        const fit_parameter *p = &set->parameter[i];

        if (p->kind == FIT_INERTIA) fit_inertia(x + p->first, y + p->first);
        else for (k = 0; k < p->count; ++k)
            y[p->first + k] = fit_is_log(p, k) ? exp(x[p->first + k]) : x[p->first + k];
    }
}

void fit_set_value_name(const fit_set *set, int i, char *text, int size)
{
    static const char *const inertia[] = { ".ixx", ".ixy", ".ixz", ".iyy", ".iyz", ".izz" };
    static const char *const com[] = { ".x", ".y", ".z" };
    const fit_parameter *p = fit_parameter_of(set, i);
    const int k = i - p->first;

    slip_format(text, size, "%s%s", p->name, p->kind == FIT_INERTIA ? inertia[k] : p->kind == FIT_COM ? com[k] : "");
}

const char *fit_set_unit(const fit_set *set, int i) { return fit_kinds[fit_parameter_of(set, i)->kind].unit; }

void fit_set_slopes(const fit_set *set, const double *x, double *dy)
{
    double at[FIT_MOST], more[FIT_MOST], less[FIT_MOST];
    int i, k;

    memcpy(at, x, (size_t)set->n*sizeof *at);
    for (i = 0; i < set->n; ++i) {
        const double h = 1e-5*fmax(fabs(x[i]), 1e-3);

        at[i] = x[i] + h;
        fit_set_values(set, at, more);
        at[i] = x[i] - h;
        fit_set_values(set, at, less);
        at[i] = x[i];
        for (k = 0; k < set->n; ++k) dy[k*set->n + i] = (more[k] - less[k])/(2*h);
    }
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static void fit_put_material(const fit_parameter *p, double y, slip_material *m)
{
    if (p->kind == FIT_MU) m->friction = (slip_real)y;
    if (p->kind == FIT_RESTITUTION) m->restitution = (slip_real)y;
    if (p->kind == FIT_STIFFNESS) m->stiffness = (slip_real)y;
    if (p->kind == FIT_CONTACT_DAMPING) m->damping = (slip_real)y;
}

/* What one parameter changes in copies of the scene's parts. */
static void fit_put(const fit_parameter *p, const double *y, const slip_scene *s, slip_link_def *links,
                    slip_joint_def *joints, slip_material *materials, slip_material_pair *pairs)
{
    int k;

    switch (p->kind) {
    case FIT_MASS: links[p->index].mass = (slip_real)y[0]; break;
    case FIT_COM: for (k = 0; k < 3; ++k) links[p->index].com[k] = (slip_real)y[k]; break;
    case FIT_INERTIA: for (k = 0; k < 6; ++k) links[p->index].inertia[k] = (slip_real)y[k]; break;
    case FIT_DAMPING: joints[p->index].damping = (slip_real)y[0]; break;
    case FIT_FRICTION: joints[p->index].friction = (slip_real)y[0]; break;
    case FIT_ARMATURE: joints[p->index].armature = (slip_real)y[0]; break;
    default:
        for (k = 0; k < s->world.nmaterial_pairs; ++k)
            if (p->pair == k || (p->pair < 0 && p->index < 0)) fit_put_material(p, y[0], &pairs[k].material);
        for (k = 0; k < s->world.nmaterials; ++k)
            if (p->pair < 0 && (p->index < 0 || p->index == k)) fit_put_material(p, y[0], &materials[k]);
    }
}

static void *fit_copy(slip_arena *mem, const void *from, int n, size_t size)
{
    void *to = slip_arena_take(mem, (size_t)(n + 1), size);

    if (to && n > 0) memcpy(to, from, (size_t)n*size);
    return to;
}

/* In memory that may be too small. */
static slip_status fit_plant_make(const slip_scene *scene, const fit_set *set, const double *y, slip_arena *mem,
                                  fit_plant *p, slip_error *err)
{
    slip_scene *s = &p->scene;
    slip_link_def *links = (slip_link_def *)fit_copy(mem, scene->def.links, scene->def.nlinks, sizeof *links);
    slip_joint_def *joints = (slip_joint_def *)fit_copy(mem, scene->def.joints, scene->def.njoints, sizeof *joints);
    slip_material *materials = (slip_material *)fit_copy(mem, scene->world.materials, scene->world.nmaterials,
                                                         sizeof *materials);
    slip_material_pair *pairs = (slip_material_pair *)fit_copy(mem, scene->world.material_pairs,
                                                               scene->world.nmaterial_pairs, sizeof *pairs);
    slip_status status;
    int i;

    if (!links || !joints || !materials || !pairs) return SLIP_ERR_WORKSPACE;
    *s = *scene;
    for (i = 0; i < set->nparameters; ++i)
        fit_put(&set->parameter[i], y + set->parameter[i].first, scene, links, joints, materials, pairs);
    s->def.links = links;
    s->def.joints = joints;
    s->world.materials = materials;
    s->world.material_pairs = pairs;
    status = slip_model_build(&s->def, mem, &s->model, NULL, err);
    if (status < 0) return status;
    s->world.model = s->model;
    s->world.options.reuse = 0;                      /* a step is a function of its state, ... */
    s->world.options.solve.tol = slip_min(s->world.options.solve.tol, FIT_TOL);  /* with the digits for differences */
    return slip_scene_start(s, mem, &p->world, NULL, err);
}

int fit_plant_open(const char *command, const slip_scene *scene, const fit_set *set, const double *x, fit_plant *p)
{
    const size_t world = slip_world_bytes(&scene->world);
    double y[FIT_MOST];
    slip_error err;
    slip_arena mem;
    slip_status status = SLIP_ERR_WORKSPACE;
    size_t extra;

    fit_set_values(set, x, y);
    slip_error_clear(&err);
    for (extra = (size_t)1 << 18; status == SLIP_ERR_WORKSPACE && extra < (size_t)1 << 30; extra *= 4) {
        p->block = cli_alloc(world + extra);
        mem = slip_arena_over(p->block, world + extra);
        status = fit_plant_make(scene, set, y, &mem, p, &err);
        if (status < 0) fit_plant_close(p);
    }
    if (status < 0) {
        if (err.what[0]) cli_error(&err);
        return cli_fail(command, "no world with these parameters: %s", slip_status_text(status)), 0;
    }
    return 1;
}

void fit_plant_close(fit_plant *p)
{
    free(p->block);
    p->block = NULL;
    p->world = NULL;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* What surface k has of a kind, and d(that)/dx_i. */
static double fit_surface_slope(const fit_parameter *p, int k, fit_kind kind, const slip_material *m, double *value)
{
    *value = (double)(kind == FIT_MU ? m->friction : kind == FIT_RESTITUTION ? m->restitution
                      : kind == FIT_STIFFNESS ? m->stiffness : m->damping);
    if (p->kind != kind || p->pair >= 0 || (p->index >= 0 && p->index != k)) return 0;
    return fit_kinds[kind].is_log ? *value : 1;
}

/* The derivative of mixed friction; a and b are what the surfaces have, da and db how they change. */
static double fit_mix_slope(slip_mix_rule rule, double a, double b, double da, double db)
{
    if (rule == SLIP_MIX_MEAN) return (da + db)/2;
    if (rule == SLIP_MIX_MIN) return a <= b ? da : db;
    if (rule == SLIP_MIX_MAX) return a >= b ? da : db;
    if (rule == SLIP_MIX_PRODUCT) return a*db + b*da;
    return a > 0 && b > 0 ? (a*db + b*da)/(2*sqrt(a*b)) : 0;
}

double fit_contact_slope(const fit_set *set, const slip_scene *s, int parameter, int surface_a, int surface_b,
                         fit_kind kind)
{
    const fit_parameter *p = &set->parameter[parameter];
    double a, b, da, db;
    int i;

    for (i = 0; i < s->world.nmaterial_pairs; ++i) {
        const slip_material_pair *pair = &s->world.material_pairs[i];

        if ((pair->a != surface_a || pair->b != surface_b) && (pair->a != surface_b || pair->b != surface_a)) continue;
        if (p->kind != kind || (p->pair >= 0 ? p->pair != i : p->index >= 0)) return 0;
        return fit_kinds[kind].is_log ? (double)(kind == FIT_STIFFNESS ? pair->material.stiffness
                                                 : pair->material.damping) : 1;
    }
    da = fit_surface_slope(p, surface_a, kind, &s->world.materials[surface_a], &a);
    db = fit_surface_slope(p, surface_b, kind, &s->world.materials[surface_b], &b);
    if (kind == FIT_MU) {
        if (surface_a == surface_b && s->world.options.mix != SLIP_MIX_PRODUCT) return da;
        return fit_mix_slope(s->world.options.mix, a, b, da, db);
    }
    if (kind == FIT_STIFFNESS)
        return a > 0 && b > 0 ? (da*b*b + db*a*a)/((a + b)*(a + b)) : a > 0 ? da : db;
    return a >= b ? da : db;
}
