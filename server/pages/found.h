/* What a task found: its JSON file, and whether it is of the settings as they are now. */
#ifndef KANON_SERVER_PAGES_FOUND_H
#define KANON_SERVER_PAGES_FOUND_H

#include <jansson.h>

#include "request.h"
#include "server/projects/projects.h"

typedef struct sv_found {
    sv_task_state task;
    json_t *json;    /* NULL: there is none */
    bool is_fresh;   /* done, under the key that was asked for, and there */
    bool is_busy;    /* waits or runs under that key */
    bool has_failed; /* ended under that key, and found nothing that can be shown */
    bool is_large;   /* for that reason */
} sv_found;

void sv_found_open(const sv_request *request, const char *kind, const char *path, const char *key,
                   sv_found *out);
void sv_found_close(sv_found *found);
/* Whether it should be started without being asked: it is not there, and did not fail before. */
bool sv_found_is_wanted(const sv_found *found);

/* ---- the profile ---------------------------------------------------------------------------- */

/* The profile of the table as it is read now; started where it is wanted. */
void sv_found_profile(const sv_request *request, sv_found *out);
bool sv_profile_start(const sv_request *request, sv_text *error);
/* Its columns; NULL: it is not there. */
json_t *sv_found_columns(const sv_found *found);
/* The words after `kanon`, for a box with the command. */
const char *const *sv_profile_words(void);
/* One number for the names of all columns, in order: a form tells by it which table it is of. */
uint64_t sv_columns_stamp(const json_t *columns);

/* Where there is no profile yet: a page that waits for it, or says what went wrong. */
void sv_profile_page(const sv_request *request, sv_text *out, const sv_found *found);

#endif
