/* scripts.h - what the scripts of all schedulers have in common, from jobs/scripts */
#ifndef RC_JOBS_SCRIPTS_H
#define RC_JOBS_SCRIPTS_H

extern const char rc_script_head[];
extern const char rc_script_common[];
extern const char rc_script_run[];
extern const char rc_script_deal[];
extern const char rc_script_finish[];

#endif
