/* Shared by the files of the MJCF reader. It walks the text several times: to count, to collect what has no place of
 * its own (classes of defaults, the compiler's settings, assets), and to read bodies and what refers to them. */
#ifndef SLIP_IO_MJCF_PRIVATE_H
#define SLIP_IO_MJCF_PRIVATE_H

#include "geom/heightfield.h"
#include "geom/mass.h"
#include "geom/trimesh.h"
#include "io/mjcf.h"
#include "io/urdf_private.h"
#include "rbd/convert.h"

enum { MJCF_DEPTH = SLIP_XML_MAX_DEPTH, MJCF_NOTES = 64, MJCF_EULER = 4 };

/* One attribute of a class of defaults. */
typedef struct { int of; slip_xml_slice tag, name, value; } mjcf_default;

/* A class of defaults; 0 is the one at the top. */
typedef struct { slip_xml_slice name; int parent; } mjcf_class;

/* How a mesh gives mass: MuJoCo's first way, where tetrahedra never count as negative; the exact one; its hull's. */
enum { MJCF_LEGACY, MJCF_EXACT, MJCF_CONVEX };

/* A mesh from a file, or from numbers (path NULL): vertices, and triangles or none. */
typedef struct {
    const char *name, *path;
    slip_real scale[3];
    slip_trimesh numbers;
    int inertia, line;
} mjcf_mesh;

/* A height field; where there is none, `why` tells the reason. */
typedef struct { const char *name, *why; slip_heightfield *field; int line; } mjcf_hfield;

/* What a geom says about collision beside its shape. */
typedef struct { const char *name; unsigned contype, conaffinity; int sort; } mjcf_geom_bits;

enum { MJCF_TENDON_JOINTS = 8 };
typedef struct { const char *name; int n, joint[MJCF_TENDON_JOINTS]; slip_real coef[MJCF_TENDON_JOINTS]; } mjcf_tendon;

/* What is not understood: said once for each sort. */
typedef struct { char what[64]; int line, times; } mjcf_note;

typedef struct {
    int degrees;                         /* angles are in degrees                                      */
    char euler[MJCF_EULER];              /* sequence; capitals turn about fixed axes                   */
    int autolimits, from_geoms;          /* from_geoms: 0 never, 1 always, 2 where there is no inertial */
    slip_real bound_mass, bound_inertia;
    slip_real density;                   /* kg/m^3 where no geom says another                          */
    slip_real total_mass;                /* of all bodies [kg]; 0: as they are                         */
    slip_real groups[2];                 /* geoms of these give mass                                   */
    int balance, exact;                  /* inertias that no body has become balls'; of meshes         */
    const char *mesh_dir, *asset_dir;
    int strip_path;                      /* files are named without their directories                  */
} mjcf_compiler;

/* A body that is being read, or a frame within one. */
typedef struct {
    int link, class_of;                  /* its link; the class of its children                        */
    int has_inertial;
    slip_mass mass;                      /* of its geoms                                               */
    int owner;                           /* itself; of a frame the body, or 0, that it is in           */
    slip_pose frame;                     /* of a frame, in its body                                    */
} mjcf_body;

/* From `at` on, the text is of a file (NULL: the model's): the place there, and in the whole text. */
enum { MJCF_PARTS = 256 };
typedef struct { int line, column; } mjcf_place;
typedef struct { size_t at; const char *file; mjcf_place own, whole; } mjcf_part;
typedef struct { mjcf_part part[MJCF_PARTS]; int n; } mjcf_parts;

typedef struct {
    slip_urdf_reader u;                  /* first: its messages                                        */
    slip_arena *mem;
    mjcf_compiler compiler;
    mjcf_default *defaults;
    mjcf_class *classes;
    mjcf_mesh *meshes;
    mjcf_hfield *hfields;
    mjcf_geom_bits *bits;                /* of each shape                                              */
    int (*pairs)[2];                     /* of shapes that collide whatever their bits say             */
    mjcf_tendon *tendons;
    int ndefaults, nclasses, nmeshes, nhfields, npairs, ntendons;
    int rooms[4];                        /* of links, joints, shapes, extras                           */
    mjcf_body body[MJCF_DEPTH];
    int depth;                           /* open bodies; 0: the world's                                */
    int class_of;                        /* of the element at hand                                     */
    const char *tag;                     /* whose defaults are looked up                               */
    int unnamed;                         /* names made up so far                                       */
    slip_real *ref;                      /* of each joint: its value where ours is 0                   */
    mjcf_note notes[MJCF_NOTES];
    int nnotes, has_key;
    int is_weightless;                   /* <flag gravity="disable"/>                                  */
    int is_partial;                      /* something that makes bodies is not understood              */
    mjcf_parts parts;
    slip_report report, *outer;          /* warnings are placed, then passed on                        */
} mjcf_reader;

/* ---- mjcf_attribute.c: attributes, from the element or its class ------------------------------- */

