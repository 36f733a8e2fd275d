/* Reads a machine file into struct rc_model: head, banks of counters, registers,
 * events.
 *
 * libcyaml turns the file into texts (schema.h); what the texts mean is read here and,
 * for a line of 'events', in line.c.  Banks and registers are read first, since events
 * name them.  Names are checked last, when the number of events is known.  The file may
 * come from a stranger: every number has a limit (file.h), and what is wrong is said
 * with the line of the file.
 */
#include "campaign/sources/model/file.h"

#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/sources/model/counters.h"
#include "campaign/sources/model/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"
#define BITS_DEFAULT 48

/* Reads the part before all lists. */
static int read_head(struct rc_model_reader *r, const struct rc_model_text *text)
{
    struct rc_model *m = r->model;

    rc_model_check_name(r, text->name);
    rc_model_check_line(r, "summary", text->summary, RC_MODEL_DESCRIPTION_MAX);
    rc_model_check_line(r, "processor", text->processor, RC_MODEL_NAME_MAX);
    rc_model_check_line(r, "topology", text->topology, RC_MODEL_DESCRIPTION_MAX);
    if (text->seed && rc_text_count(text->seed, &m->seed))
        return rc_model_wrong(r, "seed", "found '%.40s', expected " RC_TEXT_COUNT,
                              text->seed);
    rc_model_read_number(r, "nodes", text->nodes, 1, RC_MODEL_NODES_MAX, &m->nodes);
    rc_model_read_number(r, "clock", text->clock, 1, RC_MODEL_CLOCK_MAX, &m->clock_mhz);
    if (m->nodes && !text->topology)
        return rc_model_wrong(r, "nodes", "nodes without a 'topology', expected both");
    m->name = text->name;
    m->summary = text->summary ? text->summary : "";
    m->processor = text->processor ? text->processor : "";
    m->topology = text->topology;
    return rc_model_read_effects(r, text->effects, &m->effects);
}

/* Reads the banks: each has programmable and fixed counters, or unlimited ones. */
static int read_banks(struct rc_model_reader *r, const struct rc_model_text *text)
{
    unsigned count = text->banks_count;

    if (count == 0 || count > RC_MODEL_BANKS_MAX)
        return rc_model_wrong(r, "banks", "%u banks, expected 1 to %d", count,
                              RC_MODEL_BANKS_MAX);
    for (unsigned i = 0; i < count; i++) {
        const struct rc_model_bank_text *one = &text->banks[i];
        struct rc_model_bank bank = {.name = one->name, .bits = BITS_DEFAULT};
        snprintf(r->where, sizeof r->where, "banks[%u]", i);
        rc_model_check_name(r, one->name);
        if (rc_model_find_bank(r->model, one->name) >= 0)
            return rc_model_wrong(r, "name", "bank '%s' is given twice", one->name);
        rc_model_read_scope(r, one->scope, &bank.scope);
        bank.unlimited = strcmp(one->counters, "unlimited") == 0;
        if (bank.unlimited && one->fixed)
            return rc_model_wrong(r, "fixed",
                                  "fixed counters in a bank of unlimited counters, "
                                  "expected one or the other");
        if (!bank.unlimited) {
            rc_model_read_number(r, "counters", one->counters, 0, RC_MODEL_COUNTERS_MAX,
                                 &bank.programmable);
            rc_model_read_number(r, "fixed", one->fixed, 0,
                                 RC_MODEL_COUNTERS_MAX - bank.programmable,
                                 &bank.fixed);
            if (bank.programmable + bank.fixed == 0)
                return rc_model_wrong(r, "counters",
                                      "a bank without counters, expected at least 1");
        }
        rc_model_read_number(r, "bits", one->bits, 1, RC_MODEL_BITS_MAX, &bank.bits);
        r->model->bank[r->model->bank_count++] = bank;
    }
    r->where[0] = 0;
    return r->status;
}

