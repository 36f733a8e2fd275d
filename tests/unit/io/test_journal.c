#include "tests/lib/test.h"

#include "io/journal/crc32c.h"
#include "io/journal/format.h"
#include "io/journal/seen.h"
#include "tests/lib/journal_lib.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char work[64], file[128];
static struct journal_met met;
static struct rc_journal_report report;
static struct rc_error err;

static int clear(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", work);
    err = (struct rc_error){0};
    return system(command);
}

static struct rc_journal_setting setting_of(uint32_t writer, uint64_t first)
{
    return (struct rc_journal_setting){.dir = work,
                                       .node = "n",
                                       .campaign = journal_ours,
                                       .writer = writer,
                                       .first_sequence = first,
                                       .sync_ms = RC_JOURNAL_SYNC_NEVER};
}

static struct rc_journal *open_ours(uint32_t writer, uint64_t first)
{
    struct rc_journal_setting setting = setting_of(writer, first);
    struct rc_journal *journal;

    if (rc_journal_open(&setting, &journal, &err) != RC_OK)
        fail_msg("%s", err.text);
    return journal;
}

static void write_some(uint32_t writer, uint64_t first, uint64_t count)
{
    struct rc_journal *journal = open_ours(writer, first);

    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(journal_put(journal, writer, first + i, &err), RC_OK);
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
}

static unsigned char *slurp(size_t *bytes)
{
    static unsigned char content[1 << 20];
    FILE *in = fopen(file, "rb");

    assert_non_null(in);
    *bytes = fread(content, 1, sizeof content, in);
    fclose(in);
    return content;
}

static size_t copy(unsigned char *out)
{
    size_t bytes;
    const unsigned char *content = slurp(&bytes);

    memcpy(out, content, bytes);
    return bytes;
}

static void spit(const void *content, size_t bytes)
{
    char directory[128];

    snprintf(directory, sizeof directory, "%s/journal", work);
    mkdir(directory, 0777);
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(content, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

static int read_ours(void)
{
    return journal_read(file, &journal_ours, &met, &report, &err);
}

/* Everything in a file is told: what is whole and what is damaged. */
static void assert_all_bytes_told(void)
{
    assert_int_equal(report.whole_bytes + report.damaged_bytes, report.file_bytes);
    assert_int_equal(met.damaged_bytes, report.damaged_bytes);
    assert_int_equal(met.damages, report.damaged_places);
    assert_int_equal(met.count, report.records);
    assert_int_equal(met.wrong, 0);
}

static void header_of(unsigned char *out, uint32_t version, bool other_order,
                      const char *id)
{
    struct rc_journal_id campaign;
    const unsigned char swapped[] = {1, 2, 3, 4};

    memcpy(campaign.byte, id, sizeof campaign.byte);
    rc_journal_put_header(out, &campaign);
    rc_journal_put32(out + 8, version);
    if (other_order)
        memcpy(out + 12, swapped, sizeof swapped);
    rc_journal_put32(out + 60, rc_crc32c(0, out, 60));
}

static void expect_refusal(int status, const char *words)
{
    struct rc_journal_setting setting = setting_of(0, 0);
    struct rc_journal *journal;
    char line[256];

    snprintf(line, sizeof line, "%s%s", file, words);
    assert_int_equal(read_ours(), status);
    assert_string_equal(err.text, line);
    assert_int_equal(met.count, 0);
    err.text[0] = '\0';
    assert_int_equal(rc_journal_open(&setting, &journal, &err), status);
    assert_null(journal);
}

static void journals_of_others_are_refused_in_clear_words(void **state)
{
    static const struct {
        uint32_t version;
        bool other_order;
        const char *id;
        int status;
        const char *words;
    } bad[] = {
        {2, false, "campaign of test", RC_EUNSUPPORTED,
         ": offset 8: a journal of version 2, this program reads version 1"},
        {UINT32_MAX, true, "campaign of others", RC_EUNSUPPORTED,
         ": offset 8: a journal of version 4294967295, this program reads version 1"},
        {0, false, "campaign of test", RC_EUNSUPPORTED,
         ": offset 8: a journal of version 0, this program reads version 1"},
        {1, true, "campaign of test", RC_EUNSUPPORTED,
         ": offset 12: a journal written on a machine of another byte order, expected "
         "this machine's"},
        {1, false, "campaign of many", RC_ECONFLICT,
         ": offset 16: the journal of another campaign, "
         "63616d706169676e206f66206d616e79, expected 63616d706169676e206f662074657374"},
    };
    unsigned char header[RC_JOURNAL_HEADER];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        header_of(header, bad[i].version, bad[i].other_order, bad[i].id);
        spit(header, sizeof header);
        expect_refusal(bad[i].status, bad[i].words);
    }
}

static void what_is_no_journal_is_refused_and_left_alone(void **state)
{
    static const char *const bad[] = {
        "x",
        "units: 5\n",
        "\x89PNG\r\n\x1a\n",
        "A file of words, longer than a header, that knows nothing of campaigns.\n",
    };
    size_t bytes;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        spit(bad[i], strlen(bad[i]));
        assert_int_equal(read_ours(), RC_EUSAGE);
        assert_non_null(strstr(err.text, ": offset 0: not a journal"));
        struct rc_journal_setting setting = setting_of(0, 0);
        struct rc_journal *journal;
        assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_EUSAGE);
        assert_non_null(strstr(err.text, ": offset 0: not a journal; nothing is"));
        unsigned char *content = slurp(&bytes);
        assert_int_equal(bytes, strlen(bad[i]));
        assert_memory_equal(content, bad[i], bytes);
    }
}

