/* --ledger: the release is written into the ledger as it gets its name (src/ledger). Groups are what the release
 * shows: rows with the same labels in all quasi-identifiers, whatever made them; the group of a person who has
 * several rows is all of theirs, each as often as she has it. */
#include "job/release/release_ledger.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/over_time/over_time.h"
#include "core/hash.h"
#include "core/spill.h"
#include "io/file_hash.h"
#include "job/verify/verify.h"

/* What a column shows, each text once. */
typedef struct {
    const kan_release_column *column;
    uint32_t *text_of; /* by code; UNSEEN until a released row shows it */
    kan_slice *texts;
    uint32_t n_texts;
} shown_column;

typedef struct {
    const kan_application *app;
    size_t n;
    shown_column columns[KAN_MAX_GROUP_COLUMNS];
    uint32_t *group_of_row;                  /* UNSEEN: it is left out */
    uint32_t *tuples[KAN_MAX_GROUP_COLUMNS]; /* by group: the text of each column */
    uint32_t n_groups, group_room;
    kan_ledger_mark *marks; /* of the people in the release */
    uint32_t *groups;       /* of each, from 0 */
    size_t n_people;
    uint32_t n_kinds; /* of these groups: where each has one row, those of rows */
} shown_groups;

static const uint32_t UNSEEN = UINT32_MAX;

static bool is_left_out(const kan_release *release, uint64_t row) {
    return release->is_suppressed && release->is_suppressed[row];
}

/* ---- texts ---------------------------------------------------------------------------------- */

typedef struct {
    kan_slice text;
    uint32_t code;
} labelled;

static int compare_labels(const void *a, const void *b) {
    const labelled *x = a, *y = b;
    const size_t size = x->text.size < y->text.size ? x->text.size : y->text.size;
    const int order = size > 0 ? memcmp(x->text.bytes, y->text.bytes, size) : 0;
    if (order != 0)
        return order;
    if (x->text.size != y->text.size)
        return x->text.size < y->text.size ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* Labels that are the same text are one, in the order of the texts. */
static void number_texts(labelled *labels, size_t n, shown_column *out) {
    qsort(labels, n, sizeof *labels, compare_labels);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !kan_slice_equal(labels[i].text, labels[i - 1].text))
            out->texts[out->n_texts++] = labels[i].text;
        out->text_of[labels[i].code] = out->n_texts - 1;
    }
}

static kan_status find_texts(const kan_release *release, kan_run *run, shown_column *out) {
    const uint32_t n_labels = out->column->n_labels;
    labelled *labels;
    size_t n = 0;
    KAN_TRY(kan_alloc(run, n_labels, sizeof *out->text_of, &out->text_of));
    KAN_TRY(kan_alloc(run, n_labels, sizeof *out->texts, &out->texts));
    KAN_TRY(kan_alloc(run, n_labels, sizeof *labels, &labels));
    memset(out->text_of, 0xff, n_labels * sizeof *out->text_of);
    for (uint64_t row = 0; row < release->n_rows; row++) {
        const uint32_t code =
            is_left_out(release, row) ? 0 : kan_release_code(release, out->column, row);
        if (is_left_out(release, row) || out->text_of[code] != UNSEEN)
            continue;
        out->text_of[code] = 0;
        labels[n++] = (labelled){out->column->labels[code], code};
    }
    number_texts(labels, n, out);
    kan_free(run, labels);
    return KAN_OK;
}

/* ---- groups --------------------------------------------------------------------------------- */

static uint32_t text_at(const shown_groups *g, size_t column, uint64_t row) {
    const shown_column *c = &g->columns[column];
    return c->text_of[kan_release_code(&g->app->release, c->column, row)];
}

static bool is_of_group(const shown_groups *g, uint64_t row, uint32_t group) {
    size_t c = 0;
    while (c < g->n && g->tuples[c][group] == text_at(g, c, row))
        c++;
    return c == g->n;
}

