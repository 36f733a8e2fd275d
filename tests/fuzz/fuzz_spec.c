/* Any bytes as a campaign file: refused with one line, or resolved to a file
 * that reads back.
 */
#include "campaign/spec/spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rc_error err = {.text = ""};
    struct rc_spec spec, back;
    char *text;
    size_t bytes;

    if (memchr(data, '@', size))
        return 0; /* would open files */
    if (rc_spec_from_text("fuzz", (const char *)data, size, &spec, &err) != RC_OK) {
        if (!err.text[0] || strchr(err.text, '\n'))
            abort();
        return 0;
    }
    if (rc_spec_text(&spec, &text, &bytes, &err) != RC_OK ||
        rc_spec_from_text("again", text, bytes, &back, &err) != RC_OK)
        abort();
    rc_spec_fini(&back);
    rc_spec_fini(&spec);
    free(text);
    return 0;
}
