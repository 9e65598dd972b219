/* The text of `risk`: a small table, before and after where both are known, then what it means in
 * plain words, the sizes of groups as bars, and what is learned of sensitive values. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/risk/risk_inside.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

enum {
    LABEL = 30,      /* columns of a label */
    NUMBER = 12,     /* of a number */
    LINE = 78,       /* of a line of words */
    BAR = 20,        /* of the longest bar */
    MOST_VALUES = 8, /* of a sensitive column */
    VALUE = 28       /* columns of a value */
};

/* ---- numbers -------------------------------------------------------------------------------- */

typedef struct {
    char text[32];
} word;

static word count_word(uint64_t count) {
    word w;
    kan_count_text(count, w.text);
    return w;
}

static word nothing(void) {
    return (word){"-"};
}

static word percent_word(double share) {
    word w;
    kan_percent_text(100 * share, KAN_PERCENT_TIGHT, w.text);
    return w;
}

static word chance_word(uint64_t crowd) {
    word w, count = count_word(crowd);
    snprintf(w.text, sizeof w.text, "1 in %.20s", count.text);
    return crowd ? w : nothing();
}

/* An estimate: whole people. */
static word about_word(double number) {
    return count_word((uint64_t)llround(fmax(number, 0)));
}

static word real_word(double number) {
    word w;
    if (isinf(number)) /* of a value that a group lacks */
        snprintf(w.text, sizeof w.text, "infinite");
    else
        snprintf(w.text, sizeof w.text, "%.4g", number);
    return w;
}

/* ---- lines ---------------------------------------------------------------------------------- */

typedef struct {
    const kan_risk_walk *walk;
    kan_text *text;
    kan_risk_side sides[2]; /* after, before */
    bool has_before;
} page;

static void add_line(page *p, const char *label, word before, word after) {
    kan_text_print(p->text, "  %-*s", LABEL, label);
    if (p->has_before)
        kan_text_print(p->text, "%*s", NUMBER, before.text);
    kan_text_print(p->text, "%*s\n", NUMBER, after.text);
}

static void add_heading(page *p, const char *label) {
    kan_text_print(p->text, "\n");
    if (p->has_before)
        kan_text_print(p->text, "  %-*s%*s%*s\n", LABEL, label, NUMBER, "before", NUMBER, "after");
    else if (*label)
        kan_text_print(p->text, "  %s\n", label);
}

/* Words, broken into lines of two blanks and up to LINE columns. */
static void add_words(page *p, const char *format, ...) KAN_PRINTF(2, 3);
static void add_words(page *p, const char *format, ...) {
    char words[1024];
    size_t used = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    for (const char *at = words; *at;) {
        const size_t size = strcspn(at, " ");
        if (used > 0 && used + 1 + kan_text_columns(at, size) > LINE) {
            kan_text_print(p->text, "\n");
            used = 0;
        }
        kan_text_print(p->text, used == 0 ? "  " : " ");
        kan_text_add(p->text, at, size);
        used += (used == 0 ? 2 : 1) + kan_text_columns(at, size);
        at += size + strspn(at + size, " ");
    }
    kan_text_print(p->text, "\n");
}

/* ---- groups --------------------------------------------------------------------------------- */

static void add_groups(page *p) {
    const kan_risk *a = p->sides[0].risk, *b = p->has_before ? p->sides[1].risk : a;
    char label[64];
    add_heading(p, "");
    add_line(p, "rows", count_word(b->n_rows), count_word(a->n_rows));
    if (a->n_suppressed + b->n_suppressed > 0)
        add_line(p, "rows of nothing but *", count_word(b->n_suppressed),
                 count_word(a->n_suppressed));
    add_line(p, "groups that look alike", count_word(b->n_groups), count_word(a->n_groups));
    add_line(p, "smallest group", count_word(b->smallest), count_word(a->smallest));
    add_line(p, "median row's group", count_word(b->median_size), count_word(a->median_size));
    add_line(p, "unique rows", count_word(b->n_unique), count_word(a->n_unique));
    add_line(p, "prosecutor risk, highest", chance_word(b->smallest), chance_word(a->smallest));
    add_line(p, "prosecutor risk, average", percent_word(b->average), percent_word(a->average));
    snprintf(label, sizeof label, "rows above 1 in %llu", (unsigned long long)a->threshold);
    add_line(p, label, percent_word(b->share_at_risk), percent_word(a->share_at_risk));
    if (!p->sides[0].kmap)
        add_line(p, "marketer risk", percent_word(b->marketer), percent_word(a->marketer));
}

