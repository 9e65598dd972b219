/* The attack of somebody who has other releases of the same people (--with): which rows are one person's, by the
 * order of the rows and by columns that show values as they were, and among how few she is then.
 *
 * Rows stand in the same order where the releases have as many of them, those of nothing but * included, and no
 * column that both show as it was says otherwise; where there is none, it is taken for granted, and told. A column
 * that is a quasi-identifier joins nothing: it may be shown in another way. */
#include <inttypes.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

/* Another release. */
typedef struct {
    const char *path;
    kan_verify_side side;
    size_t n_quasi;
    size_t *quasi;     /* its columns */
    uint8_t *is_blank; /* by row */
} release;

/* One way to put releases together. */
typedef struct {
    size_t first, n_others; /* of the other releases */
    bool is_by_order;
    size_t n_columns;
    const char **columns; /* by which rows are joined; in the job's arena */
    uint64_t odd_row;     /* the first row, from 1, that says that the order is another; 0: none */
    const char *odd_column;
    bool is_granted; /* nothing says whether the order is the same */
    bool has_found;
    kan_join found;
} join;

/* What is left of people in a list, without any join of rows. */
typedef struct {
    size_t first, n_others;
    kan_cross found;
} crossed;

typedef struct {
    size_t n, n_joins, capacity, n_crossed;
    kan_attack_crossing crossing;
    crossed *crossed;
    release *others;
    release first; /* the release itself, borrowed */
    join *joins;
} state;

/* ---- tables ------------------------------------------------------------------------------------ */

/* All columns that both have: which are quasi-identifiers is said later. */
static void take_common(kan_input *a, kan_input *b) {
    for (size_t i = 0; i < a->n_columns; i++) {
        size_t column;
        if (!kan_input_find(b, kan_slice_of(a->columns[i]), &column))
            continue;
        a->encode[i] = true;
        b->encode[column] = true;
    }
}

static kan_status open(kan_attack_walk *w, void *of) {
    state *s = of;
    const char *path;
    size_t n = 0;
    while (kan_options_at(&w->job->options, "with", n))
        n++;
    KAN_TRY(kan_alloc_zero(w->run, n, sizeof *s->others, &s->others));
    for (; (path = kan_options_at(&w->job->options, "with", s->n)) != NULL; s->n++) {
        release *other = &s->others[s->n];
        other->path = path;
        const kan_status status = kan_input_open_path(w->job, path, false, &other->side.input);
        if (status != KAN_OK) {
            kan_input_close(&other->side.input);
            return status;
        }
        take_common(&w->sides[KAN_ATTACK_RELEASE].input, &other->side.input);
    }
    for (size_t i = 1; i < s->n; i++)
        take_common(&s->others[0].side.input, &s->others[i].side.input);
    return KAN_OK;
}

static kan_status mark_blank(kan_attack_walk *w, release *r) {
    const uint64_t n = r->side.input.table->n_rows, n_blank = r->side.shown.n_blank;
    KAN_TRY(kan_alloc_zero(w->run, (size_t)n, sizeof *r->is_blank, &r->is_blank));
    if (n_blank == 0)
        return KAN_OK;
    for (uint64_t row = 0; row < n; row++)
        r->is_blank[row] = 1;
    for (uint64_t row = 0; row < n - n_blank; row++)
        r->is_blank[kan_shown_row(&r->side.shown, row)] = 0;
    return KAN_OK;
}

static kan_status find_quasi(kan_attack_walk *w, release *r) {
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *r->quasi, &r->quasi));
    for (size_t i = 0; i < w->n_quasi; i++)
        if (kan_input_find(&r->side.input, w->roles.named[KAN_ROLE_QUASI].columns[i].name,
                           &r->quasi[r->n_quasi])) {
            r->side.input.encode[r->quasi[r->n_quasi]] = true;
            r->n_quasi++;
        }
    if (r->n_quasi > 0)
        return KAN_OK;
    return kan_fail(
        w->run, KAN_BAD_INPUT,
        "%s has none of the quasi-identifiers (--qi), so that nobody can be found in it "
        "by them; name those that it has, too, or leave it out",
        r->side.input.name);
}

