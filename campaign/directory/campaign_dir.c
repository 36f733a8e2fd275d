/* Makes, locks and names the directory of a campaign and its files.
 *
 * Locks are those of open files (F_OFD_SETLK): they end with the process, however it
 * ends.  Only rank 0 locks; it writes a random key into the lock's file, and the other
 * ranks look for that key, to check that they see the same directory.
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
    LOCK_BYTES = 1024,     /* more than its content ever needs */
    LOOK_NS = 50000000,    /* between two checks for the key */
    PATIENCE_MS = 3000,    /* for other nodes of a shared file system */
    KEY_BYTES = 2 * 16 + 1 /* a random number in hexadecimal */
};

/* Names in messages are cut, so that the reason after them is not. */
#define NAME "'%.400s'"

/* The parts of DIR that can be held, and the files of their locks: the journals with
 * campaign.yaml, and all files that are made from them.
 */
enum part { JOURNALS, RESULTS, PARTS };
static const char *const lock_names[PARTS] = {".lock", ".lock-results"};

struct rc_campaign_dir {
    char *dir;
    rc_campaign_dir_tell *tell;
    int fd[PARTS]; /* a lock's open file, on rank 0; -1 elsewhere */
    size_t made; /* on rank 0: bytes of 'dir' up to the first directory that was made */
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

/* The rest of the line that begins with 'word', printable; "" if there is none. */
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

/* The holder of the lock, for messages: "process 7 on n1, since ..., job 4". */
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

/* Says why the lock's file could not be opened: this user may not write in DIR, or not
 * the file that another user left there.
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

/* Opens the file of a lock, and refuses a file of that name that is not rollcall's. */
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
    (void)!fchmod(fd, dir.st_mode & 0666); /* all who may write in DIR may lock it, */
    if (is.st_uid == geteuid() && is.st_uid != dir.st_uid)
        (void)!fchown(fd, dir.st_uid, dir.st_gid); /* above all its owner */
    return RC_OK;
}

/* Result of asking for a lock: it is held; the file system has no locks; another
 * process has it while it measures, or only while it packs.
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
        return BUSY_SHORT; /* shared by a process that packs, or free again */
    return BUSY_LONG;
}

/* Writes the holder, for messages, and the key.  The key must have reached the disk
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

/* Removes incomplete files of 'dir': of DIR those that belong to 'part', or, with
 * 'journals', those of DIR/journal.  The holder of the journals removes those of
 * campaign.yaml, the holder of the results the rest.
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

/* A rank's request, and its result. */
struct taking {
    struct rc_campaign_dir *d;
    enum part part;
    short type;          /* F_WRLCK, F_RDLCK */
    bool waits;          /* also for long holders */
    char key[KEY_BYTES]; /* "": no check by other ranks */
    bool told;
    char remark[RC_ERROR_TEXT]; /* on all ranks: the file system has no locks, or "" */
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

/* Whether the open file of a lock is still the one of that name: a process that
 * releases the results removes their lock's file, and may have done so after this one
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

/* On rank 0: tries to take the lock; sets '*again' if it must be tried again. */
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
    else if (t->type == F_WRLCK) { /* removes files of killed processes */
        sweep_dir(dir, false, t->part);
        if (t->part == JOURNALS &&
            rc_path(journals, sizeof journals, NULL, "%s/journal", dir) == RC_OK)
            sweep_dir(journals, true, t->part);
    }
    rc_text_printable(t->remark, sizeof t->remark, t->remark);
    status = write_lock(fd, dir, t->key, err);
    return *t->key ? status : RC_OK; /* without a key the text is only for messages */
}

/* Collective.  All ranks sleep while one waits: a rank that waited in MPI would keep
 * its core busy.  Afterwards all ranks have key and remark.
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

/* Collective: takes the lock of the results, and waits for it.  'remark' may be NULL.
 */
static int take_results(MPI_Comm comm, struct rc_campaign_dir *d, char *remark,
                        size_t room, struct rc_error *err)
{
    struct taking t = {.d = d, .part = RESULTS, .type = F_WRLCK, .waits = true};
    const int status = take_part(comm, &t, err);

    if (remark)
        snprintf(remark, room, "%s", t.remark);
    return status;
}

/* Collective: takes the lock of the journals, and checks that all ranks see the
 * directory.
 */
static int take_journals(MPI_Comm comm, struct rc_campaign_dir *d, short type,
                         char *remark, size_t room, struct rc_error *err)
{
    uint64_t random[2] = {(uint64_t)time(NULL),
                          rc_clock_ns() ^ ((uint64_t)getpid() << 40)};
    struct taking t = {.d = d, .part = JOURNALS, .type = type};

    (void)!getrandom(random, sizeof random, 0); /* else time and process */
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

/* Bytes of the name up to the first directory that does not exist; 0: all do. */
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

/* Collective.  NULL on all ranks if one has no memory. */
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

/* A process that packs takes the results first.  So there is only one, and a shared
 * lock of the journals always means that they will soon be free.
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

    /* Rank 0's finding counts.  Without files to make results from, nothing is held, so
     * that no lock's file is left in a directory that is not a campaign's.
     */
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

/* The file of the results' lock is removed while the lock is held: see is_there(). */
static void close_part(struct rc_campaign_dir *d, enum part part)
{
    if (d->fd[part] < 0)
        return;
    if (ftruncate(d->fd[part], 0) != 0)
        errno = 0; /* readers find the lock free all the same */
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

/* Whether the directory has more than locks, or cannot be read.  With 'removing' that
 * is removed.
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
    static const char *const places[][5] = {
        {".", "journal", "campaign.h5", "metrics.h5", "model.h5"},
        {"results", "results/journal", "results/campaign.h5", "results/metrics.h5",
         "results/model.h5"}};

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

bool rc_campaign_dir_is_model(const char *dir)
{
    static const char *const names[] = {"model.h5", "journal", "campaign.h5",
                                        "metrics.h5"};
    char path[PATH_MAX];
    bool is = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is && rc_path(path, sizeof path, NULL, "%s/%s", dir, names[i]) == RC_OK &&
             (access(path, F_OK) == 0) == (i == 0);
    return is;
}

int rc_campaign_dir_refuse_model(const char *dir, struct rc_error *err)
{
    if (!rc_campaign_dir_is_model(dir))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "'%s' holds a performance model, not a campaign: 'rollcall model "
                   "DIR' shows it, 'rollcall export DIR' writes it for other tools",
                   dir);
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
    if ((status = rc_campaign_dir_refuse_model(dir, err)))
        return status;
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
