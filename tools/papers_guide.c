/* The guide at the top of the report on the papers: what each contact model and each kind of method gives up, for
 * readers who do not know the papers, and where each of their figures is, for those who do. */
#include "papers_run.h"

#include <string.h>

typedef struct { const char *name, *asks, *gives_up, *seen; } guide_model;

static const guide_model guide_models[] = {
    { "NCP, the nonlinear complementarity problem", "Bodies only push each other and only where they touch (Signorini)"
      "; friction stays within its cone (Coulomb) and opposes sliding as strongly as it can (maximum dissipation).",
      "No physics of rigid contact. It is not convex: no method is proved to converge on all problems.",
      "LL-tab2 LL-fig10 CR-fig4" },
    { "CCP, the cone complementarity problem", "The same, but contact velocities lie in the dual of the friction cone. "
      "The problem is convex, so that it can always be solved.",
      "Signorini's law while sliding: a body that slides also moves apart, at friction times its speed. A cube hops.",
      "LL-fig10 LL-tab3 CR-fig8" },
    { "LCP, the linear complementarity problem", "The cone of friction is replaced by a pyramid, so that all "
      "conditions are linear.",
      "Equal friction in all directions: it is stronger towards the corners of the pyramid and turns sliding bodies "
      "aside.", "LL-fig9 real-tosses" },
    { "RaiSim's model", "Each contact keeps to Signorini's law and Coulomb's cone, and minimises its own kinetic "
      "energy on the plane of zero normal velocity.",
      "Maximum dissipation: friction need not point against the sliding, and too little energy is lost.",
      "LL-fig10 HW-fig6 HW-impact" },
    { "Todorov's barrier model", "Contacts act already at a distance, through smooth barriers; the problem is convex, "
      "and forces follow from motions by a formula.", "Rigid contact: bodies push each other before they touch.",
      "TO-fig3 TO-inv" },
    { "Compliance and regularisation (R > 0; MuJoCo, Drake)", "A contact gives way in proportion to its force, so that "
      "forces are unique.", "Exact sticking: under a steady push a body creeps.", "LL-fig13 CR-fig2 LL-tab2" },
    { "Sweeps: PGS, Gauss-Seidel, bisection", "Take one contact at a time, again and again. A sweep is cheap and gains "
      "from a good start.", "Accuracy where heavy bodies rest on light ones, and bodies at rest are stretched by "
      "forces that cancel each other.", "LL-fig11 LL-fig12 CR-fig7" },
    { "ADMM, staggered projections, Newton", "Take all contacts together with a factorisation of their matrix.",
      "Time on easy problems: a factorisation costs more than a few sweeps.", "LL-fig16 CR-fig5 CR-tab3" } };

/* ids: of the experiments that show it, separated by blanks; "": none, the note says why. */
typedef struct { const char *paper, *what, *ids, *note; } guide_figure;

