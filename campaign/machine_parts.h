/* machine_parts.h - what machine.c needs that is no matter of hwloc
 *
 * Only for machine*.c.
 */
#ifndef RC_MACHINE_PARTS_H
#define RC_MACHINE_PARTS_H

#include "campaign/machine.h"

/* More processing units than any node has; a description that names more is
 * taken for a mistake before hwloc spends hours on it.
 */
#define RC_MACHINE_CPUS_MAX 8192
#define RC_MACHINE_XML_MAX ((size_t)64 << 20)

/* Reads a whole regular file; free(*text).  The text ends with a 0 that
 * '*bytes' does not count.
 */
int rc_machine_read(const char *path, char **text, size_t *bytes, struct rc_error *err);

/* Refuses a synthetic description of more objects than a node can have, and
 * one that is empty.  All other mistakes are for hwloc to find.
 */
int rc_machine_check_synthetic(const char *text, struct rc_error *err);

/* What the processor that runs this can do, by the system's own word.  Fills
 * page sizes, vector_bits and fma.
 */
void rc_machine_features(struct rc_geometry *geometry);

/* Family, model and stepping out of hwloc's words; NULL: not there. */
struct rc_machine_words {
    const char *vendor, *name, *family, *model, *stepping; /* x86 */
    const char *implementer, *part, *variant;              /* ARM */
    const char *revision;                                  /* ARM and POWER */
    const char *platform;
};

/* The strings of the result are those of 'words' or constants. */
struct rc_cpu_model rc_machine_model_of(const struct rc_machine_words *words,
                                        const char *architecture);

#endif
