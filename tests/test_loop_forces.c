/* Loop closures as scenes describe and read them: the axis of hinges, rows that say nothing new, reactions; and the
 * places of joints in q and v. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "scene_aid.h"
#include "unity.h"

#define G 9.81
#define IS_DOUBLE (sizeof(slip_real) == sizeof(double))
#define PI 3.14159265358979323846

static char warnings[4096];

void setUp(void) { aid_forget(); }
void tearDown(void) { }

static void collect(void *context, const slip_error *warning)
{
    const size_t n = strlen(warnings);

    (void)context;
    slip_error_text(warning, warnings + n, (int)(sizeof warnings - n));
}

/* Warnings of a scene, or its error. */
static const char *complaints(const char *text)
{
    slip_scene scene;
    slip_report report = { collect, NULL, 0, 0 };
    slip_error err;

    warnings[0] = '\0';
    if (slip_scene_read(text, strlen(text), "models/l.xml", NULL, aid_memory(), &scene, &report, &err) < 0)
        slip_error_text(&err, warnings, (int)sizeof warnings);
    return warnings;
}

/* Period of small swings of a box, 0.4 m below a hinge about the body's own axis `axis`, which is level. */
static double period(const char *axis, double roll, double pitch)
{
    char text[700];
    const double x = -0.4*sin(pitch), y = 0.4*sin(roll), z = -0.4*cos(pitch + roll);
    slip_world *w;
    slip_pose X;
    double before = 0, first = 0, last = 0;
    int k, crossings = 0;

    slip_format(text, (int)sizeof text, "<scene><simulation dt='0.001'/><body name='bob' mass='2'>"
        "<origin xyz='%.9g %.9g %.9g' rpy='%.9g %.9g 0'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "<loop name='pivot' kind='hinge' axis='%s' a='bob' b='world'><frame_a xyz='0 0 0.4'/></loop></scene>", x, y, z,
        roll, pitch, axis);
    TEST_ASSERT_EQUAL_STRING("", complaints(text));
    w = aid_start(aid_read(text));
    for (k = 1; k <= 6000; ++k) {
        double swing;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
        slip_world_update(w);
        slip_link_pose(slip_world_model(w), slip_world_data(w), 0, &X);
        swing = (double)(roll != 0 ? X.p[1] : X.p[0]);
        if (k > 1 && before < 0 && swing >= 0) {
            last = (k - swing/(swing - before))*1e-3;
            if (crossings++ == 0) first = last;
        }
        before = swing;
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-4, 0, (double)(roll != 0 ? X.p[0] : X.p[1]), "it stays in its plane");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-4, 0.4, (double)slip_norm3(X.p), "at its distance");
    return (last - first)/(crossings - 1);
}

static void test_a_hinge_with_an_axis_swings_with_the_period_of_the_closed_form(void)
{
    const double inertia = 2*(0.2*0.2 + 0.2*0.2)/12 + 2*0.4*0.4, small = 2*PI*sqrt(inertia/(2*G*0.4));
    const double t = small*(1 + 0.1*0.1/16);

    TEST_ASSERT_DOUBLE_WITHIN(2e-4*t, t, period("0 1 0", 0, 0.1));
    TEST_ASSERT_DOUBLE_WITHIN(2e-4*t, t, period("0 -2 0", 0, 0.1));
    TEST_ASSERT_DOUBLE_WITHIN(2e-4*t, t, period("3 0 0", 0.1, 0));
}

/* Without an axis a hinge turns about z, as ever: a body that hangs beside it does not fall. */
static void test_a_hinge_without_an_axis_turns_about_z(void)
{
    slip_world *w = aid_start(aid_read("<scene><body name='door' mass='1' angular='0 0 1'><origin xyz='0.5 0 0'/>"
        "<geometry><box size='0.8 0.1 1'/></geometry></body><loop name='l' kind='hinge' a='door' b='world'>"
        "<frame_a xyz='-0.5 0 0'/></loop></scene>"));

    aid_body_v(w, "door")[1] = SLIP_R(0.5);
    aid_steps(w, 1000);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, (double)aid_body_q(w, "door")[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.5*cos(1), (double)aid_body_q(w, "door")[0]);
}

