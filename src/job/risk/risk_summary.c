/* The text of `risk`: a small table, before and after where both are known, then what it means in
 * plain words, the sizes of groups as bars, and what is learned of sensitive values. */
#include <math.h>
#include <stdio.h>

#include "job/risk/risk_inside.h"
#include "job/risk/risk_page.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

enum {
    MOST_VALUES = 8, /* of a sensitive column */
    VALUE = 28       /* columns of a value */
};

typedef struct {
    kan_risk_page out;
    const kan_risk_walk *walk;
    kan_risk_side sides[2]; /* after, before */
} page;

/* ---- groups --------------------------------------------------------------------------------- */

static void add_groups(page *p) {
    const kan_risk *a = p->sides[0].risk, *b = p->out.has_before ? p->sides[1].risk : a;
    char label[64];
    kan_risk_add_heading(&p->out, "");
    kan_risk_add_line(&p->out, "rows", kan_risk_count(b->n_rows), kan_risk_count(a->n_rows));
    if (a->n_suppressed + b->n_suppressed > 0)
        kan_risk_add_line(&p->out, "rows of nothing but *", kan_risk_count(b->n_suppressed),
                          kan_risk_count(a->n_suppressed));
    kan_risk_add_line(&p->out, "groups that look alike", kan_risk_count(b->n_groups),
                      kan_risk_count(a->n_groups));
    kan_risk_add_line(&p->out, "smallest group", kan_risk_count(b->smallest),
                      kan_risk_count(a->smallest));
    kan_risk_add_line(&p->out, "median row's group", kan_risk_count(b->median_size),
                      kan_risk_count(a->median_size));
    kan_risk_add_line(&p->out, "unique rows", kan_risk_count(b->n_unique),
                      kan_risk_count(a->n_unique));
    kan_risk_add_line(&p->out, "prosecutor risk, highest", kan_risk_chance(b->smallest),
                      kan_risk_chance(a->smallest));
    kan_risk_add_line(&p->out, "prosecutor risk, average", kan_risk_percent(b->average),
                      kan_risk_percent(a->average));
    snprintf(label, sizeof label, "rows above 1 in %llu", (unsigned long long)a->threshold);
    kan_risk_add_line(&p->out, label, kan_risk_percent(b->share_at_risk),
                      kan_risk_percent(a->share_at_risk));
    if (!p->sides[0].kmap)
        kan_risk_add_line(&p->out, "marketer risk", kan_risk_percent(b->marketer),
                          kan_risk_percent(a->marketer));
}

static void add_population(page *p) {
    const kan_kmap *a = p->sides[0].kmap, *b = p->sides[1].kmap;
    char label[64];
    if (!a)
        return;
    kan_risk_add_line(&p->out, "fewest who match (k-map)",
                      b ? kan_risk_count(b->k) : kan_risk_nothing(), kan_risk_count(a->k));
    kan_risk_add_line(&p->out, "journalist risk, highest",
                      b ? kan_risk_chance(b->k) : kan_risk_nothing(), kan_risk_chance(a->k));
    kan_risk_add_line(&p->out, "journalist risk, average",
                      b ? kan_risk_percent(b->average) : kan_risk_nothing(),
                      kan_risk_percent(a->average));
    snprintf(label, sizeof label, "  rows above 1 in %llu", (unsigned long long)p->out.threshold);
    kan_risk_add_line(&p->out, label, b ? kan_risk_percent(b->share_at_risk) : kan_risk_nothing(),
                      kan_risk_percent(a->share_at_risk));
    kan_risk_add_line(&p->out, "marketer risk",
                      b ? kan_risk_percent(b->average) : kan_risk_nothing(),
                      kan_risk_percent(a->average));
}

static kan_risk_word uniques_word(const kan_estimates *e, int estimator) {
    return e && e->by[estimator].is_known ? kan_risk_about(e->by[estimator].n_uniques)
                                          : kan_risk_nothing();
}

