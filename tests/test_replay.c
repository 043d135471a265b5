/* The recorder, the packing of its numbers, the page's writer, and logs of runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"
#include "io/replay_pack.h"
#include "unity.h"
#include "world_aid.h"

enum { BLOCK = 1 << 24, TEXT = 1 << 24 };
static unsigned char *block;
static char *text;
static aid_world w;

void setUp(void)
{
    if (!block) block = (unsigned char *)malloc(BLOCK);
    if (!text) text = (char *)malloc(TEXT);
}

void tearDown(void) { }

/* ---- what the page does to the numbers ------------------------------------------------------------------ */

static float unpack_unit(uint16_t u, float lo, float extent)
{
    return lo + extent*(float)u/65535.0f;
}

static void unpack_quat(const uint16_t in[3], float q[4])
{
    const int big = in[0] >> 15 | in[1] >> 15 << 1;
    float sum = 0;
    int i, k = 0;

    for (i = 0; i < 4; ++i) {
        if (i == big) continue;
        q[i] = ((float)(in[k++] & 32767)/16383.5f - 1)*0.70710678118654752f;
        sum += q[i]*q[i];
    }
    q[big] = sum < 1 ? sqrtf(1 - sum) : 0.0f;
}

static float unpack_half(uint16_t h)
{
    const int e = h >> 10 & 31;
    const float m = (float)(h & 1023), a = e ? ldexpf(1 + m/1024.0f, e - 15) : m/16777216.0f;

    return h & 0x8000 ? -a : a;
}

static float unpack_decade(uint8_t d)
{
    return d ? powf(10.0f, ((float)d - 1)/10 - 20) : 0.0f;
}

/* ---- packing ------------------------------------------------------------------------------------ */

static void test_numbers_in_a_box_come_back_within_half_a_step(void)
{
    slip_random rng = slip_random_seed(1);
    int i;

    for (i = 0; i < 10000; ++i) {
        const float lo = (float)slip_random_uniform(&rng, -10, 10), extent = (float)slip_random_uniform(&rng, 0, 20);
        const float x = lo + extent*(float)slip_random_uniform(&rng, 0, 1);
        const float back = unpack_unit(slip_pack_unit(x, lo, extent), lo, extent);

        TEST_ASSERT_DOUBLE_WITHIN((double)extent/131070 + 4e-6, (double)x,
                                  (double)back);   /* and float's rounding of 20 */
    }
    TEST_ASSERT_EQUAL_INT(0, slip_pack_unit(3, 3, 0));
    TEST_ASSERT_EQUAL_INT(65535, slip_pack_unit(9, 0, 1));
}

static void test_quaternions_come_back_within_two_ten_thousandths_of_a_radian(void)
{
    slip_random rng = slip_random_seed(2);
    int i, k;

    for (i = 0; i < 20000; ++i) {
        slip_real r[4];
        float q[4], back[4];
        double dot = 0, size = 0;
        uint16_t packed[3];

        slip_random_quat(&rng, r);
        for (k = 0; k < 4; ++k) q[k] = (float)r[k];
        slip_pack_quat(q, packed);
        unpack_quat(packed, back);
        for (k = 0; k < 4; ++k) { dot += (double)q[k]*(double)back[k]; size += (double)back[k]*(double)back[k]; }
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, size);
        /* A step is 4.3e-5, so each of three is off by half of it and the largest by 3 times that at most: the
         * quaternions are 7.5e-5 apart, which is half the angle. */
        for (size = 0, k = 0; k < 4; ++k) {
            const double d = (double)q[k] - (dot < 0 ? -1 : 1)*(double)back[k];

            size += d*d;
        }
        TEST_ASSERT_MESSAGE(4*size < 1.6e-4*1.6e-4, "angle");
    }
}