static void
names_that_lead_elsewhere_and_things_that_are_no_files_are_refused(void **state)
{
    static const char *const bad[] = {"", ".", "..", ".x", "a/b", "/", "../evil"};
    struct rc_journal_setting setting = setting_of(0, 0);
    struct rc_journal *journal;
    char path[PATH_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setting.node = bad[i];
        assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_EUSAGE);
        assert_null(journal);
    }
    assert_int_equal(rc_journal_path(work, "node", path, 10, &err), RC_EUSAGE);
    spit("", 0);
    unlink(file);
    mkfifo(file, 0666);
    assert_int_equal(read_ours(), RC_EUSAGE);
    assert_non_null(strstr(err.text, "is a pipe, expected a file"));
    setting.node = "n";
    assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_EUSAGE);
    unlink(file);
    mkdir(file, 0777);
    assert_int_equal(read_ours(), RC_EUSAGE);
    assert_true(rc_journal_open(&setting, &journal, &err) < 0);
    rmdir(file);
    assert_int_equal(read_ours(), RC_EMISSING);
    setting.dir = "/nowhere";
    assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_EMISSING);
    assert_string_equal(err.text, "cannot create the directory '/nowhere/journal': No "
                                  "such file or directory");
}

static void what_was_appended_is_read_back_in_order(void **state)
{
    (void)state;
    write_some(3, 0, 200);
    write_some(1, 5, 100);
    assert_int_equal(read_ours(), RC_OK);
    assert_all_bytes_told();
    assert_int_equal(report.records, 300);
    assert_int_equal(report.next_sequence, 200);
    assert_int_equal(report.damaged_places + met.disordered, 0);
    assert_int_equal(journal_read(file, NULL, &met, &report, &err), RC_OK);
    assert_memory_equal(report.campaign.byte, journal_ours.byte, 16);
    char line[256];
    rc_journal_say(&report, file, line, sizeof line);
    assert_string_equal(line, "");
}

static void at_every_point_of_truncation_the_whole_records_remain(void **state)
{
    static unsigned char whole[1 << 16];
    uint64_t at[40];
    size_t bytes, count = 40, there = 0;

    (void)state;
    write_some(0, 0, count);
    bytes = copy(whole);
    at[0] = RC_JOURNAL_HEADER;
    for (size_t i = 1; i < count; i++)
        at[i] = at[i - 1] + 52 + journal_bytes_of(0, i - 1);
    for (size_t cut = 0; cut <= bytes; cut++) {
        while (there < count && at[there] + 52 + journal_bytes_of(0, there) <= cut)
            there++;
        spit(whole, cut);
        assert_int_equal(read_ours(), RC_OK);
        assert_all_bytes_told();
        assert_int_equal(report.records, there);
        assert_int_equal(report.tail_bytes, report.damaged_bytes);
        if (cut % 16 == 0) { /* and appending can continue after it */
            write_some(1, 0, 2);
            assert_int_equal(read_ours(), RC_OK);
            assert_all_bytes_told();
            assert_int_equal(report.records, there + 2);
        }
    }
}

