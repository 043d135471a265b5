/* The dynamics of random trees against a second implementation that shares nothing with the first: straight
 * from the description, fixed links and all, with 4x4 matrices in double, by Kane's method:
 *
 *   M = sum over links of Jc' m Jc + Jw' I Jw,   bias = sum of Jc' m (ac - g) + Jw' (I alpha + w x I w)
 *
 * A column of a link's Jacobian is W_j [s]^ W_j^-1 applied to its pose; ac and alpha are differences of J v
 * along the motion with constant v. Slow, obvious, and right. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "random_tree.h"

enum { NMAX = 6*TREE_MAX_LINKS, LINKS = 14, TRIALS = 60 };

typedef struct { double e[4][4]; } mat4;

static tree t;
static slip_random rng;
static slip_real q[NMAX + TREE_MAX_LINKS], v[NMAX], a[NMAX], x[NMAX], M[NMAX*NMAX];
static mat4 joint_at[TREE_MAX_LINKS], moved[TREE_MAX_LINKS], world[TREE_MAX_LINKS];
static double centre[TREE_MAX_LINKS][3];
static double J[TREE_MAX_LINKS][6][NMAX], M_ref[NMAX*NMAX], bias_ref[NMAX];

void setUp(void) { rng = slip_random_seed(161803); }
void tearDown(void) { }

/* ---- 4x4 matrices --------------------------------------------------------------------------------------- */

static mat4 identity4(void)
{
    mat4 r = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } } };

    return r;
}

static mat4 times4(mat4 A, mat4 B)
{
    mat4 r;

    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            r.e[i][j] = 0;
            for (int k = 0; k < 4; ++k) r.e[i][j] += A.e[i][k]*B.e[k][j];
        }
    return r;
}

static mat4 rigid_inverse4(mat4 A)
{
    mat4 r = identity4();

    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) r.e[i][j] = A.e[j][i];
        r.e[i][3] = -(A.e[0][i]*A.e[0][3] + A.e[1][i]*A.e[1][3] + A.e[2][i]*A.e[2][3]);
    }
    return r;
}

static mat4 hat4(const double s[6])
{
    mat4 r = { { { 0, -s[5], s[4], s[0] }, { s[5], 0, -s[3], s[1] }, { -s[4], s[3], 0, s[2] }, { 0, 0, 0, 0 } } };

    return r;
}

/* exp of a twist: the power series after halving it until it is small. */
static mat4 exp4(const double s[6])
{
    double small[6];
    mat4 r = identity4(), term = identity4();

    for (int i = 0; i < 6; ++i) small[i] = s[i]/1024;
    for (int k = 1; k < 12; ++k) {
        term = times4(term, hat4(small));
        for (int i = 0; i < 16; ++i) term.e[i/4][i%4] /= k;
        for (int i = 0; i < 16; ++i) r.e[i/4][i%4] += term.e[i/4][i%4];
    }
    for (int k = 0; k < 10; ++k) r = times4(r, r);
    return r;
}

static mat4 pose4(const slip_pose *X)
{
    mat4 r = identity4();

    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) r.e[i][j] = (double)X->R[3*i + j];
        r.e[i][3] = (double)X->p[i];
    }
    return r;
}

/* ---- joints, from the description ------------------------------------------------------------------------- */

/* Twist of freedom d of a joint, in the child's axes. */
static void joint_twist(const slip_joint_def *j, int d, double s[6])
{
    slip_real axis[3], R[9];

    memset(s, 0, 6*sizeof *s);
    slip_normalize3(j->axis, axis);
    slip_mat3_z_to(axis, R);                             /* planar: the convention for x and y in the plane */
    switch (j->type) {
    case SLIP_JOINT_REVOLUTE:
    case SLIP_JOINT_CONTINUOUS: for (int i = 0; i < 3; ++i) s[3 + i] = (double)axis[i];  break;
    case SLIP_JOINT_PRISMATIC:  for (int i = 0; i < 3; ++i) s[i] = (double)axis[i];  break;
    case SLIP_JOINT_PLANAR:     for (int i = 0; i < 3; ++i) s[(d == 2 ? 3 : 0) + i] = (double)R[3*i + d];  break;
    case SLIP_JOINT_BALL:       s[3 + d] = 1;  break;
    case SLIP_JOINT_FLOATING:   s[d] = 1;  break;
    default: break;
    }
}

