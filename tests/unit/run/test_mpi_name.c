/* Names of MPIs from their own words, and whose launcher it is from its words. */
#include "campaign/cli/mpi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <mpi.h>

static void a_library_is_named_with_its_version(void **state)
{
    static const char *const cases[][2] = {
        {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, "
         "May 26, 2022",
         "Open MPI 4.1.4"},
        {"Open MPI v5.0.0rc12, package: ...", "Open MPI 5.0.0rc12"},
        {"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"
         "MPICH ABI:\t13:12:1\nMPICH Device:\tch4:ofi\n",
         "MPICH 4.0.2"},
        {"MPICH Version:      4.2.0\nMPICH Release date: Fri Feb  9", "MPICH 4.2.0"},
        {"Intel(R) MPI Library 2021.9 for Linux* OS\n\n", "Intel MPI 2021.9"},
        {"MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n"
         "MPI BUILD INFO : Sun Feb 26 15:15 2023 (git hash aecd99f)\n",
         "Cray MPICH 8.1.25.17"},
        {"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02",
         "MVAPICH2 2.3.7"},
        {"MVAPICH Version:\t3.0\nMVAPICH Release date:\t02/08/2024\n", "MVAPICH 3.0"},
        {"Some\tMPI 1.0, built here\nand there", "Some MPI 1.0"},
        {"MPICH Version:", "MPICH "},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[MPI_MAX_LIBRARY_VERSION_STRING];
        rc_mpi_name_of(cases[i][0], name, sizeof name);
        assert_string_equal(name, cases[i][1]);
    }
}

static void a_long_name_is_cut(void **state)
{
    char name[12];

    (void)state;
    rc_mpi_name_of("Open MPI v4.1.4567890123456789", name, sizeof name);
    assert_string_equal(name, "Open MPI 4.");
}

static void the_name_at_hand_is_one_line(void **state)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING];

    (void)state;
    rc_mpi_name(name, sizeof name);
    assert_true(name[0]);
    assert_null(strpbrk(name, "\t\r\n,"));
}

static void a_launcher_says_whose_it_is(void **state)
{
    static const struct {
        const char *said, *owner;
    } cases[] = {
        {"", NULL},
        {"mpiexec version 1.2.12 revision c6a1f7a", NULL}, /* PALS */
        {"mpirun (Open MPI) 4.1.4\n\nReport bugs to ...", "Open MPI"},
        {"mpiexec (OpenRTE) 3.1.3\n", "Open MPI"},
        {"HYDRA build details:\n    Version:  4.0.2\n", "MPICH"},
        {"Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307", "MPICH"},
    };
#ifdef OPEN_MPI
    const char *const own = "Open MPI";
#else
    const char *const own = "MPICH";
#endif

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *owner = "unset";
        const bool foreign = rc_mpi_launcher_is_foreign(cases[i].said, &owner);
        if (!cases[i].owner) {
            assert_null(owner);
            assert_false(foreign);
            continue;
        }
        assert_string_equal(owner, cases[i].owner);
        assert_int_equal(foreign, strcmp(owner, own) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_is_named_with_its_version),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(the_name_at_hand_is_one_line),
        cmocka_unit_test(a_launcher_says_whose_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
