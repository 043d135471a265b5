/* Taking from a budget. A NULL budget has no bound. */
#ifndef SLIP_BASE_BUDGET_OPS_H
#define SLIP_BASE_BUDGET_OPS_H

#include "base/budget.h"
#include "base/real.h"

/* Whether nothing is left. */
static inline int slip_budget_is_empty(const slip_budget *b)
{
    return b && (b->left == 0 || (b->clock && b->clock(b->clock_context) >= b->until));
}

/* Takes an iteration: 1, or 0 when there is none left. */
static inline int slip_budget_take(slip_budget *b)
{
    if (!b) return 1;
    if (slip_budget_is_empty(b)) { b->refused = 1;  return 0; }
    if (b->left > 0) --b->left;
    ++b->taken;
    return 1;
}

/* Whether an iteration was refused. */
static inline int slip_budget_is_over(const slip_budget *b) { return b && b->refused; }

/* Counts iterations that cannot be refused. */
static inline void slip_budget_count(slip_budget *b, int iterations)
{
    if (!b) return;
    if (b->left >= 0) b->left = b->left > iterations ? b->left - iterations : 0;
    b->taken += iterations;
}

/* A budget of its own with the share part/whole of what is left in b, iterations and time. b does not change until
 * slip_budget_give_back(), which takes from b what was used of the share; the rest stays in b. */
static inline slip_budget slip_budget_share(const slip_budget *b, long part, long whole)
{
    slip_budget s = *b;

    s.taken = s.refused = 0;
    if (part >= whole) return s;
    if (s.left > 0) s.left = s.left/whole*part + s.left%whole*part/whole;
    if (s.clock) {
        const double now = s.clock(s.clock_context);

        s.until = now + (double)((slip_real)(s.until - now)*(slip_real)part/(slip_real)whole);
    }
    return s;
}

static inline void slip_budget_give_back(slip_budget *b, const slip_budget *share)
{
    if (b->left >= 0) b->left -= share->taken < b->left ? share->taken : b->left;
    b->taken += share->taken;
    if (share->refused) b->refused = 1;
}

#endif
