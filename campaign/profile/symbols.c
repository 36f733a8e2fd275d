/* Names of functions by libdw, whose only home this is. */
#include "campaign/profile/symbols.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef RC_HAVE_DW

#include <dwarf.h>
#include <elfutils/libdwfl.h>

/* How far back a function is looked for that goes around others. */
enum { AROUND = 8, STACK_POINTER = 7 /* of x86-64 in DWARF */, RETURN_MOST = 1 << 16 };

struct symbol {
    uint64_t address, bytes;
    const char *name; /* of the library's */
    bool local;
};

struct rc_profile_symbols {
    Dwfl *dwfl;
    Dwfl_Module *module;
    bool read;     /* the symbols have been */
    uint64_t bias; /* of the library's addresses */
    struct symbol *symbol;
    size_t count, room;
};

static int find_no_file(Dwfl_Module *module, void **user, const char *name,
                        Dwarf_Addr base, char **path, Elf **elf)
{
    (void)module, (void)user, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

static int find_no_debug_file(Dwfl_Module *module, void **user, const char *name,
                              Dwarf_Addr base, const char *path, const char *link,
                              GElf_Word sum, char **out)
{
    (void)module, (void)user, (void)name, (void)base, (void)path, (void)link, (void)sum,
        (void)out;
    return -1;
}

/* By address; of names for one place the one that others see. */
static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    const int order =
        rc_compare_numbers((uint64_t[]){x->address, x->local, y->bytes},
                           (uint64_t[]){y->address, y->local, x->bytes}, 3);

    return order ? order : strcmp(x->name, y->name);
}

/* All functions of the file that say where they end, as many as there is memory for. */
static void read_symbols(struct rc_profile_symbols *s)
{
    const int count = dwfl_module_getsymtab(s->module);
    GElf_Sym symbol;
    GElf_Word section;

    for (int i = 0; i < count; i++) {
        const char *name = dwfl_module_getsym(s->module, i, &symbol, &section);
        const int type = GELF_ST_TYPE(symbol.st_info);
        if (!name || !*name || section == SHN_UNDEF || symbol.st_size == 0 ||
            (type != STT_FUNC && type != STT_GNU_IFUNC))
            continue;
        if (rc_grow(&s->symbol, sizeof *s->symbol, s->count, &s->room))
            break;
        s->symbol[s->count++] =
            (struct symbol){.address = symbol.st_value - s->bias,
                            .bytes = symbol.st_size,
                            .name = name,
                            .local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL};
    }
    if (s->count > 0)
        qsort(s->symbol, s->count, sizeof *s->symbol, compare_symbols);
    s->read = true;
}

/* Whether the module has the build id that is wanted, or none is. */
static bool is_same_file(Dwfl_Module *module, const char *wanted)
{
    const unsigned char *id = NULL;
    char text[2 * 64 + 1] = "";
    GElf_Addr where;
    const int bytes = dwfl_module_build_id(module, &id, &where);

    for (int i = 0; i < bytes; i++)
        rc_text_append(text, sizeof text, "%02x", id[i]);
    return !*wanted || strcmp(text, wanted) == 0;
}

