/* Scenes: what the reader makes of elements, what it says about mistakes, events in time, and that every scene in
 * models/ loads without a warning. */
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"

#define MEMORY ((size_t)48 << 20)

static void *block;
static slip_arena mem;
static slip_error err;
static slip_scene scene;
static slip_report report;
static char warnings[4096];

static void note_warning(void *context, const slip_error *warning)
{
    const size_t n = strlen(warnings);

    (void)context;
    slip_error_text(warning, warnings + n, (int)(sizeof warnings - n - 1));
    strcat(warnings, "\n");
}

void setUp(void)
{
    block = malloc(MEMORY);
    mem = slip_arena_over(block, MEMORY);
    report.warn = note_warning;
    report.context = NULL;
    report.strict = 0;
    report.count = 0;
    warnings[0] = '\0';
}

void tearDown(void) { free(block); }

static slip_status read_text(const char *text)
{
    return slip_scene_read(text, strlen(text), "models/test.xml", NULL, &mem, &scene, &report, &err);
}

static void must_read(const char *text)
{
    TEST_ASSERT_MESSAGE(read_text(text) == SLIP_OK, err.what);
}

static slip_world *start(void)
{
    slip_world *w = NULL;

    TEST_ASSERT_MESSAGE(slip_scene_start(&scene, &mem, &w, &report, &err) == SLIP_OK, err.what);
    return w;
}

static double at(const slip_real *x, int i) { return (double)x[i]; }

/* ---- bodies ------------------------------------------------------------------------------------- */

#define CUBE "<body name=\"cube\" mass=\"2\"><origin xyz=\"0 0 0.5\"/>" \
             "<geometry><box size=\"0.2 0.2 0.2\"/></geometry></body>"

static void test_a_body_gets_its_pose_and_the_inertia_of_its_shape(void)
{
    must_read("<scene>" CUBE "</scene>");
    TEST_ASSERT_EQUAL_INT(7, scene.model->nq);
    TEST_ASSERT_EQUAL_INT(6, scene.model->nv);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.5, at(scene.q, 2));
    TEST_ASSERT_DOUBLE_WITHIN(0, 1, at(scene.q, 6));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, at(&scene.def.links[0].mass, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 2*0.04/6, at(scene.def.links[0].inertia, 0));      /* m a^2/6 */
    TEST_ASSERT_EQUAL_INT(0, report.count);
}

static void test_density_counts_all_collision_shapes_of_a_body(void)
{
    must_read("<scene><body name=\"dumbbell\" density=\"100\">"
              "<collision><origin xyz=\"1 0 0\"/><geometry><box size=\"0.2 0.2 0.2\"/></geometry></collision>"
              "<collision><origin xyz=\"-1 0 0\"/><geometry><box size=\"0.2 0.2 0.2\"/></geometry></collision>"
              "</body></scene>");
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.6, at(&scene.def.links[0].mass, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, at(scene.def.links[0].com, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1.6*0.04/6 + 1.6, at(scene.def.links[0].inertia, 5));
}

static void test_velocities_are_given_in_world_axes_and_kept_in_body_axes(void)
{
    must_read("<scene><body name=\"b\" mass=\"1\" velocity=\"1 2 3\" angular=\"0 0 4\">"
              "<origin rpy=\"0 0 1.5707963267949\"/><geometry><sphere radius=\"0.1\"/></geometry></body></scene>");
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, at(scene.v, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1, at(scene.v, 1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, at(scene.v, 2));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 4, at(scene.v, 5));
}

static void test_copies_stand_on_a_grid_and_have_numbers(void)
{
    must_read("<scene><body name=\"b\" mass=\"1\"><origin xyz=\"1 0 0\"/><geometry><sphere radius=\"0.1\"/></geometry>"
              "<copies count=\"2 3 1\" step=\"0.5 0.25 0\"/></body></scene>");
    TEST_ASSERT_EQUAL_INT(6, scene.def.nlinks);
    TEST_ASSERT_EQUAL_STRING("b0", scene.def.links[0].name);
    TEST_ASSERT_EQUAL_STRING("b5", scene.def.links[5].name);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.5, at(scene.q, 7*5));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.5, at(scene.q, 7*5 + 1));
    TEST_ASSERT_EQUAL_INT(6, scene.world.ncolliders);
}

static void test_what_is_random_depends_on_the_seed_alone(void)
{
    static const char text[] = "<scene><body name=\"b\" mass=\"1\"><geometry><sphere radius=\"0.1\"/></geometry>"
                               "<copies count=\"3 1 1\" jitter=\"1 1 1\" turn=\"random\" seed=\"5\"/></body></scene>";
    slip_scene_options opt = slip_scene_defaults();
    slip_real q[21];

    must_read(text);
    memcpy(q, scene.q, sizeof q);
    must_read(text);
    TEST_ASSERT_MESSAGE(memcmp(q, scene.q, sizeof q) == 0, "same seed, same state");
    opt.seed = 1;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_scene_read(text, strlen(text), NULL, &opt, &mem, &scene, NULL, &err));
    TEST_ASSERT_MESSAGE(memcmp(q, scene.q, sizeof q) != 0, "another seed, another state");
}

static void test_fixed_bodies_do_not_move_and_grounds_belong_to_the_world(void)
{
    slip_world *w;

    must_read("<scene><ground/><body name=\"table\" fixed=\"true\"><origin xyz=\"0 0 1\"/><geometry><box size=\"1 1 "
              "0.1\"/></geometry>"
              "</body><body name=\"ball\" mass=\"1\"><origin xyz=\"0 0 1.15\"/><geometry><sphere radius=\"0.1\"/>"
              "</geometry></body></scene>");
    TEST_ASSERT_EQUAL_INT(6, scene.model->nv);
    TEST_ASSERT_EQUAL_INT(-1, scene.world.colliders[0].link);
    w = start();
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT_EQUAL_INT(1, slip_contact_count(w));
}

/* ---- robots ------------------------------------------------------------------------------------- */

static void test_a_robot_is_placed_prefixed_and_set_by_patterns(void)
{
    int joint, b;

    must_read("<scene><robot file=\"quadruped.urdf\" prefix=\"a_\" velocity=\"1 0 0\"><origin xyz=\"1 2 3\"/>"
              "<joint joint=\"?f_hfe\" position=\"0.4\" velocity=\"2\"/>"
              "<drive joint=\"*_kfe\" kp=\"10\" kd=\"1\" position=\"0.7\"/></robot></scene>");
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT_EQUAL_INT(18, scene.model->nv);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, at(scene.q, 2));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, at(scene.v, 0));
    joint = slip_model_find_joint(scene.model, "a_rf_hfe");
    TEST_ASSERT(joint >= 0);
    b = scene.model->joint_body[joint];
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.4, at(scene.q, scene.model->iq[b]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, at(scene.v, scene.model->dof_iv[scene.model->idof[b]]));
    b = scene.model->joint_body[slip_model_find_joint(scene.model, "a_lh_hfe")];
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, at(scene.q, scene.model->iq[b]));
    b = scene.model->joint_body[slip_model_find_joint(scene.model, "a_lh_kfe")];
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.7, (double)scene.drives[scene.model->dof_iv[scene.model->idof[b]]].q_ref);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 80, (double)scene.drives[scene.model->dof_iv[scene.model->idof[b]]].effort);
}

static void test_two_robots_make_one_forest_with_their_mimics(void)
{
    int first, second;

    must_read("<scene><robot file=\"gears.urdf\" prefix=\"a_\" base=\"fixed\"/>"
              "<robot file=\"gears.urdf\" prefix=\"b_\" base=\"fixed\"><origin xyz=\"1 0 0\"/></robot></scene>");
    TEST_ASSERT_EQUAL_INT(2, scene.model->nv);
    first = scene.model->joint_body[slip_model_find_joint(scene.model, "a_last")];
    second = scene.model->joint_body[slip_model_find_joint(scene.model, "b_last")];
    TEST_ASSERT(scene.model->iq[first] != scene.model->iq[second]);
    TEST_ASSERT_EQUAL_INT(scene.model->iq[second],
                          scene.model->iq[scene.model->joint_body[slip_model_find_joint(scene.model, "b_drive")]]);
}

static void test_the_same_robot_twice_without_a_prefix_is_an_error(void)
{
    TEST_ASSERT(read_text("<scene>\n<robot file=\"gears.urdf\"/>\n<robot file=\"gears.urdf\"/>"
                          "\n</scene>") == SLIP_ERR_MODEL);
    TEST_ASSERT_EQUAL_INT(3, err.line);
}

