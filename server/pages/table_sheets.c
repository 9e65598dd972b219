/* Which sheet of a workbook is the table: all of them with their sizes, as a choice. A name that no form carries
 * as it is (blank, many lines, twice in the workbook) is chosen by its number. */
#include <inttypes.h>
#include <string.h>

#include "pages.h"
#include "table_parts.h"

enum { MOST_SHEETS = 200, LONGEST_NAME = 200 };

static bool is_carried(const json_t *sheets, size_t at) {
    const char *name = sv_json_text(json_array_get(sheets, at), "name");
    const size_t size = strlen(name);
    if (size == 0 || size > LONGEST_NAME || !name[strspn(name, " \t")])
        return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] < ' ')
            return false;
    for (size_t i = 0; i < at; i++)
        if (strcmp(sv_json_text(json_array_get(sheets, i), "name"), name) == 0)
            return false;
    return true;
}

static void add_sheet(sv_text *out, const json_t *sheets, size_t at) {
    const json_t *sheet = json_array_get(sheets, at);
    const uint64_t rows = sv_json_count(sheet, "rows"), columns = sv_json_count(sheet, "columns");
    if (is_carried(sheets, at))
        sv_html(out, "<option value=\"%s\"", sv_json_text(sheet, "name"));
    else
        sv_html(out, "<option value=\"%zu\"", at + 1);
    sv_raw(out, sv_json_is(sheet, "read") ? " selected>" : ">");
    sv_value_plain(out, sv_json_text(sheet, "name"));
    sv_raw(out, " (");
    if (rows > 0) {
        sv_count_of(out, rows - 1, "row", "rows");
        sv_raw(out, ", ");
        sv_count_of(out, columns, "column", "columns");
    } else {
        sv_raw(out, "it does not say its size");
    }
    sv_raw(out, sv_json_is(sheet, "hidden") ? ", hidden)</option>\n" : ")</option>\n");
}

void sv_table_sheets(const sv_request *request, sv_text *out, const json_t *profile) {
    const json_t *sheets = json_object_get(profile, "sheets");
    const size_t n = json_array_size(sheets);
    if (n < 2)
        return;
    sv_raw(out, "<section id=\"sheets\"><h2>Which sheet is the table</h2>");
    sv_form(request, out, "table");
    sv_html(out,
            "<p class=\"entry\"><label for=\"s-sheet\">This workbook has %zu sheets</label><select "
            "id=\"s-sheet\" name=\"sheet\" aria-describedby=\"h-s-sheet\">\n",
            n);
    for (size_t i = 0; i < n && i < MOST_SHEETS; i++)
        add_sheet(out, sheets, i);
    sv_raw(out, "</select> <button name=\"action\" value=\"read\">Read this sheet</button></p>"
                "<p class=\"hint\" id=\"h-s-sheet\">Sizes without the row of the names; of sheets "
                "that are not read, as the workbook says them.");
    if (n > MOST_SHEETS)
        sv_html(out, " The first %d; the others by their names, under how the table is read.",
                (int)MOST_SHEETS);
    sv_raw(out, "</p></form></section>");
}

/* Whether files of its kind have sheets, by the registry. */
static bool has_sheets(const sv_project *project) {
    const char *format = sv_setting(project, "format", 0),
               *title = kan_path_format(sv_input_name(project));
    json_t *registry = sv_registry(project);
    const json_t *source, *option;
    bool has = false;
    size_t i, j;
    json_array_foreach(json_object_get(registry, "sources"), i, source) {
        if (strcmp(sv_json_text(source, format ? "name" : "title"), format ? format : title) != 0)
            continue;
        json_array_foreach(json_object_get(source, "options"), j, option) has =
            has || strcmp(sv_json_text(option, "name"), "sheet") == 0;
    }
    json_decref(registry);
    return has;
}

void sv_table_other_sheet(const sv_request *request, sv_text *out) {
    const char *sheet = sv_setting(request->project, "sheet", 0);
    if (!has_sheets(request->project))
        return;
    sv_raw(out, "<section id=\"sheets\"><h2>Which sheet is the table</h2>");
    sv_form(request, out, "table");
    sv_html(out,
            "<p class=\"entry\"><label for=\"s-sheet\">Read another sheet of this workbook: its "
            "name, or its number from 1 on</label><input id=\"s-sheet\" name=\"sheet\" "
            "value=\"%s\"> <button name=\"action\" value=\"read\">Read this "
            "sheet</button></p></form></section>",
            sheet ? sheet : "");
}
