/* stream.h - what tests see of the suite 'stream' */
#ifndef RC_KERNELS_STREAM_STREAM_H
#define RC_KERNELS_STREAM_STREAM_H

#include "kernels/kernel.h"
#include "kernels/stream/stream_loops.h"

extern const struct rc_suite rc_suite_stream;

/* The loops of the widest vectors that the request and this CPU have. */
const struct rc_stream_loops *
rc_stream_loops_for(const struct rc_suite_request *request);

/* The operands of a kernel. */
struct rc_stream_work *rc_stream_work_of(struct rc_kernel *kernel);

#endif
