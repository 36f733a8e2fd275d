/* CAT's files of counts: vector kernels, linear algebra, instructions. */
#include "io/import/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_BYTES = 64, LINES_OF_SECTION = 3 };

/* A section of a file, by the comment in front of its lines. */
struct section {
    char name[SECTION_BYTES];
    size_t number; /* from 1 on; 0: none began yet */
    size_t first;  /* its first point */
    size_t size;   /* lines of the first section; 0: it has not ended */
};

static void copy_text(const char *text, size_t length, char *out, size_t room)
{
    snprintf(out, room, "%.*s", (int)(length < room ? length : room - 1), text);
}

/* The words of a comment line, without '#' and blanks in front. */
static void begin_section(const struct rc_lines *l, const struct rc_import_file *out,
                          struct section *s)
{
    size_t at = 0;

    while (at < l->length && (l->line[at] == '#' || l->line[at] == ' '))
        at++;
    copy_text(l->line + at, l->length - at, s->name, sizeof s->name);
    s->number++;
    s->first = out->point_count;
}

/* All sections of a file have as many lines; less are the end of one cut off. */
static int end_section(const struct rc_lines *lines, const struct rc_import_file *out,
                       struct section *s, struct rc_error *err)
{
    const size_t size = out->point_count - s->first;

    if (s->number == 0)
        return RC_OK;
    if (s->size == 0)
        s->size = size;
    if (size == s->size && size > 0)
        return RC_OK;
    return rc_lines_end(lines, "as many lines as in the first section", err);
}

/* "EXPECTED COUNT" of the vector kernels. */
struct vec {
    int precision; /* 16, 32, 64; 0: not known */
    int width;     /* 0 scalar, 128, 256, 512; -1: not known */
    bool fma;
};

static const char *word_of_width(int width, char *out, size_t room)
{
    if (width > 0)
        snprintf(out, room, "%d", width);
    else
        snprintf(out, room, "%s", width == 0 ? "scalar" : "vector");
    return out;
}

/* Only what the x86 kernels do is known: elsewhere a compiler decides whether scalars
 * are fused, and the file does not tell how wide vectors are.  Of half precision CAT
 * writes 0 where it ran nothing.
 */
static void set_vec_basis(const struct vec *v, double body, double *basis)
{
    const int widths[] = {0, 128, 256, 512};

    if (v->precision < 32 || v->width < 0)
        return;
    for (int i = 0; i < 16; i++)
        basis[i] = i / 8 == v->fma && i / 4 % 2 == (v->precision == 64) &&
                           widths[i % 4] == v->width
                       ? body
                       : 0;
}

static int add_vec(struct rc_lines *lines, struct rc_import_file *out,
                   const struct vec *v, const char *name, uint64_t iterations,
                   struct rc_error *err)
{
    struct rc_import_number number;
    struct rc_words words;
    uint64_t body = 0;
    char width[16];
    double *basis = NULL;

    rc_words_begin(&words, lines);
    int status = rc_words_count(&words, "a number of instructions", &body, err);
    if (status == RC_OK && body == 0)
        status = rc_lines_fail(lines, words.word, words.length,
                               "a number of instructions", err);
    if (status == RC_OK)
        status = rc_words_number(&words, &number, err);
    if (status == RC_OK)
        status = rc_words_done(&words, err);
    if (status == RC_OK)
        status = rc_import_add_number(out, number, err);
    if (status != RC_OK)
        return status;
    const struct rc_import_point point = {
        .iterations = iterations,
        .axis = {v->precision, v->width, v->fma, (int64_t)body}};
    if (v->precision == 0)
        return rc_import_add_point(out, &point, NULL, err, "%s-%llu", name,
                                   (unsigned long long)body);
    status = rc_import_add_point(out, &point, &basis, err, "%s-%s%s-%llu",
                                 v->precision == 64   ? "dp"
                                 : v->precision == 32 ? "sp"
                                                      : "hp",
                                 word_of_width(v->width, width, sizeof width),
                                 v->fma ? "-fma" : "", (unsigned long long)body);
    if (status == RC_OK)
        set_vec_basis(v, (double)body, basis);
    return status;
}

/* "SP Non-FMA Vector AVX128"; others, such as dot products of bfloat16, are kept
 * by their name.
 */
static struct vec vec_of_section(const char *name)
{
    char precision[8] = "", fma[12] = "", form[12] = "";
    struct vec v = {.width = -1};
    int width = -1;

    if (sscanf(name, "%7s %11s %11s AVX%d", precision, fma, form, &width) < 3)
        return v;
    if (strcmp(fma, "FMA") != 0 && strcmp(fma, "Non-FMA") != 0)
        return v;
    v.precision = strcmp(precision, "DP") == 0   ? 64
                  : strcmp(precision, "SP") == 0 ? 32
                  : strcmp(precision, "HP") == 0 ? 16
                                                 : 0;
    v.fma = strcmp(fma, "FMA") == 0;
    if (strcmp(form, "Scalar") == 0)
        v.width = 0;
    else if (width == 128 || width == 256 || width == 512)
        v.width = width;
    return v;
}