static void test_halves_come_back_to_eleven_bits_and_saturate(void)
{
    slip_random rng = slip_random_seed(3);
    int i;

    for (i = 0; i < 20000; ++i) {
        const float x = (float)(slip_random_normal(&rng)*slip_pow(10, slip_random_uniform(&rng, -4, 4)));
        const float back = unpack_half(slip_pack_half(x));
        const double clipped = x > 65504 ? 65504 : x < -65504 ? -65504 : (double)x;

        TEST_ASSERT_DOUBLE_WITHIN(fabs(clipped)/2047 + 3.1e-8, clipped, (double)back);
    }
    TEST_ASSERT_EQUAL_INT(0, slip_pack_half(0));
    TEST_ASSERT_EQUAL_DOUBLE(65504, (double)unpack_half(slip_pack_half(INFINITY)));
    TEST_ASSERT_EQUAL_DOUBLE(1, (double)unpack_half(slip_pack_half(1)));
}

static void test_residuals_come_back_within_a_twentieth_of_a_decade(void)
{
    double e;

    for (e = -18; e < 4; e += 0.013) {
        const float x = (float)pow(10, e);

        TEST_ASSERT_DOUBLE_WITHIN(0.0501, e, log10((double)unpack_decade(slip_pack_decade(x))));
    }
    TEST_ASSERT_EQUAL_INT(0, slip_pack_decade(0));
    TEST_ASSERT_EQUAL_INT(255, slip_pack_decade((float)NAN));
}

/* ---- recording ---------------------------------------------------------------------------------- */

/* A cube that slides to rest, recorded; returns the recorder. */
static slip_replay *slide(const char *solver, slip_arena *mem, size_t room, int steps, int max_contacts)
{
    slip_replay_def def;
    slip_replay *rec = NULL;
    slip_error err;
    int k;

    aid_begin(&w, SLIP_R(0.3));
    aid_add(&w, slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1)), 1);
    if (solver) w.world_def.options.solver = slip_solver_find(solver);
    aid_build(&w);
    aid_q(&w, 0)[2] = SLIP_R(0.1);
    aid_v(&w, 0)[0] = 1;
    aid_v(&w, 0)[1] = SLIP_R(0.4);
    def = slip_replay_defaults(&w.world_def);
    def.room = room;
    def.max_contacts = max_contacts;
    slip_error_clear(&err);
    if (slip_replay_create(&def, mem, &rec, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    slip_replay_step(rec, w.world);
    for (k = 0; k < steps; ++k) {
        TEST_ASSERT(slip_step(w.world) >= 0);
        slip_replay_step(rec, w.world);
    }
    slip_replay_end(rec, w.world);
    return rec;
}

static void test_frames_come_at_the_asked_rate_and_end_with_the_last_state(void)
{
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *rec = slide("ncp-pgs", &mem, (size_t)1 << 20, 505, 16);
    const int n = slip_replay_frames(rec);
    double normal, tangent;
    slip_pose X;

    TEST_ASSERT_EQUAL_INT_MESSAGE(31, n, "every 17th of 505 steps of 1 ms, 0 included, and the last");
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, (double)slip_replay_time(rec, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.017, (double)slip_replay_time(rec, 1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.505, (double)slip_replay_time(rec, n - 1));
    slip_replay_pose(rec, n - 1, 1, &X);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, (double)aid_q(&w, 0)[0], (double)X.p[0]);
    TEST_ASSERT_EQUAL_INT(4, slip_replay_contacts(rec, 5));
    /* the solver's tolerance [N s] over 1 ms, for four contacts */
    normal = (double)slip_replay_value(rec, 5, SLIP_CURVE_NORMAL);
    tangent = (double)slip_replay_value(rec, 5, SLIP_CURVE_TANGENT);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(0.05, 0.4), 9.81, normal, "weight");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(0.05, 0.4), 0.3*9.81, tangent, "friction");
}

static void test_a_full_recorder_thins_itself_and_keeps_the_whole_run(void)
{
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *rec = slide("ncp-pgs", &mem, 6000, 600, 4);
    const int n = slip_replay_frames(rec);
    int i;

    TEST_ASSERT_MESSAGE(n >= 4 && n < 20, "6 kB hold some ten frames");
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, (double)slip_replay_time(rec, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.6, (double)slip_replay_time(rec, n - 1));
    for (i = 2; i < n - 1; ++i) {
        const slip_real gap = slip_replay_time(rec, i) - slip_replay_time(rec, i - 1);

        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, (double)slip_replay_time(rec, 1), (double)gap, "evenly spaced");
    }
    TEST_ASSERT_EQUAL_INT(600, (int)slip_replay_summary_of(rec)->steps);
}

