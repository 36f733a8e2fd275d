/* Finds the program that is to be profiled, and looks at it before it is started. */
#include "campaign/profile/passes/program.h"

#include "campaign/base/files/path.h"
#include "campaign/base/program.h"
#include "campaign/base/words.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127, SEGMENTS_MOST = 256 };

#if defined(__x86_64__)
#define THIS_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE EM_AARCH64
#else
#define THIS_MACHINE EM_NONE /* not compared */
#endif

/* Launchers: they start many processes, each of which is to be profiled by a rollcall
 * of its own.
 */
static const char *const job_launchers[] = {"mpirun",
                                            "mpiexec",
                                            "mpiexec.hydra",
                                            "mpiexec.slurm",
                                            "mpirun.openmpi",
                                            "mpiexec.openmpi",
                                            "mpirun.mpich",
                                            "mpiexec.mpich",
                                            "orterun",
                                            "prterun",
                                            "prun",
                                            "srun",
                                            "aprun",
                                            "jsrun",
                                            "lrun",
                                            "ibrun",
                                            NULL};

static int refuse_launcher(char *const *words, const char *use, struct rc_error *err)
{
    const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];

    if (rc_word_find(name, job_launchers) < 0)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "'%s' starts the ranks, so it comes before rollcall, expected: "
                   "%s [its options] rollcall %s -- PROGRAM [its arguments]",
                   name, name, use);
}

/* Whether there is a file at 'path' that may be run; errno says why not. */
static bool can_run(const char *path)
{
    struct stat file;

    if (stat(path, &file) != 0)
        return false;
    if (S_ISREG(file.st_mode))
        return access(path, X_OK) == 0;
    errno = S_ISDIR(file.st_mode) ? EISDIR : EACCES;
    return false;
}

/* Looks through the PATH, as execvp() does: where a file is found that may not be run,
 * the search goes on.
 */
static bool find_on_path(const char *name, char *path, size_t room)
{
    const char *folder = getenv("PATH");
    int why = ENOENT;

    for (folder = folder ? folder : "/bin:/usr/bin"; folder;) {
        const size_t bytes = strcspn(folder, ":");
        if (rc_path(path, room, NULL, "%.*s%s%s", (int)bytes, folder, bytes ? "/" : "",
                    name) == RC_OK) {
            if (can_run(path))
                return true;
            if (errno != ENOENT && errno != ENOTDIR)
                why = errno;
        }
        folder = folder[bytes] ? folder + bytes + 1 : NULL;
    }
    errno = why;
    return false;
}

int rc_profile_program_find(char *const *words, const char *use, char *path,
                            size_t room, int *exits, struct rc_error *err)
{
    const char *name = words[0];
    int status = refuse_launcher(words, use, err);

    *exits = 0;
    if (status != RC_OK)
        return status;
    errno = ENOENT; /* of a name without letters */
    if (strchr(name, '/')
            ? rc_path(path, room, err, "%s", name) == RC_OK && can_run(path)
            : *name && find_on_path(name, path, room))
        return RC_OK;
    *exits = errno == ENOENT || errno == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    if (*exits == EXIT_NOT_FOUND)
        return rc_fail(err, RC_EMISSING,
                       strchr(name, '/') ? "there is no program '%.400s'"
                                         : "no program '%.400s' on the PATH",
                       name);
    return rc_fail(err, RC_EPERM, "cannot run '%.400s': %s", name, strerror(errno));
}

/* Whether an ELF file asks for the dynamic linker, which loads what is preloaded. */
static bool has_linker(int fd, const Elf64_Ehdr *elf)
{
    Elf64_Phdr segment;

    for (size_t i = 0; i < elf->e_phnum && i < SEGMENTS_MOST; i++) {
        const off_t at = (off_t)(elf->e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment)
            return true; /* not known */
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static const char *judge_elf(int fd, const Elf64_Ehdr *elf)
{
    if (elf->e_ident[EI_CLASS] != ELFCLASS64 ||
        (THIS_MACHINE != EM_NONE && elf->e_machine != THIS_MACHINE))
        return "it is not of this machine's 64-bit kind";
    return has_linker(fd, elf) ? NULL : "it is linked statically";
}

/* A script is run by its interpreter, of which nothing is said. */
const char *rc_profile_program_remark(const char *path)
{
    const char *remark = NULL;
    Elf64_Ehdr elf;

    if (rc_program_gives_rights(path))
        return "it runs with the privileges of another user (setuid, setgid, "
               "capabilities)";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (pread(fd, &elf, sizeof elf, 0) == (ssize_t)sizeof elf &&
        strncmp((const char *)elf.e_ident, ELFMAG, SELFMAG) == 0)
        remark = judge_elf(fd, &elf);
    close(fd);
    return remark;
}
