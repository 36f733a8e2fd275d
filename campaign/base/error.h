/* error.h - one status and one line for a human */
#ifndef RC_CAMPAIGN_BASE_ERROR_H
#define RC_CAMPAIGN_BASE_ERROR_H

enum rc_status {
    RC_OK = 0,
    RC_EUSAGE = -1,       /* wrong input: an option, a file's content */
    RC_ENOMEM = -2,       /* no memory */
    RC_EIO = -3,          /* the operating system refused: files, disks */
    RC_EMISSING = -4,     /* something named is not here */
    RC_EPERM = -5,        /* no permission */
    RC_EUNSUPPORTED = -6, /* this machine or build cannot do it */
    RC_ECONFLICT = -7,    /* things that do not go together */
    RC_EBROKEN = -8,      /* as RC_EIO, but a library must not be called again, not even
                           * at the process's end */
};

#define RC_ERROR_TEXT 1024

/* Filled on failure only.  'text' is one line without a newline and without
 * control characters, whatever the names in it held.  'rank' is the rank that
 * failed, or -1 where there is only this process; it is set by rc_agree().
 */
struct rc_error {
    enum rc_status status;
    int rank;
    char text[RC_ERROR_TEXT];
};

/* Writes the line into 'err' (which may be NULL) and returns 'status'. */
int rc_fail(struct rc_error *err, enum rc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As rc_fail(), with the status for 'errno', and its words at the end of the line. */
int rc_fail_errno(struct rc_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* it does not see by itself that a failure is not RC_OK */
#define rc_fail(err, status, ...) (rc_fail((err), (status), __VA_ARGS__), (status))
#define rc_fail_errno(err, ...) (rc_fail_errno((err), __VA_ARGS__), RC_EIO)
#endif

/* Puts words in front of the line that is there: "FILE: " and the like. */
void rc_error_prefix(struct rc_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The exit status of the program for a status: 0, 1, or 2 for usage. */
int rc_exit_status(int status);

#endif
