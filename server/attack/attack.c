/* The page of attacks: what somebody may have, and what was found: sentences, a figure, and who is most exposed. */
#include "attack.h"

#include <math.h>
#include <string.h>

/* ---- the form ------------------------------------------------------------------------------- */

static void put_pick(sv_text *out, unsigned number, bool is_it, const json_t *about) {
    sv_html(out,
            "<p class=\"pick\"><label><input type=\"radio\" name=\"release\" value=\"%u\"%s> "
            "Release %u <small>%s, made %s</small></label></p>\n",
            number, is_it ? " checked" : "", number, sv_json_text(about, "words"),
            sv_json_text(about, "time"));
}

static void put_other(sv_text *out, unsigned number) {
    sv_html(out,
            "<p class=\"pick\"><label><input type=\"checkbox\" name=\"with-%u\" value=\"true\"> "
            "release %u, too <small>where it is not the one above</small></label></p>\n",
            number, number);
}

static void put_check(sv_text *out, const char *name, bool is_on, const char *words,
                      const char *more) {
    sv_html(out,
            "<p class=\"pick\"><label><input type=\"checkbox\" name=\"%s\" value=\"true\"%s> %s "
            "<small>%s</small></label></p>\n",
            name, is_on ? " checked" : "", words, more);
}

/* The releases that can be read, the newest first; returns how many there are. */
static unsigned put_releases(const sv_request *request, sv_text *out, unsigned n) {
    const unsigned asked = sv_release_number(sv_field_of(request, "release"));
    const bool is_asked = sv_release_is_there(request->project, asked);
    unsigned n_there = 0;
    for (unsigned i = n; i > 0; i--) {
        sv_text path = {0};
        if (sv_attack_can_read(request->project, i, &path)) {
            json_t *about = sv_release_about(request->project, i);
            put_pick(out, i, is_asked ? asked == i : n_there == 0, about);
            json_decref(about);
            n_there++;
        }
        sv_text_free(&path);
    }
    return n_there;
}

static void put_form(const sv_request *request, sv_text *out, unsigned n) {
    sv_raw(out, "<section><h2>Attack a release</h2>\n");
    sv_form(request, out, "attack");
    sv_raw(out, "<fieldset><legend>Which release</legend>\n");
    const unsigned n_there = put_releases(request, out, n);
    sv_raw(out, "</fieldset>\n<fieldset><legend>What somebody has</legend>\n");
    put_check(out, "table", true, "the table",
              "as a prosecutor, who knows all quasi-identifiers, a neighbour, who knows three, "
              "and an insider, who knows all columns but one");
    for (unsigned i = n; n_there > 1 && i > 0 && n - i < SV_MOST_OTHERS; i--)
        if (sv_release_is_there(request->project, i))
            put_other(out, i);
    put_check(out, "method", false, "and knows how it was made",
              "the release is made again with other values, some thousand times: minutes");
    sv_raw(out, "</fieldset>\n<p class=\"actions\"><button type=\"submit\">Attack it</button></p>\n"
                "</form></section>\n");
}

/* ---- the figure: people by what becomes of them ----------------------------------------------- */

static void put_bar(sv_text *out, const char *words, const char *column, double people,
                    double most) {
    if (isnan(people))
        return;
    sv_html(out, "<tr><th scope=\"row\">%s", words);
    if (column) {
        sv_raw(out, " ");
        sv_value(out, column);
    }
    sv_raw(out, "</th><td class=\"bars\">");
    sv_bar(out, most > 0 ? people / most : 0);
    sv_raw(out, "</td><td class=\"n\">");
    sv_figure(out, people, false);
    sv_raw(out, "</td></tr>\n");
}

static void begin_figure(sv_text *out, const char *title) {
    sv_html(out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figure\"><table "
            "class=\"top\"><thead><tr><th scope=\"col\">%s</th><th scope=\"col\"></th>"
            "<th scope=\"col\" class=\"n\">how many</th></tr></thead><tbody>\n",
            title);
}

static void end_figure(sv_text *out) {
    sv_raw(out, "</tbody></table></div>\n");
}

static double people_at(const json_t *object, const char *key) {
    return sv_number(json_object_get(object, key), "people");
}

static void put_register_figure(sv_text *out, const json_t *found) {
    const json_t *matched = json_object_get(found, "matched"), *column,
                 *near = json_object_get(json_object_get(found, "nearest"), "rows");
    const double most = sv_number(found, "asked");
    size_t i;
    begin_figure(out, "people");
    put_bar(out, "matched by one row", NULL, people_at(matched, "one"), most);
    put_bar(out, "by fewer than k", NULL, people_at(matched, "below_k"), most);
    put_bar(out, "by k or more", NULL, people_at(matched, "k_or_more"), most);
    put_bar(out, "by none", NULL, people_at(matched, "none"), most);
    put_bar(out, "with one nearest row", NULL, people_at(near, "one"), most);
    json_array_foreach(json_object_get(found, "sensitive"), i, column) {
        const char *name = sv_json_text(column, "column");
        put_bar(out, "who are certain to have one value of", name, people_at(column, "certain"),
                most);
        put_bar(out, "who are more than 90 % likely to have one of", name,
                people_at(column, "above_90"), most);
    }
    end_figure(out);
}

