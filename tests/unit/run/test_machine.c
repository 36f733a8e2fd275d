#include "tests/lib/test.h"

#include "campaign/machine/parts.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES RC_TEST_DATA "/topologies/"
#define TWO_OF_EACH "package:2 l3:2 l2:2 core:1 pu:2"

static struct rc_machine *opened(enum rc_machine_from from, const char *what)
{
    struct rc_error err = {0};
    struct rc_machine *machine;

    if (rc_machine_open(from, what, &machine, &err) != RC_OK)
        fail_msg("%s", err.text);
    return machine;
}

static struct rc_machine *recorded(const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, FILES "%s", name);
    return opened(RC_MACHINE_XML, path);
}

/* Runs under a captured stderr.  'text' has the output. */
struct capture {
    int saved, file;
    char text[4096];
};

static void capture_begin(struct capture *c)
{
    char path[] = "/tmp/rc-machine-XXXXXX";

    fflush(stderr);
    c->saved = dup(STDERR_FILENO);
    c->file = mkstemp(path);
    assert_true(c->file >= 0);
    unlink(path);
    dup2(c->file, STDERR_FILENO);
}

static void capture_end(struct capture *c)
{
    fflush(stderr);
    dup2(c->saved, STDERR_FILENO);
    close(c->saved);
    ssize_t got = pread(c->file, c->text, sizeof c->text - 1, 0);
    c->text[got < 0 ? 0 : got] = 0;
    close(c->file);
}

static void expect_refusal(enum rc_machine_from from, const char *what, int status,
                           const char *message)
{
    struct rc_error err = {0};
    struct rc_machine *machine;
    struct capture printed;

    capture_begin(&printed);
    int got = rc_machine_open(from, what, &machine, &err);
    capture_end(&printed);
    assert_string_equal(printed.text, "");
    assert_string_equal(err.text, message);
    assert_int_equal(got, status);
    assert_null(machine);
}

static void bad_synthetic_machines_are_refused_in_one_line(void **state)
{
    static const char not_synthetic[] =
        "is not a synthetic description of a machine, expected one such as \"package:2 "
        "l3:4 core:8 pu:2\"";
    static const char *const bad[] = {
        "package",
        "package:0",
        "package:-1",
        "sauce:3",
        "2 core:",
        "pu:2(",
        "core:2 pu:2 pack:2",
        "pu:1 pu:1",
        "pu:2 core",
        "package:2(size=q)",
        "[numa] sauce",
        ":",
        "core:2 pu:",
        "\x01\xff",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char message[256];
        snprintf(message, sizeof message, "'%s' %s", i == 13 ? "??" : bad[i],
                 not_synthetic);
        expect_refusal(RC_MACHINE_SYNTHETIC, bad[i], RC_EUSAGE, message);
    }
}

static void empty_and_absurd_synthetic_machines_are_refused(void **state)
{
    static const char empty[] = "empty synthetic description of a machine, expected "
                                "one such as \"package:2 l3:4 core:8 pu:2\"";
    static const char absurd[] =
        "synthetic machine with more than 8192 processing units";

    (void)state;
    expect_refusal(RC_MACHINE_SYNTHETIC, "", RC_EUSAGE, empty);
    expect_refusal(RC_MACHINE_SYNTHETIC, " \t", RC_EUSAGE, empty);
    expect_refusal(RC_MACHINE_SYNTHETIC, "[numa]", RC_EUSAGE, empty);
    expect_refusal(RC_MACHINE_SYNTHETIC, "pack:999999999 core:99999", RC_EUSAGE,
                   absurd);
    expect_refusal(RC_MACHINE_SYNTHETIC, "pu:99999999999999999999999", RC_EUSAGE,
                   absurd);
    expect_refusal(RC_MACHINE_SYNTHETIC, "4294967296 4294967296", RC_EUSAGE, absurd);
    expect_refusal(RC_MACHINE_SYNTHETIC, "0x7fffffff", RC_EUSAGE, absurd);
}

/* A file of these bytes; the name is good until the next call. */
static const char *file_of(const char *bytes, size_t count)
{
    static char path[64];

    snprintf(path, sizeof path, "/tmp/rc-machine-%ld.xml", (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, count), count);
    close(fd);
    return path;
}

#define SETS                                                                           \
    "cpuset=\"0x3\" complete_cpuset=\"0x3\" nodeset=\"0x1\" complete_nodeset=\"0x1\""