/* The parts of a joint with several hinges count as one: the humanoid's arm may overlap its trunk. */
static void test_bodies_across_massless_links_are_neighbours(void)
{
    int i, found = 0, torso, arm;

    must_read("<scene><robot file=\"humanoid.urdf\"><origin xyz=\"0 0 1.3\"/></robot></scene>");
    torso = slip_model_find_link(scene.model, "torso");
    arm = slip_model_find_link(scene.model, "upper_arm_left");
    for (i = 0; i < scene.world.nexcludes; ++i)
        found |= scene.world.excludes[i][0] == arm && scene.world.excludes[i][1] == torso;
    TEST_ASSERT(found);
    start();
    TEST_ASSERT_EQUAL_STRING("", warnings);
}

static void test_a_fixed_base_and_what_moves_on_it_are_neighbours(void)
{
    must_read("<scene><robot file=\"arm.urdf\" base=\"fixed\"/></scene>");
    start();
    TEST_ASSERT_EQUAL_STRING("", warnings);
}

static void test_armature_of_a_scene_counts_for_all_joints_of_a_robot(void)
{
    must_read("<scene><robot file=\"humanoid.urdf\" armature=\"0.01\"/></scene>");
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.01, at(scene.model->armature, 26));
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, at(scene.model->armature, 0));
}

/* ---- options ------------------------------------------------------------------------------------ */

static void test_options_of_simulation_and_solver_reach_the_world(void)
{
    must_read("<scene><simulation dt=\"0.005\" duration=\"3\" gravity=\"0 0 -1.62\" erp=\"0.1\" mix=\"min\" "
              "self=\"false\" max_contacts=\"7\"/>"
              "<solver id=\"lcp-lemke\" tol=\"1e-4\" max_iterations=\"77\" rho_rule=\"linear\" "
              "facets=\"8\"/>" CUBE "</scene>");
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.005, (double)scene.world.options.dt);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1.62, at(scene.model->gravity, 2));
    TEST_ASSERT_DOUBLE_WITHIN(0, 3, (double)scene.duration);
    TEST_ASSERT_EQUAL_INT(SLIP_MIX_MIN, scene.world.options.mix);
    TEST_ASSERT_EQUAL_INT(0, scene.world.options.self);
    TEST_ASSERT_EQUAL_INT(7, scene.world.options.max_contacts);
    TEST_ASSERT_EQUAL_PTR(&slip_solver_lcp_lemke, scene.world.options.solver);
    TEST_ASSERT_EQUAL_INT(77, scene.world.options.solve.max_iterations);
    TEST_ASSERT_EQUAL_INT(SLIP_RHO_LINEAR, scene.world.options.solve.rho_rule);
    TEST_ASSERT_EQUAL_INT(8, scene.world.options.solve.facets);
    must_read("<scene><solver like=\"raisim\"/>" CUBE "</scene>");
    TEST_ASSERT_EQUAL_PTR(&slip_solver_raisim_bisection, scene.world.options.solver);
}

/* A solver in place of the scene's: the scene's options have to suit it, and are for whoever reads them. */
static void test_another_solver_is_checked_against_the_scenes_options(void)
{
    static const char text[] = "<scene>\n<solver id=\"lcp-pgs\" rho=\"3\" facets=\"8\"/>" CUBE "</scene>";
    slip_scene_options opt = slip_scene_defaults();
    slip_report strict = { NULL, NULL, 1, 0 };

    opt.solver = &slip_solver_lcp_lemke;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_scene_read(text, strlen(text), NULL, &opt, &mem, &scene, &strict, &err));
    TEST_ASSERT_EQUAL_PTR(opt.solver, scene.world.options.solver);
    opt.solver = &slip_solver_lcp_staggered;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, slip_scene_read(text, strlen(text), NULL, &opt, &mem, &scene, NULL, &err));
    TEST_ASSERT_EQUAL_INT(2, err.line);
    TEST_ASSERT_EQUAL_INT(38, err.column);
}

static void test_surfaces_and_their_pairs(void)
{
    must_read("<scene><surface name=\"default\" friction=\"0.1\"/><surface name=\"ice\" friction=\"0.05\" "
              "restitution=\"0.2\"/>"
              "<surface_pair a=\"ice\" b=\"default\" friction=\"0.02\"/><ground surface=\"ice\"/>" CUBE "</scene>");
    TEST_ASSERT_EQUAL_INT(2, scene.world.nmaterials);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.1, (double)scene.world.materials[0].friction);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.2, (double)scene.world.materials[1].restitution);
    TEST_ASSERT_EQUAL_INT(1, scene.world.colliders[0].material);
    TEST_ASSERT_EQUAL_INT(0, scene.world.colliders[1].material);
    TEST_ASSERT_EQUAL_INT(1, scene.world.nmaterial_pairs);
    TEST_ASSERT_EQUAL_INT(1, scene.world.material_pairs[0].a);
}

/* ---- mistakes ----------------------------------------------------------------------------------- */

typedef struct { const char *text; int line, column; const char *says; } mistake;

