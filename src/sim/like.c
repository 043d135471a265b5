/* `--like ENGINE` for a world: what an engine does with a contact beyond its solver. Numbers are the engines' own
 * defaults; docs/engines.md has the source of each and what has no counterpart here. */
#include "sim/world_private.h"
#include "solvers/frame.h"
#include "solvers/solvers.h"

#include <math.h>
#include <string.h>

#define LIKE_ANY ((slip_real)INFINITY)           /* overlaps are worked off at any speed */

/* One engine. law, overlap: see slip_contact_law; its other parameters are the law's defaults, which are those of the
 * engines that have these laws. */
static const struct {
    const char *name;
    slip_law_kind law;
    int overlap, warm_start;
    slip_real erp, max_push, slop;
    slip_real cfm, cfm_share, warm_share;
} like_engines[] = {
    { "ode", SLIP_LAW_CFM, 1, 0, SLIP_R(0.2), LIKE_ANY, 0, SLIP_TOL(1e-10, 1e-5), 0, 1 },
    { "bullet", SLIP_LAW_CFM, 0, 1, SLIP_R(0.2), LIKE_ANY, 0, 0, 0, SLIP_R(0.85) },
    { "physx", SLIP_LAW_CFM, 0, 0, SLIP_R(0.8), LIKE_ANY, 0, 0, 0, 1 },
    { "dart", SLIP_LAW_CFM, 1, 0, SLIP_R(0.01), SLIP_R(1e-3), 0, 0, SLIP_R(1e-5), 1 },
    { "mujoco", SLIP_LAW_REFERENCE, 1, 1, SLIP_R(0.5), LIKE_ANY, 0, 0, 0, 1 },
    { "drake", SLIP_LAW_RELAXATION, 1, 1, SLIP_R(0.5), LIKE_ANY, 0, 0, 0, 1 },
    { "raisim", SLIP_LAW_CFM, 1, 1, SLIP_R(0.3), LIKE_ANY, 0, 0, 0, 1 },
    { "dojo", SLIP_LAW_CFM, 0, 1, 1, LIKE_ANY, 0, 0, 0, 1 },
    { "simple", SLIP_LAW_CFM, 1, 1, 0, LIKE_ANY, 0, 0, 0, 1 },
    { "chrono", SLIP_LAW_CFM, 0, 0, 1, SLIP_R(0.6), 0, 0, 0, 1 },
};

int slip_world_like(const char *engine, slip_world_options *o)
{
    const slip_solver *solver = slip_solver_like(engine, &o->solve);
    size_t i;

    if (!solver) return 0;
    o->solver = solver;
    o->integrator = SLIP_EULER;
    slip_world_equal_terms(o);
    o->law = slip_contact_law_defaults();
    for (i = 0; i < sizeof like_engines/sizeof *like_engines; ++i) {
        if (strcmp(engine, like_engines[i].name) != 0) continue;
        o->law.kind = like_engines[i].law;
        o->law.overlap = like_engines[i].overlap;
        o->law.cfm = like_engines[i].cfm;
        o->law.cfm_share = like_engines[i].cfm_share;
        o->erp = like_engines[i].erp;
        o->max_push = like_engines[i].max_push;
        o->slop = like_engines[i].slop;
        o->warm_start = like_engines[i].warm_start;
        o->warm_share = like_engines[i].warm_share;
    }
    if (slip_sim_law_replaces_rows(o->law.kind)) o->solve.regularization = 0;  /* the law has it, contact by contact */
    return 1;
}