static void add_population(page *p) {
    const kan_kmap *a = p->sides[0].kmap, *b = p->sides[1].kmap;
    char label[64];
    if (!a)
        return;
    add_line(p, "fewest who match (k-map)", b ? count_word(b->k) : nothing(), count_word(a->k));
    add_line(p, "journalist risk, highest", b ? chance_word(b->k) : nothing(), chance_word(a->k));
    add_line(p, "journalist risk, average", b ? percent_word(b->average) : nothing(),
             percent_word(a->average));
    snprintf(label, sizeof label, "  rows above 1 in %llu", (unsigned long long)p->walk->threshold);
    add_line(p, label, b ? percent_word(b->share_at_risk) : nothing(),
             percent_word(a->share_at_risk));
    add_line(p, "marketer risk", b ? percent_word(b->average) : nothing(),
             percent_word(a->average));
}

static word uniques_word(const kan_estimates *e, int estimator) {
    return e && e->by[estimator].is_known ? about_word(e->by[estimator].n_uniques) : nothing();
}

static void add_estimates(page *p) {
    const kan_estimates *a = p->sides[0].estimates, *b = p->sides[1].estimates;
    if (!a)
        return;
    for (int i = 0; i < KAN_ESTIMATORS; i++) {
        char label[64];
        snprintf(label, sizeof label, "population uniques, %s",
                 kan_estimator_name((kan_estimator)i));
        add_line(p, label, uniques_word(b, i), uniques_word(a, i));
    }
}

/* ---- people ---------------------------------------------------------------------------------- */

/* Each person once, by the smallest group that she is in. */
static void add_people(page *p) {
    const kan_risk *a = p->sides[0].person, *b = p->has_before ? p->sides[1].person : a;
    char label[64];
    if (!a)
        return;
    add_heading(p, "each person, by her smallest group");
    add_line(p, "people", count_word(b->n_rows), count_word(a->n_rows));
    add_line(p, "people alone in a group", count_word(b->n_unique), count_word(a->n_unique));
    add_line(p, "risk of a person, average", percent_word(b->average), percent_word(a->average));
    snprintf(label, sizeof label, "people above 1 in %llu", (unsigned long long)p->walk->threshold);
    add_line(p, label, percent_word(b->share_at_risk), percent_word(a->share_at_risk));
}

/* ---- matches -------------------------------------------------------------------------------- */

static void add_matches(page *p) {
    const kan_crowds *a = p->sides[0].crowds, *b = p->has_before ? p->sides[1].crowds : a;
    char label[64];
    if (!a || !b)
        return;
    add_heading(p, "* and missing match anything");
    add_line(p, "rows that hide a value", count_word(b->n_hidden), count_word(a->n_hidden));
    add_line(p, "fewest rows that match", count_word(b->smallest), count_word(a->smallest));
    add_line(p, "median row's matches", count_word(b->median), count_word(a->median));
    add_line(p, "rows that match no other", count_word(b->n_unique), count_word(a->n_unique));
    add_line(p, "risk, highest", chance_word(b->smallest), chance_word(a->smallest));
    add_line(p, "risk, average", percent_word(b->average), percent_word(a->average));
    snprintf(label, sizeof label, "rows above 1 in %llu", (unsigned long long)p->walk->threshold);
    add_line(p, label, percent_word(b->share_at_risk), percent_word(a->share_at_risk));
}

/* ---- weights and households ------------------------------------------------------------------- */

/* The risk of one row, with as many digits as tell it from others. */
static word risk_word(double risk) {
    word w;
    snprintf(w.text, sizeof w.text, "%.4g%%", 100 * risk);
    return w;
}

static void add_spread(page *p, const kan_risk_spread *b, const kan_risk_spread *a) {
    char label[64];
    add_line(p, "  highest", risk_word(b->highest), risk_word(a->highest));
    add_line(p, "  99% of the rows at most", risk_word(b->upper_1), risk_word(a->upper_1));
    add_line(p, "  90% of the rows at most", risk_word(b->upper_10), risk_word(a->upper_10));
    add_line(p, "  half of the rows at most", risk_word(b->median), risk_word(a->median));
    add_line(p, "  average (global risk)", risk_word(b->average), risk_word(a->average));
    add_line(p, "  expected re-identifications", real_word(b->expected), real_word(a->expected));
    snprintf(label, sizeof label, "  rows above 1 in %llu", (unsigned long long)p->walk->threshold);
    add_line(p, label, count_word(b->n_at_risk), count_word(a->n_at_risk));
    if (isnan(a->allowed) && isnan(b->allowed))
        return;
    add_line(p, "  risk to be brought to", isnan(b->allowed) ? nothing() : risk_word(b->allowed),
             isnan(a->allowed) ? nothing() : risk_word(a->allowed));
    add_line(p, "  rows above that", count_word(b->n_above_allowed),
             count_word(a->n_above_allowed));
}