/* A shelf, welded to the world at its end: weight up, and the moment of its weight about the weld. */
static void test_the_reaction_of_a_loop_is_the_weight_and_its_moment(void)
{
    slip_world *w = aid_start(aid_read("<scene><body name='shelf' mass='3'><origin xyz='0.5 0 1'/>"
        "<geometry><box size='1 0.2 0.1'/></geometry></body>"
        "<loop name='l' kind='weld' a='world' b='shelf'><frame_a xyz='0 0 1'/><frame_b xyz='-0.5 0 0'/></loop>"
        "<body name='lamp' mass='2'><origin xyz='5 0 1'/><geometry><sphere radius='0.1'/></geometry></body>"
        "<loop name='k' a='lamp' b='world'/></scene>"));
    slip_real wrench[6];

    aid_steps(w, 500);
    slip_loop_force(w, 0, wrench);                       /* on b, the shelf */
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 3*G, (double)wrench[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 0, (double)wrench[0]);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-2, -3*G*0.5, (double)wrench[4], "against the weight's, -x f_z");
    slip_loop_force(w, 1, wrench);                       /* on b, the world */
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, -2*G, (double)wrench[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, (double)slip_norm3(wrench + 3));
    slip_world_set_loop(w, 1, 0);
    slip_loop_force(w, 1, wrench);
    TEST_ASSERT_TRUE(wrench[2] == 0);
    slip_loop_force(w, 7, wrench);
    TEST_ASSERT_TRUE(wrench[2] == 0);
}

static void test_rows_that_say_nothing_new_are_named(void)
{
#define BOX(name, x) "<body name='" name "' mass='1'><origin xyz='" x " 0 0'/><geometry><box size='0.1 0.1 0.1'/>" \
                     "</geometry></body>"
#define FOUR_BAR "<scene><robot file='four_bar.urdf' base='fixed'><joint joint='crank' position='1.5707963267949'/>" \
                 "<joint joint='crank_pin' position='-1.2'/><joint joint='rocker' position='1.5'/>"
    const char *frames = "<frame_a xyz='0.3 0 0'/><frame_b xyz='0.2 0 0'/></loop></robot></scene>";
    char text[900];

    slip_format(text, (int)sizeof text, FOUR_BAR "\n<loop name='pin' kind='ball' a='coupler' b='rocker'>%s", frames);
    complaints(text);
    TEST_ASSERT_MESSAGE(strstr(warnings, "l.xml:2:13: loop 'pin': its translation along y is held at the start"),
                        warnings);
    slip_format(text, (int)sizeof text, FOUR_BAR "<loop name='pin' kind='hinge' axis='0 1 0' a='coupler' b='rocker'>%s",
                frames);
    complaints(text);
    TEST_ASSERT_MESSAGE(strstr(warnings, "its translation along y, rotation about x, rotation about z are held"),
                        warnings);
    slip_format(text, (int)sizeof text, FOUR_BAR "<loop name='pin' redundant='true' a='coupler' b='rocker'>%s", frames);
    TEST_ASSERT_EQUAL_STRING("", complaints(text));
    TEST_ASSERT_EQUAL_STRING("", complaints("<scene>" BOX("a", "0") BOX("b", "1")
        "<loop name='one' kind='weld' a='a' b='b'/><loop name='two' kind='ball' a='b' b='world'/></scene>"));
    complaints("<scene>" BOX("a", "0") "<loop name='one' kind='hinge' a='a' b='world'/>"
               "<loop name='two' kind='hinge' a='a' b='world'><frame_a xyz='0 0 1'/></loop></scene>");
    TEST_ASSERT_NULL_MESSAGE(strstr(warnings, "loop 'one'"), warnings);
    TEST_ASSERT_MESSAGE(strstr(warnings, "loop 'two': its translation along x, translation along y, translation along "
                                         "z, rotation about x, rotation about y are held"), warnings);
}

static void test_bad_axes_are_errors_with_their_place(void)
{
    complaints("<scene>" BOX("a", "0") "\n<loop name='l' a='a' b='world' axis='1 0 0'/></scene>");
    TEST_ASSERT_MESSAGE(strstr(warnings, "l.xml:2:32: loop 'l' has an axis, which only kind=\"hinge\" has"), warnings);
    complaints("<scene>" BOX("a", "0") "\n<loop name='l' kind='hinge' a='a' b='world' axis='0 0 0'/></scene>");
    TEST_ASSERT_MESSAGE(strstr(warnings, "l.xml:2:51: axis of loop 'l' has length 0"), warnings);
}

