/* The program 'rollcall', which users start: becomes rollcall-launch if it may have to
 * launch a program for a profile, else rollcall-main.
 *
 * rollcall-main links the libraries of all commands, which takes the dynamic linker ten
 * milliseconds and more; a launch, which each rank of a profiled program makes, needs
 * few of them, and this program none.
 */
#include "campaign/cli/become.h"

#include <string.h>

int main(int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[1], "profile") == 0; i++)
        if (strcmp(argv[i], "--") == 0) {
            rc_become_launcher(argv); /* on failure rollcall-main does it */
            break;
        }
    return rc_become_main(argv);
}