static void test_only_the_strongest_contacts_are_kept_when_there_are_too_many(void)
{
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *rec = slide("ncp-pgs", &mem, (size_t)1 << 20, 100, 2);
    slip_real least = SLIP_REAL_MAX, all[64];
    const int last = slip_replay_frames(rec) - 1;
    int i, above = 0;

    TEST_ASSERT_EQUAL_INT(2, slip_replay_contacts(rec, last));
    TEST_ASSERT_EQUAL_INT(4, slip_replay_contacts_met(rec, last));
    for (i = 0; i < 2; ++i) {
        const float *l = slip_replay_contact_at(rec, last, i)->impulse;

        least = slip_min(least, (slip_real)sqrt((double)(l[0]*l[0] + l[1]*l[1] + l[2]*l[2])));
    }
    for (i = 0; i < slip_contact_count(w.world); ++i) {
        const slip_contact_info c = slip_contact_get(w.world, i);

        all[i] = slip_norm3(c.impulse);
        above += all[i] > least*SLIP_R(1.0001);
    }
    TEST_ASSERT_MESSAGE(above <= 1, "at most the other one kept is stronger than the weaker one kept");
}

static void test_each_model_breaks_the_law_it_is_known_to_break(void)
{
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *lcp = slide("lcp-pgs", &mem, (size_t)1 << 20, 200, 16);
    const slip_replay *ccp = slide("ccp-admm", &mem, (size_t)1 << 20, 200, 16);
    const slip_replay *raisim = slide("raisim-bisection", &mem, (size_t)1 << 20, 200, 16);
    const slip_replay *ncp = slide("ncp-admm", &mem, (size_t)1 << 20, 200, 16);

    TEST_ASSERT_MESSAGE(slip_replay_summary_of(lcp)->broken[1] > 100, "a pyramid's corner lies outside the cone");
    TEST_ASSERT_MESSAGE(slip_replay_summary_of(ccp)->broken[0] > 0, "a convex model lifts off");
    TEST_ASSERT_MESSAGE(slip_replay_summary_of(raisim)->broken[2] > 100,
                        "RaiSim's friction does not oppose the sliding");
#ifndef SLIP_REAL_FLOAT
    TEST_ASSERT_EQUAL_INT(0, (int)slip_replay_summary_of(ncp)->broken[0]);
    TEST_ASSERT_EQUAL_INT(0, (int)slip_replay_summary_of(ncp)->broken[1]);
    TEST_ASSERT_EQUAL_INT(0, (int)slip_replay_summary_of(ncp)->broken[2]);
#else
    TEST_ASSERT(slip_replay_summary_of(ncp)->contacts > 0);
#endif
}

static void test_what_is_beyond_measure_is_kept_as_a_finite_number(void)
{
    const slip_real far = SLIP_TOL(1e200, 1e35);
    slip_arena mem = slip_arena_over(block, BLOCK);
    slip_replay *rec = slide("ncp-pgs", &mem, (size_t)1 << 20, 1, 16);
    const int n = slip_replay_frames(rec);
    slip_pose X;
    int c;

    aid_q(&w, 0)[0] = far;
    aid_q(&w, 0)[1] = -far;
    aid_v(&w, 0)[0] = far;                                       /* its square is infinite */
    TEST_ASSERT(slip_step(w.world) >= 0 || slip_world_time(w.world) > 0);
    for (c = 0; c < 40 && slip_replay_frames(rec) == n; ++c) slip_replay_step(rec, w.world);
    TEST_ASSERT_EQUAL_INT(n + 1, slip_replay_frames(rec));
    slip_replay_pose(rec, n, 1, &X);
    TEST_ASSERT_DOUBLE_WITHIN(1e24, 1e30, (double)X.p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e24, -1e30, (double)X.p[1]);
    for (c = 0; c < SLIP_CURVES; ++c)
        TEST_ASSERT_MESSAGE(slip_is_finite(slip_replay_value(rec, n, (slip_curve)c)), slip_curve_name((slip_curve)c));
}

