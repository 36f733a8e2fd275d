/* Any bytes as records of a profile, each with a byte for its type and two for its
 * length, after those of a small one: refused with one line, or taken, and then the
 * same after they were written and read again; those of older versions are written as
 * of this one, which can be read.  Records that are taken are summed and exported.
 */
#include "campaign/profile/export/export.h"
#include "tests/lib/profile_lib.h"

#include <sys/stat.h>
#include <unistd.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rc_error err;

static void must(bool good)
{
    if (!good)
        abort();
}

static void check_record(uint32_t type, const void *payload, size_t bytes)
{
    struct rc_pool *texts = rc_pool_create();
    struct rc_arena lists = {0};
    struct rc_profile_payload of;
    struct rc_bytes again = {0};

    err.text[0] = 0;
    if (rc_profile_decode(type, payload, bytes, texts, &lists, &of, &err) != RC_OK) {
        must(err.text[0] && !strchr(err.text, '\n'));
    } else {
        must(rc_profile_encode(&of, &again, &err) == RC_OK);
        const bool older = *(const uint8_t *)payload != *(const uint8_t *)again.byte;
        must(older || (again.count == bytes && !memcmp(again.byte, payload, bytes)));
        must(rc_profile_decode(type, again.byte, again.count, texts, &lists, &of,
                               &err) == RC_OK);
    }
    rc_bytes_fini(&again);
    rc_arena_free(&lists);
    rc_pool_close(texts);
}

static void read_all(const char *dir)
{
    struct rc_profile *p;
    struct rc_profile_sums s = {0};
    FILE *null = fopen("/dev/null", "w");
    const struct rc_profile_choice choice = {.limit = 3};

    must(null && rc_profile_read(dir, true, &p, &err) == RC_OK);
    for (size_t n = 0; n < p->node_count; n++) {
        must(rc_profile_sum(p, p->node[n].launch.launch, NULL, &s, &err) == RC_OK);
        must(rc_profile_chrome.write(&s, &choice, null, null, &err) == RC_OK);
        must(rc_profile_folded.write(&s, &choice, null, null, &err) == RC_OK);
        rc_profile_sums_fini(&s);
    }
    rc_profile_close(p);
    fclose(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char dir[] = "/tmp/rollcall-fuzz-XXXXXX", path[64];
    static bool made;
    struct sample_profile s = sample_profile(dir, "n0");

    if (!made) {
        must(mkdtemp(dir) != NULL);
        snprintf(path, sizeof path, "%s/journal/n0.rcj", dir);
        made = true;
    }
    must(sample_begin(&s, &err) == RC_OK && sample_place(&s, 0, 0, &err) == RC_OK);
    for (size_t at = 0; at + 3 <= size;) {
        const uint32_t type = RC_PROFILE_LAUNCH + data[at];
        size_t bytes = data[at + 1] + 256 * (size_t)data[at + 2];
        at += 3;
        if (bytes > size - at)
            bytes = size - at;
        unsigned char *payload = rc_calloc(bytes, 1); /* so that its end is guarded */
        must(payload != NULL);
        memcpy(payload, data + at, bytes);
        at += bytes;
        check_record(type, payload, bytes);
        must(rc_journal_append(s.journal, type, payload, bytes, &err) == RC_OK);
        free(payload);
    }
    must(rc_journal_close(s.journal, &err) == RC_OK);
    read_all(dir);
    must(unlink(path) == 0);
    return 0;
}