static void files_that_are_no_machine_are_refused_in_one_line(void **state)
{
    static const char *const bad[] = {
        "",
        "hello\n",
        "<html><body/></html>",
        "<topology version=\"2.0\"></topology>",
        "<topology version=\"2.0\"><object type=\"Machine\"",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE topology [<!ENTITY a \"&a;&a;\">]>\n"
        "<topology version=\"2.0\">&a;</topology>",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"file:///etc/passwd\">\n"
        "<topology version=\"9.9\"><object type=\"Machine\" " SETS "/></topology>",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char message[256];
        const char *path = file_of(bad[i], strlen(bad[i]));
        snprintf(
            message, sizeof message,
            "'%s' does not describe a machine, expected hwloc XML as written by lstopo",
            path);
        expect_refusal(RC_MACHINE_XML, path, RC_EUSAGE, message);
        unlink(path);
    }
}

static void missing_files_and_what_is_no_file_are_named(void **state)
{
    char fifo[64];
    char message[256];

    (void)state;
    expect_refusal(RC_MACHINE_XML, "/nowhere/m.xml", RC_EMISSING,
                   "cannot open '/nowhere/m.xml': No such file or directory");
    expect_refusal(RC_MACHINE_XML, "", RC_EMISSING,
                   "cannot open '': No such file or directory");
    expect_refusal(RC_MACHINE_XML, "/", RC_EUSAGE,
                   "'/' is a directory, expected a file");
    snprintf(fifo, sizeof fifo, "/tmp/rc-machine-fifo-%ld", (long)getpid());
    assert_int_equal(mkfifo(fifo, 0600), 0);
    snprintf(message, sizeof message, "'%s' is a pipe, expected a file", fifo);
    expect_refusal(RC_MACHINE_XML, fifo, RC_EUSAGE, message);
    unlink(fifo);
}

/* Reads a good file, which the caller frees. */
static char *contents(const char *name, size_t *count)
{
    char path[1024];
    char *text = malloc(1 << 20);

    assert_non_null(text);
    snprintf(path, sizeof path, FILES "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *count = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

/* Whatever stands in a file: refused in one line or taken, in silence. */
static void survives(const char *bytes, size_t count)
{
    struct rc_error err = {0};
    struct rc_machine *machine;
    struct capture printed;
    const char *path = file_of(bytes, count);

    capture_begin(&printed);
    int status = rc_machine_open(RC_MACHINE_XML, path, &machine, &err);
    capture_end(&printed);
    assert_string_equal(printed.text, "");
    if (status == RC_OK)
        rc_machine_close(machine);
    else
        assert_non_null(strstr(err.text, path));
    unlink(path);
}

static void truncated_files_are_survived_in_silence(void **state)
{
    size_t count;
    char *text = contents("gaps-hbm.xml", &count);

    (void)state;
    for (size_t cut = 0; cut < count; cut += 211)
        survives(text, cut);
    free(text);
}

/* hwloc 2.9 dies of an object without a complete_cpuset. */
static void attributes_may_be_missing(void **state)
{
    size_t count, seen = 0;
    char *text = contents("gaps-hbm.xml", &count);

    (void)state;
    text[count - 1] = 0;
    for (char *at = strstr(text, "complete_"); at; at = strstr(at + 1, "complete_")) {
        *at = 'x';
        if (seen++ % 3 == 0)
            survives(text, count - 1);
        *at = 'c';
    }
    assert_true(seen > 20);
    free(text);
}

static void files_with_a_false_value_are_survived_in_silence(void **state)
{
    static const char *const values[] = {"", "0x0", "PU", "99999", "0xf...f"};
    size_t count, turn = 0;
    char *text = contents("gaps-hbm.xml", &count);
    char *copy = malloc(count + 64);

    (void)state;
    assert_non_null(copy);
    text[count - 1] = 0;
    for (char *open = strchr(text, '"'); open; turn++) {
        char *close = strchr(open + 1, '"');
        assert_non_null(close);
        int used = snprintf(copy, count + 64, "%.*s%s%s", (int)(open + 1 - text), text,
                            values[turn % 5], close);
        survives(copy, (size_t)used);
        open = close; /* on to the fourth value from here */
        for (size_t quote = 0; open && quote < 7; quote++)
            open = strchr(open + 1, '"');
    }
    assert_true(turn > 25);
    free(copy);
    free(text);
}

/* Conditions on any machine. */
static void check_sound(const struct rc_machine *machine)
{
    size_t cpu_count, allowed = 0, firsts = 0, allowed_cores = 0;
    const struct rc_cpu *cpus = rc_machine_cpus(machine, &cpu_count);

    for (size_t i = 0; i < cpu_count; i++) {
        allowed += cpus[i].allowed;
        firsts += cpus[i].first_of_core;
        assert_true(cpus[i].allowed || !cpus[i].first_of_core);
        assert_true(cpus[i].unit[RC_SCOPE_CORE] != RC_NO_UNIT);
        assert_true(cpus[i].unit[RC_SCOPE_PACKAGE] != RC_NO_UNIT);
        assert_int_equal(cpus[i].unit[RC_SCOPE_NODE], 0);
        assert_int_equal(cpus[i].unit[RC_SCOPE_DEVICE], RC_NO_UNIT);
    }
    assert_true(firsts <= allowed);
    for (enum rc_scope s = 0; s < RC_SCOPE_COUNT; s++) {
        size_t units = rc_machine_unit_count(machine, s), members = 0, named = 0;
        assert_null(rc_machine_unit(machine, s, units));
        for (size_t u = 0; u < units; u++) {
            const struct rc_unit *unit = rc_machine_unit(machine, s, u);
            members += unit->cpu_count;
            for (size_t i = 0; i < unit->cpu_count; i++)
                assert_int_equal(cpus[unit->cpus[i]].unit[s], u);
            if (s == RC_SCOPE_CORE)
                allowed_cores += unit->allowed_core_count;
        }
        for (size_t i = 0; i < cpu_count; i++)
            named += cpus[i].unit[s] != RC_NO_UNIT;
        assert_int_equal(members, named);
    }
    assert_int_equal(allowed_cores, firsts);
    const struct rc_unit *node = rc_machine_unit(machine, RC_SCOPE_NODE, 0);
    assert_int_equal(node->cpu_count, cpu_count);
    assert_int_equal(node->core_count, rc_machine_unit_count(machine, RC_SCOPE_CORE));
    assert_int_equal(node->allowed_core_count, firsts);
}

/* Each unit of the scope has so many CPUs and cores. */
static void check_units(const struct rc_machine *machine, enum rc_scope scope,
                        size_t count, size_t cpus, size_t cores)
{
    assert_int_equal(rc_machine_unit_count(machine, scope), count);
    for (size_t u = 0; u < count; u++) {
        assert_int_equal(rc_machine_unit(machine, scope, u)->cpu_count, cpus);
        assert_int_equal(rc_machine_unit(machine, scope, u)->core_count, cores);
    }
}

static void sapphire_rapids_with_sub_numa_clusters(void **state)
{
    struct rc_machine *machine = recorded("spr-snc4.xml");
    struct rc_cpu_model cpu = rc_machine_cpu_model(machine);
    struct rc_geometry geometry = rc_machine_geometry(machine);
    size_t count;

    (void)state;
    check_sound(machine);
    check_units(machine, RC_SCOPE_CORE, 112, 2, 1);
    check_units(machine, RC_SCOPE_L2, 112, 2, 1);
    check_units(machine, RC_SCOPE_L3, 2, 112, 56);
    check_units(machine, RC_SCOPE_NUMA, 8, 28, 14);
    check_units(machine, RC_SCOPE_PACKAGE, 2, 112, 56);
    assert_int_equal(rc_machine_cpus(machine, &count)[1].os_index, 112);
    assert_int_equal(count, 224);
    assert_string_equal(cpu.vendor, "GenuineIntel");
    assert_string_equal(cpu.name, "Intel(R) Xeon(R) Platinum 8480+");
    assert_string_equal(cpu.architecture, "x86_64");
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 143);
    assert_int_equal(cpu.stepping, 8);
    assert_int_equal(geometry.l1d.bytes, 48 << 10);
    assert_int_equal(geometry.l1d.ways, 12);
    assert_int_equal(geometry.l1i.bytes, 32 << 10);
    assert_int_equal(geometry.l2.bytes, 2 << 20);
    assert_int_equal(geometry.l2.ways, 16);
    assert_int_equal(geometry.l3.bytes, (105 << 20) / 4); /* its cluster's part */
    assert_int_equal(geometry.l3_cores, 14);
    assert_int_equal(geometry.page_bytes, 4096);
    assert_int_equal(geometry.huge_page_bytes, 2 << 20);
    assert_int_equal(geometry.line_bytes, 64);
    rc_machine_close(machine);
}

static void epyc_with_eight_l3_a_socket(void **state)
{

    struct rc_machine *machine = recorded("epyc-7713.xml");

    (void)state;
    check_sound(machine);
    check_units(machine, RC_SCOPE_CORE, 128, 1, 1);
    check_units(machine, RC_SCOPE_L3, 16, 8, 8);
    check_units(machine, RC_SCOPE_NUMA, 2, 64, 64);
    check_units(machine, RC_SCOPE_PACKAGE, 2, 64, 64);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_L3, 15)->allowed_core_count, 8);
    assert_string_equal(rc_machine_cpu_model(machine).name,
                        "AMD EPYC 7713 64-Core Processor");
    assert_int_equal(rc_machine_geometry(machine).l1d.bytes, 32 << 10);
    assert_int_equal(rc_machine_geometry(machine).l2.bytes, 512 << 10);
    assert_int_equal(rc_machine_geometry(machine).l3.bytes, 32 << 20);
    assert_int_equal(rc_machine_geometry(machine).l3.ways, 16);
    assert_int_equal(rc_machine_geometry(machine).l3_cores, 8);
    assert_non_null(strstr(rc_machine_shape(machine),
                           "package:2 numa:2 l3:16 l2:128 core:128 pu:128 form:"));
    rc_machine_close(machine);
}

