/* LL Tab. II: the properties of solvers, each decided by a measurement. */
#include "papers_ll.h"

#include <math.h>
#include <string.h>
#include "solver_ticks.h"

/* The rows of the paper's table, and two more. ticks: as printed there, NULL where it has no such row. */
typedef struct { const char *name, *id, *engine, *ticks; } table_row;
static const table_row table_rows[] = {
    { "LCP, PGS", "lcp-pgs", NULL, "S..N..G" }, { "LCP, staggered projections", "lcp-staggered", NULL, "S..NIR." },
    { "CCP, PGS", "ccp-pgs", NULL, ".CMN..G" }, { "CCP, MuJoCo", "ccp-newton", "mujoco", ".CM.IRG" },
    { "CCP, ADMM", "ccp-admm", NULL, ".CMNIRG" }, { "RaiSim", "raisim-bisection", NULL, "SC.N..." },
    { "NCP, PGS", "ncp-pgs", NULL, "SCMN..." }, { "NCP, staggered projections", "ncp-staggered", NULL, "SCMNIR." },
    { "NCP, ADMM (CR)", "ncp-admm", NULL, NULL }, { "NCP, default (ours)", "default", NULL, NULL } };
enum { TABLE_ROWS = (int)(sizeof table_rows/sizeof *table_rows), TABLE_MUJOCO = 3 };

static const slip_solver *table_solver(const table_row *row, slip_solver_options *o)
{
    *o = slip_solver_defaults();
    return row->engine ? slip_solver_like(row->engine, o) : slip_solver_find(row->id);
}

/* A row of numbers, of data, and the statement that it is the paper's. */
static void table_tell(papers_run *r, FILE *csv, const table_row *row, const solver_ticks *t)
{
    char text[TICKS + 1], what[128];
    int k;

    solver_ticks_text(t->ticks, text);
    snprintf(what, sizeof what, "%s, %s%s", row->name, row->id, row->engine ? " with MuJoCo's R" : "");
    papers_number(r, what, row->ticks ? row->ticks : "-", "%s: %.0e, %.0e, %.0e, %.0e, %.0e, %.0e, %.0f of "
                  "1000", text, t->value[0],
                  t->value[1], t->value[2], t->value[3], t->value[4], t->value[5], t->value[6]);
    fprintf(csv, "%s,%s,%s,%s", row->name, row->id, row->ticks ? row->ticks : "", text);
    for (k = 0; k < TICKS; ++k) fprintf(csv, ",%.6g", t->value[k]);
    fputs("\n", csv);
    if (row->ticks)
        papers_check(r, PAPERS_CLAIM, strcmp(row->ticks, text) == 0, "%s: the paper's row is %s, measured "
                     "%s", what, row->ticks, text);
}

/* Each value over its limit: what is above 1 breaks the property. */
static void table_draw(papers_run *r, const solver_ticks *t)
{
    static const char *const properties[TICKS] = { "Signorini", "Coulomb", "dissipation", "no shift", "no internal",
                                                   "robust", "converges" };
    slip_plot_series series[TABLE_ROWS];
    slip_real x[TABLE_ROWS][TICKS], y[TABLE_ROWS][TICKS];
    slip_plot plot;
    int i, k;

    for (i = 0; i < TABLE_ROWS; ++i) {
        for (k = 0; k < TICKS; ++k) {
            const double limit = k == TICK_CONVERGES ? 0.5 : solver_tick_limit(k);

            x[i][k] = (slip_real)(k + 1 + 0.06*(i - TABLE_ROWS/2));     /* side by side */
            y[i][k] = (slip_real)fmax(1e-9, t[i].value[k]/limit);
        }
        series[i] = papers_line(table_rows[i].name, x[i], y[i], TICKS);
        series[i].style = SLIP_PLOT_POINTS;
    }
    plot = papers_categories("What decides the ticks", properties, TICKS, "value over its limit", 1, series,
                             TABLE_ROWS);
    plot.width = 860;
    papers_plot(r, NULL, "Each measured value over its limit, cut off at 1e-9: above 1 the solver does not have the "
                "property.", &plot);
}

/* Where the differences come from: ccp-pgs and lcp-pgs with the steps of ours. */
static void table_explain(papers_run *r, solver_ticks_bench *b, const solver_ticks *t)
{
    slip_solver_options o = slip_solver_defaults();
    solver_ticks ccp, lcp;

    o.step = SLIP_STEP_BLOCK;
    solver_ticks_measure(b, &slip_solver_ccp_pgs, &o, &ccp);
    solver_ticks_measure(b, &slip_solver_lcp_pgs, &o, &lcp);
    papers_say(r, "Numbers behind the letters, in their order: on a cube that slides aslant the largest "
               "|lambda_n sigma_n| of |lambda| |g|, the part of an impulse outside of the cone, the angle between "
               "friction and -sigma_T or the share of its power that is left; on a cube that sticks |sigma| of |g|; "
               "while a push on it grows, the impulses' part in the null space; for 10^3 kg on 10^-3 kg the residual "
               "over the tolerance after 1000 iterations; and how many of 1000 random problems of four coupled "
               "contacts are not solved. The text of the paper at hand has lost the two rows of the NCP: they are "
               "those of its Sec. III.");
    papers_say(r, "A measurement refutes a guarantee, it does not prove one. For ccp-pgs the printed step 3/trace may "
               "be too long where an eigenvalue of a contact's block is above two thirds of its trace: %.0f of 1000 "
               "problems are swept for ever; none should be with steps of sqrt(3)/|G_ii|, and %.0f are. For lcp-pgs "
               "the bound mu lambda_n moves with the solution, and the problem is that of no objective: %.0f of 1000 "
               "are not solved, with the 2x2 tangential step %.0f.",
               t[2].value[TICK_CONVERGES], ccp.value[TICK_CONVERGES], t[0].value[TICK_CONVERGES],
               lcp.value[TICK_CONVERGES]);
    papers_say(r, "MuJoCo's friction opposes sigma + R lambda. Against the velocity sigma it is off by %.1e, rad or "
               "share of the power: a part of the shift that the table charges it with in another "
               "column.", t[TABLE_MUJOCO].value[TICK_DISSIPATION]);
}

int ll_tab2(papers_run *r)
{
    FILE *csv = papers_csv(r, NULL);
    solver_ticks_bench *b;
    solver_ticks t[TABLE_ROWS];
    int i;

    if (!ll_needs_double(r)) return 1;
    b = csv ? solver_ticks_new("LL-tab2") : NULL;
    if (!b) return 0;
    fprintf(csv, "row,solver,paper,measured,signorini,coulomb,dissipation,shift,internal,robust,unsolved of 1000\n");
    for (i = 0; i < TABLE_ROWS; ++i) {
        slip_solver_options o;
        const slip_solver *solver = table_solver(&table_rows[i], &o);

        solver_ticks_measure(b, solver, &o, &t[i]);
        table_tell(r, csv, &table_rows[i], &t[i]);
        papers_progress(r, (i + 1.0)/(TABLE_ROWS + 2));
    }
    table_draw(r, t);
    table_explain(r, b, t);
    solver_ticks_free(b);
    return 1;
}
