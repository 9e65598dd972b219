/* The form of the promise: one section for k, one for the limit, one with all other models, one for
 * the cost, one for the recoding model. It follows the registry, so that a model that is added there has its fields here. */
#include <stdlib.h>
#include <string.h>

#include "promise.h"
#include "server/solutions/solutions.h"

/* ---- one field ------------------------------------------------------------------------------ */

/* `name` is that of the field, `id` the same with something behind it. */
typedef struct {
    const json_t *option;
    const char *value; /* NULL: not set */
    size_t number;     /* 0: for all columns; else of the column before */
} place;

static void field_name(sv_text *out, const place *at) {
    sv_html(out, "o.%s", sv_json_text(at->option, "name"));
    if (at->number)
        sv_html(out, ".%zu", at->number - 1);
}

static void choice_field(sv_text *out, const place *at) {
    char *choices = strdup(sv_json_text(at->option, "choices")), *rest = choices;
    sv_raw(out, "<select name=\"");
    field_name(out, at);
    sv_raw(out, "\" id=\"");
    field_name(out, at);
    sv_html(out, "\"><option value=\"\">%s</option>",
            at->number ? "as above" : sv_json_text(at->option, "default"));
    for (char *one; rest && (one = strsep(&rest, "|"));)
        if (at->number || strcmp(one, sv_json_text(at->option, "default")) != 0)
            sv_html(out, "<option value=\"%s\"%s>%s</option>", one,
                    at->value && strcmp(one, at->value) == 0 ? " selected" : "", one);
    sv_raw(out, "</select>");
    free(choices);
}

static void input_field(sv_text *out, const place *at, const char *kind) {
    sv_raw(out, "<input ");
    sv_raw(out, kind);
    sv_raw(out, " autocomplete=\"off\" name=\"");
    field_name(out, at);
    sv_raw(out, "\" id=\"");
    field_name(out, at);
    sv_html(out, "\" value=\"%s\">", at->value ? at->value : "");
}

static void put_field(sv_text *out, const place *at) {
    const char *type = sv_json_text(at->option, "type");
    if (strcmp(type, "choice") == 0)
        choice_field(out, at);
    else if (strcmp(type, "count") == 0)
        input_field(out, at, "type=\"number\" min=\"1\" step=\"1\"");
    else if (strcmp(type, "real") == 0)
        input_field(out, at, "type=\"number\" min=\"0\" step=\"any\"");
    else
        input_field(out, at, "type=\"text\"");
}

/* ---- options -------------------------------------------------------------------------------- */

static bool names_column(const json_t *option) {
    return sv_json_is(option, "per_column") && sv_option_is_asked(option);
}

static void put_switch(const sv_project *project, sv_text *out, const json_t *option) {
    const char *name = sv_json_text(option, "name"), *value = sv_setting(project, name, 0);
    sv_html(out,
            "<p class=\"entry\"><input type=\"hidden\" name=\"o.%s\" value=\"\">"
            "<label><input type=\"checkbox\" name=\"o.%s\" value=\"true\"%s> %s</label></p>\n",
            name, name, value && strcmp(value, "true") == 0 ? " checked" : "",
            sv_json_text(option, "words"));
}

/* Values of any kind, one a line. */
static void put_list(const sv_project *project, sv_text *out, const json_t *option) {
    const char *name = sv_json_text(option, "name"), *value;
    sv_html(out,
            "<p class=\"entry\"><label for=\"o.%s\">%s <small>(one per "
            "line)</small></label><textarea name=\"o.%s\" id=\"o.%s\" rows=\"2\">",
            name, sv_json_text(option, "words"), name, name);
    for (size_t i = 0; (value = sv_setting(project, name, i)); i++)
        sv_html(out, "%s%s", i ? "\n" : "", value);
    sv_raw(out, "</textarea></p>\n");
}

