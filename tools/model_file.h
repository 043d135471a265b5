/* Loading a robot for a command: file, description, model and data, in memory of the right size. */
#ifndef SLIP_TOOLS_MODEL_FILE_H
#define SLIP_TOOLS_MODEL_FILE_H

#include "cli.h"

typedef struct {
    slip_urdf_options urdf;
    int strict;                                        /* warnings are errors                              */
    int quiet;                                         /* no warnings on stderr                            */
    double repair;                                     /* armature of joints that move nothing; <= 0: none */
    void (*adjust)(slip_model_def *def, void *context);  /* a last change before the model is built, or NULL */
    void *context;
} tool_model_options;

typedef struct {
    void *block;                                       /* all the memory, for free()                       */
    slip_arena mem;                                    /* its free part                                    */
    slip_urdf urdf;
    const slip_model *model;
    slip_data *data;
    int warnings;
} tool_model;

/* Loads a URDF file (`-`: standard input). Returns 0 after a message on stderr when it cannot be used. */
int tool_model_load(const char *command, const char *path, const tool_model_options *options, tool_model *out);
void tool_model_free(tool_model *model);

#endif
