/* Names of functions by libdw, whose only home this is. */
#include "campaign/profile/stacks/symbols.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef RC_HAVE_DW

#include <dwarf.h>
#include <elfutils/libdwfl.h>

/* How far back a function is looked for that goes around others. */
enum { AROUND = 8 };

/* Registers of x86-64 in DWARF; how large a frame may be. */
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16, END_MOST = 1 << 24 };

/* The table of a file's functions that is searched for exceptions (.eh_frame_hdr): a
 * head, and for each function where it begins and where more is said of it, as numbers
 * of 32 bits from the head on.  Encodings are those that linkers write, others are not
 * read.
 */
enum {
    HEAD_VERSION = 1,
    HEAD_POINTER = 0x1b, /* encodings: of the pointer, the count, the rows */
    HEAD_COUNT = 0x03,
    HEAD_ROWS = 0x3b,
    HEAD_BYTES = 12,
    ROW_BYTES = 8,
};

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
    bool asked;      /* for what follows */
    const char *row; /* ROW_BYTES each, by address; NULL: none */
    size_t rows;
    uint64_t head; /* address of the table's head */
};

const char *rc_profile_symbols_no_callers(void)
{
#ifdef __x86_64__
    return NULL;
#else
    return "frames are not known on this processor";
#endif
}

static int find_no_file(Dwfl_Module *module, void **user, const char *name,
                        Dwarf_Addr base, char **path, Elf **elf)
{
    (void)module, (void)user, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

/* A regular file that is not empty (an empty one in the cache says that there is none);
 * -1: there is no such one.
 */
static int open_debug_file(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return -1;
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* The file with the symbols that were taken out of another one, by its build id: of a
 * debug package, or in the cache of debuginfod.  Nothing is fetched.
 */
static int find_debug_file(Dwfl_Module *module, void **user, const char *name,
                           Dwarf_Addr base, const char *path, const char *link,
                           GElf_Word sum, char **out)
{
    const char *cache = getenv("DEBUGINFOD_CACHE_PATH"),
               *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const unsigned char *id = NULL;
    char text[2 * 64 + 1] = "", try[PATH_MAX];
    GElf_Addr where;
    const int bytes = dwfl_module_build_id(module, &id, &where);
    int fd;

    (void)user, (void)name, (void)base, (void)path, (void)link, (void)sum, (void)out;
    if (bytes < 2 || bytes > 64)
        return -1;
    for (int i = 0; i < bytes; i++)
        rc_text_append(text, sizeof text, "%02x", id[i]);
    snprintf(try, sizeof try, "/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2);
    if ((fd = open_debug_file(try)) >= 0)
        return fd;
    if (cache)
        snprintf(try, sizeof try, "%s/%s/debuginfo", cache, text);
    else
        snprintf(try, sizeof try, "%s%s/debuginfod_client/%s/debuginfo",
                 xdg    ? xdg
                 : home ? home
                        : "",
                 xdg ? "" : "/.cache", text);
    return open_debug_file(try);
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
                                             .find_debuginfo = find_debug_file,
                                             .section_address =
                                                 dwfl_offline_section_address};
    struct rc_profile_symbols *s = NULL;
    struct stat status;
    GElf_Addr bias = 0;

    *why = "there is no such file here";
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
    *why = good ? "it is another file now" : "it is not a program or library";
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

/* How a register of the caller's is found: at *at bytes from the frame's end on. */
enum kept { KEPT_THERE, KEPT_AS_IT_WAS, KEPT_NOWHERE, KEPT_ELSEWHERE };

static enum kept where_kept(Dwarf_Frame *frame, int number, int64_t *at)
{
    Dwarf_Op room[3], *op = NULL;
    size_t ops = 0;

    *at = 0;
    if (dwarf_frame_register(frame, number, room, &op, &ops) != 0)
        return KEPT_ELSEWHERE;
    if (ops == 0)
        return op ? KEPT_NOWHERE : KEPT_AS_IT_WAS;
    if (ops == 2 && op[1].atom == DW_OP_plus_uconst)
        *at = (int64_t)op[1].number;
    return op->atom == DW_OP_call_frame_cfa && *at < 0 && *at >= -END_MOST
               ? KEPT_THERE
               : KEPT_ELSEWHERE;
}

/* Frames of compilers end at a register and a number; what is computed in other ways,
 * as in frames of signals, is not followed.
 */
static struct rc_profile_caller caller_of(Dwarf_Frame *frame)
{
    struct rc_profile_caller out = {.from = RC_PROFILE_FROM_UNKNOWN};
    Dwarf_Op *op = NULL;
    size_t ops = 0;
    int64_t at;

    const enum kept address = where_kept(frame, RETURN_ADDRESS, &at);
    if (address == KEPT_NOWHERE)
        out.from = RC_PROFILE_FROM_NOBODY;
    if (address != KEPT_THERE || at != -8 || dwarf_frame_cfa(frame, &op, &ops) != 0 ||
        ops != 1 || op->atom != DW_OP_bregx || (int64_t)op->number2 < -END_MOST ||
        (int64_t)op->number2 > END_MOST ||
        where_kept(frame, FRAME_POINTER, &at) == KEPT_ELSEWHERE)
        return out;
    out.end = (int32_t)(int64_t)op->number2;
    out.frame_at = (int32_t)at;
    if (op->number == STACK_POINTER && out.end >= 8)
        out.from = RC_PROFILE_FROM_STACK;
    else if (op->number == FRAME_POINTER)
        out.from = RC_PROFILE_FROM_FRAME;
    return out;
}

struct rc_profile_caller rc_profile_symbols_caller(struct rc_profile_symbols *symbols,
                                                   uint64_t address)
{
    struct rc_profile_caller out = {.from = RC_PROFILE_FROM_UNKNOWN};
    Dwarf_Frame *frame = NULL;
    Dwarf_Addr bias = 0;
    Dwarf_CFI *table = NULL;

#ifdef __x86_64__
    table = symbols ? dwfl_module_eh_cfi(symbols->module, &bias) : NULL;
#endif
    if (!table || dwarf_cfi_addrframe(table, address + symbols->bias - bias, &frame))
        return out;
    out = caller_of(frame);
    free(frame);
    return out;
}

/* Finds the table of functions, which is in the file's own bytes. */
static void find_rows(struct rc_profile_symbols *s)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(s->module, &bias);
    unsigned char head[HEAD_BYTES];
    size_t count = 0;
    uint32_t rows;
    GElf_Phdr part;

    s->asked = true;
    if (!elf || elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < INT_MAX; i++) {
        if (!gelf_getphdr(elf, (int)i, &part) || part.p_type != PT_GNU_EH_FRAME)
            continue;
        const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)part.p_offset,
                                                    part.p_filesz, ELF_T_BYTE);
        if (!data || data->d_size < sizeof head)
            return;
        memcpy(head, data->d_buf, sizeof head);
        memcpy(&rows, head + sizeof head - sizeof rows, sizeof rows);
        if (head[0] != HEAD_VERSION || head[1] != HEAD_POINTER ||
            head[2] != HEAD_COUNT || head[3] != HEAD_ROWS ||
            rows > (data->d_size - sizeof head) / ROW_BYTES)
            return;
        s->row = (const char *)data->d_buf + sizeof head;
        s->rows = rows;
        s->head = part.p_vaddr;
        return;
    }
}

