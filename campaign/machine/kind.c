/* The name and key of a kind of machine: model, stepping, topology and counters; and
 * the name of a node.
 *
 * Both are kept in files and must be the same in every release: a change here makes all
 * machines new kinds.
 */
#include "campaign/machine/parts.h"

#include "campaign/base/text.h"
#include "campaign/cli/launch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makers of ARM-compatible processors by their numbers (MIDR, bits 31-24). */
static const struct {
    unsigned long number;
    const char *vendor;
} implementers[] = {
    {0x41, "ARM"},       {0x42, "Broadcom"}, {0x43, "Cavium"}, {0x46, "Fujitsu"},
    {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},   {0x50, "APM"},    {0x51, "Qualcomm"},
    {0x61, "Apple"},     {0x70, "Phytium"},  {0xc0, "Ampere"},
};

static const char *implementer_name(unsigned long value)
{
    for (size_t i = 0; i < sizeof implementers / sizeof implementers[0]; i++)
        if (implementers[i].number == value)
            return implementers[i].vendor;
    return "ARM-compatible";
}

/* A decimal or hexadecimal number of at most 24 bits; -1: not a number. */
static int small_number(const char *text)
{
    char *end;

    if (!text || !isdigit((unsigned char)*text))
        return -1;
    unsigned long value = strtoul(text, &end, 0);
    return *end || value > 0xffffff ? -1 : (int)value;
}

struct rc_cpu_model rc_machine_model_of(const struct rc_machine_words *words,
                                        const char *architecture)
{
    struct rc_cpu_model out = {
        .vendor = words->vendor ? words->vendor : "",
        .name = words->name       ? words->name
                : words->platform ? words->platform
                                  : "",
        .architecture = architecture,
        .family = small_number(words->family),
        .model = small_number(words->model),
        .stepping = small_number(words->stepping),
    };

    if (words->implementer) {
        int variant = small_number(words->variant);
        int revision = small_number(words->revision);
        out.vendor = implementer_name(strtoul(words->implementer, NULL, 0));
        out.model = small_number(words->part);
        out.stepping = variant < 0 || revision < 0 || variant > 255 || revision > 255
                           ? -1
                           : variant * 256 + revision;
    } else if (words->midr) {
        /* MIDR_EL1: implementer, variant, architecture, part, revision. */
        unsigned long midr = strtoul(words->midr, NULL, 16);
        out.vendor = implementer_name(midr >> 24 & 0xff);
        out.model = (int)(midr >> 4 & 0xfff);
        out.stepping = (int)((midr >> 20 & 0xf) * 256 + (midr & 0xf));
    } else if (strncmp(architecture, "ppc", 3) == 0 ||
               strncmp(out.name, "POWER", 5) == 0) {
        /* POWER says "2.3 (pvr 004e 1203)": the processor's version and revision. */
        const char *pvr = words->revision ? strstr(words->revision, "pvr ") : NULL;
        unsigned version, step;
        if (!*out.vendor)
            out.vendor = "IBM";
        if (pvr && sscanf(pvr, "pvr %4x %4x", &version, &step) == 2) {
            out.model = (int)version;
            out.stepping = (int)step;
        }
    }
    return out;
}

/* Appends "LABEL=VALUE; ".  A value that is longer than 'most' is cut, and its digest
 * appended, so that keys of long values still differ.
 */
static void put_value(struct rc_kind *out, size_t most, const char *label,
                      const char *value)
{
    char text[512];

    rc_text_printable(text, most, value);
    if (strlen(value) >= most || strcmp(text, value) != 0) {
        rc_text_printable(text, most - 17, value);
        rc_text_append(text, sizeof text, "#%016llx",
                       (unsigned long long)rc_text_hash(value));
    }
    rc_text_append(out->key, sizeof out->key, "%s%s=%s", out->key[0] ? "; " : "", label,
                   text);
}

static void put_number(struct rc_kind *out, const char *label, int number)
{
    char text[16];

    snprintf(text, sizeof text, "%d", number);
    put_value(out, sizeof text, label, text);
}

/* Next run of letters and digits in lower case; false at the end. */
static bool next_word(const char **text, char *word, size_t room)
{
    size_t used = 0;

    while (**text &&
           (!isascii((unsigned char)**text) || !isalnum((unsigned char)**text)))
        (*text)++;
    for (; isascii((unsigned char)**text) && isalnum((unsigned char)**text); (*text)++)
        if (used + 1 < room)
            word[used++] = (char)tolower((unsigned char)**text);
    word[used] = 0;
    return used > 0;
}

/* Words of a model's name that distinguish nothing. */
static const char *const idle_words[] = {
    "r",         "tm",      "cpu",  "processor", "intel",   "amd",         "ibm",
    "supported", "altivec", "core", "with",      "genuine", "corporation", NULL};

/* Short words for vendors, with which names of kinds begin. */
static const struct {
    const char *vendor, *slug;
} slugs[] = {{"AuthenticAMD", "amd"},
             {"GenuineIntel", "intel"},
             {"HygonGenuine", "hygon"},
             {"CentaurHauls", "centaur"}};

