/* sampling.h - where the program's threads are, found out by samples of their stacks
 *
 * Inside of the sampler only.  The kernel interrupts each thread of the program after
 * about so much of its processor time, follows its frame pointers and writes the
 * addresses into a ring that the sampler has mapped (perf_event_open(2), cpu-clock):
 * the program takes no part in it.  The sampler puts the addresses, as offsets in
 * files, into one tree of frames, and writes what is new in it as struct
 * rc_profile_stacks.
 *
 * Code without frame pointers (-fomit-frame-pointer, the default of compilers, and so
 * most libraries) ends a stack, or leaves out a caller.  That of the innermost
 * function, where the program is most often, is found in a piece of its stack by the
 * tables of its file, where those tell; else nothing is guessed.  Where it is asked
 * for, all callers are found so, in a larger piece.
 */
#ifndef RC_CAMPAIGN_PROFILE_STACKS_SAMPLING_H
#define RC_CAMPAIGN_PROFILE_STACKS_SAMPLING_H

#include "campaign/base/map.h"
#include "campaign/profile/stacks/symbols.h"
#include "campaign/profile/wire/plan.h"
#include "campaign/profile/wire/watch.h"
#include "campaign/profile/wire/writer.h"

/* mappings.c: files that hold code, numbered from 1 on.  Paths live in 'texts'. */
enum { RC_PROFILE_SEGMENTS = 4 /* of code that are kept of a file */ };
struct rc_profile_code {
    struct rc_profile_segment {
        uint64_t offset, bytes, address; /* in the file; in its own addresses */
    } segment[RC_PROFILE_SEGMENTS];      /* unused: all zeros */
    struct rc_profile_symbols *symbols; /* NULL: not asked for yet, or there are none */
    bool asked;
    struct rc_profile_rule { /* what the symbols said, since that takes long */
        uint64_t address;
        struct rc_profile_caller caller;
    } * rule;
    size_t rules, rule_room;
    struct rc_map rule_map; /* by address */
};
struct rc_profile_modules {
    struct rc_profile_module *item;
    struct rc_profile_code *code; /* of the same files */
    size_t count, item_room, code_room;
    struct rc_map map; /* by path */
    struct rc_pool *texts;
};
/* 0, or -1: no memory. */
int rc_profile_modules_init(struct rc_profile_modules *modules);
void rc_profile_modules_fini(struct rc_profile_modules *modules); /* accepts zeros */

/* The number of the file of that path, whose headers are read when it is met for the
 * first time; 0: no memory.  A module that is in memory alone has a name in brackets.
 */
uint32_t rc_profile_modules_find(struct rc_profile_modules *modules, const char *path);

/* rc_profile_symbols_caller() of a file by its number. */
struct rc_profile_caller rc_profile_modules_caller(struct rc_profile_modules *modules,
                                                   uint32_t module, uint64_t address);

/* The parts of a process's memory that hold code.  An address in it is 'address - bias'
 * in the file's own addresses, those that addr2line takes.
 */
struct rc_profile_mapping {
    uint64_t start, end, file_offset;
    const char *path; /* in the pool of the modules */
    uint64_t bias;    /* where it has a module */
    uint32_t module;  /* 0: nobody has asked for an address in it */
};
struct rc_profile_mappings {
    struct rc_profile_mapping *item; /* the newest last */
    size_t count, room;
    uint32_t pid;     /* whose they were when they were read */
    uint64_t read_ns; /* when they may be read again for an address that is in none */
};

/* The contents of /proc/PID/maps replace the mappings before; without it (the process
 * is gone) nothing changes.
 */
void rc_profile_mappings_read(struct rc_profile_mappings *mappings, uint32_t pid,
                              struct rc_pool *texts);
/* Code that is new in the process: 'path' from 'file_offset' on. */
void rc_profile_mappings_add(struct rc_profile_mappings *mappings, uint64_t start,
                             uint64_t end, uint64_t file_offset, const char *path,
                             struct rc_pool *texts);
/* Where the address is; false: in no code that is known.  Code that the program makes
 * itself has one place: its addresses tell nobody anything.
 */
