/* The pages. Each is one file: a handler for GET, which makes the whole page, and handlers for POST,
 * which change the project or start a task and then send the browser to a page (303). Everything
 * works as plain forms; web/kanon.js adds what must be live. */
#ifndef KANON_SERVER_PAGES_PAGES_H
#define KANON_SERVER_PAGES_PAGES_H

#include "column_roles.h"
#include "found.h"
#include "hierarchy_parts.h"
#include "request.h"
#include "server/projects/projects.h"
#include "table_parts.h"
#include "values.h"

/* ---- frame.c -------------------------------------------------------------------------------- */

/* Head, navigation and the title of a page; `active` is the step that it belongs to ("table",
 * "columns", "hierarchies", "promise", "explore", "release"), or NULL; of a step with several pages
 * that page ("attack", "utility", "history"). */
void sv_page_begin(const sv_request *request, sv_text *out, const char *title, const char *active);
void sv_page_end(const sv_request *request, sv_text *out);

/* How a task stands, live: a progress bar and a button to stop it while it runs (the page is loaded
 * anew when it ends), the error when it failed; nothing when it is done or never was. */
void sv_page_task(const sv_request *request, sv_text *out, const char *kind);

/* The command line of this step, in a box that can be copied. */
void sv_page_command(sv_text *out, const sv_project *project, const char *const *words);

/* The job file as it is: what was chosen so far, for `kanon anonymize --job kanon.yaml`. */
void sv_page_job(sv_text *out, const sv_project *project);

/* A message on top of the page after a redirect: fields `said` (good news) and `wrong`. */
void sv_page_messages(const sv_request *request, sv_text *out);

/* <form method=post action=/p/NAME/PAGE>; closed by </form>. */
void sv_form(const sv_request *request, sv_text *out, const char *page);
/* The link to a page of the project: /p/NAME/PAGE, as an attribute's text. */
void sv_link(const sv_request *request, sv_text *out, const char *page);

/* Back to a page of the project, with an error in red on top. */
void sv_go_wrong(sv_reply *reply, const sv_project *project, const char *page, const char *wrong);
void sv_go_said(sv_reply *reply, const sv_project *project, const char *page, const char *said);

/* A page that says what is wrong (400, 404, 409, 413, 500), with a way back. */
void sv_refuse(const sv_request *request, sv_reply *reply, unsigned status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A quasi-identifier becomes a column that is left out, in memory. */
bool sv_quasi_leave_out(sv_project *project, const char *name);

/* ---- handlers ------------------------------------------------------------------------------- */

void sv_projects(sv_request *request, sv_reply *reply);         /* GET  /                        */
void sv_projects_new(sv_request *request, sv_reply *reply);     /* POST /projects                */
void sv_projects_delete(sv_request *request, sv_reply *reply);  /* POST /p/NAME/delete           */
void sv_table(sv_request *request, sv_reply *reply);            /* GET  /p/NAME/table            */
void sv_table_change(sv_request *request, sv_reply *reply);     /* POST /p/NAME/table            */
void sv_hierarchies(sv_request *request, sv_reply *reply);      /* GET  /p/NAME/hierarchies      */
void sv_hierarchy(sv_request *request, sv_reply *reply);        /* GET  /p/NAME/hierarchies/N    */
void sv_hierarchy_change(sv_request *request, sv_reply *reply); /* POST /p/NAME/hierarchies/N  */
void sv_hierarchy_preview(sv_request *request,
                          sv_reply *reply); /* POST .../hierarchies/N/preview */
void sv_hierarchy_file_get(sv_request *request, sv_reply *reply); /* GET .../hierarchies/N/file */
void sv_task_page(sv_request *request, sv_reply *reply);    /* GET  /p/NAME/tasks/KIND       */
void sv_task_events(sv_request *request, sv_reply *reply);  /* GET  /p/NAME/tasks/KIND/events */
void sv_task_stop_it(sv_request *request, sv_reply *reply); /* POST /p/NAME/tasks/KIND/stop  */

#endif
