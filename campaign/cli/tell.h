/* tell.h - lines for people, on the standard error */
#ifndef RC_CAMPAIGN_CLI_TELL_H
#define RC_CAMPAIGN_CLI_TELL_H

/* "rollcall: LINE".  For commands, that modules below them are given it. */
void rc_tell(const char *line);

#endif