static void power9_node_with_shared_l2_and_gpu_memories(void **state)
{

    struct rc_machine *machine = recorded("summit.xml");
    struct rc_cpu_model cpu = rc_machine_cpu_model(machine);
    struct rc_geometry geometry = rc_machine_geometry(machine);

    (void)state;
    check_sound(machine);
    check_units(machine, RC_SCOPE_CORE, 44, 4, 1);
    check_units(machine, RC_SCOPE_L2, 22, 8, 2);
    check_units(machine, RC_SCOPE_L3, 22, 8, 2);
    check_units(machine, RC_SCOPE_PACKAGE, 2, 88, 22);
    assert_int_equal(rc_machine_unit_count(machine, RC_SCOPE_NUMA), 8);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NUMA, 0)->cpu_count, 88);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NUMA, 1)->os_index, 8);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NUMA, 1)->cpu_count, 88);
    for (size_t gpu = 2; gpu < 8; gpu++)
        assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NUMA, gpu)->cpu_count, 0);
    assert_string_equal(cpu.vendor, "IBM");
    assert_string_equal(cpu.architecture, "ppc64le");
    assert_int_equal(cpu.family, -1);
    assert_int_equal(cpu.model, 0x4e);
    assert_int_equal(cpu.stepping, 0x1201);
    assert_int_equal(geometry.line_bytes, 128);
    assert_int_equal(geometry.l1d.ways, 8); /* not told: as the default has it */
    assert_int_equal(geometry.page_bytes, 64 << 10);
    assert_int_equal(geometry.vector_bits, 128);
    rc_machine_close(machine);
}

