/* Writes a small model to the file that it is given. */
#include "tests/lib/model_sample.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct rc_error err = {.rank = -1};
    struct rc_model model = {0};
    int status = argc == 2 ? make_sample(&model, &err) : RC_EUSAGE;

    if (status == RC_OK)
        status = rc_model_write(argv[1], &model, &err);
    if (status != RC_OK)
        fprintf(stderr, "model_sample: %s\n", argc == 2 ? err.text : "expected FILE");
    rc_model_laws_fini(&model.laws);
    return status != RC_OK;
}