static int read_registers(struct rc_model_reader *r, const struct rc_model_text *text)
{
    unsigned count = text->registers_count;

    if (count > RC_MODEL_REGISTERS_MAX)
        return rc_model_wrong(r, "registers", "%u registers, expected at most %d",
                              count, RC_MODEL_REGISTERS_MAX);
    for (unsigned i = 0; i < count; i++) {
        const struct rc_model_register_text *one = &text->registers[i];
        struct rc_model_register reg = {.name = one->name};
        snprintf(r->where, sizeof r->where, "registers[%u]", i);
        rc_model_check_name(r, one->name);
        /* A line of 'events' gives "NAME VALUE": its first blank ends the name. */
        if (strpbrk(one->name, BLANKS))
            return rc_model_wrong(
                r, "name", "'%s' has a blank in it, expected one word", one->name);
        if (rc_model_find_register(r->model, one->name, strlen(one->name)) >= 0)
            return rc_model_wrong(r, "name", "register '%s' is given twice", one->name);
        rc_model_read_number(r, "values", one->values, 1, RC_MODEL_VALUES_MAX,
                             &reg.values);
        r->model->reg[r->model->register_count++] = reg;
    }
    r->where[0] = 0;
    return r->status;
}

static int read_events(struct rc_model_reader *r, const struct rc_model_text *text)
{
    struct rc_model *m = r->model;

    if (text->events_count == 0)
        return rc_model_wrong(r, "events", "no events, expected at least one");
    for (; m->line_count < text->events_count; m->line_count++) {
        snprintf(r->where, sizeof r->where, "events[%zu]", m->line_count);
        if (rc_model_read_event(r, &text->events[m->line_count],
                                &m->line[m->line_count]) != RC_OK)
            break;
    }
    r->where[0] = 0;
    return r->status;
}

/* Orders lines by all that constrains a group of their events: bank, counters, verdict,
 * register and its value, reason.  0: equal constraints.
 */
static int compare_constraints(const void *a, const void *b)
{
    const struct rc_model_line *x = *(struct rc_model_line *const *)a;
    const struct rc_model_line *y = *(struct rc_model_line *const *)b;

    const uint64_t of_x[] = {x->bank, x->counters, x->verdict,
                             (uint64_t)(x->register_index + 1)};
    const uint64_t of_y[] = {y->bank, y->counters, y->verdict,
                             (uint64_t)(y->register_index + 1)};
    int order = rc_compare_numbers(of_x, of_y, 4);

    if (!order && x->register_index >= 0)
        order = strcmp(x->register_value, y->register_value);
    return order || !x->reason || !y->reason ? order : strcmp(x->reason, y->reason);
}

/* Gives lines with equal constraints the same number, 1 or more, as their events' class
 * 'alike' (source.h): grouping tries one event of a class instead of all.  Where the
 * register's value is a template, the events of one line differ, and the line keeps 0:
 * none of its events can replace another.
 */
static int number_alike(struct rc_model_reader *r, const struct rc_model_text *text)
{
    struct rc_model *m = r->model;
    struct rc_model_line **sorted =
        rc_arena_array(&m->arena, m->line_count, sizeof(void *));
    uint32_t alike = 0;

    (void)text;
    r->status = rc_arena_check(&m->arena, r->err, "the events of a machine");
    if (r->status != RC_OK)
        return r->status;
    for (size_t i = 0; i < m->line_count; i++)
        sorted[i] = &m->line[i];
    qsort(sorted, m->line_count, sizeof(void *), compare_constraints);
    for (size_t i = 0; i < m->line_count; i++) {
        if (i == 0 || compare_constraints(&sorted[i - 1], &sorted[i]) != 0)
            alike++;
        if (sorted[i]->register_index < 0 || !strchr(sorted[i]->register_value, '{'))
            sorted[i]->alike = alike;
    }
    return RC_OK;
}

/* For struct rc_map: the map holds numbers of events, whose names are rendered when
 * they are compared.  A file may have 4 million events: their names are not kept.
 */
static bool is_name_of(const void *model, size_t event, const void *name)
{
    char other[RC_MODEL_NAME_MAX + 1];

    rc_model_event_name(model, (uint32_t)event, other);
    return strcmp(name, other) == 0;
}

/* Adds the names of a line's events to the map, which has room for all; a name that is
 * there already is an error.
 */
