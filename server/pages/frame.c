#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "server/projects/projects.h"

/* The walk, and for each step the page of the manual that explains it. */
static const struct {
    const char *page, *title, *help;
} steps[] = {{"table", "Table", "values.html"},
             {"columns", "Columns", "choosing-columns.html"},
             {"hierarchies", "Hierarchies", "hierarchies.html"},
             {"promise", "Promise", "what-it-promises.html"},
             {"explore", "Explore", "choosing-a-method.html"},
             {"release", "Release", "report.html"}};

/* Pages that belong to a step, and the page of the manual about each. */
static const struct {
    const char *page, *step, *help;
} sides[] = {{"attack", "release", "attack.html"},
             {"utility", "release", "utility.html"},
             {"history", "release", "serve.html"}};

/* The step that a page belongs to: itself, where it is none of these. */
static const char *step_of(const char *active) {
    for (size_t i = 0; active && i < sizeof sides / sizeof *sides; i++)
        if (strcmp(active, sides[i].page) == 0)
            return sides[i].step;
    return active;
}

void sv_link(const sv_request *request, sv_text *out, const char *page) {
    sv_html(out, "/p/%s/%s", request->project->name, page);
}

void sv_form(const sv_request *request, sv_text *out, const char *page) {
    sv_raw(out, "<form method=\"post\" action=\"");
    sv_link(request, out, page);
    sv_raw(out, "\">\n");
}

/* Of several tables there is one page. */
static void add_tables_step(const sv_request *request, sv_text *out) {
    sv_raw(out, "<nav aria-label=\"Steps\"><ol class=\"steps\">\n<li><a href=\"");
    sv_link(request, out, "tables");
    sv_raw(out, "\" aria-current=\"page\">Tables</a></li>\n</ol></nav>\n");
}

static void add_steps(const sv_request *request, sv_text *out, const char *active) {
    if (request->project->tables) {
        add_tables_step(request, out);
        return;
    }
    sv_raw(out, "<nav aria-label=\"Steps\"><ol class=\"steps\">\n");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const bool is_here = active && strcmp(step_of(active), steps[i].page) == 0;
        sv_raw(out, "<li><a href=\"");
        sv_link(request, out, steps[i].page);
        sv_raw(out, is_here ? "\" aria-current=\"page\">" : "\">");
        sv_html(out, "%s</a></li>\n", steps[i].title);
    }
    sv_raw(out, "</ol></nav>\n");
}

/* The page of the manual about a step; of what is none, the one about these pages. */
static const char *help_of(const char *active) {
    if (active && strcmp(active, "tables") == 0)
        return "tables.html";
    for (size_t i = 0; active && i < sizeof sides / sizeof *sides; i++)
        if (strcmp(active, sides[i].page) == 0)
            return sides[i].help;
    for (size_t i = 0; active && i < sizeof steps / sizeof *steps; i++)
        if (strcmp(active, steps[i].page) == 0)
            return steps[i].help;
    return "serve.html";
}

