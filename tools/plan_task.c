/* Tasks of motions, as text. See plan.h.
 *
 *     time 0.8 40                  seconds, intervals
 *     periodic 0.8 0               the end is the start, moved by that much along x and y [m]
 *     effort 1                     weights
 *     smooth 0.001
 *     point LINK T X Y Z [W]       origin of a link at a time [m]; * where it does not matter
 *     joint NAME T VALUE [W]       [rad, m]
 *     pose T [W]                   all driven joints as at the start
 *     upright LINK T [W]           a link as at the start, but for turns about z
 *     rest T [W]                   nothing moves */
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *command, *file;
    int line, nwords;
    char word[10][128];
    const slip_model *m;
    plan_task *task;
} plan_reader;

static int plan_bad(const plan_reader *r, const char *what, const char *expected)
{
    return cli_fail(r->command, "%s:%d: %s, expected %s", r->file, r->line, what, expected), 0;
}

static int plan_words(plan_reader *r, const char *line, int length)
{
    int i = 0, n = 0, at;

    for (;;) {
        while (i < length && (line[i] == ' ' || line[i] == '\t')) ++i;
        if (i == length || line[i] == '#') break;
        if (n == 10) return plan_bad(r, "too many words", "at most ten");
        for (at = 0; i < length && line[i] != ' ' && line[i] != '\t'; ++i)
            if (at < (int)sizeof r->word[n] - 1) r->word[n][at++] = line[i];
        r->word[n++][at] = '\0';
    }
    r->nwords = n;
    return 1;
}

/* Word i as a number; 0 after a message. */
static int plan_number(const plan_reader *r, int i, double lo, double hi, double *x)
{
    char what[256], expected[96];

    if (i < r->nwords && slip_read_double(r->word[i], (int)strlen(r->word[i]), x) == (int)strlen(r->word[i])
        && *x >= lo && *x <= hi) return 1;
    slip_format(what, (int)sizeof what, "'%s': number %d is '%s'", r->word[0], i, i < r->nwords ? r->word[i] : "");
    slip_format(expected, (int)sizeof expected, "a number from %g to %g", lo, hi);
    return plan_bad(r, what, expected);
}

/* The knot of the time in word i. */
static int plan_time(const plan_reader *r, int i, plan_goal *g)
{
    const double end = r->task->n*r->task->h;
    double t;

    if (r->task->n == 0) return plan_bad(r, "a goal before the line 'time SECONDS INTERVALS'", "that line first");
    if (!plan_number(r, i, 0, end*(1 + 1e-9), &t)) return 0;
    g->at = (int)floor(t/r->task->h + 0.5);
    return 1;
}

/* A weight in word i, or none. */
static int plan_weight(const plan_reader *r, int i, double usual, plan_goal *g)
{
    g->weight = usual;
    if (r->nwords > i + 1) return plan_bad(r, "a word too many", "a weight at the end");
    return r->nwords <= i || plan_number(r, i, 0, 1e9, &g->weight);
}

static int plan_goal_link(const plan_reader *r, plan_goal *g)
{
    char what[256];

    g->link = r->nwords > 1 ? slip_model_find_link(r->m, r->word[1]) : -1;
    if (g->link >= 0) return 1;
    slip_format(what, (int)sizeof what, "no link is called '%s'", r->nwords > 1 ? r->word[1] : "");
    return plan_bad(r, what, "a link's name (slipstick info lists them)");
}

static int plan_goal_point(const plan_reader *r, plan_goal *g)
{
    int k;

    if (!plan_goal_link(r, g) || !plan_time(r, 2, g)) return 0;
    for (k = 0; k < 3; ++k) {
        g->given[k] = r->nwords <= 3 + k || strcmp(r->word[3 + k], "*") != 0;
        if (g->given[k] && !plan_number(r, 3 + k, -1e6, 1e6, &g->value[k])) return 0;
    }
    return plan_weight(r, 6, 100, g);
}

