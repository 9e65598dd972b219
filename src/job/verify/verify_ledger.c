/* --ledger: a release that `verify` looks at, together with the earlier ones of its ledger
 * (docs/papers/over-time.md).
 *
 * The release has no column that names people, so that the ledger and the original tell together who is in which of
 * its groups. The ledger knows the release by its bytes, and has marks of the people in it; the rows of the original
 * with these marks are the released ones, in their order, or else found by their groups (verify_ledger_rows.c). That is
 * not believed: there must be as many, each must be covered by the row in its place, and people share a group of the
 * ledger exactly where their rows show the same, all rows of a person together. Cells are then counted from the released values and the records of
 * the earlier releases (analyze/over_time). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/spill.h"
#include "io/file_hash.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"
#include "job/verify/earlier_labels.h"
#include "job/verify/verify_inside.h"

/* ---- before the tables are read ----------------------------------------------------------------- */

static const char *option(const kan_verification *v, const char *name) {
    return kan_options_find(&v->job->options, name);
}

static bool knows_less(const kan_verification *v) {
    const char *attacker = option(v, "attacker");
    return attacker && strcmp(attacker, "knows-if") == 0;
}

static kan_status refuse(const kan_verification *v, const char *why) {
    return kan_fail(v->run, KAN_BAD_INPUT, "--ledger: %s", why);
}

static kan_status check_settings(const kan_verification *v) {
    const char *input = option(v, "input");
    if (v->of_households)
        return refuse(v, "people of one household leave together, and what that means over several "
                         "releases is not worked out; leave --household out");
    if (v->keeps_suppressed)
        return refuse(v, "rows of nothing but * would be a group of people who were left out, and "
                         "anonymize keeps none with a ledger; leave --keep-suppressed out");
    if (!option(v, "key"))
        return refuse(v, "it names people by a keyed hash: give the secret with --key FILE");
    if (!v->release.input.is_file || !input || strcmp(input, "-") == 0 ||
        kan_path_is_address(input))
        return refuse(v, "it knows a release by the bytes of its file; name the file as anonymize "
                         "wrote it");
    if (!v->has_original)
        return refuse(v, "the release does not say whose its rows are; give the table before with "
                         "--original FILE");
    return KAN_OK;
}

/* A job file says how the release was made, also to somebody who has neither the ledger nor the table: she recounts
 * the release alone. */
static bool lacks_private_files(const kan_verification *v, const char *path) {
    const char *key = option(v, "key");
    if (kan_options_is_flag(&v->job->options, "ledger") ||
        (v->has_original && key && access(path, F_OK) == 0 && access(key, F_OK) == 0))
        return false;
    kan_note(v->run,
             "%s, the ledger of the job file, %s: this release is recounted without the "
             "earlier ones",
             path,
             !v->has_original          ? "tells nothing without the original"
             : access(path, F_OK) != 0 ? "is not here"
                                       : "cannot be read without its key");
    return true;
}

kan_status kan_verify_open_ledger(kan_verification *v) {
    const char *path = option(v, "ledger");
    kan_verify_ledger *ledger = &v->ledger;
    char quoted[256];
    const char *needing = option(v, "leavers") ? "leavers" : "attacker";
    if (!path && option(v, needing))
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--%s is about people who were in earlier releases, which a ledger "
                        "tells: name it with --ledger FILE, or leave --%s out",
                        needing, needing);
    if (!path || lacks_private_files(v, path))
        return KAN_OK;
    KAN_TRY(check_settings(v));
    KAN_TRY(kan_ledger_open(v->run, path, option(v, "key"), KAN_LEDGER_READ, &ledger->file));
    if (kan_ledger_n_releases(ledger->file) == 0)
        return refuse(v, "it has no release");
    const kan_slice column = kan_slice_of(kan_ledger_column(ledger->file));
    if (!kan_input_find(&v->original.input, column, &ledger->id))
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "%s: the releases in it name people by the column %s, which %s does not "
                        "have; give the table from which the release was made with --original",
                        kan_ledger_name(ledger->file), kan_quote(column, quoted),
                        v->original.input.name);
    if (v->person && knows_less(v))
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--attacker knows-if: anonymize makes no such release of people with "
                        "several rows; leave --person out");
    if (v->person && !kan_slice_is(column, v->person))
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--person: the releases in %s name people by the column %s; name that",
                        kan_ledger_name(ledger->file), kan_quote(column, quoted));
    v->original.input.encode[ledger->id] = true;
    return KAN_OK;
}

