#include "engine/library.h"

#include <dlfcn.h>
#include <string.h>

static void *open_any(const kan_library_plan *plan) {
    void *library = NULL;
    /* What it started may still run, so it is never unloaded. */
    for (size_t i = 0; !library && i < sizeof plan->files / sizeof *plan->files; i++)
        if (plan->files[i])
            library = dlopen(plan->files[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    return library;
}

kan_status kan_library_load(kan_run *run, const kan_library_plan *plan) {
    void *library = open_any(plan);
    if (!library)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s needs the library %s, and it was not found; install it (on Debian: apt "
                        "install %s)",
                        plan->what, plan->files[0], plan->package);
    const char *missing = NULL;
    for (size_t i = 0; i < plan->n && !missing; i++) {
        void *found = dlsym(library, plan->names[i]);
        missing = found ? NULL : plan->names[i];
        memcpy((char *)plan->calls + i * sizeof found, &found, sizeof found);
    }
    (void)dlclose(library);
    if (missing)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: the library %s has no %s; install a newer one (on Debian: apt install "
                        "%s)",
                        plan->what, plan->files[0], missing, plan->package);
    return KAN_OK;
}
