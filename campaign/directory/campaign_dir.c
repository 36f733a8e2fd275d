/* Makes, locks and names the directory of a campaign and its files.
 *
 * Locks are those of open files (F_OFD_SETLK): they go with the process, however it
 * ends, so that a killed run leaves none behind.  Only rank 0 locks; a random key that
 * it writes into the lock's file is what the other ranks look for, which tells whether
 * they see the same directory.
 */
#include "campaign/directory/campaign_dir.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/files/staged_dir.h"
#include "campaign/base/files/temporary.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "campaign/machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_HEAD "rollcall lock\n"

enum {
    LOCK_BYTES = 1024,     /* more than its content ever has */
    LOOK_NS = 50000000,    /* between two looks for what rank 0 wrote */
    PATIENCE_MS = 3000,    /* for other nodes of a shared file system */
    KEY_BYTES = 2 * 16 + 1 /* a random number in hexadecimal */
};

/* Names in messages are cut, so that the reason behind them is not. */
#define NAME "'%.400s'"

/* What there is to hold of DIR, and the files whose locks say so: the journals with
 * campaign.yaml, and all that is made of them.
 */
enum part { JOURNALS, RESULTS, PARTS };
static const char *const lock_names[PARTS] = {".lock", ".lock-results"};

struct rc_campaign_dir {
    char *dir;
    rc_campaign_dir_tell *tell;
    int fd[PARTS]; /* of a lock's file, with the lock, on rank 0; -1 elsewhere */
    size_t made;   /* on rank 0: bytes of 'dir' that name the first one that was made */
};

/* A file descriptor, or -1 and errno. */
static int open_lock(const char *dir, enum part part, int flags)
{
    char *path;

    if (asprintf(&path, "%s/%s", dir, lock_names[part]) < 0)
        return -1;
    const int fd = rc_file_open(path, RC_FILE_IN, flags), number = errno;
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

/* Who holds it, for messages: "process 7 on n1, since ..., job 4". */
static const char *holder(int fd, char *out, size_t room)
{
    char text[LOCK_BYTES], host[128], process[32], since[64], job[128];

    out[0] = 0;
    read_lock(fd, text, sizeof text);
    line_of(text, "job", job, sizeof job);
    if (*line_of(text, "host", host, sizeof host))
        rc_text_append(out, room, ": process %s on %s, since %s%s%s",
                       line_of(text, "process", process, sizeof process), host,
                       line_of(text, "since", since, sizeof since),
                       *job ? ", job " : "", job);
    return out;
}

/* The file of a lock could not be opened: this user may not write in DIR, or not what
 * another user left there.
 */
static int fail_lock(const struct rc_campaign_dir *d, enum part part,
                     struct rc_error *err)
{
    const int number = errno;
    char path[PATH_MAX];
    struct stat is;

    if (rc_path(path, sizeof path, NULL, "%s/%s", d->dir, lock_names[part]) == RC_OK &&
        (number == EACCES || number == EPERM) && access(d->dir, W_OK) == 0 &&
        lstat(path, &is) == 0 && is.st_uid != geteuid())
        return rc_fail(err, RC_EPERM,
                       "cannot lock '%.400s', which belongs to user %ld: remove it, "
                       "unless a rollcall of that user works there",
                       path, (long)is.st_uid);
    errno = number;
    return rc_fail_errno(err, "cannot write in directory " NAME, d->dir);
}

/* Opens the file of a lock, and refuses one that somebody else keeps under its name. */
static int open_part(struct rc_campaign_dir *d, enum part part, struct rc_error *err)
{
    const int fd = open_lock(d->dir, part, O_RDWR | O_CREAT);
    char text[LOCK_BYTES];
    struct stat dir, is;

    if (fd < 0 && (errno == ELOOP || errno == EISDIR || errno == ENXIO))
        return rc_fail(err, RC_ECONFLICT, NAME " holds a %s that is not a file", d->dir,
                       lock_names[part]);
    if (fd < 0)
        return fail_lock(d, part, err);
    d->fd[part] = fd;
    read_lock(fd, text, sizeof text);
    if (*text && strncmp(text, LOCK_HEAD, strlen(LOCK_HEAD)) != 0)
        return rc_fail(err, RC_ECONFLICT, NAME " holds a file %sthat is not rollcall's",
                       d->dir, lock_names[part]);
    if (stat(d->dir, &dir) != 0 || fstat(fd, &is) != 0 || is.st_nlink > 1)
        return RC_OK;
    (void)!fchmod(fd, dir.st_mode & 0666); /* who may write in DIR may lock it, */
    if (is.st_uid == geteuid() && is.st_uid != dir.st_uid)
        (void)!fchown(fd, dir.st_uid, dir.st_gid); /* its owner first of all */
    return RC_OK;
}

/* What became of asking for a lock: it is held; the file system has no locks; another
 * process has it for as long as it measures, or only for as long as it packs.
 */
enum answer { HELD, LOCKLESS, BUSY_LONG, BUSY_SHORT };

static enum answer try_lock(int fd, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET}, other = all;

    if (fcntl(fd, F_OFD_SETLK, &all) == 0)
        return HELD;
    if (errno != EAGAIN && errno != EACCES)
        return LOCKLESS;
    if (fcntl(fd, F_OFD_GETLK, &other) == 0 && other.l_type != F_WRLCK)
        return BUSY_SHORT; /* shared by who packs, or free again */
    return BUSY_LONG;
}