/* ---- joints by name ------------------------------------------------------------------------------ */

static void test_the_places_of_joints_in_q_and_v_are_found_by_name(void)
{
    slip_scene *s = aid_read("<scene><robot file='cassie.urdf'/>" BOX("box", "5") "</scene>");
    const slip_model *m = s->model;
    slip_joint_place p = { 99, 99, 99, 99 };
    int j, nq = 0, nv = 0;

    TEST_ASSERT_EQUAL_INT(-1, slip_model_find_place(m, "nobody", &p));
    TEST_ASSERT_EQUAL_INT(99, p.iq);
    TEST_ASSERT_EQUAL_INT(slip_model_find_joint(m, "left_crank_rod"), slip_model_find_place(m, "left_crank_rod", &p));
    TEST_ASSERT_EQUAL_INT(4, p.nq);
    TEST_ASSERT_EQUAL_INT(3, p.nv);
    TEST_ASSERT_TRUE(slip_model_find_place(m, "box", &p) >= 0);
    TEST_ASSERT_EQUAL_INT(m->nq - 7, p.iq);
    TEST_ASSERT_EQUAL_INT(m->nv - 6, p.iv);
    TEST_ASSERT_EQUAL_INT(7, p.nq);
    TEST_ASSERT_EQUAL_INT(6, p.nv);
    for (j = 0; j < m->njoints; ++j) {
        p = slip_model_place(m, j);
        nq += p.nq;
        nv += p.nv;
        TEST_ASSERT_EQUAL_INT(m->joint_body[j] < 0, p.iq < 0);
    }
    TEST_ASSERT_EQUAL_INT(m->nq, nq);
    TEST_ASSERT_EQUAL_INT(m->nv, nv);
}

static void test_ball_joints_start_with_an_angular_velocity_in_the_childs_axes(void)
{
    slip_scene *s = aid_read("<scene><robot file='cassie.urdf'><joint joint='left_crank_rod' rpy='0.1 0 0' "
                             "angular='1 2 3'/><joint joint='*_spring' angular='0 0 4'/></robot></scene>");
    slip_joint_place p;

    slip_model_find_place(s->model, "left_crank_rod", &p);
    TEST_ASSERT_TRUE(s->v[p.iv] == 1 && s->v[p.iv + 1] == 2 && s->v[p.iv + 2] == 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, sin(0.05), (double)s->q[p.iq]);
    slip_model_find_place(s->model, "right_achilles_spring", &p);
    TEST_ASSERT_TRUE(s->v[p.iv + 2] == 4);
    TEST_ASSERT_TRUE(s->q[p.iq + 3] == 1);
    complaints("<scene>\n<robot file='arm.urdf' base='fixed'><joint joint='elbow' angular='0 0 1'/></robot></scene>");
    TEST_ASSERT_MESSAGE(strstr(warnings, "l.xml:2:51: no ball joint matches 'elbow'"), warnings);
    complaints("<scene>\n<robot file='arm.urdf'><joint joint='elbow' angular='0 1'/></robot></scene>");
    TEST_ASSERT_MESSAGE(strstr(warnings, "holds 2 numbers, expected 3"), warnings);
    complaints("<scene>\n<robot file='arm.urdf'><joint joint='elbow' angular='0 1 0' velocity='1'/></robot></scene>");
    TEST_ASSERT_MESSAGE(strstr(warnings, "has angular, which is for ball joints"), warnings);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_hinge_with_an_axis_swings_with_the_period_of_the_closed_form);
    RUN_TEST(test_a_hinge_without_an_axis_turns_about_z);
    RUN_TEST(test_the_reaction_of_a_loop_is_the_weight_and_its_moment);
    RUN_TEST(test_rows_that_say_nothing_new_are_named);
    RUN_TEST(test_bad_axes_are_errors_with_their_place);
    RUN_TEST(test_the_places_of_joints_in_q_and_v_are_found_by_name);
    RUN_TEST(test_ball_joints_start_with_an_angular_velocity_in_the_childs_axes);
    return UNITY_END();
}
