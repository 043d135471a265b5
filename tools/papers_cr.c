/* The experiments of CR: the list. See papers.h. */
#include "papers_cr.h"

static const papers_experiment cr_list[] = {
    { "CR-fig4", "residuals against iterations: a wall hit by a ball, a humanoid that falls (Fig. 1 and 4)",
      "On a wall of cubes of 1 kg to 10 t hit by a ball of 1 t, and on a falling humanoid of 36 freedoms, PGS loops "
      "and ADMM reaches 1e-9; the spectral rule for rho converges faster than the linear one.",
      "Contact problems of both scenes at steps of 1 ms, all contacts of a step in one problem, solved from zero to an "
      "absolute 1e-9 within 5000 iterations, with eta = 1e-6 1/kg and tau = 2, p = 0.05. Drawn: the wall before the "
      "ball comes, and of both scenes the problem with the fastest approach.",
      "ncp-admm ncp-pgs default", 6, 2, cr_fig4 },
    { "CR-fig2", "one solver from rigid to soft contacts",
      "The ADMM solver handles purely rigid (R = 0) and compliant contacts alike.",
      "Three slabs of 1 kg on each other slide ahead at 1 m/s and come to rest, with springs of 1 kN/m to 100 MN/m a "
      "point and dampers of 20 ms times that, and rigid; 2 s at 1 ms, friction 0.5, tolerance 1e-6. CR shows pictures "
      "only; what is checked is that the depth at rest is proportional to R and that R = 0 is its limit.",
      "ncp-admm ncp-pgs default", 1, 1, cr_fig2 },
    { "CR-fig5", "time of a solve in four scenes",
      "To an absolute 1e-4, or until 1000 iterations, ADMM performs consistently well on all scenes compared to PGS "
      "and SCS, even where these solve the relaxed CCP; the gap to PGS is large on the stack, the humanoid and the "
      "hand.",
      "Wall, falling humanoid, hand that closes on three cubes, quadruped that trots up 20 degrees (the "
      "MPC of LL-fig17 in place of CR's), 1 ms. Problems evenly spaced along one trajectory of each, the same for all "
      "solvers, solved from zero and, as a variation, from the last step's impulses; each by its own model.",
      "ncp-admm ncp-pgs ccp-pgs ccp-scs default", 16, 2, cr_fig5 },
    { "CR-fig6", "steps per second of three limp robots",
      "A simulation loop with the ADMM solver has competitive step rates on a UR5, on Cassie and on MuJoCo's simple "
      "humanoid.",
      "The three robots fall or lie for 2 s at 1 ms, without actuation, limits and damping, tolerance 1e-4, at most "
      "1000 iterations. Processor time of whole steps, the best of three runs.",
      "ncp-admm ccp-newton ncp-pgs default", 7, 3, cr_fig6 },
    { "CR-fig7", "performance profiles on families of problems (Fig. 7 and Tab. II)",
      "On BoxesStack, Chain and Capsules ADMM outperforms PGS; on BoxesStack and Capsules PGS does not converge to "
      "1e-6 within 20 000 iterations.",
      "FCLIB's problems where they are at hand, and generated ones of the same kinds and sizes, solved from zero to an "
      "absolute 1e-6 within 20 000 iterations. A profile shows the share of problems solved within tau times the time "
      "of the fastest.",
      "ncp-admm ncp-pgs ncp-gs default", 90, 4, cr_fig7 },
    { "CR-tab3", "rules for rho: updates of the factorisation and time (Tab. III and IV)",
      "The spectral rule needs fewer updates of the Cholesky factorisation than the linear one, about a dozen on "
      "average, is less sensitive to the family, and is faster.",
      "The problems of CR-fig7, solved from zero by ncp-admm to an absolute 1e-6 within 20 000 iterations, linear with "
      "tau = 2, 4, 8, 16 and spectral with p = 0.01, 0.05, 0.08, all from the same first rho. Updates are "
      "factorisations after the first.",
      "ncp-admm", 170, 5, cr_tab3 },
    { "CR-fig8", "inverse dynamics of an arm that slides along a wall",
      "With the NCP, Alg. 2 needs one iteration for 1e-6 at rho = 1e-8, and its forces agree with those of the forward "
      "dynamics; with the CCP the torques diverge, since no force explains sliding.",
      "A UR5-like arm wipes a rigid wall in circles of 10 cm, friction 0.3, 2 s at 1 ms, and shall press with 20 N. "
      "Torques by id-prox, then one step of forward dynamics under them by ncp-admm; at one row the lines of Alg. 2 as "
      "printed.",
      "id-prox ncp-admm", 1, 1, cr_fig8 },
    { "CR-aba", "forward dynamics of a humanoid of 36 freedoms",
      "ABA of a humanoid of 36 freedoms takes less than 4 us.",
      "The humanoid of 37 freedoms with its last joint welded, and four smaller robots; best of many batches over 64 "
      "random states, one core.", "", 1, 1, cr_aba },
};

const papers_family papers_cr = {
    "CR", "J. Carpentier, Q. Le Lidec, L. Montaut: From Compliant to Rigid Contact Simulation: a Unified and Efficient "
    "Approach. RSS 2024", cr_list, (int)(sizeof cr_list/sizeof *cr_list), "paper"
};