static void test_mistakes_are_told_with_place_value_and_expectation(void)
{
    static const mistake list[] = {
        { "<robot name=\"x\"/>", 1, 1, "expected <scene>" },
        { "<scene>\n <robot file=\"nowhere.urdf\"/>\n" CUBE "</scene>", 2, 15, "robot file 'models/nowhere.urdf'" },
        { "<scene>\n<solver id=\"ncp-magic\"/>" CUBE "</scene>", 2, 13, "unknown solver 'ncp-magic'" },
        { "<scene>\n<contact law=\"jelly\"/>" CUBE "</scene>", 2, 15, "one of: rigid cfm reference" },
        { "<scene>\n<contact d_max=\"1\"/>" CUBE "</scene>", 2, 17, "expected a number from 1e-4 to 0.9999" },
        { "<scene>\n<solver like=\"unity\"/>" CUBE "</scene>", 2, 15, "expected one of: ode bullet" },
        { "<scene>\n<simulation dt=\"0\"/>" CUBE "</scene>", 2, 17,
          "dt=\"0\" of <simulation>, expected a positive number" },
        { "<scene>\n<simulation dt=\"1e20\"/>" CUBE "</scene>", 2, 17, "expected a positive number from 1e-9 to 10 s" },
        { "<scene>\n<simulation duration=\"1e20\"/>" CUBE "</scene>", 2, 23, "at most 1e6 s" },
        { "<scene>\n<simulation gravity=\"0 0 1e30\"/>" CUBE "</scene>", 2, 26,
          "'1e30' in attribute 'gravity' of <simulation> is too large, expected at most 1e+09 m/s^2" },
        { "<scene>\n<body name=\"b\" mass=\"1\" velocity=\"0  -1e30 0\"><geometry><sphere radius=\"1\"/></geometry>"
          "</body></scene>", 2, 38, "body 'b': '-1e30' in attribute 'velocity' of <body> is too large, expected at "
                                    "most "
          "1e+09 m/s" },
        { "<scene>\n<body name=\"b\" mass=\"1\" angular=\"0 0 2e9\"><geometry><sphere radius=\"1\"/></geometry>"
          "</body></scene>", 2, 38, "at most 1e+09 rad/s" },
        { "<scene><body name=\"b\" mass=\"1\">\n<origin xyz=\"1e20 0 0\"/><geometry><sphere radius=\"1\"/></geometry>"
          "</body></scene>", 2, 14, "'1e20' in attribute 'xyz' of <origin> is too large, expected at most 1e+09 m" },
        { "<scene>\n<body name=\"b\" mass=\"1e30\"><geometry><sphere radius=\"1\"/></geometry></body></scene>", 2, 22,
          "expected at most 1e+18 kg" },
        { "<scene><body name=\"b\" mass=\"1\"><geometry>\n<sphere radius=\"1e20\"/></geometry></body></scene>", 2, 17,
          "expected at most 1e+09 m" },
        { "<scene>\n<robot file=\"arm.urdf\"><joint joint=\"*\" velocity=\"1e20\"/></robot></scene>", 2, 51,
          "expected at most 1e+09 rad/s or m/s" },
        { "<scene>\n<solver id=\"ncp-pgs\" like=\"ode\"/>" CUBE "</scene>", 2, 13, "both id and like" },
        { "<scene>\n<solver id=\"lcp-pgs\" facets=\"5\"/>" CUBE "</scene>", 2, 30, "5 facets, but the pyramid of "
          "'lcp-pgs' has four; for more there is 'lcp-lemke'" },
        { "<scene>\n<solver facets=\"8\" like=\"ode\"/>" CUBE "</scene>", 2, 17, "the pyramid of 'lcp-pgs' has four" },
        { "<scene>\n<solver eta=\"0\"/>" CUBE "</scene>", 2, 14, "eta=\"0\" of <solver>, expected a positive number" },
        { "<scene>\n<solver relaxation=\"2\"/>" CUBE "</scene>", 2, 21, "expected a number from 0.001 to 1.999" },
        { "<scene>\n<solver over_relaxation=\"0\"/>" CUBE "</scene>", 2, 26, "expected a number from 0.001 to 1.999" },
        { "<scene>\n<solver alpha_decay=\"0\"/>" CUBE "</scene>", 2, 22, "expected a positive number, at most 1" },
        { "<scene>\n<solver rho_power=\"100\"/>" CUBE "</scene>", 2, 20, "expected a positive number, at most 1" },
        { "<scene>\n<solver rho_tube=\"1\"/>" CUBE "</scene>", 2, 19, "expected a number from 1.001" },
        { "<scene>\n<solver rho_factor=\"0.5\"/>" CUBE "</scene>", 2, 21, "expected a number from 1.001" },
        { "<scene>\n<simulation dt=\"-1\"/>" CUBE "</scene>", 2, 17, "expected a positive number" },
        { "<scene>\n<simulation dt=\"fast\"/>" CUBE "</scene>", 2, 17, "'fast'" },
        { "<scene>\n<simulation mix=\"stir\"/>" CUBE "</scene>", 2, 18, "one of: geometric mean" },
        { "<scene>\n<simulation max_contacts=\"1.5\"/>" CUBE "</scene>", 2, 27, "a whole number" },
        { "<scene>\n<body name=\"b\" mass=\"-3\"><geometry><sphere radius=\"1\"/></geometry></body></scene>", 2, 22,
          "body 'b': mass -3 is negative" },
        { "<scene>\n<body name=\"b\" mass=\"0\"><geometry><sphere radius=\"1\"/></geometry></body></scene>", 2, 1,
          "expected a positive" },
        { "<scene>\n<body name=\"b\" mass=\"1\" density=\"1\"><geometry><sphere radius=\"1\"/></geometry></body>"
          "</scene>", 2, 1, "both mass and density" },
        { "<scene>\n<body name=\"b\" mass=\"1\"/></scene>", 2, 1, "neither a shape nor an <inertial>" },
        { "<scene>\n<body mass=\"1\"/></scene>", 2, 1, "needs the attribute 'name'" },
        { "<scene>\n<body name=\"b\" mass=\"1\" surface=\"jam\"><geometry><sphere radius=\"1\"/></geometry></body>"
          "</scene>", 2, 34, "unknown surface 'jam'" },
        { "<scene>\n<surface name=\"a\" friction=\"-1\"/>" CUBE "</scene>", 2, 29, "not negative" },
        { "<scene>\n<surface name=\"a\" friction=\"1e30\"/>" CUBE "</scene>", 2, 29, "at most 1e6" },
        { "<scene><surface name=\"a\"/><surface_pair a=\"a\" b=\"default\"/>\n<surface_pair a=\"default\" b=\"a\"/>"
          CUBE "</scene>", 2, 18, "the pair of surfaces 'default' and 'a' is defined twice, first on line 1" },
        { "<scene>" CUBE "<loop name=\"l\" a=\"cube\" b=\"world\"/>\n<loop name=\"l\" a=\"cube\" b=\"world\"/>"
          "</scene>", 2, 13, "loop 'l' is defined twice, first on line 1" },
        { "<scene>" CUBE "<events>\n<set_velocity link=\"cube\" time=\"-1\" linear=\"1 0 0\"/></events></scene>", 2, 33,
          "time -1 is negative" },
        { "<scene>\n<camera eye=\"1 2 3\" target=\"1 2 3\"/>" CUBE "</scene>", 2, 1,
          "eye and target of <camera> are the same point \"1 2 3\"" },
        { "<scene>\n<camera eye=\"1e30 0 0\"/>" CUBE "</scene>", 2, 14, "expected at most 1e+09 m" },
        { "<scene>\n<surface name=\"a\" stiffness=\"1e13\"/>" CUBE "</scene>", 2, 30, "at most 1e12" },
        { "<scene>\n<surface name=\"a\" tangent_stiffness=\"-1\"/>" CUBE "</scene>", 2, 38, "not negative" },
        { "<scene>\n<surface name=\"a\" d_max=\"1\"/>" CUBE "</scene>", 2, 26, "a number from 1e-4 to 0.9999" },
        { "<scene>\n<surface_pair a=\"default\" b=\"default\" tangent_damping=\"1e13\"/>" CUBE "</scene>", 2, 56,
          "at most 1e12" },
        { "<scene>\n<surface name=\"a\"/><surface name=\"a\"/>" CUBE "</scene>", 2, 35, "defined twice" },
        { "<scene>" CUBE "\n <body name=\"cube\" mass=\"1\"><geometry><sphere radius=\"1\"/></geometry></body>"
          "</scene>", 2, 2, "link 'cube' is defined twice, first on line 1" },
        { "<scene><robot file=\"arm.urdf\"/>\n   <robot file=\"arm.urdf\"/></scene>", 2, 4,
          "is defined twice, first on line 1" },
        { "<scene>\n<surface_pair a=\"x\" b=\"default\"/>" CUBE "</scene>", 2, 18, "unknown surface 'x'" },
        { "<scene>\n<robot file=\"arm.urdf\" base=\"flying\"/></scene>", 2, 30, "one of: free fixed" },
        { "<scene>\n<robot file=\"arm.urdf\"><joint joint=\"elbo\" position=\"1\"/></robot></scene>", 2, 38,
          "no joint with one freedom matches 'elbo'" },
        { "<scene>\n<robot file=\"arm.urdf\"><joint joint=\"flange\" position=\"1\"/></robot></scene>", 2, 38,
          "joint 'flange' is fixed" },
        { "<scene>\n<robot file=\"gears.urdf\"><drive joint=\"driven\" kp=\"1\"/></robot></scene>", 2, 40,
          "follows another joint" },
        { "<scene>\n<robot file=\"arm.urdf\"><drive joint=\"*\" kp=\"-1\"/></robot></scene>", 2, 45,
          "kp -1 is negative" },
        { "<scene>\n<robot file=\"arm.urdf\"><drive joint=\"*\" effort=\"-1\"/></robot></scene>", 2, 49,
          "effort -1 is negative" },
        { "<scene>\n<robot file=\"arm.urdf\"><drive joint=\"*\" effort=\"nan\"/></robot></scene>", 2, 49,
          "'nan' in attribute 'effort' of <drive> is not a finite number" },
        { "<scene>\n<simulation erp=\"1.5\"/>" CUBE "</scene>", 2, 18, "a number from 0 to 1" },
        { "<scene>\n<solver max_iterations=\"-1\"/>" CUBE "</scene>", 2, 25, "a whole number from 0" },
        { "<scene>\n<solver id=\"\"/>" CUBE "</scene>", 2, 13, "attribute 'id' of <solver> is empty" },
        { "<scene>" CUBE "\n<exclude a=\"x*\" b=\"cube\"/></scene>", 2, 13, "no pair of links matches" },
        { "<scene>" CUBE "\n<loop name=\"l\" a=\"cube\" b=\"moon\"/></scene>", 2, 28, "no link or body 'moon'" },
        { "<scene>" CUBE "\n<loop name=\"l\" a=\"cube\" b=\"cube\"/></scene>", 2, 13, "joins 'cube' to itself" },
        { "<scene>" CUBE "\n<events><push link=\"ball\" from=\"0\"/></events></scene>", 2, 21,
          "no link or body 'ball'" },
        { "<scene>" CUBE "\n<events><push link=\"cube\"/></events></scene>", 2, 9, "needs the attribute 'from'" },
        { "<scene>" CUBE "\n<events><release loop=\"l\" time=\"1\"/></events></scene>", 2, 24, "no loop 'l'" },
        { "<scene>\n<robot file=\"arm.urdf\"/><events><set_velocity link=\"forearm\" time=\"1\"/></events></scene>", 2,
          53, "not a free body" },
        { "<scene>" CUBE "\n<camera follow=\"nobody\"/></scene>", 2, 17, "no link or body 'nobody'" },
        { "<scene>" CUBE "\n<camera fov=\"0\"/></scene>", 2, 1, "between 0 and 180" },
        { "<scene>" CUBE "\n<terrain size=\"5000 5\"/></scene>", 2, 1, "expected less than 16384 cells along a side" },
        { "<scene>" CUBE "\n<terrain kind=\"file\" file=\"none.csv\"/></scene>", 2, 28,
          "terrain file 'models/none.csv'" },
        { "<scene>" CUBE "\n<terrain kind=\"bumps\" cell=\"0.0001\"/></scene>", 2, 1, "expected 1 to 4 million cells" },
        { "<scene>\n<body name=\"b\" mass=\"1\"><geometry><mesh filename=\"none.obj\"/></geometry></body></scene>", 2,
          25, "mesh 'models/none.obj' not found" },
        { "<scene><body name=\"b\" mass=\"1\"><geometry><sphere radius=\"1\"/></geometry>\n<copies count=\"0 1 1\"/>"
          "</body></scene>", 2, 1, "three whole numbers" },
        { "<scene>\n</scene>", 1, 1, "no robot and no body" },
        { "<scene>\n<ground>\n</scene>", 3, 1, "ground" } };
    char why[512];
    int i;

    for (i = 0; i < (int)(sizeof list/sizeof *list); ++i) {
        const size_t low = mem.low, high = mem.high;
        const slip_status s = read_text(list[i].text);

        slip_format(why, (int)sizeof why, "%s: says %d:%d: %s", list[i].text, err.line, err.column, err.what);
        TEST_ASSERT_MESSAGE(s < 0, why);
        TEST_ASSERT_MESSAGE(strstr(err.what, list[i].says) != NULL, why);
        TEST_ASSERT_MESSAGE(err.line == list[i].line && err.column == list[i].column, why);
        TEST_ASSERT_EQUAL_STRING("models/test.xml", err.file);
        TEST_ASSERT_MESSAGE(mem.low == low && mem.high == high, "the arena is as it was");
    }
}