static void test_a_recorder_says_when_its_memory_is_too_small(void)
{
    slip_replay_def def;
    slip_replay *rec = NULL;
    slip_arena mem = slip_arena_over(block, BLOCK);
    slip_error err;

    aid_begin(&w, SLIP_R(0.3));
    aid_add(&w, slip_shape_sphere(SLIP_R(0.1)), 1);
    aid_build(&w);
    def = slip_replay_defaults(&w.world_def);
    def.room = 100;
    slip_error_clear(&err);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_replay_create(&def, &mem, &rec, &err));
    TEST_ASSERT_NULL(rec);
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&mem));
    def.room = (size_t)1 << 20;
    mem = slip_arena_over(block, slip_replay_bytes(&def));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_replay_create(&def, &mem, &rec, &err));
    def.fps = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_replay_create(&def, &mem, &rec, &err));
}

/* ---- the page ----------------------------------------------------------------------------------- */

static size_t write_page(const slip_replay *const *runs, int n, const char *title)
{
    slip_stream_memory memory;
    slip_replay_page page;
    slip_stream out;

    memory.text = text;
    memory.size = TEXT;
    memory.used = 0;
    slip_stream_to_memory(&memory, &out);
    memset(&page, 0, sizeof page);
    page.title = title;
    page.about = title;
    page.command = title;
    page.camera.follow = -1;
    page.nruns = n;
    page.runs = runs;
    page.reference = -1;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_replay_write(&page, &out));
    return memory.used;
}

static int count(const char *in, const char *what)
{
    int n = 0;

    for (in = strstr(in, what); in; in = strstr(in + 1, what)) ++n;
    return n;
}

static void test_a_page_is_whole_and_asks_for_nothing_from_elsewhere(void)
{
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *runs[2];

    runs[0] = slide("ncp-pgs", &mem, (size_t)1 << 20, 100, 16);
    write_page(runs, 1, "a cube");
    TEST_ASSERT_EQUAL_INT(0, strncmp(text, "<!DOCTYPE html>", 15));
    TEST_ASSERT_EQUAL_STRING("</html>\n", text + strlen(text) - 8);
    TEST_ASSERT_EQUAL_INT(0, count(text, "http://") + count(text, "https://"));
    TEST_ASSERT_EQUAL_INT(0, count(text, "src=") + count(text, "<link"));
    TEST_ASSERT_EQUAL_INT(0, count(text, "import ") + count(text, "fetch("));
    TEST_ASSERT_EQUAL_INT(count(text, "<script"), count(text, "</script>"));
    TEST_ASSERT_EQUAL_INT(1, count(text, "id=\"run0\""));
}

static void test_hostile_names_do_not_get_out_of_their_strings(void)
{
    static const char hostile[] = "</script><script>alert(1)</script><!-- \" ' \\ & \xce\xbb \xff";
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *runs[1];
    int tags;

    runs[0] = slide("ncp-pgs", &mem, (size_t)1 << 20, 20, 16);
    write_page(runs, 1, "harmless");
    tags = count(text, "<script");
    w.colliders[1].name = hostile;
    write_page(runs, 1, hostile);
    TEST_ASSERT_EQUAL_INT_MESSAGE(tags, count(text, "<script"), "no element more than before");
    TEST_ASSERT_EQUAL_INT(tags, count(text, "</script>"));
    TEST_ASSERT_EQUAL_INT(0, count(text, "<script>alert"));
    TEST_ASSERT_EQUAL_INT(0, count(text, "<!-- "));
}