static kan_status read_others(kan_attack_walk *w, state *s) {
    s->first.side = w->sides[KAN_ATTACK_RELEASE];
    KAN_TRY(find_quasi(w, &s->first));
    KAN_TRY(mark_blank(w, &s->first));
    for (size_t i = 0; i < s->n; i++) {
        release *other = &s->others[i];
        KAN_TRY(find_quasi(w, other));
        KAN_TRY(kan_verify_read_side(&other->side, &w->sides[KAN_ATTACK_ORIGINAL].input));
        KAN_TRY(kan_verify_set_blank_aside(w->run, &other->side));
        if (other->side.is_blank)
            return kan_fail(w->run, KAN_BAD_INPUT,
                            "%s shows nothing but * in every row, so it says nothing; leave it out",
                            other->side.input.name);
        KAN_TRY(mark_blank(w, other));
    }
    return KAN_OK;
}

/* ---- columns that several releases show as they were --------------------------------------------- */

static bool is_quasi(const kan_attack_walk *w, const char *name) {
    const kan_role_list *quasi = &w->roles.named[KAN_ROLE_QUASI];
    for (size_t i = 0; i < quasi->n; i++)
        if (kan_slice_is(quasi->columns[i].name, name))
            return true;
    return false;
}

static release *release_at(state *s, const join *j, size_t i) {
    return i == 0 ? &s->first : &s->others[j->first + i - 1];
}

static bool have_all(state *s, const join *j, const char *name) {
    size_t unused;
    for (size_t i = 1; i <= j->n_others; i++)
        if (!kan_input_find(&release_at(s, j, i)->side.input, kan_slice_of(name), &unused))
            return false;
    return true;
}

static kan_status find_common(const kan_attack_walk *w, state *s, const join *j, const char ***out,
                              size_t *n) {
    const kan_input *first = &s->first.side.input;
    const char **names;
    *n = 0;
    KAN_TRY(kan_arena_alloc(&w->job->arena, first->n_columns, sizeof *names, &names));
    for (size_t i = 0; i < first->n_columns; i++)
        if (!is_quasi(w, first->columns[i]) && have_all(s, j, first->columns[i]))
            names[(*n)++] = first->columns[i];
    *out = names;
    return KAN_OK;
}

/* ---- the order of rows ---------------------------------------------------------------------------- */

static const kan_column *column_of(const release *r, const char *name) {
    return kan_table_find(r->side.input.table, name, NULL);
}

/* The first row of which two releases say different things. */
static void find_odd(state *s, join *j, const char *const *names, size_t n) {
    const uint64_t n_rows = s->first.side.input.table->n_rows;
    for (size_t i = 1; i <= j->n_others; i++)
        for (size_t c = 0; c < n; c++) {
            const release *other = release_at(s, j, i);
            const kan_column *a = column_of(&s->first, names[c]), *b = column_of(other, names[c]);
            for (uint64_t row = 0; row < n_rows; row++)
                if (!s->first.is_blank[row] && !other->is_blank[row] &&
                    !kan_slice_equal(kan_column_value(a, row), kan_column_value(b, row)) &&
                    (j->odd_row == 0 || row + 1 < j->odd_row)) {
                    j->odd_row = row + 1;
                    j->odd_column = names[c];
                }
        }
}

static bool have_as_many(state *s, const join *j) {
    for (size_t i = 1; i <= j->n_others; i++)
        if (release_at(s, j, i)->side.input.table->n_rows != s->first.side.input.table->n_rows)
            return false;
    return true;
}

/* ---- joining ---------------------------------------------------------------------------------------- */

static void number_rows(state *s, const join *j, uint32_t **keys) {
    const uint64_t n = s->first.side.input.table->n_rows;
    for (uint64_t row = 0; row < n; row++) {
        bool is_shown = false; /* in any of them */
        for (size_t i = 0; i <= j->n_others; i++)
            is_shown = is_shown || !release_at(s, j, i)->is_blank[row];
        for (size_t i = 0; i <= j->n_others; i++)
            keys[i][row] = is_shown ? (uint32_t)row : KAN_NO_KEY;
    }
}