static void add_individual(page *p) {
    const kan_individual_risks *a = p->sides[0].individual, *b = p->sides[1].individual;
    if (!a)
        return;
    b = b ? b : a;
    add_heading(p, isnan(p->sides[0].weights_sum) ? "risk by groups" : "risk by sampling weights");
    if (!isnan(p->sides[0].weights_sum))
        add_line(p, "people of the population",
                 about_word(p->has_before ? p->sides[1].weights_sum : 0),
                 about_word(p->sides[0].weights_sum));
    kan_text_print(p->text, "  of a row\n");
    add_spread(p, &b->rows, &a->rows);
    if (!a->has_households)
        return;
    kan_text_print(p->text, "  of a household, for each of its rows\n");
    add_spread(p, &b->households, &a->households);
    add_line(p, "households", count_word(b->n_households), count_word(a->n_households));
    add_line(p, "  no other has the same rows", count_word(b->n_alone), count_word(a->n_alone));
}

/* Whole people, or two digits where there are few. */
static word few_word(double number) {
    word w;
    snprintf(w.text, sizeof w.text, "%.2g", number);
    return number < 10 ? w : about_word(number);
}

static void say_individual(page *p) {
    const kan_individual_risks *risks = p->sides[0].individual;
    const kan_risk_spread *all = risks ? &risks->rows : NULL;
    if (!risks || all->n_rows == 0)
        return;
    add_words(
        p,
        "About %s of the %s people in the table would be recognised by somebody who links each "
        "row to one of the people%s who look like it.",
        few_word(all->expected).text, count_word(all->n_rows).text,
        isnan(p->sides[0].weights_sum) ? " in the table" : " of the population");
    if (!isnan(all->allowed))
        add_words(p,
                  "An average of %s is tolerated: rows of a higher risk than %s would have to be "
                  "brought down to that, which are %s.",
                  risk_word(kan_options_real(&p->walk->job->options, "tolerated-risk", 0)).text,
                  risk_word(all->allowed).text, count_word(all->n_above_allowed).text);
    else if (kan_options_find(&p->walk->job->options, "tolerated-risk"))
        add_words(p, "The average is within the risk that is tolerated.");
}

/* ---- words ---------------------------------------------------------------------------------- */

static void say_prosecutor(page *p) {
    const kan_risk *risk = p->sides[0].risk;
    const kan_risk *each = p->sides[0].person ? p->sides[0].person : risk;
    if (risk->n_rows == 0) {
        add_words(p, "Every row shows nothing but *: nobody can be recognised in this table.");
        return;
    }
    if (risk->smallest == 1)
        add_words(p,
                  "Somebody who knows a person's quasi-identifiers, and that the person is in the "
                  "table, can be certain which row it is for %s of the people in it.",
                  percent_word(each->share_unique).text);
    else
        add_words(p,
                  "Somebody who knows a person's quasi-identifiers, and that the person is in the "
                  "table, has at most a %s chance of picking the right row; on average it is %s.",
                  chance_word(risk->smallest).text, percent_word(each->average).text);
    if (risk->n_suppressed > 0)
        add_words(p,
                  "%s suppressed row%s nothing but *, in every column: nobody is recognised by "
                  "that, and %s counted separately.",
                  count_word(risk->n_suppressed).text,
                  risk->n_suppressed == 1 ? " shows" : "s show",
                  risk->n_suppressed == 1 ? "it is" : "they are");
}

static void say_journalist(page *p) {
    const kan_kmap *kmap = p->sides[0].kmap;
    if (!kmap)
        return;
    add_words(p,
              "Somebody with a list of the %s people of the population, who does not know which of "
              "them are in the table, has at most a %s chance of naming the person behind a row; "
              "linking all rows, %s of the names would be right.",
              count_word(kmap->n_people).text, chance_word(kmap->k).text,
              percent_word(kmap->average).text);
}

