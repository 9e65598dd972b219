/* The attack of somebody who has a list of people (--register): who of them is matched by how many rows, whose
 * sensitive value is certain, and how much of that is so. */
#include <math.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

/* People of whom a sensitive value is told. */
typedef struct {
    uint64_t people, right, wrong; /* of others nobody knows */
} tally;

typedef struct {
    tally certain, likely; /* all matching rows show it; more than nine in ten do */
} column_told;

typedef struct {
    uint64_t none, one, few,
        many;              /* people by the rows that match: none, one, less than k, k and more */
    uint64_t mutual;       /* of `one`: nobody else matches the row */
    tally found;           /* of `one`: whether it is their row */
    tally certain, likely; /* in any sensitive column; not held against the original */
    column_told *columns;  /* by sensitive column */
    double expected; /* people who are found by who takes one of the matching rows at random */
} figures;

typedef struct {
    kan_attack_asked asked;
    bool has_truth;
    uint64_t n_people, n_asked; /* of the list; less those who are known not to be in the release */
    kan_attack_truth truth;
    figures figures;
} state;

/* ---- measuring -------------------------------------------------------------------------------- */

static void add_told(tally *told, bool is_known, bool is_right) {
    told->people++;
    told->right += is_known && is_right;
    told->wrong += is_known && !is_right;
}

/* Whether the row that matches alone is hers. Who is not in the original has none. */
static void add_one(state *s, uint64_t person, uint32_t tuple) {
    const uint64_t row = s->asked.answer.row[tuple];
    const uint64_t original = s->has_truth ? s->truth.original_of[person] : KAN_ATTACK_NOBODY;
    const bool is_absent = s->has_truth && original == KAN_ATTACK_NOBODY;
    const bool is_told =
        s->has_truth && s->truth.row_of && s->truth.row_of[row] != KAN_ATTACK_NOBODY;
    s->figures.one++;
    s->figures.mutual += s->asked.answer.is_mutual[tuple];
    add_told(&s->figures.found, is_absent || is_told,
             !is_absent && is_told && s->truth.row_of[row] == original);
}

static bool is_value(const kan_attack_walk *w, size_t column, uint32_t code, uint64_t original) {
    const kan_role_column *role = &w->roles.named[KAN_ROLE_SENSITIVE].columns[column];
    const kan_column *shown = &w->sides[KAN_ATTACK_RELEASE].table->columns[w->sensitive[column]];
    const kan_column *truth =
        &w->sides[KAN_ATTACK_ORIGINAL].table->columns[role->at[w->role_table[KAN_ATTACK_ORIGINAL]]];
    return kan_slice_equal(kan_dictionary_value(&shown->dictionary, code),
                           kan_column_value(truth, original));
}

static void add_values(const kan_attack_walk *w, state *s, uint64_t asked, uint32_t tuple) {
    const kan_register_guess *guesses = kan_register_guesses(&s->asked.answer, asked);
    const uint64_t rows = s->asked.answer.rows[tuple];
    const uint64_t original =
        s->has_truth ? s->truth.original_of[s->asked.answer.asked[asked]] : KAN_ATTACK_NOBODY;
    bool is_certain = false, is_likely = false;
    for (size_t i = 0; i < w->n_sensitive && rows > 0; i++) {
        const bool is_known = original != KAN_ATTACK_NOBODY;
        const bool is_right = is_known && is_value(w, i, guesses[i].code, original);
        if (guesses[i].rows == rows)
            add_told(&s->figures.columns[i].certain, is_known, is_right);
        if ((double)guesses[i].rows > 0.9 * (double)rows)
            add_told(&s->figures.columns[i].likely, is_known, is_right);
        is_certain = is_certain || guesses[i].rows == rows;
        is_likely = is_likely || (double)guesses[i].rows > 0.9 * (double)rows;
    }
    s->figures.certain.people += is_certain;
    s->figures.likely.people += is_likely;
}

/* Who knows who is in the release does not look for others. */
static bool is_skipped(const state *s, uint64_t person) {
    const kan_attack_profile *profile = s->asked.profile;
    return profile && profile->knows_who_is_in && s->has_truth &&
           s->truth.original_of[person] == KAN_ATTACK_NOBODY;
}

