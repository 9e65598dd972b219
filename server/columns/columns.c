/* The page of the columns: what part each plays, by click. Nothing is decided before it is saved. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

/* What one page of the form is made of. */
typedef struct {
    const sv_request *request;
    const json_t *profile, *columns;
    const sv_parts *parts;
    const sv_draft *draft;
    const char **roles; /* of all columns, as they are chosen now */
    const char **fates; /* and what they come to: a class is released as it is, whatever its role */
    sv_column_page page;
    bool is_new; /* nothing was decided yet */
} form;

/* ---- what is released unchanged ------------------------------------------------------------- */

/* How many rows are alone, and how many of them would not be without the column. */
static void add_alone(sv_text *out, const json_t *column) {
    const json_t *role = json_object_get(column, "role"),
                 *alone = json_object_get(role, "alone_with_quasi_identifiers");
    if (!json_is_integer(alone)) {
        sv_raw(out, ": how many rows it singles out was not counted; a release shows it");
        return;
    }
    sv_raw(out, ": in the raw table ");
    sv_count_of(out, (uint64_t)json_integer_value(alone), "row is", "rows are");
    sv_raw(out, " alone with it and the columns that looked like quasi-identifiers");
    if (json_integer_value(alone) == 0)
        return;
    sv_raw(out, ", ");
    const uint64_t by = sv_json_count(role, "alone_by_it");
    if (by == (uint64_t)json_integer_value(alone))
        sv_raw(out, "all of them because of it");
    else if (by == 0)
        sv_raw(out, "and would be without it, too: it adds none");
    else {
        sv_count(out, by);
        sv_raw(out, " of them because of it");
    }
}

/* Kept, perhaps beside another part that the column plays, or the class. */
static bool is_unchanged(const sv_parts *parts, const char *name) {
    const char *role = sv_parts_role(parts, name);
    return role && (strcmp(role, "class") == 0 || sv_parts_value(parts, "keep", name));
}

enum { MOST_KEPT = 50 };

static void add_kept(const sv_parts *parts, sv_text *out, const json_t *columns) {
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const json_t *column = json_array_get(columns, i);
        const char *name = sv_json_text(column, "name");
        if (!is_unchanged(parts, name))
            continue;
        if (n++ == 0)
            sv_raw(out,
                   "<section class=\"verdict open\"><div><h2>Released unchanged</h2><p>Nothing "
                   "protects these columns. Whoever knows such a value about a person may find the "
                   "row by it. Keep a column only if nobody outside can know its values.</p><ul>");
        if (n > MOST_KEPT)
            continue;
        sv_raw(out, "<li>");
        sv_value(out, name);
        add_alone(out, column);
        sv_raw(out, "</li>");
    }
    if (n > MOST_KEPT)
        sv_html(out, "<li>and %zu more</li>", n - MOST_KEPT);
    if (n > 0)
        sv_html(out, "</ul><p>%s</p></div></section>",
                n > 1 ? "Together they may leave more rows alone than each on its own. A release "
                        "shows how many of its rows are alone with everything that is kept."
                      : "A release shows how many of its rows are alone with what is kept.");
}

/* ---- one column ----------------------------------------------------------------------------- */

static void add_option(sv_text *out, const char *role, const char *label, const char *chosen) {
    sv_html(out, "<option value=\"%s\"%s>%s</option>", role,
            strcmp(chosen, role) == 0 ? " selected" : "", label);
}

static void add_choice(sv_text *out, const char *name, size_t number, const char *chosen) {
    const kan_setting *role;
    sv_html(out, "<label class=\"off\" for=\"role-%zu\">Role of ", number);
    sv_value_plain(out, name);
    sv_html(out, "</label><select id=\"role-%zu\" name=\"role-%zu\">", number, number);
    for (size_t i = 0; (role = sv_role_at(i)) != NULL; i++)
        add_option(out, role->name, role->label, chosen);
    add_option(out, "", "Undecided", chosen);
    sv_raw(out, "</select>");
}

