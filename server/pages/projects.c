/* The start page: projects that are there, and a form that makes a new one of a file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"
#include "server/projects/projects.h"
#include "table_parts.h"

/* ---- the list ------------------------------------------------------------------------------- */

/* The rows of the table, as far as it was looked at; that of a very wide table is not read for it. */
static void add_rows(sv_text *out, const sv_project *project) {
    enum { MOST = 2 << 20 };
    sv_text path = {0};
    size_t size = 0;
    char *text = sv_project_path(project, "work/profile.json", &path)
                     ? sv_file_read(path.bytes, MOST, &size)
                     : NULL;
    json_t *profile = text ? json_loadb(text, size, 0, NULL) : NULL;
    const uint64_t rows = sv_json_count(json_object_get(profile, "input"), "rows");
    if (rows > 0)
        sv_count(out, rows);
    json_decref(profile);
    free(text);
    sv_text_free(&path);
}

/* When something was last chosen, where the user is. */
static void add_date(sv_text *out, const sv_project *project) {
    sv_text path = {0};
    struct stat seen;
    struct tm when;
    char text[32] = "";
    if (sv_project_path(project, "kanon.yaml", &path) && stat(path.bytes, &seen) == 0 &&
        localtime_r(&seen.st_mtim.tv_sec, &when))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &when);
    sv_html(out, "%s", text);
    sv_text_free(&path);
}

static const char *how_far(const sv_project *project) {
    if (project->error)
        return "the job file cannot be read";
    if (sv_release_is_any(project))
        return "released";
    if (project->tables)
        return "not released yet";
    if (!sv_setting(project, "qi", 0))
        return "columns are to be chosen";
    return sv_setting(project, "k", 0) ? "promise chosen" : "columns chosen, a promise is missing";
}

static void add_project(const sv_request *request, sv_text *out, const char *name) {
    sv_project *project = sv_project_open(request->server, name);
    if (!project)
        return;
    const char *input = project->error ? NULL : sv_setting(project, "input", 0);
    sv_text shown = {0};
    if (project->tables)
        sv_print(&shown, "%zu tables that belong together", kan_job_n_tables(project->tables));
    else if (input)
        sv_raw(&shown, sv_input_name(project));
    sv_html(out,
            "<tr><th scope=\"row\"><a href=\"/p/%s/%s\">%s</a></th><td class=\"v\">%s</td><td "
            "class=\"n\">",
            name, project->tables ? "tables" : "table", name, shown.bytes ? shown.bytes : "");
    sv_text_free(&shown);
    add_rows(out, project);
    sv_html(out, "</td><td>%s</td><td class=\"k\">", how_far(project));
    add_date(out, project);
    sv_html(
        out,
        "</td><td><details class=\"delete\"><summary>Delete<span class=\"off\"> %s</span></summary>"
        "<form method=\"post\" action=\"/p/%s/delete\"><p>This deletes the table, its "
        "hierarchies and all releases of the project from this machine.</p>"
        "<button class=\"stop\">Delete %s</button></form></details></td></tr>\n",
        name, name, name);
    sv_project_close(project);
}

