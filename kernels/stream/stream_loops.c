/* The loops of suite 'stream': compiled for each width of vectors with flags of its own,
 * which CMakeLists.txt sets together with RC_STREAM_BITS.
 */
#include "kernels/stream/stream_loops.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifndef RC_STREAM_BITS /* the file was compiled without CMakeLists.txt */
#define RC_STREAM_BITS 128
#define RC_STREAM_FLAGS "flags unknown"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

typedef double vec __attribute__((vector_size(RC_STREAM_BITS / 8), may_alias));
typedef uint64_t words __attribute__((vector_size(RC_STREAM_BITS / 8)));
enum { LANES = RC_STREAM_BITS / 64 };

/* Stores that go past the caches, and what waits for their end. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(at, value) __builtin_nontemporal_store(value, at)
#endif
#endif
#if !defined(STREAM) && defined(__x86_64__) && RC_STREAM_BITS == 128
#define STREAM(at, value) _mm_stream_pd((double *)(at), value)
#elif !defined(STREAM) && defined(__x86_64__) && RC_STREAM_BITS == 256
#define STREAM(at, value) _mm256_stream_pd((double *)(at), value)
#elif !defined(STREAM) && defined(__x86_64__) && RC_STREAM_BITS == 512
#define STREAM(at, value) _mm512_stream_pd((double *)(at), value)
#endif
#ifdef __x86_64__
#define STREAMED() _mm_sfence()
#else
#define STREAMED() (void)0
#endif

#define PLAIN(at, value) *(at) = (value)

/* No pass is merged with the next one, and none is left out. */
#define PASS_ENDS() __asm__ volatile("" ::: "memory")

/* Every lane, without arithmetic on doubles. */
static inline vec all_lanes(uint64_t bits)
{
    return (vec)((words){0} + bits);
}

/* A loop of four vectors at a time: RC_STREAM_BLOCK is a multiple of them. */
#define LOOP(name, put, ended, step, value)                                            \
    static uint64_t name(struct rc_stream_work *work, uint64_t passes)                 \
    {                                                                                  \
        vec *restrict const a = (vec *)work->a;                                        \
        const vec *const b = (const vec *)work->b, *const c = (const vec *)work->c;    \
        const size_t count = work->elements / LANES;                                   \
        uint64_t bits = work->scale_bits, done = 0;                                    \
                                                                                       \
        (void)b, (void)c;                                                              \
        for (; done < passes; done++, bits += (step)) {                                \
            const vec s = all_lanes(bits);                                             \
            (void)s;                                                                   \
            for (size_t i = 0; i < count; i += 4) {                                    \
                const vec v0 = value(i), v1 = value(i + 1), v2 = value(i + 2),         \
                          v3 = value(i + 3);                                           \
                put(a + i, v0);                                                        \
                put(a + i + 1, v1);                                                    \
                put(a + i + 2, v2);                                                    \
                put(a + i + 3, v3);                                                    \
            }                                                                          \
            PASS_ENDS();                                                               \
        }                                                                              \
        (ended);                                                                       \
        work->scale_bits = bits;                                                       \
        return done;                                                                   \
    }

#define COPY(i) b[i]
#define SCALE(i) (s * b[i])
#define SUM(i) (b[i] + c[i])
#define TRIAD(i) (b[i] + s * c[i])
#define WRITE(i) s
#define UPDATE(i) (s * a[i])

LOOP(copy, PLAIN, (void)0, RC_STREAM_STEP, COPY)
LOOP(scale, PLAIN, (void)0, RC_STREAM_STEP, SCALE)
LOOP(sum, PLAIN, (void)0, RC_STREAM_STEP, SUM)
LOOP(triad, PLAIN, (void)0, RC_STREAM_STEP, TRIAD)
LOOP(write, PLAIN, (void)0, RC_STREAM_STEP, WRITE)
LOOP(update, PLAIN, (void)0, 0, UPDATE)
#ifdef STREAM
LOOP(stream_copy, STREAM, STREAMED(), RC_STREAM_STEP, COPY)
LOOP(stream_scale, STREAM, STREAMED(), RC_STREAM_STEP, SCALE)
LOOP(stream_sum, STREAM, STREAMED(), RC_STREAM_STEP, SUM)
LOOP(stream_triad, STREAM, STREAMED(), RC_STREAM_STEP, TRIAD)
LOOP(stream_write, STREAM, STREAMED(), RC_STREAM_STEP, WRITE)
#define BOTH(name)                                                                     \
    {                                                                                  \
        name, stream_##name                                                            \
    }
#else
#define BOTH(name)                                                                     \
    {                                                                                  \
        name, NULL                                                                     \
    }
#endif

static double lanes_of(vec sum)
{
    double out = 0;

    for (int i = 0; i < LANES; i++)
        out += sum[i];
    return out;
}

/* Adds up a, over all passes: in eight sums, since an addition takes as long as the loads
 * of so many.
 */
static uint64_t read(struct rc_stream_work *work, uint64_t passes)
{
    const vec *const a = (const vec *)work->a;
    const size_t count = work->elements / LANES;
    vec s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    uint64_t done = 0;

    for (; done < passes; done++) {
        for (size_t i = 0; i < count; i += 8) {
            s0 += a[i], s1 += a[i + 1], s2 += a[i + 2], s3 += a[i + 3];
            s4 += a[i + 4], s5 += a[i + 5], s6 += a[i + 6], s7 += a[i + 7];
        }
        PASS_ENDS();
    }
    work->sum = lanes_of(((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)));
    return done;
}

#define NAME_OF(bits) rc_stream_loops_##bits
#define NAME(bits) NAME_OF(bits)

const struct rc_stream_loops NAME(RC_STREAM_BITS) = {
    .vector_bits = RC_STREAM_BITS,
    .made_by = COMPILER ", " RC_STREAM_FLAGS,
    .loop = {[RC_STREAM_COPY] = BOTH(copy),
             [RC_STREAM_SCALE] = BOTH(scale),
             [RC_STREAM_SUM] = BOTH(sum),
             [RC_STREAM_TRIAD] = BOTH(triad),
             [RC_STREAM_READ] = {read, NULL},
             [RC_STREAM_WRITE] = BOTH(write),
             [RC_STREAM_UPDATE] = {update, NULL}},
};