/* Of each way in which releases were joined. */
static void put_with_figure(sv_text *out, const json_t *with) {
    const json_t *join;
    size_t i;
    json_array_foreach(json_object_get(with, "joins"), i, join) {
        const json_t *found = json_object_get(join, "found");
        if (!json_is_object(found))
            continue;
        const double most = sv_number(found, "people");
        begin_figure(out, strcmp(sv_json_text(join, "by"), "order") == 0
                              ? "people, joined by the order of the rows"
                              : "people, joined by columns");
        put_bar(out, "alone, together", NULL, sv_number(found, "unique"), most);
        put_bar(out, "alone, by this release", NULL, sv_number(found, "unique_alone"), most);
        put_bar(out, "among fewer than k, together", NULL, sv_number(found, "below_k"), most);
        put_bar(out, "among fewer than k, by this release", NULL, sv_number(found, "below_k_alone"),
                most);
        end_figure(out);
    }
}

static void put_bits(sv_text *out, const char *open, const char *left, const json_t *object) {
    const json_t *bits = json_object_get(object, "bits");
    const json_t *now = json_object_get(bits, "left");
    const double most = sv_number(bits, "open");
    put_bar(out, open, NULL, most, most);
    put_bar(out, left, NULL, json_is_object(now) ? sv_number(now, "at") : sv_number(bits, "left"),
            most);
}

static void put_method_figure(sv_text *out, const json_t *found) {
    begin_figure(out, "bits");
    put_bits(out, "a hidden cell, as labels leave it open", "the same, knowing the method",
             json_object_get(found, "cells"));
    put_bits(out, "the whole table, as labels leave it open", "the same, knowing the method",
             json_object_get(found, "tables"));
    put_bits(out, "whose record, within a group", "the same, knowing the method",
             json_object_get(found, "records"));
    end_figure(out);
}

/* ---- who is most exposed ----------------------------------------------------------------------- */

static void put_head(sv_text *out, const char *name) {
    sv_raw(out, "<th scope=\"col\">");
    sv_value(out, name);
    sv_raw(out, "</th>");
}

static void begin_rows(sv_text *out, const char *first) {
    sv_html(out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Most exposed\"><table>"
            "<thead><tr><th scope=\"col\" class=\"n\">%s</th>",
            first);
}

static void put_number(sv_text *out, const json_t *object, const char *key) {
    sv_raw(out, "<td class=\"n\">");
    sv_figure(out, sv_number(object, key), false);
    sv_raw(out, "</td>");
}

static void put_person(sv_text *out, const json_t *person) {
    const json_t *value, *guess;
    size_t i;
    sv_raw(out, "<tr>");
    put_number(out, person, "person");
    json_array_foreach(json_object_get(person, "known"), i, value) {
        sv_raw(out, "<td>");
        sv_value(out, json_is_string(value) ? json_string_value(value) : "");
        sv_raw(out, "</td>");
    }
    put_number(out, person, "rows");
    put_number(out, person, "row");
    json_array_foreach(json_object_get(person, "guesses"), i, guess) {
        sv_raw(out, "<td>");
        sv_value(out, sv_json_text(guess, "value"));
        sv_raw(out, " (");
        sv_figure(out, sv_number(guess, "rows"), false);
        sv_raw(out, ")</td>");
    }
    sv_raw(out, "</tr>\n");
}

static void put_people(sv_text *out, const json_t *names, const json_t *exposed, const char *rows) {
    const json_t *first = json_array_get(exposed, 0), *name, *guess, *person;
    size_t i;
    if (!first)
        return;
    sv_raw(out, "<h3>Of whom most is learned</h3>\n");
    begin_rows(out, "row of the table");
    json_array_foreach(names, i, name)
        put_head(out, json_is_string(name) ? json_string_value(name) : "");
    sv_html(
        out,
        "<th scope=\"col\" class=\"n\">rows that %s</th><th scope=\"col\" class=\"n\">the first "
        "of them</th>",
        rows);
    json_array_foreach(json_object_get(first, "guesses"), i, guess)
        put_head(out, sv_json_text(guess, "column"));
    sv_raw(out, "</tr></thead><tbody>\n");
    json_array_foreach(exposed, i, person) put_person(out, person);
    sv_raw(out, "</tbody></table></div>\n");
}

