/* program.h - a program that is started, and waits until somebody watches it
 *
 * Whoever counts a program or steps through it has to be there before its first
 * instruction.  So the child that is to become it waits at a gate.
 */
#ifndef RC_CAMPAIGN_BASE_PROGRAM_H
#define RC_CAMPAIGN_BASE_PROGRAM_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A system call that a thread is about to make: its number and first arguments. */
struct rc_program_call {
    pid_t tid;
    int64_t number;
    uint64_t argument[3];
};

/* Called by whoever steps through a program, while it runs. */
struct rc_program_watch {
    void *context;
    void (*stepped)(void *context, uint64_t instructions); /* now and then */
    void (*calls)(void *context, const struct rc_program_call *call);
};

/* A child that is, or was, to become a program. */
struct rc_program {
    pid_t pid;
    int gate;    /* the child goes on when a byte is written to it */
    int failure; /* gives errno of exec, or nothing if the child became the program */
    const struct rc_program_watch *watch; /* set between start and go, or NULL */
};

/* Forks the child that will execute words[0], found on the PATH, with these words and
 * without a shell; its streams, limits, directory and environment are those of this
 * process before rollcall changed any.  After success the caller waits for the child
 * and then calls rc_program_end().  With 'as_kernel' it reads and prints nothing, has
 * the same addresses each time, and is killed when this process ends.
 */
int rc_program_start(char *const *words, bool as_kernel, struct rc_program *out,
                     struct rc_error *err);

void rc_program_go(struct rc_program *program); /* lets it go on, to exec */

/* 0, or errno where it could not become the program. */
int rc_program_end(struct rc_program *program);

/* Whether the file runs with the privileges of another user: setuid, setgid or
 * capabilities.  The kernel lets nobody preload, count or trace such a program.
 */
bool rc_program_gives_rights(const char *path);

/* The path of the program 'rollcall', with 'ending' appended: "" for the one that users
 * and scripts are to call, "-main" and "-launch" for those that it becomes.
 */
int rc_program_self(const char *ending, char *out, size_t room, struct rc_error *err);

#endif