static void hybrid_laptop_has_two_types_of_cores(void **state)
{
    struct rc_machine *machine = recorded("hybrid.xml");
    size_t count, of_type[2] = {0};
    const struct rc_cpu *cpus = rc_machine_cpus(machine, &count);

    (void)state;
    check_sound(machine);

    assert_string_equal(rc_machine_core_types(machine), "IntelAtom:8 IntelCore:4");
    for (size_t i = 0; i < count; i++)
        of_type[cpus[i].core_type]++;
    assert_int_equal(of_type[0], 8);
    assert_int_equal(of_type[1], 8);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_L2, 0)->core_count, 1);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_L2, 5)->core_count, 4);
    assert_int_equal(rc_machine_geometry(machine).l1d.bytes, 48 << 10);
    rc_machine_close(machine);
}

static void a_container_is_allowed_a_part_of_the_same_machine(void **state)
{
    struct rc_machine *machine = recorded("epyc-7713-container.xml");
    size_t count;
    const struct rc_cpu *cpus = rc_machine_cpus(machine, &count);

    (void)state;
    check_sound(machine);
    assert_int_equal(count, 128);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cpus[i].allowed, cpus[i].os_index == 5);
        assert_int_equal(cpus[i].first_of_core, cpus[i].os_index == 5);
    }
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_L3, 0)->core_count, 8);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_L3, 0)->allowed_core_count, 1);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_L3, 1)->allowed_core_count, 0);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_CORE, 5)->allowed_core_count, 1);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_PACKAGE, 1)->allowed_core_count,
                     0);
    rc_machine_close(machine);
}

static void offline_cpus_missing_caches_and_two_memories_break_nothing(void **state)
{
    static const uint32_t numbers[] = {0, 2, 3, 6, 7};
    struct rc_machine *machine = recorded("gaps-hbm.xml");
    size_t count;
    const struct rc_cpu *cpus = rc_machine_cpus(machine, &count);

    (void)state;
    check_sound(machine);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cpus[i].os_index, numbers[i]);
        assert_int_equal(cpus[i].unit[RC_SCOPE_L2], RC_NO_UNIT);
        assert_int_equal(cpus[i].unit[RC_SCOPE_L3], RC_NO_UNIT);
        assert_int_equal(cpus[i].unit[RC_SCOPE_NUMA], 0);
    }
    assert_int_equal(rc_machine_unit_count(machine, RC_SCOPE_NUMA), 2);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NUMA, 1)->cpu_count, 0);

    assert_int_equal(rc_machine_geometry(machine).l2.bytes,
                     rc_request_default.geometry.l2.bytes);
    rc_machine_close(machine);
}

static void a_machine_of_bare_cpus_has_cores_and_a_package_all_the_same(void **state)
{
    struct rc_machine *machine = opened(RC_MACHINE_SYNTHETIC, "pu:4");

    (void)state;
    check_sound(machine);
    check_units(machine, RC_SCOPE_CORE, 4, 1, 1);
    check_units(machine, RC_SCOPE_PACKAGE, 1, 4, 4);
    check_units(machine, RC_SCOPE_NUMA, 1, 4, 4);
    assert_int_equal(rc_machine_unit_count(machine, RC_SCOPE_L2), 0);
    assert_int_equal(rc_machine_cpu_model(machine).family, -1);
    assert_string_equal(rc_machine_cpu_model(machine).vendor, "");
    assert_string_equal(rc_machine_cpu_model(machine).name, "");
    rc_machine_close(machine);
}

