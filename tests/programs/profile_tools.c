/* A library for test_profile_preload.c with what other tools' functions would do: they
 * count their calls, and say so by what they return.
 */
#include <string.h>

int PAPI_hl_region_begin(const char *name);
int PAPI_hl_region_end(const char *name);
void cali_begin_region(const char *name);
void cali_end_region(const char *name);
int roctxRangePushA(const char *name);
int roctxRangePop(void);
int tools_use(long n);

static int calls, wrong;

int PAPI_hl_region_begin(const char *name)
{
    wrong += strcmp(name, "papi") != 0;
    calls++;
    return 17;
}

int PAPI_hl_region_end(const char *name)
{
    wrong += strcmp(name, "papi") != 0;
    calls++;
    return 18;
}

void cali_begin_region(const char *name)
{
    wrong += strcmp(name, "cali") != 0;
    calls++;
}

void cali_end_region(const char *name)
{
    wrong += strcmp(name, "cali") != 0;
    calls++;
}

int roctxRangePushA(const char *name)
{
    wrong += strcmp(name, "roctx") != 0;
    return calls++;
}

int roctxRangePop(void)
{
    return calls++;
}

/* 0: the tool's own functions were called as often as they should be, and they say what
 * they always do.
 */
int tools_use(long n)
{
    for (long i = 0; i < n; i++) {
        wrong += PAPI_hl_region_begin("papi") != 17;
        cali_begin_region("cali");
        wrong += roctxRangePushA("roctx") != (int)i * 6 + 2;
        wrong += roctxRangePop() != (int)i * 6 + 3;
        cali_end_region("cali");
        wrong += PAPI_hl_region_end("papi") != 18;
    }
    return wrong || calls != (int)n * 6;
}