static void test_the_packed_block_holds_what_was_recorded(void)
{
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *runs[1];
    unsigned char *bytes = (unsigned char *)malloc(1 << 20);
    const char *from, *to;
    float time;
    slip_pose X;
    long n;
    int nf, nc = 0, f;
    size_t head;
    uint16_t u;
    float lo, extent;

    runs[0] = slide("ncp-pgs", &mem, (size_t)1 << 20, 200, 16);
    write_page(runs, 1, "x");
    from = strstr(text, "id=\"run0\">") + 10;
    to = strchr(from, '<');
    n = slip_base64_read(from, (size_t)(to - from), bytes);
    nf = slip_replay_frames(runs[0]);
    for (f = 0; f < nf; ++f) nc += slip_replay_contacts(runs[0], f);
    head = 4*((size_t)nf*(1 + SLIP_CURVES) + 6 + 6 + 2 + (size_t)nf + 1);
    TEST_ASSERT_EQUAL_INT_MESSAGE((int)(head + (size_t)nf*12 + (size_t)nc*38), (int)n, "12 bytes a pose, 38 a contact");
    memcpy(&time, bytes + 4*(nf - 1), 4);                      /* little-endian machines only; others skip below */
    if (time == (float)slip_replay_time(runs[0], nf - 1)) {
        memcpy(&lo, bytes + 4*(size_t)nf*(1 + SLIP_CURVES), 4);
        memcpy(&extent, bytes + 4*((size_t)nf*(1 + SLIP_CURVES) + 3), 4);
        memcpy(&u, bytes + head + 12*(size_t)(nf - 1), 2);
        slip_replay_pose(runs[0], nf - 1, 1, &X);
        TEST_ASSERT_DOUBLE_WITHIN((double)extent/131070 + 1e-6, (double)X.p[0],
                                  (double)unpack_unit(u, lo, extent));
    }
    free(bytes);
}

static void test_the_library_carries_the_page_that_is_in_the_tree(void)
{
    static const char *const files[] = { "theme.css", "style.css", "math.js", "data.js", "crowd.js", "gl.js",
                                         "camera.js", "solids.js", "scene.js", "axes.js", "plots.js", "cone.js",
                                         "contact.js", "main.js" };
    slip_arena mem = slip_arena_over(block, BLOCK);
    const slip_replay *runs[1];
    char *file = (char *)malloc(1 << 18), path[64];
    size_t i, n;

    runs[0] = slide("ncp-pgs", &mem, (size_t)1 << 20, 5, 16);
    write_page(runs, 1, "x");
    for (i = 0; i < sizeof files/sizeof *files; ++i) {
        FILE *f;

        slip_format(path, (int)sizeof path, "src/io/replay_page/%s", files[i]);
        f = fopen(path, "rb");
        if (!f) { free(file); TEST_IGNORE_MESSAGE("skipped: src/io/replay_page is not present"); }
        n = fread(file, 1, (1 << 18) - 1, f);
        fclose(f);
        file[n] = '\0';
        TEST_ASSERT_MESSAGE(strstr(text, file) != NULL, "src/io/replay_page.c is out of date: run 'make page'");
    }
    free(file);
}

/* ---- logs, through the command ------------------------------------------------------------------ */

#define LOG_FILE SLIP_TEST_BIN ".test_replay.log"

static command_result result;

/* Runs `slipstick ARGUMENTS`; its exit code. What it said, to whom ever, is in `answer`. */
static int run(const char *arguments, char *answer, size_t size)
{
    command_run(arguments, NULL, &result);
    slip_format(answer, (int)size, "%s%s", result.out, result.err);
    return result.code;
}

static void test_a_recorded_run_repeats_to_the_bit(void)
{
    char answer[4096];

    TEST_ASSERT_EQUAL_INT(0, run("sim models/slide_aslant.xml --quiet --time 0.1 --log " LOG_FILE, answer,
                                 sizeof answer));
    TEST_ASSERT_EQUAL_INT(0, run("replay " LOG_FILE, answer, sizeof answer));
    TEST_ASSERT_MESSAGE(strstr(answer, "identical, 50 steps") != NULL, answer);
}

/* The mesh `which` of a page: its triangles' corners exist, all vertices are used and fill its box to the ends. Returns
 * how many vertices there are. */
