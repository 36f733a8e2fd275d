/* Reads the records that the kernel puts into the rings of sampled threads: samples,
 * forks, mappings.  Where a sample was, unwind.c finds out; what becomes of it is
 * frames.c's.
 */
#include "campaign/profile/stacks/sampled.h"

/* A sample has words: pid and tid; how many addresses, these; what sort of registers,
 * if any, and they; how many bytes of the stack, these, and how many of them count.
 */
static void take_sample(struct rc_profile_sampling *s,
                        const struct rc_sampled_task *task,
                        const struct perf_event_header *head)
{
    struct rc_profile_frame place[RC_PROFILE_PLACES];
    const uint64_t *word = (const uint64_t *)(head + 1);
    const uint64_t *end = word + (head->size - sizeof *head) / 8;
    struct rc_profile_sample sample = {.address = word + 2};
    enum rc_profile_cut cut;

    if (end - word < 2 || word[1] > (uint64_t)(end - word - 2))
        return;
    struct rc_sampled_process *process = rc_sampled_find(s, (uint32_t)word[0]);
    if (!process)
        return;
    sample.addresses = (size_t)word[1];
    word += 2 + sample.addresses;
    if (s->attr.sample_regs_user && word < end && *word++ == PERF_SAMPLE_REGS_ABI_64 &&
        end - word >= RC_PROFILE_REGISTER_COUNT) {
        sample.registers = word;
        word += RC_PROFILE_REGISTER_COUNT;
    }
    if (word<end && * word> 0 && *word / 8 + 2 <= (uint64_t)(end - word) &&
        word[*word / 8 + 1] <= *word) {
        sample.stack = (const char *)(word + 1);
        sample.stack_bytes = word[*word / 8 + 1];
        sample.filled = sample.stack_bytes == *word;
    }
    const size_t count =
        rc_profile_unwind(&process->mappings, &s->frames.modules, &sample, place, &cut);
    rc_profile_frames_add(&s->frames, task->number, place, count,
                          (head->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
                              PERF_RECORD_MISC_KERNEL,
                          cut, task->period_ns);
}

/* A record of a ring, of which the kernel says that it is whole. */
static void take_record(struct rc_profile_sampling *s,
                        const struct rc_sampled_task *task,
                        const struct perf_event_header *head)
{
    struct rc_sampled_process *process;
    const struct {
        struct perf_event_header head;
        uint32_t pid, other; /* tid, or of a fork the parent's */
        uint64_t at, bytes, offset;
        uint64_t file[3], rights; /* the kernel's number of the file */
        char path[];
    } *of = (const void *)head;

    switch (head->type) {
    case PERF_RECORD_SAMPLE:
        take_sample(s, task, head);
        break;
    case PERF_RECORD_LOST: /* two numbers: the event's and how many */
        s->frames.lost += of->at;
        break;
    case PERF_RECORD_FORK:
        process = rc_sampled_find(s, task->pid);
        if (of->pid != of->other)
            rc_sampled_add(s, of->pid, process ? process->rank : -1);
        else if (process)
            process->scan_ns = 0;
        break;
    case PERF_RECORD_COMM: /* another program has all of the memory */
        process = rc_sampled_find(s, task->pid);
        if (process && (head->misc & PERF_RECORD_MISC_COMM_EXEC))
            process->mappings.count = 0;
        break;
    case PERF_RECORD_MMAP2:
        process = rc_sampled_find(s, task->pid);
        if (process)
            rc_profile_mappings_add(&process->mappings, of->at, of->at + of->bytes,
                                    of->offset, of->path, s->frames.modules.texts);
        break;
    default:
        break;
    }
}

void rc_sampled_read_ring(struct rc_profile_sampling *s, size_t number)
{
    const struct rc_sampled_task task = s->task[number]; /* records may add others */
    const uint64_t end = rc_perf_ring_end(&task.ring);
    const struct perf_event_header *head;
    uint64_t at = task.ring.about->data_tail;

    while ((head = rc_perf_ring_next(&task.ring, end, &at, s->record))) {
        s->task[number].samples += head->type == PERF_RECORD_SAMPLE;
        s->samples += head->type == PERF_RECORD_SAMPLE;
        take_record(s, &task, head);
    }
    rc_perf_ring_free(&task.ring, end);
}