static void hardware_threads_are_found_for_every_width_of_smt(void **state)
{
    static const char *const text[] = {"package:2 core:3 pu:1", "package:2 core:3 pu:2",
                                       "package:2 core:3 pu:4",
                                       "package:2 core:3 pu:8"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct rc_machine *machine = opened(RC_MACHINE_SYNTHETIC, text[i]);
        check_sound(machine);
        check_units(machine, RC_SCOPE_CORE, 6, (size_t)1 << i, 1);
        assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NODE, 0)->allowed_core_count,
                         6);
        rc_machine_close(machine);
    }
}

static void cpus_that_the_kernel_numbers_oddly_stay_with_their_core(void **state)
{
    struct rc_machine *machine =
        opened(RC_MACHINE_SYNTHETIC, "package:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)");
    size_t count;
    const struct rc_cpu *cpus = rc_machine_cpus(machine, &count);

    (void)state;
    check_sound(machine);
    assert_int_equal(cpus[1].os_index, 4);
    assert_int_equal(cpus[1].unit[RC_SCOPE_CORE], cpus[0].unit[RC_SCOPE_CORE]);
    assert_true(cpus[0].first_of_core);
    assert_false(cpus[1].first_of_core);
    rc_machine_close(machine);
}

static void a_cpu_of_an_absurd_number_is_refused(void **state)
{
    size_t count;
    char message[256], *text = contents("gaps-hbm.xml", &count);
    char *copy = malloc(count + 64);

    (void)state;
    assert_non_null(copy);
    text[count - 1] = 0;
    char *number = strstr(text, "type=\"PU\" os_index=\"7\"");
    assert_non_null(number);
    number += strlen("type=\"PU\" os_index=\"");
    int used = snprintf(copy, count + 64, "%.*s4294967295%s", (int)(number - text),
                        text, number + 1);
    const char *path = file_of(copy, (size_t)used);
    snprintf(message, sizeof message,
             "'%s': a CPU with number 4294967295, expected 0 to 1048575", path);
    expect_refusal(RC_MACHINE_XML, path, RC_EUSAGE, message);
    unlink(path);
    free(copy);
    free(text);
}

static void processors_say_who_they_are_in_their_own_ways(void **state)
{
    static const struct rc_machine_words arm = {.implementer = "0x41",
                                                .name = "Neoverse-V2",
                                                .part = "0xd4f",
                                                .variant = "0x0",
                                                .revision = "1"};
    static const struct rc_machine_words strange = {.implementer = "0x99",
                                                    .part = "q",
                                                    .variant = "-1",
                                                    .revision = "99999999999999999999"};
    static const struct rc_machine_words silent = {.midr = "0x00000000414fd0c1"};
    static const struct rc_machine_words power = {.platform = "PowerNV",
                                                  .revision = "2.3 (pvr 004e 1203)"};
    static const struct rc_machine_words x86 = {
        .vendor = "GenuineIntel", .family = "6x", .model = "", .stepping = "-3"};
    struct rc_cpu_model cpu = rc_machine_model_of(&arm, "aarch64");

    (void)state;
    assert_string_equal(cpu.vendor, "ARM");
    assert_string_equal(cpu.name, "Neoverse-V2");
    assert_int_equal(cpu.family, -1);
    assert_int_equal(cpu.model, 0xd4f);
    assert_int_equal(cpu.stepping, 1);
    cpu = rc_machine_model_of(&strange, "aarch64");
    assert_string_equal(cpu.vendor, "ARM-compatible");
    assert_int_equal(cpu.model, -1);
    assert_int_equal(cpu.stepping, -1);
    cpu = rc_machine_model_of(&silent, "aarch64");
    assert_string_equal(cpu.vendor, "ARM");
    assert_int_equal(cpu.model, 0xd0c);
    assert_int_equal(cpu.stepping, 4 * 256 + 1);
    cpu = rc_machine_model_of(&power, "ppc64le");
    assert_string_equal(cpu.vendor, "IBM");
    assert_string_equal(cpu.name, "PowerNV");
    assert_int_equal(cpu.model, 0x4e);
    assert_int_equal(cpu.stepping, 0x1203);
    cpu = rc_machine_model_of(&x86, "x86_64");
    assert_int_equal(cpu.family, -1);
    assert_int_equal(cpu.model, -1);
    assert_int_equal(cpu.stepping, -1);
}

