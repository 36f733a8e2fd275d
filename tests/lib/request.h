/* request.h - requests of tests that care for the geometry alone */
#ifndef RC_TESTS_LIB_REQUEST_H
#define RC_TESTS_LIB_REQUEST_H

#include "kernels/request.h"

/* A request with that geometry, in automatic storage of the block around it. */
#define REQUEST(of) (&(struct rc_suite_request){.geometry = *(of)})

#endif
