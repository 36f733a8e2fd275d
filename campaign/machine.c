#include "campaign/machine.h"

#include <hwloc.h>
