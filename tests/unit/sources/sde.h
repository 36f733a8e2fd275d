/* sde.h - a library with software-defined events of known values */
#ifndef RC_TESTS_UNIT_SOURCES_SDE_H
#define RC_TESTS_UNIT_SOURCES_SDE_H

/* Registers the events with PAPI's libsde, for the rest of the process.
 * Returns 0, or -1.
 */
int rc_test_sde_start(void);

/* Does work that counts 'steps' in sde:::rollcall_test::steps, its square in
 * sde:::rollcall_test::squares, and 7 in each of the following events.
 */
void rc_test_sde_work(long long steps);

#define RC_TEST_SDE_STEPS "sde:::rollcall_test::steps"
#define RC_TEST_SDE_SQUARES "sde:::rollcall_test::squares"

/* An event whose name has blanks, quotes and UTF-8, and one whose name is
 * longer than any buffer of PAPI's.
 */
#define RC_TEST_SDE_ODD "sde:::rollcall_test::odd name, \"quoted\" \xc3\xa9"
#define RC_TEST_SDE_LONG_LETTERS 2000

#endif
