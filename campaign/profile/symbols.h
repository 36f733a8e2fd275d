/* symbols.h - names of functions, and where their callers are, by the files that have
 * them
 *
 * By libdw, where rollcall is built with it; without it no function has a name.  Only
 * the file itself is asked, and only if it is the one that ran, as far as build ids
 * tell; nothing is fetched from anywhere.
 */
#ifndef RC_CAMPAIGN_PROFILE_SYMBOLS_H
#define RC_CAMPAIGN_PROFILE_SYMBOLS_H

#include "campaign/profile/records.h"

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

/* Where a function that keeps no frame pointer has the address to which it returns,
 * when it is at 'address': in the 8 bytes that end so many bytes above the stack
 * pointer.  0: it keeps one, or the file does not tell (x86-64 only).
 */
uint64_t rc_profile_symbols_return(struct rc_profile_symbols *symbols,
                                   uint64_t address);

/* The same for people, if it is simple: "_ZN4Mesh5solveEi" is Mesh::solve,
 * "__mesh_MOD_solve" is mesh::solve.  What has templates stays as it is.  Returns
 * 'out'.
 */
const char *rc_profile_symbols_readable(const char *name, char *out, size_t room);

#endif
