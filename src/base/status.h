/* How functions report failure: a status whose sign tells how bad it is, and an error that says what went wrong, where,
 * and what would be right. */
#ifndef SLIP_BASE_STATUS_H
#define SLIP_BASE_STATUS_H

/* Zero: done. Positive: usable, but the goal was missed. Negative: no result, outputs untouched. */
typedef enum {
    SLIP_OK            =  0,
    SLIP_MAX_ITERS     =  1,   /* iteration limit reached; the best iterate is returned        */
    SLIP_STALLED       =  2,   /* no further progress possible; the best iterate is returned   */
    SLIP_DROPPED       =  3,   /* a capacity was reached; the most important items were kept   */
    SLIP_DEGENERATE    =  4,   /* input is degenerate; the result is one valid choice of many  */
    SLIP_DIVERGED      =  5,   /* the iteration grows without bound; the result is no solution */
    SLIP_DEADLINE      =  6,   /* the budget of work is used up; the best iterate is returned  */

    SLIP_ERR_ARGUMENT  = -1,   /* a value is NaN, infinite, out of range or inconsistent       */
    SLIP_ERR_WORKSPACE = -2,   /* the arena is too small                                       */
    SLIP_ERR_NOT_SPD   = -3,   /* a matrix that must be positive definite is not               */
    SLIP_ERR_PARSE     = -4,   /* malformed text                                               */
    SLIP_ERR_FILE      = -5,   /* a file cannot be opened, read or written                     */
    SLIP_ERR_MODEL     = -6,   /* a model or scene that cannot be simulated                    */
    SLIP_ERR_LIMIT     = -7,   /* a size, depth or count limit of a format was exceeded        */
    SLIP_ERR_UNSUPPORTED = -8  /* valid, but this function cannot take it                      */
} slip_status;

/* A constant English phrase for a status, never NULL. */
const char *slip_status_text(slip_status status);

/* An error: place and message. line and column count from 1; 0 means not applicable. */
typedef struct {
    slip_status status;
    int  line, column;
    char file[256];          /* empty when there is no file; long paths keep their tail */
    char what[256];          /* one sentence without a full stop                        */
} slip_error;

/* Writes "file:line:column: what" into out, always terminated; returns the full length without the
 * terminator, which may exceed size - 1 when it was cut. */
int slip_error_text(const slip_error *err, char *out, int size);

/* The receiver of warnings: doubtful input that does not stop a reader. */
typedef struct {
    void (*warn)(void *context, const slip_error *warning);   /* may be NULL: warnings are only counted */
    void *context;
    int   strict;            /* non-zero: the first warning is returned as an error instead      */
    int   count;             /* warnings so far                                                   */
} slip_report;

#endif
