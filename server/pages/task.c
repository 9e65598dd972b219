/* A task by itself: how it stands, its stream, and the way to stop it. */
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "server/projects/projects.h"

static bool is_kind(const char *kind) {
    for (const char *at = kind; *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || sv_is_digit(*at) || *at == '-'))
            return false;
    return *kind && strlen(kind) < 200;
}

void sv_task_page(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    sv_task_state state;
    if (!is_kind(request->rest[0])) {
        sv_refuse(request, reply, 404, "There is no such task.");
        return;
    }
    sv_task_look(sv_server_tasks(request->server), request->project, request->rest[0], &state);
    if (state.status == SV_NONE) {
        sv_refuse(request, reply, 404, "There is no such task.");
    } else {
        sv_page_begin(request, out, state.title, NULL);
        sv_raw(out, "<section>\n");
        sv_page_task(request, out, request->rest[0]);
        if (state.status == SV_DONE)
            sv_html(out, "<p>Done in %.1f seconds.</p>\n", state.seconds);
        if (*state.notes)
            sv_html(out, "<pre>%s</pre>\n", state.notes);
        sv_html(out, "<pre><code>%s</code></pre>\n</section>\n", state.commands);
        sv_page_end(request, out);
    }
    sv_task_state_free(&state);
}

void sv_task_events(sv_request *request, sv_reply *reply) {
    if (is_kind(request->rest[0]))
        reply->events =
            sv_task_hold(sv_server_tasks(request->server), request->project, request->rest[0]);
    if (!reply->events)
        sv_refuse(request, reply, 404, "There is no such task.");
}

void sv_task_stop_it(sv_request *request, sv_reply *reply) {
    const char *back = sv_field_of(request, "back");
    sv_text own = {0};
    if (!is_kind(request->rest[0])) {
        sv_refuse(request, reply, 404, "There is no such task.");
        return;
    }
    /* Searches that are let run for their result alone: the best so far is one. */
    const bool keeps_best =
        strcmp(request->rest[0], "release") == 0 || strcmp(request->rest[0], "recodings") == 0;
    sv_task_stop(sv_server_tasks(request->server), request->project, request->rest[0], keeps_best);
    /* Back to the page with the button, if that is one of this project. */
    sv_print(&own, "/p/%s/", request->project->name);
    if (back && !own.failed && strncmp(back, own.bytes, own.size) == 0 && !strchr(back, '\\') &&
        !strpbrk(back, "\r\n"))
        sv_redirect(reply, "%s", back);
    else
        sv_go(reply, request->project, "table");
    sv_text_free(&own);
}