static const guide_figure guide_figures[] = {
    { "LL", "Fig. 1 to 8, Tab. I", "", "drawings, and the engines with their models: 'slipstick solvers' lists them" },
    { "LL", "Tab. II", "LL-tab2", "" },
    { "LL", "Fig. 9", "LL-fig9", "" },
    { "LL", "Fig. 10", "LL-fig10", "" },
    { "LL", "Fig. 11", "LL-fig11", "" },
    { "LL", "Fig. 12", "LL-fig12", "" },
    { "LL", "Fig. 13", "LL-fig13", "" },
    { "LL", "Tab. III, Fig. 14", "LL-tab3", "" },
    { "LL", "Tab. IV, Fig. 15", "LL-tab4", "" },
    { "LL", "Fig. 16", "LL-fig16", "" },
    { "LL", "Fig. 17", "LL-fig17", "" },
    { "LL", "Fig. 18", "LL-fig18", "" },
    { "CR", "Fig. 1 and 4", "CR-fig4", "" },
    { "CR", "Fig. 2", "CR-fig2", "" },
    { "CR", "Fig. 3, Tab. I", "", "pictures of the robots of Fig. 5; engines with their models" },
    { "CR", "Fig. 5", "CR-fig5", "" },
    { "CR", "Fig. 6", "CR-fig6", "" },
    { "CR", "Fig. 7, Tab. II", "CR-fig7", "" },
    { "CR", "Tab. III and IV", "CR-tab3", "" },
    { "CR", "Fig. 8", "CR-fig8", "" },
    { "CR", "ABA in 4 us (text)", "CR-aba", "" },
    { "TO", "Fig. 1", "TO-fig1", "" },
    { "TO", "Fig. 2", "", "pictures of the two systems" },
    { "TO", "Fig. 3", "TO-fig3", "" },
    { "TO", "Fig. 4, Tab. 1", "TO-fig4+tab1", "" },
    { "TO", "forward and inverse (text)", "TO-inv", "" },
    { "TO", "gait, interaction (text)", "TO-gait TO-hand", "" },
    { "HW", "Fig. 1 to 3", "", "drawings of the method and of the robot" },
    { "HW", "Tab. I", "HW-tab1", "" },
    { "HW", "Tab. II, Fig. 4 and 5", "HW-tab2+fig4+fig5", "" },
    { "HW", "Fig. 6", "HW-fig6", "" },
    { "HW", "Fig. 7", "HW-fig7", "" },
    { "HW", "impacts, 50 Hz, 20 us (text)", "HW-impact HW-50hz", "" } };

static int guide_is_here(const papers_run *runs, int n, const char *id)
{
    int i;

    for (i = 0; i < n; ++i) if (strcmp(runs[i].e->id, id) == 0) return 1;
    return 0;
}

/* The experiments, as links where they are in this report. */
static void guide_links(slip_stream *out, const papers_run *runs, int n, const char *ids)
{
    while (*ids) {
        const size_t length = strcspn(ids, " ");
        char id[64];

        snprintf(id, sizeof id, "%.*s", (int)length, ids);
        if (guide_is_here(runs, n, id)) slip_put_format(out, "<a href=\"#%s\">%s</a>", id, id);
        else slip_put_text(out, id);
        ids += length + strspn(ids + length, " ");
        if (*ids) slip_put_text(out, ", ");
    }
}

void papers_guide_models(slip_stream *out, const papers_run *runs, int n)
{
    size_t i;

    slip_put_text(out, "<h2 id=\"models\">What each model gives up</h2>\n<p>All of them are posed on the same contact "
                       "problem: given masses and velocities, find the impulses of all contacts of a time step. The "
                       "first six rows are models, that is, what is asked of the impulses; the last two are ways to "
                       "find them.</p>\n<div class=\"scroll\"><table class=\"stack\"><thead><tr><th>model or "
                       "method</th><th>what it asks</th><th>what it gives up</th><th>seen in</th></tr></thead>\n");
    for (i = 0; i < sizeof guide_models/sizeof *guide_models; ++i) {
        const guide_model *m = &guide_models[i];

        slip_put_text(out, "<tr><td><strong>");
        slip_put_xml(out, m->name);
        slip_put_text(out, "</strong></td><td>");
        slip_put_xml(out, m->asks);
        slip_put_text(out, "</td><td>");
        slip_put_xml(out, m->gives_up);
        slip_put_text(out, "</td><td>");
        guide_links(out, runs, n, m->seen);
        slip_put_text(out, "</td></tr>\n");
    }
    slip_put_text(out, "</table></div>\n");
}

void papers_guide_figures(slip_stream *out, const papers_run *runs, int n)
{
    size_t i;

    slip_put_text(out, "<h2 id=\"figures\">Where each figure is</h2>\n<div class=\"scroll\"><table><thead><tr>"
                       "<th>paper</th><th>figure or table</th><th>here</th></tr></thead>\n");
    for (i = 0; i < sizeof guide_figures/sizeof *guide_figures; ++i) {
        const guide_figure *g = &guide_figures[i];

        slip_put_format(out, "<tr><td>%s</td><td>%s</td><td>", g->paper, g->what);
        guide_links(out, runs, n, g->ids);
        slip_put_xml(out, g->note);
        slip_put_text(out, "</td></tr>\n");
    }
    slip_put_text(out, "</table></div>\n");
}
