/* split.h - parts of an axis, of the ranks and of messages */
#ifndef RC_KERNELS_FFT3D_SPLIT_H
#define RC_KERNELS_FFT3D_SPLIT_H

#include "kernels/fft3d/fft3d.h"

/* The beginning of part 'i' of 'parts' of n things; part 'parts' is their end. */
static inline size_t rc_fft_split(size_t n, size_t parts, size_t i)
{
    return n / parts * i + n % parts * i / parts;
}

/* How many things part 'i' has. */
static inline size_t rc_fft_share(size_t n, size_t parts, size_t i)
{
    return rc_fft_split(n, parts, i + 1) - rc_fft_split(n, parts, i);
}

/* Collective: makes 'comm', in which ranks of a node are side by side, and 'nodes'.
 * 'node_size' ranks make up a node; 0: ranks that share memory do.
 */
int rc_fft_nodes_init(MPI_Comm world, size_t node_size, MPI_Comm *comm,
                      struct rc_fft_nodes *nodes, struct rc_error *err);
void rc_fft_nodes_fini(struct rc_fft_nodes *nodes); /* accepts a zeroed one */

/* Chooses the grid of ranks for pencils of n0 x n1 x n2: as few as possible of 'ranks'
 * are idle, and then as few as possible of them in the second exchange.
 */
void rc_fft_procs_choose(const struct rc_fft_nodes *nodes, size_t ranks,
                         const size_t n[3], size_t procs[2]);

/* Elements from one row of 'used' elements to the next: whole lines of 64 bytes, an odd
 * number of them, so that columns spread over the sets of caches.  Likewise from one
 * plane of 'rows' to the next.  'plain': no padding.
 */
size_t rc_fft_row_pitch(size_t used, size_t element, bool plain);
size_t rc_fft_plane_pitch(size_t rows, size_t row, size_t element, bool plain);

/* Copies 'extent' elements of 8 or 16 bytes; strides are in elements. */
void rc_fft_copy(void *out, const size_t out_stride[3], const void *in,
                 const size_t in_stride[3], const size_t extent[3], size_t element);

/* Messages of all ranks of a grid's row or column to each other. */
struct rc_fft_exchange {
    MPI_Comm comm;
    MPI_Datatype type; /* of an element */
    size_t element;
    int rank, ranks;
    int *sent, *sent_at, *received, *received_at; /* elements, by rank */
    bool even; /* all counts are the same on all ranks: MPI_Alltoall() */
};

/* Collective over 'comm', which is borrowed.  sent[i] and received[i] are elements for
 * and from rank i.  RC_EUNSUPPORTED: MPI cannot count so many elements.
 */
int rc_fft_exchange_init(struct rc_fft_exchange *exchange, MPI_Comm comm,
                         size_t element, const size_t *sent, const size_t *received,
                         struct rc_error *err);
void rc_fft_exchange_fini(struct rc_fft_exchange *exchange); /* accepts a zeroed one */

/* Collective.  A rank's message to itself is copied, by MPI where all messages have one
 * length.  'back': received elements return to where they came from.
 */
void rc_fft_exchange_run(const struct rc_fft_exchange *exchange, const void *out,
                         void *in, bool back);

/* Adds the messages of an exchange to 'work'. */
void rc_fft_exchange_work(const struct rc_fft_exchange *exchange,
                          struct rc_fft_work *work);

/* Memory aligned to pages; free() it.  NULL: no memory, never because of 0 bytes. */
void *rc_fft_memory(size_t bytes);

/* Multiplies real numbers by 'factor'. */
void rc_fft_scale(void *numbers, size_t count, bool single, double factor);

#endif