static struct rc_kind kind_of(enum rc_machine_from from, const char *what,
                              const char *counters)
{
    struct rc_machine *machine = opened(from, what);
    struct rc_kind kind;

    rc_machine_kind(machine, NULL, counters, &kind);
    rc_machine_close(machine);
    assert_int_equal(strspn(kind.name, "abcdefghijklmnopqrstuvwxyz0123456789-+"),
                     strlen(kind.name));
    assert_true(strlen(kind.name) > 0 && kind.name[0] != '-');
    assert_true(strlen(kind.name) < sizeof kind.name);
    return kind;
}

static void nodes_built_alike_are_of_one_kind_whatever_is_allowed(void **state)
{
    struct rc_kind all = kind_of(RC_MACHINE_XML, FILES "epyc-7713.xml", "x");
    struct rc_kind one = kind_of(RC_MACHINE_XML, FILES "epyc-7713-container.xml", "x");
    struct rc_kind summit = kind_of(RC_MACHINE_XML, FILES "summit.xml", "x");
    struct rc_kind other = kind_of(RC_MACHINE_XML, FILES "summit-other-cores.xml", "x");

    (void)state;
    assert_string_equal(all.name, one.name);
    assert_string_equal(all.key, one.key);
    assert_string_equal(summit.name, other.name);
    assert_string_equal(summit.key, other.key);
}

static void kinds_differ_by_stepping_counters_and_shape(void **state)
{
    struct rc_kind all = kind_of(RC_MACHINE_XML, FILES "epyc-7713.xml", "x");
    struct rc_kind step = kind_of(RC_MACHINE_XML, FILES "epyc-7713-stepping0.xml", "x");
    struct rc_kind counters = kind_of(RC_MACHINE_XML, FILES "epyc-7713.xml", "y");
    static const char *const shapes[] = {
        TWO_OF_EACH,
        "package:2 l3:2 l2:1 core:2 pu:2",
        "package:1 l3:4 l2:2 core:1 pu:2",
        "package:2 l3:2 l2:2(size=65536) core:1 pu:2",
        "package:2 [numa] l3:2 l2:2 core:1 pu:2",
        "package:2 [numa] [numa] l3:2 l2:2 core:1 pu:2",
    };
    struct rc_kind kinds[sizeof shapes / sizeof shapes[0]];

    (void)state;
    assert_string_not_equal(all.name, step.name);
    assert_string_not_equal(all.name, counters.name);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        kinds[i] = kind_of(RC_MACHINE_SYNTHETIC, shapes[i], "x");
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(kinds[i].name, kinds[j].name);
    }
}

/* One digest for the machine, whatever is counted, and the set of counters apart. */
static void the_set_of_counters_stands_behind_the_machine(void **state)
{
    struct rc_kind x = kind_of(RC_MACHINE_SYNTHETIC, TWO_OF_EACH, "x");
    struct rc_kind y = kind_of(RC_MACHINE_SYNTHETIC, TWO_OF_EACH, "y");

    (void)state;
    assert_string_not_equal(x.name, y.name);
    rc_machine_kind_only(&x);
    rc_machine_kind_only(&y);
    assert_string_equal(x.name, y.name);
    assert_null(strchr(x.name, '+'));
}

