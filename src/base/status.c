/* See status.h. */
#include "base/fail.h"

#include <string.h>
#include "base/text.h"

const char *slip_status_text(slip_status status)
{
    switch (status) {
    case SLIP_OK:              return "ok";
    case SLIP_MAX_ITERS:       return "not converged: iteration limit reached";
    case SLIP_STALLED:         return "not converged: no further progress";
    case SLIP_DROPPED:         return "capacity reached, the rest was dropped";
    case SLIP_DEGENERATE:      return "degenerate input, one valid result of many";
    case SLIP_DIVERGED:        return "diverged";
    case SLIP_DEADLINE:        return "out of time";
    case SLIP_ERR_ARGUMENT:    return "bad argument";
    case SLIP_ERR_WORKSPACE:   return "not enough memory in the arena";
    case SLIP_ERR_NOT_SPD:     return "matrix is not positive definite";
    case SLIP_ERR_PARSE:       return "malformed text";
    case SLIP_ERR_FILE:        return "file cannot be read or written";
    case SLIP_ERR_MODEL:       return "model cannot be simulated";
    case SLIP_ERR_LIMIT:       return "limit exceeded";
    case SLIP_ERR_UNSUPPORTED: return "not supported";
    }
    return "unknown status";
}

void slip_error_clear(slip_error *err)
{
    if (err) memset(err, 0, sizeof *err);
}

#ifdef SLIP_NO_MESSAGES
slip_status slip_fail_mute(slip_error *err, slip_status status)
{
    slip_error_clear(err);
    if (err) err->status = status;
    return status;
}

slip_status slip_warn_mute(slip_report *report, slip_error *err)
{
    slip_error local;

    if (!report) return SLIP_OK;
    ++report->count;
    slip_fail_mute(report->strict ? err : &local, SLIP_ERR_MODEL);
    if (!report->strict && report->warn) report->warn(report->context, &local);
    return report->strict ? SLIP_ERR_MODEL : SLIP_OK;
}
#endif

/* In parentheses the name is not that of a macro. */
slip_status (slip_fail)(slip_error *err, slip_status status, int line, int column, const char *format, ...)
{
    char what[sizeof err->what];                         /* so that err->what may be an argument */
    va_list args;

    if (!err) return status;
    va_start(args, format);
    slip_format_list(what, (int)sizeof what, format, args);
    va_end(args);
    err->status = status;
    err->line = line;
    err->column = column;
    memcpy(err->what, what, strlen(what) + 1);
    return status;
}

slip_status (slip_warn)(slip_report *report, slip_error *err, int line, int column, const char *format, ...)
{
    slip_error local;
    va_list args;

    if (!report) return SLIP_OK;
    ++report->count;
    slip_error_clear(&local);
    if (err) memcpy(local.file, err->file, sizeof local.file);
    local.line = line;
    local.column = column;
    local.status = SLIP_ERR_MODEL;
    va_start(args, format);
    slip_format_list(local.what, (int)sizeof local.what, format, args);
    va_end(args);
    if (report->strict) {
        if (err) *err = local;
        return SLIP_ERR_MODEL;
    }
    if (report->warn) report->warn(report->context, &local);
    return SLIP_OK;
}

void slip_error_set_file(slip_error *err, const char *file)
{
    size_t n, skip;

    if (!err) return;
    n = file ? strlen(file) : 0;
    skip = n >= sizeof err->file ? n - (sizeof err->file - 1) : 0;
    while (skip > 0 && skip < n && ((unsigned char)file[skip] & 0xc0) == 0x80) ++skip;   /* no half characters */
    if (n) memmove(err->file, file + skip, n - skip);                                    /* file may be err's own */
    err->file[n - skip] = '\0';
}

int slip_error_text(const slip_error *err, char *out, int size)
{
    if (!err->file[0]) {
        if (err->line <= 0)   return slip_format(out, size, "%s", err->what);
        if (err->column <= 0) return slip_format(out, size, "line %d: %s", err->line, err->what);
        return slip_format(out, size, "line %d, column %d: %s", err->line, err->column, err->what);
    }
    if (err->line <= 0)   return slip_format(out, size, "%s: %s", err->file, err->what);
    if (err->column <= 0) return slip_format(out, size, "%s:%d: %s", err->file, err->line, err->what);
    return slip_format(out, size, "%s:%d:%d: %s", err->file, err->line, err->column, err->what);
}
