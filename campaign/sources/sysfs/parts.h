/* parts.h - what the files of the sysfs source share
 *
 * Private to campaign/sources/sysfs/ and their test.  The source reads numbers from
 * small files that the kernel writes below /sys and /proc.
 */
#ifndef RC_CAMPAIGN_SOURCES_SYSFS_PARTS_H
#define RC_CAMPAIGN_SOURCES_SYSFS_PARTS_H

#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/sources/counter.h"
#include "campaign/sources/source.h"

/* From which of the files that a family's pattern finds an event is read. */
enum rc_sysfs_each {
    RC_SYSFS_NODE, /* its only file: each file has events of its own */
    RC_SYSFS_CPU,  /* that of the CPU that the thread is on, by its number */
    RC_SYSFS_NUMA, /* that of the CPU's NUMA domain, by its number */
    RC_SYSFS_ZONE, /* powercap: that of the CPU's package, by the zone's name */
};

/* A family of events: files that are alike.  A file has one number, or, where 'keys' is
 * not NULL, lines "KEY VALUE", or, where 'columns' is not NULL, one line of numbers.
 */
struct rc_sysfs_family {
    const char *name;    /* first part of the events' names */
    const char *pattern; /* of files below the root; what its wildcards and braces
                          * match becomes part of the names */
    const char *what;    /* for descriptions, with the unit */
    enum rc_scope scope;
    enum rc_sysfs_each each;
    const char *label;    /* file beside them with a name for people, which replaces
                           * the first match in the events' names; NULL: none */
    const char *keys;     /* fnmatch() pattern, extended, of the keys that are events */
    const char *columns;  /* their names, with blanks between; "-": no event */
    const char *line;     /* key of the line that has them; NULL: the first one */
    const char *range;    /* file beside them with the value at which the counter wraps
                           * to 0; NULL: it does not wrap */
    unsigned sticks_bits; /* the counter stays at 2^bits - 1 until it is reset; 0: no */
    bool state;           /* not a counter: a reading is its value at the end */
    uint32_t tick_ns;     /* ns in one count of time; RC_SYSFS_TICKS: a tick of the
                           * system's clock; 0: it does not count time */
};
#define RC_SYSFS_TICKS UINT32_MAX

extern const struct rc_sysfs_family rc_sysfs_families[]; /* the last has no name */

/* An event, by its number. */
struct rc_sysfs_event {
    const char *name, *description, *evidence; /* as in struct rc_event_info */
    const struct rc_sysfs_family *family;
    enum rc_scope scope;
    const char *key; /* of its line; NULL: it is in the first */
    unsigned column; /* of the line's numbers, from 0 on */
};

/* A file that an event is read from. */
struct rc_sysfs_file {
    uint32_t event;
    uint32_t unit; /* number of its CPU, NUMA domain or package, or RC_SYSFS_NO_UNIT */
    const char *path;
};

#define RC_SYSFS_NO_UNIT UINT32_MAX

/* The source while it is open. */
struct rc_source_state {
    char *root; /* "", or the directory that stands for the system's "/" */
    struct rc_pool *pool;
    struct rc_sysfs_event *event;
    size_t count, room; /* of 'event': in use and allocated */
    struct rc_sysfs_file *file;
    size_t file_count, file_room;
    struct rc_map by_name; /* events */
};

/* Finds the files of all families and makes events from them, in a fixed order. */
int rc_sysfs_list(struct rc_source_state *state, struct rc_error *err);

/* Reads a file from its beginning: with 'whole' until it ends, else by one pread().
 * Returns the number of bytes, at most 'room' - 1, and puts a 0 after them; -1 with
 * errno.
 */
long rc_sysfs_read(int fd, char *out, size_t room, bool whole);

/* Reads a whole file of up to 16 MiB, by path; free() the text.  NULL with errno. */
char *rc_sysfs_slurp(const char *path);

/* Finds the number in a column (from 0 on) of the line with a key, or of the first line
 * where 'key' is NULL; "name=7" is 7.  Returns NULL, or why there is none, as 'why' in
 * struct rc_reading.
 */
const char *rc_sysfs_find(const char *text, const char *key, unsigned column,
                          struct rc_counter_number *out);

#endif
