/* --ledger: what the people of the table went through in earlier releases of it (src/ledger).
 *
 * Two people have one past when they were in the same earlier releases, and in the same group in each; all who
 * are new have one, too. The past of each row is the first tail of the space, so that the people of a group are
 * told apart by it, and the promise is held by each part of a group, the rows of one past
 * (kan_problem.has_pasts). Where people have several rows, or leave one by one, that tail is the person, and
 * her past stands beside it (group/pasts.h): the promise is held by histories that begin with it. Without an
 * earlier release there are no pasts, and the question is the one without a ledger, of histories
 * with --person. What is not worked out beside it is refused here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/spill.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

enum { PAST_DIGITS = 10 };

static const char *option(const kan_setup *setup, const char *name) {
    return kan_options_find(&setup->job->options, name);
}

bool kan_setup_wants_ledger(const kan_setup *setup) {
    return option(setup, "ledger") != NULL;
}

size_t kan_setup_n_earlier(const kan_setup *setup) {
    return setup->past && setup->past->ledger ? kan_ledger_n_releases(setup->past->ledger) : 0;
}

static bool is_option(const kan_setup *setup, const char *name, const char *value) {
    const char *given = option(setup, name);
    return given && strcmp(given, value) == 0;
}

static bool knows_less(const kan_setup *setup) {
    return is_option(setup, "attacker", "knows-if");
}

static kan_status refuse(const kan_setup *setup, const char *why) {
    return kan_fail(setup->run, KAN_BAD_INPUT, "--ledger: %s", why);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static kan_status check_settings(const kan_setup *setup) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting_entry *entry = kan_setting_entry_at(i);
        if (entry->not_with_ledger && kan_setting_is_given(setup->job, entry->setting.name))
            return refuse(setup, entry->not_with_ledger);
    }
    return KAN_OK;
}

kan_status kan_setup_check_ledger(const kan_setup *setup) {
    size_t n_ids = 0;
    const char *needing = option(setup, "leavers") ? "leavers" : "attacker";
    if (!kan_setup_wants_ledger(setup))
        return option(setup, needing)
                   ? kan_fail(setup->run, KAN_BAD_INPUT,
                              "--%s is about people of earlier releases; name their ledger with "
                              "--ledger FILE, or leave it out",
                              needing)
                   : KAN_OK;
    KAN_TRY(check_settings(setup));
    if (knows_less(setup) && option(setup, "person"))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--attacker knows-if: which rows of somebody could be whose is not worked "
                        "out where people have several; leave it or --person out");
    if (!option(setup, "key"))
        return refuse(setup, "it names people by a keyed hash, and needs a secret: --key FILE; "
                             "make one with: (umask 077; head -c 32 /dev/urandom > FILE)");
    if (option(setup, "person"))
        return is_option(setup, "person-promise", "groups")
                   ? refuse(setup, "people of several releases are told apart by all of their "
                                   "rows, so that k of them have to look alike in all; leave "
                                   "--person-promise groups out")
                   : KAN_OK;
    for (size_t i = 0; i < setup->input.n_columns; i++)
        n_ids += setup->roles[i] == KAN_ROLE_ID;
    if (n_ids == 1)
        return KAN_OK;
    return refuse(setup, n_ids == 0 ? "whose is each row? name the one column that names people, "
                                      "the same in every release, with --id NAME, or --person "
                                      "NAME where they have several rows"
                                    : "several columns are named with --id, and people are told "
                                      "apart by one; leave the others out with --drop");
}

static bool is_of_whole_table(const kan_privacy_kind *kind) {
    return kan_privacy_is_of_table(kind) || kind->household_part != NULL;
}
static bool needs_people(const kan_privacy_kind *kind) {
    return kind->needs_people || kind->needs_weights;
}

static kan_status check_models(const kan_setup *setup) {
    const kan_privacy_kind *kind;
    KAN_TRY(kan_setup_wants_kind(setup, is_of_whole_table, &kind));
    if (kind)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--ledger: --%s is about all groups together, and what it means for people "
                        "who are told apart by earlier releases is not worked out; leave one of "
                        "the two out",
                        kind->kind.options[0].name);
    KAN_TRY(kan_setup_wants_kind(setup, needs_people, &kind));
    if (kind)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--ledger: --%s is about a population, and which of its people were in "
                        "earlier releases is not known; leave one of the two out",
                        kind->kind.options[0].name);
    bool has_k = false;
    for (unsigned m = 0; m < setup->promise.n_models; m++)
        has_k |= setup->promise.models[m].kind->size_decides;
    if (!has_k)
        return refuse(setup, "it promises among how many people somebody is over all releases; say "
                             "it with --k N");
    for (unsigned m = 0; m < setup->promise.n_models; m++) {
        bool survives_merge, absorbs_any;
        kind = setup->promise.models[m].kind;
        kan_privacy_flags(kind, setup->promise.models[m].state, &survives_merge, &absorbs_any);
        if (!survives_merge)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--ledger: %s may hold of each part of a group and not of the group; "
                            "promise something else beside a ledger",
                            kind->kind.name);
    }
    return KAN_OK;
}

/* A group with newcomers who are hidden is no union of cells, so that shares of it are not between theirs. */
static kan_status check_hidden(const kan_setup *setup) {
    for (unsigned m = 0; m < setup->promise.n_models; m++) {
        bool survives_merge, absorbs_any;
        const kan_privacy_kind *kind = setup->promise.models[m].kind;
        kan_privacy_flags(kind, setup->promise.models[m].state, &survives_merge, &absorbs_any);
        if (knows_less(setup) && !absorbs_any)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--attacker knows-if: %s may hold of all who were there before and not "
                            "of their group with newcomers in it; promise k and distinct values, "
                            "or leave one of the two out",
                            kind->kind.name);
    }
    return KAN_OK;
}

