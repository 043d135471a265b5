/* slipstick eval: dynamics of a model at given states, in the format of the golden dynamics files.
 *
 * The states file may have a header that names the joints and says where each sits in q and v; numbers
 * are then read and printed in that order, whatever the model's own order is. */
#include "model_file.h"

#include <stdlib.h>
#include <string.h>

static const char eval_help[] =
    "usage: slipstick eval MODEL STATES [--derivatives] [--free] [--strict] [--package-path DIR]...\n\n"
    "Reads states (lines `state K`, `q ...`, `v ...`, `tau ...`, `a ...`) and prints for each of them\n"
    "  aba      acceleration from q, v, tau           rnea   force from q, v, a\n"
    "  M        mass matrix                           nle    Coriolis, centrifugal and gravity forces\n"
    "  grav     gravity forces                        energy kinetic and potential\n"
    "  com      centre of mass                        link   pose of every link: position, rotation by rows\n"
    "  jac LINK world-aligned Jacobian of a link (the one the file names, or one on the longest chain)\n\n"
    "A header as in the output (`robot`, `NQ NV`, `joints`, `joint NAME TYPE iq nq iv nv`) gives the order of\n"
    "the joints; without one it is the model's own. Continuous joints may have two numbers in q, cosine and\n"
    "sine; a line `qs` has plain angles. Mimic joints that the header lists are independent.\n\n"
    "  --derivatives        instead of these the state itself, aba, and its derivatives ddq_dq, ddq_dv, ddq_dtau;\n"
    "                       directions of q as those of v, of a free joint in its own axes\n"
    "  --free               the root link floats on a joint called root_joint (implied by a header with one)\n"
    "  --strict             warnings about the model are errors\n"
    "  --package-path DIR   where package:// meshes are; may be repeated\n"
    "  MODEL or STATES may be - for standard input\n\n"
    "example: slipstick eval models/double_pendulum.urdf models/double_pendulum_states.txt\n";

/* A joint of the header. */
typedef struct {
    char name[128], type[16];
    int iq, nq, iv, nv;
    int body;                                            /* in the model; 0 until it is matched */
} eval_joint;

typedef struct {
    const char *path;                                    /* for messages                     */
    char *text, *at, *end;                               /* the file, and where we are in it */
    int line;
    char *word, *rest;                                   /* of the current line: first word, the rest        */
    int pushed;                                          /* the current line is to be read once more */

    eval_joint *joints;
    int njoints, room, nq, nv;                           /* of the file's layout */
    int has_free;                                        /* the header has a floating joint */
    int has_header;                                      /* the output has its header */
    int derivatives;                                     /* they are wanted instead of all else */
    slip_arena ws;                                       /* their scratch */

    tool_model m;
    int *iv_of;                                          /* the model's v index for each of the file's */
    double *numbers;                                     /* one line's numbers */
    slip_real *q, *v, *tau, *a, *x, *M;
    int has_q, has_v, has_tau, has_a, state;
    int nlinks, *links, jac;                             /* links in the order of the file; the Jacobian's */
} eval_run;

/* ---- lines -------------------------------------------------------------------------------------------- */

/* Next line with something on it, split into its first word and the rest; 0 at the end. */
static int eval_next_line(eval_run *e)
{
    if (e->pushed) {
        e->pushed = 0;
        return 1;
    }
    while (e->at < e->end) {
        char *s = e->at, *stop = memchr(s, '\n', (size_t)(e->end - s));

        if (!stop) stop = e->end;
        *stop = '\0';
        e->at = stop + 1;
        ++e->line;
        while (slip_is_blank(*s)) ++s;
        if (*s == '\0' || *s == '#') continue;
        e->word = s;
        while (*s && !slip_is_blank(*s)) ++s;
        e->rest = s;
        if (*s) { *s = '\0'; e->rest = s + 1; }
        return 1;
    }
    return 0;
}

