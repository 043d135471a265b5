/* Mesh addresses to paths: package://NAME/… and model://NAME/… are looked for in the package paths, then in the
 * directories above the URDF; file:// and absolute paths are taken as they are; anything else is relative to the URDF's
 * directory or, where it is not there, to one above it. */
#include "io/urdf_private.h"

#include <string.h>
#include "io/file.h"

/* Directories above a URDF that are looked in: deeper than packages are. */
enum { URDF_MESH_ABOVE = 8 };

/* Bytes of a path up to and with its last slash; 0 when it has none. */
static size_t urdf_mesh_directory(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

size_t slip_urdf_mesh_room(const slip_urdf_options *opt, const char *file)
{
    size_t most = urdf_mesh_directory(file);
    int i;

    for (i = 0; i < opt->npackage_paths; ++i) {
        const size_t n = strlen(opt->package_paths[i]);

        if (n > most) most = n;
    }
    return most + 3*URDF_MESH_ABOVE + 2;                       /* "../", a slash and the terminator */
}

/* The part of a URI behind `scheme`, or NULL. */
static const char *urdf_mesh_after(const char *uri, const char *scheme)
{
    const size_t n = strlen(scheme);

    return strncmp(uri, scheme, n) == 0 ? uri + n : NULL;
}

/* Writes "directory/rest", with `up` times "../" between, at the front of the pool and tells whether there is such a
 * file. */
static int urdf_mesh_try_above(slip_urdf_reader *r, const char *directory, size_t n, int up, const char *rest,
                               slip_urdf_shape *shape)
{
    char *at = r->kept.at;
    const size_t m = strlen(rest);

    if (n + 3*(size_t)up + m + 2 > r->kept.left) return 0;
    memcpy(at, directory, n);
    if (n > 0 && at[n - 1] != '/') at[n++] = '/';
    for (; up > 0; --up, n += 3) memcpy(at + n, "../", 3);
    memcpy(at + n, rest, m + 1);
    shape->mesh_path = at;
    shape->mesh_found = r->opt->find_meshes && slip_file_exists(at);
    return shape->mesh_found;
}

static int urdf_mesh_try(slip_urdf_reader *r, const char *directory, size_t n, const char *rest, slip_urdf_shape *shape)
{
    return urdf_mesh_try_above(r, directory, n, 0, rest, shape);
}

/* Beside the URDF or in a directory above it, the nearest first; `rest` NULL: nowhere. */
static int urdf_mesh_try_all_above(slip_urdf_reader *r, int first, const char *rest, slip_urdf_shape *shape)
{
    int up;

    for (up = first; up <= URDF_MESH_ABOVE && rest; ++up)
        if (urdf_mesh_try_above(r, r->file, urdf_mesh_directory(r->file), up, rest, shape)) return 1;
    return 0;
}

/* package://NAME/rest: DIR/NAME/rest, or DIR/rest where DIR is the package itself; then NAME/rest in the directories
 * above the URDF and, for a package that was cloned under another name, rest. */
static void urdf_mesh_in_packages(slip_urdf_reader *r, const char *name, slip_urdf_shape *shape)
{
    const char *slash = strchr(name, '/'), *first = "";
    const size_t n = slash ? (size_t)(slash - name) : 0;
    int i;

    for (i = 0; i < r->opt->npackage_paths; ++i) {
        const char *dir = r->opt->package_paths[i];
        size_t m = strlen(dir);

        while (m > 1 && dir[m - 1] == '/') --m;
        if (urdf_mesh_try(r, dir, m, name, shape)) return;
        if (slash && m >= n && memcmp(dir + m - n, name, n) == 0 && (m == n || dir[m - n - 1] == '/') &&
            urdf_mesh_try(r, dir, m, slash + 1, shape)) return;
    }
    if (urdf_mesh_try_all_above(r, 0, name, shape) || urdf_mesh_try_all_above(r, 0, slash ? slash + 1 : NULL, shape))
        return;
    if (r->opt->npackage_paths > 0) first = r->opt->package_paths[0];
    urdf_mesh_try(r, first, strlen(first), name, shape);       /* found nowhere: say where it would be */
}

void slip_urdf_find_mesh(slip_urdf_reader *r, slip_urdf_shape *shape)
{
    const char *uri = shape->mesh_uri, *rest;

    if ((rest = urdf_mesh_after(uri, "package://")) != NULL || (rest = urdf_mesh_after(uri, "model://")) != NULL)
        urdf_mesh_in_packages(r, rest, shape);
    else if ((rest = urdf_mesh_after(uri, "file://")) != NULL)
        urdf_mesh_try(r, "", 0, rest, shape);
    else if (uri[0] == '/' || strstr(uri, "://"))
        urdf_mesh_try(r, "", 0, uri, shape);
    else if (!urdf_mesh_try(r, r->file, urdf_mesh_directory(r->file), uri, shape)
             && !urdf_mesh_try_all_above(r, 1, uri, shape))
        urdf_mesh_try(r, r->file, urdf_mesh_directory(r->file), uri, shape);
    if (shape->mesh_path) {
        const size_t used = strlen(shape->mesh_path) + 1;

        r->kept.at += used;
        r->kept.left -= used;
    }
}