/* Who holds the lock, for messages, and the key.  The key must have reached the disk
 * before other nodes look for it.
 */
static int write_lock(int fd, const char *dir, const char *key, struct rc_error *err)
{
    char text[LOCK_BYTES], since[64], job[128];
    time_t now = time(NULL);
    struct tm utc;

    strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
    snprintf(text, sizeof text, LOCK_HEAD "host %s\nprocess %ld\nsince %s\n",
             rc_machine_node_name(), (long)getpid(), since);
    if (*rc_campaign_dir_job(job, sizeof job))
        rc_text_append(text, sizeof text, "job %s\n", job);
    rc_text_append(text, sizeof text, "key %s\n", key);
    size_t bytes = strlen(text);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, bytes, 0) != (ssize_t)bytes ||
        (*key && fsync(fd) != 0))
        return rc_fail_errno(err, "cannot write in directory " NAME, dir);
    return RC_OK;
}

/* Removes files of 'dir' that were not whole: those of DIR that the part answers for,
 * or, with 'journals', those of DIR/journal.  Who holds the journals answers for
 * campaign.yaml, who holds the results for the rest.
 */
static void sweep_dir(const char *dir, bool journals, enum part part)
{
    DIR *directory = rc_file_open_directory(dir, journals ? RC_FILE_IN : RC_FILE_GIVEN);
    struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        const char *name = entry->d_name;
        const bool is_spec = strncmp(name, "campaign.yaml.", 14) == 0;
        if (journals ? fnmatch(".new.????????????????", name, 0) == 0
                     : rc_temporary_is(name) && is_spec == (part == JOURNALS))
            unlinkat(dirfd(directory), name, 0);
    }
    if (directory)
        closedir(directory);
}

/* What a rank asks for, and what it gets. */
struct taking {
    struct rc_campaign_dir *d;
    enum part part;
    short type;          /* F_WRLCK, F_RDLCK */
    bool waits;          /* also for who holds it long */
    char key[KEY_BYTES]; /* "": nobody looks for it */
    bool told;
    char remark[RC_ERROR_TEXT]; /* on all ranks: a file system without locks, or "" */
};

/* Says once that this process waits, and for whom. */
static void tell_wait(struct taking *t, const char *who)
{
    char line[2 * RC_ERROR_TEXT];

    if (t->told || !t->d->tell)
        return;
    t->told = true;
    snprintf(line, sizeof line,
             "waiting for another rollcall that is writing in " NAME "%s", t->d->dir,
             who);
    rc_text_printable(line, sizeof line, line);
    t->d->tell(line);
}

/* Whether the open file of a lock is still the one under its name: a process that gives
 * the results back removes their lock's file, and may have done so after this one
 * opened it.  A lock on a removed file excludes nobody.
 */
static bool is_there(const char *dir, enum part part, int fd)
{
    const int other = open_lock(dir, part, O_RDONLY);
    struct stat mine, there;
    const bool same = other >= 0 && fstat(fd, &mine) == 0 &&
                      fstat(other, &there) == 0 && mine.st_ino == there.st_ino;

    if (other >= 0)
        close(other);
    return same;
}

