/* Shared by the files of the URDF reader. The reader walks the text twice: once to count, so that all memory is taken
 * in one go, and once to fill; names are resolved after that. */
#ifndef SLIP_IO_URDF_PRIVATE_H
#define SLIP_IO_URDF_PRIVATE_H

#include "io/urdf.h"
#include "io/xml.h"

/* A name and where it was written. */
typedef struct {
    const char *name;                 /* NULL when it was not */
    int line, column;
} slip_urdf_ref;

typedef struct {
    slip_urdf_ref name, parent, child, mimic;
} slip_urdf_joint_refs;

typedef struct {
    slip_urdf_ref name;
    int shape;                        /* the shape it stands in; -1 for a global one */
    int has_colour;
    slip_real colour[4];
} slip_urdf_material;

/* Room for text, filled from the front. */
typedef struct {
    char *at;
    size_t left;
} slip_urdf_pool;

typedef struct {
    int links, joints, shapes, materials;
    size_t kept_text, passing_text;   /* bytes of names that last, and that are dropped after resolving */
} slip_urdf_counts;

typedef struct {
    const slip_urdf_options *opt;
    const char *file;                 /* "" when there is none */
    slip_report *report;
    slip_error *err;                  /* never NULL; its file is set */
    slip_urdf_counts room;
    slip_urdf out;                    /* under construction */
    int lenient;                      /* others' files: what is clear is taken with a warning; a scene is ours */
    const char *kind, *owner;         /* "link" or "joint" and its name, for messages; NULL outside */
    slip_urdf_pool kept, passing;
    slip_xml *xml;                    /* from here on: scratch */
    slip_urdf_ref *links;             /* names of the links */
    slip_urdf_joint_refs *joints;
    slip_urdf_material *materials;
    int nmaterials;
    int *index, *above, *mark, *chain;   /* work of the resolution; each as long as the longest list + 1 */
} slip_urdf_reader;

/* ---- urdf_element.c: elements and attributes ---- */

/* A child element. `read` is called at its START and reads on to its END; NULL: skipped with a warning. */
typedef struct {
    const char *name;
    int many;                         /* may occur more than once in its parent */
    slip_status (*read)(slip_urdf_reader *r, void *target);
} slip_urdf_tag;

/* Warns of the current element's unread attributes, then reads its children up to its END. Unknown children, repeated
 * ones and text are warned about and skipped. With no tags: a leaf. */
slip_status slip_urdf_children(slip_urdf_reader *r, const slip_urdf_tag *tags, int ntags, void *target);

/* An error or a warning about the link or joint at hand; the format is slip_format()'s. */
slip_status slip_urdf_fail(slip_urdf_reader *r, slip_status status, int line, int column, const char *format, ...);
slip_status slip_urdf_warn(slip_urdf_reader *r, int line, int column, const char *format, ...);

/* n finite numbers of an attribute. *found (may be NULL: then it must be there) tells whether there is
 * such an attribute; x keeps its value otherwise. A lenient reader takes commas for blanks and leaves out what is too
 * many, with a warning. */
slip_status slip_urdf_reals(slip_urdf_reader *r, const char *attribute, int n, slip_real *x, int *found);

/* How many numbers an attribute has; 0 without it. */
int slip_urdf_count(slip_urdf_reader *r, const char *attribute);

/* The same for numbers of at most `most` either way; `unit` is for the message. */
slip_status slip_urdf_reals_within(slip_urdf_reader *r, const char *attribute, int n, slip_real most, const char *unit,
                                   slip_real *x, int *found);

/* Fails at number i of an attribute that is a list; the fault follows "is". */
slip_status slip_urdf_bad_entry(slip_urdf_reader *r, const char *attribute, int i, const char *fault);

/* As many numbers as the attribute has, of at most `most` either way; from mem. It must be there. */
slip_status slip_urdf_list(slip_urdf_reader *r, const char *attribute, slip_real most, const char *unit,
                           slip_arena *mem, const slip_real **list, int *n);

/* An attribute's text, decoded into a pool; needed and not empty, or optional and then "". */
slip_status slip_urdf_need_text(slip_urdf_reader *r, const char *attribute, slip_urdf_pool *pool, slip_urdf_ref *ref);
slip_status slip_urdf_text(slip_urdf_reader *r, const char *attribute, slip_urdf_pool *pool, const char **text);

/* The whole of an <origin>. Target: a slip_pose, or a struct that begins with one; identity before. */
slip_status slip_urdf_read_origin(slip_urdf_reader *r, void *pose);

/* Number of bytes of a name to print in a message: at most 60, whole characters. */
int slip_urdf_shown(const char *name);

/* ---- urdf_link.c, urdf_shape.c, urdf_joint.c: the elements below <robot>; target unused ---- */

slip_status slip_urdf_read_link(slip_urdf_reader *r, void *unused);
slip_status slip_urdf_read_joint(slip_urdf_reader *r, void *unused);
slip_status slip_urdf_read_material(slip_urdf_reader *r, void *unused);      /* a global one */
slip_status slip_urdf_read_collision(slip_urdf_reader *r, void *link_def);
slip_status slip_urdf_read_visual(slip_urdf_reader *r, void *link_def);
slip_status slip_urdf_read_inertial(slip_urdf_reader *r, void *link_def);
slip_status slip_urdf_read_geometry(slip_urdf_reader *r, void *link_def);   /* alone: a collision shape at the origin */
slip_status slip_urdf_rgba(slip_urdf_reader *r, slip_real colour[4], int *found);  /* attribute rgba, within 0..1 */

/* ---- urdf_mesh.c ---- */

/* Bytes a resolved mesh path may be longer than what the file says. */
size_t slip_urdf_mesh_room(const slip_urdf_options *opt, const char *file);

/* Turns shape->mesh_uri into mesh_path and mesh_found; the path goes to the kept pool. */
void slip_urdf_find_mesh(slip_urdf_reader *r, slip_urdf_shape *shape);

/* ---- urdf_resolve.c: names to indices, and what a tree must satisfy ---- */

slip_status slip_urdf_resolve(slip_urdf_reader *r);

/* The name of the link a shape is on. */
const char *slip_urdf_owner(const slip_urdf *urdf, const slip_urdf_shape *shape);

/* The hull of a robot's mesh into *out, NULL after a warning at line and column when the mesh is missing or cannot be
 * read: meshes are others' files, and a robot without one still moves. SLIP_ERR_WORKSPACE: mem is full. */
slip_status slip_urdf_hull(const char *link, const slip_urdf_shape *shape, int line, int column, slip_arena *mem,
                           const slip_hull **out, slip_report *report, slip_error *err);

/* out = R I R', of symmetric matrices xx xy xz yy yz zz. */
void slip_urdf_turn_inertia(const slip_real R[9], const slip_real I[6], slip_real out[6]);

#endif
