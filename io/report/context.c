/* What the sections of the page share: kinds and suites of its files, and figures. */
#include "io/report/parts.h"