/* Where each person's past is known. */
static kan_status check_levels(const kan_setup *setup) {
    if (setup->has_given ? setup->given.type == KAN_RECODING_LEVELS
                         : !kan_search_orders(setup->search))
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "%s: after the first release of a ledger only levels keep the promise so "
                    "far, and --algorithm %s makes other groups; %suse a search over levels, "
                    "such as auto or exhaustive",
                    setup->person       ? "--person"
                    : knows_less(setup) ? "--attacker knows-if"
                                        : "--leavers repair",
                    setup->search->kind.name, kan_setup_before_levels(setup));
}

kan_status kan_setup_check_past(const kan_setup *setup) {
    if (!setup->past)
        return KAN_OK;
    KAN_TRY(check_models(setup));
    KAN_TRY(check_hidden(setup));
    if (setup->values)
        return refuse(setup, "rows have to be read one by one, and here only their values were; "
                             "leave --level out, or copy the table to a file");
    if (setup->problem.pasts)
        return check_levels(setup);
    const bool keeps_parts = setup->has_given
                                 ? !kan_recoding_has_regions(&setup->given)
                                 : !kan_search_orders(setup->search) || setup->search->counts_pasts;
    if (!setup->problem.has_pasts)
        return KAN_OK;
    if (keeps_parts && setup->promise.limit > 0 && kan_setup_summary(setup) != KAN_SUMMARY_RANGE)
        return refuse(setup, "means can be counted again only where every row is released, and "
                             "people whose past too few share are left out; leave --suppress out, "
                             "or write --summary range");
    if (keeps_parts)
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--ledger: after the first release each group is to have enough people of each "
                    "past, and --algorithm %s does not look at these; %suse a search over levels, "
                    "such as auto or exhaustive, mondrian, or iterate",
                    setup->search->kind.name, kan_setup_before_levels(setup));
}

/* ---- who is who ----------------------------------------------------------------------------- */

static kan_status find_repeated(const kan_setup *setup, const kan_column *id) {
    kan_run *run = setup->run;
    uint64_t *first;
    char name[256], value[256];
    KAN_TRY(kan_alloc_zero(run, id->dictionary.n, sizeof *first, &first));
    uint64_t row = 0;
    while (row < id->n_rows && first[kan_column_code(id, row)] == 0) {
        first[kan_column_code(id, row)] = row + 1;
        row++;
    }
    const uint64_t other = row < id->n_rows ? first[kan_column_code(id, row)] : 0;
    kan_free(run, first);
    if (other == 0)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s: %s stands in rows %llu and %llu of column %s (--id); with --ledger and "
                    "--id each row is somebody else; where people have several rows, name the "
                    "column with --person in its place",
                    setup->input.name, kan_quote(kan_column_value(id, row), value),
                    (unsigned long long)other, (unsigned long long)row + 1,
                    kan_quote(kan_slice_of(id->name), name));
}