static int eval_bad(const eval_run *e, const char *format, const char *what, int a, int b)
{
    fprintf(stderr, e->line ? "slipstick: %s:%d: " : "slipstick: %s: ", e->path, e->line);
    fprintf(stderr, format, what, a, b);
    fputc('\n', stderr);
    return 0;
}

/* The line's numbers, exactly n of them. */
static int eval_numbers(eval_run *e, int n)
{
    const char *s = e->rest;
    int count = 0;

    for (;;) {
        double x;
        int used;

        while (slip_is_blank(*s)) ++s;
        if (!*s) break;
        used = slip_read_double(s, (int)strlen(s), &x);
        if (used == 0 || (s[used] && !slip_is_blank(s[used])) || !(x - x == 0))
            return eval_bad(e, "'%s': number %d of %d is not a finite number", e->word, count + 1, n);
        if (count < n) e->numbers[count] = x;
        ++count;
        s += used;
    }
    return count == n ? 1 : eval_bad(e, "'%s' has %d numbers, expected %d", e->word, count, n);
}

/* ---- header ------------------------------------------------------------------------------------------- */

static int eval_add_joint(eval_run *e, const eval_joint *j)
{
    if (e->njoints == e->room) {
        eval_joint *more = (eval_joint *)cli_alloc((size_t)(2*e->room + 16)*sizeof *more);

        if (e->njoints) memcpy(more, e->joints, (size_t)e->njoints*sizeof *more);
        free(e->joints);
        e->joints = more;
        e->room = 2*e->room + 16;
    }
    e->joints[e->njoints++] = *j;
    e->nq = j->iq + j->nq > e->nq ? j->iq + j->nq : e->nq;
    e->nv = j->iv + j->nv > e->nv ? j->iv + j->nv : e->nv;
    if (strcmp(j->type, "free") == 0) e->has_free = 1;
    return 1;
}

/* "joint NAME TYPE iq nq iv nv" */
static int eval_header_joint(eval_run *e)
{
    eval_joint j;
    char tail[2];

    memset(&j, 0, sizeof j);
    if (sscanf(e->rest, "%127s %15s %d %d %d %d %1s", j.name, j.type, &j.iq, &j.nq, &j.iv, &j.nv, tail) != 6
        || j.iq < 0 || j.nq < 1 || j.nq > 7 || j.iv < 0 || j.nv < 1 || j.nv > 6 || j.iq > 1000000 || j.iv > 1000000)
        return eval_bad(e, "'%s' needs NAME TYPE iq nq iv nv", e->word, 0, 0);
    return eval_add_joint(e, &j);
}

/* Everything before the first state. */
static int eval_header(eval_run *e)
{
    while (eval_next_line(e)) {
        if (strcmp(e->word, "state") == 0) return e->pushed = 1;
        if (strcmp(e->word, "joint") == 0 && !eval_header_joint(e)) return 0;
    }
    return eval_bad(e, "no state: expected a line '%s K'", "state", 0, 0);
}

/* Mimic joints that the header lists stand on their own. */
static void eval_free_mimics(slip_model_def *def, void *context)
{
    const eval_run *e = (const eval_run *)context;
    int i, j;

    for (j = 0; j < def->njoints; ++j)
        for (i = 0; i < e->njoints; ++i)
            if (strcmp(def->joints[j].name, e->joints[i].name) == 0) def->joints[j].mimic = -1;
}

/* Without a header: the model's own order. */
static void eval_own_layout(eval_run *e)
{
    const slip_model *m = e->m.model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        eval_joint j;

        if (m->mimics[b]) continue;
        memset(&j, 0, sizeof j);
        slip_format(j.name, (int)sizeof j.name, "%s", m->joint_name[m->body_joint[b]]);
        slip_format(j.type, (int)sizeof j.type, "%s", m->type[b] == SLIP_JOINT_FLOATING ? "free"
                    : slip_joint_type_name((slip_joint_type)m->type[b]));
        j.iq = m->iq[b];
        j.nq = slip_joint_nq((slip_joint_type)m->type[b]);
        j.iv = m->dof_iv[m->idof[b]];
        j.nv = slip_joint_nv((slip_joint_type)m->type[b]);
        eval_add_joint(e, &j);
    }
}

