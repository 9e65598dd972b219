/* A hierarchy as a strip: 1936-05-14, 1936-05, 1936, 1930s, *. Below each example stands what its level is,
 * as a field: another number or part changes the level, an empty one takes it away, the last one adds one.
 * Levels are put in their order, whatever the order of the fields. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy_parts.h"
#include "pages.h"
#include "values.h"

enum { MOST_STEPS = 24, MOST_LEVELS = 66 };
enum { WORDS = 1, NUMBERS = 2, DATES = 4 };

/* Ways to make values coarser whose levels are numbers. */
typedef struct {
    const char *name, *title, *before, *behind, *first;
    bool is_falling; /* from many to few */
    unsigned types;  /* of columns that it is for */
} way;

static const way ways[] = {
    {"date", "parts of dates", "", "", "month,year", false, DATES},
    {"age", "age on a day", "steps of", "years", "1,5,10", false, DATES},
    {"intervals", "intervals", "as wide as", "", "5,10,20", false, NUMBERS},
    {"quantiles", "equally many rows", "", "intervals", "20,5", true, NUMBERS | DATES},
    {"prefix", "first characters", "the first", "", "3,1", true, WORDS | NUMBERS},
    {"digits", "last characters masked", "up to", "masked", "3", false, WORDS | NUMBERS},
    {"frequency", "rare values together", "fewer rows than", "", "10,100", false, WORDS},
    {"suppress", "the value, or nothing", "", "", "", false, WORDS | NUMBERS | DATES},
};

enum { N_WAYS = sizeof ways / sizeof *ways };

/* The way of a spec, and its numbers; NULL: it is a file. */
static const way *way_of(const char *spec, const char **numbers) {
    *numbers = "";
    if (!*spec)
        return &ways[N_WAYS - 1];
    for (size_t i = 0; i < N_WAYS; i++) {
        const size_t n = strlen(ways[i].name);
        if (strncmp(spec, ways[i].name, n) != 0 || (spec[n] && spec[n] != ':'))
            continue;
        *numbers = spec[n] ? spec + n + 1 : "";
        return &ways[i];
    }
    return NULL;
}

