/* HW Tab. I: one sliding contact by bisection, golden section and the roots of a quartic. Shared by `bench table
 * HW-tab1` and the papers' experiments. */
#ifndef SLIP_TOOLS_HW_CONTACT_H
#define SLIP_TOOLS_HW_CONTACT_H

#include "cli.h"
#include "solvers/local.h"

/* A contact that slides: its own problem, velocity without its impulse, impulse of zero velocity, impulse of the step
 * before (zeros: none). */
typedef struct { slip_local k; slip_real b[3], x0[3], before[3]; } hw_contact;

enum { HW_METHODS = 4 };             /* the paper's three, and Newton's of ours */

typedef struct { const char *name, *solver; slip_slide_method *method; double printed_ns; } hw_method;
extern const hw_method hw_methods[HW_METHODS];

/* n contacts drawn at random: G = Y Y' + 0.1 I with Y normal, friction 0.3 to 1, a velocity into the ground. */
void hw_contacts_draw(int n, hw_contact *out);

/* Those contacts of a solved problem that slide, at most `room`; returns how many. lambda, sigma: the solution; before:
 * the impulses of the step before, NULL when it had other contacts. */
int hw_contacts_of(const slip_problem *p, const slip_real *lambda, const slip_real *sigma, const slip_real *before,
                   hw_contact *out, int room);

/* Best nanoseconds of a contact, of `rounds` rounds over all n. gamma: HW's threshold [N s]. */
double hw_contact_time(const hw_contact *contacts, int n, slip_slide_method *method, double gamma, int rounds);

/* How the bisection of HW Alg. 1 searches: its first step beta1 [rad], for which HW names no value, and whether it
 * begins at the angle of the last step's impulse (where that can be seen) instead of at the zero-velocity one's. */
typedef struct { double beta1; int from_before; } hw_search;

extern const hw_search hw_usual_search;      /* that of the solvers: 0.1, 0 */

/* The time of that search, as above. */
double hw_search_time(const hw_contact *contacts, int n, const hw_search *search, double gamma, int rounds);

/* Points of the cone's section at which a method computes a gradient (HW Alg. 1: a sine, a cosine and a division each)
 * or an energy (golden section), over the contacts: the search repeated with a counter. */
typedef struct { double mean, few; } hw_points;      /* few: share of the contacts with at most 4 points */
hw_points hw_search_points(const hw_contact *contacts, int n, const hw_search *search, double gamma);
double hw_golden_points(const hw_contact *contacts, int n, double gamma);

#endif