/* Without comments (PAPI 7.0) the lines' order says what they are: non-FMA before FMA,
 * half, single and double precision, ascending widths.
 */
static int name_vec(struct rc_import_file *out, struct rc_error *err)
{
    const size_t kernels = out->point_count / LINES_OF_SECTION, widths = kernels / 6;

    for (size_t i = 0; i < out->point_count; i++) {
        struct rc_import_point *p = &out->point[i];
        const size_t kernel = i / LINES_OF_SECTION;
        const struct vec v = {.precision = 16 << (kernel / widths % 3),
                              .width = widths == 1 ? -1 : 128 << (kernel % widths),
                              .fma = kernel >= kernels / 2};
        char name[64], width[16];
        snprintf(name, sizeof name, "%s-%s%s-%lld",
                 v.precision == 64   ? "dp"
                 : v.precision == 32 ? "sp"
                                     : "hp",
                 word_of_width(v.width, width, sizeof width), v.fma ? "-fma" : "",
                 (long long)p->axis[3]);
        char *copy = strdup(name);
        if (!copy)
            return rc_import_no_memory(err);
        free(p->name);
        p->name = copy;
        p->axis[0] = v.precision;
        p->axis[1] = v.width;
        p->axis[2] = v.fma;
        set_vec_basis(&v, (double)p->axis[3], out->basis + i * 16);
    }
    return RC_OK;
}

static int read_plain_vec(struct rc_lines *lines, struct rc_import_file *out,
                          struct rc_error *err)
{
    const struct vec unknown = {.width = -1};
    int status;

    while (rc_lines_next(lines, &status, err)) {
        /* CAT 7.0 executes each body a thousand times a thousand times. */
        status = add_vec(lines, out, &unknown, "line", 1000000, err);
        if (status != RC_OK)
            return status;
    }
    if (status != RC_OK)
        return status;
    if (out->point_count != 18 && out->point_count != 36 && out->point_count != 54)
        return rc_lines_end(lines, "18, 36 or 54 lines", err);
    return name_vec(out, err);
}

/* The kernels with FMA come last: as many as those without, or the file was cut off. */
static int check_vec(const struct rc_lines *lines, const struct rc_import_file *out,
                     struct rc_error *err)
{
    size_t count[2] = {0};
    bool is_x86 = true;

    for (size_t i = 0; i < out->point_count; i++) {
        if (out->point[i].axis[0] == 0)
            continue;
        count[out->point[i].axis[2] != 0]++;
        is_x86 = is_x86 && out->point[i].axis[1] >= 0;
    }
    if (count[0] != count[1] || count[0] == 0)
        return rc_lines_end(lines, "as many lines with FMA as without", err);
    for (size_t i = 0; i < out->point_count * 16 && !is_x86; i++)
        out->basis[i] = NAN; /* how scalars were compiled is not known either */
    return RC_OK;
}

int rc_import_cat_vec(struct rc_lines *lines, struct rc_import_file *out,
                      struct rc_error *err)
{
    struct section s = {.number = 0};
    struct vec v = {.width = -1};
    int status;

    if (lines->at < lines->end && *lines->at != '#')
        return read_plain_vec(lines, out, err);
    while (rc_lines_next(lines, &status, err)) {
        if (lines->length == 0)
            continue;
        if (*lines->line == '#') {
            begin_section(lines, out, &s);
            v = vec_of_section(s.name);
            continue;
        }
        status = add_vec(lines, out, &v, s.name, 1, err);
        if (status != RC_OK)
            return status;
    }
    out->is_empty = status == RC_OK && out->point_count == 0;
    return status == RC_OK && !out->is_empty ? check_vec(lines, out, err) : status;
}

enum { SIZES = 108, SIZES_STEP_1 = 100 };

/* 648 lines of PAPI 7.0: DOT, GEMV and GEMM, in single, then double precision. */
static int add_plain_flops(struct rc_import_file *out, struct rc_error *err)
{
    static const char *const kernels[] = {"dot", "gemv", "gemm"};
    const size_t at = out->point_count, i = at % SIZES, kernel = at / SIZES % 3;
    const bool is_double = at / SIZES >= 3;
    const int64_t n =
        i < SIZES_STEP_1 ? (int64_t)i + 1 : 50 * (int64_t)(i - SIZES_STEP_1) + 150;
    const struct rc_import_point point = {.iterations = 1,
                                          .axis = {is_double ? 64 : 32, n}};
    double *basis;
    int status = rc_import_add_point(out, &point, &basis, err, "%s-%s-%d",
                                     is_double ? "dp" : "sp", kernels[kernel], (int)n);

    if (status != RC_OK)
        return status;
    basis[is_double] = 2;
    for (size_t k = 0; k <= kernel; k++)
        basis[is_double] *= (double)n;
    basis[!is_double] = 0;
    return RC_OK;
}

