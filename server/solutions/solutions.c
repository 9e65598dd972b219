#include "solutions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- figures -------------------------------------------------------------------------------- */

void sv_figure(sv_text *out, double value, bool is_share) {
    if (isnan(value))
        sv_raw(out, "–");
    else if (is_share)
        sv_html(out, "%.3g %%", value * 100);
    else if (value >= 0 && value < 1e15 && (value >= 1000 || value == floor(value)))
        sv_count(out, (unsigned long long)(value + 0.5));
    else
        sv_html(out, "%.4g", value);
}

double sv_number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* ---- axes ----------------------------------------------------------------------------------- */

static double round_step(double length) {
    const double raw = length / 5, power = pow(10, floor(log10(raw)));
    return raw <= power       ? power
           : raw <= 2 * power ? 2 * power
           : raw <= 5 * power ? 5 * power
                              : 10 * power;
}

sv_axis sv_axis_over(double least, double most, double from, double to, bool may_log) {
    sv_axis axis = {least, most, from, to, false, false};
    if (!(most > least))
        axis.high = least + (least != 0 ? fabs(least) : 1);
    if (may_log && axis.low > 0 && axis.high > 50 * axis.low) {
        axis.is_log = true;
        axis.low = pow(10, floor(log10(axis.low)));
        axis.high = pow(10, ceil(log10(axis.high)));
        return axis;
    }
    if (axis.low > 0 && axis.low < 0.6 * axis.high)
        axis.low = 0;
    const double step = round_step(axis.high - axis.low);
    axis.low = floor(axis.low / step) * step;
    axis.high = ceil(axis.high / step) * step;
    return axis;
}

double sv_axis_at(const sv_axis *axis, double value) {
    double share = axis->is_log ? log10(value / axis->low) / log10(axis->high / axis->low)
                                : (value - axis->low) / (axis->high - axis->low);
    share = !(share > 0) ? 0 : share > 1 ? 1 : share;
    return axis->from + share * (axis->to - axis->from);
}

static double next_tick(const sv_axis *axis, double tick) {
    return axis->is_log ? tick * 10 : tick + round_step(axis->high - axis->low);
}

static void tick_number(sv_text *out, const sv_axis *axis, double tick) {
    if (fabs(tick) < 1e-12)
        tick = 0;
    if (axis->is_share || tick < 1e6)
        sv_figure(out, tick, axis->is_share);
    else if (tick < 1e9)
        sv_html(out, "%.3g million", tick / 1e6);
    else if (tick < 1e12)
        sv_html(out, "%.3g billion", tick / 1e9);
    else
        sv_html(out, "%.3g trillion", tick / 1e12);
}

void sv_axis_draw_y(sv_text *out, const sv_axis *axis, double x1, double x2) {
    for (double tick = axis->low; tick <= axis->high * 1.0001; tick = next_tick(axis, tick)) {
        const double y = sv_axis_at(axis, tick);
        sv_html(out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                x1, x2, y, y, x1 - 8, y + 4);
        tick_number(out, axis, tick);
        sv_raw(out, "</text>\n");
    }
}

void sv_axis_draw_x(sv_text *out, const sv_axis *axis, double y1, double y2) {
    for (double tick = axis->low; tick <= axis->high * 1.0001; tick = next_tick(axis, tick)) {
        const double x = sv_axis_at(axis, tick);
        sv_html(out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                x, x, y1, y2, x, y2 + 18);
        tick_number(out, axis, tick);
        sv_raw(out, "</text>\n");
    }
}

/* ---- results -------------------------------------------------------------------------------- */

bool sv_is_stale(const sv_request *request, const sv_task_state *state) {
    sv_text key = {0};
    sv_project_key(request->project, true, &key);
    const bool is_same =
        !key.failed && key.bytes && state->key && strcmp(key.bytes, state->key) == 0;
    sv_text_free(&key);
    return !is_same;
}

bool sv_is_busy(const sv_task_state *state) {
    return state->status == SV_WAITING || state->status == SV_RUNNING;
}

void sv_stale_note(sv_text *out) {
    sv_raw(out, "<p class=\"note careful\">This was made with settings that have changed since. "
                "Run it again to see what holds now.</p>\n");
}

/* ---- columns -------------------------------------------------------------------------------- */

/* The size of the name that a pair begins with, quotes included; the whole item where it has no
 * value. A name in quotes may hold an equals sign. */
