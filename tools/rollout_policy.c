/* Policies of rollouts: no torques, random ones, or a small network read from a file (docs/rollout.md). See
 * rollout.h. */
#include "rollout.h"
#include "run_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* A walk over the words of a policy's text. */
typedef struct { const char *command, *file, *at; int line; } policy_text;

static int policy_fail(const policy_text *t, const char *what, const char *word, int length)
{
    cli_fail(t->command, "%s:%d: %s, found '%.*s'", t->file, t->line, what, length, word);
    return 0;
}

/* The next word, comments (#) left out; its length, 0 at the end. */
static int policy_word(policy_text *t, const char **word)
{
    int n = 0;

    for (;; ++t->at) {
        if (*t->at == '#') while (*t->at && *t->at != '\n') ++t->at;
        if (*t->at == '\n') ++t->line;
        if (!slip_is_blank(*t->at)) break;
    }
    *word = t->at;
    while (t->at[n] && !slip_is_blank(t->at[n]) && t->at[n] != '#') ++n;
    t->at += n;
    return n;
}

static int policy_int(policy_text *t, const char *what, int lo, int hi, int *x)
{
    const char *word;
    const int n = policy_word(t, &word);

    if (n > 0 && slip_read_int(word, n, x) == n && *x >= lo && *x <= hi) return 1;
    return policy_fail(t, what, word, n);
}

/* Which of the words in `all` comes next; -1, after a message. */
static int policy_choice(policy_text *t, const char *all)
{
    const char *word;
    const int n = policy_word(t, &word), i = n > 0 ? slip_text_word(all, word, n) : -1;
    char what[120];

    slip_format(what, (int)sizeof what, "expected one of: %s", all);
    if (i < 0) policy_fail(t, what, word, n);
    return i;
}

/* "INPUTS OUTPUTS ACTIVATION" and the numbers of a layer. */
static int policy_layer(policy_text *t, rollout_policy *p, int inputs)
{
    enum { MOST = 100000 };
    int n, i, activation, given, outputs;
    double *w;

    if (p->nlayers == ROLLOUT_MOST_LAYERS) return policy_fail(t, "more than 16 layers", "layer", 5);
    if (!policy_int(t, "expected the number of inputs of the layer", 1, MOST, &given)) return 0;
    if (given != inputs)
        return cli_fail(t->command, "%s:%d: layer %d has %d inputs, but there are %d (the first layer's are q and v of "
                        "the scene's model)", t->file, t->line, p->nlayers + 1, given, inputs), 0;
    if (!policy_int(t, "expected the number of outputs of the layer", 1, MOST, &outputs)) return 0;
    if ((activation = policy_choice(t, "linear tanh relu")) < 0) return 0;
    n = outputs*(inputs + 1);
    if (outputs > 100000000/(inputs + 1)) return policy_fail(t, "a layer of more than 1e8 numbers", "layer", 5);
    w = p->weights[p->nlayers] = (double *)cli_alloc((size_t)n*sizeof *w);
    p->inputs[p->nlayers] = inputs;
    p->outputs[p->nlayers] = outputs;
    p->activation[p->nlayers++] = (rollout_activation)activation;
    for (i = 0; i < n; ++i) {
        const char *word;
        const int length = policy_word(t, &word);

        if (length == 0 || slip_read_double(word, length, &w[i]) != length || !(fabs(w[i]) <= 1e9))
            return policy_fail(t, "expected a weight or bias from -1e9 to 1e9", word, length);
    }
    return 1;
}

static int policy_lines(policy_text *t, rollout *r)
{
    static const char words[] = "every output layer";
    const slip_model *m = r->session.scene.model;
    rollout_policy *p = &r->policy;
    const char *word;
    int n, ok = policy_word(t, &word) == 16 && strncmp(word, "slipstick-policy", 16) == 0, version;

    if (!ok) return policy_fail(t, "expected 'slipstick-policy 1' at the start", word, 20);
    if (!policy_int(t, "expected version 1", 1, 1, &version)) return 0;
    while (ok && (n = policy_word(t, &word)) > 0) {
        const int inputs = p->nlayers > 0 ? p->outputs[p->nlayers - 1] : m->nq + m->nv;

        switch (slip_text_word(words, word, n)) {
        case 0:  ok = policy_int(t, "expected a number of steps", 1, 1000000, &p->every);  break;
        case 1:  ok = (p->targets = policy_choice(t, "torque target")) >= 0;  break;
        case 2:  ok = policy_layer(t, p, inputs);  break;
        default: return policy_fail(t, "expected one of: every output layer", word, n);
        }
    }
    if (!ok) return 0;
    if (p->nlayers == 0) return policy_fail(t, "expected a layer before the end", "", 0);
    if (p->outputs[p->nlayers - 1] != p->noutputs)
        return cli_fail(t->command, "%s: the last layer has %d outputs, but %d joints can be driven (one freedom each, "
                        "effort limit above 0)", t->file, p->outputs[p->nlayers - 1], p->noutputs), 0;
    return 1;
}