static void add_estimates(page *p) {
    const kan_estimates *a = p->sides[0].estimates, *b = p->sides[1].estimates;
    if (!a)
        return;
    for (int i = 0; i < KAN_ESTIMATORS; i++) {
        char label[64];
        snprintf(label, sizeof label, "population uniques, %s",
                 kan_estimator_name((kan_estimator)i));
        kan_risk_add_line(&p->out, label, uniques_word(b, i), uniques_word(a, i));
    }
}

/* ---- people ---------------------------------------------------------------------------------- */

/* Each person once, by the smallest group that she is in. */
static void add_people(page *p) {
    const kan_risk *a = p->sides[0].person, *b = p->out.has_before ? p->sides[1].person : a;
    char label[64];
    if (!a)
        return;
    kan_risk_add_heading(&p->out, "each person, by her smallest group");
    kan_risk_add_line(&p->out, "people", kan_risk_count(b->n_rows), kan_risk_count(a->n_rows));
    kan_risk_add_line(&p->out, "people alone in a group", kan_risk_count(b->n_unique),
                      kan_risk_count(a->n_unique));
    kan_risk_add_line(&p->out, "risk of a person, average", kan_risk_percent(b->average),
                      kan_risk_percent(a->average));
    snprintf(label, sizeof label, "people above 1 in %llu", (unsigned long long)p->out.threshold);
    kan_risk_add_line(&p->out, label, kan_risk_percent(b->share_at_risk),
                      kan_risk_percent(a->share_at_risk));
}

/* ---- matches -------------------------------------------------------------------------------- */

static void add_matches(page *p) {
    const kan_crowds *a = p->sides[0].crowds, *b = p->out.has_before ? p->sides[1].crowds : a;
    char label[64];
    if (!a || !b)
        return;
    kan_risk_add_heading(&p->out, "* and missing match anything");
    kan_risk_add_line(&p->out, "rows that hide a value", kan_risk_count(b->n_hidden),
                      kan_risk_count(a->n_hidden));
    kan_risk_add_line(&p->out, "fewest rows that match", kan_risk_count(b->smallest),
                      kan_risk_count(a->smallest));
    kan_risk_add_line(&p->out, "median row's matches", kan_risk_count(b->median),
                      kan_risk_count(a->median));
    kan_risk_add_line(&p->out, "rows that match no other", kan_risk_count(b->n_unique),
                      kan_risk_count(a->n_unique));
    kan_risk_add_line(&p->out, "risk, highest", kan_risk_chance(b->smallest),
                      kan_risk_chance(a->smallest));
    kan_risk_add_line(&p->out, "risk, average", kan_risk_percent(b->average),
                      kan_risk_percent(a->average));
    snprintf(label, sizeof label, "rows above 1 in %llu", (unsigned long long)p->out.threshold);
    kan_risk_add_line(&p->out, label, kan_risk_percent(b->share_at_risk),
                      kan_risk_percent(a->share_at_risk));
}

/* ---- weights and households ------------------------------------------------------------------- */

/* The risk of one row, with as many digits as tell it from others. */
static kan_risk_word risk_word(double risk) {
    kan_risk_word w;
    snprintf(w.text, sizeof w.text, "%.4g%%", 100 * risk);
    return w;
}

