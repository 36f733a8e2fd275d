#include "campaign/home.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/file.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME ".lock"
#define LOCK_HEAD "rollcall lock\n"

enum {
    LOCK_BYTES = 1024,     /* more than its content ever has */
    LOOK_NS = 50000000,    /* between two looks for what rank 0 wrote */
    PATIENCE_MS = 3000,    /* for other nodes of a shared file system */
    KEY_BYTES = 2 * 16 + 1 /* a random number in hexadecimal */
};

/* Names in messages are cut, so that the reason behind them is not. */
#define NAME "'%.400s'"

struct rc_home {
    int fd; /* of DIR/.lock, with the lock, on rank 0; -1 elsewhere */
};

static bool is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int make_one(const char *path, struct rc_error *err)
{
    struct stat info;
    int number = mkdir(path, 0777) == 0 ? 0 : errno;

    if (number == 0 || is_directory(path))
        return RC_OK;
    if (number != EEXIST) {
        errno = number;
        return rc_fail_errno(err, "cannot make directory " NAME, path);
    }
    return rc_fail(err, RC_EUSAGE,
                   stat(path, &info) == 0 ? NAME " is a file, expected a directory"
                                          : NAME " is a link that leads nowhere",
                   path);
}

static int make_parents(char *path, struct rc_error *err)
{
    int status = RC_OK;

    for (char *p = path + 1; *p && status == RC_OK; p++) {
        if (*p != '/' || p[-1] == '/')
            continue;
        *p = 0;
        status = make_one(path, err);
        *p = '/';
    }
    return status;
}

int rc_home_make(const char *dir, struct rc_error *err)
{
    struct stat info;

    if (!*dir)
        return rc_fail(err, RC_EUSAGE, "the directory's name is empty");
    if (is_directory(dir))
        return RC_OK;
    if (stat(dir, &info) != 0 && errno == ENAMETOOLONG) /* before half of it is made */
        return rc_fail_errno(err, "cannot make directory " NAME, dir);
    char *path = strdup(dir);
    if (!path)
        return rc_fail(err, RC_ENOMEM, "no memory for the directory's name");
    int status = make_parents(path, err);
    if (status == RC_OK)
        status = make_one(path, err);
    free(path);
    return status;
}

static int open_lock(const char *dir, int flags)
{
    char *path;

    if (asprintf(&path, "%s/" LOCK_NAME, dir) < 0)
        return -1;
    int fd = rc_file_open(path, RC_FILE_IN, flags);
    int number = errno;
    free(path);
    errno = number;
    return fd;
}

static void read_lock(int fd, char *out, size_t room)
{
    ssize_t got = pread(fd, out, room - 1, 0);

    out[got > 0 ? got : 0] = 0;
}

/* The rest of the line that begins with 'word', printable; "" where there is none. */
static const char *line_of(const char *text, const char *word, char *out, size_t room)
{
    size_t length = strlen(word);

    out[0] = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, length) != 0 || line[length] != ' ')
            continue;
        line += length + 1;
        snprintf(out, room, "%.*s", (int)strcspn(line, "\n"), line);
        break;
    }
    return rc_text_printable(out, room, out);
}

static int taken_by(int fd, const char *dir, struct rc_error *err)
{
    char text[LOCK_BYTES], host[128], process[32], since[64], job[128];

    read_lock(fd, text, sizeof text);
    line_of(text, "job", job, sizeof job);
    if (!*line_of(text, "host", host, sizeof host))
        return rc_fail(err, RC_ECONFLICT, "another rollcall works in " NAME, dir);
    return rc_fail(err, RC_ECONFLICT,
                   "another rollcall works in " NAME ": process %s on %s, since %s%s%s",
                   dir, line_of(text, "process", process, sizeof process), host,
                   line_of(text, "since", since, sizeof since), *job ? ", job " : "",
                   job);
}

/* The lock belongs to the open file and goes with it, however the process ends. */
static int lock(int fd, const char *dir, char *remark, size_t room,
                struct rc_error *err)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_SETLK, &all) == 0)
        return RC_OK;
    if (errno == EAGAIN || errno == EACCES)
        return taken_by(fd, dir, err);
    snprintf(remark, room,
             "the file system of " NAME
             " has no locks (%s): see to it yourself that no "
             "second run works there",
             dir, strerror(errno));
    rc_text_printable(remark, room, remark);
    return RC_OK;
}

static int is_ours(int fd, const char *dir, struct rc_error *err)
{
    char text[LOCK_BYTES];

    read_lock(fd, text, sizeof text);
    if (!*text || strncmp(text, LOCK_HEAD, strlen(LOCK_HEAD)) == 0)
        return RC_OK;
    return rc_fail(err, RC_ECONFLICT,
                   NAME " holds a file " LOCK_NAME " that is not of rollcall", dir);
}

