#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/directory/campaign_dir.h"
#include "tests/lib/on_teams.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[64]; /* where all ranks are, a directory of this test's own */

static void put(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static const char *contents(const char *path)
{
    static char text[2048];
    FILE *stream = fopen(path, "r");

    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    return text;
}

static int open_campaign_dir(MPI_Comm comm, const char *dir,
                             struct rc_campaign_dir **campaign_dir,
                             struct rc_error *err)
{
    char remark[1024];
    int status = rc_campaign_dir_open(comm, dir, RC_CAMPAIGN_DIR_CAMPAIGN, NULL,
                                      campaign_dir, remark, sizeof remark, err);

    assert_string_equal(remark, "");
    if (status != RC_OK)
        assert_null(*campaign_dir);
    return status;
}

static int setup(void **state)
{
    (void)state;
    if (rank == 0) {
        strcpy(base, "/tmp/rollcall-home-XXXXXX");
        if (!mkdtemp(base) || chmod(base, 0755) != 0)
            return -1;
    }
    MPI_Bcast(base, sizeof base, MPI_CHAR, 0, team_comm);
    return chdir(base);
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    MPI_Barrier(team_comm);
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return chdir("/") || (rank == 0 && system(command));
}

static void bad_directories_are_refused_in_one_line(void **state)
{
    char longest[301], deep[6000];
    struct rc_campaign_dir *campaign_dir;
    const struct {
        const char *dir;
        enum rc_status status;
        const char *message; /* begins with */
    } bad[] = {
        {"", RC_EUSAGE, "the directory's name is empty"},
        {"file", RC_EUSAGE, "'file' is a file, expected a directory"},
        {"file/sub/x", RC_EUSAGE, "'file' is a file, expected a directory"},
        {"loose", RC_EUSAGE, "'loose' is a dangling link"},
        {"loose/sub", RC_EUSAGE, "'loose' is a dangling link"},
        {"round", RC_EUSAGE, "'round' is a dangling link"},
        {longest, RC_EIO, "cannot make directory 'nnnnn"},
        {deep, RC_EIO, "cannot make directory 'a/a/a/"},
        {"/proc/none/x", RC_EMISSING, "cannot make directory '/proc/none': No such"},
        {"/proc", RC_EMISSING, "cannot write in directory '/proc': No such file"},
        {"linked", RC_ECONFLICT, "'linked' holds a .lock that is not a file"},
        {"piped", RC_ECONFLICT, "'piped' holds a .lock that is not a file"},
        {"nested", RC_ECONFLICT, "'nested' holds a .lock that is not a file"},
        {"other", RC_ECONFLICT, "'other' holds a file .lockthat is not rollcall's"},
    };

    (void)state;
    memset(longest, 'n', sizeof longest);
    longest[300] = 0;
    for (size_t i = 0; i < sizeof deep; i++)
        deep[i] = "a/"[i % 2];
    deep[sizeof deep - 1] = 0;
    if (rank == 0) {
        put("file", "precious");
        assert_int_equal(symlink("/nowhere/at/all", "loose"), 0);
        assert_int_equal(symlink("round", "round"), 0);
        assert_int_equal(mkdir("linked", 0777) | mkdir("piped", 0777) |
                             mkdir("nested", 0777) | mkdir("other", 0777) |
                             mkdir("nested/.lock", 0777),
                         0);
        assert_int_equal(symlink("../file", "linked/.lock"), 0);
        assert_int_equal(mkfifo("piped/.lock", 0666), 0);
        put("other/.lock", "precious too");
    }
    MPI_Barrier(team_comm);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {.rank = -1};
        int status = open_campaign_dir(team_comm, bad[i].dir, &campaign_dir, &err);
        err.text[strlen(bad[i].message)] = 0;
        assert_string_equal(err.text, bad[i].message);
        assert_int_equal(status, bad[i].status);
        assert_int_equal(err.rank, 0);
    }
    assert_int_not_equal(access("a", F_OK),
                         0); /* of what is too deep, nothing is made */
    assert_string_equal(contents("file"), "precious");
    assert_string_equal(contents("other/.lock"), "precious too");
}

