/* What `utility --regress` found, in words, then in numbers. */
#include <math.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

enum { MOST_NAMES = 8, NAME_COLUMNS = 34, LINE = 80, INDENT = 2, MOST_SHOWN = 60 };

typedef struct {
    const kan_fidelity_walk *w;
    const kan_asked_model *model;
    const kan_regression *r;
    kan_text *text;
} telling;

static void add_sentence(const telling *t, const char *words) {
    kan_text_print(t->text, "%*s", INDENT, "");
    kan_text_add_wrapped(t->text, words, INDENT, INDENT, LINE);
}

static const char *name_of(const telling *t, size_t term) {
    return t->w->original.columns[t->model->terms[term].original];
}

/* ---- the model ------------------------------------------------------------------------------ */

static void add_kind(const telling *t) {
    const kan_regression *r = t->r;
    char sentence[2048], quoted[3][256], rows[4][32];
    const char *outcome = t->w->original.columns[t->model->outcome.original];
    if (r->kind == KAN_FIT_LINEAR)
        snprintf(sentence, sizeof sentence,
                 "Linear regression of %s%s, by least squares over complete rows: %s of %s of the "
                 "original, %s of %s of the release.",
                 kan_quote(kan_slice_of(outcome), quoted[0]),
                 r->outcome_is_coarser ? " (in the release by middles)" : "",
                 kan_count_text(r->original.n_complete, rows[0]),
                 kan_count_text(t->w->original.table->n_rows, rows[1]),
                 kan_count_text(r->released.n_complete, rows[2]),
                 kan_count_text(t->w->release.table->n_rows, rows[3]));
    else
        snprintf(sentence, sizeof sentence,
                 "Logistic regression of %s: the odds of %s against %s, over complete rows: %s of "
                 "%s of the original, %s of %s of the release.",
                 kan_quote(kan_slice_of(outcome), quoted[0]), kan_quote(r->counted, quoted[1]),
                 kan_quote(r->other, quoted[2]), kan_count_text(r->original.n_complete, rows[0]),
                 kan_count_text(t->w->original.table->n_rows, rows[1]),
                 kan_count_text(r->released.n_complete, rows[2]),
                 kan_count_text(t->w->release.table->n_rows, rows[3]));
    add_sentence(t, sentence);
}

static void add_names(const telling *t, kan_term_form form, bool is_coarser, const char *one,
                      const char *several) {
    char room[1024], sentence[1536];
    kan_name_list names = kan_names_begin(room, sizeof room, MOST_NAMES);
    size_t n = 0;
    for (size_t i = 0; i < t->model->n_terms; i++)
        if (t->r->terms[i].form == form && (!is_coarser || t->r->terms[i].has_coarser)) {
            kan_names_add_quoted(&names, name_of(t, i));
            n++;
        }
    if (n == 0)
        return;
    snprintf(sentence, sizeof sentence, "%s %s", kan_names_end(&names),
             kan_plural(n, one, several));
    add_sentence(t, sentence);
}

static void add_forms(const telling *t) {
    add_names(t, KAN_TERM_NUMBER, true, "enters by middles of what its cells cover.",
              "enter by middles of what their cells cover.");
    add_names(t, KAN_TERM_LABELS, false,
              "enters by the release's labels, in both tables: the original was fitted again.",
              "enter by the release's labels, in both tables: the original was fitted again.");
    add_names(t, KAN_TERM_LABELS_OVERLAP, false,
              "enters by labels in the release alone: they overlap, so that the original cannot be "
              "read by them.",
              "enter by labels in the release alone: they overlap, so that the original cannot be "
              "read by them.");
    add_names(t, KAN_TERM_NOT_RELEASED, false,
              "is not in the release, or hidden there, and its model goes without: what remains "
              "means something else.",
              "are not in the release, or hidden there, and its model goes without: what remains "
              "means something else.");
}

static void add_baselines(const telling *t) {
    char room[1024], sentence[1536], label[512];
    kan_name_list names = kan_names_begin(room, sizeof room, MOST_NAMES);
    size_t n = 0;
    for (size_t i = 0; i < t->model->n_terms; i++) {
        const kan_slice baseline = t->r->terms[i].baseline;
        if (!t->r->terms[i].has_baseline)
            continue;
        snprintf(label, sizeof label, "%s: %.*s", name_of(t, i),
                 (int)(baseline.size < 128 ? baseline.size : 128), baseline.bytes);
        kan_names_add_quoted(&names, label);
        n++;
    }
    if (n == 0)
        return;
    snprintf(sentence, sizeof sentence, "Other values of the %s are held against %s.",
             kan_plural(n, "column", "columns"), kan_names_end(&names));
    add_sentence(t, sentence);
}