static void add_spread(page *p, const kan_risk_spread *b, const kan_risk_spread *a) {
    char label[64];
    kan_risk_add_line(&p->out, "  highest", risk_word(b->highest), risk_word(a->highest));
    kan_risk_add_line(&p->out, "  99% of the rows at most", risk_word(b->upper_1),
                      risk_word(a->upper_1));
    kan_risk_add_line(&p->out, "  90% of the rows at most", risk_word(b->upper_10),
                      risk_word(a->upper_10));
    kan_risk_add_line(&p->out, "  half of the rows at most", risk_word(b->median),
                      risk_word(a->median));
    kan_risk_add_line(&p->out, "  average (global risk)", risk_word(b->average),
                      risk_word(a->average));
    kan_risk_add_line(&p->out, "  expected re-identifications", kan_risk_real(b->expected),
                      kan_risk_real(a->expected));
    snprintf(label, sizeof label, "  rows above 1 in %llu", (unsigned long long)p->out.threshold);
    kan_risk_add_line(&p->out, label, kan_risk_count(b->n_at_risk), kan_risk_count(a->n_at_risk));
    if (isnan(a->allowed) && isnan(b->allowed))
        return;
    kan_risk_add_line(&p->out, "  risk to be brought to",
                      isnan(b->allowed) ? kan_risk_nothing() : risk_word(b->allowed),
                      isnan(a->allowed) ? kan_risk_nothing() : risk_word(a->allowed));
    kan_risk_add_line(&p->out, "  rows above that", kan_risk_count(b->n_above_allowed),
                      kan_risk_count(a->n_above_allowed));
}

/* Whole people, or two digits where there are few. */
static kan_risk_word few_word(double number) {
    kan_risk_word w;
    snprintf(w.text, sizeof w.text, "%.2g", number);
    return number < 10 ? w : kan_risk_about(number);
}

static void say_individual(page *p) {
    const kan_individual_risks *risks = p->sides[0].individual;
    const kan_risk_spread *all = risks ? &risks->rows : NULL;
    if (!risks || all->n_rows == 0)
        return;
    kan_risk_add_words(
        &p->out,
        "About %s of the %s people in the table would be recognised by somebody who links each "
        "row to one of the people%s who look like it.",
        few_word(all->expected).text, kan_risk_count(all->n_rows).text,
        isnan(p->sides[0].weights_sum) ? " in the table" : " of the population");
    if (p->out.has_before && p->sides[1].individual)
        kan_risk_add_words(&p->out, "Before, it would have been about %s of %s.",
                           few_word(p->sides[1].individual->rows.expected).text,
                           kan_risk_count(p->sides[1].individual->rows.n_rows).text);
    if (!isnan(all->allowed))
        kan_risk_add_words(
            &p->out,
            "An average of %s is tolerated: rows of a higher risk than %s would have to be "
            "brought down to that, which are %s.",
            risk_word(kan_options_real(&p->walk->job->options, "tolerated-risk", 0)).text,
            risk_word(all->allowed).text, kan_risk_count(all->n_above_allowed).text);
    else if (kan_options_find(&p->walk->job->options, "tolerated-risk"))
        kan_risk_add_words(&p->out, "The average is within the risk that is tolerated.");
}

static void add_individual(page *p) {
    const kan_individual_risks *a = p->sides[0].individual, *b = p->sides[1].individual;
    if (!a)
        return;
    b = b ? b : a;
    kan_text_print(p->out.text, "\n");
    say_individual(p);
    kan_risk_add_heading(&p->out, isnan(p->sides[0].weights_sum) ? "risk by groups"
                                                                 : "risk by sampling weights");
    if (!isnan(p->sides[0].weights_sum))
        kan_risk_add_line(&p->out, "people of the population",
                          kan_risk_about(p->out.has_before ? p->sides[1].weights_sum : 0),
                          kan_risk_about(p->sides[0].weights_sum));
    kan_text_print(p->out.text, "  of a row\n");
    add_spread(p, &b->rows, &a->rows);
    if (!a->has_households)
        return;
    kan_text_print(p->out.text, "  of a household, for each of its rows\n");
    add_spread(p, &b->households, &a->households);
    kan_risk_add_line(&p->out, "households", kan_risk_count(b->n_households),
                      kan_risk_count(a->n_households));
    kan_risk_add_line(&p->out, "  no other has the same rows", kan_risk_count(b->n_alone),
                      kan_risk_count(a->n_alone));
}

/* ---- words ---------------------------------------------------------------------------------- */