static int plan_goal_joint(const plan_reader *r, plan_goal *g)
{
    slip_joint_place place;
    char what[256];

    if (r->nwords < 2 || slip_model_find_place(r->m, r->word[1], &place) < 0 || place.nv != 1) {
        slip_format(what, (int)sizeof what, "no joint of one freedom is called '%s'", r->nwords > 1 ? r->word[1] : "");
        return plan_bad(r, what, "a joint's name (slipstick info lists them)");
    }
    g->iv = place.iv;
    return plan_time(r, 2, g) && plan_number(r, 3, -1e6, 1e6, &g->value[0]) && plan_weight(r, 4, 10, g);
}

static int plan_read_goal(plan_reader *r)
{
    plan_goal *g = &r->task->goal[r->task->ngoals];
    int ok;

    if (r->task->ngoals == PLAN_MOST_GOALS) return plan_bad(r, "too many goals", "fewer");
    memset(g, 0, sizeof *g);
    if (strcmp(r->word[0], "point") == 0) { g->kind = PLAN_POINT;  ok = plan_goal_point(r, g); }
    else if (strcmp(r->word[0], "joint") == 0) { g->kind = PLAN_JOINT;  ok = plan_goal_joint(r, g); }
    else if (strcmp(r->word[0], "pose") == 0) {
        g->kind = PLAN_POSE;
        ok = plan_time(r, 1, g) && plan_weight(r, 2, 1, g);
    } else if (strcmp(r->word[0], "rest") == 0) {
        g->kind = PLAN_REST;
        ok = plan_time(r, 1, g) && plan_weight(r, 2, 1, g);
    } else if (strcmp(r->word[0], "upright") == 0) {
        g->kind = PLAN_UPRIGHT;
        ok = plan_goal_link(r, g) && plan_time(r, 2, g) && plan_weight(r, 3, 10, g);
    } else return plan_bad(r, r->word[0], "time, periodic, effort, smooth, point, joint, pose, upright or rest");
    r->task->ngoals += ok;
    return ok;
}

static int plan_read_line(plan_reader *r)
{
    plan_task *t = r->task;
    double x, n;

    if (strcmp(r->word[0], "time") == 0) {
        if (!plan_number(r, 1, 1e-3, 1e3, &x) || !plan_number(r, 2, 4, 2000, &n)) return 0;
        t->n = (int)n;
        t->h = x/t->n;
        return 1;
    }
    if (strcmp(r->word[0], "periodic") == 0) {
        t->periodic = 1;
        return plan_number(r, 1, -1e3, 1e3, &t->advance[0]) && plan_number(r, 2, -1e3, 1e3, &t->advance[1]);
    }
    if (strcmp(r->word[0], "effort") == 0) return plan_number(r, 1, 0, 1e9, &t->effort);
    if (strcmp(r->word[0], "smooth") == 0) return plan_number(r, 1, 0, 1e9, &t->smooth);
    return plan_read_goal(r);
}

int plan_task_read(const char *command, const char *path, const slip_model *model, plan_task *task)
{
    plan_reader *r;
    const char *line, *at;
    size_t size;
    char *text = cli_read_file(command, path, &size);
    int length, ok = 1;

    if (!text) return 0;
    r = (plan_reader *)cli_alloc(sizeof *r);
    memset(r, 0, sizeof *r);
    memset(task, 0, sizeof *task);
    task->effort = 1;
    task->smooth = 1e-2;
    r->command = command;
    r->file = path;
    r->m = model;
    r->task = task;
    at = text;
    while (ok && (line = cli_next_line(&at, &r->line, &length)) != NULL)
        ok = plan_words(r, line, length) && (r->nwords == 0 || plan_read_line(r));
    if (ok && task->n == 0) ok = plan_bad(r, "no line 'time'", "time SECONDS INTERVALS");
    free(text);
    free(r);
    return ok;
}