/* These names are in the results of users: they must not change. */
static void names_of_kinds_are_stable(void **state)
{
    static const struct {
        const char *file, *name;
    } known[] = {
        {FILES "epyc-7713.xml", "amd-epyc-7713-25-1-1-128c-9fa7c466+e24b"},
        {FILES "spr-snc4.xml", "intel-xeon-platinum-8480-6-143-8-112c-8dfd6fd4+e24b"},
        {FILES "summit.xml", "ibm-power9-78-4609-44c-74ee9e2c+e24b"},
        {FILES "hybrid.xml", "intel-12th-gen-i7-1260p-6-154-3-12c-50a92061+e24b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_string_equal(kind_of(RC_MACHINE_XML, known[i].file, "x").name,
                            known[i].name);
}

static void long_counter_sets_that_differ_at_their_end_are_two_kinds(void **state)
{
    char one[5000], two[5000];

    (void)state;
    memset(one, 'e', sizeof one);
    one[sizeof one - 1] = 0;
    memcpy(two, one, sizeof two);
    two[sizeof two - 2] = 'f';
    struct rc_kind a = kind_of(RC_MACHINE_SYNTHETIC, TWO_OF_EACH, one);
    struct rc_kind b = kind_of(RC_MACHINE_SYNTHETIC, TWO_OF_EACH, two);
    assert_string_not_equal(a.key, b.key);
    assert_string_not_equal(a.name, b.name);
    assert_true(strlen(a.key) < sizeof a.key - 1);
}

static void names_of_processors_may_hold_anything(void **state)
{
    size_t count;
    char *text = contents("gaps-hbm.xml", &count);
    char *name, *copy = malloc(count + 8192);
    char noise[4001];

    (void)state;
    assert_non_null(copy);
    text[count - 1] = 0;
    name = strstr(text, "Intel(R) Xeon Phi(TM) CPU 7210");
    assert_non_null(name);
    memset(noise, 'Z', sizeof noise - 1);
    noise[sizeof noise - 1] = 0;
    memcpy(noise, "../%s%n &#10;&#9; -- \xc3\xa9/", 24);
    int used = snprintf(copy, count + 8192, "%.*s%s%s", (int)(name - text), text, noise,
                        name + strlen("Intel(R) Xeon Phi(TM) CPU 7210"));
    const char *path = file_of(copy, (size_t)used);
    struct rc_kind kind = kind_of(RC_MACHINE_XML, path, "\n;=\x01");
    assert_null(strchr(kind.key, '\n'));
    assert_null(strchr(kind.name, '/'));
    unlink(path);
    free(copy);
    free(text);
}

static void this_machine_is_sound_and_quiet(void **state)
{
    struct capture printed;

    (void)state;
    capture_begin(&printed);
    struct rc_machine *machine = opened(RC_MACHINE_THIS, NULL);
    capture_end(&printed);
    struct rc_geometry geometry = rc_machine_geometry(machine);
    struct rc_kind kind;
    cpu_set_t mask;

    assert_string_equal(printed.text, "");
    check_sound(machine);
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    size_t count;
    const struct rc_cpu *cpus = rc_machine_cpus(machine, &count);
    for (size_t i = 0; i < count; i++)
        assert_true(!cpus[i].allowed || CPU_ISSET(cpus[i].os_index, &mask));
    assert_true(rc_machine_unit(machine, RC_SCOPE_NODE, 0)->allowed_core_count > 0);
    assert_int_equal(geometry.page_bytes, sysconf(_SC_PAGESIZE));
    assert_true(geometry.l1d.bytes >=
                (uint64_t)geometry.l1d.ways * geometry.line_bytes);
    rc_machine_kind(machine, NULL, "x", &kind);
    assert_non_null(strstr(kind.key, "; counters=x"));
    rc_machine_close(machine);
}

static void binding_binds_and_a_launchers_binding_is_kept_to(void **state)
{
    struct rc_machine *machine = opened(RC_MACHINE_THIS, NULL);
    size_t count, only = SIZE_MAX, refused = SIZE_MAX;
    const struct rc_cpu *cpus = rc_machine_cpus(machine, &count);
    struct rc_error err = {0};
    struct rc_kind free_kind, bound_kind;
    char message[256];
    cpu_set_t before, mask;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    rc_machine_kind(machine, NULL, "x", &free_kind);
    for (size_t i = 0; i < count; i++) {
        if (!cpus[i].allowed)
            continue;
        assert_int_equal(rc_machine_bind(machine, i, &err), RC_OK);
        assert_int_equal(sched_getcpu(), cpus[i].os_index);
        only = i;
    }
    rc_machine_close(machine);

    /* Bound to the last one now, as a launcher would have done it. */
    assert_true(only != SIZE_MAX);
    machine = opened(RC_MACHINE_THIS, NULL);
    cpus = rc_machine_cpus(machine, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cpus[i].allowed, i == only);
        if (i != only)
            refused = i;
    }
    rc_machine_kind(machine, NULL, "x", &bound_kind);
    assert_string_equal(free_kind.name, bound_kind.name);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    if (refused != SIZE_MAX) {
        assert_int_equal(rc_machine_bind(machine, refused, &err), RC_EPERM);
        snprintf(message, sizeof message,
                 "CPU %u is not among those that the batch system, cgroup or launcher "
                 "gave to this process",
                 cpus[refused].os_index);
        assert_string_equal(err.text, message);
        assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
        assert_true(CPU_EQUAL(&mask, &before)); /* left as it was */
    }
    assert_int_equal(rc_machine_bind(machine, count, &err), RC_EMISSING);
    rc_machine_close(machine);
}

static void a_recorded_machine_cannot_be_bound_to(void **state)
{
    static const char message[] =
        "cannot bind: the topology is not that of the machine this runs on";
    struct rc_error err = {0};
    struct rc_machine *machine = recorded("hybrid.xml");

    (void)state;
    assert_int_equal(rc_machine_bind(machine, 0, &err), RC_EUNSUPPORTED);
    assert_string_equal(err.text, message);
    rc_machine_close(machine);

    /* hwloc's own variable puts another machine in the place of this one. */
    setenv("HWLOC_SYNTHETIC", "package:1 core:3 pu:1", 1);
    machine = opened(RC_MACHINE_THIS, NULL);
    unsetenv("HWLOC_SYNTHETIC");
    check_units(machine, RC_SCOPE_CORE, 3, 1, 1);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NODE, 0)->allowed_core_count, 3);
    err.text[0] = 0;
    assert_int_equal(rc_machine_bind(machine, 0, &err), RC_EUNSUPPORTED);
    assert_string_equal(err.text, message);
    rc_machine_close(machine);
}