static size_t name_size(const char *item, bool last) {
    if (item[0] == '"') {
        const char *end = strstr(item + 1, "\"=");
        const size_t size = strlen(item);
        if (end)
            return (size_t)(end - item) + 1;
        if (size > 1 && item[size - 1] == '"')
            return size;
    }
    const char *equals = last ? strrchr(item, '=') : strchr(item, '=');
    return equals ? (size_t)(equals - item) : strlen(item);
}

static void add_name(sv_text *out, const char *item, size_t size) {
    if (size > 1 && item[0] == '"' && item[size - 1] == '"')
        sv_bytes(out, item + 1, size - 2);
    else
        sv_bytes(out, item, size);
}

bool sv_quasi_name(const sv_project *project, size_t index, sv_text *out) {
    const char *item = sv_setting(project, "qi", index);
    if (item)
        add_name(out, item, name_size(item, false));
    return item != NULL;
}

size_t sv_setting_count(const sv_project *project, const char *name) {
    size_t n = 0;
    while (sv_setting(project, name, n))
        n++;
    return n;
}

const char *sv_pair(const sv_project *project, const char *setting, const char *column) {
    const char *item;
    for (size_t i = 0; (item = sv_setting(project, setting, i)); i++) {
        const size_t size = name_size(item, true);
        if (!item[size]) { /* a value for all */
            if (!column)
                return item;
            continue;
        }
        sv_text name = {0};
        add_name(&name, item, size);
        const bool is_it = column && !name.failed && strcmp(name.bytes, column) == 0;
        sv_text_free(&name);
        if (is_it)
            return item + size + 1;
    }
    return NULL;
}

const char *sv_risk_of(const sv_project *project) {
    return sv_setting(project, "person", 0) ? "person" : "row";
}

/* ---- registry ------------------------------------------------------------------------------- */

bool sv_model_is_on(const sv_project *project, const json_t *model) {
    const json_t *first = json_array_get(json_object_get(model, "options"), 0);
    return sv_setting(project, sv_json_text(first, "name"), 0) != NULL;
}

bool sv_model_is_k(const json_t *model) {
    const json_t *first = json_array_get(json_object_get(model, "options"), 0);
    return strcmp(sv_json_text(first, "name"), "k") == 0;
}

const char *sv_cost(const sv_project *project) {
    const char *cost = sv_setting(project, "cost", 0);
    return cost ? cost : kan_setting_find("cost")->fallback;
}

const char *sv_cost_of_whom(const json_t *result) {
    return strcmp(sv_json_text(result, "count"), "people") == 0 ? " by people" : "";
}

/* Whether a list of names has one. */
static bool has_name(const json_t *names, const char *name) {
    const json_t *one;
    size_t i;
    json_array_foreach(names, i, one) {
        if (strcmp(json_string_value(one), name) == 0)
            return true;
    }
    return false;
}

bool sv_search_proves_cuts(const json_t *registry, const json_t *search) {
    const json_t *own = json_array_get(json_object_get(search, "recodings"), 0), *model;
    size_t i;
    if (!json_is_true(json_object_get(search, "proves")) ||
        !json_is_true(json_object_get(search, "anytime")))
        return false;
    json_array_foreach(json_object_get(registry, "recodings"), i, model) {
        if (strcmp(sv_json_text(model, "name"), json_string_value(own)) == 0)
            return sv_recoding_cuts(model);
    }
    return false;
}

const json_t *sv_search_of_cuts(const json_t *registry) {
    const json_t *search;
    size_t i;
    json_array_foreach(json_object_get(registry, "searches"), i, search) {
        if (sv_search_proves_cuts(registry, search))
            return search;
    }
    return NULL;
}

const char *sv_cuts_cost(const sv_project *project, const json_t *registry) {
    const json_t *costs = json_object_get(sv_search_of_cuts(registry), "costs");
    return has_name(costs, sv_cost(project)) ? NULL : json_string_value(json_array_get(costs, 0));
}

void sv_cost_options(sv_text *out, const json_t *registry, const char *chosen) {
    const json_t *costs = json_object_get(registry, "costs"), *cost;
    size_t i;
    json_array_foreach(costs, i, cost) {
        const char *name = sv_json_text(cost, "name");
        sv_html(out, "<option value=\"%s\"%s>%s: %s</option>\n", name,
                strcmp(name, chosen) == 0 ? " selected" : "", name, sv_json_text(cost, "summary"));
    }
}

/* ---- commands ------------------------------------------------------------------------------- */

void sv_word(sv_words *words, const char *word) {
    if (words->n < SV_MOST_WORDS)
        words->at[words->n++] = word;
    words->at[words->n] = NULL;
}

void sv_word_pair(sv_words *words, const char *flag, const char *value) {
    sv_word(words, flag);
    sv_word(words, value);
}