static kan_status add_group(shown_groups *g, uint64_t row) {
    if (g->n_groups == g->group_room) {
        const uint32_t room = g->group_room ? 2 * g->group_room : 1024;
        for (size_t c = 0; c < g->n; c++)
            KAN_TRY(kan_resize(g->app->setup->run, room, sizeof(uint32_t), &g->tuples[c]));
        g->group_room = room;
    }
    for (size_t c = 0; c < g->n; c++)
        g->tuples[c][g->n_groups] = text_at(g, c, row);
    g->n_groups++;
    return KAN_OK;
}

/* Groups are numbered in the order in which rows of the table show them. */
static kan_status find_groups(shown_groups *g, uint64_t n_released) {
    const kan_release *release = &g->app->release;
    kan_run *run = g->app->setup->run;
    size_t n_slots = 1024;
    uint32_t *slots;
    kan_status status = KAN_OK;
    while (n_slots < 2 * n_released)
        n_slots *= 2;
    KAN_TRY(kan_spill_alloc(run, release->n_rows, sizeof *g->group_of_row, &g->group_of_row));
    KAN_TRY(kan_spill_alloc(run, n_slots, sizeof *slots, &slots));
    memset(slots, 0xff, n_slots * sizeof *slots);
    for (uint64_t row = 0; row < release->n_rows && status == KAN_OK; row++) {
        uint64_t hash = 0;
        g->group_of_row[row] = UNSEEN;
        if (is_left_out(release, row))
            continue;
        for (size_t c = 0; c < g->n; c++)
            hash = kan_hash_word(hash + text_at(g, c, row) + 1);
        size_t at = (size_t)hash & (n_slots - 1);
        while (slots[at] != UNSEEN && !is_of_group(g, row, slots[at]))
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == UNSEEN) {
            slots[at] = g->n_groups;
            status = add_group(g, row);
        }
        g->group_of_row[row] = slots[at];
    }
    kan_free(run, slots);
    return status;
}

/* ---- people --------------------------------------------------------------------------------- */

static kan_status list_rows(shown_groups *g, uint64_t n_released) {
    const kan_setup_past *past = g->app->setup->past;
    kan_run *run = g->app->setup->run;
    KAN_TRY(kan_spill_alloc(run, n_released, sizeof *g->marks, &g->marks));
    KAN_TRY(kan_spill_alloc(run, n_released, sizeof *g->groups, &g->groups));
    for (uint64_t row = 0; row < g->app->release.n_rows; row++) {
        if (g->group_of_row[row] == UNSEEN)
            continue;
        g->marks[g->n_people] = past->marks[kan_column_code(past->id, row)];
        g->groups[g->n_people++] = g->group_of_row[row];
    }
    g->n_kinds = g->n_groups;
    return KAN_OK;
}

/* The groups of the rows of each person, those of one after the other, in order. */
typedef struct {
    uint64_t *start;  /* by person, and one more */
    uint32_t *groups; /* of rows */
    uint32_t *slots;  /* open addressing: somebody who has this kind, or UNSEEN */
    size_t n_slots;
    uint32_t *kind_of; /* by person */
} gathered;

