/* test.h - what every cmocka test includes, in the order cmocka wants */
#ifndef RC_TESTS_LIB_TEST_H
#define RC_TESTS_LIB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