void sv_page_begin(const sv_request *request, sv_text *out, const char *title, const char *active) {
    const sv_project *project = request->project;
    sv_raw(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n");
    if (project)
        sv_html(out, "<title>%s – %s – kanon</title>\n", title, project->name);
    else
        sv_html(out, "<title>%s – kanon</title>\n", title);
    sv_raw(out, "<link rel=\"icon\" href=\"/icon.svg\">\n"
                "<link rel=\"stylesheet\" href=\"/style.css\">\n"
                "<script type=\"module\" src=\"/kanon.js\"></script>\n"
                "</head>\n"
                "<body>\n"
                "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
                "<header class=\"top\">\n"
                "<p class=\"kicker\"><a href=\"/\">kanon</a>");
    if (project)
        sv_html(out, " <span class=\"slash\">/</span> %s", project->name);
    sv_html(out,
            " <span class=\"manual-link\"><a href=\"/manual/%s\">Help</a> <a "
            "href=\"/manual/index.html\">Manual</a></span></p>\n",
            help_of(active));
    if (project)
        add_steps(request, out, active);
    sv_html(out, "</header>\n<main id=\"main\">\n<h1>%s</h1>\n", title);
    sv_page_messages(request, out);
}

void sv_page_end(const sv_request *request, sv_text *out) {
    (void)request;
    sv_html(out,
            "</main>\n"
            "<footer><p>kanon %s, on this machine only: nothing leaves it.</p></footer>\n"
            "</body>\n"
            "</html>\n",
            kan_version());
}

void sv_page_messages(const sv_request *request, sv_text *out) {
    const char *said = sv_field_of(request, "said"), *wrong = sv_field_of(request, "wrong");
    /* They come by the address line: shown as text, and short. */
    if (wrong && *wrong)
        sv_html(out, "<p class=\"message wrong\" role=\"alert\">%s</p>\n", wrong);
    if (said && *said)
        sv_html(out, "<p class=\"message said\" role=\"status\">%s</p>\n", said);
}

static void go_with(sv_reply *reply, const sv_project *project, const char *page, const char *name,
                    const char *text) {
    sv_text short_ = {0};
    const size_t n = strlen(text);
    sv_bytes(&short_, text, n > 800 ? 800 : n);
    reply->status = 303;
    reply->location.size = 0;
    sv_print(&reply->location, "/p/%s/%s%c%s=", project->name, page, strchr(page, '?') ? '&' : '?',
             name);
    if (short_.bytes)
        sv_url(&reply->location, short_.bytes);
    sv_text_free(&short_);
}

void sv_go_wrong(sv_reply *reply, const sv_project *project, const char *page, const char *wrong) {
    go_with(reply, project, page, "wrong", wrong);
}

void sv_go_said(sv_reply *reply, const sv_project *project, const char *page, const char *said) {
    go_with(reply, project, page, "said", said);
}

void sv_page_command(sv_text *out, const sv_project *project, const char *const *words) {
    sv_text line = {0};
    sv_print(&line, "cd ");
    sv_shell(&line, project->folder);
    sv_raw(&line, "\nkanon");
    for (size_t i = 0; words[i]; i++) {
        sv_raw(&line, " ");
        sv_shell(&line, words[i]);
    }
    sv_html(out,
            "<details class=\"command\"><summary>The same on the command line</summary>"
            "<pre><code>%s</code></pre></details>\n",
            line.bytes ? line.bytes : "");
    sv_text_free(&line);
}

void sv_page_job(sv_text *out, const sv_project *project) {
    enum { MOST = 64 << 10 }; /* more is looked at in an editor */
    size_t size;
    char *text = sv_project_shown(project, &size);
    if (text && size <= MOST)
        sv_html(out,
                "<details class=\"command\"><summary>The same in the job file</summary>"
                "<pre><code>%s</code></pre></details>\n",
                text);
    free(text);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static void add_running(const sv_request *request, sv_text *out, const char *kind,
                        const sv_task_state *state) {
    json_t *progress = state->progress ? json_loads(state->progress, 0, NULL) : NULL;
    const json_t *share = json_object_get(progress, "share");
    const char *stage = json_string_value(json_object_get(progress, "stage"));
    sv_html(out, "<div class=\"task\" data-task=\"%s\" data-events=\"", kind);
    sv_link(request, out, "tasks");
    sv_html(out, "/%s/events\">\n<p><strong>%s</strong> ", kind, state->title);
    sv_html(out, "<span class=\"stage\" role=\"status\">%s</span></p>\n",
            state->status == SV_WAITING ? "starts soon"
            : stage                     ? stage
                                        : "begins");
    sv_html(out, "<progress aria-label=\"%s\" max=\"1\"", state->title);
    if (json_is_number(share))
        sv_print(out, " value=\"%.4f\"", json_number_value(share));
    sv_raw(out, "></progress>\n");
    sv_raw(out, "<form method=\"post\" action=\"");
    sv_link(request, out, "tasks");
    sv_html(out, "/%s/stop\"><input type=\"hidden\" name=\"back\" value=\"%s\">", kind,
            request->path);
    sv_raw(out, "<button class=\"plain\">Stop</button></form>\n"
                "<noscript><p>Load this page again to see the progress.</p></noscript>\n"
                "</div>\n");
    json_decref(progress);
}

/* Commands speak of flags, pages of fields. */
static void add_error(sv_text *out, const char *error) {
    static const char *const fields[][2] = {
        {"--sheet NAME", "the choice of the sheet"},
        {"--sheet", "the choice of the sheet"},
        {"--missing NAME=...", "the field for missing values"},
        {"--missing", "the field for missing values"},
        {"--date-format", "the field for dates"},
        {"--decimal", "the field for the decimal sign"},
        {"--thousands", "the field for thousands"},
        {"--encoding", "the field for the encoding"},
    };
    enum { N_FIELDS = sizeof fields / sizeof *fields };
    sv_text words = {0};
    for (const char *at = error ? error : ""; *at;) {
        size_t field = 0, size = 0;
        for (; field < N_FIELDS; field++) {
            size = strlen(fields[field][0]);
            const char behind = strncmp(at, fields[field][0], size) == 0 ? at[size] : 'x';
            if (behind != '-' && (behind < 'a' || behind > 'z'))
                break;
        }
        if (field < N_FIELDS) {
            sv_raw(&words, fields[field][1]);
            at += size;
        } else {
            sv_bytes(&words, at++, 1);
        }
    }
    sv_html(out, "%s", words.bytes ? words.bytes : "");
    sv_text_free(&words);
}

void sv_page_task(const sv_request *request, sv_text *out, const char *kind) {
    sv_task_state state;
    sv_task_look(sv_server_tasks(request->server), request->project, kind, &state);
    switch (state.status) {
    case SV_WAITING:
    case SV_RUNNING:
        add_running(request, out, kind, &state);
        break;
    case SV_FAILED:
        sv_html(out, "<div class=\"message wrong\" role=\"alert\"><strong>%s failed.</strong><pre>",
                state.title);
        add_error(out, state.error);
        sv_raw(out, "</pre></div>\n");
        break;
    case SV_STOPPED:
        sv_html(out, "<p class=\"message\" role=\"status\">%s was stopped.</p>\n", state.title);
        break;
    case SV_LOST:
        sv_html(out,
                "<p class=\"message\" role=\"status\">%s was interrupted when the server stopped. "
                "Start it again.</p>\n",
                state.title);
        break;
    case SV_DONE:
    case SV_NONE:
        break;
    }
    sv_task_state_free(&state);
}

/* ---- refusals ------------------------------------------------------------------------------- */

void sv_refuse(const sv_request *request, sv_reply *reply, unsigned status, const char *format,
               ...) {
    sv_text why = {0};
    va_list arguments;
    char room[2048];
    va_start(arguments, format);
    (void)vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    sv_raw(&why, room);
    sv_text_free(&reply->body);
    sv_text_free(&reply->location);
    sv_text_free(&reply->file);
    reply->status = status;
    sv_page_begin(request, &reply->body, "That did not work", NULL);
    sv_html(&reply->body,
            "<section><p role=\"alert\">%s</p><p><a href=\"/\">All projects</a></p></section>\n",
            why.bytes ? why.bytes : "");
    sv_page_end(request, &reply->body);
    sv_text_free(&why);
}
