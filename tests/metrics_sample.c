/* Writes the results of result_lib.h, for scripts: metrics_sample FILE */
#include "tests/result_lib.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct rc_error err = {.rank = -1};

    if (argc != 2)
        return 2;
    if (result_write(MPI_COMM_NULL, argv[1], &err) == RC_OK)
        return 0;
    fprintf(stderr, "metrics_sample: %s\n", err.text);
    return 1;
}
