/* Filling errors and reporting warnings: for readers and other code that fails on behalf of its caller. */
#ifndef SLIP_BASE_FAIL_H
#define SLIP_BASE_FAIL_H

#include "base/status.h"

/* Fills err (may be NULL) and returns status, so that a caller can write `return slip_fail(…);`.
 * format: see slip_format() in text.h. The file is left as it is. */
slip_status slip_fail(slip_error *err, slip_status status, int line, int column, const char *format, ...);

/* Clears an error to SLIP_OK. err may be NULL. */
void slip_error_clear(slip_error *err);

/* Sets the file name an error speaks of; keeps the tail of an overlong one. */
void slip_error_set_file(slip_error *err, const char *file);

/* Reports a warning about err->file (err may be NULL) at line and column. report may be NULL.
 * Returns SLIP_OK, or SLIP_ERR_MODEL with err filled when the report is strict. */
slip_status slip_warn(slip_report *report, slip_error *err, int line, int column, const char *format, ...);

/* SLIP_NO_MESSAGES is for programs that nobody reads the texts of: errors have their status alone, and the texts, with
 * what prints their numbers, are not linked, 14 KB on a Cortex-M4. The calls stay as they are; a compiler sees that
 * theirs is dead. */
#ifdef SLIP_NO_MESSAGES
slip_status slip_fail_mute(slip_error *err, slip_status status);
slip_status slip_warn_mute(slip_report *report, slip_error *err);
#define slip_fail(err, status, ...) ((void)(0 && slip_fail(err, status, __VA_ARGS__)), slip_fail_mute(err, status))
#define slip_warn(report, err, ...) ((void)(0 && slip_warn(report, err, __VA_ARGS__)), slip_warn_mute(report, err))
#endif

/* Analyzers look at one source at a time, and would follow a failure on as a success: its status is the one given. */
#ifdef __clang_analyzer__
#define slip_fail(err, status, ...) ((void)slip_fail(err, status, __VA_ARGS__), (status))
#endif

#endif