static void add_list(const sv_request *request, sv_text *out, char **names, size_t n) {
    sv_raw(out,
           "<section aria-labelledby=\"old\"><h2 id=\"old\">Continue with</h2>\n"
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Projects\"><table>"
           "<thead><tr><th scope=\"col\">project</th><th scope=\"col\">table</th><th "
           "scope=\"col\" class=\"n\">rows</th><th scope=\"col\">how far it is</th><th "
           "scope=\"col\">last changed</th><th scope=\"col\"><span class=\"off\">delete</span>"
           "</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++)
        add_project(request, out, names[i]);
    sv_raw(out, "</tbody></table></div></section>\n");
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_ways(sv_text *out) {
    sv_raw(
        out,
        "<p class=\"lead\">kanon turns a table of people into one that can be published: everybody "
        "hides in a crowd that cannot be told apart, and as little is changed as that allows. "
        "You go through six pages, from the table to a release that was counted again, and "
        "nothing leaves this machine.</p>\n<div class=\"two\"><div>"
        "<section aria-labelledby=\"new\"><h2 id=\"new\">Open a table</h2>\n"
        "<form method=\"post\" action=\"/projects\" enctype=\"multipart/form-data\" "
        "class=\"drop\">\n"
        "<p><label for=\"file\">A file with one row per person or visit: CSV, Excel, SPSS, "
        "Stata, SAS, Parquet or JSON lines. It stays on this machine.</label></p>\n"
        "<p><input type=\"file\" id=\"file\" name=\"file\" required></p>\n"
        "<p><button>Open</button></p>\n</form><p class=\"hint\">A table in a database is not "
        "opened "
        "here: no page connects to anything. <code>kanon anonymize</code> takes its address, and "
        "its "
        "rows stay there (<a "
        "href=\"/manual/databases.html\">databases</a>).</p></section>\n</div><div>"
        "<section aria-labelledby=\"try\"><h2 id=\"try\">Or look around first</h2><p>An invented "
        "census of 30,162 people, with roles, hierarchies and a promise chosen.</p>"
        "<form method=\"post\" action=\"/projects\"><p><button class=\"plain\" name=\"demo\" "
        "value=\"yes\">Try it with a built-in table</button></p></form></section></div></div>\n");
}

void sv_projects(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    char **names;
    const size_t n = sv_project_names(request->server, &names);
    sv_page_begin(request, out, n ? "Projects" : "Start with a table", NULL);
    add_ways(out);
    if (n)
        add_list(request, out, names, n);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    sv_page_end(request, out);
}

/* The built-in table, filled in; the one that is there, where there is one. */
static void begin_demo(const sv_request *request, sv_reply *reply) {
    sv_text error = {0};
    char *name = NULL;
    if (sv_first_of_demo(request->server, sv_tasks_program(sv_server_tasks(request->server)), &name,
                         &error))
        sv_redirect(reply, "/p/%s/table", name);
    else
        sv_refuse(request, reply, 507, "%s", error.bytes ? error.bytes : "Out of memory.");
    free(name);
    sv_text_free(&error);
}

/* Whether a file with these first bytes cannot hold rows as text: NUL bytes, but for UTF-16, where every second byte may
 * be one; or a document for readers. Compressed files are looked into later. */
static bool is_no_text(const unsigned char *bytes, size_t size) {
    size_t n[2] = {0, 0};
    if (size >= 5 && memcmp(bytes, "%PDF-", 5) == 0)
        return true;
    if (size >= 4 &&
        (memcmp(bytes, "\x1f\x8b", 2) == 0 || memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0))
        return false;
    for (size_t i = 0; i < size; i++)
        n[i % 2] += bytes[i] == 0;
    return n[0] > 0 && n[1] > 0;
}

/* Whether an upload is neither text nor called like anything else that is read: no project is made of it. */
static bool is_no_table(const sv_upload *upload) {
    unsigned char bytes[4096];
    if (strcmp(kan_path_format(upload->name), kan_path_format("x.csv")) != 0)
        return false;
    FILE *file = fopen(upload->path, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        (void)fclose(file);
    return is_no_text(bytes, size);
}

void sv_projects_new(sv_request *request, sv_reply *reply) {
    const sv_upload *upload = &request->upload;
    const char *title = sv_field_of(request, "title");
    sv_text error = {0};
    char *name = NULL;
    if (sv_field_of(request, "demo")) {
        begin_demo(request, reply);
        return;
    }
    if (!upload->name) {
        sv_redirect(reply, "/?wrong=Choose%%20a%%20file%%20first.");
        return;
    }
    if (upload->size == 0) {
        sv_redirect(reply, "/?wrong=That%%20file%%20is%%20empty.");
        return;
    }
    if (sv_ends_with(upload->name, ".deid")) {
        sv_redirect(reply, "/?wrong=That%%20is%%20a%%20project%%20of%%20ARX:%%20make%%20a%%"
                           "20folder%%20of%%20it%%20with"
                           "%%20kanon%%20import%%20FILE%%20-o%%20FOLDER,%%20and%%20upload%%20the%%"
                           "20table%%20in%%20it."
                           "%%20Nothing%%20was%%20kept%%20of%%20it.");
        return;
    }
    if (is_no_table(upload)) {
        sv_redirect(reply, "/?wrong=That%%20file%%20is%%20no%%20table:%%20it%%20is%%20not%%20text,"
                           "%%20and%%20its%%20ending%%20names%%20no%%20other%%20format%%20of%%20"
                           "tables.%%20Nothing%%20was%%20kept%%20of%%20it.");
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