static int page_mesh_is_whole(const char *page, int which, int *smooth)
{
    const char *at = strstr(page, "\"meshes\":["), *from, *to;
    char id[32];
    unsigned char *bytes = (unsigned char *)malloc(1 << 20), *used;
    int number, nv, nt, i, k, x[3], lo[3] = { 65535, 65535, 65535 }, hi[3] = { 0, 0, 0 };

    TEST_ASSERT_NOT_NULL(at);
    for (i = 0; i <= which; ++i) {
        at = strstr(at + 1, "{\"id\":");
        TEST_ASSERT_NOT_NULL_MESSAGE(at, "a mesh");
    }
    TEST_ASSERT_EQUAL_INT(3, sscanf(at, "{\"id\":%d,\"nv\":%d,\"nt\":%d", &number, &nv, &nt));
    *smooth = atoi(strstr(at, "\"smooth\":") + 9);
    snprintf(id, sizeof id, "id=\"mesh%d\">", number);
    from = strstr(page, id);
    TEST_ASSERT_NOT_NULL_MESSAGE(from, id);
    from += strlen(id);
    to = strchr(from, '<');
    TEST_ASSERT_EQUAL_INT(6*nv + 2*(nv%2) + 12*nt, (int)slip_base64_read(from, (size_t)(to - from), bytes));
    for (i = 0; i < nv; ++i)
        for (k = 0; k < 3; ++k) {
            x[k] = bytes[6*i + 2*k] | bytes[6*i + 2*k + 1] << 8;
            if (x[k] < lo[k]) lo[k] = x[k];
            if (x[k] > hi[k]) hi[k] = x[k];
        }
    for (k = 0; k < 3; ++k) TEST_ASSERT_TRUE_MESSAGE(lo[k] == 0 && hi[k] == 65535, "the box's two ends");
    used = (unsigned char *)calloc((size_t)nv, 1);
    for (i = 0; i < 3*nt; ++i) {
        const unsigned char *at4 = bytes + 6*nv + 2*(nv%2) + 4*i;
        const unsigned v = at4[0] | (unsigned)at4[1] << 8 | (unsigned)at4[2] << 16 | (unsigned)at4[3] << 24;

        TEST_ASSERT_TRUE_MESSAGE(v < (unsigned)nv, "a corner of a triangle");
        used[v] = 1;
    }
    for (i = 0; i < nv; ++i) TEST_ASSERT_TRUE_MESSAGE(used[i], "a vertex of no triangle");
    free(used);
    free(bytes);
    return nv;
}

static void test_a_page_carries_terrain_and_meshes(void)
{
    static const char scene[] = SLIP_TEST_BIN ".page.xml", page[] = SLIP_TEST_BIN ".page.html";
    char answer[4096], *whole = (char *)malloc(1 << 21);
    int smooth[2], nv[2];

    command_write(scene, "<scene><terrain kind='bumps' size='1 1' cell='0.25' amplitude='0.1'/>"
                  "<body name='foot' mass='1'><origin xyz='0 0 0.4'/><geometry>"
                  "<mesh filename='../../models/foot.obj' scale='0.001 0.001 0.001'/></geometry></body></scene>");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run("sim '" SLIP_TEST_BIN ".page.xml' --quiet --time 0.02 --html '" SLIP_TEST_BIN
                                         ".page.html'", answer, sizeof answer), answer);
    TEST_ASSERT_TRUE(command_read(page, whole, 1 << 21) > 0);
    nv[0] = page_mesh_is_whole(whole, 0, &smooth[0]);
    nv[1] = page_mesh_is_whole(whole, 1, &smooth[1]);
    TEST_ASSERT_TRUE_MESSAGE(smooth[0] != smooth[1], "the terrain alone is smooth");
    TEST_ASSERT_EQUAL_INT(25, smooth[0] ? nv[0] : nv[1]);
    remove(scene);
    remove(page);
    free(whole);
}

/* Changes a bit of the digit behind `offset` bytes of the nth place where `what` stands. */
static void flip(const char *what, int nth, int offset, int bit)
{
    FILE *f = fopen(LOG_FILE, "rb");
    size_t n = fread(text, 1, TEXT - 1, f);
    char *at = text;

    fclose(f);
    text[n] = '\0';
    while (nth-- > 0) {
        at = strstr(at + 1, what);
        TEST_ASSERT(at != NULL);
    }
    at += offset;                                   /* 0..9 and a..f as a number, and back */
    nth = (*at >= 'a' ? *at - 'a' + 10 : *at - '0') ^ bit;
    *at = (char)(nth < 10 ? '0' + nth : 'a' + nth - 10);
    f = fopen(LOG_FILE, "wb");
    fwrite(text, 1, n, f);
    fclose(f);
}

