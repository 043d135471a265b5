/* Tables of a simulation as CSV. See sim_csv.h. */
#include "sim_csv.h"

#include <string.h>

static void report_csv_name(FILE *out, const char *prefix, const char *name, const char *suffix)
{
    fprintf(out, ",%s", prefix);
    for (; *name; ++name) fputc(*name == ',' || *name == '"' || *name == '\n' ? '_' : *name, out);
    fputs(suffix, out);
}

/* The suffix of a joint's i-th coordinate, behind the joint's name. */
static const char *report_part(slip_joint_type type, int is_q, int i)
{
    static const char *const q_parts[] = { ".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw" };
    static const char *const v_parts[] = { ".vx", ".vy", ".vz", ".wx", ".wy", ".wz" };
    static const char *const flat_parts[] = { ".x", ".y", ".a" };

    if ((is_q ? slip_joint_nq(type) : slip_joint_nv(type)) == 1) return "";
    if (type == SLIP_JOINT_FLOATING) return is_q ? q_parts[i] : v_parts[i];
    if (type == SLIP_JOINT_BALL) return is_q ? q_parts[i + 3] : v_parts[i + 3];
    return flat_parts[i];
}

/* Names of the coordinates of all joints, in the order of q or of v. */
static void report_csv_coordinates(FILE *out, const slip_model *m, int is_q, const char *prefix)
{
    int b, i;

    for (b = 1; b < m->nbodies; ++b) {
        const slip_joint_type type = (slip_joint_type)m->type[b];
        const int n = is_q ? slip_joint_nq(type) : slip_joint_nv(type);

        for (i = 0; i < n && !m->mimics[b]; ++i)
            report_csv_name(out, prefix, m->joint_name[m->body_joint[b]], report_part(type, is_q, i));
    }
}

void report_coordinate(const slip_model *m, int is_q, int index, char *text, size_t size)
{
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const slip_joint_type type = (slip_joint_type)m->type[b];
        const int n = m->mimics[b] ? 0 : is_q ? slip_joint_nq(type) : slip_joint_nv(type);

        if (index < n) {
            slip_format(text, (int)size, "%s%s%s", is_q ? "q_" : "v_", m->joint_name[m->body_joint[b]],
                        report_part(type, is_q, index));
            return;
        }
        index -= n;
    }
    text[0] = '\0';
}

/* Whether a link that moves has a shape that touches. */
static int report_touches(const slip_scene *scene, int link)
{
    int i;

    if (scene->model->link_body[link] == 0) return 0;
    for (i = 0; i < scene->world.ncolliders; ++i)
        if (scene->world.colliders[i].link == link) return 1;
    return 0;
}

/* Numbers of a loop's wrench: a ball has no moment. */
static int report_loop_parts(const slip_scene *scene, int loop)
{
    return scene->world.loops[loop].kind <= SLIP_LOOP_BALL ? 3 : 6;
}

void report_csv_head(FILE *out, sim_session *s, int torques)
{
    static const char *const axes[] = { ".fx", ".fy", ".fz", ".mx", ".my", ".mz" };
    const slip_model *m = s->scene.model;
    int i, k;

    fputs("time", out);
    report_csv_coordinates(out, m, 1, "q_");
    report_csv_coordinates(out, m, 0, "v_");
    for (i = 0; i < m->nlinks; ++i)
        for (k = 0; k < 3 && report_touches(&s->scene, i); ++k) report_csv_name(out, "", m->link_name[i], axes[k]);
    for (i = 0; i < s->scene.world.nloops; ++i)
        for (k = 0; k < report_loop_parts(&s->scene, i); ++k)
            report_csv_name(out, "loop_", s->scene.world.loops[i].name, axes[k]);
    fputs(",kinetic,potential,contacts,penetration,residual,iterations", out);
    if (torques) {
        report_csv_coordinates(out, m, 0, "tau_");
        report_csv_coordinates(out, m, 0, "drive_");
        report_csv_coordinates(out, m, 0, "constraint_");
    }
    fputc('\n', out);
}

static void report_csv_values(FILE *out, const slip_real *x, int n)
{
    char text[SLIP_NUMBER_SIZE];
    int i;

    for (i = 0; i < n; ++i) {
        slip_print_real(x[i], 0, text);
        fprintf(out, ",%s", text);
    }
}