static kan_status number_values(kan_attack_walk *w, state *s, const join *j, uint32_t **keys,
                                uint32_t *n_keys) {
    kan_join_columns *sides;
    size_t *columns;
    KAN_TRY(kan_arena_alloc(&w->job->arena, j->n_others + 1, sizeof *sides, &sides));
    for (size_t i = 0; i <= j->n_others; i++) {
        const release *r = release_at(s, j, i);
        KAN_TRY(kan_arena_alloc(&w->job->arena, j->n_columns, sizeof *columns, &columns));
        for (size_t c = 0; c < j->n_columns; c++)
            (void)kan_input_find(&r->side.input, kan_slice_of(j->columns[c]), &columns[c]);
        for (uint64_t row = 0; row < r->side.input.table->n_rows; row++)
            keys[i][row] = r->is_blank[row] ? KAN_NO_KEY : 0;
        sides[i] = (kan_join_columns){r->side.input.table, columns, keys[i]};
    }
    return kan_join_number(w->run, sides, j->n_others + 1, j->n_columns, n_keys);
}

static kan_status run_join(kan_attack_walk *w, state *s, join *j) {
    const size_t n = j->n_others + 1;
    kan_join_side *sides;
    uint32_t **keys, n_keys = (uint32_t)s->first.side.input.table->n_rows;
    kan_status status = KAN_OK;
    KAN_TRY(kan_arena_alloc(&w->job->arena, n, sizeof *sides, &sides));
    KAN_TRY(kan_alloc_zero(w->run, n, sizeof *keys, &keys));
    for (size_t i = 0; i < n; i++) {
        const release *r = release_at(s, j, i);
        KAN_TRY_DONE(
            kan_alloc(w->run, (size_t)r->side.input.table->n_rows, sizeof **keys, &keys[i]));
        sides[i] = (kan_join_side){r->side.input.table, r->quasi, r->n_quasi, keys[i]};
    }
    if (j->is_by_order)
        number_rows(s, j, keys);
    else
        KAN_TRY_DONE(number_values(w, s, j, keys, &n_keys));
    const kan_join_question question = {.sides = sides,
                                        .n_sides = n,
                                        .n_keys = n_keys,
                                        .sensitive = w->sensitive,
                                        .n_sensitive = w->n_sensitive,
                                        .hides = s->first.is_blank,
                                        .k = w->k};
    KAN_TRY_DONE(kan_join_releases(w->run, &question, &j->found));
    j->has_found = true;
done:
    for (size_t i = 0; i < n; i++)
        kan_free(w->run, keys[i]);
    kan_free(w->run, keys);
    return status;
}

/* Keeps the join where it says something. */
static kan_status try_join(kan_attack_walk *w, state *s, const join *j) {
    KAN_TRY(kan_reserve(w->run, s->n_joins + 1, sizeof *s->joins, &s->capacity, &s->joins));
    join *made = &s->joins[s->n_joins];
    *made = *j;
    s->n_joins++;
    if (j->odd_row == 0)
        KAN_TRY(run_join(w, s, made));
    if (made->has_found && made->found.n_linked == 0) {
        kan_join_destroy(&made->found);
        s->n_joins--;
    }
    return KAN_OK;
}

static kan_status try_joins(kan_attack_walk *w, state *s, size_t first, size_t n_others) {
    join j = {.first = first, .n_others = n_others};
    const char **names;
    size_t n;
    KAN_TRY(find_common(w, s, &j, &names, &n));
    if (have_as_many(s, &j)) {
        j.is_by_order = true;
        find_odd(s, &j, names, n);
        j.is_granted = n == 0;
        KAN_TRY(try_join(w, s, &j));
        j = (join){.first = first, .n_others = n_others};
    }
    for (size_t c = 0; c < n; c++) {
        j.columns = names + c;
        j.n_columns = 1;
        KAN_TRY(try_join(w, s, &j));
    }
    j.columns = names;
    j.n_columns = n;
    return n > 1 ? try_join(w, s, &j) : KAN_OK;
}