static const way *way_named(const char *name) {
    for (size_t i = 0; name && i < N_WAYS; i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    return NULL;
}

static bool is_named(const way *w, const char *name) {
    return strcmp(w->name, name) == 0;
}

void sv_day_of_ages(const json_t *column, char day[16]) {
    const char *last = sv_json_text(json_object_get(column, "range"), "greatest");
    const unsigned long year = strtoul(last, NULL, 10);
    snprintf(day, 16, "%04lu-12-31", year > 0 && year < 9999 ? year : 2025UL);
}

/* ---- drawn ---------------------------------------------------------------------------------- */

static const char *words_of(const char *part) {
    return strcmp(part, "half") == 0         ? "half-year"
           : strcmp(part, "five-years") == 0 ? "five years"
                                             : part;
}

static void add_part(sv_text *out, size_t number, size_t step, const char *now) {
    sv_html(out, "<select id=\"s-%zu-%zu\" name=\"step\"><option value=\"\">%s</option>", number,
            step, *now ? "take this level away" : "add a level");
    for (size_t i = 0; i < SV_N_DATE_PARTS; i++)
        sv_html(out, "<option value=\"%s\"%s>%s</option>", sv_date_parts[i],
                strcmp(sv_date_parts[i], now) == 0 ? " selected" : "", words_of(sv_date_parts[i]));
    sv_raw(out, "</select>");
}

/* The field of a level; of the one behind the last, `now` is empty. */
static void add_step(sv_text *out, const sv_quasi *quasi, const way *w, size_t step,
                     const char *now) {
    sv_html(out, "<label class=\"off\" for=\"s-%zu-%zu\">%s %zu of ", quasi->number, step,
            *now ? "Level" : "Another level after level", *now ? step : step - 1);
    sv_value_plain(out, quasi->name);
    sv_raw(out, "</label>");
    if (is_named(w, "date")) {
        add_part(out, quasi->number, step, now);
        return;
    }
    if (*now)
        sv_html(out,
                "<span class=\"unit\">%s <input id=\"s-%zu-%zu\" name=\"step\" value=\"%s\" "
                "inputmode=\"decimal\" autocomplete=\"off\"> %s</span>",
                w->before, quasi->number, step, now, w->behind);
    else
        sv_html(out,
                "<span class=\"unit\"><input id=\"s-%zu-%zu\" name=\"step\" value=\"\" "
                "placeholder=\"add\" inputmode=\"decimal\" autocomplete=\"off\"></span>",
                quasi->number, step);
}

/* The example of a level, and how many labels it has. */
static void add_box(sv_text *out, const json_t *preview, const char *const *labels, size_t n,
                    size_t level) {
    const json_t *levels = json_object_get(preview, "levels");
    const uint64_t here = sv_json_count(json_array_get(levels, level), "labels");
    if (level > 0)
        sv_raw(out, "<span class=\"arrow\" aria-hidden=\"true\">\xE2\x86\x92</span>");
    sv_raw(out, "<div class=\"box\">");
    if (level < n)
        sv_value(out, labels[level]);
    else
        sv_raw(out, "<span class=\"soft\">\xE2\x80\xA6</span>");
    if (level < json_array_size(levels)) {
        sv_raw(out, "<small>");
        sv_count_of(out, here, level ? "label" : "value", level ? "labels" : "values");
        sv_raw(out, "</small>");
        if (level > 0 && level + 1 < json_array_size(levels) &&
            here == sv_json_count(json_array_get(levels, level - 1), "labels"))
            sv_raw(out, "<small class=\"idle\">changes nothing</small>");
    }
}

static size_t split(const char *numbers, char steps[MOST_STEPS][32]) {
    const size_t end = strcspn(numbers, "@");
    size_t n = 0;
    for (size_t at = 0, size; at < end && n < MOST_STEPS; at += size + 1) {
        size = strcspn(numbers + at, ",@");
        snprintf(steps[n++], 32, "%.*s", (int)size, numbers + at);
    }
    return n;
}

/* Levels that have no field of their own: of a file, or of one number for all of them. */
static void add_boxes(sv_text *out, const json_t *preview, const char *const *labels, size_t n) {
    const size_t n_levels = json_array_size(json_object_get(preview, "levels"));
    for (size_t level = 0; level < n_levels; level++) {
        sv_raw(out, "<li>");
        add_box(out, preview, labels, n, level);
        sv_raw(out, "</div></li>");
    }
}

static void add_fields(sv_text *out, const sv_quasi *quasi, const way *w, const char *numbers,
                       const json_t *preview, const char *const *labels, size_t n) {
    char steps[MOST_STEPS][32];
    const size_t n_steps = split(numbers, steps),
                 n_levels = json_array_size(json_object_get(preview, "levels"));
    /* levels that would do nothing were left out, and nobody says which */
    const bool is_whole = n_levels == 0 || n_levels >= n_steps + 2;
    sv_raw(out, "<li>");
    add_box(out, preview, labels, n, 0);
    sv_raw(out, "</div></li>");
    for (size_t i = 0; i < n_steps; i++) {
        sv_raw(out, "<li>");
        add_box(out, is_whole ? preview : NULL, labels, is_whole ? n : 0, i + 1);
        add_step(out, quasi, w, i + 1, steps[i]);
        sv_raw(out, "</div></li>");
    }
    sv_raw(out,
           "<li><span class=\"arrow\" aria-hidden=\"true\">\xE2\x86\x92</span><div class=\"box "
           "new\">");
    add_step(out, quasi, w, n_steps + 1, "");
    sv_raw(out, "</div></li><li><span class=\"arrow\" aria-hidden=\"true\">\xE2\x86\x92</span><div "
                "class=\"box\"><bdi>*</bdi><small>nothing</small></div></li>");
    if (!is_whole)
        sv_html(out,
                "<li><p class=\"note\">%zu of these levels would change nothing, and %s left "
                "out.</p></li>",
                n_steps + 2 - n_levels, n_steps + 3 - n_levels > 2 ? "are" : "is");
}

/* What one number or day says of all levels. */
static void add_whole(sv_text *out, const sv_quasi *quasi, const way *w, const char *numbers) {
    const char *at = strchr(numbers, '@');
    if (is_named(w, "digits"))
        sv_html(out,
                "<label>Characters that are masked at most <input name=\"step\" value=\"%s\" "
                "size=\"4\" inputmode=\"numeric\" autocomplete=\"off\"></label>",
                numbers);
    else if (is_named(w, "age"))
        sv_html(out, "<label>Age on <input type=\"date\" name=\"day\" value=\"%s\"></label>",
                at ? at + 1 : "");
    else if (is_named(w, "intervals"))
        sv_html(out,
                "<label>Starting at <input name=\"origin\" value=\"%s\" size=\"5\" "
                "placeholder=\"0\" autocomplete=\"off\"></label>",
                at ? at + 1 : "");
    (void)quasi;
}

static void add_ways(sv_text *out, const sv_quasi *quasi, const way *now) {
    const char *type = sv_json_text(quasi->column, "type");
    const unsigned its = strcmp(type, "date") == 0     ? DATES
                         : strcmp(type, "number") == 0 ? NUMBERS
                                                       : WORDS;
    sv_html(out, "<label>By <select name=\"way\"><option value=\"%s\" selected>%s</option>",
            now->name, now->title);
    for (size_t i = 0; i < N_WAYS; i++)
        if (&ways[i] != now && (ways[i].types & its))
            sv_html(out, "<option value=\"%s\">%s</option>", ways[i].name, ways[i].title);
    sv_raw(out, "</select></label>");
}

void sv_strip(const sv_request *request, sv_text *out, const sv_quasi *quasi,
              const json_t *preview) {
    const char *labels[MOST_LEVELS], *numbers;
    const size_t n = preview ? sv_preview_example(preview, labels, MOST_LEVELS) : 0;
    const way *w = way_of(quasi->spec, &numbers);
    if (!w) {
        sv_raw(out, "<ol class=\"strip\">");
        add_boxes(out, preview, labels, n);
        sv_raw(out, "</ol>");
        return;
    }
    const bool has_steps = !is_named(w, "digits") && !is_named(w, "suppress");
    sv_html(out,
            "<form method=\"post\" action=\"/p/%s/hierarchies/%zu\"><input type=\"hidden\" "
            "name=\"was\" value=\"%s\"><ol class=\"strip\">",
            request->project->name, quasi->number, quasi->spec);
    if (has_steps)
        add_fields(out, quasi, w, numbers, preview, labels, n);
    else
        add_boxes(out, preview, labels, n);
    sv_raw(out, "</ol><p class=\"strip-whole\">");
    add_ways(out, quasi, w);
    add_whole(out, quasi, w, numbers);
    sv_raw(out, "<button class=\"plain\" name=\"action\" value=\"strip\">Save<span class=\"off\"> "
                "the levels of ");
    sv_value_plain(out, quasi->name);
    sv_raw(out, "</span></button></p></form>");
}

/* ---- read ----------------------------------------------------------------------------------- */

typedef struct {
    double number;
    char text[32];
} step;

static int by_size(const void *a, const void *b) {
    const double x = ((const step *)a)->number, y = ((const step *)b)->number;
    return (x > y) - (x < y);
}

static size_t place_of_part(const char *text) {
    size_t i = 0;
    while (i < SV_N_DATE_PARTS && strcmp(sv_date_parts[i], text) != 0)
        i++;
    return i;
}

/* One field; false: it is no step of this way. */
static bool read_step(const way *w, const char *text, step *out) {
    const bool may_be_parts = is_named(w, "intervals");
    char *end;
    if (strlen(text) >= sizeof out->text)
        return false;
    snprintf(out->text, sizeof out->text, "%s", text);
    if (is_named(w, "date")) {
        const size_t place = place_of_part(text);
        out->number = (double)place;
        return place < SV_N_DATE_PARTS;
    }
    out->number = strtod(text, &end);
    return strspn(text, may_be_parts ? "0123456789." : "0123456789") == strlen(text) && !*end &&
           out->number > 0 && strlen(text) <= 15;
}

/* The fields in the order of levels, each once. */
static bool read_steps(const sv_request *request, const way *w, step *steps, size_t *n,
                       sv_text *wrong) {
    const char *text;
    *n = 0;
    for (size_t i = 0; *n < MOST_STEPS && (text = sv_field_at(request, "step", i)); i++) {
        text += strspn(text, " ");
        if (!*text)
            continue;
        if (!read_step(w, text, &steps[*n])) {
            sv_print(wrong, "\"%s\" is no level: write a %snumber above zero. Nothing was changed.",
                     text, is_named(w, "intervals") ? "" : "whole ");
            return false;
        }
        ++*n;
    }
    qsort(steps, *n, sizeof *steps, by_size);
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (kept == 0 || steps[i].number != steps[kept - 1].number)
            steps[kept++] = steps[i];
    *n = kept;
    return true;
}

/* An interval that would lie in two of the next. */
static bool check_steps(const way *w, const step *steps, size_t n, sv_text *wrong) {
    for (size_t i = 1; (is_named(w, "intervals") || is_named(w, "age")) && i < n; i++) {
        const double times = steps[i].number / steps[i - 1].number;
        if (fabs(times - nearbyint(times)) <= 1e-9 * times)
            continue;
        sv_print(wrong,
                 "%s does not divide %s: an interval would lie in two of the next level. Nothing "
                 "was changed.",
                 steps[i - 1].text, steps[i].text);
        return false;
    }
    if (n > 1 && is_named(w, "date") && steps[0].number == 0) {
        sv_print(wrong, "A week can lie in two months and in two years: it must be the only level. "
                        "Nothing was changed.");
        return false;
    }
    if (n > 1 && is_named(w, "digits")) {
        sv_print(wrong, "One number says how many characters are masked. Nothing was changed.");
        return false;
    }
    return true;
}

static bool add_behind(const sv_request *request, const way *w, sv_text *out, sv_text *wrong) {
    const char *origin = sv_field_of(request, "origin");
    char *end;
    if (is_named(w, "age") && !sv_spec_add_day(out, sv_field_of(request, "day"))) {
        sv_print(wrong, "Say on which day people have their age. Nothing was changed.");
        return false;
    }
    if (!is_named(w, "intervals") || !origin || !origin[strspn(origin, " ")])
        return true;
    origin += strspn(origin, " ");
    (void)strtod(origin, &end);
    if (*end || strlen(origin) > 15 || strspn(origin, "0123456789.-") != strlen(origin)) {
        sv_print(wrong, "\"%s\" is no number to start at. Nothing was changed.", origin);
        return false;
    }
    sv_html(out, "@%s", origin);
    return true;
}

/* Another way begins with what suits the column, or with what most begin with. */
static void begin_way(const sv_quasi *quasi, const way *w, sv_text *out) {
    const char *suggested = sv_json_text(json_object_get(quasi->column, "role"), "hierarchy"),
               *numbers;
    char day[16];
    if (way_of(suggested, &numbers) == w && *suggested) {
        sv_raw(out, suggested);
        return;
    }
    sv_html(out, *w->first ? "%s:%s" : "%s%s", w->name, w->first);
    if (is_named(w, "age")) {
        sv_day_of_ages(quasi->column, day);
        sv_html(out, "@%s", day);
    }
}

bool sv_spec_of_strip(const sv_request *request, const sv_quasi *quasi, sv_text *out,
                      sv_text *wrong) {
    const char *was = sv_field_of(request, "was"), *numbers;
    const way *w = way_named(sv_field_of(request, "way")), *now = way_of(quasi->spec, &numbers);
    step steps[MOST_STEPS];
    size_t n;
    if (!w || !now || !was || strcmp(was, quasi->spec) != 0) {
        sv_raw(wrong, "The hierarchy has been changed in the meantime; look at it again. Nothing "
                      "was changed.");
        return false;
    }
    if (w != now) {
        begin_way(quasi, w, out);
        return !out->failed;
    }
    if (is_named(w, "suppress")) {
        sv_raw(out, "suppress");
        return true;
    }
    if (!read_steps(request, w, steps, &n, wrong) || !check_steps(w, steps, n, wrong))
        return false;
    if (n == 0) { /* no level is left: the value itself, or nothing */
        sv_raw(out, "suppress");
        return true;
    }
    sv_html(out, "%s:", w->name);
    for (size_t i = 0; i < n; i++)
        sv_html(out, "%s%s", i ? "," : "", steps[w->is_falling ? n - 1 - i : i].text);
    return add_behind(request, w, out, wrong) && !out->failed;
}
