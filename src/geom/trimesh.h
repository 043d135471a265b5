/* Triangle meshes: data, checks, mass properties. */
#ifndef SLIP_GEOM_TRIMESH_H
#define SLIP_GEOM_TRIMESH_H

#include "geom/mass.h"

typedef struct slip_trimesh {
    int nv, nt;
    slip_real *vertex;       /* 3 nv [m]                                                           */
    int *triangle;           /* 3 nt vertex indices, anticlockwise from outside                    */
} slip_trimesh;

/* The result of a check. An edge is right when exactly two triangles use it, in opposite directions. */
typedef struct {
    int closed;              /* all edges right and at least four triangles                        */
    int open_edges;          /* used by one triangle only                                          */
    int crowded_edges;       /* used by three triangles or more                                    */
    int twisted_edges;       /* used by two triangles in the same direction: windings disagree     */
    int empty_triangles;     /* without area: corners repeated or collinear to rounding            */
    int concave_edges;       /* right edges that bend inwards by more than the tolerance           */
    int unused_vertices;
    int inside_out;          /* the volume inside is negative: windings are clockwise throughout   */
    int components;          /* parts not joined by an edge                                        */
    slip_real area;          /* of all triangles [m^2]                                             */
    slip_real lo[3], hi[3];  /* bounds of the used vertices [m]                                    */
} slip_trimesh_facts;

/* Examines a mesh; indices must be in range. tolerance [m]: an edge is concave when a neighbour's corner
 * stands out by more. SLIP_ERR_WORKSPACE when the arena (scratch end only, given back) has less than
 * slip_trimesh_check_bytes(); O(nt log(most triangles round a vertex)). */
slip_status slip_trimesh_check(const slip_trimesh *mesh, slip_real tolerance, slip_arena *arena,
                               slip_trimesh_facts *report);
size_t      slip_trimesh_check_bytes(int nv, int nt);

/* Mass properties of the solid inside a closed mesh. The result for an open mesh is meaningless: check first. Returns
 * as slip_mass_from_sums(). */
slip_status slip_trimesh_mass(const slip_trimesh *mesh, slip_real density, slip_mass *mass);

/* Scales along the axes, in place. A scale that mirrors (negative product) flips the windings, so that
 * outside stays outside. */
void slip_trimesh_scale(const slip_real scale[3], slip_trimesh *mesh);

#endif