static int add_line_names(struct rc_model_reader *r, struct rc_map *by_name,
                          const struct rc_model_line *line)
{
    char name[RC_MODEL_NAME_MAX + 1];
    struct rc_model_at at;

    for (uint32_t i = 0; i < line->count; i++) {
        rc_model_range_at(&line->range, i, &at);
        rc_model_render(line->name, &line->range, &at, name, sizeof name);
        const uint64_t hash = rc_text_hash(name);
        const size_t found = rc_map_find(by_name, r->model, hash, name);
        if (found == RC_MAP_NONE) {
            (void)rc_map_put(by_name, r->model, hash, name, line->first + i);
            continue;
        }
        snprintf(r->where, sizeof r->where, "events[%td]", line - r->model->line);
        const struct rc_model_line *other =
            rc_model_line_of(r->model, (uint32_t)found, &at);
        return rc_model_wrong(r, "name",
                              "event '%s' is given twice, first by event line %td",
                              name, other - r->model->line + 1);
    }
    return RC_OK;
}

/* Checks that no two events have the same name, on one line or on two, and that each
 * reference, an event that groups may carry, is an event of the file.
 */
static int check_names(struct rc_model_reader *r, const struct rc_model_text *text)
{
    struct rc_map by_name = {.same = is_name_of};
    const char **list = r->model->references;

    if (rc_map_reserve(&by_name, r->model->event_count))
        return r->status = rc_fail(r->err, RC_ENOMEM, "no memory for %" PRIu32 " names",
                                   r->model->event_count);
    for (size_t i = 0; i < r->model->line_count && r->status == RC_OK; i++)
        add_line_names(r, &by_name, &r->model->line[i]);
    for (unsigned i = 0; i < text->references_count && r->status == RC_OK; i++) {
        list[i] = text->references[i];
        snprintf(r->where, sizeof r->where, "references[%u]", i);
        if (rc_map_find(&by_name, r->model, rc_text_hash(list[i]), list[i]) ==
            RC_MAP_NONE)
            rc_model_wrong(r, NULL, "no event '%s' in 'events'", list[i]);
    }
    rc_map_fini(&by_name);
    return r->status;
}

/* Reads the whole file; the digest of its text distinguishes machines of one name. */
static int read_model(struct rc_model_reader *r, struct rc_yaml *file)
{
    struct rc_model *m = r->model;
    struct rc_arena *arena = &m->arena;
    void *data;

    if ((r->status = rc_yaml_load(file, &rc_model_schema, &data, r->err)) != RC_OK)
        return r->status;
    const struct rc_model_text *text = m->text = data;
    m->digest = rc_text_hash_more(rc_text_hash(""), file->text, file->bytes);
    m->bank = rc_arena_array(arena, text->banks_count, sizeof *m->bank);
    m->reg = rc_arena_array(arena, text->registers_count, sizeof *m->reg);
    m->line = rc_arena_array(arena, text->events_count, sizeof *m->line);
    m->references = rc_arena_array(arena, (size_t)text->references_count + 1,
                                   sizeof *m->references);
    if ((r->status = rc_arena_check(arena, r->err, "a machine file")) != RC_OK)
        return r->status;

    /* In the order in which mistakes are reported. */
    int (*const steps[])(struct rc_model_reader *, const struct rc_model_text *) = {
        read_head, read_banks, read_registers, read_events, number_alike, check_names};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i](r, text) != RC_OK)
            break;
    return r->status;
}

/* Reads and frees 'file'. */
static int from_yaml(struct rc_yaml *file, struct rc_model **out, struct rc_error *err)
{
    struct rc_model_reader r = {
        .file = file, .err = err, .model = rc_calloc(1, sizeof *r.model)};
    const int status = r.model
                           ? read_model(&r, file)
                           : rc_fail(err, RC_ENOMEM, "no memory for a machine file");

    if (status == RC_OK)
        *out = r.model;
    else
        rc_model_file_close(r.model);
    rc_yaml_fini(file);
    return status;
}

int rc_model_file_open(const char *path, struct rc_model **out, struct rc_error *err)
{
    struct rc_yaml file;
    int status = rc_yaml_open(path, RC_FILE_GIVEN, &file, err);

    *out = NULL;
    return status == RC_OK ? from_yaml(&file, out, err) : status;
}

int rc_model_from_text(const char *name, const char *text, size_t bytes,
                       struct rc_model **out, struct rc_error *err)
{
    struct rc_yaml file;
    int status = rc_yaml_from_text(name, text, bytes, &file, err);

    *out = NULL;
    return status == RC_OK ? from_yaml(&file, out, err) : status;
}

void rc_model_file_close(struct rc_model *model)
{
    if (!model)
        return;
    rc_yaml_free(&rc_model_schema, model->text);
    rc_arena_free(&model->arena);
    free(model);
}