static kan_status cross(kan_attack_walk *w, state *s, size_t first, size_t n_others) {
    bool has_found;
    crossed *c = &s->crossed[s->n_crossed];
    *c = (crossed){.first = first, .n_others = n_others};
    KAN_TRY(kan_attack_cross(w, &s->crossing, first, n_others, &c->found, &has_found));
    s->n_crossed += has_found;
    return KAN_OK;
}

static kan_status cross_people(kan_attack_walk *w, state *s) {
    const kan_verify_side **sides;
    if (!w->has[KAN_ATTACK_REGISTER])
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&w->job->arena, s->n + 1, sizeof *sides, &sides));
    sides[0] = &w->sides[KAN_ATTACK_RELEASE];
    for (size_t i = 0; i < s->n; i++)
        sides[i + 1] = &s->others[i].side;
    KAN_TRY(kan_alloc_zero(w->run, s->n + 1, sizeof *s->crossed, &s->crossed));
    KAN_TRY(kan_attack_cross_ask(w, sides, s->n + 1, &s->crossing));
    for (size_t i = 0; i < s->n; i++)
        KAN_TRY(cross(w, s, i, 1));
    return s->n > 1 ? cross(w, s, 0, s->n) : KAN_OK;
}

static kan_status measure(kan_attack_walk *w, void *of) {
    state *s = of;
    KAN_TRY(read_others(w, s));
    KAN_TRY(cross_people(w, s));
    kan_report_progress(w->run, "join", 0, 0);
    for (size_t i = 0; i < s->n; i++)
        KAN_TRY(try_joins(w, s, i, 1));
    return s->n > 1 ? try_joins(w, s, 0, s->n) : KAN_OK;
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static json_t *certain_json(const kan_attack_walk *w, const kan_join *found) {
    json_t *columns = json_array();
    for (size_t i = 0; i < w->n_sensitive; i++)
        columns = kan_json_append(
            columns,
            json_pack("{s:o, s:o, s:o}", "column",
                      kan_json_text(w->sides[KAN_ATTACK_RELEASE].input.columns[w->sensitive[i]]),
                      "people", kan_json_count(found->certain[i]), "alone",
                      kan_json_count(found->certain_alone[i])));
    return columns;
}

static const char *sensitive_name(const kan_attack_walk *w, const state *s, size_t i) {
    return w->sides[KAN_ATTACK_RELEASE].input.columns[w->sensitive[s->crossing.columns[i]]];
}

static json_t *exposed_json(const kan_join *found) {
    json_t *rows = json_array();
    for (size_t i = 0; i < found->n_exposed; i++)
        rows = kan_json_append(rows, json_pack("{s:o, s:o}", "row",
                                               kan_json_count(found->exposed[i].row + 1), "crowd",
                                               kan_json_count(found->exposed[i].crowd)));
    return rows;
}

static json_t *join_json(const kan_attack_walk *w, const state *s, const join *j) {
    const kan_join *found = &j->found;
    json_t *others = json_array(), *columns = json_array();
    for (size_t i = 0; i < j->n_others; i++)
        others = kan_json_append(others, kan_json_text(s->others[j->first + i].path));
    for (size_t i = 0; i < j->n_columns; i++)
        columns = kan_json_append(columns, kan_json_text(j->columns[i]));
    json_t *object = json_pack("{s:o, s:s, s:o, s:b, s:o}", "others", others, "by",
                               j->is_by_order ? "order" : "columns", "columns", columns,
                               "taken_for_granted", (int)j->is_granted, "odd_row",
                               j->odd_row ? kan_json_count(j->odd_row) : json_null());
    json_t *figures = json_null();
    if (j->has_found)
        figures = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "people",
            kan_json_count(found->n_linked), "cells", kan_json_count(found->n_cells), "smallest",
            kan_json_count(found->smallest), "unique", kan_json_count(found->n_unique), "below_k",
            kan_json_count(found->n_below), "unique_alone", kan_json_count(found->n_unique_alone),
            "below_k_alone", kan_json_count(found->n_below_alone), "certain",
            certain_json(w, found), "exposed", exposed_json(found));
    return kan_json_set(object, "found", figures);
}

