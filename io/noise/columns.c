/* The numbers of each event in a suite: which there are, and how they lie in the file.
 */
#include "campaign/base/agree.h"
#include "io/noise/parts.h"

static const char *const yes_no[] = {"no", "yes"};

#define COLUMN(of_type, of_member, label, of_meaning)                                  \
    .name = (label), .type = (of_type), .meaning = (of_meaning),                       \
    .member = offsetof(struct rc_noise_file_columns, of_member)
#define FLAG(member, label, meaning)                                                   \
    {                                                                                  \
        COLUMN(RC_EVENT_BYTE, member, label, meaning), .words = yes_no, .limit = 2     \
    }

const struct rc_event_set rc_noise_sets[RC_NOISE_SETS] = {
    {COLUMN(RC_EVENT_REAL, median, "median",
            "median of all readings, summed over the points"),
     .unit = "1/iteration"},
    {COLUMN(RC_EVENT_REAL, mad, "mad", "median absolute deviation"), .unit = "1"},
    {COLUMN(RC_EVENT_REAL, variance, "components",
            "variance that the level adds, relative; not cut off at 0"),
     .scale = {"level"}, .unit = "1"},
    {COLUMN(RC_EVENT_REAL, low, "low", "95 % interval of the component"),
     .scale = {"level"}, .unit = "1"},
    {COLUMN(RC_EVENT_REAL, high, "high", "95 % interval of the component"),
     .scale = {"level"}, .unit = "1"},
    {COLUMN(RC_EVENT_REAL, distance, "distance",
            "root mean square difference of two readings"),
     .scale = {"level"}, .unit = "1"},
    {COLUMN(RC_EVENT_SINGLE, place_median, "place_median",
            "median of a place's readings, relative to all"),
     .scale = {"place"}, .unit = "1"},
    {COLUMN(RC_EVENT_BYTE, verdict, "verdict", "where the scatter is")},
    FLAG(heavy, "heavy", "a few outlying readings make the largest component"),
    FLAG(classes, "two_classes", "nodes are of two classes"),
    FLAG(judged, "judged", "nodes were compared"),
};

/* A chunk is a block, which is halved where the column is too wide. */
void rc_noise_size_set(struct rc_event_set *set, const void *results, size_t block)
{
    const struct rc_noise_file_suite *suite = results;

    if (set->scale[0])
        set->dim[0] =
            set->type == RC_EVENT_SINGLE ? suite->place_count : suite->level_count;
    if (set->type == RC_EVENT_BYTE && !set->words) {
        set->words = suite->verdict;
        set->limit = suite->verdict_count;
    }
    const size_t most = RC_EVENT_CHUNK_BYTES / (set->dim[0] * 8 + 1) + 1;
    set->chunk = block;
    while (set->chunk > most && set->chunk % 2 == 0)
        set->chunk /= 2;
}

static struct rc_event_range range_of(const struct rc_noise_file_columns *columns)
{
    return (struct rc_event_range){columns->first, columns->count, columns->stride};
}

int rc_noise_file_put_columns(struct rc_store *file,
                              const struct rc_noise_file_columns *columns,
                              struct rc_error *err)
{
    const struct rc_event_range range = range_of(columns);

    return rc_event_sets_write_last(file, &range, columns, err);
}

int rc_noise_file_read_columns(struct rc_store *file, size_t kind, size_t suite,
                               struct rc_noise_file_columns *columns,
                               struct rc_error *err)
{
    const struct rc_event_range range = range_of(columns);

    return rc_agree(file->comm,
                    rc_event_sets_read(file, kind, suite, &range, columns, err), err);
}
