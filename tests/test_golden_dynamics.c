/* Every quantity of every state of the golden dynamics files (Pinocchio 3.7, 17 digits), from the URDFs they
 * were made of, and the golden derivatives. Needs ../shared; skipped without. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"

enum { MAX_N = 64, MAX_JOINTS = 64, TEXT = 1 << 22 };

/* Largest error relative to the largest entry of a vector or matrix. Forward dynamics amplifies rounding by
 * the condition of M; in float it is only asked for where that leaves digits. */
#define TOL      SLIP_TOL(1e-9, 2e-3)
#define MAX_COND SLIP_TOL(1e9, 1e5)

typedef struct { int body, iq, nq, iv, nv; } golden_joint;

static char text[TEXT];
static unsigned char memory[1 << 22], scratch_memory[1 << 20];
static slip_arena scratch;
static slip_urdf urdf;
static const slip_model *model;
static slip_data *data;
static golden_joint joints[MAX_JOINTS];
static int njoints, nq, nv;
static slip_real q[MAX_N + 8], v[MAX_N], tau[MAX_N], a[MAX_N], x[MAX_N], M[MAX_N*MAX_N], M_inv[MAX_N*MAX_N], J[6*MAX_N];
static double numbers[MAX_N*MAX_N];
static double condition;

enum { ABA, RNEA, MASS, NLE, GRAV, ENERGY, COM, LINK, JAC, DDQ_DQ, DDQ_DV, DDQ_DTAU, QUANTITIES };
static const char *const quantity[QUANTITIES] = { "aba", "rnea", "M", "nle", "grav", "energy", "com", "link", "jac",
                                                  "ddq_dq", "ddq_dv", "ddq_dtau" };
static double worst[QUANTITIES];
static int count[QUANTITIES];

void setUp(void)
{
    memset(worst, 0, sizeof worst);
    memset(count, 0, sizeof count);
    scratch = slip_arena_over(scratch_memory, sizeof scratch_memory);
}
void tearDown(void) { }

/* ---- reading -------------------------------------------------------------------------------------------- */

static int read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f) return 0;
    n = fread(text, 1, TEXT - 1, f);
    fclose(f);
    text[n] = '\0';
    return n > 0 && n < TEXT - 1;
}

/* Cuts the next line off *at; NULL at the end. */
static char *next_line(char **at)
{
    char *line = *at, *end;

    if (!*line) return NULL;
    end = strchr(line, '\n');
    *at = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    return line;
}

/* Reads n numbers of a line from text s into numbers[from ...]. */
static void read_numbers(const char *s, int from, int n)
{
    for (int i = 0; i < n; ++i) {
        char *end;

        numbers[from + i] = strtod(s, &end);
        TEST_ASSERT_TRUE_MESSAGE(end != s, "too few numbers in the golden file");
        s = end;
    }
}

static void read_matrix(char **at, int rows)
{
    for (int i = 0; i < rows; ++i) {
        char *line = next_line(at);

        TEST_ASSERT_NOT_NULL(line);
        read_numbers(line, i*nv, nv);
    }
}

/* ---- layout --------------------------------------------------------------------------------------------- */

static void load_robot(const char *path, int free_base)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_urdf_options o = slip_urdf_defaults();
    slip_error err;

    slip_error_clear(&err);
    o.free_base = free_base;
    o.find_meshes = 0;
    if (slip_urdf_load(path, &o, &mem, &urdf, NULL, &err) != SLIP_OK) TEST_FAIL_MESSAGE(err.what);
    if (slip_model_build(&urdf.def, &mem, &model, NULL, &err) != SLIP_OK) TEST_FAIL_MESSAGE(err.what);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &mem, &data));
    TEST_ASSERT_TRUE(model->nv <= MAX_N);
    njoints = nq = nv = 0;
}

static void read_joint(const char *line)
{
    golden_joint *j = &joints[njoints++];
    char name[128], type[32];
    int joint;

    TEST_ASSERT_EQUAL_INT(6, sscanf(line, "joint %127s %31s %d %d %d %d", name, type, &j->iq, &j->nq, &j->iv, &j->nv));
    joint = slip_model_find_joint(model, name);
    TEST_ASSERT_TRUE_MESSAGE(joint >= 0, name);
    j->body = model->joint_body[joint];
    nq += j->nq;
    nv += j->nv;
}

/* The file's index in v to ours. */
static void to_model_v(slip_real *to)
{
    for (int j = 0; j < njoints; ++j)
        for (int k = 0; k < joints[j].nv; ++k)
            to[model->dof_iv[model->idof[joints[j].body]] + k] = (slip_real)numbers[joints[j].iv + k];
}

static void to_model_q(void)
{
    for (int j = 0; j < njoints; ++j) {
        slip_real *to = q + model->iq[joints[j].body];
        const double *from = numbers + joints[j].iq;

        if (joints[j].nq == 2) to[0] = (slip_real)atan2(from[1], from[0]);
        else for (int k = 0; k < joints[j].nq; ++k) to[k] = (slip_real)from[k];
    }
}