bool rc_profile_mappings_find(struct rc_profile_mappings *mappings, uint64_t address,
                              struct rc_profile_modules *modules, uint32_t *module,
                              uint64_t *offset);
void rc_profile_mappings_fini(struct rc_profile_mappings *mappings);

/* unwind.c: a sample of a thread of a process, as the kernel gave it. */
struct rc_profile_sample {
    const uint64_t *address; /* by frame pointers, innermost first; marks among them */
    size_t addresses;
    const char *stack; /* of the thread's stack, from its pointer on; NULL: none */
    uint64_t stack_bytes;
    bool filled; /* the stack goes on after these bytes, as far as is known */
    const uint64_t *registers; /* RC_PROFILE_REGISTERS, in that order; NULL: none */
};
/* The registers by which frames are found, as struct perf_event_attr wants them.  0: on
 * this processor they are not known.
 */
#ifdef __x86_64__
#define RC_PROFILE_REGISTERS UINT64_C(0x1c0) /* bp, sp, ip */
#else
#define RC_PROFILE_REGISTERS UINT64_C(0)
#endif
enum { RC_PROFILE_REGISTER_COUNT = 3 };

/* Where the thread was and who called it, innermost first, as far as that is known: by
 * the registers and the stack and what files say of their functions' frames, if there
 * are registers; else by frame pointers.  'out' has room for all.
 */
/* Why there are no more. */
enum rc_profile_cut {
    RC_PROFILE_CUT_UNKNOWN, /* or they are whole */
    RC_PROFILE_CUT_BYTES,   /* the stack's piece is too short */
    RC_PROFILE_CUT_DEPTH,
};
size_t rc_profile_unwind(struct rc_profile_mappings *mappings,
                         struct rc_profile_modules *modules,
                         const struct rc_profile_sample *sample,
                         struct rc_profile_frame out[RC_PROFILE_PLACES],
                         enum rc_profile_cut *cut);

/* So many samples a second of processor time of each thread; with 'stack_bytes'
 * registers and so much of the stack, in which callers are found without frame
 * pointers, which costs more.  Writes what is found to 'writer'; where nothing can be
 * sampled that is written, 'why' says it, and *out is NULL.  NULL, too, without memory:
 * the profile goes on without.
 */
struct rc_profile_sampling;
void rc_profile_sampling_open(uint64_t hz, uint64_t stack_bytes,
                              struct rc_profile_writer *writer,
                              struct rc_profile_sampling **out, struct rc_error *why);
void rc_profile_sampling_close(struct rc_profile_sampling *sampling); /* NULL, too */

/* The time that a sample takes from the thread that is sampled, in ns: the kernel's
 * interrupt, and what it copies; tried on the calling thread in a few ms.  0: not
 * known.
 */
struct perf_event_attr;
double rc_profile_sample_ns(const struct perf_event_attr *attr);

/* The time that all samples so far took of the threads, as one was timed when it was
 * tried.
 */
uint64_t rc_profile_sampling_taken_ns(const struct rc_profile_sampling *sampling);

/* Samples become fewer, by halves, so that they take no more than 'budget' of the time
 * of a thread that is sampled, or more again where there is clearly room; that is said
 * in a record.
 */
void rc_profile_sampling_limit(struct rc_profile_sampling *sampling, double budget);

/* Whether rings have room for twice the samples that come in so many ns. */
bool rc_profile_sampling_keeps(const struct rc_profile_sampling *sampling, uint64_t ns);

/* For the governor: by how many halves there are fewer beside those. */
uint8_t rc_profile_sampling_level(const struct rc_profile_sampling *sampling);
void rc_profile_sampling_set_level(struct rc_profile_sampling *sampling, uint8_t level);
/* Each so many-th sample that was asked for is taken. */
uint64_t rc_profile_sampling_every(const struct rc_profile_sampling *sampling);

/* Takes on threads that are new, reads all rings, writes when it is time to. */
void rc_profile_sampling_round(struct rc_profile_sampling *sampling,
                               const struct rc_profile_watch *watch);
/* Reads all rings for the last time, and writes. */
void rc_profile_sampling_end(struct rc_profile_sampling *sampling);

#endif
