/* profile_app WORD...: a program that does what the words say, one after the other
 *
 *     regions N    N times a region "outer" with a region "inner" in it
 *     threads N    so many threads at once, each with 10 such regions
 *     sleep MS     in a region "sleep"
 *     spin MS      takes so much processor time
 *     touch N      N pages for the first time, in a region "touch"
 *     print TEXT, cat   writes to standard output: a line, or all standard input
 *     mark FILE    adds a byte to a file
 *     filter prctl|seccomp|strict   any system call but those that write and end kills it
 *     child        a child process with 5 regions, waited for
 *     exec         continues as a new program, with the following words
 *     shut         closes all files
 *     daemon       continues as a process that nobody waits for
 *     raise N, exit N, _exit N, end N   ends; the last one as strict filters allow it
 */
#include "campaign/profile/rollcall.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void make_regions(long count)
{
    for (long i = 0; i < count; i++) {
        rc_region_begin("outer");
        rc_region_begin("inner");
        rc_region_end("inner");
        rc_region_end("outer");
    }
}

static pthread_barrier_t together;

static void *thread_main(void *unused)
{
    (void)unused;
    make_regions(10);
    pthread_barrier_wait(&together);
    return NULL;
}

static void run_threads(long count)
{
    pthread_t *thread = calloc((size_t)count, sizeof *thread);

    if (!thread || pthread_barrier_init(&together, NULL, (unsigned)count) != 0)
        exit(99);
    for (long i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, thread_main, NULL) != 0)
            exit(98);
    for (long i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    free(thread);
}

static void touch_pages(long count)
{
    const size_t bytes = (size_t)(count > 0 ? count : 1) * 4096;
    char *page =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        exit(97);
    madvise(page, bytes, MADV_NOHUGEPAGE);
    rc_region_begin("touch");
    for (long i = 0; i < count; i++)
        ((volatile char *)page)[i * 4096] = 1;
    rc_region_end("touch");
    munmap(page, bytes);
}

/* Until the thread has taken so much processor time. */
static void spin_ms(long ms)
{
    const clock_t until = clock() + ms * (CLOCKS_PER_SEC / 1000);

    while (clock() < until)
        ;
}

static void mark_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

    if (fd < 0 || write(fd, ".", 1) != 1)
        exit(91);
    close(fd);
}

static void set_filter(const char *way)
{
    static struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof rule / sizeof *rule, rule};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        (strcmp(way, "prctl") == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) ||
        (strcmp(way, "seccomp") == 0 &&
         (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == 0 ||
          syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)) ||
        (strcmp(way, "strict") == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0))
        exit(90);
}

static void copy_input(void)
{
    char bytes[4096];
    ssize_t got;

    while ((got = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        if (write(STDOUT_FILENO, bytes, (size_t)got) != got)
            exit(96);
}

static void run_child(void)
{
    const pid_t child = fork();

    if (child == 0) {
        make_regions(5);
        exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        exit(95);
}

static void become_daemon(void)
{
    if (fork() != 0)
        _exit(0);
    setsid();
    for (int fd = 0; fd < 3; fd++)
        close(fd);
}

static void sleep_ms(long ms)
{
    rc_region_begin("sleep");
    usleep((useconds_t)ms * 1000);
    rc_region_end("sleep");
}

/* Words without a number; false: it is none of them. */
static int do_word(const char *word)
{
    if (strcmp(word, "cat") == 0)
        copy_input();
    else if (strcmp(word, "child") == 0)
        run_child();
    else if (strcmp(word, "daemon") == 0)
        become_daemon();
    else if (strcmp(word, "shut") == 0)
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
    else
        return 0;
    return 1;
}

static void do_number(const char *word, const char *value)
{
    const long number = strtol(value, NULL, 10);

    if (strcmp(word, "regions") == 0)
        make_regions(number);
    else if (strcmp(word, "threads") == 0)
        run_threads(number);
    else if (strcmp(word, "sleep") == 0)
        sleep_ms(number);
    else if (strcmp(word, "spin") == 0)
        spin_ms(number);
    else if (strcmp(word, "touch") == 0)
        touch_pages(number);
    else if (strcmp(word, "print") == 0) {
        printf("%s\n", value);
        fflush(stdout); /* who waits for it need not wait for the end */
    } else if (strcmp(word, "mark") == 0)
        mark_file(value);
    else if (strcmp(word, "filter") == 0)
        set_filter(value);
    else if (strcmp(word, "end") == 0)
        syscall(SYS_exit, (int)number);
    else if (strcmp(word, "raise") == 0)
        raise((int)number);
    else if (strcmp(word, "exit") == 0)
        exit((int)number);
    else if (strcmp(word, "_exit") == 0)
        _exit((int)number);
    else
        exit(94);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "exec") == 0) {
            argv[i] = argv[0];
            execv(argv[0], argv + i);
            return 93;
        }
        if (do_word(argv[i]))
            continue;
        if (i + 1 == argc)
            return 92;
        do_number(argv[i], argv[i + 1]);
        i++;
    }
    return 0;
}
