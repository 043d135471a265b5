/* Numbers that a page of docs/ states, so that a test can hold the program to them. */
#ifndef DOC_AID_H
#define DOC_AID_H

/* The numbers in cell `column` (0: the one after the first bar) of the table row of `page` that begins with `row`, in
 * their order, at most `most` of them. Fails the test without such a row. Returns how many there are. */
int doc_numbers(const char *page, const char *row, int column, double *out, int most);

/* Checks that they are the n numbers of `expected`, to the six digits that pages have. */
void doc_states(const char *page, const char *row, int column, int n, const double *expected);

#endif