static int read_plain_flops(struct rc_lines *lines, struct rc_import_file *out,
                            struct rc_error *err)
{
    struct rc_import_number number;
    struct rc_words words;
    int status;

    while (rc_lines_next(lines, &status, err)) {
        if (out->point_count == (size_t)6 * SIZES)
            return rc_lines_fail(lines, lines->line, lines->length,
                                 "the end of the file behind 648 numbers", err);
        rc_words_begin(&words, lines);
        status = rc_words_number(&words, &number, err);
        if (status == RC_OK)
            status = rc_words_done(&words, err);
        if (status == RC_OK)
            status = rc_import_add_number(out, number, err);
        if (status == RC_OK)
            status = add_plain_flops(out, err);
        if (status != RC_OK)
            return status;
    }
    if (status == RC_OK && out->point_count < (size_t)6 * SIZES)
        status = rc_lines_end(lines, "648 numbers", err);
    return status;
}

/* "Single-Precision Vector Normalization" as "sp-vector-normalization". */
static int precision_of(const char *section, const char **rest)
{
    static const struct {
        const char *text;
        int bits;
    } words[] = {
        {"Half-Precision ", 16}, {"Single-Precision ", 32}, {"Double-Precision ", 64}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i].text);
        if (strncmp(section, words[i].text, length) == 0) {
            *rest = section + length;
            return words[i].bits;
        }
    }
    *rest = section;
    return 0;
}

static void make_slug(const char *text, char *out, size_t room)
{
    size_t at = 0;

    for (; text[at] && at + 1 < room; at++)
        out[at] = (char)(text[at] == ' '                      ? '-'
                         : text[at] >= 'A' && text[at] <= 'Z' ? text[at] + 32
                                                              : text[at]);
    out[at] = 0;
}

/* Ten columns: N, the count, the count per operation, what CAT expects of additions,
 * subtractions, multiplications, divisions, roots and FMAs, and their sum.  The sum is
 * made anew: CAT's says 1 where nothing was done.
 */
static int read_flops_columns(struct rc_lines *lines, struct rc_import_number *count,
                              uint64_t *n, double *operations, struct rc_error *err)
{
    static const char expected[] = "the number of operations that CAT expects";
    struct rc_import_number ignored;
    struct rc_words words;
    uint64_t value = 0;
    int status;

    rc_words_begin(&words, lines);
    status = rc_words_count(&words, "a size N", n, err);
    if (status == RC_OK)
        status = rc_words_number(&words, count, err);
    if (status == RC_OK && !rc_words_next(&words)) /* 17 digits, of no use */
        status = rc_words_number(&words, &ignored, err);
    *operations = 0;
    for (int i = 0; i < 7 && status == RC_OK; i++) {
        status = rc_words_count(&words, expected, &value, err);
        *operations += i == 6 ? 0 : (i == 5 ? 2 : 1) * (double)value;
    }
    return status == RC_OK ? rc_words_done(&words, err) : status;
}

static int read_flops_line(struct rc_lines *lines, struct rc_import_file *out,
                           const struct section *s, struct rc_error *err)
{
    char kernel[SECTION_BYTES];
    struct rc_import_number count;
    const char *rest;
    double operations, *basis;
    uint64_t n;
    const int precision = precision_of(s->name, &rest);
    int status = read_flops_columns(lines, &count, &n, &operations, err);

    if (status == RC_OK && (precision == 0 || n != out->point_count - s->first))
        status = rc_lines_fail(lines, lines->line, lines->length,
                               "sizes from 0 on behind a line such as "
                               "'#Single-Precision GEMM'",
                               err);
    if (status == RC_OK)
        status = rc_import_add_number(out, count, err);
    if (status != RC_OK)
        return status;
    make_slug(rest, kernel, sizeof kernel);
    const struct rc_import_point point = {.iterations = 1,
                                          .axis = {precision, (int64_t)n}};
    status = rc_import_add_point(out, &point, &basis, err, "%s-%s-%llu",
                                 precision == 64   ? "dp"
                                 : precision == 32 ? "sp"
                                                   : "hp",
                                 kernel, (unsigned long long)n);
    if (status != RC_OK)
        return status;
    basis[0] = precision == 32 ? operations : 0;
    basis[1] = precision == 64 ? operations : 0;
    return RC_OK;
}

/* The lines of a file whose comments begin its sections: 'read_line' takes each other
 * one.  Lines that begin with 'passed', where that is not NULL, are passed over.
 */