static kan_status count(const kan_attack_walk *w, state *s) {
    figures *f = &s->figures;
    KAN_TRY(kan_alloc_zero(w->run, w->n_sensitive, sizeof *f->columns, &f->columns));
    const kan_register_answer *answer = &s->asked.answer;
    for (uint64_t i = 0; i < answer->n_asked; i++) {
        const uint32_t tuple = answer->tuple_of[i];
        const uint64_t rows = answer->rows[tuple];
        if (is_skipped(s, answer->asked[i]))
            continue;
        s->n_asked++;
        if (rows == 0)
            f->none++;
        else if (rows == 1)
            add_one(s, s->asked.answer.asked[i], tuple);
        else if (rows < w->k)
            f->few++;
        else
            f->many++;
        f->expected += rows > 0 ? 1 / (double)rows : 0;
        add_values(w, s, i, tuple);
    }
    s->n_people =
        answer->n_asked == answer->n_people
            ? s->n_asked
            : (uint64_t)((double)answer->n_people * (double)s->n_asked / (double)answer->n_asked +
                         0.5);
    return KAN_OK;
}

static kan_status measure(kan_attack_walk *w, void *of) {
    state *s = of;
    KAN_TRY(kan_attack_ask(w, &s->asked));
    if (w->has[KAN_ATTACK_ORIGINAL]) {
        KAN_TRY(kan_attack_find_truth(w, &s->truth));
        s->has_truth = true;
    }
    return count(w, s);
}

/* ---- what follows for all, where some were drawn ------------------------------------------------ */

typedef struct {
    double expected, low, high;
} estimate;

/* Wilson's interval of 95%, for a share of those who were drawn. */
static estimate estimate_of(const state *s, uint64_t people) {
    if (s->n_asked == 0)
        return (estimate){0, 0, 0};
    const double z = 1.959963984540054, n = (double)s->n_asked;
    const double all = (double)s->n_people, share = (double)people / n;
    const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    const estimate found = {all * share, all * fmax(middle - half, 0),
                            all * fmin(middle + half, 1)};
    return s->n_asked < s->n_people ? found : (estimate){all * share, all * share, all * share};
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static json_t *people_json(const state *s, uint64_t people) {
    const estimate e = estimate_of(s, people);
    return json_pack("{s:o, s:o, s:o, s:o}", "people", kan_json_count(people), "expected",
                     kan_json_real(e.expected), "low", kan_json_real(e.low), "high",
                     kan_json_real(e.high));
}

static json_t *told_json(const state *s, const tally *told) {
    json_t *object = people_json(s, told->people);
    object =
        kan_json_set(object, "right", s->has_truth ? kan_json_count(told->right) : json_null());
    return kan_json_set(object, "wrong", s->has_truth ? kan_json_count(told->wrong) : json_null());
}

static const char *name_of(const kan_attack_walk *w, size_t released) {
    return w->sides[KAN_ATTACK_RELEASE].input.columns[released];
}

static bool is_in_set(const kan_attack_asked *a, size_t released) {
    for (size_t i = 0; i < a->n_set; i++)
        if (a->columns[a->set[i]].released == released)
            return true;
    return false;
}

static json_t *known_json(const kan_attack_walk *w, const kan_attack_asked *a) {
    json_t *names = json_array();
    for (size_t i = 0; i < a->n_set; i++)
        names = kan_json_append(names, kan_json_text(name_of(w, a->columns[a->set[i]].released)));
    return names;
}

/* Quasi-identifiers that are not known. */
static json_t *not_known_json(const kan_attack_walk *w, const kan_attack_asked *a) {
    json_t *names = json_array();
    for (size_t i = 0; i < w->n_quasi; i++)
        if (!is_in_set(a, w->quasi[KAN_ATTACK_RELEASE][i]))
            names =
                kan_json_append(names, kan_json_text(name_of(w, w->quasi[KAN_ATTACK_RELEASE][i])));
    return names;
}

static json_t *sensitive_json(const kan_attack_walk *w, const state *s) {
    json_t *columns = json_array();
    for (size_t i = 0; i < w->n_sensitive; i++)
        columns = kan_json_append(
            columns,
            json_pack("{s:o, s:o, s:o}", "column",
                      kan_json_text(w->sides[KAN_ATTACK_RELEASE].input.columns[w->sensitive[i]]),
                      "certain", told_json(s, &s->figures.columns[i].certain), "above_90",
                      told_json(s, &s->figures.columns[i].likely)));
    return columns;
}

static json_t *json(const kan_attack_walk *w, const void *of) {
    const state *s = of;
    const char *path = kan_options_find(&w->job->options, "register");
    const bool has_all = s->n_asked == s->n_people;
    json_t *matched =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "none", people_json(s, s->figures.none), "one",
                  told_json(s, &s->figures.found), "mutual",
                  has_all ? kan_json_count(s->figures.mutual) : json_null(), "below_k",
                  people_json(s, s->figures.few), "k_or_more", people_json(s, s->figures.many));
    const kan_attack_asked *a = &s->asked;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "as",
        a->profile ? json_string(a->profile->name) : json_null(), "wanted",
        a->wanted == SIZE_MAX ? json_null() : kan_json_text(name_of(w, w->sensitive[a->wanted])),
        "sets", kan_json_count(a->n_sets), "mean_one",
        kan_json_real(a->sum_one / (double)a->n_sets), "path",
        w->sides[KAN_ATTACK_REGISTER].input.is_file && path ? kan_json_text(path) : json_null(),
        "people", kan_json_count(s->n_people), "asked", kan_json_count(s->n_asked), "known",
        known_json(w, &s->asked), "not_known", not_known_json(w, &s->asked), "matched", matched,
        "rows_of_one_person", has_all ? kan_json_count(s->asked.answer.n_rows_alone) : json_null(),
        "found_at_random",
        kan_json_real(s->n_asked ? s->figures.expected * (double)s->n_people / (double)s->n_asked
                                 : 0),
        "why_open", s->has_truth && s->truth.why ? json_string(s->truth.why) : json_null(),
        "sensitive", sensitive_json(w, s));
}

