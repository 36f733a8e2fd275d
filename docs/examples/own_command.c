/* own_command add|multiply N: N iterations of 4 additions, or of 2 multiplications, of
 * double precision. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const long iterations = argc > 2 ? atol(argv[2]) : 0;
    volatile double x = 1;

    for (long i = 0; i < iterations; i++)
        if (strcmp(argv[1], "add") == 0) {
            x = x + 1;
            x = x + 2;
            x = x - 1;
            x = x - 2;
        } else {
            x = x * 2;
            x = x * 0.5;
        }
    return x != 1;
}
