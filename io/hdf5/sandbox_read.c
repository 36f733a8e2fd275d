/* Reading a file that may come from a stranger in a child process first: HDF5 1.10.8
 * itself dies of some damage, or never ends, and no check before the call can tell.
 * This process reads the file in the same way once the child survived.
 *
 * The child does what readers do, and may read all small datasets whole and the two ends
 * of large ones, as types that readers ask for.  It has a limit of processor time, and of
 * time, that grows with the file.
 */
#include "campaign/base/sandbox.h"
#include "io/hdf5/hdf5.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
    PIECE_BYTES = 1 << 20,   /* of a dataset that are read at once */
    WHOLE_BYTES = 4 << 20,   /* of larger datasets only the two ends are read */
    CONVERT_BYTES = 1 << 16, /* that HDF5 converts at once: it clears so much first */
    ROOM_BYTES = 8 << 20,    /* of memory that HDF5 takes for reading, about */
    PATIENCE_S = 60, /* before the child is ended, and one more for each of these: */
    SLOW_BYTES = 4 << 20, /* of the file; HDF5 reads much more in a second */
    PROCESSOR_S = 10,     /* of processor time, and likewise more for a large file */
};

/* Reads 'count' rows of a dataset and forgets them. Only whether the call returns
 * matters, not what it returns.
 */
static void read_rows(hid_t set, hid_t type, hsize_t first, hsize_t count, int rank,
                      const hsize_t *dim)
{
    hsize_t start[H5S_MAX_RANK] = {first}, extent[H5S_MAX_RANK] = {count};
    size_t bytes = count * H5Tget_size(type);
    hid_t file = H5Dget_space(set), how = H5Pcreate(H5P_DATASET_XFER);

    for (int i = 1; i < rank; i++) {
        extent[i] = dim[i];
        bytes *= dim[i];
    }
    hid_t memory = H5Screate_simple(rank, extent, NULL);
    void *data = malloc(bytes);
    if (data && memory >= 0 && H5Pset_buffer(how, CONVERT_BYTES, NULL, NULL) >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
        H5Dread(set, type, memory, file, how, data) >= 0 &&
        H5Tdetect_class(type, H5T_VLEN) > 0)
        H5Dvlen_reclaim(type, memory, H5P_DEFAULT, data);
    free(data);
    H5Pclose(how);
    H5Sclose(memory);
    H5Sclose(file);
}

/* Bytes of a row, or 0 where nothing sensible can be read. */
static uint64_t row_bytes(hid_t type, int rank, const hsize_t *dim)
{
    uint64_t bytes = H5Tget_size(type);

    for (int i = 1; i < rank; i++) {
        if (dim[i] == 0 || bytes > (uint64_t)RC_STORE_ITEMS_MAX / dim[i])
            return 0;
        bytes *= dim[i];
    }
    return bytes;
}

/* Reads a dataset in pieces: all of it, or its first piece and its last two. */
static void read_extent(hid_t set, hid_t type, int rank, const hsize_t *dim)
{
    const uint64_t row = row_bytes(type, rank, dim);

    if (row == 0 || row > WHOLE_BYTES || dim[0] > RC_STORE_ITEMS_MAX)
        return;
    const hsize_t at_once = row < PIECE_BYTES ? PIECE_BYTES / row : 1;
    const bool whole = dim[0] <= WHOLE_BYTES / row;

    for (hsize_t first = 0; first < dim[0]; first += at_once) {
        hsize_t count = dim[0] - first < at_once ? dim[0] - first : at_once;
        read_rows(set, type, first, count, rank, dim);
        if (!whole && first == 0 && dim[0] > 2 * at_once)
            first = dim[0] - 2 * at_once;
    }
}

/* Reads a dataset as readers ask for it: in the type of the file, and one row
 * converted to each type that they expect of numbers.
 */
