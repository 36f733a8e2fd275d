/* work.h - the computation of the programs here: functions of known work
 *
 * Operations are additions, subtractions and multiplications of doubles.  Loads and
 * stores are those of the data; tests/unit/profile/test_app_work.c steps through all of
 * them and counts.
 */
#ifndef RC_TESTS_APPS_WORK_H
#define RC_TESTS_APPS_WORK_H

#include <stddef.h>
#include <stdint.h>

/* A step of the heat equation: v = u + c (sum of the 6 neighbours - 6 u), in a box of
 * n[0] * n[1] * n[2] cells with one layer of others around it.  The sum of all new
 * values is returned.  A cell takes 9 operations, 7 loads and 1 store.
 */
double work_heat(const size_t n[3], double c, const double *u, double *v);

/* A sparse matrix by rows: row i has the elements first[i] to first[i + 1] - 1. */
struct work_matrix {
    size_t rows;
    const size_t *first;
    const int *column;
    const double *value;
};
/* y = A x: an element takes 2 operations and 3 loads, of 8, 4 and 8 bytes; a row one
 * store.
 */
void work_sparse(const struct work_matrix *a, const double *x, double *y);

/* Vectors of n numbers: each takes 2 operations a number and 2 loads, and those with a
 * result 1 store.
 */
double work_dot(size_t n, const double *x, const double *y);
void work_add(size_t n, double a, const double *x, double *y);  /* y += a x */
void work_turn(size_t n, double a, const double *x, double *y); /* y = x + a y */

/* C += A B, dense and by rows: 2 operations, 2 loads and 1 store for each product, and 1
 * load for each element of A.
 */
void work_dense(size_t rows, size_t inner, size_t columns, const double *a,
                const double *b, double *c);

/* Sorts by merging runs of 1, 2, 4, ... numbers: n * ceil(log2 n) moves, each of which
 * is a store.  The result is in 'keys' or in 'room', which has n numbers, too.
 */
uint64_t *work_sort(size_t n, uint64_t *keys, uint64_t *room);

/* Each number becomes the sum of all up to it, which takes n operations, loads and
 * stores.
 */
void work_sums(size_t n, double *x);

/* So many iterations of a loop of 2 instructions (on x86-64).  Returns their number. */
uint64_t work_loop(uint64_t n);

#endif