static void a_flipped_byte_costs_its_own_record_only(void **state)
{
    static unsigned char whole[1 << 16];
    size_t bytes, record = 0, count = 20;
    uint64_t end = RC_JOURNAL_HEADER;

    (void)state;
    write_some(0, 0, count);
    bytes = copy(whole);
    for (size_t i = 0; i < bytes; i++) {
        if (i == end)
            end += 52 + journal_bytes_of(0, record++);
        for (int way = 0; way < 3; way++) {
            const unsigned char flips[] = {0x01, 0x80, 0xff};
            whole[i] ^= flips[way];
            spit(whole, bytes);
            assert_int_equal(read_ours(), RC_OK);
            assert_all_bytes_told();
            assert_int_equal(report.damaged_places, 1);
            assert_int_equal(report.header_damaged, i < RC_JOURNAL_HEADER);
            assert_int_equal(report.records, count - (i >= RC_JOURNAL_HEADER));
            if (i >= RC_JOURNAL_HEADER)
                assert_false(met.record[0][record - 1]);
            whole[i] ^= flips[way];
        }
    }
}

/* A journal of 30 records with something done to the middle of it. */
static void damage_in_the_middle_is_passed_over(void **state)
{
    static unsigned char whole[1 << 16], hurt[1 << 18];
    size_t bytes;
    static const struct {
        const char *what;
        int fill; /* -1: noise, -2: marks */
        size_t length;
        size_t replaced;
        size_t least;
    } damage[] = {
        {"zeros over it", 0, 512, 512, 20},     {"zeros between", 0, 4096, 0, 29},
        {"noise over it", -1, 512, 512, 20},    {"noise between", -1, 70000, 0, 29},
        {"marks between", -2, 8000, 0, 29},     {"0xff between", 0xff, 100, 0, 29},
        {"a piece missing", 0, 0, 500, 20},     {"one byte missing", 0, 0, 1, 29},
        {"the first half missing", 0, 0, 0, 0},
    };

    (void)state;
    write_some(0, 0, 30);
    bytes = copy(whole);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        size_t at = bytes / 2, used = damage[i].least ? at : 0;
        memcpy(hurt, whole, used);
        for (size_t b = 0; b < damage[i].length; b++)
            hurt[used++] = damage[i].fill == -1   ? (unsigned char)rand()
                           : damage[i].fill == -2 ? rc_journal_mark[b % RC_JOURNAL_MARK]
                                                  : (unsigned char)damage[i].fill;
        memcpy(hurt + used, whole + at + damage[i].replaced,
               bytes - at - damage[i].replaced);
        used += bytes - at - damage[i].replaced;
        spit(hurt, used);
        print_message("%s\n", damage[i].what);
        assert_int_equal(read_ours(), RC_OK);
        assert_all_bytes_told();
        assert_true(report.damaged_places >= 1);
        assert_true(report.records >= (damage[i].least ? damage[i].least : 13));
    }
}

static void records_of_another_campaign_and_copies_are_left_out(void **state)
{
    static unsigned char twice[1 << 16];
    struct rc_journal_setting setting = setting_of(0, 0);
    struct rc_journal *journal;
    size_t first, second;
    char line[512];

    (void)state;
    memcpy(setting.campaign.byte, "another campaign", 16);
    assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(rc_journal_append(journal, 1, "xx", 2, &err), RC_OK);
    rc_journal_close(journal, &err);
    second = copy(twice);
    memset(twice, 0, 64); /* so that the header does not tell */
    spit(twice, second);
    assert_int_equal(read_ours(), RC_ECONFLICT);
    unlink(file);
    write_some(0, 0, 50);
    first = copy(twice + second);
    spit(twice + second, first);
    int fd = open(file, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, twice, second), second);
    assert_int_equal(write(fd, twice + second + 64, first - 64), first - 64);
    close(fd);
    assert_int_equal(read_ours(), RC_OK);
    assert_all_bytes_told();
    assert_int_equal(report.records, 50);
    assert_int_equal(report.repeated, 50);
    assert_int_equal(report.foreign, 4);
    assert_int_equal(report.damaged_bytes, 64);
    rc_journal_say(&report, "n", line, sizeof line);
    assert_string_equal(line, "n: 64 of 9674 bytes are damaged, in 1 place from offset "
                              "4729 on; 50 whole records are taken; 4 records of "
                              "another campaign are left out; 50 records that came "
                              "twice are taken once");
}

