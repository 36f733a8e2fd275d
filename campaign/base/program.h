/* program.h - a program that is started, and waits until somebody watches it
 *
 * Whoever counts a program, or steps through it, has to be there before its first
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

/* What whoever steps through a program tells of it meanwhile. */
struct rc_program_watch {
    void *context;
    void (*stepped)(void *context, uint64_t instructions); /* now and then */
    void (*calls)(void *context, const struct rc_program_call *call);
};

/* A child that is, or was, to become a program. */
struct rc_program {
    pid_t pid;
    int gate;    /* written to: it goes */
    int failure; /* read from: errno of exec, or nothing where it became the program */
    const struct rc_program_watch *watch; /* set between start and go, or NULL */
};

/* Forks the child that will execute words[0] of the PATH with these words, no shell
 * between; its streams, limits, directory and environment are those of this process
 * before rollcall changed any.  On success rc_program_end() after it was waited for.
 * With 'as_kernel' it reads and prints nothing, has the same addresses each time, and
 * is killed where this process ends.
 */
int rc_program_start(char *const *words, bool as_kernel, struct rc_program *out,
                     struct rc_error *err);

void rc_program_go(struct rc_program *program); /* lets it go on, to exec */

/* 0, or errno where it could not become the program. */
int rc_program_end(struct rc_program *program);

/* Whether the file gives who executes it the rights of another user: setuid, setgid or
 * capabilities.  The kernel lets nobody preload, count or trace such a program.
 */
bool rc_program_gives_rights(const char *path);

/* The path of the program 'rollcall', with 'ending' behind it: of "" what users and
 * scripts are to call, of "-main" and "-launch" what that becomes.
 */
int rc_program_self(const char *ending, char *out, size_t room, struct rc_error *err);

#endif