/* How its rows are spread, or its most frequent values. */
static void add_picture(sv_text *out, const json_t *column) {
    enum { MOST = 3 };
    const json_t *bins = json_object_get(column, "bins"), *range = json_object_get(column, "range"),
                 *top = json_object_get(column, "top");
    if (json_is_array(bins) && json_is_object(range)) {
        sv_bins(out, bins, "How the rows are spread between the least and the greatest value");
        sv_raw(out, "<p class=\"range\"><span>");
        sv_value(out, sv_json_text(range, "least"));
        sv_raw(out, "</span><span>");
        sv_value(out, sv_json_text(range, "greatest"));
        sv_raw(out, "</span></p>");
        return;
    }
    sv_raw(out, "<ol class=\"dist\">");
    for (size_t i = 0; i < json_array_size(top) && i < MOST; i++) {
        const json_t *value = json_array_get(top, i);
        sv_raw(out, "<li><span class=\"v\">");
        sv_value(out, sv_json_text(value, "value"));
        sv_raw(out, "</span>");
        sv_bar(out, sv_json_real(value, "share"));
        sv_raw(out, "<span class=\"n\">");
        sv_share(out, sv_json_real(value, "share"));
        sv_raw(out, "</span></li>");
    }
    sv_raw(out, "</ol>");
}

/* Rows that nobody else is like: in this column by itself, and with those that others may know. */
static void add_singled(sv_text *out, const json_t *column) {
    const json_t *role = json_object_get(column, "role"),
                 *alone = json_object_get(role, "alone_with_quasi_identifiers");
    sv_count(out, sv_json_count(column, "unique"));
    if (json_is_integer(alone) && sv_json_count(role, "alone_by_it") > 0) {
        sv_raw(out, "<br><small>");
        sv_count(out, sv_json_count(role, "alone_by_it"));
        sv_raw(out, " more with what others may know</small>");
    }
}

static void add_reason(sv_text *out, const json_t *column) {
    const json_t *role = json_object_get(column, "role");
    const char *reason = sv_json_text(role, "reason"),
               *suggested = sv_json_text(role, "suggestion");
    const bool is_doubtful = strcmp(sv_json_text(role, "certainty"), "perhaps") == 0 &&
                             strcmp(suggested, "undecided") != 0;
    sv_html(out, "<p class=\"soft\">Suggested: <strong>%s</strong>%s%s%s.</p>",
            sv_role_words(suggested), is_doubtful ? ", perhaps" : "", *reason ? ", because " : "",
            reason);
    if (json_is_true(json_object_get(role, "repeats")))
        sv_html(out, "<p class=\"note\">Its values repeat: somebody may have several rows. %s</p>",
                strcmp(sv_json_text(role, "person"), "no") != 0
                    ? "If so, choose it below as the column that identifies the person."
                    : "It cannot identify the person: several people may share a value, or rows "
                      "lack one. Give each person a number.");
}

static void add_kind(sv_text *out, const json_t *column) {
    const uint64_t missing = sv_json_count(column, "missing");
    sv_html(out, "<small>%s, ", sv_json_text(column, "type"));
    sv_count_of(out, sv_json_count(column, "distinct"), "value", "different values");
    if (missing > 0) {
        sv_raw(out, ", missing in ");
        sv_count_of(out, missing, "row", "rows");
    }
    sv_raw(out, "</small>");
}

/* Numbers that are codes are not measured. */
static void add_text_box(const form *f, sv_text *out, const json_t *column, size_t number) {
    const char *type = sv_json_text(column, "type");
    const bool is_read_so = json_is_true(json_object_get(column, "called_text")),
               is_said = sv_draft_of(f->draft, "role", number) != NULL,
               was_text = f->is_new ? is_read_so : sv_is_called_text(f->profile, column),
               is_text = is_said ? sv_draft_of(f->draft, "text", number) != NULL : was_text;
    if (strcmp(type, "text") == 0 && !is_read_so)
        return;
    sv_html(out,
            "<p><label><input type=\"checkbox\" name=\"text-%zu\" value=\"yes\"%s> <span>Text: "
            "its values are codes, not numbers or dates</span></label></p>",
            number, is_text ? " checked" : "");
}