static void put_option(const sv_project *project, sv_text *out, const json_t *option) {
    if (!sv_option_is_asked(option))
        return;
    if (strcmp(sv_json_text(option, "type"), "switch") == 0) {
        put_switch(project, out, option);
        return;
    }
    if (json_is_true(json_object_get(option, "repeats"))) {
        put_list(project, out, option);
        return;
    }
    const place at = {option, sv_pair(project, sv_json_text(option, "name"), NULL), 0};
    sv_html(out, "<p class=\"entry\"><label for=\"o.%s\">%s</label>", sv_json_text(option, "name"),
            sv_json_text(option, "words"));
    put_field(out, &at);
    sv_raw(out, "</p>\n");
}

/* A table of sensitive columns: what holds for each of them instead. */
static void put_columns(const sv_project *project, sv_text *out, const json_t *model,
                        size_t n_columns) {
    const json_t *options = json_object_get(model, "options"), *option;
    size_t i;
    if (!sv_json_is(model, "needs_sensitive") || !names_column(json_array_get(options, 0)) ||
        n_columns < 2)
        return;
    sv_raw(out, "<div class=\"scroll\"><table class=\"inputs\"><caption>Different values for "
                "single columns</caption><thead><tr><th scope=\"col\">Column</th>");
    json_array_foreach(options, i, option) if (names_column(option))
        sv_html(out, "<th scope=\"col\">%s</th>", sv_json_text(option, "name"));
    sv_raw(out, "</tr></thead><tbody>\n");
    for (size_t c = 0; c < n_columns; c++) {
        const char *column = sv_setting(project, "sensitive", c);
        sv_raw(out, "<tr><th scope=\"row\" class=\"v\">");
        sv_value(out, column);
        sv_raw(out, "</th>");
        json_array_foreach(options, i, option) if (names_column(option)) {
            const char *name = sv_json_text(option, "name");
            const place at = {option, sv_pair(project, name, column), c + 1};
            sv_html(out, "<td><label class=\"off\" for=\"o.%s.%zu\">%s of %s</label>", name, c,
                    name, column);
            put_field(out, &at);
            sv_raw(out, "</td>");
        }
        sv_raw(out, "</tr>\n");
    }
    sv_raw(out, "</tbody></table></div>\n");
}

static void put_population(const sv_project *project, sv_text *out, bool *is_put) {
    const char *file = sv_setting(project, "population", 0);
    if (*is_put) {
        sv_raw(out, "<p class=\"entry\">The table of the population is named above.</p>\n");
        return;
    }
    *is_put = true;
    const char *short_name = file ? strrchr(file, '/') : NULL;
    sv_html(out,
            "<p class=\"entry\"><label for=\"population\">the table of the population: the name of "
            "a file in the project’s folder</label><input type=\"text\" name=\"population\" "
            "id=\"population\" autocomplete=\"off\" value=\"%s\"></p>\n",
            short_name ? short_name + 1
            : file     ? file
                       : "");
}

static void put_model(const sv_project *project, sv_text *out, const json_t *model,
                      bool *has_population) {
    const char *name = sv_json_text(model, "name");
    const json_t *options = json_object_get(model, "options"), *option;
    const size_t n_columns = sv_setting_count(project, "sensitive");
    const bool is_on = sv_model_is_on(project, model);
    size_t i;
    sv_html(out, "<details class=\"model\"%s><summary><strong>%s</strong> <small>%s%s</small>",
            is_on ? " open" : "", sv_json_text(model, "title"), name, is_on ? ", promised" : "");
    sv_html(out, "</summary>\n<fieldset><legend class=\"off\">%s</legend><p>%s</p>\n", name,
            sv_json_text(model, "words"));
    if (sv_json_is(model, "needs_sensitive") && n_columns == 0)
        sv_raw(out, "<p class=\"note\">It is about sensitive columns, and no column is marked as "
                    "sensitive yet.</p>\n");
    if (sv_json_is(model, "needs_weights") && !sv_setting(project, "sampling-weight", 0))
        sv_raw(out, "<p class=\"note\">It is about sampling weights, and no column is marked as a "
                    "sampling weight yet.</p>\n");
    if (sv_json_is(model, "needs_household") && !sv_setting(project, "household", 0))
        sv_raw(out, "<p class=\"note\">It is about households, and no column is marked as that "
                    "of the household yet.</p>\n");
    json_array_foreach(options, i, option) put_option(project, out, option);
    put_columns(project, out, model, n_columns);
    if (sv_json_is(model, "needs_population"))
        put_population(project, out, has_population);
    sv_raw(out, "</fieldset></details>\n");
}

