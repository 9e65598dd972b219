/* The door of server/rows: every row of a table, some at a time, from the file that
 * `kanon profile --all-rows` wrote (src/job/profile/profile_rows.c says how it is laid out). A page of a
 * table of any size costs two short reads. The file may be somebody else's: what it says is believed as
 * far as it can be shown, and no further. */
#ifndef KANON_SERVER_ROWS_ROWS_H
#define KANON_SERVER_ROWS_ROWS_H

#include <jansson.h>
#include <stdint.h>

#include "server/solutions/solutions.h"

typedef struct sv_rows {
    FILE *file;
    json_t *head;
    uint64_t n, of_page; /* rows; and how many stand together */
    uint64_t places;     /* where the places of the pages begin */
} sv_rows;

/* NULL: there is no such file, or it is not whole. */
sv_rows *sv_rows_open(const sv_project *project, const char *relative);
void sv_rows_close(sv_rows *rows);
/* The names of its columns, borrowed. */
const json_t *sv_rows_columns(const sv_rows *rows);
uint64_t sv_rows_pages(const sv_rows *rows);
/* A list of rows, each a list of values; the caller's. NULL: there is no such page. */
json_t *sv_rows_page(const sv_rows *rows, uint64_t page);

/* The page that a request asks for: by the number of a row (`row`, from 1), or by its own. */
uint64_t sv_rows_asked(const sv_request *request, const sv_rows *rows);
/* Links to other pages, and a field for the number of a row. `page` is the path of the page of the
 * project, `anchor` the place on it. */
void sv_rows_links(const sv_request *request, sv_text *out, const sv_rows *rows, uint64_t page,
                   const char *path, const char *anchor);

/* ---- the rows of the table itself ------------------------------------------------------------ */

#define SV_ROWS_FILE "work/rows.txt"

/* The command that writes them, as they stand in the file: `table` and `rows` are paths in the project,
 * table NULL is that of the job. */
void sv_rows_words(sv_words *words, const char *table, const char *rows, const char *json);
/* How they stand; with `starts` they are asked for where they are not there. */
void sv_rows_found(const sv_request *request, bool starts, sv_found *out);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_rows_show(sv_request *request, sv_reply *reply); /* GET /p/NAME/rows */

#endif