static bool row_is_before(const void *item, const void *key)
{
    int32_t from_head;

    memcpy(&from_head, item, sizeof from_head);
    return from_head <= *(const int64_t *)key;
}

uint64_t rc_profile_symbols_begin(struct rc_profile_symbols *symbols, uint64_t address)
{
    int32_t from_head;

    if (!symbols)
        return 0;
    if (!symbols->asked)
        find_rows(symbols);
    const int64_t wanted = (int64_t)(address - symbols->head);
    const size_t before =
        rc_count_before(symbols->row, symbols->rows, ROW_BYTES, &wanted, row_is_before);
    if (before == 0)
        return 0;
    memcpy(&from_head, symbols->row + (before - 1) * ROW_BYTES, sizeof from_head);
    return symbols->head + (uint64_t)(int64_t)from_head;
}

uint64_t rc_profile_symbols_first(const struct rc_profile_symbols *symbols)
{
    Dwarf_Addr start = 0;

    if (symbols)
        dwfl_module_info(symbols->module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    return symbols ? start - symbols->bias : 0;
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

const char *rc_profile_symbols_no_callers(void)
{
    return "this rollcall is built without libdw";
}

const char *rc_profile_symbols_find(struct rc_profile_symbols *symbols,
                                    uint64_t address)
{
    (void)symbols, (void)address;
    return NULL;
}

struct rc_profile_caller rc_profile_symbols_caller(struct rc_profile_symbols *symbols,
                                                   uint64_t address)
{
    (void)symbols, (void)address;
    return (struct rc_profile_caller){.from = RC_PROFILE_FROM_UNKNOWN};
}

uint64_t rc_profile_symbols_begin(struct rc_profile_symbols *symbols, uint64_t address)
{
    (void)symbols, (void)address;
    return 0;
}

uint64_t rc_profile_symbols_first(const struct rc_profile_symbols *symbols)
{
    (void)symbols;
    return 0;
}

#endif

enum { TEAM_TEXT = 1024 };

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

/* Where the end of a name begins that compilers give to a region of OpenMP:
 * "._omp_fn.0" (GCC), ".omp_outlined", ".omp_outlined.1" (LLVM from 16 on); NULL: it
 * has none, or nothing in front of it.
 */
static const char *end_of_team(const char *name, const char **number)
{
    const char *gcc = strstr(name, "._omp_fn."), *llvm = strstr(name, ".omp_outlined"),
               *team = gcc ? gcc : llvm;

    if (!team || team == name)
        return NULL;
    *number = strrchr(team, '.') == team ? "" : strrchr(team, '.') + 1;
    return team;
}

/* NOLINTNEXTLINE(misc-no-recursion): once, of the part in front of "._omp_fn." */
const char *rc_profile_symbols_readable(const char *name, char *out, size_t room)
{
    const char *module = strstr(name, "_MOD_"), *number;
    const char *team = end_of_team(name, &number);
    bool good = false;

    if (strncasecmp(name, "pmpi_", 5) == 0) {
        snprintf(out, room, "%s", name + 1);
        return out;
    }
    if (team) { /* the function around a region of OpenMP */
        char around[TEAM_TEXT];
        snprintf(around, sizeof around, "%.*s", (int)(team - name), name);
        (void)rc_profile_symbols_readable(around, out, room);
        rc_text_append(out, room, " [omp%s%s]", *number ? " " : "", number);
        return out;
    }
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