static kan_status make_marks(kan_setup *setup, kan_setup_past *past) {
    const kan_dictionary *people = &past->id->dictionary;
    kan_slice *ids;
    KAN_TRY(kan_alloc(setup->run, people->n, sizeof *past->marks, &past->marks));
    KAN_TRY(kan_alloc(setup->run, people->n, sizeof *ids, &ids));
    for (uint32_t code = 0; code < people->n; code++)
        ids[code] = kan_dictionary_value(people, code);
    const kan_status status = kan_ledger_make_marks(past->ledger, ids, people->n, past->marks);
    kan_free(setup->run, ids);
    return status;
}

/* ---- the tail ------------------------------------------------------------------------------- */

/* Numbers of pasts, as text in their order: a column has values. */
static kan_status name_pasts(kan_setup *setup, kan_column *column, uint32_t n) {
    kan_arena *arena = &setup->job->arena;
    char *bytes;
    uint64_t *start;
    KAN_TRY(kan_arena_alloc(arena, (size_t)n * PAST_DIGITS + 1, 1, &bytes));
    KAN_TRY(kan_arena_alloc(arena, (size_t)n + 1, sizeof *start, &start));
    for (uint32_t i = 0; i <= n; i++)
        start[i] = (uint64_t)i * PAST_DIGITS;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rest = i;
        for (unsigned digit = PAST_DIGITS; digit-- > 0; rest /= 10)
            bytes[start[i] + digit] = (char)('0' + rest % 10);
    }
    column->dictionary =
        (kan_dictionary){.n = n, .bytes = bytes, .start = start, .type = KAN_TYPE_TEXT};
    return KAN_OK;
}

/* Those that somebody in the table has, counted from 0. */
static kan_status number_pasts(kan_setup *setup, uint32_t **number_of, uint32_t *n) {
    const kan_ledger_classes *classes = &setup->past->classes;
    KAN_TRY(kan_alloc(setup->run, classes->n, sizeof **number_of, number_of));
    *n = 0;
    for (uint32_t c = 0; c < classes->n; c++)
        (*number_of)[c] = classes->n_here[c] > 0 ? (*n)++ : 0;
    return KAN_OK;
}

static kan_status add_tail(kan_setup *setup) {
    kan_setup_past *past = setup->past;
    kan_column *column = &past->column;
    const uint64_t n_rows = past->id->n_rows;
    uint32_t *number_of, n, *codes;
    KAN_TRY(number_pasts(setup, &number_of, &n));
    kan_status status = kan_spill_alloc(setup->run, n_rows, sizeof *codes, &codes);
    if (status == KAN_OK) {
        for (uint64_t row = 0; row < n_rows; row++)
            codes[row] = number_of[past->classes.of_person[kan_column_code(past->id, row)]];
        *column = (kan_column){.name = "past",
                               .is_encoded = true,
                               .width = sizeof *codes,
                               .codes = codes,
                               .n_rows = n_rows};
        status = name_pasts(setup, column, n);
    }
    kan_free(setup->run, number_of);
    KAN_TRY(status);
    setup->problem.has_person = setup->problem.counts_rows = setup->problem.has_pasts = true;
    setup->problem.n_people = n;
    return kan_space_add_tail(&setup->problem.space, column);
}

/* ---- people one by one ---------------------------------------------------------------------- */

typedef struct {
    kan_ledger_mark mark;
    uint32_t person;
} marked;

static int compare_marks(const void *a, const void *b) {
    const marked *x = a, *y = b;
    return memcmp(x->mark.bytes, y->mark.bytes, sizeof x->mark.bytes);
}

