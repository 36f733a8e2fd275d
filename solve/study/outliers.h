/* outliers.h - which of several nodes of one kind is off
 *
 * Nodes are judged by the median of their readings of one event.  "Node" is whatever
 * has a median of its own: cores are judged by the same functions.
 */
#ifndef RC_SOLVE_STUDY_OUTLIERS_H
#define RC_SOLVE_STUDY_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With fewer nodes than these nothing is said, only that they differ, or a table of
 * Dixon's is read.
 */
enum { RC_NODES_FOR_ONE = 3, RC_NODES_FOR_DEVIATE = 7 };

struct rc_off {
    double delta; /* from the mean of the other nodes, in the readings' unit */
    double z;     /* delta over what the others scatter; INFINITY: they are the same */
    double p;     /* of a node that is like the others to be so far off, either way */
};

/* Each node against the others.  'error' is the standard error of each node's median by
 * its own readings: nodes do not scatter less.  'room' holds 3 * nodes + 2 numbers.
 * With fewer than three nodes all p are 1.
 */
void rc_outliers(const double *median, const double *error, size_t nodes, double *room,
                 struct rc_off *out);

/* Whether the nodes are of two classes rather than of one with some that are off: two
 * normal distributions explain them much better than one (the Bayesian information
 * criterion falls by more than 10) and the smaller class has a fifth of them and three
 * at least. *low is how many are in the class with the lower medians, *edge lies
 * between the classes.  'room' holds as many numbers as there are nodes.
 */
bool rc_two_classes(const double *median, const double *error, size_t nodes,
                    double *room, size_t *low, double *edge);

/* The largest of 'count' ascending probabilities that is reported so that at most the
 * part 'rate' of what is reported is false (Benjamini and Hochberg), where 'tests' were
 * made in all; 0: none is.
 */
double rc_false_discovery(const double *ascending, size_t count, uint64_t tests,
                          double rate);

/* The value that would be at 'rank' < count if all were sorted; the median and the
 * mean, of one at least.  The first two reorder the values.
 */
double rc_select(double *value, size_t count, size_t rank);
double rc_median(double *value, size_t count);
double rc_mean(const double *value, size_t count);

#endif