static int compare_groups(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static kan_status gather_rows(const shown_groups *g, uint64_t n_released, gathered *out) {
    const kan_setup *setup = g->app->setup;
    const kan_column *person = setup->past->id;
    const uint32_t n = person->dictionary.n;
    uint64_t *start;
    KAN_TRY(kan_spill_alloc(setup->run, (uint64_t)n + 2, sizeof *out->start, &out->start));
    KAN_TRY(kan_spill_alloc(setup->run, n_released, sizeof *out->groups, &out->groups));
    start = out->start;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (uint64_t row = 0; row < g->app->release.n_rows; row++)
        if (g->group_of_row[row] != UNSEEN)
            start[(size_t)kan_column_code(person, row) + 2]++;
    for (uint32_t p = 0; p < n; p++)
        start[p + 2] += start[p + 1];
    for (uint64_t row = 0; row < g->app->release.n_rows; row++)
        if (g->group_of_row[row] != UNSEEN)
            out->groups[start[(size_t)kan_column_code(person, row) + 1]++] = g->group_of_row[row];
    for (uint32_t p = 0; p < n; p++)
        if (start[p + 1] > start[p] + 1)
            qsort(out->groups + start[p], start[p + 1] - start[p], sizeof *out->groups,
                  compare_groups);
    return kan_check_cancel(setup->run);
}

static bool is_alike(const gathered *all, uint32_t a, uint32_t b) {
    const uint64_t n = all->start[a + 1] - all->start[a];
    return n == all->start[b + 1] - all->start[b] &&
           memcmp(all->groups + all->start[a], all->groups + all->start[b],
                  n * sizeof *all->groups) == 0;
}

/* The number of what her rows show together: a new one is the next. */
static void number_kind(shown_groups *g, gathered *all, uint32_t person) {
    uint64_t hash = 0;
    for (uint64_t i = all->start[person]; i < all->start[person + 1]; i++)
        hash = kan_hash_word(hash + all->groups[i] + 1);
    size_t at = (size_t)hash & (all->n_slots - 1);
    while (all->slots[at] != UNSEEN && !is_alike(all, all->slots[at], person))
        at = (at + 1) & (all->n_slots - 1);
    if (all->slots[at] == UNSEEN) {
        all->slots[at] = person;
        all->kind_of[person] = g->n_kinds++;
    } else {
        all->kind_of[person] = all->kind_of[all->slots[at]];
    }
}

static kan_status number_kinds(shown_groups *g, gathered *all) {
    const kan_setup_past *past = g->app->setup->past;
    const uint32_t n = past->id->dictionary.n;
    kan_run *run = g->app->setup->run;
    all->n_slots = 1024;
    while (all->n_slots < 2 * (size_t)n)
        all->n_slots *= 2;
    KAN_TRY(kan_spill_alloc(run, all->n_slots, sizeof *all->slots, &all->slots));
    KAN_TRY(kan_spill_alloc(run, n, sizeof *all->kind_of, &all->kind_of));
    KAN_TRY(kan_spill_alloc(run, n, sizeof *g->marks, &g->marks));
    KAN_TRY(kan_spill_alloc(run, n, sizeof *g->groups, &g->groups));
    memset(all->slots, 0xff, all->n_slots * sizeof *all->slots);
    memset(all->kind_of, 0xff, n * sizeof *all->kind_of);
    for (uint64_t row = 0; row < g->app->release.n_rows; row++) {
        const uint32_t person = kan_column_code(past->id, row);
        if (g->group_of_row[row] == UNSEEN || all->kind_of[person] != UNSEEN)
            continue;
        number_kind(g, all, person);
        g->marks[g->n_people] = past->marks[person];
        g->groups[g->n_people++] = all->kind_of[person];
    }
    return kan_check_cancel(run);
}

static kan_status list_people(shown_groups *g, uint64_t n_released) {
    kan_run *run = g->app->setup->run;
    gathered all = {.start = NULL};
    if (!g->app->setup->person)
        return list_rows(g, n_released);
    kan_status status = gather_rows(g, n_released, &all);
    if (status == KAN_OK)
        status = number_kinds(g, &all);
    kan_free(run, all.start);
    kan_free(run, all.groups);
    kan_free(run, all.slots);
    kan_free(run, all.kind_of);
    return status;
}

static kan_status make_groups(const kan_application *app, shown_groups *g) {
    const kan_release *release = &app->release;
    *g = (shown_groups){.app = app};
    for (size_t c = 0; c < release->n_columns; c++)
        if (release->columns[c].is_quasi) { /* means, too: they tell groups apart */
            shown_column *shown = &g->columns[g->n++];
            shown->column = &release->columns[c];
            KAN_TRY(find_texts(release, app->setup->run, shown));
        }
    KAN_TRY(find_groups(g, release->n_released));
    return list_people(g, release->n_released);
}

static void destroy_groups(shown_groups *g) {
    kan_run *run = g->app->setup->run;
    for (size_t c = 0; c < g->n; c++) {
        kan_free(run, g->columns[c].text_of);
        kan_free(run, g->columns[c].texts);
        kan_free(run, g->tuples[c]);
    }
    kan_free(run, g->group_of_row);
    kan_free(run, g->marks);
    kan_free(run, g->groups);
}

/* ---- facts ---------------------------------------------------------------------------------- */

/* The path that the release will have, from the root of the file system on; "" where it is no file. */
static kan_status find_place(const kan_application *app, const char *output, const char **out) {
    char *folder, *copy;
    kan_text text;
    *out = "";
    if (!output || strcmp(output, "-") == 0)
        return KAN_OK;
    char *whole = realpath(output, NULL); /* a link stays, the file behind it is replaced */
    if (!whole) {
        copy = strdup(output);
        folder = copy ? realpath(dirname(copy), NULL) : NULL;
        free(copy);
        if (!folder)
            return KAN_OK;
        const char *slash = strrchr(output, '/');
        kan_text_init(&text, app->setup->run);
        kan_text_print(&text, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
                       slash ? slash + 1 : output);
        free(folder);
    } else {
        kan_text_init(&text, app->setup->run);
        kan_text_print(&text, "%s", whole);
        free(whole);
    }
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&app->setup->job->arena, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

/* All that was asked for but secrets, which stand for themselves. */
static void digest_settings(const kan_job *job, char out[KAN_HASH_TEXT]) {
    kan_hash hash;
    kan_hash_begin(&hash);
    for (size_t i = 0; i < job->options.n; i++) {
        const char *name = job->options.values[i].name;
        const char *value = kan_setting_shown(name, job->options.values[i].value);
        kan_hash_add(&hash, name, strlen(name) + 1);
        kan_hash_add(&hash, value, strlen(value) + 1);
    }
    kan_hash_end(&hash, out);
}

/* Means are no values that somebody has, and nobody may take them for such: their name says so. */
static kan_status name_shown(const kan_application *app, const char **name) {
    kan_text text;
    for (size_t i = 0; i < app->n_means; i++) {
        if (strcmp(app->means[i].released, *name) != 0)
            continue;
        kan_text_init(&text, app->setup->run);
        kan_text_print(&text, "%s" KAN_LEDGER_OF_MEANS, *name);
        kan_status status = kan_text_status(&text);
        if (status == KAN_OK)
            status = kan_arena_copy(&app->setup->job->arena, text.bytes, text.size, name);
        kan_text_destroy(&text);
        return status;
    }
    return KAN_OK;
}

static kan_status stage(const shown_groups *g, const char *output, const char *path) {
    const kan_setup *setup = g->app->setup;
    kan_ledger_shown shown[KAN_MAX_GROUP_COLUMNS];
    char settings[KAN_HASH_TEXT], content[KAN_HASH_TEXT] = "";
    uint64_t n_bytes;
    kan_ledger_release facts = {.when = (int64_t)time(NULL),
                                .name = output ? output : "",
                                .content = content,
                                .job = setup->job->origins ? setup->job->origins->path : "",
                                .settings = settings,
                                .k = setup->promise.k,
                                .n_rows = g->app->release.n_released,
                                .n_groups = g->n_kinds,
                                .shown = shown,
                                .n_shown = (uint32_t)g->n,
                                .n_tuples = g->n_groups};
    digest_settings(setup->job, settings);
    KAN_TRY(find_place(g->app, output, &facts.place));
    if (facts.place[0])
        KAN_TRY(kan_hash_file(setup->run, path, content, &n_bytes));
    for (size_t c = 0; c < g->n; c++) {
        shown[c] = (kan_ledger_shown){g->columns[c].column->name, g->columns[c].texts,
                                      g->columns[c].n_texts, g->tuples[c]};
        KAN_TRY(name_shown(g->app, &shown[c].column));
    }
    return kan_ledger_stage(setup->past->ledger, &facts, g->marks, g->groups, g->n_people);
}

/* ---- the recount ---------------------------------------------------------------------------- */

/* --attacker knows-if: what newcomers show, and earlier groups. A changed column is not what somebody had then. */
static kan_status find_hidden(const kan_setup *setup, const uint64_t *row_of,
                              kan_over_time_hidden *out) {
    kan_arena *arena = &setup->job->arena;
    kan_over_time_value *values;
    *out = (kan_over_time_hidden){.original = setup->table, .row_of = row_of};
    KAN_TRY(kan_earlier_labels_make(arena, setup->past->ledger, kan_setup_n_earlier(setup),
                                    &out->shown));
    KAN_TRY(kan_arena_alloc(arena, setup->n_quasi, sizeof *values, &values));
    out->values = values;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const kan_hierarchy *h = setup->hierarchies[a];
        if (!kan_input_treatment(&setup->input, setup->quasi[a]))
            values[out->n_values++] =
                (kan_over_time_value){setup->table->columns[setup->quasi[a]].name, setup->quasi[a],
                                      kan_hierarchy_follows_rows(h) ? NULL : h};
    }
    return KAN_OK;
}

static kan_status recount(const kan_setup *setup, const kan_models_question *question,
                          const uint8_t *marks, const uint64_t *row_of, const uint32_t **groups) {
    const char *attacker = kan_options_find(&setup->job->options, "attacker");
    const bool knows_less = attacker && strcmp(attacker, "knows-if") == 0;
    kan_over_time_hidden hidden;
    const kan_ledger *ledger = setup->past->ledger;
    const char *leavers = kan_options_find(&setup->job->options, "leavers");
    kan_over_time_recount counted;
    for (size_t r = 0; r < kan_setup_n_earlier(setup); r++)
        groups[r] = kan_ledger_groups(ledger, r);
    const kan_over_time_ledger earlier = {.n_people = (size_t)kan_ledger_n_people(ledger),
                                          .marks = kan_ledger_marks(ledger)->bytes,
                                          .n_releases = kan_setup_n_earlier(setup),
                                          .groups = groups};
    const kan_over_time_question over_time = {.earlier = &earlier,
                                              .release = question,
                                              .marks = marks,
                                              .hidden = knows_less ? &hidden : NULL,
                                              .keeps_leavers =
                                                  leavers && strcmp(leavers, "count") != 0};
    if (knows_less)
        KAN_TRY(find_hidden(setup, row_of, &hidden));
    KAN_TRY(kan_over_time_recount_release(setup->run, &over_time, &counted));
    return counted.holds ? KAN_OK
                         : kan_fail(setup->run, KAN_FAILED,
                                    "internal error: the release failed its recount together with "
                                    "the earlier ones; please report this");
}

kan_status kan_release_recount_past(const kan_setup *setup, const kan_models_question *question,
                                    const uint64_t *row_of) {
    const kan_setup_past *past = setup->past;
    const uint64_t n = question->release->n_rows;
    const uint32_t **groups = NULL;
    uint8_t *marks = NULL;
    kan_status status;
    if (kan_setup_n_earlier(setup) == 0)
        return KAN_OK;
    KAN_TRY_DONE(kan_spill_alloc(setup->run, n, KAN_OVER_TIME_MARK, &marks));
    KAN_TRY_DONE(kan_alloc(setup->run, kan_setup_n_earlier(setup), sizeof *groups, &groups));
    for (uint64_t row = 0; row < n; row++)
        memcpy(marks + row * KAN_OVER_TIME_MARK,
               past->marks[kan_column_code(past->id, row_of[row])].bytes, KAN_OVER_TIME_MARK);
    status = recount(setup, question, marks, row_of, groups);
done:
    kan_free(setup->run, marks);
    kan_free(setup->run, groups);
    return status;
}

/* ---- the step ------------------------------------------------------------------------------- */

kan_status kan_release_stage(const kan_application *app, const char *output, const char *path) {
    shown_groups g;
    if (!app->setup->past)
        return KAN_OK;
    kan_status status = make_groups(app, &g);
    if (status == KAN_OK)
        status = stage(&g, path ? output : NULL, path);
    destroy_groups(&g);
    return status;
}

void kan_release_settle(const kan_application *app, bool is_named) {
    if (!app->setup->past)
        return;
    if (is_named)
        kan_ledger_commit(app->setup->past->ledger);
    else
        kan_ledger_abandon(app->setup->past->ledger);
}
