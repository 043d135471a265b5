/* Loads a URDF file for a command, in growing blocks of memory. See model_file.h. */
#include "model_file.h"

#include <stdlib.h>
#include <string.h>

/* One attempt within a block of memory. */
static slip_status model_file_try(const char *text, size_t length, const char *file, const tool_model_options *o,
                                  slip_report *report, size_t bytes, tool_model *out, slip_error *err)
{
    slip_status s;

    out->mem = slip_arena_over(out->block, bytes);
    slip_error_clear(err);
    slip_error_set_file(err, file);
    s = slip_robot_read(text, length, file, &o->urdf, &out->mem, &out->urdf, report, err);
    if (s < 0) return s;
    if (o->repair > 0) out->urdf.def.repair_armature = (slip_real)o->repair;
    if (o->adjust) o->adjust(&out->urdf.def, o->context);
    slip_error_set_file(err, file);
    s = slip_model_build(&out->urdf.def, &out->mem, &out->model, report, err);
    if (s < 0) return s;
    return slip_data_create(out->model, &out->mem, &out->data);
}

int tool_model_load(const char *command, const char *path, const tool_model_options *options, tool_model *out)
{
    const char *file = strcmp(path, "-") == 0 ? "(standard input)" : path;
    slip_report report = cli_report(options->strict);
    slip_error err;
    size_t length, bytes;
    char *text = cli_read_file(command, path, &length);
    slip_status s = SLIP_ERR_WORKSPACE;

    memset(out, 0, sizeof *out);
    if (!text) return 0;
    /* First without messages, in growing blocks, then once more for the warnings, so that each is printed once. */
    for (bytes = ((size_t)1 << 20) + 64*length; bytes <= CLI_MOST_BYTES; bytes *= 4) {
        out->block = cli_alloc(bytes);
        s = model_file_try(text, length, file, options, NULL, bytes, out, &err);
        if (s != SLIP_ERR_WORKSPACE) break;
        tool_model_free(out);
    }
    if (options->quiet) report.warn = NULL;
    if (s == SLIP_OK) s = model_file_try(text, length, file, options, &report, bytes, out, &err);
    out->warnings = report.count;
    free(text);
    if (s == SLIP_OK) return 1;
    cli_error(&err);
    tool_model_free(out);
    return 0;
}

void tool_model_free(tool_model *model)
{
    free(model->block);
    model->block = NULL;
}