/* Adds y times the twist of freedom d. */
static void add_twist(const slip_joint_def *j, int d, double y, double s[6])
{
    double unit[6];

    joint_twist(j, d, unit);
    for (int i = 0; i < 6; ++i) s[i] += y*unit[i];
}

static mat4 quat4(const slip_real u[4])
{
    const double n = sqrt((double)u[0]*(double)u[0] + (double)u[1]*(double)u[1] + (double)u[2]*(double)u[2]
                          + (double)u[3]*(double)u[3]);
    const double b = (double)u[0]/n, c = (double)u[1]/n, d = (double)u[2]/n, w = (double)u[3]/n;
    mat4 r = { { { w*w + b*b - c*c - d*d, 2*(b*c - w*d), 2*(b*d + w*c), 0 },
                 { 2*(b*c + w*d), w*w - b*b + c*c - d*d, 2*(c*d - w*b), 0 },
                 { 2*(b*d - w*c), 2*(c*d + w*b), w*w - b*b - c*c + d*d, 0 }, { 0, 0, 0, 1 } } };

    return r;
}

/* The joint's displacement at its coordinates y (one number already scaled and offset for mimics). */
static mat4 joint_displacement(const slip_joint_def *j, const slip_real *y)
{
    double s[6] = { 0 };
    mat4 r;

    switch (j->type) {
    case SLIP_JOINT_FIXED: return identity4();
    case SLIP_JOINT_PLANAR: {
        double turn[6] = { 0 };

        add_twist(j, 0, (double)y[0], s);
        add_twist(j, 1, (double)y[1], s);
        add_twist(j, 2, (double)y[2], turn);
        return times4(exp4(s), exp4(turn)); }
    case SLIP_JOINT_BALL: return quat4(y);
    case SLIP_JOINT_FLOATING:
        r = quat4(y + 3);
        for (int i = 0; i < 3; ++i) r.e[i][3] = (double)y[i];
        return r;
    default:
        add_twist(j, 0, (double)y[0], s);
        return exp4(s);
    }
}

/* The joint that a joint follows (itself when it follows none) and how: q = scale q_leader + offset. */
static int leader(int j, double *scale, double *offset)
{
    *scale = 1;
    *offset = 0;
    for (; t.joints[j].mimic >= 0; j = t.joints[j].mimic) {
        *offset += *scale*(double)t.joints[j].mimic_offset;
        *scale *= (double)t.joints[j].mimic_scale;
    }
    return j;
}

static int first_v(int joint) { return t.model->dof_iv[t.model->idof[t.model->joint_body[joint]]]; }

static void set_joints(void)
{
    for (int j = 0; j < t.def.njoints; ++j) {
        double scale, offset;
        const int l = leader(j, &scale, &offset), b = t.model->joint_body[l];
        slip_real one;

        if (t.joints[j].type == SLIP_JOINT_FIXED) { joint_at[j] = identity4(); continue; }
        one = (slip_real)(scale*(double)q[t.model->iq[b]] + offset);
        joint_at[j] = joint_displacement(&t.joints[j], l == j ? q + t.model->iq[b] : &one);
    }
}

/* moved = joint_at, followed for a time h along v. */
static void move_joints(double h)
{
    for (int j = 0; j < t.def.njoints; ++j) {
        double scale, offset, s[6] = { 0 };
        const int l = leader(j, &scale, &offset);

        for (int d = 0; d < slip_joint_nv(t.joints[j].type); ++d)
            add_twist(&t.joints[j], d, h*scale*(double)v[first_v(l) + d], s);
        moved[j] = times4(joint_at[j], exp4(s));
    }
}