static void say_prosecutor(page *p) {
    const kan_risk *risk = p->sides[0].risk;
    const kan_risk *each = p->sides[0].person ? p->sides[0].person : risk;
    if (risk->n_rows == 0) {
        kan_risk_add_words(
            &p->out, "Every row shows nothing but *: nobody can be recognised in this table.");
        return;
    }
    if (risk->smallest == 1)
        kan_risk_add_words(
            &p->out,
            "Somebody who knows a person's quasi-identifiers, and that the person is in the "
            "table, can be certain which row it is for %s of the people in it.",
            kan_risk_percent(each->share_unique).text);
    else
        kan_risk_add_words(
            &p->out,
            "Somebody who knows a person's quasi-identifiers, and that the person is in the "
            "table, has at most a %s chance of picking the right row; on average it is %s.",
            kan_risk_chance(risk->smallest).text, kan_risk_percent(each->average).text);
    if (risk->n_suppressed > 0)
        kan_risk_add_words(
            &p->out,
            "%s suppressed row%s nothing but *, in every column: nobody is recognised by "
            "that, and %s counted separately.",
            kan_risk_count(risk->n_suppressed).text, risk->n_suppressed == 1 ? " shows" : "s show",
            risk->n_suppressed == 1 ? "it is" : "they are");
}

static void say_journalist(page *p) {
    const kan_kmap *kmap = p->sides[0].kmap;
    if (!kmap)
        return;
    kan_risk_add_words(
        &p->out,
        "Somebody with a list of the %s people of the population, who does not know which of "
        "them are in the table, has at most a %s chance of naming the person behind a row; "
        "linking all rows, %s of the names would be right.",
        kan_risk_count(kmap->n_people).text, kan_risk_chance(kmap->k).text,
        kan_risk_percent(kmap->average).text);
}

static void say_estimate(page *p, const kan_estimates *e, const char *where) {
    const kan_estimate *chosen = &e->by[e->chosen];
    if (!e->has_chosen)
        return;
    if (e->n_unique == 0) {
        kan_risk_add_words(
            &p->out, "No row %s is unique, so nobody in it is unique in the population.", where);
        return;
    }
    kan_risk_add_words(
        &p->out,
        "The table is %s of a population of %s. If it was drawn at random, and %s, about %s "
        "people of the population are unique (%s), and about %s rows %s are such people: a "
        "list of names leaves no doubt about them.",
        kan_risk_percent(e->fraction).text, kan_risk_about(e->n_people).text,
        kan_estimator_assumption(e->chosen), kan_risk_about(chosen->n_uniques).text,
        kan_risk_percent(chosen->share).text, kan_risk_about(chosen->n_exposed).text, where);
}

static void add_meaning(page *p) {
    kan_text_print(p->out.text, "\n");
    say_prosecutor(p);
    say_journalist(p);
    if (p->sides[0].estimates && p->out.has_before)
        say_estimate(p, p->sides[1].estimates, "of the original");
    if (p->sides[0].estimates)
        say_estimate(p, p->sides[0].estimates,
                     p->out.has_before ? "of the release" : "of the table");
}

/* ---- sensitive values ----------------------------------------------------------------------- */

static kan_risk_word reached_word(const kan_model_recount *model, bool is_share) {
    if (!model || !model->is_reached)
        return kan_risk_nothing();
    return is_share ? kan_risk_percent(model->reached) : kan_risk_real(model->reached);
}