/* Four cubes each way, flush but for half a millimetre (edges that just meet are no contact): 26 neighbours inside,
 * four contacts a face, two an edge, one a corner. */
#define FLUSH(options) "<scene><simulation " options "/><ground/><body name=\"b\" mass=\"1\">" \
                       "<origin xyz=\"0 0 0.1\"/>" \
                       "<geometry><box size=\"0.2 0.2 0.2\"/></geometry>" \
                       "<copies count=\"4 4 4\" step=\"0.2005 0.2005 0.2005\"/></body></scene>"

static void test_blocks_that_lie_flush_get_room_for_all_their_contacts(void)
{
    void *large;
    slip_world *w;
    int count;

    must_read(FLUSH(""));
    w = start();
    TEST_ASSERT_EQUAL_INT(1, report.count);              /* 16 a shape are not enough, and that is told */
    TEST_ASSERT_MESSAGE(strstr(warnings, "no room for all contacts") != NULL, warnings);
    TEST_ASSERT_EQUAL_INT(1, slip_scene_make_room(&scene, w));
    large = malloc(slip_world_bytes(&scene.world));
    mem = slip_arena_over(large, slip_world_bytes(&scene.world));
    w = start();
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, report.count, warnings);
    TEST_ASSERT_EQUAL_INT(0, slip_world_stats(w)->dropped);
    count = slip_contact_count(w);
    TEST_ASSERT(count >= 4*(3*48 + 16) && count > 16*64);
    TEST_ASSERT(2*count <= scene.world.options.max_contacts);
    TEST_ASSERT_EQUAL_INT(0, slip_scene_make_room(&scene, w));
    free(large);
}

static void test_contacts_without_room_are_told_with_their_pair_and_the_scenes_own_room_is_kept(void)
{
    slip_world *w;

    must_read(FLUSH("max_contacts=\"100\""));
    w = start();
    TEST_ASSERT_MESSAGE(strstr(warnings, "between 'b") && strstr(warnings, "max_contacts is 100"), warnings);
    TEST_ASSERT_EQUAL_INT(0, slip_scene_make_room(&scene, w));
    TEST_ASSERT_EQUAL_INT(100, scene.world.options.max_contacts);
    must_read(FLUSH("max_pairs=\"90\" max_contacts=\"500\""));
    warnings[0] = '\0';
    w = start();
    TEST_ASSERT_MESSAGE(strstr(warnings, "max_pairs is 90") != NULL, warnings);
    slip_scene_make_room(&scene, w);
    TEST_ASSERT_EQUAL_INT(90, scene.world.options.max_pairs);
}

static int is_deeper(const void *a, const void *b)
{
    const slip_real x = ((const slip_contact_info *)a)->gap, y = ((const slip_contact_info *)b)->gap;

    return x < y ? -1 : x > y;
}

/* Balls at random depths in the ground; a world with room for all of them knows their gaps. */
static void test_of_too_many_contacts_the_deepest_are_kept_whatever_their_order(void)
{
    enum { ALL = 100 };
    static const int room[] = { 1, 2, 3, 17, 50, 99, 100 };
    slip_contact_info all[ALL];
    slip_world *w;
    size_t mark;

    must_read("<scene><ground/><body name=\"b\" mass=\"1\"><origin xyz=\"0 0 0.09\"/><geometry><sphere radius=\"0.1\"/>"
              "</geometry><copies count=\"10 10 1\" step=\"0.3 0.3 0\" jitter=\"0 0 0.005\"/></body></scene>");
    mark = slip_arena_mark(&mem);
    scene.world.options.max_contacts = ALL;
    w = start();
    TEST_ASSERT_EQUAL_INT(ALL, slip_contact_count(w));
    for (int i = 0; i < ALL; ++i) all[i] = slip_contact_get(w, i);
    qsort(all, ALL, sizeof *all, is_deeper);
    for (int k = 0; k < (int)(sizeof room/sizeof *room); ++k) {
        slip_real deepest = 0, shallowest = -1;

        slip_arena_release(&mem, mark);
        warnings[0] = '\0';
        scene.world.options.max_contacts = room[k];
        w = start();
        TEST_ASSERT_EQUAL_INT(room[k], slip_contact_count(w));
        TEST_ASSERT_EQUAL_INT(ALL - room[k], slip_world_stats(w)->dropped);
        for (int i = 0; i < room[k]; ++i) {
            deepest = slip_min(deepest, slip_contact_get(w, i).gap);
            shallowest = slip_max(shallowest, slip_contact_get(w, i).gap);
        }
        TEST_ASSERT_DOUBLE_WITHIN(0, (double)all[0].gap, (double)deepest);
        TEST_ASSERT_DOUBLE_WITHIN(0, (double)all[room[k] - 1].gap, (double)shallowest);
    }
}

/* Room for contacts follows what can touch, and memory follows that room. */
static void test_a_quadruped_takes_less_than_a_megabyte(void)
{
    must_read("<scene><ground/><robot file=\"solo12.urdf\"><origin xyz=\"0 0 1\"/></robot></scene>");
    TEST_ASSERT_EQUAL_INT(64, scene.world.options.max_contacts);         /* 13 shapes and a tree: fewer than 64 */
    TEST_ASSERT_LESS_THAN_INT(1 << 20, (int)slip_world_bytes(&scene.world));
    must_read("<scene><ground/><body name=\"b\" mass=\"1\"><geometry><sphere radius=\"0.1\"/></geometry>"
              "<copies count=\"10 1 1\" step=\"1 0 0\"/></body></scene>");
    TEST_ASSERT_EQUAL_INT(160, scene.world.options.max_contacts);        /* (4 + 12) a body */
}