/* The body of a header's joint, checked to have the sizes it claims. */
static int eval_match_joint(eval_run *e, eval_joint *j)
{
    const slip_model *m = e->m.model;
    const int joint = slip_model_find_joint(m, j->name);
    slip_joint_type type;
    int k;

    if (joint < 0) return eval_bad(e, "the header's joint '%s' is not in the model", j->name, 0, 0);
    if (m->joint_body[joint] < 0) return eval_bad(e, "the header's joint '%s' is fixed in the model", j->name, 0, 0);
    j->body = m->joint_body[joint];
    type = (slip_joint_type)m->type[j->body];
    if (j->nv != slip_joint_nv(type)
        || (j->nq != slip_joint_nq(type) && !(j->nq == 2 && j->nv == 1 && type != SLIP_JOINT_PRISMATIC)
            && !(j->nq == 4 && type == SLIP_JOINT_PLANAR)))
        return eval_bad(e, "the header's joint '%s' has %d and %d numbers in q and v, which does not fit the model",
                        j->name, j->nq, j->nv);
    for (k = 0; k < j->nv; ++k) e->iv_of[j->iv + k] = m->dof_iv[m->idof[j->body]] + k;
    return 1;
}

/* Every place in q must belong to exactly one joint, or some would be read from nowhere. */
static int eval_check_q(eval_run *e)
{
    int *seen = (int *)cli_alloc((size_t)(e->nq + 1)*sizeof(int)), i, k, ok = 1;

    memset(seen, 0, (size_t)(e->nq + 1)*sizeof(int));
    for (i = 0; i < e->njoints; ++i)
        for (k = 0; k < e->joints[i].nq; ++k) ++seen[e->joints[i].iq + k];
    for (k = 0; k < e->nq && ok; ++k)
        if (seen[k] != 1)
            ok = eval_bad(e, "the header's %s leave place %d of q to %d joints instead of one", "joints", k, seen[k]);
    free(seen);
    return ok;
}

/* Matches the file's layout with the model's: every coordinate of the model must be there once. */
static int eval_match(eval_run *e)
{
    const slip_model *m = e->m.model;
    int i, *seen;

    if (e->njoints == 0) eval_own_layout(e);
    if (!eval_check_q(e)) return 0;
    e->iv_of = (int *)cli_alloc((size_t)(e->nv + 1)*sizeof(int));
    for (i = 0; i < e->nv; ++i) e->iv_of[i] = -1;
    for (i = 0; i < e->njoints; ++i)
        if (!eval_match_joint(e, &e->joints[i])) return 0;
    seen = (int *)cli_alloc((size_t)(m->nv + 1)*sizeof(int));
    memset(seen, 0, (size_t)(m->nv + 1)*sizeof(int));
    for (i = 0; i < e->nv; ++i)
        if (e->iv_of[i] >= 0) ++seen[e->iv_of[i]];
    for (i = 0; i < m->nv && seen[i] == 1; ++i) {}
    free(seen);
    if (i < m->nv || e->nv != m->nv)
        return eval_bad(e, "the header's %s cover %d of the model's %d freedoms, or some of them twice", "joints",
                        e->nv, m->nv);
    return 1;
}

/* ---- states ------------------------------------------------------------------------------------------- */

/* One joint's numbers into the model's q. */
static void eval_set_joint_q(const eval_run *e, const eval_joint *j, const double *x, int n)
{
    slip_real *q = e->q + e->m.model->iq[j->body];
    int k;

    if (n == 2)      q[0] = (slip_real)atan2(x[1], x[0]);
    else if (n == 4 && j->nv == 3 && e->m.model->type[j->body] == SLIP_JOINT_PLANAR) {
        q[0] = (slip_real)x[0];
        q[1] = (slip_real)x[1];
        q[2] = (slip_real)atan2(x[3], x[2]);
    } else for (k = 0; k < n; ++k) q[k] = (slip_real)x[k];
}