/* ---- which release it is ------------------------------------------------------------------------ */

static kan_status find_release(kan_verification *v) {
    kan_verify_ledger *ledger = &v->ledger;
    char content[KAN_HASH_TEXT];
    uint64_t n_bytes;
    KAN_TRY(kan_hash_file(v->run, option(v, "input"), content, &n_bytes));
    for (size_t i = 0; i < kan_ledger_n_releases(ledger->file); i++)
        if (strcmp(kan_ledger_release_at(ledger->file, i)->content, content) == 0) {
            ledger->is_known = true;
            ledger->at = i; /* the last one: the others are earlier */
        }
    return KAN_OK;
}

/* ---- whose the rows are ------------------------------------------------------------------------- */

typedef struct {
    kan_verification *v;
    const kan_column *id;
    kan_ledger_mark *marks; /* by code of it */
    kan_tuples people;      /* of the ledger: their marks */
    uint32_t *group_of;     /* by row of the original: its group in the ledger; 0: it is left out */
    uint64_t *order;        /* rows of the original, those with a released one first */
    uint64_t n_in;
    kan_tuples said;  /* groups of the ledger */
    kan_tuples pairs; /* of a group that is shown, and one of these */
    /* Where people have several rows: what each released row shows, and histories step by step. */
    uint64_t *shown;
    kan_tuples steps, ends;
} placing;

static kan_status make_marks(placing *p) {
    const kan_dictionary *people = &p->id->dictionary;
    kan_run *run = p->v->run;
    kan_slice *ids;
    KAN_TRY(kan_alloc(run, people->n, sizeof *p->marks, &p->marks));
    KAN_TRY(kan_alloc(run, people->n, sizeof *ids, &ids));
    for (uint32_t code = 0; code < people->n; code++)
        ids[code] = kan_dictionary_value(people, code);
    const kan_status status = kan_ledger_make_marks(p->v->ledger.file, ids, people->n, p->marks);
    kan_free(run, ids);
    return status;
}

static kan_status find_people(placing *p) {
    const kan_ledger *file = p->v->ledger.file;
    size_t unused;
    kan_tuples_init(&p->people, p->v->run, sizeof(kan_ledger_mark));
    for (uint64_t i = 0; i < kan_ledger_n_people(file); i++)
        KAN_TRY(kan_tuples_add(&p->people, &kan_ledger_marks(file)[i], i, &unused));
    return KAN_OK;
}

static kan_status find_groups(placing *p) {
    const kan_verify_ledger *ledger = &p->v->ledger;
    const uint32_t *groups = kan_ledger_groups(ledger->file, ledger->at);
    size_t person;
    KAN_TRY(kan_spill_alloc(p->v->run, p->id->n_rows, sizeof *p->group_of, &p->group_of));
    for (uint64_t row = 0; row < p->id->n_rows; row++) {
        const kan_ledger_mark *mark = &p->marks[kan_column_code(p->id, row)];
        p->group_of[row] = kan_tuples_find(&p->people, mark, &person) ? groups[person] : 0;
        p->n_in += p->group_of[row] != 0;
    }
    return kan_check_cancel(p->v->run);
}

/* As they stand in the original. */
static void order_rows(placing *p) {
    uint64_t at = 0, behind = p->n_in;
    for (uint64_t row = 0; row < p->id->n_rows; row++)
        p->order[p->group_of[row] != 0 ? at++ : behind++] = row;
}

/* Each released row covers the row in its place. Other columns than the quasi-identifiers may be all that tells
 * rows apart. */
static kan_status check_places(placing *p, const kan_cover_question *question, bool *holds) {
    kan_cover_question in_place = *question;
    kan_cover cover = {.holds = true};
    in_place.order = p->order;
    in_place.in_place = in_place.needs_order = true;
    if (question->n_quasi + question->n_others > 0)
        KAN_TRY(kan_verify_cover(p->v->run, &in_place, &cover));
    *holds = cover.holds;
    return KAN_OK;
}