static void test_doubtful_things_are_warnings_and_errors_when_strict(void)
{
    static const mistake list[] = {
        { "<scene>\n<planet/>" CUBE "</scene>", 2, 1, "unknown element <planet> in <scene> ignored" },
        { "<scene>\n<grund/>" CUBE "</scene>", 2, 1, "<grund> in <scene> ignored; did you mean <ground>?" },
        { "<scene>\n<body name=\"b\" mas=\"1\"><geometry><sphere radius=\"1\"/></geometry></body></scene>", 2, 16,
          "attribute mas of <body> ignored; did you mean mass?" },
        { "<scene>\n<simulation td=\"1\" gravtiy=\"0 0 0\"/>" CUBE "</scene>", 2, 13,
          "attributes td, gravtiy of <simulation> ignored" },
        { "<scene>\n<simulation max_iterations=\"5\"/>" CUBE "</scene>", 2, 13,
          "attribute max_iterations of <simulation> ignored; it belongs to <solver>" },
        { "<scene>\n<solver erp=\"0.1\"/>" CUBE "</scene>", 2, 9,
          "attribute erp of <solver> ignored; it belongs to <simulation>" },
        { "<scene>\n<solver id=\"lcp-pgs\" rho=\"3\"/>" CUBE "</scene>", 2, 22,
          "attribute rho of <solver> has no effect on 'lcp-pgs'" },
        { "<scene>\n<solver facets=\"8\"/>" CUBE "</scene>", 2, 9,
          "attribute facets of <solver> has no effect on 'default'" },
        { "<scene>\n<body name=\"b\" fixed=\"true\"><geometry><sphere radius=\"1\"/></geometry></body></scene>", 1, 1,
          "nothing in the scene can move" },
        { "<scene>\n<ground colour=\"red\"/>" CUBE "</scene>", 2, 9, "attribute colour of <ground> ignored" },
        { "<scene>\n<robot file=\"arm.urdf\" base=\"fixed\"><joint joint=\"elbow\" position=\"4\"/></robot></scene>",
          2, 1,
          "the initial position 4 of joint 'elbow' is outside its limits" },
        { "<scene>\n<robot file=\"arm.urdf\" base=\"fixed\"><drive joint=\"elbow\" kp=\"1\" position=\"-4\"/></robot>"
          "</scene>", 2, 51,
          "the drive's target -4 of joint 'elbow' is outside its limits" },
        { "<scene>\n<robot file=\"arm.urdf\" base=\"fixed\"><drive joint=\"elbow\" kp=\"1\"/></robot>"
          "<events>\n<target joint=\"elbow\" time=\"1\" position=\"5\"/></events></scene>", 3, 16,
          "the drive's target 5" },
        { "<scene>\n<robot file=\"arm.urdf\" base=\"fixed\"/><events>\n<target joint=\"elbow\" time=\"1\" "
          "position=\"1\"/></events></scene>", 3, 16,
          "has no <drive>" },
        { "<scene>\n<robot file=\"arm.urdf\" base=\"fixed\" velocity=\"1 0 0\"/></scene>", 2, 1, "velocity ignored" },
        { "<scene>" CUBE "<events>\n<push link=\"cube\" from=\"2\" to=\"1\"/></events></scene>", 2, 1, "never acts" },
        { "<scene>" CUBE "<events>\n<push link=\"cube\" from=\"2\"/></events></scene>", 2, 1,
          "no force, rate or torque, so it does nothing" },
        { "<scene>\n<ground rgba=\"2 0 0 1\"/>" CUBE "</scene>", 2, 1, "rgba is not within 0..1; clamped" },
        { "<scene>\n<robot file=\"arm.urdf\" base=\"fixed\"><drive joint=\"elbow\" kp=\"1\" effort=\"0\"/></robot>"
          "</scene>", 2, 51, "joint 'elbow' has an effort limit of 0, so its drive does nothing" },
        { "<scene>" CUBE "\n<loop name=\"l\" kind=\"weld\" a=\"cube\" b=\"world\"><frame_a rpy=\"0.5 0 0\"/><frame_b "
          "xyz=\"0 0 0.5\"/></loop></scene>", 2, 13, "turned against each other by 28.6 degrees at the start" },
        { "<scene>\n<body name=\"b\" mass=\"1\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>"
          "</inertial></body></scene>",
          2, 1, "ignored beside its <inertial>" } };
    char why[512];
    int i;

    for (i = 0; i < (int)(sizeof list/sizeof *list); ++i) {
        char place[64];

        warnings[0] = '\0';
        report.strict = report.count = 0;
        TEST_ASSERT_MESSAGE(read_text(list[i].text) == SLIP_OK, err.what);
        slip_format(why, (int)sizeof why, "%s: warns: %s", list[i].text, warnings);
        slip_format(place, (int)sizeof place, "models/test.xml:%d:%d: ", list[i].line, list[i].column);
        TEST_ASSERT_MESSAGE(strstr(warnings, list[i].says) != NULL, why);
        TEST_ASSERT_MESSAGE(strncmp(warnings, place, strlen(place)) == 0, why);
        TEST_ASSERT_MESSAGE(report.count == 1, why);
        report.strict = 1;
        TEST_ASSERT_MESSAGE(read_text(list[i].text) == SLIP_ERR_MODEL, list[i].text);
        TEST_ASSERT(strstr(err.what, list[i].says) != NULL);
    }
}

static void test_an_overlapping_start_is_told_with_the_pair_and_the_depth(void)
{
    slip_world *w;

    must_read("<scene><ground/>\n<body name=\"a\" mass=\"1\"><origin xyz=\"0 0 0.08\"/><geometry><sphere "
              "radius=\"0.1\"/></geometry></body>\n"
              "  <body name=\"b\" mass=\"1\"><origin xyz=\"0.15 0 0.1\"/><geometry><sphere radius=\"0.1\"/></geometry>"
              "</body></scene>");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_scene_start(&scene, &mem, &w, &report, &err));
    TEST_ASSERT_EQUAL_INT(2, report.count);
    TEST_ASSERT_MESSAGE(strstr(warnings, "test.xml:2:1: 'ground' and 'a' overlap by 20 mm at the start"), warnings);
    TEST_ASSERT_MESSAGE(strstr(warnings, "test.xml:3:3: 'a' and 'b' overlap by 48.7 mm at the start"), warnings);
    report.strict = 1;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, slip_scene_start(&scene, &mem, &w, &report, &err));
}

/* Robots count as a whole: links of a gram in a robot of kilograms are no such thing. */
static void test_masses_beyond_single_precision_are_warned_of_there_and_only_there(void)
{
    must_read("<scene>\n <body name=\"light\" mass=\"0.01\"><geometry><sphere radius=\"0.1\"/></geometry></body>"
              "<body name=\"heavy\" mass=\"10\"><origin xyz=\"1 0 0\"/><geometry><sphere radius=\"0.1\"/></geometry>"
              "</body></scene>");
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 1000, (double)slip_scene_mass_ratio(&scene));
    start();
    if (sizeof(slip_real) == sizeof(double)) TEST_ASSERT_EQUAL_STRING("", warnings);
    else TEST_ASSERT_MESSAGE(strstr(warnings, ":2:2: 'light' has 0.01 kg and 'heavy' 10 kg: in single"), warnings);
    warnings[0] = '\0';
    must_read("<scene><robot file=\"quadruped.urdf\"/></scene>");
    TEST_ASSERT_DOUBLE_WITHIN(0, 1, (double)slip_scene_mass_ratio(&scene));
    start();
    TEST_ASSERT_EQUAL_STRING("", warnings);
}

static void test_a_scene_that_does_not_fit_says_so_wherever_memory_ends(void)
{
    static const char text[] = "<scene><ground/><robot file=\"four_bar.urdf\" base=\"fixed\"><loop name=\"l\" "
                               "a=\"coupler\" b=\"rocker\"/></robot>"
                               CUBE "<move link=\"cube\" axis=\"1 0 0\" kind=\"table\" times=\"0 1 2\" values=\"0 1 0\"/>"
                               "<events><push link=\"cube\" from=\"0\"/></events></scene>";
    size_t bytes;
    slip_status s = SLIP_ERR_WORKSPACE;

    for (bytes = 64; bytes < MEMORY; bytes += bytes/16 + 64) {
        slip_arena small = slip_arena_over(block, bytes);

        s = slip_scene_read(text, strlen(text), "models/test.xml", NULL, &small, &scene, NULL, &err);
        if (s == SLIP_OK) break;
        TEST_ASSERT_MESSAGE(s == SLIP_ERR_WORKSPACE, err.what);
        TEST_ASSERT_EQUAL_INT(0, (int)small.low);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, s);
    TEST_ASSERT_MESSAGE(bytes < 1 << 20, "a small scene fits into a megabyte");
}