static void test_a_changed_bit_is_named_by_step_and_field(void)
{
    char answer[4096];

    run("sim models/slide_aslant.xml --quiet --time 0.1 --log " LOG_FILE, answer, sizeof answer);
    flip("step 30 ", 1, 8 + 2 + 5, 1);
    TEST_ASSERT(run("replay " LOG_FILE, answer, sizeof answer) != 0);
    TEST_ASSERT_MESSAGE(strstr(answer, "differs first at step 30 in q") != NULL, answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "all later steps agree") != NULL, answer);
    run("sim models/slide_aslant.xml --quiet --time 0.1 --log " LOG_FILE, answer, sizeof answer);
    flip(" impulses ", 12, 10 + 3, 4);
    TEST_ASSERT(run("replay " LOG_FILE, answer, sizeof answer) != 0);
    TEST_ASSERT_MESSAGE(strstr(answer, "step 12 in impulses") != NULL, answer);
    run("sim models/slide_aslant.xml --quiet --time 0.1 --log " LOG_FILE, answer, sizeof answer);
    flip("wrench ", 1, 7 + 6*(2*(int)sizeof(slip_real) + 1), 4);         /* a force of 2 N along x on the cube */
    TEST_ASSERT(run("replay " LOG_FILE, answer, sizeof answer) != 0);
    TEST_ASSERT_MESSAGE(strstr(answer, "step 1 in q") != NULL, answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "(wrench, an input of step 1)") != NULL, answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "q_cube.x: logged ") != NULL, answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "50 of 50 steps differ") != NULL, answer);
    run("sim models/slide_aslant.xml --quiet --time 0.1 --log " LOG_FILE, answer, sizeof answer);
    flip("snapshot ", 1, 9 + 5, 2);
    TEST_ASSERT(run("replay " LOG_FILE, answer, sizeof answer) != 0);
    TEST_ASSERT_MESSAGE(strstr(answer, "step 0 in snapshot") != NULL, answer);
}

/* Changes a bit of the first eight bytes of y, the second number, in what the log says that step 20 left. */
static void test_a_changed_coordinate_is_named_with_both_values(void)
{
    char answer[4096], *at, *line = text;
    int k;

    TEST_ASSERT(text != NULL);
    run("sim models/slide_aslant.xml --quiet --time 0.1 --log " LOG_FILE, answer, sizeof answer);
    command_read(LOG_FILE, text, TEXT);
    for (k = 0; k < 20; ++k) line = strstr(line + 1, "\nstate ");
    at = line + 7 + (sizeof(slip_real) == 8 ? 12 : 6);           /* four digits of base64 are three bytes */
    *at = *at == 'A' ? 'B' : 'A';
    command_write(LOG_FILE, text);
    TEST_ASSERT_EQUAL_INT(1, run("replay " LOG_FILE, answer, sizeof answer));
    TEST_ASSERT_MESSAGE(strstr(answer, "(state): the line does not fit its check") != NULL, answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "differs first at step 20 in q") != NULL, answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "q_cube.y: logged ") != NULL, answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "all later steps agree") != NULL, answer);
    run("replay --json " LOG_FILE, answer, sizeof answer);
    TEST_ASSERT_MESSAGE(strstr(answer, "\"coordinate\": \"q_cube.y\"") != NULL, answer);
}

/* A flipped bit anywhere, in the head, in inputs, states, checks or line ends, never passes. */
static void test_no_flipped_bit_passes(void)
{
    slip_random rng = slip_random_seed(7);
    char answer[4096];
    size_t n;
    int i;

    run("sim models/slide_aslant.xml --quiet --time 0.01 --log " LOG_FILE, answer, sizeof answer);
    n = command_read(LOG_FILE, text, TEXT);
    for (i = 0; i < 80; ++i) {
        const size_t snapshot = (size_t)(strstr(text, "snapshot") - text);
        const size_t most = i%2 ? n : snapshot + 40, at = i ? slip_random_bits(&rng)%most : n - 1;   /* 0: the end */
        const char was = text[at];
        FILE *f = fopen(LOG_FILE, "wb");

        text[at] = (char)(text[at] ^ 1 << i%8);
        fwrite(text, 1, n, f);
        fclose(f);
        text[at] = was;
        if (run("replay " LOG_FILE, answer, sizeof answer) == 1 && strstr(answer, ".log:")) continue;
        snprintf(answer, sizeof answer, "bit %d of byte %lu", i%8, (unsigned long)at);
        TEST_FAIL_MESSAGE(answer);
    }
    remove(LOG_FILE);
}

