/* texts.h - the files of jobs/templates, which the build makes part of the program */
#ifndef RC_JOBS_TEMPLATES_TEXTS_H
#define RC_JOBS_TEMPLATES_TEXTS_H

/* The parts that the scripts of all schedulers share. */
extern const char rc_template_head[];
extern const char rc_template_common[];
extern const char rc_template_run[];
extern const char rc_template_deal[];
extern const char rc_template_finish[];
extern const char rc_template_noise[];
extern const char rc_template_profile[];

/* The parts of each scheduler. */
extern const char rc_template_flux[];
extern const char rc_template_jsrun[];
extern const char rc_template_local[];
extern const char rc_template_lsf[];
extern const char rc_template_pbs[];
extern const char rc_template_sge[];
extern const char rc_template_slurm[];

#endif