/* ---- what went wrong ------------------------------------------------------------------------ */

static void add_trouble(const telling *t, const char *whose, const kan_regress_model *model) {
    char sentence[512];
    const kan_fitted *fit = &model->fit;
    if (model->state == KAN_REGRESS_NO_ROWS)
        snprintf(sentence, sizeof sentence,
                 "%s has no row in which all columns of the model are known, so that nothing was "
                 "fitted.",
                 whose);
    else if (model->state == KAN_REGRESS_ONE_VALUE)
        snprintf(sentence, sizeof sentence,
                 "%s has one outcome alone in its complete rows, so that nothing was fitted.",
                 whose);
    else if (!fit->has_converged)
        snprintf(sentence, sizeof sentence,
                 "%s: the fit did not converge in %u steps; its coefficients are left out.", whose,
                 fit->n_steps);
    else
        return;
    add_sentence(t, sentence);
}

static size_t add_label(const telling *t, const kan_regress_coefficient *c, char *room,
                        size_t size) {
    const int n = c->term == SIZE_MAX ? snprintf(room, size, "(constant)")
                  : c->name.size > 0
                      ? snprintf(room, size, "%s: %.*s", name_of(t, c->term),
                                 (int)(c->name.size < 128 ? c->name.size : 128), c->name.bytes)
                      : snprintf(room, size, "%s", name_of(t, c->term));
    return n > 0 ? (size_t)n : 0;
}

/* Coefficients of a state, of either model. */
static void add_state(const telling *t, kan_estimate_state state, bool is_after,
                      const char *words) {
    char room[2048], sentence[3072], label[512];
    kan_name_list names = kan_names_begin(room, sizeof room, MOST_NAMES);
    size_t n = 0;
    for (size_t i = 0; i < t->r->n_coefficients; i++) {
        const kan_regress_coefficient *c = &t->r->coefficients[i];
        if ((is_after ? &c->after : &c->before)->state != state)
            continue;
        add_label(t, c, label, sizeof label);
        kan_names_add_quoted(&names, label);
        n++;
    }
    if (n == 0)
        return;
    snprintf(sentence, sizeof sentence, "%s, in %s: %s.", words,
             is_after ? "the release" : "the original", kan_names_end(&names));
    add_sentence(t, sentence);
}

static void add_troubles(const telling *t) {
    static const char collinear[] = "Left out, because they follow from columns before them";
    static const char separated[] =
        "Without a finite coefficient, because they tell the two outcomes apart without an error "
        "(separation)";
    add_trouble(t, "The original", &t->r->original);
    if (t->r->is_at_labels)
        add_trouble(t, "The original at the release's labels", &t->r->at_labels);
    add_trouble(t, "The release", &t->r->released);
    for (int after = 0; after < 2; after++) {
        add_state(t, KAN_ESTIMATE_COLLINEAR, after, collinear);
        add_state(t, KAN_ESTIMATE_SEPARATED, after, separated);
    }
}

/* ---- what is left --------------------------------------------------------------------------- */

static void add_verdict(const telling *t) {
    const kan_regression *r = t->r;
    const kan_regress_coefficient *least = NULL;
    char sentence[1024], label[512], quoted[256];
    size_t n_apart = 0;
    for (size_t i = 0; i < r->n_coefficients; i++) {
        const kan_regress_coefficient *c = &r->coefficients[i];
        n_apart += c->has_overlap && c->overlap < 0;
        if (c->has_overlap && (!least || c->overlap < least->overlap))
            least = c;
    }
    if (r->n_compared == 0) {
        add_sentence(t, "No coefficient can be compared.");
        return;
    }
    snprintf(sentence, sizeof sentence,
             "Of %zu %s that can be compared %zu %s the sign, and %zu whether the interval "
             "excludes 0.",
             r->n_compared, kan_plural(r->n_compared, "coefficient", "coefficients"), r->n_sign,
             kan_plural(r->n_sign, "keeps", "keep"), r->n_significance);
    add_sentence(t, sentence);
    if (!least) {
        add_sentence(t, "No two intervals have a length that could be compared.");
        return;
    }
    add_label(t, least, label, sizeof label);
    snprintf(
        sentence, sizeof sentence,
        "Intervals of 95 %% overlap by %.3f on average (1: they are the same), and least for %s: "
        "%.3f.",
        r->mean_overlap, kan_quote(kan_slice_of(label), quoted), least->overlap);
    add_sentence(t, sentence);
    if (n_apart == 0)
        return;
    snprintf(sentence, sizeof sentence,
             "%zu %s not meet: an overlap below 0 says how far they are apart.", n_apart,
             kan_plural(n_apart, "pair of intervals does", "pairs of intervals do"));
    add_sentence(t, sentence);
}