/* How many joints with cosine and sine come before a place in q: qs has one number less for each. */
static int eval_pairs_before(const eval_run *e, int iq)
{
    int i, n = 0;

    for (i = 0; i < e->njoints; ++i) n += e->joints[i].nq == 2 && e->joints[i].iq < iq;
    return n;
}

/* A line q (cosine and sine where the header says so) or qs (plain angles). */
static int eval_read_q(eval_run *e, int plain)
{
    int i;

    if (!eval_numbers(e, plain ? e->nq - eval_pairs_before(e, e->nq) : e->nq)) return 0;
    for (i = 0; i < e->njoints; ++i) {
        const eval_joint *j = &e->joints[i];

        if (plain) eval_set_joint_q(e, j, e->numbers + j->iq - eval_pairs_before(e, j->iq), j->nq == 2 ? 1 : j->nq);
        else eval_set_joint_q(e, j, e->numbers + j->iq, j->nq);
    }
    return e->has_q = 1;
}

static int eval_read_v(eval_run *e, slip_real *to, int *has)
{
    int i;

    if (!eval_numbers(e, e->nv)) return 0;
    for (i = 0; i < e->nv; ++i) to[e->iv_of[i]] = (slip_real)e->numbers[i];
    return *has = 1;
}

/* Numbers with a blank before each, the first one's left out at the start of a line. */
static void eval_print_numbers(const slip_real *x, int n, int at_start)
{
    char number[SLIP_NUMBER_SIZE];
    int i;

    for (i = 0; i < n; ++i) {
        slip_print_real(x[i], SLIP_REAL_DIGITS, number);
        printf(at_start && i == 0 ? "%s" : " %s", number);
    }
}

/* A vector over v, in the file's order. */
static void eval_print_v(const eval_run *e, const char *name, const slip_real *x)
{
    int i;

    fputs(name, stdout);
    for (i = 0; i < e->nv; ++i) eval_print_numbers(&x[e->iv_of[i]], 1, 0);
    putchar('\n');
}

/* Rows of a matrix with nv columns, in the file's order. */
static void eval_print_rows(const eval_run *e, const slip_real *A, int rows, int permuted)
{
    int i, k;

    for (i = 0; i < rows; ++i) {
        const slip_real *row = A + (size_t)(permuted ? e->iv_of[i] : i)*(size_t)e->nv;

        for (k = 0; k < e->nv; ++k) eval_print_numbers(&row[e->iv_of[k]], 1, k == 0);
        putchar('\n');
    }
}

static void eval_print_links(const eval_run *e)
{
    const slip_model *m = e->m.model;
    slip_pose X;
    int i;

    for (i = 0; i < e->nlinks; ++i) {
        slip_link_pose(m, e->m.data, e->links[i], &X);
        printf("link %s", m->link_name[e->links[i]]);
        eval_print_numbers(X.p, 3, 0);
        eval_print_numbers(X.R, 9, 0);
        putchar('\n');
    }
    printf("jac %s\n", m->link_name[e->jac]);
    slip_link_jacobian(m, e->m.data, e->jac, SLIP_FRAME_ALIGNED, e->M);
    eval_print_rows(e, e->M, 6, 0);
}

static int eval_failed(const eval_run *e, const char *what, slip_status s)
{
    fprintf(stderr, "slipstick: %s: state %d: %s: %s\n", e->path, e->state, what, slip_status_text(s));
    return 0;
}