/* The next number of a path's data, NaN at its end. */
static double path_number(const char **at)
{
    char *end;
    double x;

    *at += strcspn(*at, "-.0123456789\"");
    if (**at == '"' || **at == 0) return (double)NAN;
    x = strtod(*at, &end);
    *at = end;
    return x;
}

/* Two solvers of the same problem: the lines of their paths are the same to hundredths of a pixel, in float to a
 * pixel. */
static void test_plots_alone_have_a_line_for_each_run(void)
{
    const char *first, *second;
    char answer[4096];

    TEST_ASSERT_EQUAL_INT(0, run("compare models/slide_aslant.xml --solvers ncp-newton --svg " LOG_FILE ".svgs", answer,
                                 sizeof answer));
    command_read(LOG_FILE ".svgs/path.svg", text, TEXT);
    first = strstr(text, " d=\"M");
    TEST_ASSERT(first != NULL);
    second = strstr(first + 1, " d=\"M");
    TEST_ASSERT(second != NULL);
    TEST_ASSERT_MESSAGE(strcspn(first, "/") > 100, "a path of many points");
    first += 4;
    second += 4;
    for (;;) {
        const double a = path_number(&first), b = path_number(&second);

        TEST_ASSERT(isnan(a) == isnan(b));
        if (isnan(a)) break;
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(0.02, 1), a, b);
    }
}

static void test_a_log_that_was_cut_off_is_refused_with_its_line(void)
{
    char answer[4096];
    FILE *f;
    size_t n;

    run("sim models/slide_aslant.xml --quiet --time 0.1 --log " LOG_FILE, answer, sizeof answer);
    f = fopen(LOG_FILE, "rb");
    n = fread(text, 1, TEXT - 1, f);
    fclose(f);
    f = fopen(LOG_FILE, "wb");
    fwrite(text, 1, n/2, f);
    fclose(f);
    TEST_ASSERT(run("replay " LOG_FILE, answer, sizeof answer) != 0);
    TEST_ASSERT_MESSAGE(strstr(answer, ".log:") != NULL, answer);
    remove(LOG_FILE);
}

int main(void)
{
    int failed;

    UNITY_BEGIN();
    RUN_TEST(test_numbers_in_a_box_come_back_within_half_a_step);
    RUN_TEST(test_quaternions_come_back_within_two_ten_thousandths_of_a_radian);
    RUN_TEST(test_halves_come_back_to_eleven_bits_and_saturate);
    RUN_TEST(test_residuals_come_back_within_a_twentieth_of_a_decade);
    RUN_TEST(test_frames_come_at_the_asked_rate_and_end_with_the_last_state);
    RUN_TEST(test_a_full_recorder_thins_itself_and_keeps_the_whole_run);
    RUN_TEST(test_only_the_strongest_contacts_are_kept_when_there_are_too_many);
    RUN_TEST(test_each_model_breaks_the_law_it_is_known_to_break);
    RUN_TEST(test_what_is_beyond_measure_is_kept_as_a_finite_number);
    RUN_TEST(test_a_recorder_says_when_its_memory_is_too_small);
    RUN_TEST(test_a_page_is_whole_and_asks_for_nothing_from_elsewhere);
    RUN_TEST(test_hostile_names_do_not_get_out_of_their_strings);
    RUN_TEST(test_the_packed_block_holds_what_was_recorded);
    RUN_TEST(test_the_library_carries_the_page_that_is_in_the_tree);
    RUN_TEST(test_a_recorded_run_repeats_to_the_bit);
    RUN_TEST(test_a_page_carries_terrain_and_meshes);
    RUN_TEST(test_a_changed_bit_is_named_by_step_and_field);
    RUN_TEST(test_a_changed_coordinate_is_named_with_both_values);
    RUN_TEST(test_no_flipped_bit_passes);
    RUN_TEST(test_plots_alone_have_a_line_for_each_run);
    RUN_TEST(test_a_log_that_was_cut_off_is_refused_with_its_line);
    failed = UNITY_END();
    free(block);
    free(text);
    return failed;
}