static void add_lost(const telling *t) {
    char room[2048], sentence[3072], label[512];
    kan_name_list names = kan_names_begin(room, sizeof room, MOST_NAMES);
    size_t n = 0;
    for (size_t i = 0; i < t->r->n_coefficients; i++) {
        const kan_regress_coefficient *c = &t->r->coefficients[i];
        if (c->before.state != KAN_ESTIMATE_FOUND || c->is_compared)
            continue;
        add_label(t, c, label, sizeof label);
        kan_names_add_quoted(&names, label);
        n++;
    }
    if (n == 0)
        return;
    snprintf(sentence, sizeof sentence, "Lost, as the release has nothing that means the same: %s.",
             kan_names_end(&names));
    add_sentence(t, sentence);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static const char *number_text(double number, char room[32]) {
    if (isnan(number))
        return "-";
    snprintf(room, 32, "%.5g", number == 0 ? 0 : number);
    return room;
}

static unsigned label_width(const telling *t) {
    size_t widest = 11;
    char label[512];
    for (size_t i = 0; i < t->r->n_coefficients; i++) {
        const size_t size = add_label(t, &t->r->coefficients[i], label, sizeof label);
        const size_t columns =
            kan_text_columns(label, size < sizeof label ? size : sizeof label - 1);
        widest = columns > widest ? columns : widest;
    }
    return (unsigned)(widest < NAME_COLUMNS ? widest : NAME_COLUMNS);
}

static void add_coefficient(const telling *t, const kan_regress_coefficient *c, unsigned width) {
    char label[512], room[4][32], overlap[32] = "-";
    add_label(t, c, label, sizeof label);
    kan_text_print(t->text, "%*s", INDENT, "");
    const size_t used = kan_words_add_label(t->text, kan_slice_of(label), width);
    kan_text_print(t->text, "%*s", (int)(width - (used < width ? used : width)), "");
    if (c->has_overlap)
        snprintf(overlap, sizeof overlap, "%.3f", c->overlap);
    kan_text_print(t->text, "  %10s  %9s  %10s  %9s  %7s  %-4s  %s\n",
                   number_text(c->before.value, room[0]), number_text(c->before.error, room[1]),
                   number_text(c->after.value, room[2]), number_text(c->after.error, room[3]),
                   overlap,
                   !c->is_compared ? "-"
                   : c->keeps_sign ? "kept"
                                   : "lost",
                   !c->is_compared         ? "-"
                   : c->keeps_significance ? "kept"
                                           : "lost");
}

static void add_table(const telling *t) {
    const unsigned width = label_width(t);
    size_t n = t->r->n_coefficients < MOST_SHOWN ? t->r->n_coefficients : MOST_SHOWN;
    kan_text_print(t->text,
                   "\n  %-*s    original      error     release      error  overlap  sign  "
                   "significance\n",
                   (int)width, "coefficient");
    for (size_t i = 0; i < n; i++)
        add_coefficient(t, &t->r->coefficients[i], width);
    if (n < t->r->n_coefficients)
        kan_text_print(t->text, "  %zu of %zu coefficients; --json FILE has all.\n", n,
                       t->r->n_coefficients);
}

static void add_sentences(const telling *t) {
    add_kind(t);
    add_forms(t);
    add_baselines(t);
    add_troubles(t);
    add_verdict(t);
    add_lost(t);
}

void kan_regression_sentences(const kan_fidelity_walk *w, const kan_asked_model *model,
                              kan_text *text) {
    const telling t = {w, model, &model->regression, text};
    add_sentences(&t);
}

void kan_regressions_words(const kan_fidelity_walk *w, kan_text *text) {
    for (size_t i = 0; i < w->regressions.n; i++) {
        const kan_asked_model *model = &w->regressions.models[i];
        const telling t = {w, model, &model->regression, text};
        kan_text_print(text, "\n  regress     %s\n\n", model->text);
        add_sentences(&t);
        add_table(&t);
    }
}
