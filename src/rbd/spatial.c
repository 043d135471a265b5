/* Conversions of rigid inertias; the inline kernels are in spatial.h. */
#include "rbd/spatial.h"

void slip_inertia_from(slip_real m, const slip_real c[3], const slip_real Ic[6], slip_real out[10])
{
    slip_real at_c[10] = { 0 };
    int i;

    at_c[0] = m;
    for (i = 0; i < 6; ++i) at_c[4 + i] = Ic[i];
    for (i = 0; i < 10; ++i) out[i] = 0;
    slip_inertia_add_shifted(at_c, c, out);
}

void slip_inertia_to(const slip_real in[10], slip_real *m, slip_real c[3], slip_real Ic[6])
{
    slip_real to_c[3], at_c[10] = { 0 };
    int i;

    *m = in[0];
    if (!(in[0] > 0)) {
        slip_zero3(c);
        for (i = 0; i < 6; ++i) Ic[i] = in[4 + i];
        return;
    }
    slip_scale3(1/in[0], in + 1, c);
    slip_neg3(c, to_c);                                  /* the origin seen from the centre */
    slip_inertia_add_shifted(in, to_c, at_c);
    for (i = 0; i < 6; ++i) Ic[i] = at_c[4 + i];
}
