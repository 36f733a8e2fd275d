#include "io/figure.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/figure_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct rc_figures {
    struct rc_marked *marked;
    size_t count, room;
    char *script;
    size_t bytes;
    FILE *stream; /* of the script */
};

struct rc_figures *rc_figures_create(void)
{
    return rc_calloc(1, sizeof(struct rc_figures));
}

static void forget(struct rc_figures *f)
{
    for (size_t i = 0; i < f->count; i++)
        rc_marked_fini(&f->marked[i]);
    f->count = 0;
    if (f->stream)
        fclose(f->stream);
    f->stream = NULL;
    free(f->script);
    f->script = NULL;
}

void rc_figures_close(struct rc_figures *f)
{
    if (!f)
        return;
    forget(f);
    free(f->marked);
    free(f);
}

int rc_figures_add(struct rc_figures *f, const struct rc_figure *figure,
                   struct rc_error *err)
{
    if (!f->stream)
        f->stream = open_memstream(&f->script, &f->bytes);
    if (!f->stream || rc_grow(&f->marked, sizeof *f->marked, f->count, &f->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu figures", f->count);
    return rc_figure_script(f->stream, figure, &f->marked[f->count++], err);
}

/* A file in memory with these bytes, to be read from its beginning; -1: none. */
static int memory_file(const char *name, const char *text, size_t bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC);

    for (size_t done = 0; fd >= 0 && done < bytes;) {
        const ssize_t n = write(fd, text + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* What was written into it; free() it. */
static char *memory_text(int fd, size_t *bytes)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);

    *bytes = 0;
    while (text && *bytes < (size_t)size) {
        const ssize_t n =
            pread(fd, text + *bytes, (size_t)size - *bytes, (off_t)*bytes);
        if (n <= 0)
            break;
        *bytes += (size_t)n;
    }
    if (text)
        text[*bytes] = '\0';
    return text;
}

/* Runs gnuplot on files in place of its three streams.  It reads no settings of the
 * user's (-d), and needs no screen.
 */
static int run_gnuplot(char *const *argv, const int *stream, int *exited,
                       struct rc_error *err)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int failed = posix_spawn_file_actions_init(&actions);

    if (failed)
        return rc_fail(err, RC_ENOMEM, "no memory to start gnuplot");
    for (int i = 0; i < 3 && !failed; i++)
        failed = posix_spawn_file_actions_adddup2(&actions, stream[i], i);
    if (!failed)
        failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT)
        return rc_fail(err, RC_EMISSING,
                       "no 'gnuplot' on the PATH, which draws the figures: the "
                       "packages of Debian and Spack are gnuplot-nox and gnuplot");
    errno = failed;
    if (failed)
        return rc_fail_errno(err, "cannot start gnuplot");
    while (waitpid(child, exited, 0) < 0)
        if (errno != EINTR)
            return rc_fail_errno(err, "cannot wait for gnuplot");
    return RC_OK;
}

static int gnuplot_failed(int exited, int stream, struct rc_error *err)
{
    size_t bytes;
    char *said = memory_text(stream, &bytes), line[RC_ERROR_TEXT / 2];
    char *at = said ? said + strspn(said, " \n\t^") : NULL;

    if (at)
        at[strcspn(at, "\n")] = '\0';
    rc_text_printable(line, sizeof line, at ? at : "");
    free(said);
    if (WIFSIGNALED(exited))
        return rc_fail(err, RC_EIO, "gnuplot was killed by signal %d",
                       WTERMSIG(exited));
    return rc_fail(err, RC_EIO, "gnuplot failed with exit status %d: %s",
                   WEXITSTATUS(exited), line);
}