static int file_iv(int golden)
{
    for (int j = 0; j < njoints; ++j)
        if (golden >= joints[j].iv && golden < joints[j].iv + joints[j].nv)
            return model->dof_iv[model->idof[joints[j].body]] + golden - joints[j].iv;
    TEST_FAIL_MESSAGE("a column without a joint");
    return 0;
}

/* ---- comparing ------------------------------------------------------------------------------------------ */

/* Error of one number against the golden one, relative to the largest of the n golden ones. */
static void note(int what, int n, int i, slip_real ours)
{
    double scale = 1e-6, e;

    for (int k = 0; k < n; ++k) scale = fmax(scale, fabs(numbers[k]));
    e = fabs((double)ours - numbers[i])/scale;
    worst[what] = e > worst[what] || !(e == e) ? e : worst[what];
    ++count[what];
}

static void compare_v(int what, const slip_real *ours)
{
    for (int i = 0; i < nv; ++i) note(what, nv, i, ours[file_iv(i)]);
}

/* rows x nv, the rows permuted too when they are freedoms. */
static void compare_matrix(int what, int rows, const slip_real *A)
{
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < nv; ++k)
            note(what, rows*nv, i*nv + k, A[(rows == nv ? file_iv(i) : i)*nv + file_iv(k)]);
}

static void compare_link(const char *line)
{
    char name[128];
    slip_pose X;
    int at, link;

    TEST_ASSERT_EQUAL_INT(1, sscanf(line, "link %127s%n", name, &at));
    link = slip_model_find_link(model, name);
    TEST_ASSERT_TRUE_MESSAGE(link >= 0, name);
    read_numbers(line + at, 0, 12);
    slip_kinematics(model, data, q);
    slip_link_pose(model, data, link, &X);
    for (int i = 0; i < 12; ++i) note(LINK, 12, i, i < 3 ? X.p[i] : X.R[i - 3]);
}

static void compare_jacobian(const char *line, char **at)
{
    char name[128];

    TEST_ASSERT_EQUAL_INT(1, sscanf(line, "jac %127s", name));
    read_matrix(at, 6);
    slip_kinematics(model, data, q);
    slip_link_jacobian(model, data, slip_model_find_link(model, name), SLIP_FRAME_ALIGNED, J);
    compare_matrix(JAC, 6, J);
}

/* |M| |M^-1| in the largest row sum, after scaling M to a unit diagonal: what amplifies rounding. */
static void find_condition(void)
{
    double rows[2] = { 0, 0 };

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mass_matrix_inverse(model, data, q, M_inv));
    slip_mass_matrix(model, data, M);
    for (int i = 0; i < nv; ++i) {
        double sum[2] = { 0, 0 };

        for (int k = 0; k < nv; ++k) {
            const double scale = sqrt((double)(M[i*nv + i]*M[k*nv + k]));

            sum[0] += fabs((double)M[i*nv + k])/scale;
            sum[1] += fabs((double)M_inv[i*nv + k])*scale;
        }
        rows[0] = fmax(rows[0], sum[0]);
        rows[1] = fmax(rows[1], sum[1]);
    }
    condition = rows[0]*rows[1];
}

/* One line of a state. */
static void compare_line(const char *line, char **at)
{
    char word[32];
    int skip;

    if (sscanf(line, "%31s%n", word, &skip) != 1) return;
    if (strcmp(word, "q") == 0)        { read_numbers(line + skip, 0, nq); to_model_q(); find_condition(); }
    else if (strcmp(word, "v") == 0)   { read_numbers(line + skip, 0, nv); to_model_v(v); }
    else if (strcmp(word, "tau") == 0) { read_numbers(line + skip, 0, nv); to_model_v(tau); }
    else if (strcmp(word, "a") == 0)   { read_numbers(line + skip, 0, nv); to_model_v(a); }
    else if (strcmp(word, "aba") == 0) {
        read_numbers(line + skip, 0, nv);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, x));
        if (condition < (double)MAX_COND) compare_v(ABA, x);
    } else if (strcmp(word, "rnea") == 0) {
        read_numbers(line + skip, 0, nv);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(model, data, q, v, a, NULL, x));
        compare_v(RNEA, x);
    } else if (strcmp(word, "M") == 0) {
        read_matrix(at, nv);
        slip_crba(model, data, q);
        slip_mass_matrix(model, data, M);
        compare_matrix(MASS, nv, M);
    } else if (strcmp(word, "nle") == 0) {
        read_numbers(line + skip, 0, nv);
        slip_bias(model, data, q, v, x);
        compare_v(NLE, x);
    } else if (strcmp(word, "grav") == 0) {
        read_numbers(line + skip, 0, nv);
        slip_gravity(model, data, q, x);
        compare_v(GRAV, x);
    } else if (strcmp(word, "energy") == 0 || strcmp(word, "com") == 0) {
        slip_real found[3] = { 0, 0, 0 };
        const int n = word[0] == 'e' ? 2 : 3;

        read_numbers(line + skip, 0, n);
        slip_kinematics(model, data, q);
        slip_velocities(model, data, v);
        if (n == 3) slip_center_of_mass(model, data, found);
        else { found[0] = slip_kinetic_energy(model, data, v); found[1] = slip_potential_energy(model, data); }
        for (int i = 0; i < n; ++i) note(n == 3 ? COM : ENERGY, n, i, found[i]);
    } else if (strcmp(word, "link") == 0) compare_link(line);
    else if (strcmp(word, "jac") == 0) compare_jacobian(line, at);
}