static kan_status find_ranks(kan_setup *setup) {
    kan_setup_past *past = setup->past;
    const uint32_t n = past->id->dictionary.n;
    marked *sorted;
    KAN_TRY(kan_spill_alloc(setup->run, n, sizeof *past->rank, &past->rank));
    KAN_TRY(kan_spill_alloc(setup->run, n, sizeof *sorted, &sorted));
    for (uint32_t p = 0; p < n; p++)
        sorted[p] = (marked){past->marks[p], p};
    qsort(sorted, n, sizeof *sorted, compare_marks);
    for (uint32_t i = 0; i < n; i++)
        past->rank[sorted[i].person] = i;
    kan_free(setup->run, sorted);
    return kan_check_cancel(setup->run);
}

/* The person is the first tail, and her past stands beside her. */
static kan_status know_people(kan_setup *setup) {
    kan_setup_past *past = setup->past;
    past->pasts = (kan_pasts){
        .n = past->classes.n, .of_person = past->classes.of_person, .n_gone = past->classes.n_gone};
    if (is_option(setup, "leavers", "repair")) {
        KAN_TRY(find_ranks(setup));
        past->pasts.rank = past->rank;
    }
    if (knows_less(setup))
        KAN_TRY(kan_setup_take_covers(setup));
    setup->problem.pasts = &past->pasts;
    if (setup->person)
        return KAN_OK; /* she is there */
    setup->problem.has_person = setup->problem.counts_rows = true;
    setup->problem.n_people = past->id->dictionary.n;
    return kan_space_add_tail(&setup->problem.space, past->id);
}

static bool needs_people_apart(const kan_setup *setup) {
    return setup->person || is_option(setup, "leavers", "repair") || knows_less(setup);
}

const kan_column *kan_setup_whose(const kan_setup *setup) {
    return setup->whose ? setup->whose : setup->past->id;
}

/* Who leaves for others follows from hashes, so that who stays at a node may leave above it. */
void kan_setup_past_promise(kan_setup *setup) {
    kan_promise *promise = &setup->promise;
    if (!setup->problem.pasts || !setup->problem.pasts->rank)
        return;
    promise->survives_merge = promise->absorbs_any = promise->people_decide = false;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Who only looks needs no ledger before there is one. */
static kan_status open_ledger(kan_setup *setup) {
    const char *path = option(setup, "ledger");
    const kan_ledger_use use = setup->job->makes_release ? KAN_LEDGER_WRITE : KAN_LEDGER_READ;
    if (use == KAN_LEDGER_READ && access(path, F_OK) != 0 && errno == ENOENT)
        return KAN_OK;
    KAN_TRY(kan_ledger_open(setup->run, path, option(setup, "key"), use, &setup->past->ledger));
    return kan_ledger_bind(setup->past->ledger, setup->past->id->name);
}

/* The column that names people; of --id everybody has one row. */
static kan_status find_names(kan_setup *setup) {
    size_t i = 0;
    if (setup->person) {
        setup->past->id = setup->person;
        return KAN_OK;
    }
    while (setup->roles[i] != KAN_ROLE_ID)
        i++;
    setup->past->id = &setup->table->columns[i];
    KAN_TRY(kan_input_check_id(&setup->input, setup->past->id));
    return find_repeated(setup, setup->past->id);
}

kan_status kan_setup_take_past(kan_setup *setup) {
    kan_setup_past *past;
    if (!kan_setup_wants_ledger(setup))
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&setup->job->arena, 1, sizeof *past, &past));
    *past = (kan_setup_past){.ledger = NULL};
    setup->past = past;
    KAN_TRY(find_names(setup));
    KAN_TRY(open_ledger(setup));
    if (!past->ledger)
        return KAN_OK;
    KAN_TRY(make_marks(setup, past));
    if (kan_setup_n_earlier(setup) == 0)
        return KAN_OK;
    KAN_TRY(
        kan_ledger_find_classes(past->ledger, past->marks, past->id->dictionary.n, &past->classes));
    return needs_people_apart(setup) ? know_people(setup) : add_tail(setup);
}

void kan_setup_destroy_past(kan_setup *setup) {
    kan_setup_past *past = setup->past;
    if (!past)
        return;
    kan_free(setup->run, past->column.codes);
    kan_free(setup->run, past->rank);
    kan_setup_destroy_covers(setup);
    kan_free(setup->run, past->marks);
    kan_ledger_classes_destroy(setup->run, &past->classes);
    kan_ledger_close(past->ledger);
    setup->past = NULL;
}
