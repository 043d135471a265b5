/* `slipstick info` for people: totals, the tree beside a table of its joints, shapes, warnings. */
#include "info.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { INFO_CELL = 1024,       /* bytes of a cell                                       */
       INFO_WIDEST = 48,       /* characters a column is padded to at most              */
       INFO_DEEPEST = 24,      /* levels drawn as branches; deeper links show a number  */
       INFO_MOST_COLUMNS = 12 };

/* ---- tables -------------------------------------------------------------------------------------- */

typedef void (*info_cell)(const info_model *m, int row, int column, int ascii, char out[INFO_CELL]);

/* Characters of UTF-8 text. */
static int info_width(const char *text)
{
    int n = 0;

    for (; *text; ++text) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void info_put(FILE *out, const char *text, int width, int is_last)
{
    int n = info_width(text);

    fputs(text, out);
    if (is_last) return;
    for (; n < width; ++n) fputc(' ', out);
    fputs("  ", out);
}

/* Prints the columns that have anything in them, each as wide as its widest cell. */
static void info_table(FILE *out, const info_model *m, const char *const *heads, int columns, int rows, int ascii,
                       info_cell cell)
{
    char text[INFO_CELL];
    int width[INFO_MOST_COLUMNS] = { 0 }, row, k, last = 0;

    for (k = 0; k < columns; ++k) {
        for (row = 0; row < rows; ++row) {
            cell(m, row, k, ascii, text);
            if (info_width(text) > width[k]) width[k] = info_width(text);
        }
        if (width[k] > 0) last = k;
        if (width[k] > 0 && width[k] < (int)strlen(heads[k])) width[k] = (int)strlen(heads[k]);
        if (width[k] > INFO_WIDEST) width[k] = INFO_WIDEST;
    }
    for (row = -1; row < rows; ++row) {
        int end = last;

        for (k = 0; row >= 0 && k <= last; ++k) {              /* no blanks at the end of a line */
            cell(m, row, k, ascii, text);
            if (text[0]) end = k;
        }
        for (k = 0; k <= end; ++k) {
            if (width[k] == 0) continue;
            if (row >= 0) cell(m, row, k, ascii, text);
            info_put(out, row < 0 ? heads[k] : text, width[k], k == end);
        }
        fputc('\n', out);
    }
}

/* Appends to a cell, printf style. */
static void info_add(char out[INFO_CELL], const char *format, ...)
{
    const size_t n = strlen(out);
    va_list list;

    va_start(list, format);
    vsnprintf(out + n, INFO_CELL - n, format, list);
    va_end(list);
}

/* ---- the tree ------------------------------------------------------------------------------------ */

/* Branches before a link: its own, and a bar for each ancestor with a sibling still to come. */
static void info_branches(const info_model *m, int link, int ascii, char out[INFO_CELL])
{
    int path[INFO_DEEPEST], n = 0, i, up = link;

    if (m->depth[link] > INFO_DEEPEST) {
        info_add(out, "%*s[%d] ", 3*INFO_DEEPEST, "", m->depth[link]);
        return;
    }
    for (; m->depth[up] > 0; up = info_parent(m, up)) path[n++] = up;
    for (i = n - 1; i >= 0; --i) {
        const int more = m->sibling[path[i]] >= 0;

        if (i == 0) info_add(out, "%s", ascii ? (more ? "|- " : "`- ") : (more ? "├─ " : "└─ "));
        else        info_add(out, "%s", more ? (ascii ? "|  " : "│  ") : "   ");
    }
}

/* "+z" for a coordinate axis, else its three numbers. */
static void info_axis(const slip_real a[3], char out[INFO_CELL])
{
    const double n = sqrt((double)a[0]*(double)a[0] + (double)a[1]*(double)a[1] + (double)a[2]*(double)a[2]);
    int i;

    for (i = 0; i < 3; ++i)
        if (fabs((double)a[i]) >= n*(1 - 1e-12)) {
            info_add(out, "%c%c", a[i] < 0 ? '-' : '+', "xyz"[i]);
            return;
        }
    info_add(out, "%.4g %.4g %.4g", (double)a[0]/n, (double)a[1]/n, (double)a[2]/n);
}

static int info_is_single(const slip_joint_def *j)
{
    return j->type == SLIP_JOINT_REVOLUTE || j->type == SLIP_JOINT_CONTINUOUS || j->type == SLIP_JOINT_PRISMATIC;
}

static void info_range(const slip_joint_def *j, char out[INFO_CELL])
{
    const char *unit = j->type == SLIP_JOINT_PRISMATIC ? "m" : "rad";

    if (!info_is_single(j)) return;
    if (j->lower < -SLIP_REAL_MAX && j->upper > SLIP_REAL_MAX) info_add(out, "free");
    else info_add(out, "%.4g .. %.4g %s", (double)j->lower, (double)j->upper, unit);
}

/* The body that a link without a joint of its own is merged into, and the links merged into a moving body. */
static void info_merged(const info_model *m, int link, char out[INFO_CELL])
{
    const slip_model *model = m->model;
    double own, all;
    int body, root = link;

    if (!model) return;
    body = model->link_body[link];
    own = (double)m->urdf.def.links[link].mass;
    all = (double)model->body_mass[body];
    for (; m->above[root] >= 0 && info_parent(m, root) >= 0; root = info_parent(m, root)) continue;
    if (body == 0 && m->sim_free && m->above[root] < 0) {      /* part of a base that floats in sim, though not here */
        if (root == link) info_add(out, "free in sim");
        else info_add(out, "merged into %s", m->urdf.def.links[root].name);
    } else if (body == 0) {
        info_add(out, "fixed to the world");
    } else if (model->body_link[body] != link) {
        info_add(out, "merged into %s", model->link_name[model->body_link[body]]);
    } else if (fabs(all - own) > 1e-6*all) {
        info_add(out, "%.4g kg with merged links", all);
    }
}

static void info_notes(const info_model *m, int link, char out[INFO_CELL])
{
    const int above = m->above[link];
    const slip_joint_def *j = above >= 0 ? &m->urdf.def.joints[above] : NULL;
    const slip_urdf_joint *more = above >= 0 ? &m->urdf.joints[above] : NULL;
    size_t before;

    if (j && j->mimic >= 0) {
        info_add(out, "= %.4g %s", (double)j->mimic_scale, m->urdf.def.joints[j->mimic].name);
        if (j->mimic_offset > 0 || j->mimic_offset < 0) info_add(out, " %+.4g", (double)j->mimic_offset);
        info_add(out, ", ");
    }
    if (j && j->damping > 0)  info_add(out, "damping %.4g, ", (double)j->damping);
    if (j && j->friction > 0) info_add(out, "friction %.4g, ", (double)j->friction);
    if (j && j->armature > 0) info_add(out, "armature %.4g, ", (double)j->armature);
    if (more && more->has_safety) info_add(out, "safety, ");
    if (more && more->has_calibration) info_add(out, "calibration, ");
    before = strlen(out);
    info_merged(m, link, out);
    if (before >= 2 && strlen(out) == before) out[before - 2] = '\0';
}

static const char *const info_tree_heads[] = {
    "link", "kg", "joint", "type", "axis", "v", "range", "effort", "speed", "notes" };

static void info_tree_cell(const info_model *m, int row, int column, int ascii, char out[INFO_CELL])
{
    const int link = m->order[row], above = m->above[link];
    const slip_joint_def *j = above >= 0 ? &m->urdf.def.joints[above] : NULL;
    int first = 0, n;

    out[0] = '\0';
    if (column == 0) {
        info_branches(m, link, ascii, out);
        info_add(out, "%s", m->urdf.def.links[link].name);
    } else if (column == 1) {
        info_add(out, "%.5g", (double)m->urdf.def.links[link].mass);
    } else if (column == 9) {
        info_notes(m, link, out);
    } else if (j) switch (column) {
    case 2: info_add(out, "%s", j->name); break;
    case 3: info_add(out, "%s", slip_joint_type_name(j->type)); break;
    case 4: if (info_is_single(j) || j->type == SLIP_JOINT_PLANAR) info_axis(j->axis, out); break;
    case 5:
        n = info_v(m, above, &first);
        if (n == 1) info_add(out, "%d", first);
        if (n > 1)  info_add(out, "%d-%d", first, first + n - 1);
        break;
    case 6: info_range(j, out); break;
    case 7: if (info_is_single(j) && j->effort <= SLIP_REAL_MAX) info_add(out, "%.4g", (double)j->effort); break;
    case 8: if (info_is_single(j) && j->velocity <= SLIP_REAL_MAX) info_add(out, "%.4g", (double)j->velocity); break;
    default: break;
    }
}

/* ---- shapes -------------------------------------------------------------------------------------- */

/* Extent and heights; nothing of a field that could not be read. */
static void info_field(const slip_heightfield *f, char out[INFO_CELL])
{
    if (!f) return;
    info_add(out, "%.4g x %.4g, heights %.4g .. %.4g", (double)f->dx*(f->nx - 1), (double)f->dy*(f->ny - 1),
             (double)f->lo, (double)f->hi);
}

static void info_shape_size(const slip_urdf_shape *s, char out[INFO_CELL])
{
    const double x = (double)s->size[0], y = (double)s->size[1], z = (double)s->size[2];

    switch (s->kind) {
    case SLIP_SHAPE_SPHERE: info_add(out, "radius %.4g", x); break;
    case SLIP_SHAPE_BOX:    info_add(out, "%.4g x %.4g x %.4g", 2*x, 2*y, 2*z); break;
    case SLIP_SHAPE_ELLIPSOID: info_add(out, "radii %.4g %.4g %.4g", x, y, z); break;
    case SLIP_SHAPE_MESH:
        info_add(out, "%s%s", s->mesh_path ? s->mesh_path : s->mesh_uri, s->mesh_found ? "" : " (not found)");
        if (fabs(x - 1) + fabs(y - 1) + fabs(z - 1) > 0) info_add(out, ", scale %.4g %.4g %.4g", x, y, z);
        break;
    case SLIP_SHAPE_HALFSPACE: break;
    case SLIP_SHAPE_HEIGHTFIELD: info_field(s->field, out); break;
    default: info_add(out, "radius %.4g, length %.4g", x, 2*y); break;
    }
}

static void info_shape_place(const slip_urdf_shape *s, char out[INFO_CELL])
{
    slip_real rpy[3];

    if (slip_norm3(s->pose.p) > 0)
        info_add(out, "(%.4g %.4g %.4g)", (double)s->pose.p[0], (double)s->pose.p[1], (double)s->pose.p[2]);
    slip_mat3_to_rpy(s->pose.R, rpy);
    if (slip_norm3(rpy) > SLIP_TOL(1e-12, 1e-6))
        info_add(out, "%srpy %.4g %.4g %.4g", out[0] ? " " : "", (double)rpy[0], (double)rpy[1], (double)rpy[2]);
}

static const char *const info_shape_heads[] = { "link", "use", "shape", "size [m]", "at", "material", "name" };

static void info_shape_cell(const info_model *m, int row, int column, int ascii, char out[INFO_CELL])
{
    const slip_urdf_shape *s = &m->urdf.shapes[row];

    (void)ascii;
    out[0] = '\0';
    switch (column) {
    case 0: info_add(out, "%s", s->link < 0 ? "world" : m->urdf.def.links[s->link].name); break;
    case 1: info_add(out, "%s", s->role == SLIP_URDF_VISUAL ? "visual" : "collision"); break;
    case 2: info_add(out, "%s", info_shape_name(s->kind)); break;
    case 3: info_shape_size(s, out); break;
    case 4: info_shape_place(s, out); break;
    case 5: info_add(out, "%s", s->material); break;
    case 6: info_add(out, "%s", s->name); break;
    default: break;
    }
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static void info_totals(FILE *out, const info_model *m)
{
    const slip_model_def *def = &m->urdf.def;
    int count[SLIP_JOINT_FLOATING + 1] = { 0 }, i, mimics = 0, comma = 0;

    for (i = 0; i < def->njoints; ++i) {
        ++count[def->joints[i].type];
        mimics += def->joints[i].mimic >= 0;
    }
    fprintf(out, "%s (%s)\n", def->name[0] ? def->name : "robot without a name", m->file);
    fprintf(out, "%d links, %d joints", def->nlinks, def->njoints);
    for (i = 0; i <= SLIP_JOINT_FLOATING; ++i) {
        if (!count[i]) continue;
        fprintf(out, "%s%d %s", comma ? ", " : " (", count[i], slip_joint_type_name((slip_joint_type)i));
        comma = 1;
    }
    fprintf(out, "%s", comma ? ")" : "");
    if (mimics)   fprintf(out, ", %d of them mimicking", mimics);
    if (m->model) fprintf(out, ", nq %d, nv %d", m->model->nq, m->model->nv);
    fprintf(out, ", %.6g kg, %d shapes, %d warnings\n", info_mass(m), m->urdf.nshapes, m->nwarnings);
    if (m->sim[0]) fprintf(out, "in sim: %s\n", m->sim);
}

void info_print_text(FILE *out, const info_model *m, int ascii)
{
    int i;

    info_totals(out, m);
    fputc('\n', out);
    info_table(out, m, info_tree_heads, (int)(sizeof info_tree_heads/sizeof *info_tree_heads), m->urdf.def.nlinks,
               ascii, info_tree_cell);
    if (m->urdf.nshapes > 0) {
        fputc('\n', out);
        info_table(out, m, info_shape_heads, (int)(sizeof info_shape_heads/sizeof *info_shape_heads), m->urdf.nshapes,
                   ascii, info_shape_cell);
    }
    for (i = 0; i < m->nwarnings; ++i) {
        char text[1024];

        slip_error_text(&m->warnings[i], text, (int)sizeof text);
        fprintf(out, "%swarning: %s\n", i == 0 ? "\n" : "", text);
    }
}