/* ---- sections ------------------------------------------------------------------------------- */

/* Of tables whose rows are people: what it means for people who have several is not worked out. */
static void put_subsets(const sv_project *project, sv_text *out) {
    const char *subsets = sv_setting(project, "subsets", 0);
    if (sv_setting(project, "person", 0) && !subsets)
        return;
    sv_html(out,
            "<p class=\"entry\"><label for=\"subsets\">for every set of so many quasi-identifiers, "
            "in place of all at once <small>weaker: who knows more of somebody may find a single "
            "row. 2 is every pair, with the k above; 2:5,3:3 has a k for each size, and the field "
            "above stays empty; nothing: all at once</small></label><input type=\"text\" "
            "autocomplete=\"off\" name=\"subsets\" id=\"subsets\" value=\"%s\"></p>",
            subsets ? subsets : "");
}

static void put_k(const sv_project *project, sv_text *out, const json_t *registry) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    const char *k = sv_setting(project, "k", 0);
    size_t i = 0;
    while ((model = json_array_get(models, i)) && !sv_model_is_k(model))
        i++;
    sv_html(out,
            "<section><h2>%s</h2><p>%s</p><p class=\"entry\"><label for=\"o.k\">k: at least how "
            "many %s look alike</label><input type=\"number\" min=\"1\" step=\"1\" name=\"o.k\" "
            "id=\"o.k\" value=\"%s\" list=\"ks\"><datalist id=\"ks\"><option value=\"2\"><option "
            "value=\"5\"><option value=\"10\"><option value=\"20\"></datalist></p>\n",
            sv_json_text(model, "title"), sv_json_text(model, "words"),
            sv_setting(project, "person", 0) ? "people" : "rows", k ? k : "");
    sv_raw(out, "</section>\n");
}

const kan_setting *sv_people_setting_at(size_t index) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if ((setting->traits & KAN_TRAIT_PEOPLE) && setting->label &&
            kan_setting_choices(setting) && kan_setting_find(setting->name) == setting &&
            index-- == 0)
            return setting;
    }
    return NULL;
}

/* Takes the next item off a list with | between. */
static void take_item(const char **list, char *room, size_t size) {
    const size_t n = strcspn(*list, "|");
    snprintf(room, size, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == '|');
}

/* A choice that is not in question is left out: that of people where there are households, and so on. */
static void put_choice(const sv_project *project, sv_text *out, const kan_setting *setting,
                       const char *without) {
    const char *choices = kan_setting_choices(setting), *words = setting->words,
               *chosen = sv_setting(project, setting->name, 0);
    sv_html(out, "<p class=\"entry\"><label for=\"%s\">%s</label><select name=\"%s\" id=\"%s\">",
            setting->name, setting->label, setting->name, setting->name);
    while (*choices) {
        char choice[32], meaning[160];
        take_item(&choices, choice, sizeof choice);
        take_item(&words, meaning, sizeof meaning);
        if (strcmp(choice, without) != 0)
            sv_html(out, "<option value=\"%s\"%s>%s</option>", choice,
                    chosen && strcmp(chosen, choice) == 0 ? " selected" : "", meaning);
    }
    sv_raw(out, "</select></p>\n");
}

/* What is to be said of people who have several rows. */
static void put_people(const sv_project *project, sv_text *out) {
    const kan_setting *setting;
    if (!sv_setting(project, "person", 0))
        return;
    for (size_t i = 0; (setting = sv_people_setting_at(i)) != NULL; i++)
        put_choice(project, out, setting, "household");
}