/* ---- words -------------------------------------------------------------------------------------- */

typedef struct {
    char text[160];
} phrase;

/* "31 of 20,000 people"; of a sample, perhaps at the beginning of a sentence, "about 1,550 of 1,000,000 people (1,310 to 1,830)". */
static phrase of_people(const state *s, uint64_t people, bool begins) {
    char some[32], all[32], low[32], high[32];
    const estimate e = estimate_of(s, people);
    phrase out;
    kan_count_text(s->n_people, all);
    if (s->n_asked == s->n_people)
        snprintf(out.text, sizeof out.text, "%s of %s people", kan_count_text(people, some), all);
    else
        snprintf(out.text, sizeof out.text, "%s %s of %s people (%s to %s)",
                 begins ? "About" : "about", kan_count_text((uint64_t)(e.expected + 0.5), some),
                 all, kan_count_text((uint64_t)floor(e.low), low),
                 kan_count_text((uint64_t)ceil(e.high), high));
    return out;
}

static bool is_of_one(const state *s, uint64_t people) {
    return s->n_asked == s->n_people && people == 1;
}

static void tell_right(const state *s, const tally *told, const char *is_so, const char *is_not,
                       kan_text *text) {
    const uint64_t open = told->people - told->right - told->wrong;
    char rest[80] = "";
    if (!s->has_truth || told->people == 0)
        return;
    if (open > 0)
        snprintf(rest, sizeof rest, "; of %s it is not known", kan_attack_count_of(open).text);
    kan_attack_add_sentence(text, "%s: %s; %s: %s%s.", is_so, kan_attack_count_of(told->right).text,
                            is_not, kan_attack_count_of(told->wrong).text, rest);
}

