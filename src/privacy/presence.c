/* Presence: of the people of the population who match a released group, the share that is in it
 * lies between LOW and HIGH (delta-presence; Nergiz, Atzori, Clifton). Whoever has a list of the
 * population learns of nobody who matches a group that she is in the table with more certainty than
 * HIGH, or is not with more than 1 - LOW.
 *
 * It speaks of released groups. People who match none are not in the release, whatever LOW is.
 *
 * Merging: with f rows and F people each, two groups that pass become one of f1 + f2 rows, whose
 * people are those of both, and those who matched no group. The first alone would be a mediant, and
 * keep both bounds; the others lower the share. So HIGH survives merges, and LOW does not. A group
 * that fails HIGH can spoil one that passes. Where people are counted, those of two groups overlap, and neither
 * survives (docs/papers/people.md). */
#include <string.h>

#include "privacy/privacy.h"
#include "privacy/sensitive.h"

typedef struct {
    kan_fraction low, high;
} model_state;

static const kan_option_spec options[] = {
    {.name = "presence",
     .argument = "LOW..HIGH",
     .summary = "of the people of the population (--population) who match a released group, the "
                "share that is in it is at least LOW and at most HIGH; ..0.5 is 0..0.5",
     .type = KAN_OPTION_TEXT,
     .traits = KAN_TRAIT_SHOWN,
     .words = "the share that is in the table, from..to, such as ..0.5"},
};

/* A bound, `otherwise` where nothing stands there. */
static bool read_bound(const char *text, size_t size, uint64_t otherwise, kan_fraction *out) {
    char room[64];
    *out = (kan_fraction){otherwise, 1};
    if (size == 0)
        return true;
    if (size >= sizeof room)
        return false;
    memcpy(room, text, size);
    room[size] = '\0';
    return kan_fraction_parse(room, out) && out->numerator <= out->denominator;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    const char *text = kan_options_find(given, "presence");
    const char *dots = text ? strstr(text, "..") : NULL;
    char quoted[256];
    model_state *made;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    if (!dots || strlen(text) == 2 || !read_bound(text, (size_t)(dots - text), 0, &made->low) ||
        !read_bound(dots + 2, strlen(dots + 2), 1, &made->high) ||
        (kan_u128)made->low.numerator * made->high.denominator >
            (kan_u128)made->high.numerator * made->low.denominator)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--presence: %s is not two shares from 0 to 1, the lower one first; write "
                        "them as 0.1..0.5, or ..0.5",
                        kan_quote(kan_slice_of(text ? text : ""), quoted));
    if (!problem->population)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--presence: which population? name a table of everybody from whom the "
                        "table was drawn with --population FILE");
    *out = made;
    return KAN_OK;
}

static bool is_high(const model_state *state, uint64_t rows, uint64_t people) {
    return (kan_u128)rows * state->high.denominator > (kan_u128)people * state->high.numerator;
}

static bool is_low(const model_state *state, uint64_t rows, uint64_t people) {
    return (kan_u128)rows * state->low.denominator < (kan_u128)people * state->low.numerator;
}

/* Groups match different people, so that the released rows over the population are no more than the
 * greatest share. */
static kan_status check_possible(kan_run *run, const void *state, const kan_problem *problem,
                                 uint64_t limit) {
    const uint64_t n_people = problem->population->n_people;
    const uint64_t n_rows = problem->n_rows > limit ? problem->n_rows - limit : 1;
    char rows[32], people[32], least[KAN_FRACTION_BYTES];
    if (!is_high(state, n_rows, n_people) || n_rows > n_people)
        return KAN_OK;
    return kan_fail(run, KAN_UNSATISFIED,
                    "--presence: at least %s %s of %s %s are released, so that some group has that "
                    "share or more; the smallest possible upper bound is %s",
                    kan_count_text(n_rows, rows), kan_plural(n_rows, "row", "rows"),
                    kan_count_text(n_people, people), kan_plural(n_people, "person", "people"),
                    kan_fraction_text_up(n_rows, n_people, least));
}

static void flags(const void *state, bool *survives_merge, bool *absorbs_any) {
    *survives_merge = ((const model_state *)state)->low.numerator == 0;
    *absorbs_any = false;
}

static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

static void check(const void *state, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    for (size_t g = first; g < end; g++)
        ok[g] = ok[g] && !is_high(state, groups->count[g], groups->people[g]) &&
                !is_low(state, groups->count[g], groups->people[g]);
}

const kan_privacy_kind kan_privacy_presence = {
    .kind =
        {.name = "presence",
         .summary =
             "of the people of a population who match a group, the share in it is within bounds",
         .options = options,
         .n_options = sizeof options / sizeof *options,
         .paper = "Nergiz, Atzori, Clifton 2007"},
    .title = "Nobody learns who is in the table",
    .words =
        "Of the people of the population who match a group, the share that is in the table stays "
        "within bounds, such as ..0.5. The larger table must be named.",
    .tries = {"presence ..0.5"},
    .counts_people = true,
    .flags = flags,
    .needs_people = true,
    .create = create,
    .check_possible = check_possible,
    .least_size = least_size,
    .check = check,
};