/* A release is made here with its report, and there is none by composition. */
static void put_household(const sv_project *project, sv_text *out) {
    if (!sv_setting(project, "household", 0))
        return;
    put_choice(project, out, kan_setting_find("suppress-by"), "person");
    sv_raw(out, "<p class=\"note\">How easily a household is found can be promised below "
                "(household-risk). That k households share what all of their rows show together "
                "is promised on the command line, because there is no report of it: "
                "<code>--household-promise composition</code>.</p>\n");
}

static void put_limit(const sv_project *project, sv_text *out) {
    const char *what = sv_limit_counts(project);
    const char *limit = sv_setting(project, "suppress", 0);
    char number[32] = "0";
    if (limit && strcmp(limit, "all") != 0 && strlen(limit) < sizeof number) {
        strcpy(number, limit);
        number[strcspn(number, "%")] = '\0';
    }
    const bool is_all = limit && strcmp(limit, "all") == 0,
               is_rows = limit && !is_all && !strchr(limit, '%') && strcmp(limit, "0") != 0;
    sv_html(out,
            "<section><h2>How many %s may be left out</h2><p>A few unusual %s make everything "
            "coarser: leaving them out keeps the detail of all others. What is left out is lost, "
            "and who is left out is not random.</p>\n"
            "<div class=\"limit-row\"><p class=\"entry\"><label for=\"limit\">at "
            "most</label><input type=\"number\" min=\"0\" step=\"any\" name=\"limit\" id=\"limit\" "
            "value=\"%s\"></p><p class=\"entry\"><label for=\"limit-kind\">counted "
            "in</label><select name=\"limit-kind\" id=\"limit-kind\"><option value=\"percent\">per "
            "cent of the %s</option><option value=\"rows\"%s>%s</option><option "
            "value=\"all\"%s>no limit</option></select></p></div>\n",
            what, what, number, what, is_rows ? " selected" : "", what, is_all ? " selected" : "");
    sv_raw(out,
           "<div id=\"slide\" hidden><label for=\"slider\">the same with a slider, 0 to 10 per "
           "cent</label><input type=\"range\" id=\"slider\" min=\"0\" max=\"10\" "
           "step=\"0.5\" aria-describedby=\"buys\"></div>\n"
           "<p id=\"buys\" class=\"note\" aria-live=\"polite\" hidden></p>\n");
    put_people(project, out);
    put_household(project, out);
    sv_raw(out, "</section>\n");
}

/* What most releases ask for, and whatever is promised already. */
static bool is_in_sight(const sv_project *project, const json_t *model) {
    return sv_model_is_on(project, model) ||
           (sv_json_is(model, "everyday") && !sv_json_is(model, "needs_population"));
}

static void put_models(const sv_project *project, sv_text *out, const json_t *registry,
                       bool in_sight, bool *has_population) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    size_t i;
    json_array_foreach(models, i,
                       model) if (!sv_model_is_k(model) && is_in_sight(project, model) == in_sight)
        put_model(project, out, model, has_population);
}

static void put_secrets(const sv_project *project, sv_text *out, const json_t *registry,
                        bool *has_population) {
    sv_raw(out, "<section><h2>What else is promised</h2><p>k protects against being found. These "
                "protect the secrets of those who are found in a group. They can be combined; an "
                "empty field promises nothing. There are others under more.</p>\n");
    for (size_t c = 0; c < sv_setting_count(project, "sensitive"); c++)
        sv_html(out, "<input type=\"hidden\" name=\"sensitive.%zu\" value=\"%s\">", c,
                sv_setting(project, "sensitive", c));
    put_models(project, out, registry, true, has_population);
    sv_raw(out, "</section>\n");
}