static void reasons_are_seen_behind_the_longest_names(void **state)
{
    char name[] = "a\nb/", deep[3000] = "";
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir;

    (void)state;
    for (size_t i = 0; i < 2000; i++)
        deep[i] = name[i % 4];
    memset(deep + 2000, 'x', 300); /* longer than a name may be */
    assert_int_equal(open_campaign_dir(team_comm, deep, &campaign_dir, &err), RC_EIO);
    assert_null(strchr(err.text, '\n'));
    assert_non_null(strstr(err.text, "a?b/a?b/"));
    assert_non_null(strstr(err.text, "': File name too long"));
}

static void directories_are_made_with_parents_and_held_by_all(void **state)
{
    static const char *const dirs[] = {"new/with//parents/", "new/with/more",
                                       "a\nb\xff 'c'", "to-new/with/more", "."};
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir, *second;

    (void)state;
    if (rank == 0)
        assert_int_equal(symlink("new", "to-new"), 0);
    MPI_Barrier(team_comm);
    for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
        assert_int_equal(open_campaign_dir(team_comm, dirs[i], &campaign_dir, &err),
                         RC_OK);
        assert_int_equal(access(dirs[i], W_OK), 0);
        assert_int_equal(open_campaign_dir(team_comm, dirs[i], &second, &err),
                         RC_ECONFLICT);
        assert_int_equal(err.rank, 0);
        assert_null(strchr(err.text, '\n'));
        MPI_Barrier(team_comm);
        rc_campaign_dir_close(campaign_dir);
        MPI_Barrier(team_comm);
    }
    rc_campaign_dir_close(NULL);
}

static void who_holds_it_is_said(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir, *second;
    char expected[128];

    (void)state;
    if (rank != 0)
        return;
    setenv("SLURM_JOB_ID", "77\a", 1);
    assert_int_equal(open_campaign_dir(MPI_COMM_NULL, "held", &campaign_dir, &err),
                     RC_OK);
    unsetenv("SLURM_JOB_ID");
    assert_int_equal(open_campaign_dir(MPI_COMM_NULL, "held", &second, &err),
                     RC_ECONFLICT);
    snprintf(expected, sizeof expected,
             "another rollcall is working in 'held': process %ld on ", (long)getpid());
    assert_memory_equal(err.text, expected, strlen(expected));
    assert_non_null(strstr(err.text, " UTC, job 77?"));
    /* A holder that has written nothing yet. */
    assert_int_equal(truncate("held/.lock", 0), 0);
    assert_int_equal(open_campaign_dir(MPI_COMM_NULL, "held", &second, &err),
                     RC_ECONFLICT);
    assert_string_equal(err.text, "another rollcall is working in 'held'");
    rc_campaign_dir_close(campaign_dir);
}

static void a_rank_that_sees_another_directory_is_heard_of(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir;

    (void)state;
    if (size == 1)
        skip();
    int status = open_campaign_dir(team_comm, rank == size - 1 ? "elsewhere" : "here",
                                   &campaign_dir, &err);
    assert_int_equal(status, RC_ECONFLICT);
    assert_int_equal(err.rank, size - 1);
    assert_non_null(strstr(err.text, " does not see the directory 'elsewhere' that the "
                                     "first rank sees, expected one on a file system "
                                     "that all nodes share"));
    MPI_Barrier(team_comm);
    assert_int_equal(open_campaign_dir(team_comm, "here", &campaign_dir, &err), RC_OK);
    MPI_Barrier(team_comm);
    rc_campaign_dir_close(campaign_dir);
    MPI_Barrier(team_comm);
}

