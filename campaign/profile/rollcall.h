/* rollcall.h - names regions of a program for 'rollcall profile'
 *
 *     #include <rollcall.h>
 *
 *     rc_region_begin("solve");
 *     ...
 *     rc_region_end("solve");
 *
 * Nothing is linked: while the program runs under 'rollcall profile' these functions
 * find it, else they return at once.  (C libraries before glibc 2.34 have dlsym(),
 * which finds it, in a library of its own: link with -ldl there.)  With ROLLCALL_OFF
 * defined they are empty.  C99 and C++; any thread may call them.
 *
 * Regions nest, each thread's for itself.  The first 255 bytes of a name count.  An end
 * closes the innermost region of its name with all that is open inside of it; an end
 * that has no beginning is ignored.  Both are counted and said.
 */
#ifndef RC_CAMPAIGN_PROFILE_ROLLCALL_H
#define RC_CAMPAIGN_PROFILE_ROLLCALL_H

#ifdef ROLLCALL_OFF

static inline void rc_region_begin(const char *name)
{
    (void)name;
}

static inline void rc_region_end(const char *name)
{
    (void)name;
}

#else

#include <dlfcn.h>
#include <string.h>

/* Tells the profiler, if it is there, that a region begins (1) or ends (0).  A weak
 * symbol would do without dlsym(), but not in programs at fixed addresses.
 */
static inline void rc_region_tell(const char *name, int begins)
{
    typedef void function(const char *, int);
    static function *kept;
    static int looked;
    function *tell = 0;
    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        void *found = dlsym((void *)0, "rollcall_region"); /* 0: RTLD_DEFAULT */
        memcpy(&tell, &found, sizeof tell);
        __atomic_store_n(&kept, tell, __ATOMIC_RELAXED);
        __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
    }
    tell = __atomic_load_n(&kept, __ATOMIC_RELAXED);
    if (tell)
        tell(name, begins);
}

static inline void rc_region_begin(const char *name)
{
    rc_region_tell(name, 1);
}

static inline void rc_region_end(const char *name)
{
    rc_region_tell(name, 0);
}

#endif
#endif