/* Rows of the release, with what is told of each beside it. */
static void put_rows(sv_text *out, const json_t *exposed, const char *what, const char *key) {
    const json_t *one;
    size_t i;
    if (json_array_size(exposed) == 0)
        return;
    sv_raw(out, "<h3>Rows most exposed</h3>\n");
    begin_rows(out, "row");
    sv_html(out, "<th scope=\"col\">%s</th></tr></thead><tbody>\n", what);
    json_array_foreach(exposed, i, one) {
        sv_raw(out, "<tr>");
        put_number(out, one, "row");
        if (json_is_string(json_object_get(one, key))) {
            sv_raw(out, "<td>");
            sv_value(out, sv_json_text(one, key));
            sv_raw(out, "</td></tr>\n");
        } else {
            put_number(out, one, key);
            sv_raw(out, "</tr>\n");
        }
    }
    sv_raw(out, "</tbody></table></div>\n");
}

static void put_exposed(sv_text *out, const sv_attack_kind *kind, const json_t *found) {
    const json_t *join, *near = json_object_get(found, "nearest");
    size_t i;
    if (kind->is_profile) {
        put_people(out, json_object_get(found, "known"), json_object_get(found, "exposed"),
                   "match");
        put_people(out, json_object_get(found, "known"), json_object_get(near, "exposed"),
                   "are nearest");
    } else if (strcmp(kind->name, SV_UNDONE) == 0) {
        put_rows(out, json_object_get(json_object_get(found, "cells"), "exposed"),
                 "its cell that is certain", "column");
    } else {
        json_array_foreach(json_object_get(found, "joins"), i, join)
            put_rows(out, json_object_get(json_object_get(join, "found"), "exposed"),
                     "people of her cell", "crowd");
    }
}

/* ---- what was found ------------------------------------------------------------------------------ */

static void put_sentences(sv_text *out, const json_t *says) {
    const json_t *one;
    size_t i;
    json_array_foreach(says, i, one) {
        sv_raw(out, i == 0 ? "<p><strong>" : i == 1 ? "<p>" : " ");
        sv_html(out, "%s", json_is_string(one) ? json_string_value(one) : "");
        sv_raw(out, i == 0 ? "</strong></p>\n" : i + 1 == json_array_size(says) ? "</p>\n" : "");
    }
}

/* Where the result of the command has it. */
static const char *key_of(const sv_attack_kind *kind) {
    if (kind->is_profile)
        return "register";
    return strcmp(kind->name, SV_OTHERS) == 0 ? "with" : "knowing_method";
}

static bool put_found(const sv_request *request, sv_text *out, const sv_attack_kind *kind) {
    sv_text file = {0};
    sv_attack_file(kind, &file);
    json_t *result = file.failed ? NULL : sv_project_json(request->project, file.bytes);
    const json_t *found = json_object_get(result, key_of(kind));
    const bool is_there = json_is_object(found);
    if (is_there) {
        sv_html(out, "<section class=\"raw\"><h2>%s</h2>\n<p>%s</p>\n", kind->title,
                sv_json_text(json_object_get(result, "input"), "path"));
        put_sentences(out, json_object_get(found, "says"));
        if (kind->is_profile)
            put_register_figure(out, found);
        else if (strcmp(kind->name, SV_OTHERS) == 0)
            put_with_figure(out, found);
        else
            put_method_figure(out, found);
        put_exposed(out, kind, found);
        sv_raw(out, "</section>\n");
    }
    json_decref(result);
    sv_text_free(&file);
    return is_there;
}

void sv_attack(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    const sv_attack_kind *kind;
    const unsigned n = request->project->tables ? 0 : sv_release_last(request->project);
    bool has_found = false;
    sv_page_begin(request, out, "Attack your own release", "attack");
    sv_raw(out, "<p>Hold a release against what somebody may have, before somebody else does, and "
                "before you sign. What is found is <strong>internal</strong>: it says whom to look "
                "for, and how.</p>\n");
    if (n == 0 || !sv_release_is_any(request->project)) {
        sv_raw(out, "<p>There is no release of one table yet.</p>\n");
        sv_page_end(request, out);
        return;
    }
    sv_page_task(request, out, "attack");
    sv_raw(out, "<div class=\"two aside\"><div>\n");
    put_form(request, out, n);
    sv_raw(out, "</div><div>\n");
    for (size_t i = 0; (kind = sv_attack_kind_at(i)) != NULL; i++)
        has_found = put_found(request, out, kind) || has_found;
    if (!has_found)
        sv_raw(out, "<p>Nothing was attacked yet.</p>\n");
    sv_raw(out, "</div></div>\n");
    sv_page_end(request, out);
}