/* ---- links ---------------------------------------------------------------------------------------------- */

/* Joints come in the order of their children here, and a parent's index is below its child's. */
static void place_links(void)
{
    for (int i = 0; i < t.def.nlinks; ++i) {
        const slip_joint_def *j = &t.joints[i];
        const mat4 parent = j->parent < 0 ? identity4() : world[j->parent];

        world[i] = times4(times4(parent, pose4(&j->origin)), moved[i]);
        for (int k = 0; k < 3; ++k) {
            centre[i][k] = world[i].e[k][3];
            for (int c = 0; c < 3; ++c) centre[i][k] += world[i].e[k][c]*(double)t.links[i].com[c];
        }
    }
}

/* Jacobians of all links at their centres of mass, world axes. */
static void fill_jacobians(void)
{
    memset(J, 0, sizeof J);
    for (int i = 0; i < t.def.nlinks; ++i)
        for (int above = i; above >= 0; above = t.joints[above].parent) {
            double scale, offset;
            const int l = leader(above, &scale, &offset);

            for (int d = 0; d < slip_joint_nv(t.joints[above].type); ++d) {
                double s[6];
                mat4 S;
                const int k = first_v(l) + d;

                joint_twist(&t.joints[above], d, s);
                S = times4(times4(world[above], hat4(s)), rigid_inverse4(world[above]));
                for (int r = 0; r < 3; ++r) {
                    for (int c = 0; c < 3; ++c) J[i][r][k] += scale*S.e[r][c]*centre[i][c];
                    J[i][r][k] += scale*S.e[r][3];
                }
                J[i][3][k] += scale*S.e[2][1];
                J[i][4][k] += scale*S.e[0][2];
                J[i][5][k] += scale*S.e[1][0];
            }
        }
}

static void link_velocity(int i, double u[6])
{
    for (int r = 0; r < 6; ++r) {
        u[r] = 0;
        for (int k = 0; k < t.model->nv; ++k) u[r] += J[i][r][k]*(double)v[k];
    }
}

/* I about the centre of mass in world axes. */
static void link_inertia(int i, double I[3][3])
{
    const slip_real *s = t.links[i].inertia;
    const double B[3][3] = { { (double)s[0], (double)s[1], (double)s[2] }, { (double)s[1], (double)s[3], (double)s[4] },
                             { (double)s[2], (double)s[4], (double)s[5] } };

    memset(I, 0, 9*sizeof(double));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            for (int m = 0; m < 3; ++m)
                for (int n = 0; n < 3; ++n) I[r][c] += world[i].e[r][m]*B[m][n]*world[i].e[c][n];
}

/* ---- M and bias ----------------------------------------------------------------------------------------- */

static void add_link(int i, const double acceleration[6])
{
    const double m = (double)t.links[i].mass;
    double I[3][3], u[6], F[6] = { 0 }, L[3] = { 0, 0, 0 };
    const int n = t.model->nv;

    link_inertia(i, I);
    link_velocity(i, u);
    for (int r = 0; r < 3; ++r) {
        F[r] = m*(acceleration[r] - (double)t.def.gravity[r]);
        for (int c = 0; c < 3; ++c) {
            F[3 + r] += I[r][c]*acceleration[3 + c];
            L[r] += I[r][c]*u[3 + c];
        }
    }
    F[3] += u[4]*L[2] - u[5]*L[1];
    F[4] += u[5]*L[0] - u[3]*L[2];
    F[5] += u[3]*L[1] - u[4]*L[0];
    for (int k = 0; k < n; ++k) {
        for (int r = 0; r < 6; ++r) bias_ref[k] += J[i][r][k]*F[r];
        for (int e = 0; e < n; ++e)
            for (int r = 0; r < 3; ++r) {
                M_ref[k*n + e] += m*J[i][r][k]*J[i][r][e];
                for (int c = 0; c < 3; ++c) M_ref[k*n + e] += J[i][3 + r][k]*I[r][c]*J[i][3 + c][e];
            }
    }
}

