/* The tables of metrics on a terminal. */
#include "campaign/solve/parts.h"
#include "io/report/tables.h"

#include <stdio.h>

void rc_solve_show(const struct rc_solve_kind *k, FILE *out)
{
    struct rc_page page;

    rc_page_init(&page, out);
    for (size_t i = 0; i < k->count; i++) {
        const struct rc_suite_result *r = &k->suite[i].result;
        if (!k->suite[i].wanted)
            continue;
        fputc('\n', out);
        rc_tables_head(&page, r, k->labels->name, k->labels->event_count,
                       k->labels->simulated);
        rc_tables_metrics(&page, r);
    }
    rc_page_fini(&page);
}