/* The class of an element with `class`, or the open body's. SLIP_ERR_MODEL: no such class. */
slip_status slip_mjcf_class(mjcf_reader *r, const char *tag);
slip_status slip_mjcf_find_class(mjcf_reader *r, const slip_xml_attribute *name, int *found);
int  slip_mjcf_text(mjcf_reader *r, const char *name, slip_xml_slice *value);     /* 0: not given */
int  slip_mjcf_is(mjcf_reader *r, const char *name, const char *word);            /* given and equal */
/* Up to n numbers; *count (may be NULL: then n are needed) tells how many, x keeps its values without the attribute. */
slip_status slip_mjcf_reals(mjcf_reader *r, const char *name, int n, slip_real *x, int *count);
slip_status slip_mjcf_angle(mjcf_reader *r, const char *name, int n, slip_real *x, int *count);   /* in rad */
const char *slip_mjcf_copy(mjcf_reader *r, slip_xml_slice value);                 /* NULL when the arena is full */
const char *slip_mjcf_name(mjcf_reader *r, const char *kind);                     /* given or made up */
/* All numbers of a list, from the arena, of NULL without it; SLIP_ERR_PARSE: text that is none. */
slip_status slip_mjcf_list(mjcf_reader *r, const char *name, slip_real **x, int *n);
/* pos and one of quat, axisangle, euler, xyaxes, zaxis, in the body that is open, or in its frame's. */
slip_status slip_mjcf_pose(mjcf_reader *r, slip_pose *X);
slip_status slip_mjcf_turn(mjcf_reader *r, slip_real R[9], int *found);

/* Notes attributes that were not read, and elements that have no meaning here. */
void slip_mjcf_unread(mjcf_reader *r);
void slip_mjcf_note(mjcf_reader *r, const char *element, slip_xml_slice attribute);

/* ---- mjcf_include.c: the text with all <include>s replaced; in scratch where there are any ------ */

slip_status slip_mjcf_include(const char *file, slip_arena *mem, const char **text, size_t *length, mjcf_parts *parts,
                              slip_error *err);
/* The file and line of a line of the whole text; what is of an included file gets its name. */
void slip_mjcf_place(const mjcf_parts *parts, slip_error *err);

/* ---- mjcf_asset.c ------------------------------------------------------------------------------ */
slip_status slip_mjcf_mesh(mjcf_reader *r);
slip_status slip_mjcf_hfield(mjcf_reader *r);
/* Mass properties of a mesh of one density; 0 with a warning for one that cannot be read. */
slip_status slip_mjcf_mesh_mass(mjcf_reader *r, const mjcf_mesh *m, slip_real density, slip_mass *mass);

/* ---- mjcf_collide.c: contype, conaffinity and <pair>, as groups and masks of shapes -------------- */
slip_status slip_mjcf_pair(mjcf_reader *r);
void slip_mjcf_sort(mjcf_reader *r);

/* ---- mjcf_tendon.c: <fixed> tendons, as far as joints alone can do what they do ------------------ */
slip_status slip_mjcf_tendon(mjcf_reader *r);
const mjcf_tendon *slip_mjcf_find_tendon(const mjcf_reader *r, slip_xml_slice name);
slip_status slip_mjcf_tendon_equality(mjcf_reader *r);
/* The one joint that moves a tendon, mimics considered, and the tendon's length by it; -1 when there is none. */
int slip_mjcf_tendon_joint(const mjcf_reader *r, const mjcf_tendon *t, slip_real *coef);

/* ---- mjcf_body.c ------------------------------------------------------------------------------- */
slip_status slip_mjcf_body(mjcf_reader *r);                              /* <body>: opens it */
slip_status slip_mjcf_frame(mjcf_reader *r);                             /* <frame>: likewise */
slip_status slip_mjcf_body_end(mjcf_reader *r);
void slip_mjcf_total_mass(mjcf_reader *r);
slip_status slip_mjcf_joint(mjcf_reader *r, int is_free);
slip_status slip_mjcf_inertial(mjcf_reader *r);
slip_status slip_mjcf_site(mjcf_reader *r);
int  slip_mjcf_link(mjcf_reader *r, const char *name, int parent, const slip_pose *at);   /* on a fixed joint */

/* ---- mjcf_geom.c ------------------------------------------------------------------------------- */
slip_status slip_mjcf_geom(mjcf_reader *r);

/* ---- mjcf_rest.c: joints (-1: none) and links (-1: the world, -2: none) by name; actuators, equalities, excluded
 * pairs, keyframes --------------------------------------------------------------------------------- */
int  slip_mjcf_find_joint(const mjcf_reader *r, slip_xml_slice name);
int  slip_mjcf_find_link(const mjcf_reader *r, slip_xml_slice name);
slip_status slip_mjcf_actuator(mjcf_reader *r);
slip_status slip_mjcf_equality(mjcf_reader *r);
slip_status slip_mjcf_exclude(mjcf_reader *r);
slip_status slip_mjcf_key(mjcf_reader *r);

#endif
