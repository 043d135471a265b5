/* Shared by the files of the MJCF reader. It walks the text several times: to count, to collect what has no place of
 * its own (classes of defaults, the compiler's settings, assets), and to read bodies and what refers to them. */
#ifndef SLIP_IO_MJCF_PRIVATE_H
#define SLIP_IO_MJCF_PRIVATE_H

#include "geom/mass.h"
#include "io/mjcf.h"
#include "io/urdf_private.h"
#include "rbd/convert.h"

enum { MJCF_DEPTH = SLIP_XML_MAX_DEPTH, MJCF_NOTES = 64, MJCF_EULER = 4 };

/* One attribute of a class of defaults. */
typedef struct { int of; slip_xml_slice tag, name, value; } mjcf_default;

/* A class of defaults; 0 is the one at the top. */
typedef struct { slip_xml_slice name; int parent; } mjcf_class;

typedef struct { const char *name, *path; slip_real scale[3]; int line; } mjcf_mesh;

/* What is not understood: said once for each sort. */
typedef struct { char what[64]; int line, times; } mjcf_note;

typedef struct {
    int degrees;                         /* angles are in degrees                                      */
    char euler[MJCF_EULER];              /* sequence; capitals turn about fixed axes                   */
    int autolimits, from_geoms;          /* from_geoms: 0 never, 1 always, 2 where there is no inertial */
    slip_real bound_mass, bound_inertia;
    slip_real density;                   /* kg/m^3 where no geom says another                          */
    const char *mesh_dir;
} mjcf_compiler;

/* A body that is being read. */
typedef struct {
    int link, class_of;                  /* its link; the class of its children                        */
    int has_inertial, has_geom_mass;
    slip_mass mass;                      /* of its geoms                                               */
    int is_skipped;
} mjcf_body;

typedef struct {
    slip_urdf_reader u;                  /* first: its messages                                        */
    slip_arena *mem;
    mjcf_compiler compiler;
    mjcf_default *defaults;
    mjcf_class *classes;
    mjcf_mesh *meshes;
    int ndefaults, nclasses, nmeshes;
    int rooms[4];                        /* of links, joints, shapes, extras                           */
    mjcf_body body[MJCF_DEPTH];
    int depth;                           /* open bodies; 0: the world's                                */
    int class_of;                        /* of the element at hand                                     */
    const char *tag;                     /* whose defaults are looked up                               */
    int unnamed;                         /* names made up so far                                       */
    slip_real *ref;                      /* of each joint: its value where ours is 0                   */
    mjcf_note notes[MJCF_NOTES];
    int nnotes, has_key;
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
/* pos and one of quat, axisangle, euler, xyaxes, zaxis. */
slip_status slip_mjcf_pose(mjcf_reader *r, slip_pose *X);
slip_status slip_mjcf_turn(mjcf_reader *r, slip_real R[9], int *found);

/* Notes attributes that were not read, and elements that have no meaning here. */
void slip_mjcf_unread(mjcf_reader *r);
void slip_mjcf_note(mjcf_reader *r, const char *element, slip_xml_slice attribute);

/* ---- mjcf_include.c: the text with all <include>s replaced; in scratch where there are any ------ */
slip_status slip_mjcf_include(const char *file, slip_arena *mem, const char **text, size_t *length, slip_error *err);

/* ---- mjcf_body.c ------------------------------------------------------------------------------- */
slip_status slip_mjcf_body(mjcf_reader *r);                              /* <body>: opens it */
slip_status slip_mjcf_body_end(mjcf_reader *r);
slip_status slip_mjcf_joint(mjcf_reader *r, int is_free);
slip_status slip_mjcf_inertial(mjcf_reader *r);
slip_status slip_mjcf_site(mjcf_reader *r);
int  slip_mjcf_link(mjcf_reader *r, const char *name, int parent, const slip_pose *at);   /* on a fixed joint */

/* ---- mjcf_geom.c ------------------------------------------------------------------------------- */
slip_status slip_mjcf_geom(mjcf_reader *r);

/* ---- mjcf_rest.c: actuators, equalities, pairs, keyframes -------------------------------------- */
slip_status slip_mjcf_actuator(mjcf_reader *r);
slip_status slip_mjcf_equality(mjcf_reader *r);
slip_status slip_mjcf_exclude(mjcf_reader *r);
slip_status slip_mjcf_key(mjcf_reader *r);

#endif