/* Applied forces, those of drives, those of contacts, limits and loops; torques has the last of them. */
static void report_csv_torques(FILE *out, sim_session *s, slip_real *torques)
{
    const int nv = s->scene.model->nv;
    slip_real *constraint = torques, *drive = torques + nv;

    slip_world_drive_force(s->world, drive);
    report_csv_values(out, slip_world_tau(s->world), nv);
    report_csv_values(out, drive, nv);
    report_csv_values(out, constraint, nv);
}

void report_csv_row(FILE *out, sim_session *s, slip_real *torques)
{
    const slip_model *m = s->scene.model;
    const slip_step_stats *t = slip_world_stats(s->world);
    const slip_real depth = t->penetration > 0 ? t->penetration : 0;      /* never -0 */
    slip_real energy[2], wrench[6];
    char text[SLIP_NUMBER_SIZE];
    int i;

    if (torques) slip_world_constraint_force(s->world, torques);         /* before the poses move on */
    slip_print_real(slip_world_time(s->world), 0, text);
    fputs(text, out);
    report_csv_values(out, slip_world_q(s->world), m->nq);
    report_csv_values(out, slip_world_v(s->world), m->nv);
    for (i = 0; i < m->nlinks; ++i) {
        if (!report_touches(&s->scene, i)) continue;
        slip_link_contact_wrench(s->world, i, NULL, wrench);
        report_csv_values(out, wrench, 3);
    }
    for (i = 0; i < s->scene.world.nloops; ++i) {
        slip_loop_force(s->world, i, wrench);
        report_csv_values(out, wrench, report_loop_parts(&s->scene, i));
    }
    slip_world_energy(s->world, &energy[0], &energy[1]);
    report_csv_values(out, energy, 2);
    fprintf(out, ",%d", t->contacts);
    report_csv_values(out, &depth, 1);
    report_csv_values(out, &t->residual.eps_abs, 1);
    fprintf(out, ",%d", t->iterations);
    if (torques) report_csv_torques(out, s, torques);
    fputc('\n', out);
}

/* ---- contacts ----------------------------------------------------------------------------------- */

/* A name as a field, in quotes where it has a comma, a quote or a line break (RFC 4180). */
static void report_csv_text(FILE *out, const char *name)
{
    const int quotes = strpbrk(name, ",\"\r\n") != NULL;

    fputc(',', out);
    if (quotes) fputc('"', out);
    for (; *name; ++name) {
        if (*name == '"') fputc('"', out);
        fputc(*name, out);
    }
    if (quotes) fputc('"', out);
}

/* As report_csv_values(), but never -0, which axes of frames often are. */
static void report_contact_values(FILE *out, const slip_real *x, int n)
{
    slip_real y;
    int i;

    for (i = 0; i < n; ++i) {
        y = x[i] == 0 ? 0 : x[i];
        report_csv_values(out, &y, 1);
    }
}

void report_contacts_head(FILE *out)
{
    fputs("time,link_a,collider_a,link_b,collider_b,feature,state,px,py,pz,nx,ny,nz,t1x,t1y,t1z,gap,mu,"
          "f_t1,f_t2,f_n,fx,fy,fz,mx,my,mz\n", out);
}

static void report_contact_row(FILE *out, const sim_session *s, const slip_contact_info *c)
{
    const slip_collider_def *colliders = s->scene.world.colliders;
    const char *const names[] = { c->name_a, colliders[c->collider_a].name, c->name_b, colliders[c->collider_b].name };
    slip_real local[3];
    char time[SLIP_NUMBER_SIZE];
    int i;

    slip_print_real(slip_world_time(s->world), 0, time);
    fputs(time, out);
    for (i = 0; i < 4; ++i) report_csv_text(out, names[i] ? names[i] : "");
    fprintf(out, ",%lu,%s", (unsigned long)c->feature, slip_contact_state_name(c->state));
    report_contact_values(out, c->point, 3);
    report_contact_values(out, c->frame + 6, 3);
    report_contact_values(out, c->frame, 3);
    report_contact_values(out, &c->gap, 1);
    report_contact_values(out, &c->mu, 1);
    slip_mat3_vec(c->frame, c->force, local);
    report_contact_values(out, local, 3);
    report_contact_values(out, c->force, 3);
    report_contact_values(out, c->torque, 3);
    fputc('\n', out);
}

void report_contacts_rows(FILE *out, const sim_session *s)
{
    int i;

    for (i = 0; i < slip_contact_count(s->world); ++i) {
        const slip_contact_info c = slip_contact_get(s->world, i);

        report_contact_row(out, s, &c);
    }
}