/* On rank 0: sets '*again' where it is to be tried again. */
static int try_part(struct taking *t, int *again, struct rc_error *err)
{
    const char *dir = t->d->dir;
    char who[RC_ERROR_TEXT], journals[PATH_MAX];
    int status = open_part(t->d, t->part, err);
    const int fd = t->d->fd[t->part];

    *again = 0;
    if (status != RC_OK)
        return status;
    const enum answer answer = try_lock(fd, t->type);
    if (answer == HELD && !is_there(dir, t->part, fd)) {
        *again = 1;
        return RC_OK;
    }
    if (answer == BUSY_SHORT || (answer == BUSY_LONG && t->waits)) {
        tell_wait(t, holder(fd, who, sizeof who));
        *again = rc_signals_came() == 0;
        if (*again)
            return RC_OK;
        return rc_fail(err, RC_ECONFLICT,
                       "stopped by signal %d while another rollcall writes in " NAME,
                       rc_signals_came(), dir);
    }
    if (answer == BUSY_LONG)
        return rc_fail(err, RC_ECONFLICT, "another rollcall is working in " NAME "%s",
                       dir, holder(fd, who, sizeof who));
    if (answer == LOCKLESS)
        rc_text_append(t->remark, sizeof t->remark,
                       "the file system of " NAME " has no locks (%s): make sure "
                       "yourself that no second run works there",
                       dir, strerror(errno));
    else if (t->type == F_WRLCK) { /* what killed processes left */
        sweep_dir(dir, false, t->part);
        if (t->part == JOURNALS &&
            rc_path(journals, sizeof journals, NULL, "%s/journal", dir) == RC_OK)
            sweep_dir(journals, true, t->part);
    }
    rc_text_printable(t->remark, sizeof t->remark, t->remark);
    status = write_lock(fd, dir, t->key, err);
    return *t->key ? status : RC_OK; /* else the text is only for messages */
}

/* Collective.  All ranks sleep while one waits: a rank that waited in MPI for the
 * others would keep its core busy.  Key and remark are on all ranks then.
 */
static int take_part(MPI_Comm comm, struct taking *t, struct rc_error *err)
{
    const struct timespec nap = {0, LOOK_NS};
    int *fd = &t->d->fd[t->part], status, again;

    for (;;) {
        again = 0;
        status = rc_team_rank(comm) == 0 ? try_part(t, &again, err) : RC_OK;
        rc_broadcast(comm, 0, &again, sizeof again);
        if (*fd >= 0 && (again || status != RC_OK)) {
            close(*fd);
            *fd = -1;
        }
        if (!again)
            break;
        nanosleep(&nap, NULL);
    }
    rc_broadcast(comm, 0, t->key, sizeof t->key);
    rc_broadcast(comm, 0, t->remark, sizeof t->remark);
    return rc_agree(comm, status, err);
}

static bool sees(const char *dir, const char *key)
{
    char text[LOCK_BYTES], found[LOCK_BYTES];
    int fd = open_lock(dir, JOURNALS, O_RDONLY);

    if (fd < 0)
        return false;
    read_lock(fd, text, sizeof text);
    close(fd);
    return strcmp(line_of(text, "key", found, sizeof found), key) == 0;
}

/* Collective: the lock of the results; waits for it.  'remark' may be NULL. */
static int take_results(MPI_Comm comm, struct rc_campaign_dir *d, char *remark,
                        size_t room, struct rc_error *err)
{
    struct taking t = {.d = d, .part = RESULTS, .type = F_WRLCK, .waits = true};
    const int status = take_part(comm, &t, err);

    if (remark)
        snprintf(remark, room, "%s", t.remark);
    return status;
}

/* Collective: the lock of the journals, and the proof that all ranks see the directory.
 */
