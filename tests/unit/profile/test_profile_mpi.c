/* The layer around MPI: its tables against mpi.h, and its memory of persistent
 * requests. profile_mpi.sh tries its records of programs.
 */
#include "tests/lib/test.h"

#include "campaign/profile/preload/mpi/mpi_layer.h"

#include <dlfcn.h>
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
#include "solve/waiting/mpi_calls.h"
#undef CALL
    }
    assert_false(called);
}

/* Functions with texts among their arguments, whose lengths follow. */
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
#include "solve/waiting/mpi_calls.h"
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
    rc_mpi_requests_keep(4711, 44); /* freed unseen, and made again */
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

/* The handle is as the table says, of the MPI that this was compiled with. */
#define IS_CONSTANT(handle, constant)                                                  \
    do {                                                                               \
        const struct rc_mpi_constant *c = (constant);                                  \
        assert_int_equal(sizeof(handle) * 8 + rc_mpi_abi.spare_bits, 64);              \
        assert_int_equal((intptr_t)(handle), c->variable                               \
                                                 ? (intptr_t)dlsym(NULL, c->variable)  \
                                                 : c->number);                         \
    } while (0)

static void interface_is_found_and_is_that_of_mpi_h(void **test)
{
    const struct rc_mpi_abi *abi = &rc_mpi_abi;
    (void)test;
    assert_true(rc_mpi_abi_find());
#ifdef OPEN_MPI
    assert_string_equal(abi->names->mark, rc_mpi_abi_open.names->mark);
    assert_int_equal(abi->count_at, offsetof(MPI_Status, _ucount));
#else
    assert_string_equal(abi->names->mark, rc_mpi_abi_mpich.names->mark);
    assert_int_equal(abi->count_at, offsetof(MPI_Status, count_lo));
    assert_int_equal(abi->count_at + 4, offsetof(MPI_Status, count_hi_and_cancelled));
#endif
    assert_int_equal(abi->status_bytes, sizeof(MPI_Status));
    assert_true(sizeof(MPI_Status) <= sizeof(struct rc_mpi_status));
    assert_int_equal(abi->source_at, offsetof(MPI_Status, MPI_SOURCE));
    assert_int_equal(abi->tag_at, offsetof(MPI_Status, MPI_TAG));
    assert_int_equal(abi->any_source, MPI_ANY_SOURCE);
    assert_int_equal(abi->proc_null, MPI_PROC_NULL);
    assert_int_equal(abi->root, MPI_ROOT);
    assert_int_equal(abi->names->cart, MPI_CART);
    assert_int_equal(abi->names->graph, MPI_GRAPH);
    assert_int_equal(abi->names->dist_graph, MPI_DIST_GRAPH);
    assert_int_equal(abi->in_place, (intptr_t)MPI_IN_PLACE);
    assert_int_equal(abi->status_ignore, (intptr_t)MPI_STATUS_IGNORE);
    assert_int_equal(abi->status_ignore, (intptr_t)MPI_STATUSES_IGNORE);
    assert_int_equal(RC_MPI_ANY_TAG, MPI_ANY_TAG);
    assert_int_equal(RC_MPI_UNDEFINED, MPI_UNDEFINED);
    assert_int_equal(RC_MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE);
    IS_CONSTANT(MPI_COMM_WORLD, &abi->names->world);
    IS_CONSTANT(MPI_COMM_NULL, &abi->names->null);
    IS_CONSTANT(MPI_REQUEST_NULL, &abi->names->request_null);
    IS_CONSTANT(MPI_INT64_T, &abi->names->int64);
    IS_CONSTANT(MPI_INT, &abi->names->integer);
    IS_CONSTANT(MPI_MAX, &abi->names->most);
    IS_CONSTANT(MPI_SUM, &abi->names->sum);
}

static void handles_are_read_with_their_signs(void **test)
{
    _Alignas(8) const int array[4] = {1, (int)0x84000007U};
    (void)test;
    rc_mpi_abi = rc_mpi_abi_mpich;
    assert_int_equal(rc_mpi_handle_at(array, 1), (int)0x84000007U);
    assert_int_equal(rc_mpi_handle_of((void *)0x1284000007), (int)0x84000007U);
    rc_mpi_handle made = 0;
    memcpy(&made, &array[1], sizeof array[1]);
    rc_mpi_handle_made(&made);
    assert_int_equal(made, (int)0x84000007U);
    rc_mpi_abi = rc_mpi_abi_open;
    assert_int_equal(rc_mpi_handle_of((void *)0x1284000007), 0x1284000007);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_as_many_arguments_as_mpi_h_says),
        cmocka_unit_test(fortran_has_a_return_code_more_and_the_lengths_of_texts),
        cmocka_unit_test(interface_is_found_and_is_that_of_mpi_h),
        cmocka_unit_test(handles_are_read_with_their_signs),
        cmocka_unit_test(bytes_of_a_request_are_kept_until_it_is_freed),
        cmocka_unit_test(more_requests_than_there_is_room_for_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
