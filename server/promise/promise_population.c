/* The table of the population, for promises that compare with everybody who could be in the table. */
#include "promise.h"

/* Which promises need it: "k-map, presence". */
static void put_names(sv_text *out, const json_t *registry) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    size_t i, n = 0;
    json_array_foreach(models, i, model) if (sv_json_is(model, "needs_population"))
        sv_html(out, "%s%s", n++ ? ", " : "", sv_json_text(model, "name"));
}

void sv_population_form(const sv_request *request, sv_text *out, const json_t *registry) {
    const char *file = sv_setting(request->project, "population", 0);
    sv_html(out,
            "<section><details%s><summary><strong>More</strong>: a table of the "
            "population</summary><h2>A table of the population</h2><p>Some promises (",
            file ? " open" : "");
    put_names(out, registry);
    sv_raw(out,
           ") compare with everybody who could be in the table, such as a register. It has the "
           "columns by which somebody could be recognised, under the same names.</p>\n");
    if (file) {
        sv_raw(out, "<p>There is one: ");
        sv_value(out, file);
        sv_raw(out, ". A new one replaces it.</p>\n");
    }
    sv_raw(out, "<form method=\"post\" class=\"drop\" enctype=\"multipart/form-data\" action=\"");
    sv_link(request, out, "promise/population");
    sv_raw(
        out,
        "\"><p><label for=\"population-file\">The file stays on this machine.</label></p>"
        "<p><input type=\"file\" id=\"population-file\" name=\"file\" required></p><p>"
        "<button type=\"submit\" class=\"plain\">Upload</button></p></form></details></section>\n");
}

void sv_promise_population(sv_request *request, sv_reply *reply) {
    const sv_upload *upload = &request->upload;
    sv_project *project = request->project;
    sv_text stored = {0};
    if (!upload->name || upload->size == 0)
        sv_go_wrong(reply, project, "promise",
                    upload->name ? "That file is empty." : "Choose a file first.");
    else if (!sv_project_bring(project, "population-", upload->path, upload->name, &stored) ||
             !sv_set(project, "population", stored.bytes) || !sv_project_save(project))
        sv_go_wrong(reply, project, "promise", "The file could not be kept in the project.");
    else
        sv_go_said(reply, project, "promise",
                   "The table of the population was uploaded. Choose what is promised about it.");
    sv_text_free(&stored);
}
