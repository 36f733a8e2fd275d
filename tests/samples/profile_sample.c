/* profile_sample - journals of a profile that never was, for scripts
 *
 * profile_sample DIR NODES RANKS [INSTANCES [hostile|steps|SERIES]]
 *
 * RANKS are of each node; INSTANCES of a region are in each ring.  With 'hostile' every
 * name wants to be more than a name; with 'steps' there are two phases; with another
 * word it is rollcall-fft3d, and its first series has that name.
 */
#include "tests/lib/profile_lib.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    static const char *const hostile[] = {
        "<script>alert(1)</script>", "a;b c\n\"'\\", "\xff\xfe=cmd|' /C calc'!A0",
        "MPI_\x1b[31mSend;",         "../../app",    "\",\"x\":{\"instructions"};
    struct rc_error err = {.rank = -1};

    if (argc < 4) {
        fprintf(stderr,
                "profile_sample DIR NODES RANKS [INSTANCES [hostile|steps|SERIES]]\n");
        return 2;
    }
    const uint64_t nodes = strtoull(argv[2], NULL, 10),
                   ranks = strtoull(argv[3], NULL, 10);
    for (uint64_t n = 0; n < nodes; n++) {
        char node[32];
        snprintf(node, sizeof node, "n%llu", (unsigned long long)n);
        struct sample_profile s = sample_profile(argv[1], node);
        s.writer = (uint32_t)n * RC_PROFILE_WRITERS;
        s.instances = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
        s.steps = argc > 5 && strcmp(argv[5], "steps") == 0;
        if (argc > 5 && strchr(argv[5], ':')) {
            s.rx = argv[5];
            s.program = "rollcall-fft3d";
        } else if (argc > 5 && !s.steps)
            memcpy(s.names, hostile, sizeof s.names);
        if (sample_launch(&s, n * ranks, ranks, nodes * ranks, &err) != RC_OK) {
            fprintf(stderr, "profile_sample: %s\n", err.text);
            return 1;
        }
    }
    return 0;
}
