/* Rings of perf_event_open(2): records over the end, torn ones, and the kernel's own.
 */
#include "tests/lib/test.h"

#include "campaign/perf/perf.h"

#include <string.h>
#include <sys/ioctl.h>

enum { BYTES = 256 };

static char data[BYTES];
static struct perf_event_mmap_page about;
static const struct rc_perf_ring planted = {
    .about = &about, .data = data, .bytes = BYTES};
static uint64_t record[RC_PERF_RECORD_MOST / 8];

static void put(uint64_t at, uint16_t size, char mark)
{
    const struct perf_event_header head = {.type = 9, .size = size};

    for (size_t i = 0; i < size; i++)
        data[(at + i) % BYTES] = mark;
    memcpy(data + at % BYTES, &head, sizeof head);
}

static void a_record_that_is_torn_is_the_end(void **state)
{
    static const struct {
        uint16_t size;
        uint64_t bytes; /* that the kernel has written */
    } bad[] = {{0, 64}, {7, 64}, {72, 64}, {16, 8}, {16, 4}, {16, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t at = 3 * BYTES + 8;
        put(at, bad[i].size, 'x');
        assert_null(rc_perf_ring_next(&planted, at + bad[i].bytes, &at, record));
        assert_int_equal(at, 3 * BYTES + 8);
    }
}

static void a_record_over_the_end_of_the_ring_is_whole(void **state)
{
    uint64_t at = 5 * BYTES - 16;

    (void)state;
    put(at, 48, 'a');
    put(at + 48, 16, 'b');
    memset(record, 'z', sizeof record);
    const struct perf_event_header *head =
        rc_perf_ring_next(&planted, at + 64, &at, record);
    assert_non_null(head);
    assert_int_equal(head->size, 48);
    for (size_t i = sizeof *head; i < 48; i++)
        assert_int_equal(((const char *)head)[i], 'a');
    for (size_t i = 48; i < 48 + 64; i++)
        assert_int_equal(((const char *)head)[i], 0);
    head = rc_perf_ring_next(&planted, 5 * BYTES + 48, &at, record);
    assert_non_null(head);
    assert_int_equal(((const char *)head)[8], 'b');
    assert_null(rc_perf_ring_next(&planted, 5 * BYTES + 48, &at, record));
}

static void what_the_kernel_writes_is_read(void **state)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = 100000,
                                   .sample_type = PERF_SAMPLE_TID,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    struct rc_perf_ring ring = {0};
    const int fd = rc_perf_open(&attr, 0, -1, -1);
    const struct perf_event_header *head;
    uint64_t at = 0;
    size_t samples = 0;

    (void)state;
    rc_perf_ring_unmap(&ring);
    if (fd < 0)
        skip();
    assert_int_equal(rc_perf_ring_map(&ring, fd, 3 << 16), -1);
    assert_int_equal(rc_perf_ring_map(&ring, fd, 1 << 16), 0);
    for (volatile unsigned i = 0; i < 30000000; i++)
        ;
    (void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    const uint64_t end = rc_perf_ring_end(&ring);
    while ((head = rc_perf_ring_next(&ring, end, &at, record)))
        if (head->type == PERF_RECORD_SAMPLE) {
            assert_int_equal(((const uint32_t *)(head + 1))[0], getpid());
            samples++;
        }
    assert_int_equal(at, end);
    assert_true(samples > 0);
    rc_perf_ring_free(&ring, end);
    assert_int_equal(ring.about->data_tail, end);
    rc_perf_ring_unmap(&ring);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_that_is_torn_is_the_end),
        cmocka_unit_test(a_record_over_the_end_of_the_ring_is_whole),
        cmocka_unit_test(what_the_kernel_writes_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