struct rc_profile_symbols *rc_profile_symbols_open(const struct rc_profile_module *file,
                                                   const char **why)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = find_no_file,
                                             .find_debuginfo = find_no_debug_file,
                                             .section_address =
                                                 dwfl_offline_section_address};
    struct rc_profile_symbols *s = NULL;
    struct stat status;
    GElf_Addr bias = 0;

    *why = "it is no file here";
    /* a journal may name anything: a device does something when it is opened */
    if (file->path[0] != '/' || stat(file->path, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return NULL;
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    *why = "no memory";
    if (!(s = rc_calloc(1, sizeof *s)) || !(s->dwfl = dwfl_begin(&callbacks))) {
        free(s);
        close(fd);
        return NULL;
    }
    s->module = dwfl_report_offline(s->dwfl, file->path, file->path, fd);
    if (!s->module)
        close(fd);
    dwfl_report_end(s->dwfl, NULL, NULL);
    const bool good = s->module && dwfl_module_getelf(s->module, &bias);
    s->bias = bias;
    if (good && is_same_file(s->module, file->build_id))
        return s;
    *why = good ? "it is another file now" : "it is no program or library";
    rc_profile_symbols_close(s);
    return NULL;
}

void rc_profile_symbols_close(struct rc_profile_symbols *symbols)
{
    if (!symbols)
        return;
    dwfl_end(symbols->dwfl);
    free(symbols->symbol);
    free(symbols);
}

static bool is_before(const void *item, const void *key)
{
    return ((const struct symbol *)item)->address <= *(const uint64_t *)key;
}

/* The nearest one before that is long enough. */
const char *rc_profile_symbols_find(struct rc_profile_symbols *symbols,
                                    uint64_t address)
{
    if (!symbols)
        return NULL;
    if (!symbols->read)
        read_symbols(symbols);
    const size_t before = rc_count_before(symbols->symbol, symbols->count,
                                          sizeof *symbols->symbol, &address, is_before);
    for (size_t i = before; i-- > 0 && before - i <= AROUND;) {
        const struct symbol *s = &symbols->symbol[i];
        while (i > 0 && symbols->symbol[i - 1].address == s->address)
            s = &symbols->symbol[--i]; /* the first of those at one place */
        if (address - s->address < s->bytes)
            return s->name;
    }
    return NULL;
}

/* The frame's end ("CFA") as the file's table for exceptions has it. */
uint64_t rc_profile_symbols_return(struct rc_profile_symbols *symbols, uint64_t address)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Addr bias = 0;
    Dwarf_Op *op = NULL;
    size_t ops = 0;
    uint64_t end = 0;
    Dwarf_CFI *table = NULL;

#ifdef __x86_64__
    table = symbols ? dwfl_module_eh_cfi(symbols->module, &bias) : NULL;
#endif
    if (!table || dwarf_cfi_addrframe(table, address + symbols->bias - bias, &frame))
        return 0;
    if (dwarf_frame_cfa(frame, &op, &ops) == 0 && ops == 1 && op->atom == DW_OP_bregx &&
        op->number == STACK_POINTER && op->number2 >= 8 && op->number2 < RETURN_MOST)
        end = op->number2;
    free(frame);
    return end;
}

#else

struct rc_profile_symbols *rc_profile_symbols_open(const struct rc_profile_module *file,
                                                   const char **why)
{
    (void)file;
    *why = "this rollcall is built without libdw";
    return NULL;
}

void rc_profile_symbols_close(struct rc_profile_symbols *symbols)
{
    (void)symbols;
}

const char *rc_profile_symbols_find(struct rc_profile_symbols *symbols,
                                    uint64_t address)
{
    (void)symbols, (void)address;
    return NULL;
}

uint64_t rc_profile_symbols_return(struct rc_profile_symbols *symbols, uint64_t address)
{
    (void)symbols, (void)address;
    return 0;
}

#endif

/* Names with their lengths in front, which is all that is understood of what C++ does
 * to names; false: there is something else.
 */
static bool put_names(const char *at, bool nested, char *out, size_t room)
{
    const char *last = "";
    int bytes = 0;

    out[0] = 0;
    do {
        const char *between = out[0] ? "::" : "";
        if (isdigit((unsigned char)*at)) {
            char *end;
            const unsigned long length = strtoul(at, &end, 10);
            if (length == 0 || length > 255 || strnlen(end, length) < length)
                return false;
            last = end;
            bytes = (int)length;
            if (strncmp(end, "_GLOBAL__N_", 11) == 0)
                rc_text_append(out, room, "%s(anonymous)", between);
            else
                rc_text_append(out, room, "%s%.*s", between, bytes, last);
            at = end + length;
        } else if (nested && bytes && (*at == 'C' || *at == 'D') &&
                   isdigit((unsigned char)at[1])) {
            rc_text_append(out, room, "::%s%.*s", *at == 'D' ? "~" : "", bytes, last);
            at += 2;
        } else {
            return false;
        }
    } while (nested && *at != 'E');
    return *at != 'I'; /* templates are not understood */
}

const char *rc_profile_symbols_readable(const char *name, char *out, size_t room)
{
    const char *module = strstr(name, "_MOD_");
    bool good = false;

    if (strncmp(name, "_Z", 2) == 0) {
        const char *at = name + 2;
        const bool nested = *at == 'N';
        at += nested ? 1 + strspn(at + 1, "rVK") : strspn(at, "L");
        good = put_names(at, nested, out, room);
    } else if (strncmp(name, "__", 2) == 0 && module) { /* of GNU Fortran */
        snprintf(out, room, "%.*s::%s", (int)(module - name - 2), name + 2, module + 5);
        good = true;
    }
    if (!good)
        snprintf(out, room, "%s", name);
    return out;
}