static void say_estimate(page *p, const kan_estimates *e, const char *where) {
    const kan_estimate *chosen = &e->by[e->chosen];
    if (!e->has_chosen)
        return;
    if (e->n_unique == 0) {
        add_words(p, "No row %s is unique, so nobody in it is unique in the population.", where);
        return;
    }
    add_words(p,
              "The table is %s of a population of %s. If it was drawn at random, and %s, about %s "
              "people of the population are unique (%s), and about %s rows %s are such people: a "
              "list of names leaves no doubt about them.",
              percent_word(e->fraction).text, about_word(e->n_people).text,
              kan_estimator_assumption(e->chosen), about_word(chosen->n_uniques).text,
              percent_word(chosen->share).text, about_word(chosen->n_exposed).text, where);
}

static void add_meaning(page *p) {
    kan_text_print(p->text, "\n");
    say_prosecutor(p);
    say_journalist(p);
    say_individual(p);
    if (p->sides[0].estimates && p->has_before)
        say_estimate(p, p->sides[1].estimates, "of the original");
    if (p->sides[0].estimates)
        say_estimate(p, p->sides[0].estimates, p->has_before ? "of the release" : "of the table");
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* One side of one band: the share of rows, and a bar. */
static void add_bar(page *p, uint64_t n_rows, uint64_t all, bool is_last) {
    const double share = all ? (double)n_rows / (double)all : 0;
    kan_text_print(p->text, share > 0 || !is_last ? "%9s  " : "%9s", percent_word(share).text);
    const unsigned length = kan_words_add_bar(p->text, share, BAR);
    if (!is_last)
        kan_text_print(p->text, "%*s", BAR - (int)length, "");
}

static void add_band(page *p, const kan_size_band *band, uint64_t after, uint64_t before) {
    char sizes[64];
    word least = count_word(band->least), most = count_word(band->most);
    if (band->least == band->most)
        snprintf(sizes, sizeof sizes, "%s", least.text);
    else
        snprintf(sizes, sizeof sizes, "%s-%s", least.text, most.text);
    kan_text_print(p->text, "  %-15s", sizes);
    if (p->has_before)
        add_bar(p, before, p->sides[1].risk->n_rows, false);
    add_bar(p, after, p->sides[0].risk->n_rows, true);
    kan_text_print(p->text, "\n");
}

/* Bands of both sides are those of one grid, and both are in order. */
static void add_sizes(page *p) {
    kan_size_band bands[2][KAN_SIZE_BANDS];
    size_t n[2] = {0, 0}, at[2] = {0, 0};
    for (int side = 0; side < (p->has_before ? 2 : 1); side++)
        n[side] = kan_size_bands(p->sides[side].sizes, p->walk->threshold, bands[side]);
    if (n[0] + n[1] == 0)
        return;
    kan_text_print(p->text, "\n  %-15s", "group size");
    if (p->has_before)
        kan_text_print(p->text, "%-*s", BAR + 11, "  rows before");
    kan_text_print(p->text, p->has_before ? "  rows after\n" : "     rows\n");
    while (at[0] < n[0] || at[1] < n[1]) {
        const kan_size_band *after = at[0] < n[0] ? &bands[0][at[0]] : NULL;
        const kan_size_band *before = at[1] < n[1] ? &bands[1][at[1]] : NULL;
        const bool takes_after = after && (!before || after->least <= before->least);
        const bool takes_before = before && (!after || before->least <= after->least);
        add_band(p, takes_after ? after : before, takes_after ? after->n_rows : 0,
                 takes_before ? before->n_rows : 0);
        at[0] += takes_after;
        at[1] += takes_before;
    }
}

/* ---- sensitive values ----------------------------------------------------------------------- */

static word reached_word(const kan_model_recount *model, bool is_share) {
    if (!model || !model->is_reached)
        return nothing();
    return is_share ? percent_word(model->reached) : real_word(model->reached);
}

static void add_values(page *p, const kan_sensitive_risk *risk) {
    kan_text *text = p->text;
    kan_text_print(text, "\n  %-*s%*s%*s%*s\n", LABEL, "value", NUMBER, "rows", NUMBER,
                   "of a group", NUMBER, "of all");
    for (size_t i = 0; i < risk->n_values && i < MOST_VALUES; i++) {
        const kan_value_confidence *value = &risk->values[i];
        kan_text_print(text, "  ");
        const size_t used = kan_words_add_label(text, value->value, VALUE);
        kan_text_print(text, "%*s%*s%*s%*s\n", (int)(LABEL - used), "", NUMBER,
                       count_word(value->n_rows).text, NUMBER, percent_word(value->confidence).text,
                       NUMBER, percent_word(value->share).text);
    }
    if (risk->n_values > MOST_VALUES)
        kan_text_print(text, "  and %s more; --json FILE has them\n",
                       count_word(risk->n_values - MOST_VALUES).text);
}

/* As much of the name as there is room for beside the figures. */
static void add_sensitive_heading(page *p, const char *name) {
    enum { NAME = 17 };
    kan_text label;
    kan_text_init(&label, p->text->run);
    kan_text_print(&label, "sensitive: ");
    (void)kan_words_add_label(&label, kan_slice_of(name), NAME);
    if (kan_text_status(&label) == KAN_OK)
        add_heading(p, label.bytes);
    p->text->failed |= label.failed;
    kan_text_destroy(&label);
}

static void add_sensitive(page *p, size_t i) {
    const kan_sensitive_risks *all = p->sides[0].sensitive;
    const kan_sensitive_risk *a = &all->columns[i];
    const kan_sensitive_risk *b = p->has_before ? &p->sides[1].sensitive->columns[i] : a;
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
        add_line(p, label, reached_word(&b->reached[f], figure->is_share),
                 reached_word(&a->reached[f], figure->is_share));
    }
    add_line(p, "  rows with no doubt left", count_word(b->n_rows_certain),
             count_word(a->n_rows_certain));
    add_values(p, a);
}

