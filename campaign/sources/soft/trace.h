/* trace.h - stepping through a program from outside, with its children and threads
 *
 * The kernel lets a tracer step each thread of another process (ptrace(2)).  Its
 * instructions are counted by the same counter as code of this process.  Private to the
 * soft source.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_TRACE_H
#define RC_CAMPAIGN_SOURCES_SOFT_TRACE_H

#include "campaign/base/program.h"
#include "campaign/sources/soft/step.h"

/* Lets the program go and counts it from its first instruction to its end, with the
 * stepper's decoder and counter, which the caller has reset.
 */
int rc_soft_trace(struct rc_soft_stepper *stepper, struct rc_program *program,
                  struct rc_followed *out, struct rc_error *err);

#endif
