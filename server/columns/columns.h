/* The door of server/columns: the page on which each column gets its role.
 *
 * A wide table has several pages of columns, and one form: what was chosen on a page is kept as a draft when
 * another page is asked for, and nothing of it is a setting before it is saved. */
#ifndef KANON_SERVER_COLUMNS_COLUMNS_H
#define KANON_SERVER_COLUMNS_COLUMNS_H

#include "server/pages/pages.h"

/* ---- what the form said ---------------------------------------------------------------------- */

enum { SV_COLUMNS_A_PAGE = 100 };

/* Fields by name, "role-12" and the like: of this request, and of pages that were turned before. */
typedef struct sv_draft {
    json_t *fields;
    uint64_t stamp;  /* of the columns that it is about */
    bool is_partial; /* the form shows some of the columns alone */
} sv_draft;

/* What a request says, and what is kept of other pages of the same table. */
void sv_draft_open(const sv_request *request, const json_t *columns, sv_draft *out);
void sv_draft_close(sv_draft *draft);
/* Keeps it for the other pages. */
bool sv_draft_keep(const sv_request *request, const sv_draft *draft);
void sv_draft_drop(const sv_project *project);
/* A field of a column; NULL: it was not said. Where `role` was not said of a column, nothing was. */
const char *sv_draft_of(const sv_draft *draft, const char *field, size_t number);
/* A field that is about the whole table, such as `person`; NULL: it was not said. */
const char *sv_draft_whole(const sv_draft *draft, const char *field);

/* ---- drawing --------------------------------------------------------------------------------- */

/* The page again, with what the form said; `wrong`: what is wrong with it, or NULL. */
void sv_columns_show(sv_request *request, sv_reply *reply, const char *wrong);
/* What the roles mean for the combinations that single people out; by number of column, from 0. */
void sv_columns_together(sv_text *out, const json_t *profile, const char *const *roles);
/* What the rule found that the job names, if it names one. */
void sv_columns_rule(sv_text *out, const json_t *profile);
/* What speaks against the role that is chosen, if anything. */
void sv_column_doubt(sv_text *out, const json_t *column, size_t number, const char *role);
/* The columns of the page that is asked for, by a part of their name perhaps: numbers from 1 on, ascending,
 * as many as are returned. */
typedef struct sv_column_page {
    size_t numbers[SV_COLUMNS_A_PAGE], n;
    size_t page, n_pages, n_found; /* from 1 */
    const char *find;              /* "" for all columns */
    bool is_wide;                  /* there are several pages */
} sv_column_page;
void sv_column_page_find(const sv_request *request, const json_t *columns, sv_column_page *out);
/* The search and the buttons that turn the page. */
void sv_column_page_links(sv_text *out, const sv_column_page *page, size_t n_columns);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_columns(sv_request *request, sv_reply *reply);        /* GET  /p/NAME/columns */
void sv_columns_change(sv_request *request, sv_reply *reply); /* POST /p/NAME/columns */

#endif
