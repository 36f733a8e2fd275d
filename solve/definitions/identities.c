/* Sums of ideals that hold on every machine: reads their file and rewrites sums. */
#include "solve/definitions/identities.h"

#include "campaign/base/files/data_files.h"
#include "campaign/base/text.h"
#include "solve/algebra/fraction.h"
#include "solve/definitions/metric_text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IDENTITIES_MOST = 256, REASON_MOST = 1000 };

struct identity_text {
    char *ideal, *is, *reason;
};

struct file_text {
    struct identity_text *identities;
    unsigned count;
};

#define TEXT(key)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, struct identity_text, key, 0,     \
                           CYAML_UNLIMITED)
static const cyaml_schema_field_t identity_fields[] = {TEXT(ideal), TEXT(is),
                                                       TEXT(reason), CYAML_FIELD_END};
static const cyaml_schema_value_t identity_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct identity_text, identity_fields)};
static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("identities", CYAML_FLAG_POINTER, struct file_text,
                               identities, count, &identity_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_text, file_fields)};

/* A sum of parts while it is read. */
struct parts {
    const char *const *known;
    struct rc_arena *arena;
    struct rc_weight part[RC_TERMS_MAX];
    size_t count;
};

static int check_ideal(const char *const *known, const char *ideal,
                       struct rc_error *err)
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(known[i], ideal) == 0)
            return RC_OK;
    const int near = rc_text_nearest(ideal, known);
    return rc_fail(err, RC_EUSAGE, "no ideal '%s', %s%s%s", ideal,
                   near >= 0 ? "did you mean '" : "expected one of 'rollcall kernels'",
                   near >= 0 ? known[near] : "", near >= 0 ? "'?" : "");
}

static int add_part(void *context, const struct rc_linear_sum_term *term,
                    struct rc_error *err)
{
    struct parts *parts = context;
    char ideal[RC_IDEAL_NAME_MAX + 1];

    if (rc_ideal_name_wrong(term->word, term->length) || term->coefficient == 0)
        return rc_fail(err, RC_EUSAGE,
                       "'%g %.*s', expected a number other than 0 and an ideal",
                       term->coefficient, (int)(term->length < 40 ? term->length : 40),
                       term->word);
    snprintf(ideal, sizeof ideal, "%.*s", (int)term->length, term->word);
    for (size_t i = 0; i < parts->count; i++)
        if (strcmp(parts->part[i].ideal, ideal) == 0)
            return rc_fail(err, RC_EUSAGE, "'%s' is given twice", ideal);
    if (parts->count == RC_TERMS_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d terms", RC_TERMS_MAX);
    parts->part[parts->count++] =
        (struct rc_weight){rc_arena_text(parts->arena, ideal), term->coefficient};
    return check_ideal(parts->known, ideal, err);
}

static bool has_part(const struct rc_identity *identity, const char *ideal)
{
    for (size_t i = 0; i < identity->parts; i++)
        if (strcmp(identity->part[i].ideal, ideal) == 0)
            return true;
    return false;
}

/* Reads one identity; on RC_EUSAGE '*key' is the key whose value is wrong. */
static int read_identity(const struct identity_text *text, struct parts *parts,
                         struct rc_identity *out, const char **key,
                         struct rc_error *err)
{
    int status;

    *key = "reason";
    const char *problem = rc_line_wrong(text->reason, false, REASON_MOST);
    if (problem)
        return rc_fail(err, RC_EUSAGE, "'%.60s', %s", text->reason, problem);
    *key = "ideal";
    if ((status = check_ideal(parts->known, text->ideal, err)) != RC_OK)
        return status;
    *key = "is";
    parts->count = 0;
    if ((status = rc_linear_sum_read(text->is, add_part, parts, err)) != RC_OK)
        return status;
    struct rc_weight *part =
        rc_arena_array(parts->arena, parts->count, sizeof(struct rc_weight));
    if (part)
        memcpy(part, parts->part, parts->count * sizeof *part);
    *out = (struct rc_identity){.ideal = rc_arena_text(parts->arena, text->ideal),
                                .part = part,
                                .parts = part ? parts->count : 0,
                                .reason = rc_arena_text(parts->arena, text->reason)};
    return RC_OK;
}

/* The first identity whose ideal contains itself, or 'count'.  An identity is done when
 * none of its parts is the ideal of an identity that is not done; this is repeated
 * until nothing changes.
 */
static size_t find_circle(const struct rc_identity *identity, size_t count)
{
    bool done[IDENTITIES_MOST] = {false}, more = true;

    while (more) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            bool open = done[i];
            for (size_t j = 0; j < count && !open; j++)
                open = !done[j] && has_part(&identity[i], identity[j].ideal);
            if (!open)
                done[i] = more = true;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!done[i])
            return i;
    return count;
}

/* RC_EUSAGE for an identity that conflicts with the others. */
static int check_all(const struct rc_identities *all, struct rc_error *err)
{
    if (!all->identity)
        return RC_OK;
    const size_t circle = find_circle(all->identity, all->count);
    if (circle < all->count)
        return rc_fail(err, RC_EUSAGE,
                       "%s: ideal '%s' is a part of itself, expected other parts",
                       all->identity[circle].where, all->identity[circle].ideal);
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < all->count; j++) {
            const struct rc_identity *one = &all->identity[i],
                                     *other = &all->identity[j];
            const char *last = one->part[one->parts - 1].ideal;
            if (i != j && (has_part(other, last) || strcmp(other->ideal, last) == 0))
                return rc_fail(
                    err, RC_EUSAGE,
                    "%s: the last part '%s' is also in %s, expected one that "
                    "is in no other identity",
                    one->where, last, other->where);
        }
    return RC_OK;
}