/* Once, before the first state that can be answered: a bad one leaves no half of an output behind. */
static void eval_print_header(eval_run *e)
{
    int i;

    if (e->has_header) return;
    e->has_header = 1;
    printf("robot %s\n%d %d\njoints", e->m.model->name[0] ? e->m.model->name : "unnamed", e->nq, e->nv);
    for (i = 0; i < e->njoints; ++i) printf(" %s", e->joints[i].name);
    putchar('\n');
    for (i = 0; i < e->njoints; ++i) {
        const eval_joint *j = &e->joints[i];

        printf("joint %s %s %d %d %d %d\n", j->name, j->type, j->iq, j->nq, j->iv, j->nv);
    }
}

/* A joint's numbers of q as the file has them: cosine and sine where it counts one more, but for a plain angle. */
static void eval_print_joint_q(const eval_run *e, const eval_joint *j, int plain)
{
    const slip_real *q = e->q + e->m.model->iq[j->body];
    const int own = slip_joint_nq((slip_joint_type)e->m.model->type[j->body]);
    slip_real pair[2];

    if (j->nq == own || (plain && j->nq == 2)) {
        eval_print_numbers(q, own, 0);
        return;
    }
    pair[0] = slip_cos(q[own - 1]);
    pair[1] = slip_sin(q[own - 1]);
    eval_print_numbers(q, own - 1, 0);
    eval_print_numbers(pair, 2, 0);
}

/* The joint that is at a place in q of the file. */
static const eval_joint *eval_joint_at(const eval_run *e, int iq)
{
    int i;

    for (i = 0; e->joints[i].iq != iq; ++i) {}
    return &e->joints[i];
}

/* Lines q and qs. */
static void eval_print_q(const eval_run *e)
{
    int plain, iq;

    for (plain = 0; plain < 2; ++plain) {
        fputs(plain ? "qs" : "q", stdout);
        for (iq = 0; iq < e->nq; iq += eval_joint_at(e, iq)->nq) eval_print_joint_q(e, eval_joint_at(e, iq), plain);
        putchar('\n');
    }
}

/* A state, its acceleration, and the derivatives of that. */
static int eval_derivatives(eval_run *e)
{
    static const char *const name[3] = { "ddq_dq", "ddq_dv", "ddq_dtau" };
    const size_t size = (size_t)e->nv*(size_t)e->nv;
    slip_status s;
    int i;

    if (!e->has_v || !e->has_tau) return eval_bad(e, "'%s' %d has no line v or no line tau", "state", e->state, 0);
    s = slip_aba_derivatives(e->m.model, e->m.data, e->q, e->v, e->tau, NULL, e->x, e->M, e->M + size, e->M + 2*size,
                             &e->ws);
    if (s != SLIP_OK) return eval_failed(e, "aba", s);
    eval_print_header(e);
    printf("state %d\n", e->state);
    eval_print_q(e);
    eval_print_v(e, "v", e->v);
    eval_print_v(e, "tau", e->tau);
    eval_print_v(e, "aba", e->x);
    for (i = 0; i < 3; ++i) {
        puts(name[i]);
        eval_print_rows(e, e->M + (size_t)i*size, e->nv, 1);
    }
    return 1;
}

/* All results of the state read. */
static int eval_state(eval_run *e)
{
    const slip_model *m = e->m.model;
    slip_data *d = e->m.data;
    slip_real com[3], energy[2];
    slip_status s;

    if (!e->has_q) return eval_bad(e, "'%s' %d has no line q or qs", "state", e->state, 0);
    if (e->derivatives) return eval_derivatives(e);
    if ((s = slip_kinematics(m, d, e->q)) != SLIP_OK) return eval_failed(e, "q", s);
    if (e->has_v && e->has_tau && (s = slip_aba(m, d, e->q, e->v, e->tau, NULL, e->x)) != SLIP_OK)
        return eval_failed(e, "aba", s);
    eval_print_header(e);
    printf("state %d\n", e->state);
    if (e->has_v && e->has_tau) eval_print_v(e, "aba", e->x);
    if (e->has_v && e->has_a) {
        slip_rnea(m, d, e->q, e->v, e->a, NULL, e->x);
        eval_print_v(e, "rnea", e->x);
    }
    slip_crba(m, d, e->q);
    slip_mass_matrix(m, d, e->M);
    puts("M");
    eval_print_rows(e, e->M, e->nv, 1);
    if (e->has_v) {
        slip_bias(m, d, e->q, e->v, e->x);
        eval_print_v(e, "nle", e->x);
    }
    slip_gravity(m, d, e->q, e->x);
    eval_print_v(e, "grav", e->x);
    slip_velocities(m, d, e->v);
    energy[0] = slip_kinetic_energy(m, d, e->v);
    energy[1] = slip_potential_energy(m, d);
    fputs("energy", stdout);
    eval_print_numbers(energy, 2, 0);
    slip_center_of_mass(m, d, com);
    fputs("\ncom", stdout);
    eval_print_numbers(com, 3, 0);
    putchar('\n');
    eval_print_links(e);
    return 1;
}