static void the_name_of_the_node_is_fit_for_a_file(void **state)
{
    static const struct {
        const char *name, *begin;
        bool changed;
    } names[] = {
        {"node0017", "node0017", false},
        {"a.b-c_D9", "a.b-c_D9", false},
        {"../evil", "_._evil-", true},
        {"-rf", "_rf-", true},
        {".", "_-", true},
        {"a/b", "a_b-", true},
        {"a\nb", "a_b-", true},
        {"\xc3\xa9", "__-", true},
    };
    char big[4001], first[256];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        setenv("SLURMD_NODENAME", names[i].name, 1);
        const char *got = rc_machine_node_name();
        assert_int_equal(strncmp(got, names[i].begin, strlen(names[i].begin)), 0);
        assert_int_equal(strcmp(got, names[i].name) != 0, names[i].changed);
    }
    memset(big, 'n', sizeof big - 1);
    big[sizeof big - 1] = 0;
    setenv("SLURMD_NODENAME", big, 1);
    snprintf(first, sizeof first, "%s", rc_machine_node_name());
    assert_true(strlen(first) < 120);
    assert_true(strlen(first) < RC_NODE_NAME);
    big[sizeof big - 2] = 'm';
    setenv("SLURMD_NODENAME", big, 1);
    assert_string_not_equal(first, rc_machine_node_name());
    setenv("SLURMD_NODENAME", "", 1);
    assert_true(strlen(rc_machine_node_name()) > 0);
    unsetenv("SLURMD_NODENAME");
    assert_true(strlen(rc_machine_node_name()) > 0);
}

/* Hydra's mpiexec gives its own to the ranks of all nodes. */
static void a_node_name_that_hydra_copied_is_not_taken(void **state)
{
    char host[RC_NODE_NAME];

    (void)state;
    unsetenv("SLURMD_NODENAME");
    snprintf(host, sizeof host, "%s", rc_machine_node_name());
    setenv("SLURMD_NODENAME", "first", 1);
    setenv("PMI_RANK", "0", 1);
    setenv("MPI_LOCALRANKID", "0", 1);
    assert_string_equal(rc_machine_node_name(), "first");
    setenv("SLURM_JOB_ID", "5", 1);
    assert_string_equal(rc_machine_node_name(), host);
    unsetenv("PMI_RANK");
    setenv("PMI_ID", "0", 1);
    assert_string_equal(rc_machine_node_name(), host);
    unsetenv("PMI_ID");
    assert_string_equal(rc_machine_node_name(), "first");
    unsetenv("MPI_LOCALRANKID");
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURMD_NODENAME");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_synthetic_machines_are_refused_in_one_line),
        cmocka_unit_test(empty_and_absurd_synthetic_machines_are_refused),
        cmocka_unit_test(files_that_are_no_machine_are_refused_in_one_line),
        cmocka_unit_test(missing_files_and_what_is_no_file_are_named),
        cmocka_unit_test(truncated_files_are_survived_in_silence),
        cmocka_unit_test(attributes_may_be_missing),
        cmocka_unit_test(files_with_a_false_value_are_survived_in_silence),
        cmocka_unit_test(sapphire_rapids_with_sub_numa_clusters),
        cmocka_unit_test(epyc_with_eight_l3_a_socket),
        cmocka_unit_test(power9_node_with_shared_l2_and_gpu_memories),
        cmocka_unit_test(hybrid_laptop_has_two_types_of_cores),
        cmocka_unit_test(a_container_is_allowed_a_part_of_the_same_machine),
        cmocka_unit_test(offline_cpus_missing_caches_and_two_memories_break_nothing),
        cmocka_unit_test(a_machine_of_bare_cpus_has_cores_and_a_package_all_the_same),
        cmocka_unit_test(hardware_threads_are_found_for_every_width_of_smt),
        cmocka_unit_test(cpus_that_the_kernel_numbers_oddly_stay_with_their_core),
        cmocka_unit_test(a_cpu_of_an_absurd_number_is_refused),
        cmocka_unit_test(processors_say_who_they_are_in_their_own_ways),
        cmocka_unit_test(nodes_built_alike_are_of_one_kind_whatever_is_allowed),
        cmocka_unit_test(kinds_differ_by_stepping_counters_and_shape),
        cmocka_unit_test(the_set_of_counters_stands_behind_the_machine),
        cmocka_unit_test(names_of_kinds_are_stable),
        cmocka_unit_test(long_counter_sets_that_differ_at_their_end_are_two_kinds),
        cmocka_unit_test(names_of_processors_may_hold_anything),
        cmocka_unit_test(this_machine_is_sound_and_quiet),
        cmocka_unit_test(binding_binds_and_a_launchers_binding_is_kept_to),
        cmocka_unit_test(a_recorded_machine_cannot_be_bound_to),
        cmocka_unit_test(the_name_of_the_node_is_fit_for_a_file),
        cmocka_unit_test(a_node_name_that_hydra_copied_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
