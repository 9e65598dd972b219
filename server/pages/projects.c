/* The start page: projects that are there, and a form that makes a new one of a file. */
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "server/projects/projects.h"

static void add_project(const sv_request *request, sv_text *out, const char *name) {
    sv_project *project = sv_project_open(request->server, name);
    if (!project)
        return;
    const char *input = project->error ? NULL : sv_setting(project, "input", 0);
    sv_text shown = {0};
    if (project->tables)
        sv_print(&shown, "%zu tables that belong together", kan_job_n_tables(project->tables));
    sv_html(out, "<tr><th scope=\"row\"><a href=\"/p/%s/%s\">%s</a></th><td class=\"v\">%s</td>",
            name, project->tables ? "tables" : "table", name,
            shown.bytes ? shown.bytes
            : input     ? input
                        : "the job file cannot be read");
    sv_text_free(&shown);
    sv_html(out,
            "<td><details class=\"delete\"><summary>Delete<span class=\"off\"> %s</span></summary>"
            "<form method=\"post\" action=\"/p/%s/delete\"><p>This deletes the table, its "
            "hierarchies and all releases of the project from this machine.</p>"
            "<button class=\"stop\">Delete %s</button></form></details></td></tr>\n",
            name, name, name);
    sv_project_close(project);
}

void sv_projects(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    char **names;
    const size_t n = sv_project_names(request->server, &names);
    sv_page_begin(request, out, n ? "Projects" : "Start with a table", NULL);
    sv_raw(out, "<section aria-labelledby=\"new\"><h2 id=\"new\">Open a table</h2>\n"
                "<form method=\"post\" action=\"/projects\" enctype=\"multipart/form-data\" "
                "class=\"drop\">\n"
                "<p><label for=\"file\">A file with one row per person or visit: CSV, Excel, SPSS, "
                "Stata, SAS, Parquet or JSON lines. It stays on this machine.</label></p>\n"
                "<p><input type=\"file\" id=\"file\" name=\"file\" required></p>\n"
                "<p><button>Open</button></p>\n</form></section>\n");
    if (n) {
        sv_raw(out, "<section aria-labelledby=\"old\"><h2 id=\"old\">Continue with</h2>\n"
                    "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">project</th><th "
                    "scope=\"col\">table</th><th scope=\"col\"><span "
                    "class=\"off\">delete</span></th></tr></thead><tbody>\n");
        for (size_t i = 0; i < n; i++) {
            add_project(request, out, names[i]);
            free(names[i]);
        }
        sv_raw(out, "</tbody></table></div></section>\n");
    }
    free(names);
    sv_page_end(request, out);
}

void sv_projects_new(sv_request *request, sv_reply *reply) {
    const sv_upload *upload = &request->upload;
    const char *title = sv_field_of(request, "title");
    sv_text error = {0};
    char *name = NULL;
    if (!upload->name) {
        sv_redirect(reply, "/?wrong=Choose%%20a%%20file%%20first.");
        return;
    }
    if (upload->size == 0) {
        sv_redirect(reply, "/?wrong=That%%20file%%20is%%20empty.");
        return;
    }
    if (sv_project_create(request->server, title ? title : "", upload->path, upload->name, &name,
                          &error))
        sv_redirect(reply, "/p/%s/table", name);
    else
        sv_refuse(request, reply, 507, "%s", error.bytes ? error.bytes : "Out of memory.");
    free(name);
    sv_text_free(&error);
}

void sv_projects_delete(sv_request *request, sv_reply *reply) {
    sv_text error = {0};
    sv_tasks_forget(sv_server_tasks(request->server), request->project);
    if (sv_project_delete(request->server, request->project->name, &error))
        sv_redirect(reply, "/?said=Deleted.");
    else
        sv_refuse(request, reply, 500, "%s", error.bytes ? error.bytes : "Out of memory.");
    sv_text_free(&error);
}