/* Starts a state: nothing read yet; v is zero until it is given. */
static int eval_begin_state(eval_run *e)
{
    int i;

    e->has_q = e->has_v = e->has_tau = e->has_a = 0;
    for (i = 0; i < e->m.model->nv; ++i) e->v[i] = 0;
    e->nlinks = 0;
    e->jac = -1;
    if (!eval_numbers(e, 1)) return 0;
    if (!(e->numbers[0] >= 0 && e->numbers[0] <= 1e9))
        return eval_bad(e, "'%s' needs a number from 0 to 1e9", e->word, 0, 0);
    e->state = (int)e->numbers[0];
    return 1;
}

/* `link NAME` and `jac NAME` of the input say which links are wanted, in which order. */
static int eval_want_link(eval_run *e, int jac)
{
    char name[256];
    int link;

    if (sscanf(e->rest, "%255s", name) != 1) return eval_bad(e, "'%s' needs a name", e->word, 0, 0);
    link = slip_model_find_link(e->m.model, name);
    if (link < 0) return eval_bad(e, "link '%s' is not in the model", name, 0, 0);
    if (jac) e->jac = link;
    else if (e->nlinks < e->m.model->nlinks) e->links[e->nlinks++] = link;
    return 1;
}

/* Moving joints above a link. */
static int eval_chain(const slip_model *m, int link)
{
    int b, n = 0;

    for (b = m->link_body[link]; b > 0; b = m->parent[b]) ++n;
    return n;
}

/* Defaults where the input names no links: all links; for `jac` the first with the longest chain. */
static int eval_end_state(eval_run *e)
{
    const slip_model *m = e->m.model;
    int l;

    if (e->nlinks == 0)
        for (l = 0; l < m->nlinks; ++l) e->links[e->nlinks++] = l;
    if (e->jac < 0)
        for (l = e->jac = 0; l < m->nlinks; ++l)
            if (eval_chain(m, l) > eval_chain(m, e->jac)) e->jac = l;
    return eval_state(e);
}

static int eval_line(eval_run *e)
{
    if (strcmp(e->word, "q") == 0)    return eval_read_q(e, 0);
    if (strcmp(e->word, "qs") == 0)   return e->has_q ? 1 : eval_read_q(e, 1);
    if (strcmp(e->word, "v") == 0)    return eval_read_v(e, e->v, &e->has_v);
    if (strcmp(e->word, "tau") == 0)  return eval_read_v(e, e->tau, &e->has_tau);
    if (strcmp(e->word, "a") == 0)    return eval_read_v(e, e->a, &e->has_a);
    if (strcmp(e->word, "link") == 0) return eval_want_link(e, 0);
    if (strcmp(e->word, "jac") == 0)  return eval_want_link(e, 1);
    return 1;                                            /* results of another program: skipped       */
}

