/* Taking from a budget. A NULL budget has no bound. */
#ifndef SLIP_BASE_BUDGET_OPS_H
#define SLIP_BASE_BUDGET_OPS_H

#include "base/budget.h"
#include "base/real.h"

/* With SLIP_NO_BUDGETS nothing is counted or refused, and compilers leave the code for it out. */
#ifdef SLIP_NO_BUDGETS
#define SLIP_HAS_BUDGETS 0
#else
#define SLIP_HAS_BUDGETS 1
#endif

/* Whether nothing is left; whether `units` iterations are, and the seconds that they take. */
static inline int slip_budget_is_empty(const slip_budget *b)
{
    return SLIP_HAS_BUDGETS && b && (b->left == 0 || (b->clock && b->clock(b->clock_context) >= b->until));
}

static inline int slip_budget_has(const slip_budget *b, long units, double seconds)
{
    return (b->left < 0 || b->left >= units) && (!b->clock || b->clock(b->clock_context) + seconds < b->until);
}

/* Takes an iteration at its price: 1, or 0 when there is none left. */
static inline int slip_budget_take(slip_budget *b)
{
    const long price = b && b->price > 1 ? b->price : 1;

    if (!SLIP_HAS_BUDGETS || !b) return 1;
    if (!slip_budget_has(b, price, b->ahead)) { b->refused = 1;  return 0; }
    if (b->left > 0) b->left -= price;
    b->taken += price;
    return 1;
}

/* Whether an iteration was refused. */
static inline int slip_budget_is_over(const slip_budget *b) { return SLIP_HAS_BUDGETS && b && b->refused; }

/* Counts iterations that cannot be refused. */
static inline void slip_budget_count(slip_budget *b, long iterations)
{
    if (!SLIP_HAS_BUDGETS || !b) return;
    if (b->left >= 0) b->left = b->left > iterations ? b->left - iterations : 0;
    b->taken += iterations;
}

/* A budget of its own with the share part/whole of what is left in b, iterations and time. b does not change until
 * slip_budget_give_back(), which takes from b what was used of the share; the rest stays in b. */
static inline slip_budget slip_budget_share(const slip_budget *b, long part, long whole)
{
    slip_budget s = *b;

    s.taken = s.refused = 0;
    s.price = 0;
    s.ahead = 0;
    if (part >= whole) return s;
    if (s.left > 0) s.left = s.left/whole*part + s.left%whole*part/whole;
    if (s.clock) {
        const double now = s.clock(s.clock_context);

        s.until = now + (double)((slip_real)(s.until - now)*(slip_real)part/(slip_real)whole);
    }
    return s;
}

/* Takes from *b what was taken from a share of it; a share that refused makes *b one that refused. */
static inline void slip_budget_give_back(slip_budget *b, const slip_budget *share)
{
    if (b->left >= 0) b->left -= share->taken < b->left ? share->taken : b->left;
    b->taken += share->taken;
    if (share->refused) b->refused = 1;
    b->pace = share->pace;
}

#endif
