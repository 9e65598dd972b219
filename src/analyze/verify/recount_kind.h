/* A privacy model as the recount knows it: one file recount_NAME.c defines one constant, and has a
 * line in analyze/models/models.h. Whoever recounts, tells, prints or checks a result goes over the table,
 * and knows none by name.
 *
 * A kind takes nothing from src/privacy: it reads its settings by itself, and follows the
 * definition once more, so that a mistake in one does not make the other wrong. */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_KIND_H
#define KANON_ANALYZE_VERIFY_RECOUNT_KIND_H

#include <assert.h>

#include "analyze/verify/claim.h"

struct kan_model_values;
struct kan_model_tally;
struct kan_model_recount;
struct kan_groups_recount;

/* ---- what is told --------------------------------------------------------------------------- */

/* What was promised, as results show it: a key, and its value. */
typedef struct kan_fact {
    const char *key;
    enum {
        KAN_FACT_NUMBER, /* `text`, a number as the user wrote it */
        KAN_FACT_COUNT,
        KAN_FACT_WORD,   /* `text` */
        KAN_FACT_SWITCH, /* `count`, 0 or 1 */
        KAN_FACT_RATIO,  /* `count` / `whole` */
        KAN_FACT_GIVEN   /* every value that was given for the option `text`; null without any */
    } type;
    const char *text;
    uint64_t count, whole;
} kan_fact;

enum { KAN_MOST_FACTS = 8 };

typedef struct kan_facts {
    size_t n;
    kan_fact facts[KAN_MOST_FACTS];
} kan_facts;

/* A fact that the page of a report shows, and what it must be there: a result may come from a file
 * that somebody has changed. */
typedef struct kan_shown_fact {
    const char *key;
    enum {
        KAN_SHOWN_SHARE, /* from 0 to 1 */
        KAN_SHOWN_REAL,
        KAN_SHOWN_WORD,
        KAN_SHOWN_SWITCH,
        KAN_SHOWN_WORDS /* a list of them, or null */
    } type;
} kan_shown_fact;

/* The page on which a kind writes its words of a report. Keys are those of its facts; all that a
 * result says is shown with care, and where it says nothing a dash. */
typedef struct kan_model_page {
    void (*say)(const struct kan_model_page *page, const char *words);
    void (*count)(const struct kan_model_page *page, const char *key);
    void (*word)(const struct kan_model_page *page, const char *key);
    bool (*is_given)(const struct kan_model_page *page, const char *key);
    void (*percent)(const struct kan_model_page *page, const char *key);
    /* "flu, cold and 3 more"; false, and nothing, where there are none. */
    bool (*names)(const struct kan_model_page *page, const char *key);
    bool (*is)(const struct kan_model_page *page, const char *key, const char *word);
    bool (*is_true)(const struct kan_model_page *page, const char *key);
    /* The sentence of what is reached, `before` being its words before the number; nothing where
     * that is not known, or must not be told. */
    void (*reached)(const struct kan_model_page *page, const char *before, bool is_share);
    bool counts_people; /* shares are of the people of a group, not of its rows */
} kan_model_page;

/* A figure that `kanon risk` tells of any table, whatever was promised: what the worst group
 * reaches under the most modest promise of the kind. */
typedef struct kan_recount_figure {
    const char *key;       /* in results: "entropy_l" */
    const char *words;     /* for people: "least by entropy (l)" */
    const char *option;    /* its decimal is that of this option, without which it is not told;
                                 NULL: that of the promise */
    bool is_share;         /* told in percent */
    kan_claim_model model; /* without its kind */
} kan_recount_figure;

/* ---- a kind --------------------------------------------------------------------------------- */

typedef struct kan_recount_kind {
    const char *name;      /* as in the registry */
    bool uses_distance;    /* needs to know how far values are apart */
    bool uses_population;  /* needs to know how many people match each group */
    bool uses_weights;     /* needs to know how many people its rows stand for */
    bool needs_no_weights; /* with uses_weights: without them rows stand for themselves */
    bool uses_households;  /* needs to know which rows are one household's */
    bool uses_subsets;     /* needs to know what sets of columns show: kan_claim.subsets */
    bool takes_size;       /* does not where --population-size or --sampling-fraction is given */
    bool
        counts_people; /* it means something for people, too: shares are of kan_model_tally.total */
    /* Holds groups against the whole table: what it reaches tells of rows that were left out. */
    bool uses_whole;
    /* Whether a group that keeps the model keeps it whoever else comes into it. NULL: it may not. */
    bool (*takes_any)(const kan_claim_model *model);
    /* The option that names the values that it looks at, all of them unless some are named; NULL:
     * always all. */
    const char *values_option;
    /* Reads its own settings, of which the one that turns the model on is given. KAN_BAD_INPUT
     * where they make no sense. `model` has its kind and its options. */
    kan_status (*read)(kan_run *run, const kan_options *options, kan_claim_model *model);
    /* Whether the group keeps the model; `so_far` takes what it reaches, where that is worse than
     * what others do (recount_model.h). */
    bool (*check)(const kan_claim_model *model, const struct kan_model_values *values,
                  const struct kan_model_tally *tally, struct kan_model_recount *so_far);
    /* In place of `check`, for a model that looks at no sensitive column: holds all groups against
     * the model, and fills `out` in, which is all 0 (recount_model.h). */
    void (*check_groups)(const kan_claim_model *model, const struct kan_groups_recount *groups,
                         struct kan_model_recount *out);
    /* What was promised. The column is the one that says most of the model, and NULL for a model
     * that looks at none. The fact with the name
     * of the option that turns the model on says how much; it is always there. */
    void (*tell)(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts);
    /* The same for people, behind the name: " t=0.2 by ordered distance". */
    void (*say_promised)(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text);
    /* What is reached: ", the greatest distance is 0.18". */
    void (*say_reached)(double reached, kan_text *text);
    /* The same where people are counted; NULL: it is the same. */
    void (*say_reached_by_people)(double reached, kan_text *text);
    /* What the page of a report shows of it, and the sentences that do. */
    const kan_shown_fact *shown;
    size_t n_shown;
    void (*show)(const kan_model_page *page);
    /* What the model does not promise. Of several models the page tells this of the strongest. */
    const char *leaves_open;
    unsigned strength;
    const kan_recount_figure *figures;
    size_t n_figures;
} kan_recount_kind;

/* ---- for the kinds -------------------------------------------------------------------------- */

/* Reads an option into the decimal of the model. */
KAN_MUST_USE kan_status kan_recount_read_decimal(kan_run *run, const kan_options *options,
                                                 const char *name, kan_claim_model *model);

/* Whether it must know how many people rows stand for: of its options only these matter. */
bool kan_claim_needs_weights(const kan_claim_model *model);
static inline void kan_facts_add(kan_facts *facts, kan_fact fact) {
    assert(facts->n < KAN_MOST_FACTS);
    facts->facts[facts->n++] = fact;
}

#endif