/* The joints that a policy drives: of one freedom, following no other, with an effort. */
static void policy_joints(const slip_model *m, rollout_policy *p)
{
    int i;

    p->output = (int *)cli_alloc((size_t)(m->nv + 1)*sizeof *p->output);
    p->noutputs = 0;
    for (i = 0; i < m->njoints; ++i) {
        const slip_joint_place place = slip_model_place(m, i);

        if (place.nv != 1 || m->mimics[m->joint_body[i]] || !(m->effort_limit[place.iv] > 0)) continue;
        p->output[p->noutputs++] = place.iv;
    }
}

int rollout_policy_read(const char *command, const char *text, int every, rollout *r)
{
    const slip_model *m = r->session.scene.model;
    rollout_policy *p = &r->policy;
    size_t length;
    policy_text t;
    char *bytes;
    int i, ok, widest = m->nq + m->nv;

    p->kind = strcmp(text, "zero") == 0 ? ROLLOUT_ZERO : strcmp(text, "random") == 0 ? ROLLOUT_RANDOM : ROLLOUT_NETWORK;
    p->every = 1;
    policy_joints(m, p);
    if (p->kind == ROLLOUT_RANDOM && p->noutputs == 0)
        return cli_fail(command, "--policy random: the scene has no joint of one freedom that can be driven"), 0;
    if (p->kind == ROLLOUT_NETWORK) {
        if (!(bytes = cli_read_file(command, text, &length))) return 0;
        t.command = command;  t.file = text;  t.at = bytes;  t.line = 1;
        ok = policy_lines(&t, r);
        p->hash = log_hash(bytes, length);
        free(bytes);
        if (!ok) return 0;
        for (i = 0; i < p->nlayers; ++i) if (p->outputs[i] > widest) widest = p->outputs[i];
    }
    if (every > 0) p->every = every;
    p->from = (double *)cli_alloc((size_t)widest*sizeof *p->from);
    p->to = (double *)cli_alloc((size_t)widest*sizeof *p->to);
    p->start = (double *)cli_alloc((size_t)(m->nv + 1)*sizeof *p->start);
    return 1;
}

void rollout_policy_free(rollout_policy *p)
{
    int i;

    for (i = 0; i < p->nlayers; ++i) free(p->weights[i]);
    free(p->output);
    free(p->from);
    free(p->to);
    free(p->start);
}

/* ---- acting ----------------------------------------------------------------------------------------------------- */

/* Our own exponential, so that results do not depend on the C library. */
static double policy_activate(rollout_activation kind, double x)
{
    if (kind == ROLLOUT_RELU) return x > 0 ? x : 0;
    if (kind == ROLLOUT_TANH) return 1 - 2/((double)slip_exp((slip_real)(2*x)) + 1);
    return x;
}

/* The network's output for a state, in p->from. */
static void policy_network(rollout_policy *p, const slip_model *m, slip_world *world)
{
    int i, j, k;

    for (i = 0; i < m->nq; ++i) p->from[i] = (double)slip_world_q(world)[i];
    for (i = 0; i < m->nv; ++i) p->from[m->nq + i] = (double)slip_world_v(world)[i];
    for (k = 0; k < p->nlayers; ++k) {
        const int n = p->inputs[k];
        double *swap;

        for (i = 0; i < p->outputs[k]; ++i) {
            const double *w = p->weights[k] + (size_t)i*(size_t)n;
            double sum = p->weights[k][(size_t)p->outputs[k]*(size_t)n + (size_t)i];

            for (j = 0; j < n; ++j) sum += w[j]*p->from[j];
            p->to[i] = policy_activate(p->activation[k], sum);
        }
        swap = p->from;  p->from = p->to;  p->to = swap;
    }
}

void rollout_policy_begin(rollout *r, int run)
{
    rollout_policy *p = &r->policy;
    int i;

    p->rng = rollout_random(r, run, 1);
    p->step = 0;
    for (i = 0; i < r->session.scene.model->nv; ++i)
        p->start[i] = (double)slip_world_drive(r->session.world, i)->q_ref;
}

void rollout_policy_update(void *context, slip_world *world)
{
    rollout *r = (rollout *)context;
    rollout_policy *p = &r->policy;
    const slip_model *m = slip_world_model(world);
    int i;

    if (p->kind == ROLLOUT_ZERO || p->step++ % p->every != 0) return;
    if (p->kind == ROLLOUT_NETWORK) policy_network(p, m, world);
    for (i = 0; i < p->noutputs; ++i) {
        const int iv = p->output[i];
        const double limit = (double)m->effort_limit[iv], bound = slip_is_finite(m->effort_limit[iv]) ? limit : 1;

        if (p->kind == ROLLOUT_RANDOM)
            slip_world_tau(world)[iv] = slip_random_uniform(&p->rng, (slip_real)-bound, (slip_real)bound);
        else if (p->targets) slip_world_drive(world, iv)->q_ref = (slip_real)(p->start[iv] + p->from[i]);
        else slip_world_tau(world)[iv] = (slip_real)fmin(fmax(p->from[i], -limit), limit);
    }
}
