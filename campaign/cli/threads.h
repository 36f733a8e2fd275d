/* threads.h - the program without threads of OpenBLAS's
 *
 * Ranks fill the cores, and a source counts one thread: BLAS's threads are only in the
 * way.  OpenBLAS makes them in its constructor, one for each CPU, each with 128 MiB of
 * address space, and each tries for ever to get that where a limit (ulimit -v) keeps
 * it from it; at exit the others wait for it (OpenBLAS issue 5289, mended in 0.3.30).
 * The constructor asks the environment only, which the program changes before any
 * library is initialised.
 *
 * A program that this is linked into does so by itself, before main(), unless
 * OPENBLAS_NUM_THREADS is set: what the user says, holds.
 */
#ifndef RC_CAMPAIGN_CLI_THREADS_H
#define RC_CAMPAIGN_CLI_THREADS_H

/* To be called first in main(): programs that this one starts do not get a setting
 * that the user did not make.
 */
void rc_threads_forget(void);

#endif