/* ---- derivatives ---------------------------------------------------------------------------------------- */

static void compare_derivative(const char *line, char **at)
{
    const int what = strncmp(line, "ddq_dq", 6) == 0 ? DDQ_DQ : strncmp(line, "ddq_dv", 6) == 0 ? DDQ_DV : DDQ_DTAU;

    read_matrix(at, nv);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba_derivatives(model, data, q, v, tau, NULL, NULL,
                                                        what == DDQ_DQ ? M : NULL, what == DDQ_DV ? M : NULL,
                                                        what == DDQ_DTAU ? M : NULL, &scratch));
    if (condition < (double)MAX_COND) compare_matrix(what, nv, M);
}

/* ---- the files ------------------------------------------------------------------------------------------ */

static void report(const char *robot)
{
    char line[512];
    int n = snprintf(line, sizeof line, "%s, worst relative errors:", robot);

    for (int i = 0; i < QUANTITIES; ++i)
        if (count[i]) n += snprintf(line + n, sizeof line - (size_t)n, " %s %.1e", quantity[i], worst[i]);
    TEST_MESSAGE(line);
}

static void compare_file(const char *folder, const char *robot, int free_base)
{
    char path[128], *at = text, *line;
    int states = 0;

    snprintf(path, sizeof path, "../shared/golden/%s/%s.txt", folder, robot);
    if (!read_text(path)) TEST_IGNORE_MESSAGE("skipped: ../shared/golden not present");
    snprintf(path, sizeof path, "../shared/robots/%s.urdf", robot);
    load_robot(path, free_base);
    while ((line = next_line(&at)) != NULL) {
        if (strncmp(line, "joint ", 6) == 0) read_joint(line);
        else if (strncmp(line, "state ", 6) == 0) ++states;
        else if (states > 0 && strncmp(line, "ddq_", 4) == 0) compare_derivative(line, &at);
        else if (states > 0) compare_line(line, &at);
    }
    TEST_ASSERT_EQUAL_INT(model->nv, nv);
    TEST_ASSERT_TRUE_MESSAGE(states >= 2, "the file has states");
    report(robot);
}

static void assert_dynamics(const char *robot, int free_base)
{
    compare_file("dynamics", robot, free_base);
    for (int i = 0; i < DDQ_DQ; ++i) {
        if (i != ABA) TEST_ASSERT_TRUE_MESSAGE(count[i] > 0, quantity[i]);
        TEST_ASSERT_TRUE_MESSAGE(worst[i] <= (double)TOL, quantity[i]);
    }
    if (sizeof(slip_real) == sizeof(double)) TEST_ASSERT_TRUE_MESSAGE(count[ABA] > 0, "aba");
}

static void assert_derivatives(const char *robot, int free_base)
{
    compare_file("derivatives", robot, free_base);
    for (int i = ABA; i < QUANTITIES; ++i) {
        if (i != ABA && i < DDQ_DQ) continue;
        if (sizeof(slip_real) == sizeof(double)) TEST_ASSERT_TRUE_MESSAGE(count[i] > 0, quantity[i]);
        TEST_ASSERT_TRUE_MESSAGE(worst[i] <= (double)TOL, quantity[i]);
    }
}

static void test_solo12_on_a_free_base(void)  { assert_dynamics("solo12", 1); }
static void test_anymal_on_a_free_base(void)  { assert_dynamics("anymal", 1); }
static void test_romeo_on_a_free_base(void)   { assert_dynamics("romeo", 1); }
static void test_ur5_bolted_down(void)        { assert_dynamics("ur5", 0); }
static void test_allegro_bolted_down(void)    { assert_dynamics("allegro", 0); }
static void test_derivatives_of_solo12(void)  { assert_derivatives("solo12", 1); }
static void test_derivatives_of_ur5(void)     { assert_derivatives("ur5", 0); }

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_solo12_on_a_free_base);
    RUN_TEST(test_anymal_on_a_free_base);
    RUN_TEST(test_romeo_on_a_free_base);
    RUN_TEST(test_ur5_bolted_down);
    RUN_TEST(test_allegro_bolted_down);
    RUN_TEST(test_derivatives_of_solo12);
    RUN_TEST(test_derivatives_of_ur5);
    return UNITY_END();
}
