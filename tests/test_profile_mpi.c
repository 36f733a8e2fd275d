/* The layer around MPI: its table against mpi.h, and its memory of persistent requests.
 * What it records of programs is tried by profile_mpi.sh.
 */
#include "tests/test.h"

#include "campaign/profile/preload/mpi/mpi_layer.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

#define ZEROS0
#define ZEROS1 0
#define ZEROS2 0, ZEROS1
#define ZEROS3 0, ZEROS2
#define ZEROS4 0, ZEROS3
#define ZEROS5 0, ZEROS4
#define ZEROS6 0, ZEROS5
#define ZEROS7 0, ZEROS6
#define ZEROS8 0, ZEROS7
#define ZEROS9 0, ZEROS8
#define ZEROS10 0, ZEROS9
#define ZEROS11 0, ZEROS10
#define ZEROS12 0, ZEROS11
#define ZEROS13 0, ZEROS12

/* It does not compile where the table says another number of arguments than mpi.h. */
static void functions_have_as_many_arguments_as_mpi_h_says(void **test)
{
    volatile bool called = false;
    (void)test;
    if (called) {
#define CALL(c, f, Name, ...) MPI_##Name(ZEROS##c);
#include "campaign/profile/preload/mpi/mpi_calls.h"
#undef CALL
    }
    assert_false(called);
}

/* Those that have texts among them, whose lengths come behind. */
static int texts_in(const char *name)
{
    static const struct {
        const char *name;
        int texts;
    } with[] = {{"File_open", 1},
                {"File_set_view", 1},
                {"Comm_accept", 1},
                {"Comm_connect", 1},
                {"Comm_spawn", 2}};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (strcmp(with[i].name, name) == 0)
            return with[i].texts;
    return 0;
}

static void fortran_has_a_return_code_more_and_the_lengths_of_texts(void **test)
{
    static const struct {
        const char *name;
        int in_c, in_fortran;
    } table[] = {
#define CALL(c, f, Name, ...) {#Name, c, f},
#include "campaign/profile/preload/mpi/mpi_calls.h"
#undef CALL
    };
    (void)test;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int main_has = strncmp(table[i].name, "Init", 4) == 0 ? 2 : 0; /* argc, argv */
        assert_int_equal(table[i].in_fortran,
                         table[i].in_c - main_has + 1 + texts_in(table[i].name));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(table[i].name, table[j].name);
    }
}

static void bytes_of_a_request_are_kept_until_it_is_freed(void **test)
{
    (void)test;
    assert_int_equal(rc_mpi_requests_find(4711), 0);
    rc_mpi_requests_keep(4711, 40);
    rc_mpi_requests_keep(-5, 8);
    assert_int_equal(rc_mpi_requests_find(4711), 40);
    rc_mpi_requests_keep(4711, 44); /* freed unseen, and made anew */
    assert_int_equal(rc_mpi_requests_find(4711), 44);
    rc_mpi_requests_forget(4711);
    rc_mpi_requests_forget(4712);
    assert_int_equal(rc_mpi_requests_find(4711), 0);
    assert_int_equal(rc_mpi_requests_find(-5), 8);
    rc_mpi_requests_forget(-5);
}

/* 1024 fit; what does not is not known, and what was freed makes room. */
static void more_requests_than_there_is_room_for_are_left_out(void **test)
{
    const intptr_t base = 0x7f0000001000, step = 192;
    size_t kept = 0;
    (void)test;
    for (intptr_t i = 1; i <= 1500; i++)
        rc_mpi_requests_keep(base + i * step, (uint64_t)i);
    for (intptr_t i = 1; i <= 1500; i++) {
        uint64_t bytes = rc_mpi_requests_find(base + i * step);
        assert_true(bytes == (uint64_t)i || !bytes);
        kept += bytes > 0;
    }
    assert_int_equal(kept, 1024);
    for (intptr_t i = 1; i <= 1500; i++)
        rc_mpi_requests_forget(base + i * step);
    for (int i = 0; i < 100000; i++) { /* made and freed again and again */
        rc_mpi_requests_keep(base + i, 7);
        assert_int_equal(rc_mpi_requests_find(base + i), 7);
        rc_mpi_requests_forget(base + i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_as_many_arguments_as_mpi_h_says),
        cmocka_unit_test(fortran_has_a_return_code_more_and_the_lengths_of_texts),
        cmocka_unit_test(bytes_of_a_request_are_kept_until_it_is_freed),
        cmocka_unit_test(more_requests_than_there_is_room_for_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