static void a_record_inside_a_record_is_payload(void **state)
{
    static unsigned char inner[1 << 16];
    size_t bytes;

    (void)state;
    write_some(0, 0, 3);
    bytes = copy(inner);
    struct rc_journal *journal = open_ours(7, 0);
    assert_int_equal(rc_journal_append(journal, 1, inner, bytes, &err), RC_OK);
    rc_journal_close(journal, &err);
    assert_int_equal(read_ours(), RC_OK);
    assert_int_equal(report.records, 4);
    assert_int_equal(report.repeated, 0);
}

static void numbers_are_met_once_in_any_order(void **state)
{
    struct rc_journal_seen seen = {0};
    bool known[300][64] = {{false}};
    uint64_t key = 1;

    (void)state;
    for (size_t i = 0; i < 30000; i++) {
        key = key * 6364136223846793005U + 1442695040888963407U;
        uint32_t writer = (uint32_t)(key >> 33) % 300, number = (key >> 50) % 64;
        assert_int_equal(rc_journal_note(&seen, writer, number),
                         !known[writer][number]);
        known[writer][number] = true;
    }
    assert_int_equal(rc_journal_note(&seen, 0, UINT64_MAX), 1);
    assert_int_equal(rc_journal_note(&seen, 0, UINT64_MAX), 0);
    for (uint64_t i = 0; i < 5 * RC_JOURNAL_RANGES_MAX; i++)
        assert_int_equal(rc_journal_note(&seen, UINT32_MAX, 2 * i), 1);
    rc_journal_seen_fini(&seen);
}

static void the_checksum_is_crc32c_by_table_and_by_instruction(void **state)
{
    unsigned char data[300];

    (void)state;
    assert_int_equal(rc_crc32c(0, "123456789", 9), 0xe3069283U); /* RFC 3720's */
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * i + 7);
    for (size_t n = 0; n < 100; n++)
        for (size_t from = 0; from < 9; from++) {
            uint32_t crc = rc_crc32c_table(0, data + from, n);
            assert_int_equal(rc_crc32c(0, data + from, n), crc);
            assert_int_equal(rc_crc32c(rc_crc32c(0, data + from, n / 3),
                                       data + from + n / 3, n - n / 3),
                             crc);
        }
}

