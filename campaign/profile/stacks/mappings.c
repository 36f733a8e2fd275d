/* The parts of a process's memory that hold code, and the file of each.
 *
 * An address becomes one that the file itself has, so that it says the same for each
 * process that has the file somewhere else: by the file's headers, which say which of
 * its bytes go to which of its addresses.
 */
#include "campaign/profile/stacks/sampling.h"

#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADERS_MOST = 64,
    NOTES_MOST = 4096,
    RULES_MOST = 65536, /* of a file: 2 MiB */
    MAPPINGS_MOST =
        8192, /* of a process; a program that makes more forgets the first */
};

static const char made_name[] = "[generated code]";

/* The build id among the notes of a file, as hexadecimal digits in 'out'. */
static void find_build_id(const unsigned char *note, size_t bytes, char *out,
                          size_t room)
{
    Elf64_Nhdr head;

    for (size_t at = 0; at + sizeof head <= bytes;) {
        memcpy(&head, note + at, sizeof head);
        const size_t name = at + sizeof head, id = name + (head.n_namesz + 3UL) / 4 * 4;
        at = id + (head.n_descsz + 3UL) / 4 * 4;
        if (at > bytes || at < id)
            return;
        if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != sizeof ELF_NOTE_GNU ||
            strncmp((const char *)note + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0)
            continue;
        for (size_t i = 0; i < head.n_descsz; i++)
            rc_text_append(out, room, "%02x", note[id + i]);
        return;
    }
}

/* Which bytes of the file are code at which of its addresses, and its build id. */
static void read_headers(const char *path, struct rc_profile_segment *segment,
                         char *build_id, size_t room)
{
    struct stat status;
    const int fd = stat(path, &status) == 0 && S_ISREG(status.st_mode)
                       ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                       : -1;
    unsigned char note[NOTES_MOST];
    size_t segments = 0;
    Elf64_Ehdr elf;
    Elf64_Phdr part;

    if (fd < 0)
        return;
    if (pread(fd, &elf, sizeof elf, 0) != (ssize_t)sizeof elf ||
        strncmp((const char *)elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof part)
        goto out;
    for (size_t i = 0; i < elf.e_phnum && i < HEADERS_MOST; i++) {
        if (pread(fd, &part, sizeof part, (off_t)(elf.e_phoff + i * sizeof part)) !=
            (ssize_t)sizeof part)
            break;
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) &&
            segments < RC_PROFILE_SEGMENTS)
            segment[segments++] =
                (struct rc_profile_segment){part.p_offset, part.p_filesz, part.p_vaddr};
        if (part.p_type != PT_NOTE || build_id[0])
            continue;
        const ssize_t got =
            pread(fd, note, part.p_filesz < NOTES_MOST ? part.p_filesz : NOTES_MOST,
                  (off_t)part.p_offset);
        if (got > 0)
            find_build_id(note, (size_t)got, build_id, room);
    }
out:
    close(fd);
}

static bool has_path(const void *context, size_t item, const void *key)
{
    const struct rc_profile_modules *modules = context;

    return strcmp(modules->item[item].path, key) == 0;
}

int rc_profile_modules_init(struct rc_profile_modules *modules)
{
    *modules =
        (struct rc_profile_modules){.map.same = has_path, .texts = rc_pool_create()};
    return modules->texts ? 0 : -1;
}

void rc_profile_modules_fini(struct rc_profile_modules *modules)
{
    rc_map_fini(&modules->map);
    free(modules->item);
    for (size_t i = 0; i < modules->count; i++) {
        rc_profile_symbols_close(modules->code[i].symbols);
        free(modules->code[i].rule);
        rc_map_fini(&modules->code[i].rule_map);
    }
    free(modules->code);
    rc_pool_close(modules->texts);
    *modules = (struct rc_profile_modules){.item = NULL};
}

uint32_t rc_profile_modules_find(struct rc_profile_modules *modules, const char *path)
{
    const uint64_t hash = rc_text_hash(path);
    const size_t found = rc_map_find(&modules->map, modules, hash, path);
    char build_id[2 * 64 + 1] = "";

    if (found != RC_MAP_NONE)
        return (uint32_t)found + 1;
    const char *copy = rc_pool_copy(modules->texts, path);
    if (!copy ||
        rc_grow(&modules->item, sizeof *modules->item, modules->count,
                &modules->item_room) ||
        rc_grow(&modules->code, sizeof *modules->code, modules->count,
                &modules->code_room))
        return 0;
    struct rc_profile_code *code = &modules->code[modules->count];
    *code = (struct rc_profile_code){.asked = path[0] != '/'};
    if (path[0] == '/')
        read_headers(path, code->segment, build_id, sizeof build_id);
    const char *id = rc_pool_copy(modules->texts, build_id);
    modules->item[modules->count] =
        (struct rc_profile_module){.path = copy, .build_id = id ? id : ""};
    if (rc_map_put(&modules->map, modules, hash, copy, modules->count))
        return 0;
    return (uint32_t)++modules->count;
}