static void add_values(page *p, const kan_sensitive_risk *risk) {
    kan_text *text = p->out.text;
    kan_text_print(text, "\n  %-*s%*s%*s%*s\n", KAN_RISK_LABEL, "value", KAN_RISK_NUMBER, "rows",
                   KAN_RISK_NUMBER, "of a group", KAN_RISK_NUMBER, "of all");
    for (size_t i = 0; i < risk->n_values && i < MOST_VALUES; i++) {
        const kan_value_confidence *value = &risk->values[i];
        kan_text_print(text, "  ");
        const size_t used = kan_words_add_label(text, value->value, VALUE);
        kan_text_print(text, "%*s%*s%*s%*s\n", (int)(KAN_RISK_LABEL - used), "", KAN_RISK_NUMBER,
                       kan_risk_count(value->n_rows).text, KAN_RISK_NUMBER,
                       kan_risk_percent(value->confidence).text, KAN_RISK_NUMBER,
                       kan_risk_percent(value->share).text);
    }
    if (risk->n_values > MOST_VALUES)
        kan_text_print(text, "  and %s more; --json FILE has them\n",
                       kan_risk_count(risk->n_values - MOST_VALUES).text);
}

/* As much of the name as there is room for beside the figures. */
static void add_sensitive_heading(page *p, const char *name) {
    enum { NAME = 17 };
    kan_text label;
    kan_text_init(&label, p->out.text->run);
    kan_text_print(&label, "sensitive: ");
    (void)kan_words_add_label(&label, kan_slice_of(name), NAME);
    if (kan_text_status(&label) == KAN_OK)
        kan_risk_add_heading(&p->out, label.bytes);
    p->out.text->failed |= label.failed;
    kan_text_destroy(&label);
}

static void add_sensitive(page *p, size_t i) {
    const kan_sensitive_risks *all = p->sides[0].sensitive;
    const kan_sensitive_risk *a = &all->columns[i];
    const kan_sensitive_risk *b = p->out.has_before ? &p->sides[1].sensitive->columns[i] : a;
    add_sensitive_heading(p, a->name);
    for (size_t f = 0; f < all->figures->n; f++) {
        const kan_recount_figure *figure = all->figures->all[f].figure;
        char label[64], with[16] = "";
        if (!all->figures->all[f].is_told)
            continue;
        if (figure->option)
            snprintf(with, sizeof with, ", %s=%.6s", figure->option,
                     all->figures->all[f].model.text);
        snprintf(label, sizeof label, "  %s%s", figure->words, with);
        kan_risk_add_line(&p->out, label, reached_word(&b->reached[f], figure->is_share),
                          reached_word(&a->reached[f], figure->is_share));
    }
    kan_risk_add_line(&p->out, "  rows with no doubt left", kan_risk_count(b->n_rows_certain),
                      kan_risk_count(a->n_rows_certain));
    add_values(p, a);
}

static void say_sensitive(page *p) {
    const kan_sensitive_risks *all = p->sides[0].sensitive;
    for (size_t i = 0; i < all->n; i++)
        add_sensitive(p, i);
    kan_text_print(p->out.text, "\n");
    kan_risk_add_words(
        &p->out,
        "Of a group: the largest share of one group that has the value, which is how sure "
        "somebody who knows only in which group a person is can be of it. Of all: its share "
        "of all rows, which anybody would guess.%s",
        p->out.has_before ? ""
                          : " Distances are to the values of this table; --original FILE measures "
                            "them to those before.");
}

/* ---- what to do next ------------------------------------------------------------------------ */

/* A word as a shell takes it. */
static void add_shell_word(kan_text *text, const char *value) {
    const size_t plain =
        strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                      "_-./:,=+@%");
    if (*value && value[plain] == '\0') {
        kan_text_print(text, " %s", value);
        return;
    }
    kan_text_print(text, " '");
    for (; *value; value++)
        kan_text_print(text, *value == '\'' ? "'\\''" : "%c", *value);
    kan_text_print(text, "'");
}

/* The settings of that name: in one list, as people write it, where no item has a comma. */
static void add_setting(const page *p, const char *name) {
    const kan_options *options = &p->walk->job->options;
    const size_t n = kan_options_count_of(options, name);
    kan_text list;
    bool has_comma = false;
    kan_text_init(&list, p->out.text->run);
    for (size_t i = 0; i < n; i++) {
        const char *item = kan_options_at(options, name, i);
        has_comma |= strchr(item, ',') != NULL;
        kan_text_print(&list, "%s%s", i ? "," : "", item);
    }
    for (size_t i = 0; i < (has_comma ? n : n > 0); i++) {
        const char *all = list.bytes ? list.bytes : "";
        kan_text_print(p->out.text, " --%s", name);
        add_shell_word(p->out.text, has_comma ? kan_options_at(options, name, i) : all);
    }
    p->out.text->failed |= list.failed;
    kan_text_destroy(&list);
}