static void tell_matches(const kan_attack_walk *w, const state *s, kan_text *text) {
    const figures *f = &s->figures;
    char drawn[128] = "", few[32] = "2";
    if (s->n_asked < s->n_people)
        snprintf(drawn, sizeof drawn, ": %s of %s who were drawn, with an interval of 95%%",
                 kan_attack_count_of(f->one).text, kan_attack_count_of(s->n_asked).text);
    kan_attack_add_sentence(text, "%s %s matched by exactly one row%s.",
                            of_people(s, f->one, true).text, is_of_one(s, f->one) ? "is" : "are",
                            drawn);
    tell_right(s, &f->found, "It is theirs", "it is somebody else's", text);
    if (s->has_truth && s->truth.why && f->one > 0)
        kan_attack_add_sentence(text, "Which row is whose cannot be told: %s.", s->truth.why);
    if (w->k > 3)
        snprintf(few, sizeof few, "2 to %llu", (unsigned long long)w->k - 1);
    if (w->k > 2)
        kan_attack_add_sentence(text, "%s %s matched by %s rows.", of_people(s, f->few, true).text,
                                is_of_one(s, f->few) ? "is" : "are", few);
    kan_attack_add_sentence(text, "%s %s matched by no row.", of_people(s, f->none, true).text,
                            is_of_one(s, f->none) ? "is" : "are");
}

static void tell_values(const kan_attack_walk *w, const state *s, kan_text *text) {
    for (size_t i = 0; i < w->n_sensitive; i++) {
        const column_told *c = &s->figures.columns[i];
        if (s->asked.wanted != SIZE_MAX && s->asked.wanted != i)
            continue; /* it is known */
        char quoted[256];
        kan_quote(kan_slice_of(w->sides[KAN_ATTACK_RELEASE].input.columns[w->sensitive[i]]),
                  quoted);
        kan_attack_add_sentence(text, "The value of %s is certain for %s.", quoted,
                                of_people(s, c->certain.people, false).text);
        tell_right(s, &c->certain, "It is right", "it is wrong", text);
        kan_attack_add_sentence(text, "It is more than 90%% likely for %s.",
                                of_people(s, c->likely.people, false).text);
        tell_right(s, &c->likely, "It is right", "it is wrong", text);
    }
}

/* By which of the sets this is told. */
static void tell_sets(const kan_attack_walk *w, const state *s, kan_text *text) {
    const kan_attack_asked *a = &s->asked;
    if (a->wanted != SIZE_MAX)
        kan_attack_add_sentence(text, "Wanted is '%s'%s.", name_of(w, w->sensitive[a->wanted]),
                                a->n_sets > 1 ? ", the worst of the sensitive columns" : "");
    else if (a->n_sets > 1)
        kan_attack_add_sentence(
            text,
            "These are the worst of %s sets of columns; on average one row "
            "matches %s people.",
            kan_attack_count_of(a->n_sets).text,
            kan_attack_count_of((uint64_t)(a->sum_one / (double)a->n_sets + 0.5)).text);
    if (a->profile && a->profile->wants_any_row && s->n_asked == s->n_people)
        kan_attack_add_sentence(text, "%s of %s rows %s exactly one of them.",
                                kan_attack_count_of(a->answer.n_rows_alone).text,
                                kan_attack_count_of(a->answer.n_rows).text,
                                kan_plural(a->answer.n_rows_alone, "matches", "match"));
}

static void tell_state(const kan_attack_walk *w, const void *of, kan_text *text) {
    const state *s = of;
    const kan_attack_asked *a = &s->asked;
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, 8);
    for (size_t i = 0; i < a->n_set; i++)
        kan_names_add(&list, name_of(w, a->columns[a->set[i]].released));
    kan_text_print(text, "\n");
    kan_attack_add_sentence(text, "%s who has %s, and knows %s of its people:",
                            a->profile ? a->profile->who : "Somebody",
                            w->sides[KAN_ATTACK_REGISTER].input.name, kan_names_end(&list));
    tell_sets(w, s, text);
    kan_text_print(text, "\n");
    tell_matches(w, s, text);
    tell_values(w, s, text);
}

static void close(kan_attack_walk *w, void *of) {
    state *s = of;
    kan_attack_asked_destroy(&s->asked);
    if (s->has_truth)
        kan_attack_truth_destroy(&s->truth);
    kan_free(w->run, s->figures.columns);
}

const kan_attack_kind kan_attack_register = {.setting = "register",
                                             .key = "register",
                                             .size = sizeof(state),
                                             .measure = measure,
                                             .json = json,
                                             .tell = tell_state,
                                             .close = close};