static int write_lock(int fd, const char *dir, const char *key, struct rc_error *err)
{
    char text[LOCK_BYTES], since[64], job[128];
    time_t now = time(NULL);
    struct tm utc;

    strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
    snprintf(text, sizeof text, LOCK_HEAD "host %s\nprocess %ld\nsince %s\n",
             rc_machine_node_name(), (long)getpid(), since);
    if (*rc_home_job(job, sizeof job))
        rc_text_append(text, sizeof text, "job %s\n", job);
    rc_text_append(text, sizeof text, "key %s\n", key);
    size_t bytes = strlen(text);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, bytes, 0) != (ssize_t)bytes ||
        fsync(fd) != 0)
        return rc_fail_errno(err, "cannot write in directory " NAME, dir);
    return RC_OK;
}

/* On rank 0. */
static int take(struct rc_home *home, const char *dir, const char *key, char *remark,
                size_t room, struct rc_error *err)
{
    int status = rc_home_make(dir, err);

    if (status != RC_OK)
        return status;
    home->fd = open_lock(dir, O_RDWR | O_CREAT);
    if (home->fd < 0 && (errno == ELOOP || errno == EISDIR || errno == ENXIO))
        return rc_fail(err, RC_ECONFLICT,
                       NAME " holds a " LOCK_NAME " that is not a file", dir);
    if (home->fd < 0)
        return rc_fail_errno(err, "cannot write in directory " NAME, dir);
    status = is_ours(home->fd, dir, err);
    if (status == RC_OK)
        status = lock(home->fd, dir, remark, room, err);
    if (status == RC_OK)
        status = write_lock(home->fd, dir, key, err);
    if (status != RC_OK) {
        close(home->fd);
        home->fd = -1;
    }
    return status;
}

static bool sees(const char *dir, const char *key)
{
    char text[LOCK_BYTES], found[LOCK_BYTES];
    int fd = open_lock(dir, O_RDONLY);

    if (fd < 0)
        return false;
    read_lock(fd, text, sizeof text);
    close(fd);
    return strcmp(line_of(text, "key", found, sizeof found), key) == 0;
}

/* Other nodes may keep for a while in mind that the file was not there. */
static int look(const char *dir, const char *key, struct rc_error *err)
{
    const struct timespec nap = {0, LOOK_NS};
    const uint64_t end = rc_clock_ns() + UINT64_C(1000000) * PATIENCE_MS;

    while (!sees(dir, key)) {
        if (rc_clock_ns() > end)
            return rc_fail(err, RC_ECONFLICT,
                           "node %s does not see the directory " NAME
                           " that the first rank sees, expected one on a file system "
                           "that all nodes share",
                           rc_machine_node_name(), dir);
        nanosleep(&nap, NULL);
    }
    return RC_OK;
}

static void new_key(char *key)
{
    uint64_t words[2];

    if (getrandom(words, sizeof words, 0) != (ssize_t)sizeof words) {
        words[0] = (uint64_t)time(NULL);
        words[1] = rc_clock_ns() ^ ((uint64_t)getpid() << 40);
    }
    snprintf(key, KEY_BYTES, "%016" PRIx64 "%016" PRIx64, words[0], words[1]);
}

int rc_home_open(MPI_Comm comm, const char *dir, struct rc_home **out, char *remark,
                 size_t room, struct rc_error *err)
{
    char key[KEY_BYTES] = "", words[RC_ERROR_TEXT] = "";
    struct rc_home *home = rc_calloc(1, sizeof *home);
    int status = home ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a directory");

    *out = NULL;
    remark[0] = 0;
    if (home)
        home->fd = -1;
    if (home && rc_team_rank(comm) == 0) {
        new_key(key);
        status = take(home, dir, key, words, sizeof words, err);
    }
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        goto out;
    if (comm != MPI_COMM_NULL) {
        MPI_Bcast(key, sizeof key, MPI_CHAR, 0, comm);
        MPI_Bcast(words, sizeof words, MPI_CHAR, 0, comm);
    }
    status = rc_agree(comm, look(dir, key, err), err);
    if (status != RC_OK)
        goto out;
    snprintf(remark, room, "%s", words);
    *out = home;
    home = NULL;
out:
    rc_home_close(home);
    return status;
}

void rc_home_close(struct rc_home *home)
{
    if (home && home->fd >= 0) {
        if (ftruncate(home->fd, 0) != 0)
            errno = 0; /* who reads it finds the lock free all the same */
        close(home->fd);
    }
    free(home);
}

int rc_home_new_id(struct rc_journal_id *out, struct rc_error *err)
{
    if (getrandom(out->byte, sizeof out->byte, 0) != (ssize_t)sizeof out->byte)
        return rc_fail_errno(err, "the system gives no random numbers");
    return RC_OK;
}

const char *rc_home_job(char *out, size_t room)
{
    static const char *const variables[] = {
        "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID",
    };

    out[0] = 0;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0] && !*out; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            rc_text_printable(out, room, value);
    }
    return out;
}