/* Where rows are at risk the next step is a release, of the same columns and of the same people; where
 * none are, this was the last one: `verify` leads here. */
static void add_next(page *p) {
    const kan_risk_walk *w = p->walk;
    const kan_options *options = &w->job->options;
    const char *original = kan_options_find(options, "original");
    const char *from = original ? original : kan_options_find(options, "input");
    const kan_risk_table table = original ? KAN_RISK_ORIGINAL : KAN_RISK_TABLE;
    char path[KAN_NEXT_PATH];
    if (p->sides[0].risk->n_rows_at_risk == 0 || !w->sides[table].input.is_file ||
        !w->sides[KAN_RISK_TABLE].input.is_file || strcmp(from, "-") == 0 || w->threshold < 2 ||
        kan_table_total(w->sides[table].table) < w->threshold)
        return;
    const size_t start = p->out.text->size;
    kan_text_print(p->out.text, "\nnext: kanon anonymize");
    add_shell_word(p->out.text, from);
    kan_text_print(p->out.text, " -o");
    add_shell_word(p->out.text, kan_next_free_path(from, "safer.csv", path));
    add_setting(p, "qi");
    add_setting(p, "hierarchies");
    add_setting(p, "sensitive");
    add_setting(p, "person");
    kan_next_step reading = kan_next_begin(p->out.text, "");
    kan_next_reading(&reading, options);
    kan_text_print(p->out.text, " --k %llu\n", (unsigned long long)w->threshold);
    kan_words_check_command(p->out.text, start);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_title(page *p) {
    enum { NAME = 40 };
    const kan_risk_walk *w = p->walk;
    kan_text_print(p->out.text, "%s: risk by ", w->sides[KAN_RISK_TABLE].input.name);
    for (size_t i = 0; i < w->n_quasi + w->n_means; i++) {
        const char *name = w->sides[KAN_RISK_TABLE].input.columns[w->groups_by[i]];
        kan_text_print(p->out.text, "%s", i ? ", " : "");
        (void)kan_words_add_label(p->out.text, kan_slice_of(name), NAME);
    }
    kan_text_print(p->out.text, "\n");
}

kan_status kan_risk_summary(const kan_risk_walk *w, kan_text *text) {
    char memory[32];
    page p = {
        .out = {text, w->has[KAN_RISK_ORIGINAL], w->threshold},
        .walk = w,
        .sides = {kan_risk_side_of(w, KAN_RISK_TABLE), kan_risk_side_of(w, KAN_RISK_ORIGINAL)}};
    add_title(&p);
    add_groups(&p);
    add_population(&p);
    add_estimates(&p);
    add_people(&p);
    add_matches(&p);
    add_individual(&p);
    add_meaning(&p);
    kan_risk_add_sizes(&p.out, &(kan_risk_bars){{p.sides[0].sizes, p.sides[1].sizes},
                                                {p.sides[0].risk->n_rows, p.sides[1].risk->n_rows},
                                                "group size",
                                                "rows"});
    kan_risk_special_summary(w, text);
    kan_risk_near_summary(w, text);
    if (w->n_sensitive > 0)
        say_sensitive(&p);
    kan_text_print(text, "\n  %.2f s: read %.0f ms, measure %.0f ms; %s of memory\n",
                   (kan_now_ms() - w->start_ms) / 1000, w->read_ms, w->measure_ms,
                   kan_bytes_text(kan_run_peak_memory(w->run), memory));
    add_next(&p);
    return kan_text_status(text);
}