static void put_weights(const sv_project *project, sv_text *out) {
    sv_raw(out, "<details><summary>How much each column matters</summary><p>A column of weight 2 "
                "loses detail at twice the price. An empty field means 1. Costs that add up "
                "columns (precision, distortion, ncp, height) use it.</p>\n");
    sv_text name = {0};
    for (size_t i = 0; sv_quasi_name(project, i, &name) && !name.failed; i++) {
        const char *value = sv_pair(project, "weight", name.bytes);
        sv_html(out,
                "<p class=\"entry\"><input type=\"hidden\" name=\"quasi.%zu\" value=\"%s\"><label "
                "for=\"weight.%zu\">",
                i, name.bytes, i);
        sv_value(out, name.bytes);
        sv_html(out,
                "</label><input type=\"number\" min=\"0\" step=\"any\" name=\"weight.%zu\" "
                "id=\"weight.%zu\" value=\"%s\"></p>\n",
                i, i, value ? value : "");
        sv_text_free(&name);
    }
    sv_text_free(&name);
    sv_raw(out, "</details>\n");
}

/* --for. */
static void put_purpose(const sv_project *project, sv_text *out) {
    const char *model = sv_setting(project, "for", 0);
    sv_html(
        out,
        "<details%s><summary>For a model that you know</summary><p>The column to be predicted, and "
        "those that it is predicted by, such as <code>income ~ age + sex</code>: columns that the "
        "model does not use become coarse first, with a cost that adds up columns. Where the model "
        "uses all of them, regions (mondrian) are cut where the outcome differs, if it is a column "
        "to "
        "be predicted; such cuts tell more of it than the groups show.</p><p "
        "class=\"entry\"><label for=\"for\">the "
        "model</label><input type=\"text\" name=\"for\" id=\"for\" value=\"%s\"></p></details>\n",
        model ? " open" : "", model ? model : "");
}

static void put_cost(const sv_project *project, sv_text *out, const json_t *registry) {
    sv_raw(out,
           "<section><h2>How loss is measured</h2><p>Of all releases that keep the promise, the "
           "best is the one with the least loss. This says how loss is measured.</p><p "
           "class=\"entry\"><label for=\"cost\">cost</label><select name=\"cost\" id=\"cost\">\n");
    sv_cost_options(out, registry, sv_cost(project));
    sv_raw(out, "</select></p>\n");
    put_purpose(project, out);
    put_weights(project, out);
    sv_raw(out, "</section>\n");
}

/* Whether anything is said there: then it is not folded away. The cost is named beside every loss, and every
 * project has one. */
static bool says_more(const sv_project *project) {
    return sv_setting(project, "subsets", 0) || sv_setting(project, "for", 0) ||
           sv_setting(project, "weight", 0) || sv_setting(project, "algorithm", 0) ||
           sv_recoding(project) || sv_has_matches(project);
}

/* All that few releases need. */
static void put_more(const sv_project *project, sv_text *out, const json_t *registry,
                     bool *has_population) {
    sv_html(out,
            "<details id=\"more\"%s><summary><strong>More</strong>: other promises, how loss is "
            "measured, how values may change</summary>\n<section><h2>Other promises</h2>\n",
            says_more(project) ? " open" : "");
    put_subsets(project, out);
    put_models(project, out, registry, false, has_population);
    sv_raw(out, "</section>\n");
    put_cost(project, out, registry);
    sv_recoding_choice(project, out, registry);
    sv_raw(out, "</details>\n");
}

void sv_promise_form(const sv_request *request, sv_text *out, const json_t *registry) {
    const sv_project *project = request->project;
    bool has_population = false;
    sv_form(request, out, "promise");
    put_k(project, out, registry);
    put_limit(project, out);
    put_secrets(project, out, registry, &has_population);
    put_more(project, out, registry, &has_population);
    sv_raw(out, "<p class=\"actions\"><button type=\"submit\" name=\"do\" value=\"estimate\">Save, "
                "and estimate what it costs</button> <button type=\"submit\" "
                "class=\"plain\">Save</button> <span id=\"kept\" role=\"status\"></span></p>\n"
                "</form>\n");
}