static json_t *crossed_json(const kan_attack_walk *w, const state *s, const crossed *c) {
    const kan_cross *found = &c->found;
    json_t *others = json_array(), *columns = json_array();
    for (size_t i = 0; i < c->n_others; i++)
        others = kan_json_append(others, kan_json_text(s->others[c->first + i].path));
    for (size_t i = 0; i < s->crossing.n_sensitive; i++)
        columns = kan_json_append(
            columns, json_pack("{s:o, s:o, s:o}", "column", kan_json_text(sensitive_name(w, s, i)),
                               "people", kan_json_count(found->certain[i]), "alone",
                               kan_json_count(found->certain_alone[i])));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "others", others, "asked",
                     kan_json_count(found->n_asked), "people", kan_json_count(found->n_people),
                     "smallest", kan_json_count(found->smallest), "unique",
                     kan_json_count(found->n_unique), "below_k", kan_json_count(found->n_below),
                     "unique_alone", kan_json_count(found->n_unique_alone), "below_k_alone",
                     kan_json_count(found->n_below_alone), "certain", columns);
}

static json_t *json(const kan_attack_walk *w, const void *of) {
    const state *s = of;
    json_t *others = json_array(), *joins = json_array(), *people = json_array();
    for (size_t i = 0; i < s->n_crossed; i++)
        people = kan_json_append(people, crossed_json(w, s, &s->crossed[i]));
    for (size_t i = 0; i < s->n; i++)
        others = kan_json_append(
            others, json_pack("{s:o, s:o, s:o}", "path", kan_json_text(s->others[i].path), "rows",
                              kan_json_count(s->others[i].side.input.table->n_rows), "suppressed",
                              kan_json_count(s->others[i].side.shown.n_blank)));
    for (size_t i = 0; i < s->n_joins; i++)
        joins = kan_json_append(joins, join_json(w, s, &s->joins[i]));
    return json_pack("{s:o, s:o, s:o}", "others", others, "joins", joins, "people", people);
}

/* ---- words ---------------------------------------------------------------------------------------------- */

enum { NAMES_BYTES = 512, MOST_NAMES = 6 };

static void name_others(const state *s, size_t first, size_t n, char room[NAMES_BYTES]) {
    kan_name_list list = kan_names_begin(room, NAMES_BYTES, MOST_NAMES);
    for (size_t i = 0; i < n; i++)
        kan_names_add(&list, s->others[first + i].side.input.name);
    (void)kan_names_end(&list);
}

static void name_way(const join *j, char *room, size_t size) {
    char names[NAMES_BYTES];
    kan_name_list list = kan_names_begin(names, sizeof names, MOST_NAMES);
    for (size_t i = 0; i < j->n_columns; i++)
        kan_names_add_quoted(&list, j->columns[i]);
    if (j->is_by_order)
        snprintf(room, size, "by the order of the rows%s",
                 j->is_granted ? " (taken for granted: no column says whether it is the same)"
                               : "");
    else
        snprintf(room, size, "by %s %s", j->n_columns == 1 ? "column" : "columns",
                 kan_names_end(&list));
}