/* 'script' in, '*text' out. */
static int gnuplot(char *const *argv, const char *script, size_t bytes, char **text,
                   size_t *text_bytes, struct rc_error *err)
{
    int exited = 0, status;
    int stream[3] = {memory_file("script", script, bytes),
                     memory_file("figures", "", 0), memory_file("messages", "", 0)};

    *text = NULL;
    if (stream[0] < 0 || stream[1] < 0 || stream[2] < 0)
        status = rc_fail_errno(err, "no files in memory for gnuplot");
    else
        status = run_gnuplot(argv, stream, &exited, err);
    if (status == RC_OK && exited != 0)
        status = gnuplot_failed(exited, stream[2], err);
    if (status == RC_OK && !(*text = memory_text(stream[1], text_bytes)))
        status = rc_fail(err, RC_ENOMEM, "no memory for figures");
    for (int i = 0; i < 3; i++)
        if (stream[i] >= 0)
            close(stream[i]);
    return status;
}

/* The figures stand one behind the other, each up to its "</svg>". */
static int take_figures(struct rc_figures *f, const char *text, size_t bytes,
                        int (*take)(void *, size_t, const char *, size_t,
                                    struct rc_error *),
                        void *context, struct rc_error *err)
{
    static const char end[] = "</svg>\n";
    const char *at = text;
    int status = RC_OK;

    for (size_t i = 0; i < f->count && status == RC_OK; i++) {
        const char *last = memmem(at, bytes - (size_t)(at - text), end, strlen(end));
        char *svg = NULL;
        size_t svg_bytes;
        FILE *stream = last ? open_memstream(&svg, &svg_bytes) : NULL;
        if (!last)
            return rc_fail(err, RC_EIO, "gnuplot drew %zu of %zu figures", i, f->count);
        if (!stream)
            return rc_fail(err, RC_ENOMEM, "no memory for figures");
        last += strlen(end);
        rc_figure_svg(stream, at, (size_t)(last - at), &f->marked[i]);
        status = fclose(stream) == 0 ? take(context, i, svg, svg_bytes, err)
                                     : rc_fail(err, RC_ENOMEM, "no memory for figures");
        free(svg);
        at = last;
    }
    return status;
}

int rc_figures_draw(struct rc_figures *f,
                    int (*take)(void *context, size_t number, const char *svg,
                                size_t bytes, struct rc_error *err),
                    void *context, struct rc_error *err)
{
    /* By its name: from a stream gnuplot reads byte by byte. */
    static char name[] = "gnuplot", settings[] = "-d", script[] = "/proc/self/fd/0";
    char *const argv[] = {name, settings, script, NULL};
    char *text = NULL;
    size_t bytes = 0;
    int status = RC_OK;

    if (f->count == 0)
        return RC_OK;
    if (fflush(f->stream) != 0)
        status = rc_fail(err, RC_ENOMEM, "no memory for figures");
    if (status == RC_OK)
        status = gnuplot(argv, f->script, f->bytes, &text, &bytes, err);
    if (status == RC_OK)
        status = take_figures(f, text, bytes, take, context, err);
    free(text);
    forget(f);
    return status;
}

static int put_figure(void *context, size_t number, const char *svg, size_t bytes,
                      struct rc_error *err)
{
    (void)number;
    (void)err;
    fwrite(svg, 1, bytes, context);
    return RC_OK;
}

int rc_figure_draw(const struct rc_figure *figure, FILE *out, struct rc_error *err)
{
    struct rc_figures *one = rc_figures_create();
    int status = one ? rc_figures_add(one, figure, err)
                     : rc_fail(err, RC_ENOMEM, "no memory for a figure");

    if (status == RC_OK)
        status = rc_figures_draw(one, put_figure, out, err);
    rc_figures_close(one);
    return status;
}

int rc_figures_version(char *out, size_t room, struct rc_error *err)
{
    static char name[] = "gnuplot", version[] = "--version";
    char *const argv[] = {name, version, NULL};
    char *text;
    size_t bytes;
    int status = gnuplot(argv, "", 0, &text, &bytes, err);

    if (room > 0)
        out[0] = '\0';
    if (status == RC_OK) {
        text[strcspn(text, "\n")] = '\0';
        rc_text_printable(out, room, text);
    }
    free(text);
    return status;
}
