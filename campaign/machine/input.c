/* Checks synthetic descriptions before hwloc reads them: they may come from anybody. */
#include "campaign/machine/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The number of children that a word of a synthetic description asks for:
 * "l3:8(size=32M)", "8". 1 where hwloc has to judge the word.
 */
static uint64_t arity_of(const char *word, size_t length)
{
    const char *colon = memchr(word, ':', length);
    const char *digits = colon ? colon + 1 : word;
    char *end;

    if (digits >= word + length || *digits < '0' || *digits > '9')
        return 1;
    errno = 0;
    unsigned long long number = strtoull(digits, &end, 0);
    return errno ? UINT64_MAX : number;
}

/* Attached memory "[numa(...)]" and attributes "(...)" multiply nothing. */
int rc_machine_check_synthetic(const char *text, struct rc_error *err)
{
    uint64_t total = 1;
    size_t words = 0;

    while (*text) {
        size_t length = strcspn(text, " \t\n([");
        if (length) {
            uint64_t number = arity_of(text, length);
            if (number > RC_MACHINE_CPUS_MAX || total * number > RC_MACHINE_CPUS_MAX)
                return rc_fail(err, RC_EUSAGE,
                               "synthetic machine with more than %d processing units",
                               RC_MACHINE_CPUS_MAX);
            total *= number;
            words++;
            text += length;
        } else if (*text == '(' || *text == '[') {
            text += strcspn(text, *text == '(' ? ")" : "]");
            text += *text != 0;
        } else {
            text++;
        }
    }
    if (words == 0)
        return rc_fail(err, RC_EUSAGE,
                       "empty synthetic description of a machine, expected one such as "
                       "\"package:2 l3:4 core:8 pu:2\"");
    return RC_OK;
}