static int take_journals(MPI_Comm comm, struct rc_campaign_dir *d, short type,
                         char *remark, size_t room, struct rc_error *err)
{
    uint64_t random[2] = {(uint64_t)time(NULL),
                          rc_clock_ns() ^ ((uint64_t)getpid() << 40)};
    struct taking t = {.d = d, .part = JOURNALS, .type = type};

    (void)!getrandom(random, sizeof random, 0); /* without it time and process tell */
    snprintf(t.key, sizeof t.key, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    int status = take_part(comm, &t, err);
    if (status != RC_OK)
        return status;
    snprintf(remark, room, "%s", t.remark);
    /* Each rank waits until it sees the key that rank 0 wrote: clients of a shared file
     * system may remember for a while that the file was not there.
     */
    const struct timespec nap = {0, LOOK_NS};
    const uint64_t end = rc_clock_ns() + UINT64_C(1000000) * PATIENCE_MS;
    while (!sees(d->dir, t.key)) {
        if (rc_clock_ns() > end)
            status = rc_fail(err, RC_ECONFLICT,
                             "node %s does not see the directory " NAME
                             " that the first rank sees, expected one on a file system "
                             "that all nodes share",
                             rc_machine_node_name(), d->dir);
        else
            nanosleep(&nap, NULL);
        if (status != RC_OK)
            break;
    }
    return rc_agree(comm, status, err);
}

/* Bytes of the name of the first directory that is not there; 0: all are. */
static size_t first_missing(const char *dir)
{
    char *path = strdup(dir);
    size_t missing = 0, length = strlen(dir);

    for (size_t i = 1; path && i <= length && !missing; i++)
        if (path[i] == '/' || i == length) {
            path[i] = 0;
            missing = access(path, F_OK) != 0 ? i : 0;
            path[i] = dir[i];
        }
    free(path);
    return missing;
}

/* Collective.  NULL on all ranks where one has no memory. */
static struct rc_campaign_dir *new_dir(MPI_Comm comm, const char *dir,
                                       rc_campaign_dir_tell *tell, struct rc_error *err)
{
    struct rc_campaign_dir *d = rc_calloc(1, sizeof *d);
    int status = RC_OK;

    if (d)
        *d = (struct rc_campaign_dir){.dir = strdup(dir), .tell = tell, .fd = {-1, -1}};
    if (!d || !d->dir)
        status = rc_fail(err, RC_ENOMEM, "no memory for a directory");
    if (rc_agree(comm, status, err) == RC_OK)
        return d;
    rc_campaign_dir_close(d);
    return NULL;
}

/* A process that packs takes the results first.  So there is one such process at a
 * time, and a shared lock of the journals always means that they are free again soon.
 */
int rc_campaign_dir_open(MPI_Comm comm, const char *dir, enum rc_campaign_dir_hold hold,
                         rc_campaign_dir_tell *tell, struct rc_campaign_dir **out,
                         char *remark, size_t room, struct rc_error *err)
{
    struct rc_campaign_dir *d = *out = new_dir(comm, dir, tell, err);
    const bool packs = hold == RC_CAMPAIGN_DIR_PACK;
    int status = RC_OK;

    remark[0] = 0;
    if (!d)
        return err->status;
    if (rc_team_rank(comm) == 0) {
        d->made = first_missing(dir);
        status = rc_campaign_dir_make(dir, err);
    }
    if ((status = rc_agree(comm, status, err)) != RC_OK ||
        (packs && (status = take_results(comm, d, NULL, 0, err)) != RC_OK) ||
        (status = take_journals(comm, d, packs ? F_RDLCK : F_WRLCK, remark, room,
                                err)) != RC_OK ||
        (hold == RC_CAMPAIGN_DIR_ALL &&
         (status = take_results(comm, d, NULL, 0, err)) != RC_OK)) {
        rc_campaign_dir_close(d);
        *out = NULL;
    }
    return status;
}

int rc_campaign_dir_open_results(MPI_Comm comm, const char *dir,
                                 rc_campaign_dir_tell *tell,
                                 struct rc_campaign_dir **out, struct rc_error *err)
{
    static const char *const files[] = {"campaign.h5", "metrics.h5"};
    char remark[RC_ERROR_TEXT] = "", path[PATH_MAX];
    int has = 0;

    /* By what rank 0 finds.  Where there is nothing to make results of, nothing is
     * held, so that no lock's file is left in what is not a campaign's directory. */
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        has |= rc_path(path, sizeof path, NULL, "%s/%s", dir, files[i]) == RC_OK &&
               access(path, F_OK) == 0;
    rc_broadcast(comm, 0, &has, sizeof has);
    *out = NULL;
    if (!has)
        return RC_OK;
    struct rc_campaign_dir *d = new_dir(comm, dir, tell, err);
    if (!d)
        return err->status;
    const int status = take_results(comm, d, remark, sizeof remark, err);
    if (status != RC_OK) {
        rc_campaign_dir_close(d);
        return status;
    }
    if (remark[0] && rc_team_rank(comm) == 0)
        tell(remark);
    *out = d;
    return RC_OK;
}

int rc_campaign_dir_take_results(MPI_Comm comm, struct rc_campaign_dir *d,
                                 rc_campaign_dir_tell *tell, struct rc_error *err)
{
    d->tell = tell;
    return take_results(comm, d, NULL, 0, err);
}

static void remove_lock(const char *dir, enum part part)
{
    char path[PATH_MAX];

    if (rc_path(path, sizeof path, NULL, "%s/%s", dir, lock_names[part]) == RC_OK)
        unlink(path);
}

/* The file of the results' lock goes while the lock is held: see is_there(). */
static void close_part(struct rc_campaign_dir *d, enum part part)
{
    if (d->fd[part] < 0)
        return;
    if (ftruncate(d->fd[part], 0) != 0)
        errno = 0; /* who reads it finds the lock free all the same */
    if (part == RESULTS)
        remove_lock(d->dir, part);
    close(d->fd[part]);
}

void rc_campaign_dir_close(struct rc_campaign_dir *d)
{
    if (!d)
        return;
    close_part(d, RESULTS);
    close_part(d, JOURNALS);
    free(d->dir);
    free(d);
}

void rc_campaign_dir_remove_locks(const char *dir)
{
    for (enum part part = 0; part < PARTS; part++)
        remove_lock(dir, part);
}

/* Whether there is more than locks in the directory, or it cannot be read.  With
 * 'removing' that goes.
 */
static bool holds_more(const char *dir, bool removing)
{
    DIR *directory = rc_file_open_directory(dir, RC_FILE_GIVEN);
    bool more = !directory;
    struct dirent *entry;
    char path[PATH_MAX];

    while (directory && (entry = readdir(directory))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            strcmp(name, lock_names[JOURNALS]) == 0 ||
            strcmp(name, lock_names[RESULTS]) == 0)
            continue;
        more = true;
        if (removing && rc_path(path, sizeof path, NULL, "%s/%s", dir, name) == RC_OK)
            rc_staged_dir_remove(path);
    }
    if (directory)
        closedir(directory);
    return more;
}

