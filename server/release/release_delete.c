/* Undoing a release is deleting it: its page asks first, and says what cannot be undone. */
#include <stdlib.h>
#include <string.h>

#include "release.h"

static const char *page_of(const sv_project *project) {
    return project->tables ? "tables" : "release";
}

/* Whether the release is entered in a ledger, which goes on counting with it. */
static bool is_in_ledger(const sv_project *project, unsigned number) {
    json_t *result = sv_release_result(project, number);
    const bool is_it = json_is_object(json_object_get(result, "ledger"));
    json_decref(result);
    return is_it;
}

void sv_release_put_delete(const sv_request *request, sv_text *out, unsigned number) {
    char page[48];
    snprintf(page, sizeof page, "release/%u/delete", number);
    sv_html(out, "<details class=\"delete\"><summary>Delete this release</summary>\n");
    sv_form(request, out, page);
    sv_html(out,
            "<p>This deletes the files of release %u from this machine, its reports and its job "
            "file among them, and what was found about it by attacks and comparisons. The table, "
            "your choices and the other releases stay. Whoever has a copy keeps it, and no other "
            "release gets the number %u.</p>\n",
            number, number);
    if (is_in_ledger(request->project, number))
        sv_raw(out,
               "<p class=\"note careful\"><strong>This release is entered in a ledger.</strong> "
               "Deleting its files does not take it out: releases to come are still made as if "
               "everybody had it. If nobody was ever given it, <code>kanon ledger forget</code> "
               "takes it out of the ledger (<a href=\"/manual/over-time.html\">releasing again and "
               "again</a>).</p>\n<p class=\"pick\"><label><input type=\"checkbox\" "
               "name=\"ledger\" value=\"stays\" required> I know that the ledger keeps it"
               "</label></p>\n");
    sv_html(out, "<button class=\"stop\">Delete release %u</button></form></details>\n", number);
}

/* Work that reads or writes files of releases. */
static bool is_any_busy(const sv_request *request) {
    static const char *const kinds[] = {"release", "attack", "utility", "model"};
    bool is_it = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !is_it; i++) {
        sv_task_state state = {0};
        sv_task_look(sv_server_tasks(request->server), request->project, kinds[i], &state);
        is_it = sv_is_busy(&state);
        sv_task_state_free(&state);
    }
    return is_it;
}

unsigned sv_release_number(const char *text) {
    const size_t size = text ? strlen(text) : 0;
    return size > 0 && size < 6 && strspn(text, "0123456789") == size
               ? (unsigned)strtoul(text, NULL, 10)
               : 0;
}

void sv_release_delete_it(sv_request *request, sv_reply *reply) {
    const sv_project *project = request->project;
    const unsigned number = sv_release_number(request->rest[0]);
    const char *ledger = sv_field_of(request, "ledger");
    sv_text said = {0}, wrong = {0};
    if (is_any_busy(request))
        sv_raw(&wrong, "A release is being made, attacked or compared. Wait until that is "
                       "finished, or stop it first.");
    else if (sv_release_is_there(project, number) && is_in_ledger(project, number) &&
             !(ledger && strcmp(ledger, "stays") == 0))
        sv_print(&wrong,
                 "Release %u is entered in a ledger, which keeps it: say that you know, and delete "
                 "it again.",
                 number);
    else
        (void)sv_release_delete(project, number, &wrong);
    sv_print(&said, "Release %u was deleted.", number);
    if (wrong.size > 0 || wrong.failed || said.failed)
        sv_go_wrong(reply, project, page_of(project), wrong.bytes ? wrong.bytes : "Out of memory.");
    else
        sv_go_said(reply, project, page_of(project), said.bytes);
    sv_text_free(&said);
    sv_text_free(&wrong);
}