/* Runs a part in a process of its own, which ends with 0, 77 or a line. */
static int apart(int (*part)(void))
{
    int status;

    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(part());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int complain(const char *expected)
{
    fprintf(stderr, "said '%s', expected %s\n", err.text, expected);
    return 1;
}

/* Appends until it is refused; 0 where it was refused with these words, and
 * everything before is whole.
 */
static int append_until(const char *words)
{
    struct rc_journal_setting setting = setting_of(0, 0);
    struct rc_journal *journal;
    uint64_t count = 0;

    if (rc_journal_open(&setting, &journal, &err) != RC_OK)
        return complain("to open");
    while (count < JOURNAL_RECORDS && journal_put(journal, 0, count, &err) == RC_OK)
        count++;
    bool short_write = strstr(err.text, "could be appended") != NULL;
    if (!strstr(err.text, words) || strncmp(err.text, file, strlen(file)) != 0)
        return complain(words);
    if (journal_put(journal, 0, count, &err) == RC_OK)
        return complain("to be refused again");
    rc_journal_close(journal, &err);
    if (read_ours() != RC_OK || met.wrong || report.records != count || count == 0)
        return complain("to read all that was appended");
    fprintf(stderr, "%" PRIu64 " records whole, %s\n", count,
            short_write ? "one torn" : "none torn");
    return (short_write ? report.tail_bytes > 0 : true) ? 0 : 1;
}

static int under_a_limit(void)
{
    const struct rlimit limit = {10000, 10000};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    return append_until("the limit of file sizes (ulimit -f) is reached");
}

static void a_limit_of_file_sizes_costs_the_record_that_met_it(void **state)
{
    (void)state;
    assert_int_equal(apart(under_a_limit), 0);
    assert_int_equal(read_ours(), RC_OK);
    uint64_t before = report.records;
    write_some(1, 0, 10); /* without the limit appending continues after the torn one */
    assert_int_equal(read_ours(), RC_OK);
    assert_all_bytes_told();
    assert_int_equal(report.records, before + 10);
}

/* A place where this process may mount, with or without root's rights. */
static int mounts_of_its_own(void)
{
    char map[32];
    int used = snprintf(map, sizeof map, "0 %u 1", (unsigned)geteuid());

    if (unshare(CLONE_NEWNS) == 0)
        return 0;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return -1;
    int fd = open("/proc/self/uid_map", O_WRONLY);
    ssize_t put = write(fd, map, (size_t)used);
    close(fd);
    return put == used ? 0 : -1;
}

static int on_a_full_disk(void)
{
    if (mounts_of_its_own() != 0)
        return 77;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", work, "tmpfs", 0, "size=64k") != 0)
        return 77;
    return append_until("o space");
}

static void a_full_disk_costs_the_record_that_met_it(void **state)
{
    (void)state;
    int result = apart(on_a_full_disk);
    if (result == 77) {
        print_message("skipped: no right to mount a small tmpfs here\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static int without_rights(void)
{
    struct rc_journal_setting setting = setting_of(0, 0);
    struct rc_journal *journal;

    if (geteuid() == 0 && seteuid(65534) != 0)
        return 77;
    if (rc_journal_open(&setting, &journal, &err) != RC_EPERM || journal ||
        !strstr(err.text, ": Permission denied") || !strstr(err.text, work))
        return complain("a line that names the directory");
    return 0;
}

static void a_directory_that_is_read_only_is_named(void **state)
{
    (void)state;
    chmod(work, 0555);
    int result = apart(without_rights);
    chmod(work, 0777);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
    write_some(0, 0, 5);
    chmod(file, 0444); /* and so is a file */
    result = apart(without_rights);
    assert_int_equal(result, 0);
}

static void a_journal_that_is_removed_is_missed(void **state)
{
    struct rc_journal *journal = open_ours(0, 0);

    (void)state;
    assert_int_equal(journal_put(journal, 0, 0, &err), RC_OK);
    assert_int_equal(clear(NULL), 0);
    assert_int_equal(journal_put(journal, 0, 1, &err), RC_EMISSING);
    assert_non_null(strstr(err.text, "was removed while it was being written"));
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
}

/* The child tells the number of each record that append has returned for. */
static void a_writer_that_is_killed_loses_its_record_in_flight_only(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        int tell[2];
        uint64_t told = 0, number;
        clear(NULL);
        write_some(5, 0, 3);
        assert_int_equal(pipe(tell), 0);
        pid_t child = fork();
        if (child == 0) {
            struct rc_journal *journal = open_ours(0, 0);
            for (uint64_t i = 0; i < JOURNAL_RECORDS - 3; i++) /* three follow */
                if (journal_put(journal, 0, i, &err) != RC_OK ||
                    write(tell[1], &i, sizeof i) != sizeof i)
                    break;
            pause();
        }
        close(tell[1]);
        while (told < (uint64_t)(1 + 37 * round) &&
               read(tell[0], &number, sizeof number) == sizeof number)
            told = number + 1;
        kill(child, SIGKILL);
        while (read(tell[0], &number, sizeof number) == sizeof number)
            told = number + 1;
        close(tell[0]);
        waitpid(child, NULL, 0);
        assert_int_equal(read_ours(), RC_OK);
        assert_all_bytes_told();
        assert_true(report.records - 3 >= told && report.records - 3 <= told + 1);
        write_some(0, report.next_sequence, 3);
        assert_int_equal(read_ours(), RC_OK);
        assert_all_bytes_told();
    }
}

static void every_sync_setting_writes_the_same(void **state)
{
    static const int64_t ms[] = {RC_JOURNAL_SYNC_NEVER, RC_JOURNAL_SYNC_EACH, 1,
                                 100000};

    (void)state;
    for (size_t i = 0; i < sizeof ms / sizeof ms[0]; i++) {
        struct rc_journal_setting setting = setting_of((uint32_t)i, 0);
        struct rc_journal *journal;
        setting.sync_ms = ms[i];
        assert_int_equal(rc_journal_open(&setting, &journal, &err), RC_OK);
        for (uint64_t n = 0; n < 20; n++)
            assert_int_equal(journal_put(journal, (uint32_t)i, n, &err), RC_OK);
        assert_int_equal(rc_journal_sync(journal, &err), RC_OK);
        assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    }
    assert_int_equal(rc_journal_close(NULL, &err), RC_OK);
    assert_int_equal(read_ours(), RC_OK);
    assert_all_bytes_told();
    assert_int_equal(report.records, 80);
}

static void a_record_that_is_too_long_is_refused(void **state)
{
    struct rc_journal *journal = open_ours(0, 0);

    (void)state;
    assert_int_equal(
        rc_journal_append(journal, 1, "", RC_JOURNAL_PAYLOAD_MAX + (size_t)1, &err),
        RC_EUSAGE);
    assert_non_null(strstr(err.text, "expected at most 1073741824"));
    rc_journal_close(journal, &err);
}

static int stop_at_two(void *user, const struct rc_journal_record *record,
                       struct rc_error *error)
{
    (void)record;
    if (++*(int *)user < 2)
        return RC_OK;
    return rc_fail(error, RC_ENOMEM, "enough");
}

static void a_visitor_can_end_the_scan(void **state)
{
    int count = 0;
    const struct rc_journal_visitor visitor = {stop_at_two, NULL, &count};

    (void)state;
    write_some(0, 0, 9);
    assert_int_equal(rc_journal_scan(file, NULL, &visitor, &report, &err), RC_ENOMEM);
    assert_int_equal(count, 2);
    assert_string_equal(err.text, "enough");
}

static int count_only(void *user, const struct rc_journal_record *record,
                      struct rc_error *error)
{
    (void)error;
    *(uint64_t *)user += record->bytes;
    return RC_OK;
}

/* Processor time of this process: others may use them too. */
static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double scan_seconds(uint64_t count)
{
    struct rc_journal *journal = open_ours(0, 0);
    static const unsigned char payload[200];
    uint64_t bytes = 0;
    const struct rc_journal_visitor visitor = {count_only, NULL, &bytes};
    double best = 1e9;

    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(rc_journal_append(journal, 1, payload, 200, &err), RC_OK);
    rc_journal_close(journal, &err);
    for (int i = 0; i < 3; i++) {
        double begin = cpu_seconds();
        assert_int_equal(rc_journal_scan(file, NULL, &visitor, &report, &err), RC_OK);
        double s = cpu_seconds() - begin;
        best = s < best ? s : best;
        assert_int_equal(report.records, count);
    }
    clear(NULL);
    return best;
}

static void the_time_of_a_scan_is_linear_in_records(void **state)
{
    double few = scan_seconds(20000), many = scan_seconds(200000);

    (void)state;
    print_message("%.3g and %.3g records of 200 bytes a second (2e4 and 2e5)\n",
                  2e4 / few, 2e5 / many);
    assert_true(many / few < 30); /* 10 in theory; others use its caches too */
}

/* Claims of a length that is there, with a checksum that is wrong, all through
 * the file: searching each claim again would take the square of the length.
 */
static void a_file_of_false_claims_takes_no_square_of_time(void **state)
{
    static unsigned char claims[1 << 20];
    struct rc_journal_record record = {.bytes = sizeof claims / 2};

    (void)state;
    rc_journal_put_header(claims, &journal_ours);
    for (size_t at = RC_JOURNAL_HEADER; at + 48 < sizeof claims; at += 48)
        rc_journal_put_before(claims + at, &journal_ours, &record);
    spit(claims, sizeof claims);
    double begin = cpu_seconds();
    assert_int_equal(read_ours(), RC_OK);
    double seconds = cpu_seconds() - begin;
    assert_all_bytes_told();
    assert_int_equal(report.records, 0);
    print_message("%.3f s\n", seconds);
    assert_true(seconds < 5);
}

static void a_long_record_and_its_neighbours_are_read(void **state)
{
    const size_t bytes = (size_t)5 << 20;
    unsigned char *payload = calloc(1, bytes);
    uint64_t sum = 0;
    const struct rc_journal_visitor visitor = {count_only, NULL, &sum};
    struct rc_journal *journal = open_ours(0, 0);

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(
            rc_journal_append(journal, 1, payload, i % 2 ? bytes : bytes / 9 * i, &err),
            RC_OK);
    rc_journal_close(journal, &err);
    free(payload);
    assert_int_equal(rc_journal_scan(file, &journal_ours, &visitor, &report, &err),
                     RC_OK);
    assert_int_equal(report.records, 4);
    assert_int_equal(report.damaged_bytes, 0);
    assert_int_equal(sum, 2 * bytes + bytes / 9 * 2);
}

static void records_that_are_held_come_at_once_or_not_at_all(void **state)
{
    enum { HELD = 40 };
    struct rc_journal *journal = open_ours(1, 0);
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    struct stat before, now;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(journal_put(journal, 1, 0, &err), RC_OK);
    for (int turn = 0; turn < 2; turn++) { /* the first has no room in the file */
        assert_int_equal(stat(file, &before), 0);
        const struct rlimit most = {(rlim_t)before.st_size + 100, RLIM_INFINITY};
        rc_journal_hold(journal);
        for (uint64_t i = 0; i < HELD; i++)
            assert_int_equal(
                journal_put(journal, 1, 1 + HELD * (uint64_t)turn + i, &err), RC_OK);
        assert_int_equal(stat(file, &now), 0);
        assert_int_equal(now.st_size, before.st_size);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, turn == 0 ? &most : &all), 0);
        assert_int_equal(rc_journal_release(journal, &err), turn ? RC_OK : RC_EIO);
    }
    assert_non_null(strstr(err.text, "ulimit -f"));
    assert_int_equal(rc_journal_release(journal, &err), RC_OK); /* there is nothing */
    assert_int_equal(journal_put(journal, 1, 1 + 2 * HELD, &err), RC_OK);
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    assert_int_equal(read_ours(), RC_OK);
    assert_all_bytes_told();
    assert_int_equal(report.damaged_places, 1);
    assert_in_range(met.count, HELD + 2, HELD + 4); /* some of 100 bytes may be whole */
    for (size_t i = 1 + HELD; i <= 1 + 2 * HELD; i++)
        assert_true(met.record[1][i]);
}

#define TEST(name) cmocka_unit_test_setup(name, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(journals_of_others_are_refused_in_clear_words),
        TEST(what_is_no_journal_is_refused_and_left_alone),
        TEST(names_that_lead_elsewhere_and_things_that_are_no_files_are_refused),
        TEST(what_was_appended_is_read_back_in_order),
        TEST(at_every_point_of_truncation_the_whole_records_remain),
        TEST(a_flipped_byte_costs_its_own_record_only),
        TEST(damage_in_the_middle_is_passed_over),
        TEST(records_of_another_campaign_and_copies_are_left_out),
        TEST(a_record_inside_a_record_is_payload),
        TEST(numbers_are_met_once_in_any_order),
        TEST(the_checksum_is_crc32c_by_table_and_by_instruction),
        TEST(a_limit_of_file_sizes_costs_the_record_that_met_it),
        TEST(a_full_disk_costs_the_record_that_met_it),
        TEST(a_directory_that_is_read_only_is_named),
        TEST(a_journal_that_is_removed_is_missed),
        TEST(a_writer_that_is_killed_loses_its_record_in_flight_only),
        TEST(every_sync_setting_writes_the_same),
        TEST(a_record_that_is_too_long_is_refused),
        TEST(a_visitor_can_end_the_scan),
        TEST(the_time_of_a_scan_is_linear_in_records),
        TEST(a_file_of_false_claims_takes_no_square_of_time),
        TEST(a_long_record_and_its_neighbours_are_read),
        TEST(records_that_are_held_come_at_once_or_not_at_all),
    };

    snprintf(work, sizeof work, "/tmp/rc_journal_XXXXXX");
    if (!mkdtemp(work))
        return 1;
    chmod(work, 0777);
    snprintf(file, sizeof file, "%s/journal/n.rcj", work);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clear(NULL);
    rmdir(work);
    return failed;
}
