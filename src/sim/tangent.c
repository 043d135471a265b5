/* Surfaces that yield along themselves: a spring k and a damper d side by side, in series with Coulomb's friction.
 *
 *   f_t = -k u - d u'        u the stretch [m], u' = c_t - sigma_t; sigma_t the velocity with which it slips
 *
 * With f_t = lambda_t/dt and u at the end of the step (implicit, stable for any k) this is the contact problem with
 *
 *   R_t = 1/(dt (dt k + d)),   g_t = c_t + k u/(dt k + d),   u+ = u + dt u' = (d u - lambda_t)/(dt k + d)
 *
 * u is remembered with the contact's impulse. Without a spring there is nothing to remember: R_t alone is a damper, the
 * regularised friction of soft models, under which everything creeps (LL Fig. 13, centre). */
#include "sim/world_private.h"

void slip_sim_tangent_rows(slip_world *w, const sim_contact *c, int k)
{
    const slip_real dt = w->opt.dt, stiff = dt*c->tangent_stiffness + c->tangent_damping;
    int i;

    for (i = 0; i < 2; ++i) {
        w->rows.R[3*k + i] = 1/(dt*stiff);
        w->rows.g[3*k + i] += c->tangent_stiffness*c->stretch[i]/stiff;
    }
    w->rows.compliant = 1;
}

void slip_sim_tangent_keep(const slip_world *w, const sim_contact *c, slip_real stretch[3])
{
    const slip_real stiff = w->opt.dt*c->tangent_stiffness + c->tangent_damping;
    slip_real u[3] = { 0, 0, 0 };
    int i;

    for (i = 0; i < 2; ++i) u[i] = (c->tangent_damping*c->stretch[i] - c->impulse[i])/stiff;
    slip_mat3_tvec(c->site.frame, u, stretch);
}

/* The stretch goes with the surfaces: into the plane of the new normal at its full length, and about that normal by the
 * mean of the two bodies' turns in the step before. */
void slip_sim_tangent_recall(const slip_world *w, sim_contact *c, const slip_real stretch[3])
{
    const slip_real *va = w->data->velocity + 6*c->site.body_a, *vb = w->data->velocity + 6*c->site.body_b;
    const slip_real *n = c->site.frame + 6;
    slip_real u[3], length, spin;

    slip_mat3_vec(c->site.frame, stretch, u);
    length = slip_norm2(u);
    if (!(length > 0)) return;
    length = slip_norm3(stretch)/length;
    spin = w->opt.dt*(slip_dot3(va + 3, n) + slip_dot3(vb + 3, n))/2;
    c->stretch[0] = length*(slip_cos(spin)*u[0] - slip_sin(spin)*u[1]);
    c->stretch[1] = length*(slip_sin(spin)*u[0] + slip_cos(spin)*u[1]);
}