static void test_mutated_scenes_never_do_harm(void)
{
    static const char text[] = "<scene name=\"m\"><simulation dt=\"0.01\"/><solver id=\"ncp-pgs\"/><surface "
                               "name=\"s\" friction=\"1\"/>"
        "<terrain kind=\"waves\" size=\"2 2\" cell=\"0.5\"/><robot file=\"four_bar.urdf\" prefix=\"p\" base=\"fixed\">"
        "<origin xyz=\"0 0 1\"/>"
        "<joint joint=\"crank\" position=\"1\"/><drive joint=\"c*\" kp=\"1\"/><loop name=\"l\" kind=\"weld\" "
        "a=\"coupler\" b=\"rocker\"/></robot>"
        "<body name=\"b\" mass=\"1\" surface=\"s\"><geometry><box size=\"1 1 1\"/></geometry><copies count=\"2 1 1\" "
        "step=\"2 0 0\"/></body>"
        "<exclude a=\"b0\" b=\"b1\"/><move link=\"b0\" axis=\"1 0 0\" kind=\"sine\" amplitude=\"1\" frequency=\"2\"/>"
        "<move joint=\"procker\" kind=\"table\" times=\"0 1 2\" values=\"0 1 0\" interpolation=\"smooth\"/>"
        "<events><push link=\"b0\" from=\"0\" force=\"1 0 0\"/><release loop=\"l\" "
        "time=\"1\"/>"
        "<target joint=\"pcrank\" time=\"1\" position=\"2\"/></events><camera follow=\"b1\"/></scene>";
    static const char bytes[] = "<>/=\"' \n0159.-eEabz*?&;\0\xff";
    char copy[sizeof text];
    slip_random rng = slip_random_seed(11);
    int i, k, good = 0;

    for (i = 0; i < 3000; ++i) {
        const int n = slip_random_int(&rng, 1, 4);
        int length = (int)sizeof text - 1;

        mem = slip_arena_over(block, (size_t)4 << 20);
        memcpy(copy, text, sizeof text);
        for (k = 0; k < n; ++k) {
            const int p = slip_random_int(&rng, 0, length - 2);

            if (slip_random_int(&rng, 0, 2) == 0) { memmove(copy + p, copy + p + 1,
                                                            (size_t)(length - p - 1)); --length; }
            else copy[p] = bytes[slip_random_int(&rng, 0, (int)sizeof bytes - 2)];
        }
        good += slip_scene_read(copy, (size_t)length, "models/test.xml", NULL, &mem, &scene, NULL, &err) >= 0;
    }
    TEST_ASSERT_MESSAGE(good > 0 && good < 3000, "some mutations are harmless, some are not");
}

/* ---- events ------------------------------------------------------------------------------------- */

#define FLOATING "<simulation dt=\"0.01\" gravity=\"0 0 0\"/>" \
                 "<body name=\"b\" mass=\"2\"><geometry><sphere radius=\"0.1\"/></geometry></body>"

static void test_a_push_acts_from_its_start_to_its_end(void)
{
    slip_world *w;
    int k;

    must_read("<scene>" FLOATING "<events><push link=\"b\" from=\"0.1\" to=\"0.2\" force=\"4 0 0\" rate=\"0 20 0\"/>"
                                 "</events></scene>");
    w = start();
    slip_world_set_control(w, slip_scene_control, &scene);
    for (k = 0; k < 50; ++k) TEST_ASSERT(slip_step(w) >= 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 4*0.1/2, at(slip_world_v(w), 0));
    /* the force at the beginning of each of ten steps: 20 (0 + 0.01 + … + 0.09) 0.01 / 2 */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 20*0.45*0.01/2, at(slip_world_v(w), 1));
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, at(slip_world_wrench(w), 6));
}

static void test_a_push_off_centre_turns_the_body(void)
{
    slip_world *w;

    must_read("<scene>" FLOATING "<events><push link=\"b\" from=\"0\" to=\"0.005\" force=\"0 0 1\" at=\"0.1 0 0\"/>"
                                 "</events></scene>");
    w = start();
    slip_scene_apply(&scene, w);
    TEST_ASSERT(slip_step(w) >= 0);
    /* r x f = -0.1 about y; I = 0.4 m r^2 = 0.008 */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.1*0.01/0.008, at(slip_world_v(w), 4));
}

static void test_a_velocity_is_set_once(void)
{
    slip_world *w;
    int k;

    must_read("<scene>" FLOATING "<events><set_velocity link=\"b\" time=\"0.03\" linear=\"1 2 3\" angular=\"0 0 1\"/>"
                                 "</events></scene>");
    w = start();
    slip_world_set_control(w, slip_scene_control, &scene);
    for (k = 0; k < 3; ++k) slip_step(w);
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, at(slip_world_v(w), 0));
    slip_step(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, at(slip_world_v(w), 5));
    slip_world_v(w)[5] = 0;
    slip_step(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, at(slip_world_v(w), 5));
}

static void test_drive_targets_move_along_a_ramp_and_gains_change(void)
{
    slip_world *w;
    slip_drive *d;
    int k;

    must_read("<scene><simulation dt=\"0.1\"/><robot file=\"gears.urdf\" base=\"fixed\"><drive joint=\"drive\" "
              "kp=\"5\" kd=\"1\" position=\"1\"/></robot>"
              "<events><target joint=\"drive\" time=\"1\" over=\"1\" position=\"3\" velocity=\"0.5\"/>"
              "<target joint=\"drive\" time=\"3\" position=\"-1\" kp=\"0\"/></events></scene>");
    w = start();
    d = slip_world_drive(w, 0);
    slip_world_set_control(w, slip_scene_control, &scene);
    for (k = 0; k < 10; ++k) slip_step(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, (double)d->q_ref);
    for (k = 0; k < 6; ++k) slip_step(w);                      /* the step that begins at 1.5 s */
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2, (double)d->q_ref);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2, (double)d->v_ref);
    for (k = 0; k < 5; ++k) slip_step(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, (double)d->q_ref);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.5, (double)d->v_ref);
    TEST_ASSERT_DOUBLE_WITHIN(0, 5, (double)d->kp);
    for (k = 0; k < 10; ++k) slip_step(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1, (double)d->q_ref);
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, (double)d->kp);
}

/* The target of the drive in the step that begins at `time`. */
static void steps_until(slip_world *w, double time)
{
    while ((double)slip_world_time(w) < time + 0.05) TEST_ASSERT(slip_step(w) >= 0);
}

/* Written backwards; the ramp of the first second is cut short half way, from where the next one goes on. */
static void test_targets_follow_each_other_in_time_wherever_they_are_written(void)
{
    slip_world *w;
    slip_drive *d;

    must_read("<scene><simulation dt=\"0.1\"/><robot file=\"gears.urdf\" base=\"fixed\"><drive joint=\"drive\" "
              "kp=\"5\" kd=\"1\"/></robot><events><target joint=\"drive\" time=\"3\" over=\"1\" position=\"1\"/>"
              "<target joint=\"drive\" time=\"0.5\" over=\"1\" position=\"3\"/>"
              "<target joint=\"drive\" time=\"0\" over=\"1\" position=\"2\"/></events></scene>");
    w = start();
    d = slip_world_drive(w, 0);
    slip_world_set_control(w, slip_scene_control, &scene);
    steps_until(w, 0.4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.8, (double)d->q_ref);
    steps_until(w, 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2, (double)d->q_ref);       /* from 1 at 0.5 s to 3 at 1.5 s */
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2, (double)d->v_ref);
    steps_until(w, 2.9);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 3, (double)d->q_ref);
    steps_until(w, 3.5);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2, (double)d->q_ref);
}

static void test_a_target_leaves_alone_what_it_does_not_name(void)
{
    slip_world *w;
    slip_drive *d;

    must_read("<scene><simulation dt=\"0.1\"/><robot file=\"gears.urdf\" base=\"fixed\"><drive joint=\"drive\" "
              "kp=\"5\" kd=\"1\" velocity=\"2\"/></robot><events><target joint=\"drive\" time=\"0.5\" kd=\"3\"/>"
              "<target joint=\"drive\" time=\"1\" over=\"1\" position=\"1\"/>"
              "<target joint=\"drive\" time=\"1.5\" kp=\"4\"/></events></scene>");
    w = start();
    d = slip_world_drive(w, 0);
    slip_world_set_control(w, slip_scene_control, &scene);
    steps_until(w, 0.5);
    TEST_ASSERT_DOUBLE_WITHIN(0, 3, (double)d->kd);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, (double)d->v_ref);
    steps_until(w, 1.5);
    TEST_ASSERT_DOUBLE_WITHIN(0, 4, (double)d->kp);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.5, (double)d->q_ref);     /* half way up the ramp */
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1, (double)d->v_ref);
}

static void test_a_released_loop_lets_go(void)
{
    slip_world *w;
    int k;

    must_read("<scene><simulation dt=\"0.01\"/>" CUBE "<loop name=\"hook\" kind=\"ball\" a=\"cube\" b=\"world\"/>"
              "<events><release loop=\"hook\" time=\"0.2\"/></events></scene>");
    w = start();
    slip_world_set_control(w, slip_scene_control, &scene);
    for (k = 0; k < 20; ++k) TEST_ASSERT(slip_step(w) >= 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.5, at(slip_world_q(w), 2));
    for (k = 0; k < 10; ++k) slip_step(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, -9.81*0.1, at(slip_world_v(w), 2));
}

