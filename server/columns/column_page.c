/* Which columns a page shows: a hundred at a time, all of them or those with a part of a name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "columns.h"

static bool is_like(const char *name, const char *find) {
    const size_t n = strlen(find);
    for (const char *at = name; n > 0 && *at; at++)
        if (strncasecmp(at, find, n) == 0)
            return true;
    return n == 0;
}

void sv_column_page_find(const sv_request *request, const json_t *columns, sv_column_page *out) {
    const char *find = sv_field_of(request, "find"), *turn = sv_field_of(request, "turn"),
               *page = turn ? turn : sv_field_of(request, "page");
    const size_t n = json_array_size(columns);
    *out = (sv_column_page){.find = find ? find : "", .is_wide = n > SV_COLUMNS_A_PAGE, .page = 1};
    if (!out->is_wide)
        out->find = "";
    if (out->is_wide && page && strtoul(page, NULL, 10) >= 1)
        out->page = strtoul(page, NULL, 10);
    size_t *found = malloc((n ? n : 1) * sizeof *found);
    if (!found)
        return;
    for (size_t i = 0; i < n; i++)
        if (is_like(sv_json_text(json_array_get(columns, i), "name"), out->find))
            found[out->n_found++] = i + 1;
    out->n_pages = (out->n_found + SV_COLUMNS_A_PAGE - 1) / SV_COLUMNS_A_PAGE;
    out->page = out->page > out->n_pages ? out->n_pages : out->page;
    out->page = out->page < 1 ? 1 : out->page;
    for (size_t i = (out->page - 1) * SV_COLUMNS_A_PAGE;
         i < out->n_found && out->n < SV_COLUMNS_A_PAGE; i++)
        out->numbers[out->n++] = found[i];
    free(found);
}

static void add_turn(sv_text *out, size_t page, const char *words, const sv_column_page *now) {
    if (page >= 1 && page <= now->n_pages && page != now->page)
        sv_html(out, "<button class=\"plain small\" name=\"turn\" value=\"%zu\">%s</button> ", page,
                words);
}

void sv_column_page_links(sv_text *out, const sv_column_page *page, size_t n_columns) {
    if (!page->is_wide)
        return;
    /* what a key sends is the first button of the form: nothing is saved by it */
    sv_html(out,
            "<input type=\"hidden\" name=\"partial\" value=\"yes\"><input type=\"hidden\" "
            "name=\"page\" value=\"%zu\"><div class=\"filter\"><div class=\"entry\"><label "
            "for=\"find\">Part of a name</label><input type=\"search\" id=\"find\" name=\"find\" "
            "value=\"%s\"></div><button class=\"plain\" name=\"turn\" value=\"1\">Find</button>"
            "</div><p class=\"row-links\"><span>",
            page->page, page->find);
    if (page->n > 0) {
        sv_raw(out, "Columns ");
        sv_count(out, (page->page - 1) * SV_COLUMNS_A_PAGE + 1);
        sv_raw(out, " to ");
        sv_count(out, (page->page - 1) * SV_COLUMNS_A_PAGE + page->n);
        sv_raw(out, " of ");
    }
    sv_count(out, page->n_found);
    if (page->n_found < n_columns) {
        sv_raw(out, " that have it in their name, of ");
        sv_count(out, n_columns);
    }
    sv_raw(out, "</span> <span>");
    if (page->page > 2)
        add_turn(out, 1, "First", page);
    add_turn(out, page->page - 1, "Previous", page);
    add_turn(out, page->page + 1, "Next", page);
    if (page->page + 1 < page->n_pages)
        add_turn(out, page->n_pages, "Last", page);
    sv_raw(out, "</span></p><p class=\"hint\">Turning the page keeps what you chose, and saves "
                "nothing. Columns of pages that you have not looked at stay as they are.</p>");
}
