#include "solve/result.h"

const char *const rc_class_names[] = {"invalid", "dead",  "irrelevant", "noisy",
                                      "steady",  "exact", NULL};
const char *const rc_use_names[] = {
    "none", "outside the basis", "impure", "dependent", "chosen", NULL};
const char *const rc_metric_verdict_names[] = {
    "not on this machine", "approximate", "defined", "rejected", "not known", NULL};