/* Runs 'work' in a child, which must end with exit status 0; 77: skipped. */
static void in_child(int (*work)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(work());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_killed_process_leaves_no_lock_behind(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir;
    int ready[2], status;
    char byte;

    (void)state;
    if (rank != 0)
        return;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        char remark[256];
        int opened =
            rc_campaign_dir_open(MPI_COMM_NULL, "killed", RC_CAMPAIGN_DIR_CAMPAIGN,
                                 NULL, &campaign_dir, remark, sizeof remark, NULL);
        if (write(ready[1], opened == RC_OK ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_int_equal(open_campaign_dir(MPI_COMM_NULL, "killed", &campaign_dir, &err),
                     RC_ECONFLICT);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(open_campaign_dir(MPI_COMM_NULL, "killed", &campaign_dir, &err),
                     RC_OK);
    rc_campaign_dir_close(campaign_dir);
    close(ready[0]);
    close(ready[1]);
}

static int refused(const char *dir, enum rc_status expected, const char *message)
{
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir;
    char remark[256];
    int status = rc_campaign_dir_open(MPI_COMM_NULL, dir, RC_CAMPAIGN_DIR_CAMPAIGN,
                                      NULL, &campaign_dir, remark, sizeof remark, &err);

    if (status == (int)expected && strcmp(err.text, message) == 0)
        return 0;
    printf("%s: %d: %s\n", dir, status, err.text);
    return 1;
}

/* Rights mean nothing to root. */
static int without_rights(void)
{
    const uid_t nobody = 65534;

    if (geteuid() == 0 &&
        (setgroups(0, NULL) != 0 || setresgid(nobody, nobody, nobody) != 0 ||
         setresuid(nobody, nobody, nobody) != 0)) {
        printf("root may not become anybody else here\n");
        return 77;
    }
    return refused("locked", RC_EPERM,
                   "cannot write in directory 'locked': Permission denied") ||
           refused("locked/sub", RC_EPERM,
                   "cannot make directory 'locked/sub': Permission denied");
}

static void missing_rights_are_said(void **state)
{
    (void)state;
    if (rank != 0)
        return;
    assert_int_equal(mkdir("locked", 0555), 0);
    in_child(without_rights);
}

static int read_only(void)
{
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("frozen", "frozen", NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, "frozen", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0) {
        printf("nothing can be mounted here: %s\n", strerror(errno));
        return 77;
    }
    return refused("frozen", RC_EPERM,
                   "cannot write in directory 'frozen': Read-only file system") ||
           refused("frozen/sub", RC_EPERM,
                   "cannot make directory 'frozen/sub': Read-only file system");
}

static void a_read_only_file_system_is_said(void **state)
{
    (void)state;
    if (rank != 0)
        return;
    assert_int_equal(mkdir("frozen", 0777), 0);
    in_child(read_only);
}

static int full_disk(void)
{
    static char block[16384];
    int fd;

    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "full", "tmpfs", 0, "size=64k") != 0 ||
        (fd = open("full/filler", O_CREAT | O_WRONLY, 0666)) < 0) {
        printf("nothing can be mounted here: %s\n", strerror(errno));
        return 77;
    }
    while (write(fd, block, sizeof block) > 0)
        ;
    return refused("full", RC_EIO,
                   "cannot write in directory 'full': No space left on device");
}

static void a_full_disk_is_said(void **state)
{
    (void)state;
    if (rank != 0)
        return;
    assert_int_equal(mkdir("full", 0777), 0);
    in_child(full_disk);
}

static bool no_locks;
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

/* A file system without locks, such as Lustre without -o flock. */
int __wrap_fcntl(int fd, int command, ...)
{
    va_list args;

    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    if (no_locks && command == F_OFD_SETLK) {
        errno = ENOLCK;
        return -1;
    }
    return __real_fcntl(fd, command, argument);
}

static void a_file_system_without_locks_is_a_remark_of_all(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir;
    char remark[256];

    (void)state;
    no_locks = true;
    assert_int_equal(rc_campaign_dir_open(team_comm, "lockless", RC_CAMPAIGN_DIR_ALL,
                                          NULL, &campaign_dir, remark, sizeof remark,
                                          &err),
                     RC_OK);
    no_locks = false;
    assert_string_equal(remark, "the file system of 'lockless' has no locks (No locks "
                                "available): make sure yourself that no second run "
                                "works there");
    MPI_Barrier(team_comm);
    rc_campaign_dir_close(campaign_dir);
}

static int told;   /* lines that said that one waits */
static int let_go; /* by closing it a child is told to let go */

static void tell(const char *line)
{
    told++;
    close(let_go);
    assert_memory_equal(
        line, "waiting for another rollcall that is writing in 'busy': process ", 60);
}

enum { SOLVE = -1 }; /* and the values of enum rc_campaign_dir_hold */

static int open_as(int hold, rc_campaign_dir_tell *teller,
                   struct rc_campaign_dir **campaign_dir)
{
    struct rc_error err = {.rank = -1};
    char remark[1024];

    return hold == SOLVE
               ? rc_campaign_dir_open_results(MPI_COMM_NULL, "busy", teller,
                                              campaign_dir, &err)
               : rc_campaign_dir_open(MPI_COMM_NULL, "busy",
                                      (enum rc_campaign_dir_hold)hold, teller,
                                      campaign_dir, remark, sizeof remark, &err);
}

/* Holds in a child what 'hold' says until 'let_go' is closed. */
static pid_t hold_in_child(int hold)
{
    int ready[2], go[2];
    char byte = 0;

    assert_int_equal(pipe(ready) | pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rc_campaign_dir *campaign_dir;
        close(go[1]);
        if (open_as(hold, NULL, &campaign_dir) != RC_OK || write(ready[1], "y", 1) != 1)
            _exit(1);
        if (read(go[0], &byte, 1) < 0)
            _exit(1);
        rc_campaign_dir_close(campaign_dir);
        _exit(0);
    }
    close(ready[1]);
    close(go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    let_go = go[1];
    return child;
}

/* A child holds something and lets go as soon as it is waited for. */
static void waits_for(int theirs, int mine, bool waits)
{
    struct rc_campaign_dir *campaign_dir = NULL;
    pid_t child = hold_in_child(theirs);
    int status;

    told = 0;
    assert_int_equal(open_as(mine, tell, &campaign_dir), waits ? RC_OK : RC_ECONFLICT);
    assert_int_equal(told, waits);
    if (!waits)
        close(let_go);
    rc_campaign_dir_close(campaign_dir);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void who_writes_for_a_moment_is_waited_for(void **state)
{
    (void)state;
    if (rank != 0)
        return;
    assert_int_equal(mkdir("busy", 0777), 0);
    put("busy/campaign.h5", "");
    waits_for(SOLVE, SOLVE, true);
    waits_for(SOLVE, RC_CAMPAIGN_DIR_PACK, true);
    waits_for(RC_CAMPAIGN_DIR_PACK, SOLVE, true);
    waits_for(RC_CAMPAIGN_DIR_PACK, RC_CAMPAIGN_DIR_PACK, true);
    waits_for(RC_CAMPAIGN_DIR_PACK, RC_CAMPAIGN_DIR_CAMPAIGN, true);
    waits_for(RC_CAMPAIGN_DIR_ALL, SOLVE, true);
    waits_for(RC_CAMPAIGN_DIR_CAMPAIGN, RC_CAMPAIGN_DIR_CAMPAIGN, false);
    waits_for(RC_CAMPAIGN_DIR_CAMPAIGN, RC_CAMPAIGN_DIR_PACK, false);
    assert_int_not_equal(access("busy/.lock-results", F_OK), 0);
}

/* A measuring process takes the results only at the end. */
static void results_are_free_while_one_measures(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *run, *solve;

    (void)state;
    assert_int_equal(open_campaign_dir(team_comm, "both", &run, &err), RC_OK);
    if (rank == 0)
        put("both/campaign.h5", "");
    MPI_Barrier(team_comm);
    assert_int_equal(
        rc_campaign_dir_open_results(team_comm, "both", NULL, &solve, &err), RC_OK);
    rc_campaign_dir_close(solve);
    assert_int_equal(rc_campaign_dir_take_results(team_comm, run, NULL, &err), RC_OK);
    MPI_Barrier(team_comm);
    rc_campaign_dir_close(run);
}

static void nothing_is_left_where_there_is_no_campaign(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir;

    (void)state;
    if (rank == 0)
        assert_int_equal(mkdir("none", 0777), 0);
    MPI_Barrier(team_comm);
    assert_int_equal(
        rc_campaign_dir_open_results(team_comm, "none", NULL, &campaign_dir, &err),
        RC_OK);
    assert_null(campaign_dir);
    MPI_Barrier(team_comm);
    if (rank == 0)
        assert_int_equal(rmdir("none"), 0);
}

static void what_killed_processes_left_is_removed(void **state)
{
    static const char *const left[] = {"campaign.yaml.rc-0a1b2c.new",
                                       "campaign.h5.rc-000000.new",
                                       "report.html.rc-zzzzzz.new",
                                       "campaign.h5.new",
                                       "metrics.h5.new",
                                       "report.html.77.new"};
    static const char *const kept[] = {"campaign.h5", "mine.new", "x.rc-0a1b2.new",
                                       ".rc-0a1b2c.new", "x.rc-0a1b2C.new"};
    enum { LEFT = sizeof left / sizeof left[0], KEPT = sizeof kept / sizeof kept[0] };
    struct rc_error err = {.rank = -1};
    struct rc_campaign_dir *campaign_dir;
    char path[64], remark[256];

    (void)state;
    if (rank != 0)
        return;
    assert_int_equal(mkdir("swept", 0777), 0);
    for (size_t i = 0; i < LEFT + KEPT; i++) {
        snprintf(path, sizeof path, "swept/%s", i < LEFT ? left[i] : kept[i - LEFT]);
        put(path, "");
    }
    assert_int_equal(rc_campaign_dir_open(MPI_COMM_NULL, "swept", RC_CAMPAIGN_DIR_ALL,
                                          NULL, &campaign_dir, remark, sizeof remark,
                                          &err),
                     RC_OK);
    rc_campaign_dir_close(campaign_dir);
    for (size_t i = 0; i < LEFT + KEPT; i++) {
        snprintf(path, sizeof path, "swept/%s", i < LEFT ? left[i] : kept[i - LEFT]);
        assert_int_equal(access(path, F_OK), i < LEFT ? -1 : 0);
    }
}

static void new_ids_differ(void **state)
{
    struct rc_journal_id one = {{0}}, other = {{0}};
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_campaign_dir_new_id(&one, &err), RC_OK);
    assert_int_equal(rc_campaign_dir_new_id(&other, &err), RC_OK);
    assert_memory_not_equal(&one, &other, sizeof one);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_directories_are_refused_in_one_line),
        cmocka_unit_test(reasons_are_seen_behind_the_longest_names),
        cmocka_unit_test(directories_are_made_with_parents_and_held_by_all),
        cmocka_unit_test(who_holds_it_is_said),
        cmocka_unit_test(a_rank_that_sees_another_directory_is_heard_of),
        cmocka_unit_test(a_killed_process_leaves_no_lock_behind),
        cmocka_unit_test(missing_rights_are_said),
        cmocka_unit_test(a_read_only_file_system_is_said),
        cmocka_unit_test(a_full_disk_is_said),
        cmocka_unit_test(a_file_system_without_locks_is_a_remark_of_all),
        cmocka_unit_test(who_writes_for_a_moment_is_waited_for),
        cmocka_unit_test(results_are_free_while_one_measures),
        cmocka_unit_test(nothing_is_left_where_there_is_no_campaign),
        cmocka_unit_test(what_killed_processes_left_is_removed),
        cmocka_unit_test(new_ids_differ),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