static void test_events_after_a_restored_snapshot_come_again_bit_for_bit(void)
{
    slip_world *w;
    slip_real q[7];
    void *snapshot;
    int k;

    must_read("<scene><ground/>" CUBE "<events><push link=\"cube\" from=\"0.05\" to=\"0.1\" force=\"30 0 0\"/>"
              "<set_velocity link=\"cube\" time=\"0.12\" angular=\"0 1 0\"/></events></scene>");
    w = start();
    slip_world_set_control(w, slip_scene_control, &scene);
    for (k = 0; k < 70; ++k) slip_step(w);
    snapshot = malloc(slip_snapshot_bytes(w));
    slip_snapshot_save(w, snapshot);
    for (k = 0; k < 400; ++k) slip_step(w);
    memcpy(q, slip_world_q(w), sizeof q);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, snapshot, slip_snapshot_bytes(w)));
    for (k = 0; k < 400; ++k) slip_step(w);
    free(snapshot);
    TEST_ASSERT_MESSAGE(memcmp(q, slip_world_q(w), sizeof q) == 0, "same bits");
}

/* Meshes of a robot are others' files: one that cannot be read is a warning, and the robot loads without it. */
static void test_a_robot_with_a_mesh_that_cannot_be_read_loads(void)
{
    FILE *f = fopen("build/broken.dae", "wb"), *g = fopen("build/robot.urdf", "wb");
    FILE *h = fopen("build/broken.stl", "wb");

    TEST_ASSERT_MESSAGE(f && g && h, "cannot write below build/");
    fputs("a few bytes", h);
    fclose(h);
    fputs("<COLLADA>\n<library_geometries>", f);
    fputs("<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
          "iyz='0'/></inertial><collision><geometry><mesh filename='broken.dae'/></geometry></collision>"
          "<collision><geometry><mesh filename='broken.stl'/></geometry></collision>"
          "<collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>", g);
    fclose(f);
    fclose(g);
    must_read("<scene><robot file='../build/robot.urdf'/></scene>");
    TEST_ASSERT(slip_step(start()) >= 0);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings, "link 'base' does not collide: mesh '"), warnings);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings, "broken.dae', line 2: "), warnings);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warnings, "broken.stl': 11 bytes"), warnings);      /* without a line */
}

/* Of other scenes, most of them with states of the same size, it is told apart; masses and sizes do not count. */
static void test_a_snapshot_is_for_its_own_scene(void)
{
#define PAIR(a, b, shape, loop) "<scene><simulation max_contacts=\"64\"/><ground/>" \
        "<body name=\"" a "\" mass=\"1\"><geometry>" shape "</geometry></body>" \
        "<body name=\"" b "\" mass=\"1\"><origin xyz=\"0 0 1\"/><geometry><sphere radius=\"0.1\"/></geometry></body>" \
        "<loop name=\"l\" kind=\"ball\" " loop "/></scene>"
#define BALL "<sphere radius=\"0.1\"/>"
#define JOIN "a=\"a\" b=\"b\""
    static const struct { const char *text, *says; } other[] = {
        { PAIR("a", "b", BALL, JOIN), NULL },
        { PAIR("a", "b", "<sphere radius=\"0.2\"/>", JOIN), NULL },
        { PAIR("b", "a", BALL, JOIN), "links, joints, colliders, loops or max_contacts differ" },
        { PAIR("a", "b", "<box size=\"1 1 1\"/>", JOIN), "links, joints, colliders" },
        { PAIR("a", "b", BALL, "a=\"world\" b=\"b\""), "links, joints, colliders" },
        { "<scene>" CUBE "</scene>", "its q and v have 14 and 12 numbers, this one's 7 and 6" } };
    void *snapshot;
    slip_world *w;
    int i;

    must_read(other[0].text);
    w = start();
    for (i = 0; i < 30; ++i) slip_step(w);
    snapshot = malloc(slip_snapshot_bytes(w));
    slip_snapshot_save(w, snapshot);
    for (i = 0; i < (int)(sizeof other/sizeof *other); ++i) {
        must_read(other[i].text);
        w = start();
        TEST_ASSERT_EQUAL_INT(other[i].says ? SLIP_ERR_ARGUMENT : SLIP_OK, slip_snapshot_restore(w, snapshot, slip_snapshot_bytes(w)));
        TEST_ASSERT_EQUAL_INT(other[i].says ? 0 : 30, (int)slip_world_steps(w));
        if (other[i].says) TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, other[i].says));
        TEST_ASSERT(slip_step(w) >= 0);
    }
    memset(snapshot, 0, sizeof(int));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_snapshot_restore(w, snapshot, slip_snapshot_bytes(w)));
    TEST_ASSERT_EQUAL_STRING("this is no snapshot of a world", slip_world_error(w)->what);
    free(snapshot);
}

/* ---- loops -------------------------------------------------------------------------------------- */

static void test_loops_are_closed_at_the_start_by_moving_joints(void)
{
    const slip_loop_def *l;
    slip_pose A, B;
    slip_data *data;

    must_read("<scene><robot file=\"four_bar.urdf\" base=\"fixed\"><joint joint=\"crank\" position=\"1.4\"/>"
              "<joint joint=\"crank_pin\" position=\"-1\"/><joint joint=\"rocker\" position=\"1.2\"/>"
              "<loop name=\"pin\" kind=\"ball\" a=\"coupler\" b=\"rocker\" redundant=\"true\">"
              "<frame_a xyz=\"0.3 0 0\"/><frame_b xyz=\"0.2 0 0\"/></loop>"
              "</robot></scene>");
    TEST_ASSERT_EQUAL_STRING("", warnings);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(scene.model, &mem, &data));
    slip_kinematics(scene.model, data, scene.q);
    l = &scene.world.loops[0];
    slip_link_pose(scene.model, data, l->link_a, &A);
    slip_link_pose(scene.model, data, l->link_b, &B);
    slip_pose_point(&A, l->frame_a.p, A.p);
    slip_pose_point(&B, l->frame_b.p, B.p);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 1e-5), 0, (double)slip_distance3(A.p, B.p));
}

static void test_a_loop_that_cannot_be_closed_is_warned_of(void)
{
    must_read("<scene>" CUBE "<loop name=\"far\" kind=\"ball\" a=\"cube\" b=\"world\"><frame_b xyz=\"0 0 0.6\"/>"
                             "</loop></scene>");
    TEST_ASSERT_MESSAGE(strstr(warnings, "loop 'far' is open by 100 mm at the start") != NULL, warnings);
}

/* ---- what is shipped ---------------------------------------------------------------------------- */

static const char *const shipped[] = {
    "arm_drop", "arm_wall", "ball_drop", "bowl", "cassie_drop", "conveyor", "cube_push", "cube_slide", "dominoes",
    "four_bar", "gears", "hand_ball", "hand_cubes", "humanoid_fall", "humanoid_push", "incline", "pebbles", "pile", "pinch",
    "quad_hang", "quad_hang_long", "quad_ice", "quad_random", "quad_rough", "quad_stand", "quad_steep", "quad_trot",
    "shaker", "slide_aslant", "soft_sweep", "solo12_creep", "solo12_push", "solo12_rough", "solo12_soft", "solo12_stand",
    "solo12_trot", "squat", "stack", "stack_ratio", "stack_two", "wall", "wall_press", "wipe", "bench/humanoid_prone",
    "bench/humanoid_prone_arm", "bench/humanoid_up", "bench/quad_drop", "bench/quad_stand", "bench/slide",
    "bench/slide45", "bench/wall", "bench/wall_noball" };

static void test_every_shipped_scene_loads_starts_and_steps_without_a_warning(void)
{
    char path[128], why[4400];
    int i;

    for (i = 0; i < (int)(sizeof shipped/sizeof *shipped); ++i) {
        slip_world *w = NULL;
        size_t bytes;
        void *more;
        slip_arena large;
        slip_status s;

        mem = slip_arena_over(block, MEMORY);
        slip_format(path, (int)sizeof path, "models/%s.xml", shipped[i]);
        s = slip_scene_load(path, NULL, &mem, &scene, &report, &err);
        slip_format(why, (int)sizeof why, "%s: %s", path, s < 0 ? err.what : warnings);
        TEST_ASSERT_MESSAGE(s == SLIP_OK && report.count == 0, why);
        bytes = slip_world_bytes(&scene.world);
        more = malloc(bytes);
        large = slip_arena_over(more, bytes);
        s = slip_scene_start(&scene, &large, &w, &report, &err);
        slip_format(why, (int)sizeof why, "%s: %s", path, s < 0 ? err.what : warnings);
        if (sizeof(slip_real) < sizeof(double) && slip_scene_mass_ratio(&scene) >= 999) {
            TEST_ASSERT_MESSAGE(s == SLIP_OK && report.count == 1 && strstr(warnings, "single precision"), why);
            warnings[0] = '\0';
            report.count = 0;
        } else TEST_ASSERT_MESSAGE(s == SLIP_OK && report.count == 0, why);
        TEST_ASSERT_MESSAGE(slip_step(w) >= 0, path);
        free(more);
    }
}

