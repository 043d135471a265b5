/* `slipstick info --json`: every number of a model, SI units, infinite limits as null. */
#include "info.h"

static void json_real(FILE *out, slip_real x)
{
    char text[SLIP_NUMBER_SIZE];

    if (!slip_is_finite(x)) {
        fputs("null", out);
        return;
    }
    slip_print_real(x, 0, text);
    fputs(text, out);
}

static void json_reals(FILE *out, const char *key, const slip_real *x, int n)
{
    int i;

    fprintf(out, ", \"%s\": [", key);
    for (i = 0; i < n; ++i) {
        if (i) fputs(", ", out);
        json_real(out, x[i]);
    }
    fputc(']', out);
}

static void json_number(FILE *out, const char *key, slip_real x)
{
    fprintf(out, ", \"%s\": ", key);
    json_real(out, x);
}

static void json_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    if (text) cli_json_text(out, text);
    else      fputs("null", out);
}

static void json_pose(FILE *out, const slip_pose *X)
{
    slip_real quat[4];

    slip_mat3_to_quat(X->R, quat);
    json_reals(out, "xyz", X->p, 3);
    json_reals(out, "quat_xyzw", quat, 4);
}

static void json_link(FILE *out, const info_model *m, int i)
{
    const slip_link_def *link = &m->urdf.def.links[i];
    const int parent = info_parent(m, i), body = m->model ? m->model->link_body[i] : -1;

    fputs("{\"name\": ", out);
    cli_json_text(out, link->name);
    json_text(out, "parent", parent < 0 ? NULL : m->urdf.def.links[parent].name);
    json_text(out, "joint", m->above[i] < 0 ? NULL : m->urdf.def.joints[m->above[i]].name);
    json_number(out, "mass", link->mass);
    json_reals(out, "com", link->com, 3);
    json_reals(out, "inertia", link->inertia, 6);
    if (m->model) json_text(out, "moves_with", body == 0 ? NULL : m->model->link_name[m->model->body_link[body]]);
    fprintf(out, ", \"line\": %d}", link->line);
}

static void json_joint(FILE *out, const info_model *m, int i)
{
    const slip_model_def *def = &m->urdf.def;
    const slip_joint_def *j = &def->joints[i];
    const slip_urdf_joint *more = &m->urdf.joints[i];
    int q = 0, v = 0;
    const int nq = info_q(m, i, &q), nv = info_v(m, i, &v);

    fputs("{\"name\": ", out);
    cli_json_text(out, j->name);
    json_text(out, "type", slip_joint_type_name(j->type));
    json_text(out, "parent", j->parent < 0 ? NULL : def->links[j->parent].name);
    json_text(out, "child", def->links[j->child].name);
    json_pose(out, &j->origin);
    json_reals(out, "axis", j->axis, 3);
    json_number(out, "lower", j->lower);
    json_number(out, "upper", j->upper);
    json_number(out, "effort", j->effort);
    json_number(out, "velocity", j->velocity);
    json_number(out, "damping", j->damping);
    json_number(out, "friction", j->friction);
    json_number(out, "armature", j->armature);
    if (m->model) fprintf(out, ", \"iq\": %d, \"nq\": %d, \"iv\": %d, \"nv\": %d", q, nq, v, nv);
    if (j->mimic >= 0) {
        fputs(", \"mimic\": {\"joint\": ", out);
        cli_json_text(out, def->joints[j->mimic].name);
        json_number(out, "multiplier", j->mimic_scale);
        json_number(out, "offset", j->mimic_offset);
        fputc('}', out);
    }
    if (more->has_safety) {
        const slip_real x[4] = { more->soft_lower, more->soft_upper, more->k_position, more->k_velocity };

        json_reals(out, "safety_controller", x, 4);
    }
    if (more->has_calibration) {
        const slip_real x[2] = { more->rising, more->falling };

        json_reals(out, "calibration", x, 2);
    }
    fprintf(out, ", \"line\": %d}", j->line);
}

static void json_shape(FILE *out, const info_model *m, int i)
{
    const slip_urdf_shape *s = &m->urdf.shapes[i];

    fputs("{\"link\": ", out);
    cli_json_text(out, s->link < 0 ? "world" : m->urdf.def.links[s->link].name);
    json_text(out, "use", s->role == SLIP_URDF_VISUAL ? "visual" : "collision");
    json_text(out, "shape", info_shape_name(s->kind));
    json_text(out, "name", s->name);
    json_pose(out, &s->pose);
    if (s->kind == SLIP_SHAPE_BOX)                                     json_reals(out, "half_extents", s->size, 3);
    else if (s->kind == SLIP_SHAPE_ELLIPSOID)                          json_reals(out, "radii", s->size, 3);
    else if (s->kind != SLIP_SHAPE_MESH && s->kind != SLIP_SHAPE_HALFSPACE && s->kind != SLIP_SHAPE_HEIGHTFIELD)
        json_number(out, "radius", s->size[0]);
    if (s->kind == SLIP_SHAPE_CAPSULE || s->kind == SLIP_SHAPE_CYLINDER) json_number(out, "half_length", s->size[1]);
    if (s->kind == SLIP_SHAPE_MESH) {
        json_reals(out, "scale", s->size, 3);
        json_text(out, "uri", s->mesh_uri);
        json_text(out, "path", s->mesh_path);
        fprintf(out, ", \"found\": %s", s->mesh_found ? "true" : "false");
    }
    json_text(out, "material", s->material);
    json_reals(out, "rgba", s->colour, 4);
    fprintf(out, ", \"line\": %d}", s->line);
}

static void json_warning(FILE *out, const info_model *m, int i)
{
    const slip_error *w = &m->warnings[i];

    fprintf(out, "{\"line\": %d, \"column\": %d, \"text\": ", w->line, w->column);
    cli_json_text(out, w->what);
    fputc('}', out);
}

/* A list, one item a line. */
static void json_list(FILE *out, const info_model *m, const char *key, int n,
                      void (*item)(FILE *out, const info_model *m, int i))
{
    int i;

    fprintf(out, ",\n \"%s\": [", key);
    for (i = 0; i < n; ++i) {
        fputs(i ? ",\n  " : "\n  ", out);
        item(out, m, i);
    }
    fputs("]", out);
}

void info_print_json(FILE *out, const info_model *m)
{
    const slip_model_def *def = &m->urdf.def;

    fputs("{\"name\": ", out);
    cli_json_text(out, def->name);
    json_text(out, "file", m->file);
    fprintf(out, ", \"can_be_simulated\": %s", m->model && !m->model->idle ? "true" : "false");
    json_text(out, "error", m->model ? NULL : m->error.what);
    json_text(out, "in_sim", m->sim);
    if (m->model) fprintf(out, ", \"nq\": %d, \"nv\": %d", m->model->nq, m->model->nv);
    json_number(out, "mass", (slip_real)info_mass(m));
    json_text(out, "root", m->urdf.root >= 0 ? def->links[m->urdf.root].name : "");
    json_reals(out, "gravity", def->gravity, 3);
    json_list(out, m, "links", def->nlinks, json_link);
    json_list(out, m, "joints", def->njoints, json_joint);
    json_list(out, m, "shapes", m->urdf.nshapes, json_shape);
    json_list(out, m, "warnings", m->nwarnings, json_warning);
    fputs("}\n", out);
}