/* ---- groups as the ledger has them -------------------------------------------------------------- */

static kan_status add_pairs(void *context, uint64_t row, size_t n, const size_t *groups) {
    placing *p = context;
    size_t unused;
    for (size_t i = 0; i < n; i++) {
        const uint64_t pair[2] = {groups[i], p->group_of[p->order[row + i]]};
        KAN_TRY(kan_tuples_add(&p->said, &pair[1], row + i, &unused));
        KAN_TRY(kan_tuples_add(&p->pairs, pair, row + i, &unused));
    }
    return KAN_OK;
}

typedef struct {
    uint32_t person, said;
    uint64_t shown;
} held;

static int compare_held(const void *a, const void *b) {
    const held *x = a, *y = b;
    if (x->person != y->person)
        return x->person < y->person ? -1 : 1;
    return (x->shown > y->shown) - (x->shown < y->shown);
}

/* What each person's rows show, from the first step on: which follows which group, and how many rows of it;
 * 0 is before any. Her pair is where she ends, and what the ledger says. */
static kan_status pair_people(placing *p, const held *rows, size_t n) {
    size_t unused;
    for (size_t i = 0; i < n;) {
        const uint32_t person = rows[i].person;
        uint64_t end = 0, pair[2] = {0, rows[i].said};
        while (i < n && rows[i].person == person) {
            const size_t first = i;
            size_t number;
            while (i < n && rows[i].person == person && rows[i].shown == rows[first].shown)
                i++;
            const uint64_t step[3] = {end, rows[first].shown, i - first};
            KAN_TRY(kan_tuples_add(&p->steps, step, first, &number));
            end = number + 1;
        }
        pair[0] = end;
        KAN_TRY(kan_tuples_add(&p->ends, &end, i, &unused));
        KAN_TRY(kan_tuples_add(&p->said, &pair[1], i, &unused));
        KAN_TRY(kan_tuples_add(&p->pairs, pair, i, &unused));
    }
    return kan_check_cancel(p->v->run);
}

static kan_status compare_people(placing *p, bool *agree) {
    const size_t n = (size_t)p->n_in;
    held *rows;
    KAN_TRY(kan_spill_alloc(p->v->run, n, sizeof *rows, &rows));
    for (size_t i = 0; i < n; i++)
        rows[i] =
            (held){kan_column_code(p->id, p->order[i]), p->group_of[p->order[i]], p->shown[i]};
    qsort(rows, n, sizeof *rows, compare_held);
    kan_tuples_init(&p->steps, p->v->run, 3 * sizeof(uint64_t));
    kan_tuples_init(&p->ends, p->v->run, sizeof(uint64_t));
    const kan_status status = pair_people(p, rows, n);
    kan_free(p->v->run, rows);
    *agree = p->pairs.n == p->ends.n && p->pairs.n == p->said.n;
    return status;
}

static kan_status take_shown(void *context, uint64_t row, size_t n, const size_t *groups) {
    placing *p = context;
    for (size_t i = 0; i < n; i++)
        p->shown[row + i] = groups[i];
    return KAN_OK;
}

/* As many pairs as groups on either side: each group is one of the ledger. */
static kan_status compare_groups(placing *p, bool *agree) {
    const kan_verification *v = p->v;
    const kan_recount_follower follower = {v->person ? take_shown : add_pairs, p};
    kan_recount_groups groups = {.tuples = {.run = v->run}};
    kan_tuples_init(&p->said, v->run, sizeof(uint64_t));
    kan_tuples_init(&p->pairs, v->run, 2 * sizeof(uint64_t));
    if (v->person)
        KAN_TRY(kan_spill_alloc(v->run, p->n_in, sizeof *p->shown, &p->shown));
    kan_status status = kan_recount_group(v->run, v->release.table, v->groups_by, v->n_groups_by,
                                          &follower, &groups);
    if (status == KAN_OK && v->person)
        status = compare_people(p, agree);
    else if (status == KAN_OK)
        *agree = p->pairs.n == groups.tuples.n && p->pairs.n == p->said.n;
    kan_tuples_destroy(&groups.tuples);
    return status;
}

/* ---- cells -------------------------------------------------------------------------------------- */

