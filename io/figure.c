#include "io/figure.h"

#include "campaign/base/child.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/figure_parts.h"

#include <stdlib.h>
#include <string.h>

enum { PATIENCE_S = 120 };

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

static int gnuplot_failed(const struct rc_child *child, struct rc_error *err)
{
    char line[RC_ERROR_TEXT / 2];
    char *at = child->messages + strspn(child->messages, " \n\t^");

    at[strcspn(at, "\n")] = '\0';
    rc_text_printable(line, sizeof line, at);
    if (child->exited > 128)
        return rc_fail(err, RC_EIO, "gnuplot was killed by signal %d",
                       child->exited - 128);
    return rc_fail(err, RC_EIO, "gnuplot failed with exit status %d%s%s", child->exited,
                   *line ? ": " : "", line);
}

/* It draws a figure in milliseconds, six million bytes of a script in a second, and
 * says twelve times as much as it reads at most: what goes far beyond that hangs.
 */
static int gnuplot(char *const *words, const char *script, size_t bytes,
                   struct rc_child *child, struct rc_error *err)
{
    const struct rc_child_task task = {.words = words,
                                       .text = script,
                                       .bytes = bytes,
                                       .most = ((size_t)64 << 20) + 50 * bytes,
                                       .seconds =
                                           PATIENCE_S + (unsigned)(bytes / 100000)};
    int status = rc_child_feed(&task, child, err);

    if (status == RC_EMISSING)
        return rc_fail(err, RC_EMISSING,
                       "no 'gnuplot' on the PATH, which draws the figures: the "
                       "packages of Debian and Spack are gnuplot-nox and gnuplot");
    return status == RC_OK && child->exited != 0 ? gnuplot_failed(child, err) : status;
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
    /* Without settings of the user's (-d).  By its name: from a stream gnuplot reads
     * byte by byte.
     */
    static char name[] = "gnuplot", settings[] = "-d", script[] = "/proc/self/fd/0";
    char *const argv[] = {name, settings, script, NULL};
    struct rc_child child = {0};
    int status = RC_OK;

    if (f->count == 0)
        return RC_OK;
    if (fflush(f->stream) != 0)
        status = rc_fail(err, RC_ENOMEM, "no memory for figures");
    if (status == RC_OK)
        status = gnuplot(argv, f->script, f->bytes, &child, err);
    if (status == RC_OK)
        status = take_figures(f, child.output, child.output_bytes, take, context, err);
    rc_child_fini(&child);
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
    struct rc_child child = {0};
    int status = gnuplot(argv, "", 0, &child, err);

    if (room > 0)
        out[0] = '\0';
    if (status == RC_OK) {
        child.output[strcspn(child.output, "\n")] = '\0';
        rc_text_printable(out, room, child.output);
    }
    rc_child_fini(&child);
    return status;
}
