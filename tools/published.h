/* Published results of SimBenchmark (leggedrobotics/SimBenchmark), for `slipstick bench simbenchmark`; where they come
 * from is said in published.c. */
#ifndef SLIP_TOOLS_PUBLISHED_H
#define SLIP_TOOLS_PUBLISHED_H

enum { PUBLISHED_MOST = 9 };

/* An engine's results, one for each column of the table. */
typedef struct {
    const char *engine;
    double value[PUBLISHED_MOST];    /* error, or steps until the tower falls; negative: not published     */
    double seconds[PUBLISHED_MOST];  /* processor time; negative: not published                            */
} published_row;

typedef struct {
    int ncolumns;
    double column[PUBLISHED_MOST];   /* dt [s]; robots along an edge of the grid; rolling: 0 along y, 1 aslant */
    const published_row *rows;
    int nrows;
} published_table;

extern const published_table published_rolling, published_bouncing, published_heap, published_elastic,
                             published_momentum, published_energy, published_pd, published_kapla;

#endif
