/* All hooks of a launch: of rollcall-main, which has all libraries. */
#include "campaign/profile/launch/launch.h"
#include "campaign/profile/tables/trees.h"
#include "campaign/sources/source.h"

const struct rc_profile_hooks rc_profile_hooks = {
    .find_source = rc_source_find,
    .native = rc_profile_counter_native,
    .plan_metrics = rc_profile_metrics_plan,
    .plan_trees = rc_profile_trees_plan,
    .choose_pass = rc_profile_passes_choose,
    .spread = rc_profile_passes_spread,
};
