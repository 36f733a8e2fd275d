/* A part of each program that is built with sanitizers: libraries stay loaded until its
 * end, so that a leak is told by the names of those that it came from.
 */
int dlclose(void *library);

int dlclose(void *library)
{
    (void)library;
    return 0;
}