static bool has_rule(const void *context, size_t item, const void *key)
{
    return ((const struct rc_profile_code *)context)->rule[item].address ==
           *(const uint64_t *)key;
}

/* Each address is looked up once, as long as there is room: a program is sampled at the
 * same places again and again, and its callers are always the same.
 */
struct rc_profile_caller rc_profile_modules_caller(struct rc_profile_modules *modules,
                                                   uint32_t module, uint64_t address)
{
    const struct rc_profile_caller none = {.from = RC_PROFILE_FROM_UNKNOWN};
    struct rc_profile_code *code = module > 0 ? &modules->code[module - 1] : NULL;
    const uint64_t hash = rc_mix(address);
    const char *why;

    if (!code)
        return none;
    code->rule_map.same = has_rule;
    const size_t found = rc_map_find(&code->rule_map, code, hash, &address);
    if (found != RC_MAP_NONE)
        return code->rule[found].caller;
    if (!code->asked)
        code->symbols = rc_profile_symbols_open(&modules->item[module - 1], &why);
    code->asked = true;
    const struct rc_profile_rule rule = {
        address, rc_profile_symbols_caller(code->symbols, address)};
    if (code->rules < RULES_MOST &&
        !rc_grow(&code->rule, sizeof rule, code->rules, &code->rule_room)) {
        code->rule[code->rules] = rule;
        if (!rc_map_put(&code->rule_map, code, hash, &address, code->rules))
            code->rules++;
    }
    return rule.caller;
}

/* Where the file's byte 'file_offset' is meant to be, by the segment that a mapping
 * from there on begins in; a mapping begins with a whole page.
 */
static uint64_t address_of(const struct rc_profile_segment *segment,
                           uint64_t file_offset, uint64_t bytes)
{
    for (size_t i = 0; i < RC_PROFILE_SEGMENTS; i++)
        if (segment[i].bytes > 0 &&
            file_offset < segment[i].offset + segment[i].bytes &&
            file_offset + bytes > segment[i].offset)
            return file_offset - segment[i].offset + segment[i].address;
    return file_offset; /* the headers could not be read */
}

void rc_profile_mappings_add(struct rc_profile_mappings *mappings, uint64_t start,
                             uint64_t end, uint64_t file_offset, const char *path,
                             struct rc_pool *texts)
{
    const bool in_memory = path[0] != '/' || path[1] == '/'; /* "//anon" */
    const char *name = rc_pool_intern(
        texts, in_memory && strcmp(path, "[vdso]") != 0 ? made_name : path);

    if (!name || end <= start)
        return;
    if (mappings->count >= MAPPINGS_MOST) { /* the newer half stays */
        mappings->count /= 2;
        memmove(mappings->item, mappings->item + mappings->count,
                mappings->count * sizeof *mappings->item);
    }
    if (!rc_grow(&mappings->item, sizeof *mappings->item, mappings->count,
                 &mappings->room))
        mappings->item[mappings->count++] = (struct rc_profile_mapping){
            .start = start, .end = end, .file_offset = file_offset, .path = name};
}

/* A line is "START-END rwxp OFFSET DEVICE INODE    PATH". */
void rc_profile_mappings_read(struct rc_profile_mappings *mappings, uint32_t pid,
                              struct rc_pool *texts)
{
    uint64_t start, end, offset;
    char name[64], rights[5], *line = NULL;
    size_t room = 0;
    int at;

    mappings->pid = pid;
    snprintf(name, sizeof name, "/proc/%" PRIu32 "/maps", pid);
    FILE *file = fopen(name, "re");
    if (!file)
        return;
    for (bool first = true; getline(&line, &room, file) > 0; first = false) {
        if (first)
            mappings->count = 0;
        line[strcspn(line, "\n")] = 0;
        at = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start,
                   &end, rights, &offset, &at) == 4 &&
            at > 0 && rights[2] == 'x')
            rc_profile_mappings_add(mappings, start, end, offset, line + at, texts);
    }
    free(line);
    fclose(file);
}

bool rc_profile_mappings_find(struct rc_profile_mappings *mappings, uint64_t address,
                              struct rc_profile_modules *modules, uint32_t *module,
                              uint64_t *offset)
{
    for (size_t i = mappings->count; i-- > 0;) {
        struct rc_profile_mapping *m = &mappings->item[i];
        if (address < m->start || address >= m->end)
            continue;
        if (!m->module && (m->module = rc_profile_modules_find(modules, m->path)))
            m->bias = m->start - address_of(modules->code[m->module - 1].segment,
                                            m->file_offset, m->end - m->start);
        *module = m->module;
        *offset = strcmp(m->path, made_name) == 0 ? 0 : address - m->bias;
        return m->module > 0;
    }
    return false;
}

void rc_profile_mappings_fini(struct rc_profile_mappings *mappings)
{
    free(mappings->item);
    *mappings = (struct rc_profile_mappings){.item = NULL};
}