static void try_dataset(hid_t set)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set),
          how = H5Dget_create_plist(set);
    hsize_t dim[H5S_MAX_RANK] = {1}, chunks;
    int rank = H5Sget_simple_extent_dims(space, dim, NULL);

    if (how >= 0 && H5Pget_layout(how) == H5D_CHUNKED)
        H5Dget_num_chunks(set, space, &chunks); /* all of their index is read */
    if (type >= 0 && rank >= 0) {
        const hid_t asked[] = {H5T_NATIVE_INT64, H5T_NATIVE_UINT8, H5T_NATIVE_DOUBLE};
        hid_t native = H5Tget_native_type(type, H5T_DIR_DEFAULT);
        if (native >= 0 && H5Tget_size(native) > 0)
            read_extent(set, native, rank, dim);
        if (H5Tget_class(type) != H5T_STRING && rank > 0 && dim[0] > 0 &&
            row_bytes(H5T_NATIVE_INT64, rank, dim) <= PIECE_BYTES)
            for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
                read_rows(set, asked[i], 0, 1, rank, dim);
        rc_h5_close(native, RC_OK, NULL);
    }
    RC_H5_CLOSE(RC_OK, NULL, how, type, space);
}

static herr_t try_attribute(hid_t object, const char *name, const H5A_info_t *info,
                            void *unused)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = attribute < 0 ? attribute : H5Aget_type(attribute);
    hid_t space = attribute < 0 ? attribute : H5Aget_space(attribute);
    hssize_t items = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    hid_t native = type < 0 ? type : H5Tget_native_type(type, H5T_DIR_DEFAULT);
    size_t bytes = native < 0 ? 0 : H5Tget_size(native);

    (void)info;
    (void)unused;
    void *data = bytes && items > 0 && (uint64_t)items <= PIECE_BYTES / bytes
                     ? malloc((size_t)items * bytes)
                     : NULL;
    if (data && H5Aread(attribute, native, data) >= 0)
        H5Dvlen_reclaim(native, space, H5P_DEFAULT, data);
    free(data);
    RC_H5_CLOSE(RC_OK, NULL, native, space, type, attribute);
    return 0;
}

static herr_t try_object(hid_t file, const char *name, const H5O_info_t *info,
                         void *unused)
{
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);

    (void)unused;
    if (object < 0)
        return 0;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, try_attribute, NULL);
    if (info->type == H5O_TYPE_DATASET)
        try_dataset(object);
    H5Oclose(object);
    return 0;
}

void rc_h5_try_all(hid_t file, bool read)
{
    hid_t open[64];

    if (read)
        H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, try_object, NULL,
                  H5O_INFO_BASIC);
    /* Else the file would not really be closed; in rounds, as some objects appear only
     * when others are closed.
     */
    for (ssize_t round = 0, count = 1; round < 64 && count > 0; round++) {
        count = H5Fget_obj_ids(file, H5F_OBJ_ALL & ~(unsigned)H5F_OBJ_FILE,
                               sizeof open / sizeof *open, open);
        for (ssize_t i = 0; i < count; i++)
            H5Idec_ref(open[i]);
    }
}

struct attempt {
    void (*read)(const void *context);
    const void *context;
    unsigned processor_s; /* the limit of processor time */
};

/* In the child.  M_PERTURB fills memory that is given out or freed with a pattern that
 * is neither 0 nor a valid address: a pointer that HDF5 reads from there crashes the
 * child now, not a reader later.
 */
static void read_within_limits(const void *arg)
{
    const struct attempt *a = arg;
    const struct rlimit processor = {a->processor_s, a->processor_s + 5};

    setrlimit(RLIMIT_CPU, &processor);
    mallopt(M_PERTURB, 0xa5);
    a->read(a->context);
}

int rc_h5_sandbox_read(const char *path, const struct rc_h5_form *form,
                       void (*read)(const void *context), const void *context,
                       struct rc_error *err)
{
    struct stat file = {0};
    const unsigned more =
        stat(path, &file) == 0 ? (unsigned)(file.st_size / SLOW_BYTES) : 0;
    const struct attempt attempt = {read, context, PROCESSOR_S + more};
    enum rc_survival survival;
    void *volatile room = malloc(ROOM_BYTES); /* else compilers leave it out */

    if (!room) /* HDF5 dies of that, too, and the file would be blamed */
        return rc_fail(err, RC_ENOMEM, "'%s': no memory to read it", path);
    free(room);
    survival = rc_sandbox_run(read_within_limits, &attempt, PATIENCE_S + more, NULL);
    if (survival == RC_SURVIVED)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "'%s' is damaged: HDF5 %s; %s", path,
                   survival == RC_DIED ? "crashes when it reads it"
                                       : "hangs when it reads it",
                   form->remedy);
}