/* --attacker knows-if. A changed column is not what somebody had in an earlier release. */
static kan_status find_hidden(const placing *p, kan_over_time_hidden *out) {
    const kan_verification *v = p->v;
    kan_arena *arena = &v->job->arena;
    kan_over_time_value *values;
    *out = (kan_over_time_hidden){.original = v->original.table, .row_of = p->order};
    KAN_TRY(kan_earlier_labels_make(arena, v->ledger.file, v->ledger.at, &out->shown));
    KAN_TRY(kan_arena_alloc(arena, v->n_covers, sizeof *values, &values));
    out->values = values;
    for (size_t i = 0; i < v->n_covers; i++) {
        const kan_cover_pair *pair = &v->covers[i];
        const kan_hierarchy *h = pair->hierarchy;
        if (!kan_input_treatment(&v->original.input, pair->original))
            values[out->n_values++] = (kan_over_time_value){
                v->original.table->columns[pair->original].name, pair->original,
                h && kan_hierarchy_follows_rows(h) ? NULL : h};
    }
    return KAN_OK;
}

static kan_status recount(placing *p, const uint8_t *marks) {
    kan_verification *v = p->v;
    kan_over_time_hidden hidden;
    kan_verify_ledger *ledger = &v->ledger;
    const char *leavers = option(v, "leavers");
    const kan_column **sensitive = NULL;
    const uint32_t **groups = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(v->run, v->claim.n_columns, sizeof *sensitive, &sensitive));
    KAN_TRY_DONE(kan_alloc(v->run, ledger->at, sizeof *groups, &groups));
    for (size_t i = 0; i < v->claim.n_columns; i++)
        sensitive[i] = kan_table_find(v->release.table, v->claim.columns[i].name, NULL);
    for (size_t i = 0; i < ledger->at; i++)
        groups[i] = kan_ledger_groups(ledger->file, i);
    const kan_models_question release = {.release = v->release.table,
                                         .quasi = v->groups_by,
                                         .n_quasi = v->n_groups_by,
                                         .claim = &v->claim,
                                         .sensitive = sensitive};
    const kan_over_time_ledger earlier = {
        .n_people = (size_t)kan_ledger_n_people(ledger->file),
        .marks = kan_ledger_marks(ledger->file)->bytes,
        .n_releases = ledger->at,
        .groups = groups,
    };
    const kan_over_time_question question = {.earlier = &earlier,
                                             .release = &release,
                                             .marks = marks,
                                             .hidden = knows_less(v) ? &hidden : NULL,
                                             .keeps_leavers =
                                                 leavers && strcmp(leavers, "count") != 0};
    if (knows_less(v))
        KAN_TRY_DONE(find_hidden(p, &hidden));
    KAN_TRY_DONE(kan_over_time_recount_release(v->run, &question, &ledger->found));
    ledger->is_counted = true;
done:
    kan_free(v->run, sensitive);
    kan_free(v->run, groups);
    return status;
}

static kan_status count_cells(placing *p) {
    const uint64_t n = p->v->release.table->n_rows;
    uint8_t *marks;
    KAN_TRY(kan_spill_alloc(p->v->run, n, KAN_OVER_TIME_MARK, &marks));
    for (uint64_t row = 0; row < n; row++)
        memcpy(marks + row * KAN_OVER_TIME_MARK,
               p->marks[kan_column_code(p->id, p->order[row])].bytes, KAN_OVER_TIME_MARK);
    const kan_status status = recount(p, marks);
    kan_free(p->v->run, marks);
    return status;
}

static kan_status place_and_count(placing *p, const kan_cover_question *question) {
    kan_verify_ledger *ledger = &p->v->ledger;
    bool is_in_place = false;
    KAN_TRY(make_marks(p));
    KAN_TRY(find_people(p));
    KAN_TRY(find_groups(p));
    if (p->n_in != p->v->release.table->n_rows)
        return KAN_OK; /* they do not agree */
    KAN_TRY(kan_spill_alloc(p->v->run, p->id->n_rows, sizeof *p->order, &p->order));
    order_rows(p);
    KAN_TRY(check_places(p, question, &is_in_place));
    if (!is_in_place && !p->v->person) {
        const kan_verify_ledger_rows rows = {p->group_of, p->order};
        KAN_TRY(kan_verify_match_ledger(p->v, question, &rows, &is_in_place));
        if (is_in_place)
            KAN_TRY(check_places(p, question, &is_in_place));
    }
    if (!is_in_place) {
        ledger->why_open =
            p->v->person
                ? "its rows stand in another order than those of the original, and which of them "
                  "are one person's cannot be told"
                : "its rows stand in another order than those of the original, and what the "
                  "ledger says of its groups does not find them";
        return KAN_OK;
    }
    KAN_TRY(compare_groups(p, &ledger->agrees));
    return ledger->agrees ? count_cells(p) : KAN_OK;
}