static void second_opinion(void)
{
    static double acceleration[TREE_MAX_LINKS][6];
    const double h = 1e-5;

    memset(M_ref, 0, sizeof M_ref);
    memset(bias_ref, 0, sizeof bias_ref);
    set_joints();
    for (int s = -1; s <= 1; s += 2) {
        move_joints(s*h);
        place_links();
        fill_jacobians();
        for (int i = 0; i < t.def.nlinks; ++i) {
            double u[6];

            link_velocity(i, u);
            for (int r = 0; r < 6; ++r) acceleration[i][r] = s < 0 ? u[r] : (u[r] - acceleration[i][r])/(2*h);
        }
    }
    move_joints(0);
    place_links();
    fill_jacobians();
    for (int i = 0; i < t.def.nlinks; ++i) add_link(i, acceleration[i]);
    for (int j = 0; j < t.def.njoints; ++j) {            /* rotors: armature on each joint's own speed */
        double scale, offset;
        const int l = leader(j, &scale, &offset);

        for (int d = 0; d < slip_joint_nv(t.joints[j].type); ++d)
            M_ref[(first_v(l) + d)*(t.model->nv + 1)] += scale*scale*(double)t.joints[j].armature;
    }
}

/* ---- the comparison ------------------------------------------------------------------------------------- */

static void random_case(int trial)
{
    tree_options o = { 0 };

    o.links = 1 + trial % LINKS;
    o.floating_root = trial % 3 == 0;
    o.mimic = trial % 2;
    o.armature = trial % 4 < 2;
    o.only_simple = trial % 5 == 4;
    tree_make(&t, &o, &rng);
    slip_random_q(t.model, &rng, q);
    tree_random_vector(&rng, t.model->nv, v);
    tree_random_vector(&rng, t.model->nv, a);
    for (int i = 0; i < t.model->nv; ++i) v[i] *= 3;
    second_opinion();
}

static double largest(int n, const double *z)
{
    double m = 1e-3;

    for (int i = 0; i < n; ++i) m = fmax(m, fabs(z[i]));
    return m;
}

static void test_mass_matrix_is_the_sum_of_J_I_J_over_the_links_as_described(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        const int n = t.model->nv;
        const double tol = (double)SLIP_TOL(1e-12, 1e-4)*largest(n*n, M_ref);

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(t.model, t.data, q));
        slip_mass_matrix(t.model, t.data, M);
        for (int i = 0; i < n*n; ++i) TEST_ASSERT_DOUBLE_WITHIN(tol, M_ref[i], (double)M[i]);
    }
}

/* Central differences with h = 1e-5 leave h^2 |v|^3 from truncation and eps |v|/h from rounding: 1e-9. */
static void test_bias_is_the_sum_of_the_inertial_forces_of_the_links(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        const double tol = (double)SLIP_TOL(1e-8, 1e-3)*largest(t.model->nv, bias_ref);

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_bias(t.model, t.data, q, v, x));
        for (int i = 0; i < t.model->nv; ++i) TEST_ASSERT_DOUBLE_WITHIN(tol, bias_ref[i], (double)x[i]);
    }
}

static void test_forward_dynamics_solve_the_equations_of_the_second_opinion(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        const int n = t.model->nv;
        double size = largest(n, bias_ref);

        for (int i = 0; i < n; ++i) {                    /* tau that makes the acceleration a */
            double sum = bias_ref[i];

            for (int j = 0; j < n; ++j) sum += M_ref[i*n + j]*(double)a[j];
            x[i] = (slip_real)sum;
        }
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(t.model, t.data, q, v, x, NULL, x));
        for (int i = 0; i < n; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 2e-2)*size, (double)a[i], (double)x[i]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_mass_matrix_is_the_sum_of_J_I_J_over_the_links_as_described);
    RUN_TEST(test_bias_is_the_sum_of_the_inertial_forces_of_the_links);
    RUN_TEST(test_forward_dynamics_solve_the_equations_of_the_second_opinion);
    return UNITY_END();
}