static void test_the_bench_robots_have_the_published_figures(void)
{
    slip_arena fresh = mem;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_scene_load("models/bench/humanoid_up.xml", NULL, &mem, &scene, NULL, &err));
    TEST_ASSERT_EQUAL_INT(27, scene.model->nv);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 40.8440212, (double)slip_total_mass(scene.model));
    mem = fresh;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_scene_load("models/bench/quad_stand.xml", NULL, &mem, &scene, NULL, &err));
    TEST_ASSERT_EQUAL_INT(18, scene.model->nv);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 19.2035 + 4*(1.42462 + 1.63498 + 0.472163), (double)slip_total_mass(scene.model));
    TEST_ASSERT_EQUAL_INT(0, scene.drives[6].implicit);
    TEST_ASSERT_DOUBLE_WITHIN(0, 200, (double)scene.drives[17].kp);
    mem = fresh;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_scene_load("models/bench/wall.xml", NULL, &mem, &scene, NULL, &err));
    TEST_ASSERT_EQUAL_INT(16, scene.def.nlinks);
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 5 + 40 + 300 + 2000 + 10000 + 1000, (double)slip_total_mass(scene.model));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.22, at(scene.q, 7*3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.9, at(scene.q, 7*14 + 2));
}

static void test_the_short_way_runs_in_a_megabyte(void)
{
    slip_world *w;
    int k;

    mem = slip_arena_over(block, 1 << 20);
    TEST_ASSERT_MESSAGE(slip_scene_load_world("models/solo12_stand.xml", &mem, &w, NULL, &err) == SLIP_OK, err.what);
    for (k = 0; k < 200; ++k) TEST_ASSERT(slip_step(w) >= 0);
    TEST_ASSERT_EQUAL_INT(4, slip_contact_count(w));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_scene_load_world("models/none.xml", &mem, &w, NULL, &err));
}

static void test_patterns(void)
{
    TEST_ASSERT(slip_text_matches("*", ""));
    TEST_ASSERT(slip_text_matches("a*c", "abbc"));
    TEST_ASSERT(slip_text_matches("*_kfe", "lf_kfe"));
    TEST_ASSERT(slip_text_matches("?f_*", "rf_haa"));
    TEST_ASSERT(slip_text_matches("a*b*c", "aXbbYc"));
    TEST_ASSERT(!slip_text_matches("a*c", "abb"));
    TEST_ASSERT(!slip_text_matches("ab", "abc"));
    TEST_ASSERT(!slip_text_matches("?", ""));
}

/* ---- terrain ------------------------------------------------------------------------------------ */

static void test_terrain_is_level_where_asked_and_bumpy_elsewhere(void)
{
    const slip_heightfield *f;
    slip_real h;

    must_read("<scene><terrain kind=\"bumps\" size=\"4 4\" cell=\"0.1\" amplitude=\"0.2\" wavelength=\"0.5\" "
              "flat=\"0.5\" seed=\"3\"/>" CUBE "</scene>");
    f = scene.world.colliders[0].shape.field;
    TEST_ASSERT(f != NULL);
    TEST_ASSERT_EQUAL_INT(41, f->nx);
    TEST_ASSERT(slip_heightfield_at(f, SLIP_R(0.2), SLIP_R(0.1), &h, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, (double)h);
    TEST_ASSERT(f->hi > SLIP_R(0.05) && f->hi <= SLIP_R(0.1) && f->lo < SLIP_R(-0.05) && f->lo >= SLIP_R(-0.1));
}

/* A table of heights; what a formula would need is told of, with the scene's own file and line. */
static void test_terrain_from_a_table(void)
{
    static const char table[] = SLIP_TEST_BIN ".test_scene.csv";
    static const char text[] = "<scene>\n<terrain kind=\"file\" cell=\"0.5\" amplitude=\"0.2\" flat=\"1\" file=\""
                               SLIP_TEST_BIN ".test_scene.csv\"/>" CUBE "</scene>";
    FILE *f = fopen(table, "w");
    slip_real h;
    slip_status s;

    TEST_ASSERT(f != NULL);
    fputs("0,0,0\n0,1,0\n0,0,0\n0,0,0\n", f);
    TEST_ASSERT(fclose(f) == 0);
    s = slip_scene_read(text, strlen(text), "test.xml", NULL, &mem, &scene, &report, &err);
    remove(table);
    TEST_ASSERT_MESSAGE(s == SLIP_OK, err.what);
    TEST_ASSERT_EQUAL_STRING("test.xml:2:49: attribute flat of <terrain> ignored\n", warnings);
    TEST_ASSERT(slip_heightfield_at(scene.world.colliders[0].shape.field, 0, SLIP_R(0.25), &h, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.2, (double)h);            /* the second of four rows from above */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_body_gets_its_pose_and_the_inertia_of_its_shape);
    RUN_TEST(test_density_counts_all_collision_shapes_of_a_body);
    RUN_TEST(test_velocities_are_given_in_world_axes_and_kept_in_body_axes);
    RUN_TEST(test_copies_stand_on_a_grid_and_have_numbers);
    RUN_TEST(test_what_is_random_depends_on_the_seed_alone);
    RUN_TEST(test_fixed_bodies_do_not_move_and_grounds_belong_to_the_world);
    RUN_TEST(test_a_robot_is_placed_prefixed_and_set_by_patterns);
    RUN_TEST(test_two_robots_make_one_forest_with_their_mimics);
    RUN_TEST(test_the_same_robot_twice_without_a_prefix_is_an_error);
    RUN_TEST(test_bodies_across_massless_links_are_neighbours);
    RUN_TEST(test_a_fixed_base_and_what_moves_on_it_are_neighbours);
    RUN_TEST(test_armature_of_a_scene_counts_for_all_joints_of_a_robot);
    RUN_TEST(test_options_of_simulation_and_solver_reach_the_world);
    RUN_TEST(test_another_solver_is_checked_against_the_scenes_options);
    RUN_TEST(test_surfaces_and_their_pairs);
    RUN_TEST(test_mistakes_are_told_with_place_value_and_expectation);
    RUN_TEST(test_blocks_that_lie_flush_get_room_for_all_their_contacts);
    RUN_TEST(test_contacts_without_room_are_told_with_their_pair_and_the_scenes_own_room_is_kept);
    RUN_TEST(test_of_too_many_contacts_the_deepest_are_kept_whatever_their_order);
    RUN_TEST(test_a_quadruped_takes_less_than_a_megabyte);
    RUN_TEST(test_doubtful_things_are_warnings_and_errors_when_strict);
    RUN_TEST(test_an_overlapping_start_is_told_with_the_pair_and_the_depth);
    RUN_TEST(test_masses_beyond_single_precision_are_warned_of_there_and_only_there);
    RUN_TEST(test_a_scene_that_does_not_fit_says_so_wherever_memory_ends);
    RUN_TEST(test_mutated_scenes_never_do_harm);
    RUN_TEST(test_a_push_acts_from_its_start_to_its_end);
    RUN_TEST(test_a_push_off_centre_turns_the_body);
    RUN_TEST(test_a_velocity_is_set_once);
    RUN_TEST(test_drive_targets_move_along_a_ramp_and_gains_change);
    RUN_TEST(test_targets_follow_each_other_in_time_wherever_they_are_written);
    RUN_TEST(test_a_target_leaves_alone_what_it_does_not_name);
    RUN_TEST(test_a_released_loop_lets_go);
    RUN_TEST(test_events_after_a_restored_snapshot_come_again_bit_for_bit);
    RUN_TEST(test_a_robot_with_a_mesh_that_cannot_be_read_loads);
    RUN_TEST(test_a_snapshot_is_for_its_own_scene);
    RUN_TEST(test_loops_are_closed_at_the_start_by_moving_joints);
    RUN_TEST(test_a_loop_that_cannot_be_closed_is_warned_of);
    RUN_TEST(test_every_shipped_scene_loads_starts_and_steps_without_a_warning);
    RUN_TEST(test_the_bench_robots_have_the_published_figures);
    RUN_TEST(test_the_short_way_runs_in_a_megabyte);
    RUN_TEST(test_patterns);
    RUN_TEST(test_terrain_is_level_where_asked_and_bumpy_elsewhere);
    RUN_TEST(test_terrain_from_a_table);
    return UNITY_END();
}