/* "intel-xeon-gold-6430-6-143-8-64c-0123abcd": vendor, significant words of the model's
 * name, family, model, stepping, cores, and a digest of the key, which so far has the
 * machine alone.
 */
static void name_machine(const struct rc_cpu_model *cpu, size_t cores,
                         struct rc_kind *out)
{
    const int numbers[] = {cpu->family, cpu->model, cpu->stepping};
    const char *maker = cpu->vendor, *rest = cpu->name;
    char vendor[12], word[20];
    uint64_t digest = rc_text_hash(out->key);

    for (size_t i = 0; i < sizeof slugs / sizeof slugs[0]; i++)
        if (strcmp(slugs[i].vendor, cpu->vendor) == 0)
            maker = slugs[i].slug;
    if (!next_word(&maker, vendor, sizeof vendor))
        snprintf(vendor, sizeof vendor, "cpu");
    rc_text_append(out->name, sizeof out->name, "%s", vendor);
    /* 38 bytes stay free: three numbers, the cores and both digests. */
    while (next_word(&rest, word, sizeof word)) {
        bool frequency = strstr(word, "ghz") && isdigit((unsigned char)word[0]);
        bool idle = frequency || rc_word_find(word, idle_words) >= 0 ||
                    strcmp(word, vendor) == 0 || strncmp(rest, "-Core", 5) == 0;
        if (!idle && strlen(out->name) + 1 + strlen(word) < sizeof out->name - 38)
            rc_text_append(out->name, sizeof out->name, "-%s", word);
    }
    for (size_t i = 0; i < 3; i++)
        if (numbers[i] >= 0)
            rc_text_append(out->name, sizeof out->name, "-%d", numbers[i] % 10000);
    rc_text_append(out->name, sizeof out->name, "-%zuc-%08x", cores,
                   (unsigned)((digest >> 32) ^ (digest & 0xffffffff)));
}

void rc_machine_kind(const struct rc_machine *machine, const char *simulated,
                     const char *counter_set, struct rc_kind *out)
{
    struct rc_cpu_model cpu = rc_machine_cpu_model(machine);

    if (simulated) {
        cpu.vendor = "model";
        cpu.name = simulated;
    }

    *out = (struct rc_kind){0};
    put_value(out, 64, "vendor", cpu.vendor);
    put_value(out, 128, "name", cpu.name);
    put_value(out, 32, "architecture", cpu.architecture);
    put_number(out, "family", cpu.family);
    put_number(out, "model", cpu.model);
    put_number(out, "stepping", cpu.stepping);
    put_value(out, 200, "shape", rc_machine_shape(machine));
    put_value(out, 128, "core types", rc_machine_core_types(machine));
    name_machine(&cpu, rc_machine_unit_count(machine, RC_SCOPE_CORE), out);
    put_value(out, 320, "counters", counter_set);
    const uint64_t digest = rc_text_hash(counter_set);
    rc_text_append(out->name, sizeof out->name, "+%04x",
                   (unsigned)((digest >> 32 ^ digest) & 0xffff));
}

void rc_machine_kind_part(const char *key, const char *other, char out[RC_KIND_PART])
{
    enum { SHORT = 80 };
    size_t at = 0, word = 0, field = 0;

    for (; key[at] && key[at] == other[at]; at++)
        if (key[at] == ' ') {
            word = at + 1;
            field = at > 0 && key[at - 1] == ';' ? word : field;
        }
    key += at - field < SHORT ? field : word;
    snprintf(out, RC_KIND_PART, "%.*s", (int)strcspn(key, ";"), key);
}

void rc_machine_kind_only(struct rc_kind *kind)
{
    kind->name[strcspn(kind->name, "+")] = 0;
}

#define NODE_NAME_MAX (RC_NODE_NAME - 18) /* without a digest */

/* The name becomes a part of file names, so other letters are replaced; a digest of the
 * original then keeps different nodes apart.
 */
const char *rc_machine_node_name(void)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";
    static char name[RC_NODE_NAME];
    char host[256] = "";
    const char *from = getenv("SLURMD_NODENAME");
    struct rc_launch launch;
    size_t used = 0;

    /* In a job of Slurm a launcher that copies its environment gives the ranks of all
     * nodes the name of its own.
     */
    if (!from || !*from ||
        (getenv("SLURM_JOB_ID") && rc_launch_find(&launch) && launch.copies)) {
        if (gethostname(host, sizeof host - 1) || !*host)
            snprintf(host, sizeof host, "node");
        from = host;
    }
    for (; used < NODE_NAME_MAX && from[used]; used++) {
        name[used] = from[used];
        if (!strchr(letters, from[used]))
            name[used] = '_';
    }
    name[used] = 0;
    if (name[0] == '.' || name[0] == '-')
        name[0] = '_';
    if (strcmp(name, from) != 0)
        snprintf(name + used, 18, "-%016llx", (unsigned long long)rc_text_hash(from));
    return name;
}