static int read_file(struct rc_yaml *file, const char *const *known,
                     struct rc_identities *out, struct rc_error *err)
{
    struct parts parts = {.known = known, .arena = &out->arena};
    struct file_text *text = NULL;
    struct rc_error why = {.rank = -1};
    char where[64], place[PATH_MAX + 32];
    const char *key;
    void *loaded;
    int status = rc_yaml_load(file, &schema, &loaded, err);

    if (status != RC_OK)
        return status;
    text = loaded;
    struct rc_identity *identity =
        rc_arena_array(&out->arena, text->count, sizeof *identity);
    if (text->count > IDENTITIES_MOST)
        status =
            rc_yaml_blame(file, "identities", err, "%u of them, expected at most %d",
                          text->count, IDENTITIES_MOST);
    for (unsigned i = 0; identity && i < text->count && status == RC_OK; i++) {
        snprintf(where, sizeof where, "identities[%u]", i);
        snprintf(place, sizeof place, "%s:%zu", file->name, rc_yaml_line(file, where));
        status = read_identity(&text->identities[i], &parts, &identity[i], &key, &why);
        identity[i].where = rc_arena_text(&out->arena, place);
        rc_text_append(where, sizeof where, ".%s", key);
        if (status != RC_OK)
            rc_yaml_blame(file, where, err, "%s: %s", where, why.text);
    }
    out->identity = identity;
    out->count = text->count;
    rc_yaml_free(&schema, loaded);
    if (status != RC_OK ||
        (status = rc_arena_check(&out->arena, err, "identities of ideals")) != RC_OK)
        return status;
    return check_all(out, err);
}

static int take_file(struct rc_yaml *file, int status, const char *const *known,
                     struct rc_identities *out, struct rc_error *err)
{
    *out = (struct rc_identities){.count = 0};
    if (status == RC_OK)
        status = read_file(file, known, out, err);
    rc_yaml_fini(file);
    if (status != RC_OK)
        rc_identities_fini(out);
    return status;
}

int rc_identities_open(const char *const *known, struct rc_identities *out,
                       struct rc_error *err)
{
    struct rc_yaml file = {0};
    char path[PATH_MAX];
    int status = rc_data_file_find("laws", "identities.yaml", path, sizeof path, err);

    if (status == RC_OK)
        status = rc_yaml_open(path, RC_FILE_GIVEN, &file, err);
    return take_file(&file, status, known, out, err);
}

int rc_identities_from_text(const char *name, const char *text, size_t bytes,
                            const char *const *known, struct rc_identities *out,
                            struct rc_error *err)
{
    struct rc_yaml file = {0};
    const int status = rc_yaml_from_text(name, text, bytes, &file, err);

    return take_file(&file, status, known, out, err);
}

void rc_identities_fini(struct rc_identities *all)
{
    rc_arena_free(&all->arena);
    *all = (struct rc_identities){.count = 0};
}

/* Adds two numbers; the sum of two simple fractions is one, too, or 0. */
static double add_exactly(double a, double b)
{
    const double rounding = 1e-12 * (fabs(a) + fabs(b));
    struct rc_fraction f;

    return rc_fraction_near(a + b, rounding, 1 << 12, &f) ? rc_fraction_value(f)
                                                          : a + b;
}

static size_t add_weight(struct rc_weight *sum, size_t count, const char *ideal,
                         double weight)
{
    size_t i = 0;

    while (i < count && strcmp(sum[i].ideal, ideal) != 0)
        i++;
    if (i == count)
        sum[count++] = (struct rc_weight){ideal, 0};
    sum[i].weight = add_exactly(sum[i].weight, weight);
    return count;
}

const struct rc_weight *rc_identities_rewrite(const struct rc_identities *all,
                                              const struct rc_weight *weight,
                                              size_t count, struct rc_arena *arena,
                                              size_t *out)
{
    size_t room = count, sums = 0, kept = 0;

    for (size_t i = 0; i < all->count; i++)
        room += all->identity[i].parts + 1;
    struct rc_weight *sum = rc_arena_array(arena, room, sizeof *sum);
    *out = 0;
    if (!sum)
        return NULL;
    for (size_t i = 0; i < count; i++)
        sums = add_weight(sum, sums, weight[i].ideal, weight[i].weight);
    for (size_t i = 0; i < all->count; i++) { /* no last part is in another identity */
        const struct rc_identity *is = &all->identity[i];
        const struct rc_weight *last = &is->part[is->parts - 1];
        size_t at = 0;
        while (at < sums && strcmp(sum[at].ideal, last->ideal) != 0)
            at++;
        if (at == sums)
            continue;
        const double times = sum[at].weight / last->weight;
        sum[at].weight = 0;
        sums = add_weight(sum, sums, is->ideal, times);
        for (const struct rc_weight *part = is->part; part < last; part++)
            sums = add_weight(sum, sums, part->ideal, -times * part->weight);
    }
    for (size_t i = 0; i < sums; i++)
        if (sum[i].weight != 0)
            sum[kept++] = sum[i];
    *out = kept;
    return sum;
}