void rc_campaign_dir_empty(const struct rc_campaign_dir *d)
{
    (void)holds_more(d->dir, true);
}

void rc_campaign_dir_leave(struct rc_campaign_dir *d)
{
    char *end;

    if (d && d->made > 0 && !holds_more(d->dir, false)) {
        rc_campaign_dir_remove_locks(d->dir);
        for (end = d->dir + strlen(d->dir); end > d->dir && end[-1] == '/';)
            *--end = 0;
        while (strlen(d->dir) >= d->made && rmdir(d->dir) == 0 &&
               (end = strrchr(d->dir, '/')))
            *end = 0;
    }
    rc_campaign_dir_close(d);
}

bool rc_campaign_dir_holds_file(const char *dir, const char *path)
{
    char *real = realpath(path, NULL), *copy = real ? real : strdup(path);
    struct stat one, other;
    const bool same = copy && stat(dir, &one) == 0 &&
                      stat(dirname(copy), &other) == 0 && one.st_dev == other.st_dev &&
                      one.st_ino == other.st_ino;

    free(copy);
    return same;
}

struct rc_args rc_campaign_dir_or_here(const struct rc_args *args, const char **here)
{
    static const char *const places[][4] = {
        {".", "journal", "campaign.h5", "metrics.h5"},
        {"results", "results/journal", "results/campaign.h5", "results/metrics.h5"}};

    struct rc_args out = *args;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t k = 1; k < sizeof *places / sizeof **places; k++)
            if (out.operand_count == 0 && access(places[i][k], F_OK) == 0) {
                *here = places[i][0];
                out.operands = here;
                out.operand_count = 1;
            }
    return out;
}

const char *rc_campaign_dir_job(char *out, size_t room)
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

int rc_campaign_dir_results(const char *dir, char *out, size_t room,
                            struct rc_error *err)
{
    return rc_path(out, room, err, "%s/campaign.h5", dir);
}

int rc_campaign_dir_find_results(const char *dir, bool solved, char *out, size_t room,
                                 struct rc_error *err)
{
    char journals[PATH_MAX];
    struct stat is;
    int status =
        rc_path(out, room, err, "%s/%s", dir, solved ? "metrics.h5" : "campaign.h5");

    if (status != RC_OK)
        return status;
    if (access(dir, F_OK) != 0 && errno == ENOENT)
        return rc_fail(err, RC_EMISSING,
                       "'%s' is not there, expected the directory of a campaign", dir);
    if (access(out, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR))
        return RC_OK;
    if (rc_path(journals, sizeof journals, NULL, "%s/journal", dir) == RC_OK &&
        lstat(journals, &is) == 0 && S_ISLNK(is.st_mode)) {
        errno = ELOOP;
        return rc_file_fail_open(err, journals);
    }
    return rc_fail(
        err, RC_EMISSING,
        solved ? "'%s' is not there, 'rollcall solve DIR' makes it from a campaign"
               : "'%s' is not there, 'rollcall pack DIR' makes it from the journals",
        out);
}
