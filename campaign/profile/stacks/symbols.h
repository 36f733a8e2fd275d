/* symbols.h - names of functions, and where their callers are, by the files that have
 * them
 *
 * By libdw, where rollcall is built with it; without it no function has a name.  The
 * file itself is asked, only if it is the one that ran, as far as build ids tell, and
 * the file of its symbols, where a debug package (/usr/lib/debug) or the cache of
 * debuginfod has it; nothing is fetched from anywhere.
 */
#ifndef RC_CAMPAIGN_PROFILE_STACKS_SYMBOLS_H
#define RC_CAMPAIGN_PROFILE_STACKS_SYMBOLS_H

#include "campaign/profile/wire/records.h"

/* The functions of one file. */
struct rc_profile_symbols; /* opaque */

/* NULL: there are none to be had, and *why says why in a few words that live for ever.
 */
struct rc_profile_symbols *rc_profile_symbols_open(const struct rc_profile_module *file,
                                                   const char **why);
void rc_profile_symbols_close(struct rc_profile_symbols *symbols); /* NULL, too */

/* The function that the address of the file is in, as the file has it; NULL: in none
 * that has a name.  It lives as long as the symbols.
 */
const char *rc_profile_symbols_find(struct rc_profile_symbols *symbols,
                                    uint64_t address);

/* How to come from a function, when it is at some address, to the one that called it
 * (x86-64 only): its frame ends so many bytes above the stack pointer, or the frame
 * pointer.  The address to which it returns is in the 8 bytes before that end.
 */
struct rc_profile_caller {
    enum {
        RC_PROFILE_FROM_UNKNOWN, /* the file does not tell */
        RC_PROFILE_FROM_NOBODY,  /* nobody called it: the stack begins there */
        RC_PROFILE_FROM_STACK,
        RC_PROFILE_FROM_FRAME,
    } from;
    int32_t end;      /* of FROM_STACK: at least 8 */
    int32_t frame_at; /* where the caller's frame pointer is, from the end on (below 0);
                       * 0: it is as it was */
};
struct rc_profile_caller rc_profile_symbols_caller(struct rc_profile_symbols *symbols,
                                                   uint64_t address);

/* Why no file's callers are known, in a few words that live for ever; NULL: they are.
 */
const char *rc_profile_symbols_no_callers(void);

/* Where the function that the address is in begins, which may have no name, in the same
 * addresses; 0: the file does not tell.
 */
uint64_t rc_profile_symbols_begin(struct rc_profile_symbols *symbols, uint64_t address);

/* Where in these addresses the file begins: not at 0 where it is loaded as it says. */
uint64_t rc_profile_symbols_first(const struct rc_profile_symbols *symbols);

/* A function's name for people, if it is simple: "_ZN4Mesh5solveEi" is Mesh::solve,
 * "__mesh_MOD_solve" is mesh::solve, "PMPI_Send" MPI_Send, "solve._omp_fn.0" (GCC) of a
 * region of OpenMP in solve "solve [omp 0]", "solve.omp_outlined" (LLVM) "solve [omp]".
 * A name with templates stays as it is.  Returns 'out'.
 */
const char *rc_profile_symbols_readable(const char *name, char *out, size_t room);

#endif