static void say_sensitive(page *p) {
    const kan_sensitive_risks *all = p->sides[0].sensitive;
    for (size_t i = 0; i < all->n; i++)
        add_sensitive(p, i);
    kan_text_print(p->text, "\n");
    add_words(p,
              "Of a group: the largest share of one group that has the value, which is how sure "
              "somebody who knows only in which group a person is can be of it. Of all: its share "
              "of all rows, which anybody would guess.%s",
              p->has_before
                  ? ""
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
    kan_text_init(&list, p->text->run);
    for (size_t i = 0; i < n; i++) {
        const char *item = kan_options_at(options, name, i);
        has_comma |= strchr(item, ',') != NULL;
        kan_text_print(&list, "%s%s", i ? "," : "", item);
    }
    for (size_t i = 0; i < (has_comma ? n : n > 0); i++) {
        const char *all = list.bytes ? list.bytes : "";
        kan_text_print(p->text, " --%s", name);
        add_shell_word(p->text, has_comma ? kan_options_at(options, name, i) : all);
    }
    p->text->failed |= list.failed;
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
    const size_t start = p->text->size;
    kan_text_print(p->text, "\nnext: kanon anonymize");
    add_shell_word(p->text, from);
    kan_text_print(p->text, " -o");
    add_shell_word(p->text, kan_next_free_path(from, "safer.csv", path));
    add_setting(p, "qi");
    add_setting(p, "hierarchies");
    add_setting(p, "sensitive");
    add_setting(p, "person");
    kan_next_step reading = kan_next_begin(p->text, "");
    kan_next_reading(&reading, options);
    kan_text_print(p->text, " --k %llu\n", (unsigned long long)w->threshold);
    kan_words_check_command(p->text, start);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_title(page *p) {
    enum { NAME = 40 };
    const kan_risk_walk *w = p->walk;
    kan_text_print(p->text, "%s: risk by ", w->sides[KAN_RISK_TABLE].input.name);
    for (size_t i = 0; i < w->n_quasi + w->n_means; i++) {
        const char *name = w->sides[KAN_RISK_TABLE].input.columns[w->groups_by[i]];
        kan_text_print(p->text, "%s", i ? ", " : "");
        (void)kan_words_add_label(p->text, kan_slice_of(name), NAME);
    }
    kan_text_print(p->text, "\n");
}

kan_status kan_risk_summary(const kan_risk_walk *w, kan_text *text) {
    char memory[32];
    page p = {
        .walk = w,
        .text = text,
        .sides = {kan_risk_side_of(w, KAN_RISK_TABLE), kan_risk_side_of(w, KAN_RISK_ORIGINAL)},
        .has_before = w->has[KAN_RISK_ORIGINAL]};
    add_title(&p);
    add_groups(&p);
    add_population(&p);
    add_estimates(&p);
    add_people(&p);
    add_matches(&p);
    add_individual(&p);
    add_meaning(&p);
    add_sizes(&p);
    kan_risk_special_summary(w, text);
    if (w->n_sensitive > 0)
        say_sensitive(&p);
    kan_text_print(text, "\n  %.2f s: read %.0f ms, measure %.0f ms; %s of memory\n",
                   (kan_now_ms() - w->start_ms) / 1000, w->read_ms, w->measure_ms,
                   kan_bytes_text(kan_run_peak_memory(w->run), memory));
    add_next(&p);
    return kan_text_status(text);
}
