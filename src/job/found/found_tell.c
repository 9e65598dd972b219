/* What was found of a list of people, in sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/found/found_inside.h"

typedef struct {
    char text[160];
} phrase;

/* Of which answer something is told. */
typedef struct {
    const kan_found *f;
    uint64_t n_people, n_asked;
    const kan_found_figures *figures;
    kan_found_words *words;
} side;

/* "2.5"; of many people "1,234". */
static void count_or_tenths(double people, char room[32]) {
    const uint64_t tenths = (uint64_t)(10 * people + 0.5);
    if (tenths < 1000 && tenths % 10 > 0)
        snprintf(room, 32, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
    else
        kan_count_text((uint64_t)(people + 0.5), room);
}

/* `people` may be a sum of shares. */
static phrase of_sum(const side *s, double people, bool begins) {
    char some[32], all[32], low[32], high[32];
    const kan_found_estimate e = kan_found_estimate_of(s->n_people, s->n_asked, people);
    phrase out;
    kan_count_text(s->n_people, all);
    if (s->n_asked == s->n_people)
        count_or_tenths(e.expected, some);
    else
        kan_count_text((uint64_t)(e.expected + 0.5), some);
    if (s->n_asked == s->n_people)
        snprintf(out.text, sizeof out.text, "%s of %s people", some, all);
    else
        snprintf(out.text, sizeof out.text, "%s %s of %s people (%s to %s)",
                 begins ? "About" : "about", some, all, kan_count_text((uint64_t)floor(e.low), low),
                 kan_count_text((uint64_t)ceil(e.high), high));
    return out;
}

/* "31 of 20,000 people"; of a sample, perhaps at the beginning of a sentence, "about 1,550 of 1,000,000 people (1,310 to 1,830)". */
static phrase of_people(const side *s, uint64_t people, bool begins) {
    return of_sum(s, (double)people, begins);
}

static bool is_of_one(const side *s, uint64_t people) {
    return s->n_asked == s->n_people && people == 1;
}

static void tell_right(const side *s, const kan_found_tally *told, const char *is_so,
                       const char *is_not) {
    const uint64_t open = told->people - told->right - told->wrong;
    char rest[80] = "";
    if (!s->f->question.truth || told->people == 0)
        return;
    if (open > 0)
        snprintf(rest, sizeof rest, "; of %s it is not known", kan_found_count_of(open).text);
    kan_found_say(s->words, "%s: %s; %s: %s%s.", is_so, kan_found_count_of(told->right).text,
                  is_not, kan_found_count_of(told->wrong).text, rest);
}

static phrase drawn_of(const side *s, uint64_t people) {
    phrase out = {""};
    if (s->n_asked < s->n_people)
        snprintf(out.text, sizeof out.text, ": %s of %s who were drawn, with an interval of 95%%",
                 kan_found_count_of(people).text, kan_found_count_of(s->n_asked).text);
    return out;
}

/* ---- rows that match ------------------------------------------------------------------------------- */

static void tell_matches(const side *s) {
    const kan_found_figures *f = s->figures;
    const kan_found_question *q = &s->f->question;
    char few[32] = "2";
    kan_found_say(s->words, "%s %s matched by exactly one row%s.", of_people(s, f->one, true).text,
                  is_of_one(s, f->one) ? "is" : "are", drawn_of(s, f->one).text);
    tell_right(s, &f->found, "It is theirs", "it is somebody else's");
    if (q->truth && q->truth->why && f->one > 0)
        kan_found_say(s->words, "Which row is whose cannot be told: %s.", q->truth->why);
    if (q->k > 3)
        snprintf(few, sizeof few, "2 to %" PRIu64, q->k - 1);
    if (q->k > 2)
        kan_found_say(s->words, "%s %s matched by %s rows.", of_people(s, f->few, true).text,
                      is_of_one(s, f->few) ? "is" : "are", few);
    kan_found_say(s->words, "%s %s matched by no row.", of_people(s, f->none, true).text,
                  is_of_one(s, f->none) ? "is" : "are");
}

static void tell_values(const side *s) {
    const kan_found_question *q = &s->f->question;
    for (size_t i = 0; i < q->n_sensitive; i++) {
        const kan_found_column *c = &s->figures->columns[i];
        if (s->f->wanted != SIZE_MAX && s->f->wanted != i)
            continue; /* it is known */
        char quoted[256];
        kan_quote(kan_slice_of(kan_found_name(s->f, q->sensitive[i])), quoted);
        kan_found_say(s->words, "The value of %s is certain for %s.", quoted,
                      of_people(s, c->certain.people, false).text);
        tell_right(s, &c->certain, "It is right", "it is wrong");
        kan_found_say(s->words, "It is more than 90%% likely for %s.",
                      of_people(s, c->likely.people, false).text);
        tell_right(s, &c->likely, "It is right", "it is wrong");
    }
}

/* By which of the sets this is told. */
static void tell_sets(const side *s) {
    const kan_found *f = s->f;
    const kan_found_profile *profile = f->question.profile;
    if (f->wanted != SIZE_MAX)
        kan_found_say(s->words, "Wanted is '%s'%s.",
                      kan_found_name(f, f->question.sensitive[f->wanted]),
                      f->n_sets > 1 ? ", the worst of the sensitive columns" : "");
    else if (f->n_sets > 1)
        kan_found_say(s->words,
                      "These are the worst of %s sets of columns; on average one row "
                      "matches %s people.",
                      kan_found_count_of(f->n_sets).text,
                      kan_found_count_of((uint64_t)(f->sum_one / (double)f->n_sets + 0.5)).text);
    if (profile && profile->wants_any_row && s->n_asked == s->n_people)
        kan_found_say(s->words, "%s of %s rows %s exactly one of them.",
                      kan_found_count_of(f->answer.n_rows_alone).text,
                      kan_found_count_of(f->answer.n_rows).text,
                      kan_plural(f->answer.n_rows_alone, "matches", "match"));
}

/* ---- rows that are nearest -------------------------------------------------------------------------- */

static void tell_near_values(const side *s) {
    const kan_found_question *q = &s->f->question;
    for (size_t i = 0; i < q->n_sensitive; i++) {
        const kan_found_column *c = &s->figures->columns[i];
        if (s->f->wanted != SIZE_MAX && s->f->wanted != i)
            continue;
        kan_found_say(s->words, "The nearest rows show one value of '%s' for %s.",
                      kan_found_name(s->f, q->sensitive[i]),
                      of_people(s, c->certain.people, false).text);
        tell_right(s, &c->certain, "It is right", "it is wrong");
    }
}

static void tell_nearest(const side *s) {
    const kan_found *f = s->f;
    const kan_found_truth *truth = f->question.truth;
    if (f->n_changed > 0)
        kan_found_say(s->words,
                      "The release shows %s %s that nobody has, so values were changed; these are "
                      "the rows that are nearest to each person, in standard deviations.",
                      kan_found_count_of(f->n_changed).text,
                      kan_plural(f->n_changed, "number", "numbers"));
    kan_found_say(s->words, "%s %s one nearest row%s.", of_people(s, s->figures->one, true).text,
                  is_of_one(s, s->figures->one) ? "has" : "have",
                  drawn_of(s, s->figures->one).text);
    tell_right(s, &s->figures->found, "It is theirs", "it is somebody else's");
    if (f->near_holds)
        kan_found_say(s->words,
                      "Who takes one of the nearest rows of each at random can expect to be right "
                      "for %s%s.",
                      of_sum(s, s->figures->right, false).text,
                      truth->is_granted
                          ? ", if the rows stand in the order of the original: nothing says so"
                          : "");
    else
        kan_found_say(s->words,
                      "Who takes one of the nearest rows of each at random can expect to be right "
                      "for at most %s%s%s.",
                      of_sum(s, s->figures->expected, false).text,
                      truth && truth->why ? "; which row is whose cannot be told: " : "",
                      truth && truth->why ? truth->why : "");
    if (f->assigned.is_done)
        kan_found_say(
            s->words,
            "Who hands out all rows at once, each to one person, so that they are nearest "
            "in sum, can expect to be right for %s.",
            of_sum(s, f->assigned.right, false).text);
    tell_near_values(s);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

void kan_found_tell(const kan_found *f, kan_found_words *words) {
    const kan_found_profile *profile = f->question.profile;
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, 8);
    const side matching = {f, f->n_people, f->n_asked, &f->figures, words};
    const side nearest = {f, f->n_near_people, f->n_near_asked, &f->near_figures, words};
    for (size_t i = 0; i < f->n_set; i++)
        kan_names_add(&list, kan_found_name(f, f->question.columns[f->set[i]].released));
    kan_found_pause(words);
    kan_found_say(words,
                  "%s who has %s, and knows %s of its people:", profile ? profile->who : "Somebody",
                  f->question.people_name, kan_names_end(&list));
    tell_sets(&matching);
    kan_found_pause(words);
    tell_matches(&matching);
    tell_values(&matching);
    if (!f->has_nearest) {
        if (2 * f->figures.none >= f->n_asked && !f->question.truth)
            kan_found_say(words,
                          "Most are matched by no row. If values were changed rather than made "
                          "coarser, --nearest looks for the rows that are nearest.");
        return;
    }
    kan_found_pause(words);
    tell_nearest(&nearest);
}