/* Numbers and dates that are kept or sensitive can be made rougher without a hierarchy. */
static void add_treatment(const form *f, sv_text *out, const json_t *column, size_t number) {
    const sv_parts *parts = f->parts;
    const char *type = sv_json_text(column, "type"), *name = sv_json_text(column, "name");
    const bool is_number = strcmp(type, "number") == 0;
    const char *step = sv_parts_value(parts, "round", name),
               *cap = sv_parts_value(parts, "cap", name), *dots = cap ? strstr(cap, "..") : NULL,
               *new_step = sv_draft_of(f->draft, "round", number),
               *new_low = sv_draft_of(f->draft, "low", number),
               *new_high = sv_draft_of(f->draft, "high", number);
    const bool is_new = (new_step && *new_step) || (new_low && *new_low) || (new_high && *new_high);
    sv_text low = {0};
    if (!is_number && strcmp(type, "date") != 0)
        return;
    if (dots)
        sv_bytes(&low, cap, (size_t)(dots - cap));
    sv_html(out,
            "<details%s><summary>Round or cap its values</summary><div class=\"fields small\">",
            step || cap || is_new ? " open" : "");
    if (is_number)
        sv_html(out,
                "<div class=\"field\"><label for=\"round-%zu\">Round to the nearest multiple of"
                "</label><input id=\"round-%zu\" name=\"round-%zu\" inputmode=\"decimal\" "
                "value=\"%s\"></div>",
                number, number, number,
                new_step ? new_step
                : step   ? step
                         : "");
    sv_html(out,
            "<div class=\"field\"><label for=\"low-%zu\">Show what is below</label><input "
            "id=\"low-%zu\" name=\"low-%zu\" value=\"%s\"></div>"
            "<div class=\"field\"><label for=\"high-%zu\">Show what is at or above</label><input "
            "id=\"high-%zu\" name=\"high-%zu\" value=\"%s\"></div></div>"
            "<p class=\"hint\">For columns that are kept or sensitive. Extreme values, such as an "
            "age of 103, single people out: at or above 90 shows all of them as &gt;=90.</p>"
            "</details>",
            number, number, number,
            new_low     ? new_low
            : low.bytes ? low.bytes
                        : "",
            number, number, number,
            new_high ? new_high
            : dots   ? dots + 2
                     : "");
    sv_text_free(&low);
}

/* The role that is chosen: by the form, by the settings, or, before anything was decided, by suggestion. */
static const char *role_of(const form *f, size_t number) {
    const json_t *column = json_array_get(f->columns, number - 1);
    const char *name = sv_json_text(column, "name"), *said = sv_draft_of(f->draft, "role", number),
               *role = sv_parts_role(f->parts, name);
    const bool is_kept =
        role && strcmp(role, "sampling-weight") == 0 && sv_parts_value(f->parts, "keep", name);
    const char *chosen = said        ? said
                         : f->is_new ? sv_suggested_role(column)
                         : is_kept   ? "keep"
                         : role      ? role
                                     : "";
    return sv_role_is_choice(chosen) ? chosen : "";
}

/* What the role comes to: the class is released as it is. */
static const char *fate_of(const form *f, size_t number) {
    const char *name = sv_json_text(json_array_get(f->columns, number - 1), "name"),
               *said = sv_draft_whole(f->draft, "class"),
               *class = sv_setting(f->request->project, "class", 0);
    const bool is_class = said    ? strtoul(said, NULL, 10) == number
                          : class ? strcmp(class, name) == 0
                                  : false;
    return is_class ? "keep" : f->roles[number - 1];
}

static void add_column(const form *f, sv_text *out, size_t number) {
    const json_t *column = json_array_get(f->columns, number - 1);
    const char *name = sv_json_text(column, "name"), *role = sv_parts_role(f->parts, name),
               *chosen = f->roles[number - 1];
    const bool is_weight = role && strcmp(role, "sampling-weight") == 0;
    sv_raw(out, "<tr><th scope=\"row\"><strong>");
    sv_value(out, name);
    sv_raw(out, "</strong><br>");
    add_kind(out, column);
    sv_raw(out, "</th><td class=\"picture-of\">");
    add_picture(out, column);
    sv_raw(out, "</td><td class=\"n\" data-what=\"rows with a value of their own\">");
    add_singled(out, column);
    sv_raw(out, "</td><td class=\"role\">");
    add_choice(out, name, number, chosen);
    add_text_box(f, out, column, number);
    add_treatment(f, out, column, number);
    sv_raw(out, "</td><td>");
    sv_column_doubt(out, column, number, f->fates[number - 1]);
    add_reason(out, column);
    if (role && !sv_role_is_choice(role))
        sv_html(out, "<p class=\"note\">Now: %s. %s</p>", sv_role_words(role),
                is_weight ? "Of what is chosen here only Keep unchanged has an effect."
                          : "What is chosen here has no effect.");
    sv_raw(out, "</td></tr>\n");
}

/* ---- class and person ----------------------------------------------------------------------- */

