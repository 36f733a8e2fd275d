/* profile_phases [KIND MS]...: a program that does different kinds of work, one after
 * the other, each for so many milliseconds, and names none of them
 *
 *     touch   pages for the first time      spin    computes
 *     send    datagrams over loopback       sleep   waits
 *     all     a little of each, for ever the same
 *
 * It prints when each began: ns since 1970, seconds since the first one, kind;
 * and of the end.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DATAGRAMS = 16 };
static const size_t page_bytes = 4096, bytes = 1 << 18;

static int end; /* of loopback: it sends to itself */

static void open_loopback(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof to;

    end = socket(AF_INET, SOCK_DGRAM, 0);
    if (end < 0 || bind(end, (struct sockaddr *)&to, sizeof to) ||
        getsockname(end, (struct sockaddr *)&to, &length) ||
        connect(end, (struct sockaddr *)&to, sizeof to))
        exit(99);
}

static void touch(void)
{
    volatile char *page =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        exit(98);
    for (size_t i = 0; i < bytes; i += page_bytes)
        page[i] = 1;
    munmap((void *)page, bytes);
}

static void spin(void)
{
    for (volatile int i = 0; i < 20000; i = i + 1)
        ;
}

static void transfer(void)
{
    char text[1024] = {0};

    for (size_t i = 0; i < DATAGRAMS; i++)
        if (send(end, text, sizeof text, 0) < 0 || recv(end, text, sizeof text, 0) < 0)
            exit(97);
}

static void rest(void)
{
    usleep(1000);
}

static void all(void)
{
    touch();
    spin();
    transfer();
    rest();
}

static const struct {
    const char *name;
    void (*work)(void);
} kinds[] = {{"touch", touch},
             {"spin", spin},
             {"send", transfer},
             {"sleep", rest},
             {"all", all}};

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void say(const char *what)
{
    static uint64_t first;
    const uint64_t now = now_ns(CLOCK_REALTIME);

    if (first == 0)
        first = now;
    printf("%llu %.6f %s\n", (unsigned long long)now, (double)(now - first) / 1e9,
           what);
}

int main(int argc, char **argv)
{
    open_loopback();
    for (int i = 1; i + 1 < argc; i += 2) {
        const uint64_t ns = strtoull(argv[i + 1], NULL, 10) * 1000000;
        size_t k = 0;
        while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].name, argv[i]) != 0)
            k++;
        if (k == sizeof kinds / sizeof *kinds)
            return 96;
        say(argv[i]);
        for (const uint64_t begin = now_ns(CLOCK_MONOTONIC);
             now_ns(CLOCK_MONOTONIC) - begin < ns;)
            kinds[k].work();
    }
    say("end");
    return 0;
}