static int eval_states(eval_run *e)
{
    int open = 0;

    while (eval_next_line(e)) {
        if (strcmp(e->word, "state") == 0) {
            if ((open && !eval_end_state(e)) || !eval_begin_state(e)) return 0;
            open = 1;
        } else if (open && !eval_line(e)) return 0;
    }
    return open ? eval_end_state(e) : 1;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static void eval_allocate(eval_run *e)
{
    const size_t nv = (size_t)e->m.model->nv + 1, nq = (size_t)e->m.model->nq + (size_t)e->nq + 1;

    e->numbers = (double *)cli_alloc((nq + nv)*sizeof(double));
    e->q = (slip_real *)cli_alloc(nq*sizeof(slip_real));
    e->v = (slip_real *)cli_alloc(nv*sizeof(slip_real));
    e->tau = (slip_real *)cli_alloc(nv*sizeof(slip_real));
    e->a = (slip_real *)cli_alloc(nv*sizeof(slip_real));
    e->x = (slip_real *)cli_alloc(nv*sizeof(slip_real));
    e->M = (slip_real *)cli_alloc((3*nv + 6)*nv*sizeof(slip_real));
    e->ws = slip_arena_over(cli_alloc(slip_derivatives_bytes(e->m.model)), slip_derivatives_bytes(e->m.model));
    e->links = (int *)cli_alloc(((size_t)e->m.model->nlinks + 1)*sizeof(int));
}

static void eval_free(eval_run *e)
{
    free(e->text); free(e->joints); free(e->iv_of); free(e->numbers); free(e->q); free(e->v); free(e->tau);
    free(e->a); free(e->x); free(e->M); free(e->ws.base); free(e->links);
    tool_model_free(&e->m);
}

static int eval_run_files(const char *model, const char *states, int derivatives, tool_model_options *o)
{
    eval_run e;
    size_t length;
    int ok = 0;

    memset(&e, 0, sizeof e);
    e.path = states;
    e.derivatives = derivatives;
    e.text = cli_read_file("eval", states, &length);
    if (!e.text) return CLI_FAILED;
    e.at = e.text;
    e.end = e.text + length;
    if (eval_header(&e)) {
        o->urdf.free_base |= e.has_free;
        o->adjust = eval_free_mimics;
        o->context = &e;
        ok = tool_model_load("eval", model, o, &e.m);
    }
    if (ok) ok = eval_match(&e);
    if (ok) {
        eval_allocate(&e);
        ok = eval_states(&e);
        if (ok) eval_print_header(&e);                   /* no state at all: the header alone                */
    }
    eval_free(&e);
    return ok ? CLI_OK : CLI_FAILED;
}

int slip_cmd_eval(int argc, char **argv)
{
    const char *operands[2] = { NULL, NULL };
    cli_paths paths = { { NULL }, 0 };
    tool_model_options o;
    cli_args args;
    int kind, n = 0, derivatives = 0;

    memset(&o, 0, sizeof o);
    o.urdf = slip_urdf_defaults();
    o.urdf.find_meshes = 0;                              /* dynamics do not need them */
    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            if (n == 2) return cli_usage(&args, "too many arguments: '%s'", args.value);
            operands[n++] = args.value;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) {
            fputs(eval_help, stdout);
            return CLI_OK;
        } else if (cli_is(&args, "--derivatives")) derivatives = 1;
        else if (cli_is(&args, "--free")) o.urdf.free_base = 1;
        else if (cli_is(&args, "--strict")) o.strict = 1;
        else if (cli_is(&args, "--repair")) {
            if (!cli_value_repair(&args, &o.repair)) return CLI_USAGE;
        }
        else if (cli_is(&args, "--package-path")) {
            if (!cli_value_path(&args, &paths)) return CLI_USAGE;
        } else return cli_unknown(&args);
    }
    o.urdf.package_paths = paths.dir;
    o.urdf.npackage_paths = paths.n;
    if (n < 2) return cli_usage(&args, "MODEL and STATES are needed");
    if (strcmp(operands[0], "-") == 0 && strcmp(operands[1], "-") == 0)
        return cli_usage(&args, "only one of MODEL and STATES can be standard input");
    return eval_run_files(operands[0], operands[1], derivatives, &o);
}
