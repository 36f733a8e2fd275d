/* count_app WORD...: a program whose floating-point operations are known
 *
 *     dgemm N      N x N matrices are multiplied: 2 N^3 operations
 *     threads T N  so many threads at once, each with a dgemm N
 *     fork N       a child process with a dgemm N, waited for
 *     timer N      a dgemm N while a signal comes each 200 us
 *     part TEXT    writes the beginning of a line to standard output
 *     print TEXT, cat   writes to standard output: a line, or all standard input
 *     flood        writes until it cannot
 *     shut         closes all files
 *     hear         says "ready", waits for SIGINT, says so and goes on
 *     trap         executes a breakpoint, and handles it
 *     open N       fails unless file N is not open
 *     exec         continues as a new program, with the following words
 *     traced       a child process that this one traces, as a debugger does
 *     orphan       a child process that goes on for as long as its parent
 *     raise N, exit N   ends
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_MOST = 64 };

static void dgemm(int n)
{
    static double a[N_MOST * N_MOST], b[N_MOST * N_MOST];
    volatile double *left = a, *right = b; /* each operation is one, in this order */
    double last = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += left[i * n + k] * right[k * n + j];
            last = sum;
        }
    if (last != 0)
        abort();
}

static void *thread_main(void *n)
{
    dgemm(*(const int *)n);
    return NULL;
}

static volatile sig_atomic_t heard;

static void hear(int number)
{
    heard = number;
}

static void dgemm_in_threads(int threads, int n)
{
    pthread_t thread[16];

    for (int i = 0; i < threads && i < 16; i++)
        if (pthread_create(&thread[i], NULL, thread_main, &n) != 0)
            exit(3);
    for (int i = 0; i < threads && i < 16; i++)
        pthread_join(thread[i], NULL);
}

static void dgemm_with_timer(int n)
{
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};

    signal(SIGALRM, hear);
    setitimer(ITIMER_REAL, &often, NULL);
    do
        dgemm(n);
    while (!heard);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void trap(void)
{
    signal(SIGTRAP, hear);
#ifdef __x86_64__
    __asm__ volatile("int3");
    if (heard != SIGTRAP)
        exit(4);
#endif
}

static void wait_for_signal(void)
{
    signal(SIGINT, hear);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        exit(3);
    while (!heard)
        usleep(1000);
    printf("heard %d\n", (int)heard);
}

static void trace_child(void)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        exit(5);
    ptrace(PTRACE_CONT, child, NULL, NULL);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        exit(6);
}

static void flood(void)
{
    static const char line[] = "again and again and again\n";

    while (write(STDOUT_FILENO, line, strlen(line)) > 0)
        ;
    exit(9);
}

/* A word and its arguments; how many they are. */
static int follow(char **word)
{
    const int first = word[1] ? atoi(word[1]) : 0;
    char line[4096];
    ssize_t got;

    if (strcmp(word[0], "dgemm") == 0)
        dgemm(first);
    else if (strcmp(word[0], "timer") == 0)
        dgemm_with_timer(first);
    else if (strcmp(word[0], "part") == 0)
        (void)!write(STDOUT_FILENO, word[1], strlen(word[1]));
    else if (strcmp(word[0], "print") == 0)
        puts(word[1]);
    else if (strcmp(word[0], "raise") == 0)
        raise(first);
    else if (strcmp(word[0], "exit") == 0)
        exit(first);
    else if (strcmp(word[0], "open") == 0 && fcntl(first, F_GETFD) >= 0)
        exit(3);
    else if (strcmp(word[0], "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            dgemm(first);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    } else if (strcmp(word[0], "threads") == 0) {
        dgemm_in_threads(first, atoi(word[2]));
        return 3;
    } else if (strcmp(word[0], "cat") == 0) {
        while ((got = read(STDIN_FILENO, line, sizeof line)) > 0)
            if (write(STDOUT_FILENO, line, (size_t)got) != got)
                exit(3);
        return 1;
    } else if (strcmp(word[0], "exec") == 0) {
        execv(word[1], word + 1);
        exit(3);
    } else if (strcmp(word[0], "traced") == 0) {
        trace_child();
        return 1;
    } else if (strcmp(word[0], "orphan") == 0) {
        const pid_t parent = getpid();
        if (fork() == 0) {
            while (getppid() == parent)
                usleep(100000);
            _exit(0);
        }
        return 1;
    } else if (strcmp(word[0], "trap") == 0 || strcmp(word[0], "hear") == 0 ||
               strcmp(word[0], "flood") == 0 || strcmp(word[0], "shut") == 0) {
        if (word[0][0] == 't')
            trap();
        else if (word[0][0] == 'h')
            wait_for_signal();
        else if (word[0][0] == 'f')
            flood();
        else
            for (int fd = 0; fd < 64; fd++)
                close(fd);
        return 1;
    }
    return word[1] ? 2 : 1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc;)
        i += follow(argv + i);
    return 0;
}