/* As anonymize refuses it. A group with newcomers who are hidden is no union of cells. */
static kan_status check_model(const kan_verification *v, const kan_claim_model *model) {
    const kan_recount_kind *kind = model->kind;
    if (kind->check_groups)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--ledger: %s is about all groups together, and what it means for people "
                        "who are told apart by earlier releases is not worked out; leave one of "
                        "the two out",
                        kind->name);
    if (knows_less(v) && !(kind->takes_any && kind->takes_any(model)))
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--attacker knows-if: %s may hold of all who were there before and not of "
                        "their group with newcomers in it; promise k and distinct values, or leave "
                        "one of the two out",
                        kind->name);
    return KAN_OK;
}

/* What is promised is of groups, and of the people in them alone. */
static kan_status check_claim(const kan_verification *v) {
    const kan_claim *claim = &v->claim;
    if (claim->subsets.n > 0 || claim->by_column > 0 || claim->fits > 0)
        return refuse(v,
                      "people are together by groups of all quasi-identifiers, and something else "
                      "is promised here; leave --subsets, --per-column and --missing-matches out");
    if (claim->weight || claim->population)
        return refuse(v, "what weights and a population mean over several releases is not worked "
                         "out; leave the promise about them out");
    if (!option(v, "k")) /* nobody would be out with too few */
        return refuse(v, "it promises among how many people somebody is over all releases; say it "
                         "with --k N");
    for (size_t m = 0; m < claim->n_models; m++)
        KAN_TRY(check_model(v, &claim->models[m]));
    return KAN_OK;
}

kan_status kan_verify_check_ledger(kan_verification *v, const kan_cover_question *question) {
    placing p = {
        .v = v,
        .people = {.run = v->run},
        .said = {.run = v->run},
        .pairs = {.run = v->run},
        .steps = {.run = v->run},
        .ends = {.run = v->run},
    };
    if (!v->ledger.file)
        return KAN_OK;
    KAN_TRY(check_claim(v));
    KAN_TRY(find_release(v));
    if (!v->ledger.is_known || v->release.is_blank || v->release.table->n_rows == 0)
        return KAN_OK;
    /* as it was read: what was treated since names nobody */
    p.id = &v->original.input.raw->columns[v->ledger.id];
    if (!v->person && p.id->dictionary.n < p.id->n_rows)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "%s: somebody has several rows, by the column '%s' of the ledger; if the "
                        "release was made so, name the column with --person",
                        v->original.input.name, p.id->name);
    const kan_status status = place_and_count(&p, question);
    kan_free(v->run, p.marks);
    kan_free(v->run, p.group_of);
    kan_free(v->run, p.order);
    kan_tuples_destroy(&p.people);
    kan_tuples_destroy(&p.said);
    kan_tuples_destroy(&p.pairs);
    kan_tuples_destroy(&p.steps);
    kan_tuples_destroy(&p.ends);
    kan_free(v->run, p.shown);
    return status;
}

/* ---- telling ------------------------------------------------------------------------------------ */

bool kan_verify_ledger_holds(const kan_verification *v) {
    const kan_verify_ledger *ledger = &v->ledger;
    return !ledger->file || ledger->why_open || (ledger->is_counted && ledger->found.holds);
}