/* Whether a column can say whose a row is: what the table tells, or what was decided of it. A name
 * never can: several people have the same. */
static bool is_person(const sv_parts *parts, const json_t *column) {
    const json_t *role = json_object_get(column, "role");
    const char *word = sv_json_text(role, "person"),
               *decided = sv_parts_role(parts, sv_json_text(column, "name"));
    const bool is_id = strcmp(sv_json_text(role, "suggestion"), "id") == 0;
    return strcmp(word, "no") != 0 || (!is_id && decided && strcmp(decided, "id") == 0);
}

static bool is_suggested_person(const json_t *column) {
    return strcmp(sv_json_text(json_object_get(column, "role"), "person"), "suggested") == 0;
}

static bool is_shown(const sv_column_page *page, size_t number) {
    for (size_t i = 0; i < page->n; i++)
        if (page->numbers[i] == number)
            return true;
    return !page->is_wide;
}

/* Of a wide table the columns of this page, and the one that is chosen. */
static void add_select(const form *f, sv_text *out, const char *setting, const char *label,
                       const char *hint) {
    const bool is_of_person = strcmp(setting, "person") == 0;
    const char *chosen = sv_setting(f->request->project, setting, 0),
               *new_one = sv_draft_whole(f->draft, setting);
    sv_html(out,
            "<div class=\"field\"><label for=\"s-%s\">%s</label><select id=\"s-%s\" name=\"%s\" "
            "aria-describedby=\"h-%s\"><option value=\"\">none</option>",
            setting, label, setting, setting, setting);
    for (size_t i = 0; i < json_array_size(f->columns); i++) {
        const json_t *column = json_array_get(f->columns, i);
        const char *name = sv_json_text(column, "name");
        const bool is_chosen = new_one  ? strtoul(new_one, NULL, 10) == i + 1
                               : chosen ? strcmp(chosen, name) == 0
                                        : f->is_new && is_of_person && is_suggested_person(column);
        if (!is_chosen &&
            ((is_of_person && !is_person(f->parts, column)) || !is_shown(&f->page, i + 1)))
            continue;
        sv_html(out, "<option value=\"%zu\"%s>", i + 1, is_chosen ? " selected" : "");
        sv_value_plain(out, name);
        sv_raw(out, "</option>");
    }
    sv_html(out, "</select><p class=\"hint\" id=\"h-%s\">%s</p></div>", setting, hint);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_roles(sv_text *out) {
    sv_raw(out,
           "<section><h2>What the roles mean</h2><dl class=\"words\"><dt>Quasi-identifier</dt><dd>"
           "others may know it about a person: age, postcode, profession. It is made "
           "coarser.</dd><dt>Sensitive</dt><dd>nobody should learn it about a person: a diagnosis, "
           "an income. It is released as it is; what protects it is a promise of l, alpha or t, "
           "under Promise: k alone does not.</dd><dt>Name or number</dt><dd>names people directly. "
           "It is left out.</dd><dt>Keep unchanged</dt><dd>released as it is, without any "
           "protection.</dd><dt>Leave out</dt><dd>not released.</dd><dt>Undecided</dt><dd>left "
           "out, until you decide.</dd></dl></section>");
}

static void add_table(const form *f, sv_text *out) {
    sv_raw(out, "<section class=\"internal\"><h2>The role of each column <span class=\"tag\">raw "
                "values</span></h2>");
    if (f->is_new)
        sv_raw(out, "<p class=\"note careful\">The choices below are what names and values "
                    "suggest. Nothing is decided until you save.</p>");
    if (!f->request->is_post && json_object_size(f->draft->fields) > 0)
        sv_raw(out, "<p class=\"note careful\">What you chose on the pages before is kept, and not "
                    "saved yet.</p>");
    sv_column_page_links(out, &f->page, json_array_size(f->columns));
    sv_raw(out, "<p><button name=\"action\" value=\"save\">Save</button> <button class=\"plain\" "
                "name=\"action\" value=\"suggest\">Use all suggestions</button></p>"
                "<table class=\"columns\"><thead><tr><th scope=\"col\">Column</th><th "
                "scope=\"col\">Its values</th><th scope=\"col\" class=\"n\">Rows with a value of "
                "their own</th><th scope=\"col\">Role</th><th scope=\"col\">Why</th></tr></thead>"
                "<tbody>\n");
    for (size_t i = 0; i < f->page.n; i++)
        add_column(f, out, f->page.numbers[i]);
    sv_raw(out, "</tbody></table><p><button name=\"action\" value=\"save\">Save"
                "</button></p></section>");
}

static void add_meaning(const form *f, sv_text *out) {
    sv_columns_together(out, f->profile, f->fates);
    sv_raw(out,
           "<p class=\"look\"><button class=\"plain\" name=\"action\" value=\"look\">Show what "
           "this choice means</button></p>");
    sv_columns_rule(out, f->profile);
    sv_table_combinations(out, f->profile);
    add_roles(out);
}

static void add_form(const form *f, sv_text *out) {
    sv_form(f->request, out, "columns");
    sv_html(out,
            "<input type=\"hidden\" name=\"stamp\" value=\"%" PRIu64 "\"><div class=\"two\"><div>",
            f->draft->stamp);
    add_table(f, out);
    sv_raw(out, "<section><h2>Rows and people</h2><div class=\"fields\">");
    add_select(f, out, "person", "Column that identifies the person",
               "Choose one if a person may have several rows: people are counted, not rows. It is "
               "left out of the release. The list has numbers and codes that repeat; another "
               "column can be chosen once it is saved as name or number.");
    add_select(f, out, "class", "Column that a classifier will predict",
               "It is released as it is. The cost called classification uses it.");
    add_select(f, out, "sampling-weight", "Column of sampling weights",
               "In a survey: how many people each row stands for. The promise called "
               "individual-risk and global-risk use it. It is left out of the release, unless it "
               "is also kept "
               "unchanged.");
    add_select(f, out, "household", "Column that identifies the household",
               "Who is left out then leaves with all rows of the household, and the limit counts "
               "households. The promise called household-risk uses it. It is left out of the "
               "release.");
    sv_raw(out, "</div><p><button name=\"action\" value=\"save\">Save</button></p></section>");
    sv_raw(out, "</div><div>");
    add_meaning(f, out);
    sv_raw(out, "</div></div></form><script type=\"module\" src=\"/columns.js\"></script>");
}

static void show_form(const sv_request *request, sv_text *out, const json_t *profile,
                      const json_t *columns, const sv_parts *parts) {
    sv_draft draft;
    sv_draft_open(request, columns, &draft);
    form f = {.request = request,
              .profile = profile,
              .columns = columns,
              .parts = parts,
              .draft = &draft,
              .is_new = !sv_has_roles(request->project)};
    const size_t n = json_array_size(columns);
    sv_column_page_find(request, columns, &f.page);
    f.roles = calloc(n ? n : 1, sizeof *f.roles);
    f.fates = calloc(n ? n : 1, sizeof *f.fates);
    const bool is_good = f.roles && f.fates;
    out->failed |= !is_good;
    for (size_t i = 0; is_good && i < n; i++) {
        f.roles[i] = role_of(&f, i + 1);
        f.fates[i] = fate_of(&f, i + 1);
    }
    if (is_good)
        add_form(&f, out);
    free(f.roles);
    free(f.fates);
    sv_draft_close(&draft);
}

static void add_next(const sv_request *request, sv_text *out) {
    if (sv_setting(request->project, "qi", 0))
        sv_html(out,
                "<p class=\"next\"><a class=\"button\" href=\"/p/%s/hierarchies\">Next: how values "
                "become coarser</a></p>",
                request->project->name);
}

void sv_columns_show(sv_request *request, sv_reply *reply, const char *wrong) {
    sv_text *out = &reply->body;
    sv_found profile;
    sv_parts parts;
    sv_found_profile(request, &profile);
    sv_page_begin(request, out, "The columns", "columns");
    if (wrong)
        sv_html(out, "<p class=\"message wrong\" role=\"alert\">%s</p>", wrong);
    out->failed |= !sv_parts_read(request->project, &parts);
    if (sv_found_columns(&profile) && profile.is_fresh) {
        add_next(request, out);
        add_kept(&parts, out, sv_found_columns(&profile));
        show_form(request, out, profile.json, sv_found_columns(&profile), &parts);
    } else {
        sv_profile_page(request, out, &profile);
    }
    sv_page_job(out, request->project);
    sv_page_end(request, out);
    sv_parts_free(&parts);
    sv_found_close(&profile);
}

void sv_columns(sv_request *request, sv_reply *reply) {
    sv_columns_show(request, reply, NULL);
}
