/* One command as a child process of the server. */
#ifndef KANON_SERVER_PROJECTS_CHILD_H
#define KANON_SERVER_PROJECTS_CHILD_H

#include <sys/types.h>

#include "text.h"

typedef struct sv_child {
    const char *program;
    const char *folder;       /* where it runs */
    const char *const *words; /* after the program's name; NULL behind the last */
    const char *const *flags; /* behind those */
    const char *output;       /* where its standard output goes, below the folder; NULL: nowhere */
    /* Lines of standard error as they come; the process id when it has begun and 0 when it has
     * ended; and every few seconds while it is silent. */
    void (*on_line)(void *user, const char *line, size_t size);
    void (*on_child)(void *user, pid_t child);
    void (*on_beat)(void *user);
    void *user;
} sv_child;

/* Runs it to its end: its exit status, or 1 with a sentence in `why` where it could not begin or a
 * signal ended it. It is killed when the thread that called this ends. */
int sv_child_run(const sv_child *child, sv_text *why);

#endif