static void tell_join(const kan_attack_walk *w, const state *s, const join *j,
                      kan_found_words *words) {
    const kan_join *found = &j->found;
    char others[NAMES_BYTES], way[2 * NAMES_BYTES];
    name_others(s, j->first, j->n_others, others);
    name_way(j, way, sizeof way);
    kan_found_pause(words);
    if (j->odd_row > 0) {
        kan_found_say(words,
                      "With %s, the rows are not joined by their order: row %" PRIu64
                      " shows another '%s'.",
                      others, j->odd_row, j->odd_column);
        return;
    }
    kan_found_say(words, "%s of %s people %s alone, once the rows are joined with %s %s.",
                  kan_found_count_of(found->n_unique).text,
                  kan_found_count_of(found->n_linked).text,
                  kan_plural(found->n_unique, "is", "are"), others, way);
    kan_found_say(words,
                  "%s %s among fewer than %" PRIu64 ", by this release alone %s; the "
                  "fewest are %s.",
                  kan_found_count_of(found->n_below).text, kan_plural(found->n_below, "is", "are"),
                  w->k, kan_found_count_of(found->n_below_alone).text,
                  kan_found_count_of(found->smallest).text);
    for (size_t i = 0; i < w->n_sensitive; i++)
        kan_found_say(words, "The value of '%s' is certain for %s, by this release alone for %s.",
                      w->sides[KAN_ATTACK_RELEASE].input.columns[w->sensitive[i]],
                      kan_found_count_of(found->certain[i]).text,
                      kan_found_count_of(found->certain_alone[i]).text);
}

static void tell_crossed(const kan_attack_walk *w, const state *s, const crossed *c,
                         kan_found_words *words) {
    const kan_cross *found = &c->found;
    char others[NAMES_BYTES];
    name_others(s, c->first, c->n_others, others);
    kan_found_pause(words);
    kan_found_say(
        words,
        "%s of %s people of %s who may be in this release and in %s %s "
        "alone, without any join of rows; by this release alone %s.",
        kan_found_count_of(found->n_unique).text, kan_found_count_of(found->n_people).text,
        w->sides[KAN_ATTACK_REGISTER].input.name, others, kan_plural(found->n_unique, "is", "are"),
        kan_found_count_of(found->n_unique_alone).text);
    kan_found_say(words, "%s %s among fewer than %" PRIu64 ", by this release alone %s.",
                  kan_found_count_of(found->n_below).text, kan_plural(found->n_below, "is", "are"),
                  w->k, kan_found_count_of(found->n_below_alone).text);
    for (size_t i = 0; i < s->crossing.n_sensitive; i++)
        kan_found_say(words, "The value of '%s' is certain for %s, by this release alone for %s.",
                      sensitive_name(w, s, i), kan_found_count_of(found->certain[i]).text,
                      kan_found_count_of(found->certain_alone[i]).text);
}

static void tell(const kan_attack_walk *w, const void *of, kan_found_words *words) {
    const state *s = of;
    for (size_t i = 0; i < s->n_crossed; i++)
        tell_crossed(w, s, &s->crossed[i], words);
    for (size_t i = 0; i < s->n_joins; i++)
        tell_join(w, s, &s->joins[i], words);
    if (s->n_joins > 0)
        return;
    kan_found_pause(words);
    kan_found_say(words, "Nothing joins rows of these releases: they have different numbers of "
                         "rows, and no column that all show as it was has a value of one row "
                         "alone.");
}

static void close(kan_attack_walk *w, void *of) {
    state *s = of;
    for (size_t i = 0; i < s->n; i++) {
        kan_free(w->run, s->others[i].is_blank);
        kan_verify_close_side(&s->others[i].side);
    }
    for (size_t i = 0; i < s->n_joins; i++)
        if (s->joins[i].has_found)
            kan_join_destroy(&s->joins[i].found);
    for (size_t i = 0; i < s->n_crossed; i++)
        kan_cross_destroy(&s->crossed[i].found);
    kan_attack_crossing_destroy(w, &s->crossing);
    kan_free(w->run, s->crossed);
    kan_free(w->run, s->first.is_blank);
    kan_free(w->run, s->joins);
    kan_free(w->run, s->others);
}

const kan_attack_kind kan_attack_with = {.setting = "with",
                                         .key = "with",
                                         .size = sizeof(state),
                                         .open = open,
                                         .measure = measure,
                                         .json = json,
                                         .tell = tell,
                                         .close = close};