static int
read_sections(struct rc_lines *lines, struct rc_import_file *out, const char *passed,
              int (*read_line)(struct rc_lines *lines, struct rc_import_file *out,
                               const struct section *s, struct rc_error *err),
              struct section *s, struct rc_error *err)
{
    const size_t length = passed ? strlen(passed) : 0;
    int status;

    while (rc_lines_next(lines, &status, err)) {
        if (lines->length == 0 || (passed && lines->length >= length &&
                                   memcmp(lines->line, passed, length) == 0))
            continue;
        if (*lines->line != '#') {
            status = read_line(lines, out, s, err);
        } else {
            status = end_section(lines, out, s, err);
            begin_section(lines, out, s);
        }
        if (status != RC_OK)
            return status;
    }
    out->is_empty = status == RC_OK && out->point_count == 0;
    return status == RC_OK && !out->is_empty ? end_section(lines, out, s, err) : status;
}

int rc_import_cat_flops(struct rc_lines *lines, struct rc_import_file *out,
                        struct rc_error *err)
{
    struct section s = {.number = 0};

    if (lines->at < lines->end && *lines->at != '#')
        return read_plain_flops(lines, out, err);
    int status = read_sections(lines, out, "#N ", read_flops_line, &s, err);
    if (status == RC_OK && !out->is_empty && s.number % 3 != 0)
        status = rc_lines_end(lines, "three kernels of each precision", err);
    return status;
}

/* What is behind "NAME: " in a comment at the end of a line, as PAPI 7.1 wrote. */
static bool split_comment(const struct rc_lines *lines, char *name, size_t room,
                          const char **expected)
{
    const char *hash = memchr(lines->line, '#', lines->length);
    const char *end = lines->line + lines->length;

    if (!hash)
        return false;
    const char *colon = memchr(hash, ':', (size_t)(end - hash));
    while (hash < end && (*hash == '#' || *hash == ' '))
        hash++;
    if (!colon || colon < hash)
        return false;
    copy_text(hash, (size_t)(colon - hash), name, room);
    *expected = colon + 1;
    return true;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Scalar operations are what CAT says; how vectors and FMAs were compiled, and what
 * else is in the loops, is not known.
 */
static void set_instr_basis(const char *name, double expected, double *basis)
{
    static const char *const arithmetic[] = {"ADD", "SUB", "MUL", "DIV"};
    const bool is_single = has_prefix(name, "FP32_");
    const char *rest = is_single || has_prefix(name, "FP64_") ? name + 5
                       : has_prefix(name, "FP_")              ? name + 3
                                                              : NULL;

    if (has_prefix(name, "Mem_") || has_prefix(name, "MEM_") ||
        has_prefix(name, "Int_") || has_prefix(name, "INT_"))
        basis[0] = basis[1] = 0;
    for (size_t i = 0; i < 4 && rest && !strstr(rest, "VEC"); i++)
        if (has_prefix(rest, arithmetic[i])) {
            basis[!is_single] = expected;
            basis[is_single] = 0;
        }
}

static int read_instr_line(struct rc_lines *lines, struct rc_import_file *out,
                           const struct section *s, struct rc_error *err)
{
    static const char of_count[] = "the count that CAT expects";
    struct rc_import_number count, ratio;
    struct rc_words words;
    char name[SECTION_BYTES];
    const char *at;
    uint64_t size = 0, expected = 0;
    double *basis;
    const bool has_comment = split_comment(lines, name, sizeof name, &at);
    int status;

    rc_words_begin(&words, lines);
    status = rc_words_count(&words, "a size", &size, err);
    if (status == RC_OK)
        status = rc_words_number(&words, &count, err);
    if (has_comment)
        words.at = at;
    if (status == RC_OK)
        status = rc_words_count(&words, of_count, &expected, err);
    if (status == RC_OK && !has_comment)
        status = rc_words_number(&words, &ratio, err);
    if (status == RC_OK && !has_comment)
        status = rc_words_done(&words, err);
    if (status == RC_OK)
        status = rc_import_add_number(out, count, err);
    if (status != RC_OK)
        return status;
    const struct rc_import_point point = {.iterations = 1,
                                          .axis = {(int64_t)s->number, (int64_t)size}};
    if (!has_comment)
        snprintf(name, sizeof name, "%s", s->name);
    status = rc_import_add_point(out, &point, &basis, err, "%02zu-%s-%llu", s->number,
                                 name, (unsigned long long)size);
    if (status == RC_OK)
        set_instr_basis(name, (double)expected, basis);
    return status;
}

int rc_import_cat_instr(struct rc_lines *lines, struct rc_import_file *out,
                        struct rc_error *err)
{
    struct section s = {.number = 0};

    return read_sections(lines, out, NULL, read_instr_line, &s, err);
}
