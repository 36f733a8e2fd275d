/* outliers.h - which of several nodes of one kind is off
 *
 * Nodes are judged by the median of their readings of one event.  A "node" may be
 * anything with a median of its own: cores are judged by the same functions.
 */
#ifndef RC_SOLVE_STUDY_OUTLIERS_H
#define RC_SOLVE_STUDY_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fewest nodes with which one is said to be off (with fewer, only that they
 * differ), and the fewest without a table of Dixon's.
 */
enum { RC_NODES_FOR_ONE = 3, RC_NODES_FOR_DEVIATE = 7 };

struct rc_off {
    double delta; /* from the mean of the other nodes, in the readings' unit */
    double z;     /* delta by the scatter of the others; INFINITY: they are the same */
    double p;     /* probability of a like node to be so far off, either way */
};

/* Compares each node with the others.  'error' is the standard error of each node's
 * median by its own readings: nodes do not scatter less.  'room' holds 3 * nodes + 2
 * numbers.  With fewer than three nodes all p are 1.
 */
void rc_outliers(const double *median, const double *error, size_t nodes, double *room,
                 struct rc_off *out);

/* Whether the nodes are of two classes rather than of one with some that are off: two
 * normal distributions explain them much better than one (the Bayesian information
 * criterion falls by more than 10), and the smaller class has at least a fifth of them
 * and at least three.  *low is how many are in the class with the lower medians, *edge
 * lies between the classes.  'room' holds as many numbers as there are nodes.
 */
bool rc_two_classes(const double *median, const double *error, size_t nodes,
                    double *room, size_t *low, double *edge);

/* The largest of 'count' ascending probabilities to report so that at most the share
 * 'rate' of the reported ones is false (Benjamini and Hochberg), where 'tests' were
 * made in all; 0: none is reported.
 */
double rc_false_discovery(const double *ascending, size_t count, uint64_t tests,
                          double rate);

/* The value at 'rank' < count in sorted order; the median and the mean, of at least one
 * value.  The first two reorder the values.
 */
double rc_select(double *value, size_t count, size_t rank);
double rc_median(double *value, size_t count);
double rc_mean(const double *value, size_t count);

#endif
