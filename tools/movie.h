/* Recording a scene's run and writing it: one HTML page for one run or several, and plots as SVG. */
#ifndef SLIP_TOOLS_MOVIE_H
#define SLIP_TOOLS_MOVIE_H

#include "sim_run.h"

typedef struct {
    slip_replay *rec;
    void *block, *mesh_block;
    slip_replay_visual *visuals;
    slip_trimesh *meshes;
} movie;

/* A recorder for a session at its start; label NULL: the solver's id. Keeps the session's scene in use. 0, after a
 * message, when there is no room. */
int  movie_begin(const char *command, sim_session *session, const char *label, movie *m);
void movie_step(movie *m, sim_session *session);
void movie_end(movie *m, sim_session *session, const sim_result *result);     /* the last frame, the time */
void movie_free(movie *m);

/* Writes the page of n runs of one scene. reference: the run that others are compared with, -1: none. 0, after a
 * message, on failure. */
int movie_write_html(const char *command, const char *path, const slip_scene *scene, const movie *runs, int n,
                     int reference, const char *how);

/* Makes the directory if need be and tries to write there, before a run rather than after it. 0, after a message, when
 * that does not work. */
int movie_can_write_svg(const char *command, const char *directory);

/* Writes energy.svg, forces.svg, residual.svg, penetration.svg (and, with a reference, distance.svg and path.svg)
 * into a directory that movie_can_write_svg() has seen. */
int movie_write_svg(const char *command, const char *directory, const movie *runs, int n, int reference);

/* Distance of the trees' first bodies from where another run has them, mean over the bodies, at a frame [m]; and the
 * largest over all frames. */
double movie_distance(const movie *run, const movie *reference, int frame);
double movie_distance_max(const movie *run, const movie *reference);

/* The command line as one text, from cli_alloc. */
char *movie_command_line(int argc, char **argv);

#endif