json_t *kan_verify_ledger_json(const kan_verification *v) {
    const kan_verify_ledger *ledger = &v->ledger;
    const kan_over_time_recount *found = &ledger->found;
    if (!ledger->file)
        return json_null();
    json_t *object = json_pack(
        "{s:o, s:b, s:o, s:o, s:o}", "path", kan_json_text(kan_ledger_name(ledger->file)), "known",
        (int)ledger->is_known, "release",
        ledger->is_known ? kan_json_count(kan_ledger_release_at(ledger->file, ledger->at)->number)
                         : json_null(),
        "earlier", ledger->is_known ? kan_json_count(ledger->at) : json_null(), "holds",
        ledger->why_open ? json_null() : json_boolean(kan_verify_ledger_holds(v)));
    if (!ledger->is_counted)
        return kan_json_set(object, "cells", json_null());
    return kan_json_set(
        object, "cells",
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n",
                  kan_json_count(found->n_cells), "smallest", kan_json_count(found->smallest_cell),
                  "small_people", kan_json_count(found->n_small_people), "newcomers",
                  kan_json_count(found->n_newcomers), "hidden", kan_json_count(found->n_hidden),
                  "leavers", kan_json_count(found->n_leavers), "cells_of_leavers",
                  kan_json_count(found->n_leaver_cells), "stranded",
                  kan_json_count(found->n_stranded), "cells_of_stranded",
                  kan_json_count(found->n_stranded_cells)));
}

/* The first model that cells break; NULL: it is their size, or none. */
static const char *broken_model(const kan_verification *v) {
    const kan_models_recount *cells = &v->ledger.found.cells;
    for (size_t m = 0; m < cells->n_models; m++)
        if (!cells->models[m].holds)
            return v->claim.models[m].kind->name;
    return NULL;
}

static void add_cells(const kan_verification *v, kan_text *text) {
    const kan_over_time_recount *found = &v->ledger.found;
    const char *model = broken_model(v);
    char cells[32], people[32], smallest[32];
    kan_text_print(
        text, "              %s %s of people whom nobody can tell apart, the smallest of %s",
        kan_count_text(found->n_cells, cells), kan_plural(found->n_cells, "cell", "cells"),
        kan_count_text(found->smallest_cell, smallest));
    if (found->n_small_people > 0)
        kan_text_print(text, "; %s %s in cells of fewer than %" PRIu64,
                       kan_count_text(found->n_small_people, people),
                       kan_plural(found->n_small_people, "person is", "people are"), v->claim.k);
    else if (model)
        kan_text_print(text, "; %s does not hold in all of them", model);
    kan_text_print(text, "\n");
    if (found->n_hidden > 0)
        kan_text_print(text,
                       "              %s %s hidden from who does not know since when they are in\n",
                       kan_count_text(found->n_hidden, people),
                       kan_plural(found->n_hidden, "newcomer is", "newcomers are"));
    if (found->n_leavers > 0)
        kan_text_print(text,
                       "              %s %s left %s earlier %s, fewer than %" PRIu64
                       " of each: nothing is promised of them\n",
                       kan_count_text(found->n_leavers, people),
                       kan_plural(found->n_leavers, "person has", "people have"),
                       kan_count_text(found->n_leaver_cells, cells),
                       kan_plural(found->n_leaver_cells, "cell", "cells"), v->claim.k);
    if (found->n_stranded > 0)
        kan_text_print(text,
                       "              %s %s in cells of fewer than %" PRIu64
                       " since an earlier release, and nothing is promised of them\n",
                       kan_count_text(found->n_stranded, people),
                       kan_plural(found->n_stranded, "person has been", "people have been"),
                       v->claim.k);
}

void kan_verify_add_ledger(const kan_verification *v, kan_text *text) {
    const kan_verify_ledger *ledger = &v->ledger;
    if (!ledger->file)
        return;
    kan_text_print(text, "  over time   ");
    if (!ledger->is_known)
        kan_text_print(text, "NOT in the ledger: it has no release of these bytes; this file was "
                             "changed, or never added\n");
    else if (ledger->why_open)
        kan_text_print(text, "not counted: %s\n", ledger->why_open);
    else if (!ledger->agrees)
        kan_text_print(text, "NOT as in the ledger: people or groups are others than it says\n");
    else {
        kan_text_print(text, "%s with %zu earlier %s\n",
                       ledger->found.holds ? "holds" : "does NOT hold", ledger->at,
                       kan_plural(ledger->at, "release", "releases"));
        add_cells(v, text);
    }
}
