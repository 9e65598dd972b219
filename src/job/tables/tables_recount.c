/* The folder, read again: its columns, its keys, its trees, and whether they can be those of originals. */
#include <inttypes.h>

#include "analyze/verify/verify.h"
#include "data/spelling.h"
#include "job/tables/tables_inside.h"
#include "job/verify/verify.h"

/* The release as the recount sees it. */
typedef struct {
    kan_clan *clan;
    kan_clan_verdict *out;
    kan_input inputs[KAN_MOST_TABLES];
    size_t n_open;
    kan_forest_table released[KAN_MOST_TABLES], original[KAN_MOST_TABLES];
    kan_forest release, origin;
} recounter;

/* ---- columns -------------------------------------------------------------------------------- */

static size_t find(const recounter *r, size_t t, const char *name) {
    size_t column;
    return kan_input_find(&r->inputs[t], kan_slice_of(name), &column) ? column : KAN_FOREST_NONE;
}

/* Each column that was decided on is there, and no other. */
static void check_columns(recounter *r, size_t t) {
    const kan_setup *setup = &r->clan->tables[t].setup;
    char quoted[256];
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (kan_setup_releases(setup, i) && find(r, t, setup->input.columns[i]) == KAN_FOREST_NONE)
            kan_text_print(&r->out->fault, "%s: column %s is missing\n", r->inputs[t].name,
                           kan_quote(kan_slice_of(setup->input.columns[i]), quoted));
    for (size_t i = 0; i < r->inputs[t].n_columns; i++) {
        size_t column;
        if (!kan_input_find(&setup->input, kan_slice_of(r->inputs[t].columns[i]), &column) ||
            !kan_setup_releases(setup, column))
            kan_text_print(&r->out->fault, "%s: nobody decided to release column %s\n",
                           r->inputs[t].name,
                           kan_quote(kan_slice_of(r->inputs[t].columns[i]), quoted));
    }
}

static bool shows_one_of(const kan_column *shown, const kan_column *column) {
    uint32_t code;
    for (uint32_t i = 0; i < shown->dictionary.n; i++)
        if (kan_dictionary_find(&column->dictionary, kan_dictionary_value(&shown->dictionary, i),
                                &code))
            return true;
    return false;
}

static bool shows_only(const kan_column *shown, const kan_column *column) {
    uint32_t code;
    for (uint32_t i = 0; i < shown->dictionary.n; i++)
        if (!kan_dictionary_find(&column->dictionary, kan_dictionary_value(&shown->dictionary, i),
                                 &code))
            return false;
    return true;
}

/* Keys are pseudonyms and no originals, which may look like some; with a secret that was named, they are
 * those of originals. */
static void check_treated(recounter *r, size_t t, const kan_treatment *treatment, size_t column) {
    const kan_clan_table *table = &r->clan->tables[t];
    const kan_column *shown = &r->inputs[t].table->columns[column];
    size_t original;
    if (!kan_input_find(&table->setup.input, kan_slice_of(treatment->name), &original))
        return;
    if (!kan_verify_is_treated(shown, treatment))
        kan_text_print(
            &r->out->fault, "%s: column '%s' shows %s\n", r->inputs[t].name, treatment->name,
            treatment->is_pseudonym ? "what is no pseudonym"
                                    : "numbers or dates that `cap` or `round` cannot have left");
    else if (!treatment->is_pseudonym)
        return;
    else if (shows_one_of(shown, &table->raw->columns[original]))
        kan_text_print(&r->out->fault, "%s: column '%s' shows keys of the original\n",
                       r->inputs[t].name, treatment->name);
    else if (kan_options_find(&r->clan->job->options, "key") &&
             !shows_only(shown, &table->setup.table->columns[original]))
        kan_text_print(&r->out->fault,
                       "%s: column '%s' shows a pseudonym of no key, with this secret\n",
                       r->inputs[t].name, treatment->name);
}

static void check_treatments(recounter *r, size_t t) {
    const kan_input *input = &r->clan->tables[t].setup.input;
    for (size_t i = 0; i < input->n_treatments; i++) {
        const size_t column = find(r, t, input->treatments[i].name);
        if (column != KAN_FOREST_NONE)
            check_treated(r, t, &input->treatments[i], column);
    }
}

/* Values that kanon counts as one, and others see apart: of what trees are made of. */
static kan_status check_apart(const recounter *r, size_t t) {
    const kan_setup *setup = &r->clan->tables[t].setup;
    const kan_input *input = &r->inputs[t];
    bool *columns;
    KAN_TRY(kan_arena_alloc(&r->clan->arena, input->n_columns, sizeof *columns, &columns));
    for (size_t i = 0; i < input->n_columns; i++) {
        size_t own;
        columns[i] = kan_input_find(&setup->input, kan_slice_of(input->columns[i]), &own) &&
                     kan_setup_releases(setup, own) && !kan_setup_keeps(setup, own);
    }
    return kan_verify_tell_apart(input, columns, true);
}

/* Those of the table, but for what says where in its file it is. */
static kan_status options_of_release(const recounter *r, const kan_job *job, kan_options **out) {
    kan_arena *arena = &r->clan->arena;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof **out, out));
    **out = job->options;
    (*out)->n = 0;
    KAN_TRY(kan_arena_alloc(arena, job->options.n, sizeof *(*out)->values, &(*out)->values));
    for (size_t i = 0; i < job->options.n; i++)
        if (strcmp(job->options.values[i].name, "sheet") != 0)
            (*out)->values[(*out)->n++] = job->options.values[i];
    return KAN_OK;
}

/* "release.xlsx, 'stays'", for messages. */
static kan_status name_place(recounter *r, size_t t) {
    kan_text text;
    kan_text_init(&text, r->clan->run);
    kan_text_print(&text, "%s, '%s'", r->inputs[t].name, r->clan->names[t]);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&r->clan->arena, text.bytes, text.size, &r->inputs[t].name);
    kan_text_destroy(&text);
    return status;
}

/* A file of its own, or its place in the one for all. */
static kan_status open_file(recounter *r, const char *release, size_t t) {
    const kan_clan *clan = r->clan;
    const kan_job *job = clan->tables[t].part->job;
    const char *path = release, *encoding = kan_options_find(&job->options, "encoding");
    kan_options *given;
    if (!clan->is_book)
        KAN_TRY(kan_folder_path(&r->clan->arena, release, clan->names[t], clan->ending, &path));
    KAN_TRY(options_of_release(r, job, &given));
    const kan_source_options options = {.encoding = encoding,
                                        .encodes_if_needed = true,
                                        .given = given,
                                        .table = clan->is_book ? clan->names[t] : NULL,
                                        .schema = kan_clan_engine(clan),
                                        .tables = clan->names,
                                        .n_tables = clan->is_book ? clan->n : 0};
    const kan_status status =
        kan_input_open_as(job, path, clan->sink->reader, &options, &r->inputs[t]);
    r->n_open = t + 1;
    KAN_TRY(status);
    return clan->is_book ? name_place(r, t) : KAN_OK;
}

static kan_status open_table(recounter *r, const char *release, size_t t) {
    const kan_clan_table *table = &r->clan->tables[t];
    KAN_TRY(open_file(r, release, t));
    for (size_t i = 0; i < r->inputs[t].n_columns; i++) {
        size_t column;
        r->inputs[t].encode[i] = true;
        r->inputs[t].as_is[i] =
            kan_input_find(&table->setup.input, kan_slice_of(r->inputs[t].columns[i]), &column) &&
            table->setup.input.as_is[column];
    }
    KAN_TRY(kan_input_read_release(&r->inputs[t], &table->setup.input));
    r->out->n_rows[t] = r->inputs[t].table->n_rows;
    KAN_TRY(check_apart(r, t));
    check_columns(r, t);
    check_treatments(r, t);
    return kan_text_status(&r->out->fault);
}

kan_forest_table kan_clan_origin(const kan_clan_table *table) {
    const kan_setup *setup = &table->setup;
    return (kan_forest_table){.table = setup->table,
                              .key = table->key,
                              .parent = table->parent,
                              .link = table->link,
                              .quasi = setup->quasi,
                              .n_quasi = setup->n_quasi,
                              .hierarchies = (const kan_hierarchy *const *)setup->hierarchies};
}

/* Columns of both, in the same order. */
static kan_status pair_columns(recounter *r, size_t t) {
    const kan_clan_table *table = &r->clan->tables[t];
    const kan_setup *setup = &table->setup;
    kan_arena *arena = &r->clan->arena;
    size_t *quasi, *others, *own, n = 0;
    KAN_TRY(kan_arena_alloc(arena, setup->n_quasi, sizeof *quasi, &quasi));
    KAN_TRY(kan_arena_alloc(arena, setup->input.n_columns, sizeof *others, &others));
    KAN_TRY(kan_arena_alloc(arena, setup->input.n_columns, sizeof *own, &own));
    for (unsigned q = 0; q < setup->n_quasi; q++) {
        quasi[q] = find(r, t, setup->input.columns[setup->quasi[q]]);
        /* intervals may be called otherwise where nobody who was released has a fraction */
        KAN_TRY(
            kan_hierarchy_fit_names(setup->hierarchies[q], &r->inputs[t].table->columns[quasi[q]]));
    }
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (kan_setup_releases(setup, i) && setup->roles[i] != KAN_ROLE_QUASI &&
            !kan_setup_is_pseudonym(setup, i)) {
            own[n] = i;
            others[n++] = find(r, t, setup->input.columns[i]);
        }
    r->original[t] = kan_clan_origin(table);
    r->original[t].others = own;
    r->original[t].n_others = n;
    r->released[t] = r->original[t];
    r->released[t].table = r->inputs[t].table;
    r->released[t].quasi = quasi;
    r->released[t].others = others;
    if (r->clan->drops_keys)
        return KAN_OK;
    if (table->key != KAN_NO_COLUMN)
        r->released[t].key = find(r, t, setup->input.columns[table->key]);
    if (table->link != KAN_NO_COLUMN)
        r->released[t].link = find(r, t, setup->input.columns[table->link]);
    return KAN_OK;
}

/* The originals that rows are held against are treated as the settings say, by another definition. */
static kan_status check_originals(const recounter *r) {
    for (size_t t = 0; t < r->clan->n; t++) {
        const kan_input *input = &r->clan->tables[t].setup.input;
        const char *fault;
        KAN_TRY(kan_verify_treated(r->clan->run, input->raw, input->table, input->treatments,
                                   input->n_treatments, &fault));
        if (fault)
            return kan_fail(r->clan->run, KAN_FAILED,
                            "internal error: column '%s' of %s was not treated as the settings "
                            "say; please report this",
                            fault, input->name);
    }
    return KAN_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void tell_finding(recounter *r, const kan_forest_finding *f) {
    const kan_table *table = r->inputs[f->table].table;
    char quoted[256];
    kan_text_print(&r->out->fault, "%s: row %" PRIu64 ": column '%s' %s %s\n",
                   r->inputs[f->table].name, f->row + 1, table->columns[f->column].name,
                   kan_quote(kan_column_value(&table->columns[f->column], f->row), quoted),
                   f->fault == KAN_FOREST_NO_KEY       ? "is no key"
                   : f->fault == KAN_FOREST_DOUBLE_KEY ? "is the key of an earlier row, too"
                                                       : "is the key of no row of its parent");
}

static void tell_recount(recounter *r) {
    const kan_forest_recount *found = &r->out->recount;
    char rare[32];
    if (found->n_rare > 0)
        kan_text_print(&r->out->fault,
                       "the trees of %s %s are shared by fewer than %" PRIu64
                       " people, such as that of row %" PRIu64 " of %s\n",
                       kan_count_text(found->n_rare, rare),
                       kan_plural(found->n_rare, "person", "people"), kan_clan_k(r->clan->job),
                       found->first_rare + 1, r->inputs[0].name);
}

static void tell_groups(recounter *r) {
    const kan_forest_groups *found = &r->out->groups;
    char small[32];
    if (found->n_small > 0)
        kan_text_print(&r->out->fault,
                       "%s %s rows of fewer than %" PRIu64 " people, such as that of row %" PRIu64
                       " of %s\n",
                       kan_count_text(found->n_small, small),
                       kan_plural(found->n_small, "group has", "groups have"),
                       kan_clan_k(r->clan->job), found->row + 1, r->inputs[found->table].name);
}

static bool needs_key(const kan_clan *clan) {
    bool is_unordered = false;
    for (size_t t = 0; t < clan->n; t++)
        is_unordered |= clan->tables[t].is_unordered;
    return is_unordered && !clan->drops_keys && !kan_options_find(&clan->job->options, "key");
}

static void tell_match(recounter *r, const kan_forest_match *match) {
    if (match->holds)
        return;
    if (match->is_certain)
        kan_text_print(&r->out->fault, "%s: row %" PRIu64 " covers no row of the original\n",
                       r->inputs[match->table].name, match->row + 1);
    else if (needs_key(r->clan))
        kan_text_print(&r->out->unchecked,
                       "rows of a database come in no order, so that whose row of %s is whose can "
                       "only be told with --key FILE, the secret that the release was made with",
                       r->inputs[0].name);
    else
        kan_text_print(&r->out->unchecked,
                       "no person of the original, behind those of the rows before, has what the "
                       "person in row %" PRIu64
                       " of %s shows: rows may be in another order, were changed, or are missing",
                       match->row + 1, r->inputs[0].name);
}

static void check_limit(recounter *r) {
    const uint64_t n_all = r->clan->n_people, n = r->out->recount.n_people;
    const uint64_t limit = kan_clan_limit(r->clan->job, n_all);
    char left[32], most[32];
    r->out->within_limit = n <= n_all && n_all - n <= limit;
    if (!r->out->within_limit)
        kan_text_print(&r->out->fault,
                       n > n_all ? "it has more people than the original\n"
                                 : "%s people are left out, and --suppress allows "
                                   "%s\n",
                       kan_count_text(n_all - n, left), kan_count_text(limit, most));
}

static kan_status check_models(recounter *r) {
    const char *names[KAN_MOST_TABLES];
    KAN_TRY(kan_clan_recount_models(r->clan, &r->release));
    for (size_t t = 0; t < r->clan->n; t++)
        names[t] = r->inputs[t].name;
    kan_clan_add_failing(r->clan, names, &r->out->fault);
    return kan_text_status(&r->out->fault);
}

/* ---- figures of a report -------------------------------------------------------------------- */

/* By code the first one that is the same value: of numbers and dates all their spellings are one. */
static kan_status find_same(kan_run *run, const kan_column *column, size_t *same_as) {
    const uint32_t n = column->dictionary.n;
    kan_meant_list meant = {.run = run};
    kan_slice *values;
    bool has_several;
    kan_status status;
    for (uint32_t code = 0; code < n; code++)
        same_as[code] = code;
    if (kan_column_is_called_text(column))
        return KAN_OK;
    KAN_TRY(kan_alloc(run, n, sizeof *values, &values));
    for (uint32_t code = 0; code < n; code++)
        values[code] = kan_dictionary_value(&column->dictionary, code);
    KAN_TRY_DONE(kan_meant_read(run, values, n, &meant));
    if (kan_meant_kind(&meant, NULL, column->ends) != KAN_TYPE_TEXT)
        KAN_TRY_DONE(kan_meant_same(&meant, same_as, &has_several));
done:
    kan_meant_destroy(&meant);
    kan_free(run, values);
    return status;
}

static kan_status measure_column(recounter *r, size_t t, size_t column, const uint64_t *part_of,
                                 double *out) {
    const kan_column *shown = &r->inputs[t].table->columns[column];
    size_t *same_as;
    KAN_TRY(kan_alloc(r->clan->run, shown->dictionary.n, sizeof *same_as, &same_as));
    kan_status status = find_same(r->clan->run, shown, same_as);
    if (status == KAN_OK)
        status = kan_forest_sure(&r->release, t, column, same_as, part_of, out);
    kan_free(r->clan->run, same_as);
    return status;
}

/* How sure the release makes somebody, of each sensitive column. */
static kan_status measure_columns(recounter *r, size_t t, const uint64_t *part_of) {
    const kan_setup *setup = &r->clan->tables[t].setup;
    double *sure;
    KAN_TRY(kan_arena_alloc(&r->clan->arena, setup->input.n_columns, sizeof *sure, &sure));
    r->clan->figures.sure[t] = sure;
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (setup->roles[i] == KAN_ROLE_SENSITIVE)
            KAN_TRY(measure_column(r, t, find(r, t, setup->input.columns[i]), part_of, &sure[i]));
    return KAN_OK;
}

static kan_status measure_sure(recounter *r) {
    uint64_t *part_of[KAN_MOST_TABLES] = {NULL};
    kan_status status;
    for (size_t t = 0; t < r->clan->n; t++)
        KAN_TRY_DONE(kan_alloc(r->clan->run, (size_t)r->released[t].table->n_rows,
                               sizeof *part_of[t], &part_of[t]));
    KAN_TRY_DONE(kan_forest_find_parts(&r->release, part_of));
    for (size_t t = 0; t < r->clan->n; t++)
        KAN_TRY_DONE(measure_columns(r, t, part_of[t]));
done:
    for (size_t t = 0; t < r->clan->n; t++)
        kan_free(r->clan->run, part_of[t]);
    return status;
}

/* The quasi-identifiers of a table, and what it keeps. */
static kan_status add_kept(recounter *r, size_t t, kan_forest_table *out) {
    const kan_setup *setup = &r->clan->tables[t].setup;
    size_t *columns, n = out->n_quasi;
    KAN_TRY(
        kan_arena_alloc(&r->clan->arena, n + setup->input.n_columns, sizeof *columns, &columns));
    for (size_t q = 0; q < n; q++)
        columns[q] = out->quasi[q];
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (kan_setup_keeps(setup, i) && !kan_setup_is_pseudonym(setup, i))
            columns[n++] = find(r, t, setup->input.columns[i]);
    out->quasi = columns;
    out->n_quasi = n;
    return KAN_OK;
}

/* Who is alone by her tree, and by that with all that is kept. */
static kan_status measure_alone(recounter *r) {
    kan_forest_table tables[KAN_FOREST_TABLES];
    kan_forest with_kept = {.n = 0};
    kan_forest_recount found;
    kan_forest_finding finding;
    kan_status status;
    KAN_TRY(kan_forest_count(&r->release, 2, &found));
    r->clan->figures.n_alone = found.n_rare;
    for (size_t t = 0; t < r->clan->n; t++) {
        tables[t] = r->released[t];
        KAN_TRY(add_kept(r, t, &tables[t]));
    }
    KAN_TRY_DONE(kan_forest_make(r->clan->run, tables, r->clan->n, &with_kept, &finding));
    KAN_TRY_DONE(kan_forest_count(&with_kept, 2, &found));
    r->clan->figures.n_alone_with_kept = found.n_rare;
done:
    kan_forest_destroy(&with_kept);
    return status;
}

static kan_status measure_figures(recounter *r) {
    if (!r->clan->wants_figures)
        return KAN_OK;
    KAN_TRY(measure_sure(r));
    return measure_alone(r);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* What is promised of people, once rows are tied together. */
static kan_status check_people(recounter *r) {
    kan_clan *clan = r->clan;
    KAN_TRY(kan_forest_count(&r->release, clan->by_groups ? 1 : kan_clan_k(clan->job),
                             &r->out->recount));
    if (clan->by_groups)
        KAN_TRY(kan_forest_count_groups(&r->release, kan_clan_k(clan->job), &r->out->groups));
    if (clan->threshold > 0) {
        clan->has_risk = true;
        KAN_TRY(kan_risk_trees_measure(&r->release, clan->threshold, &clan->risk));
    }
    tell_recount(r);
    tell_groups(r);
    check_limit(r);
    return check_models(r);
}

static kan_status tie_originals(recounter *r) {
    kan_forest_finding finding;
    KAN_TRY(kan_forest_make(r->clan->run, r->original, r->clan->n, &r->origin, &finding));
    if (finding.fault != KAN_FOREST_SOUND)
        return kan_fail(r->clan->run, KAN_FAILED,
                        "internal error: the original was tied together in another way; please "
                        "report it");
    return KAN_OK;
}

static kan_status compare(recounter *r) {
    kan_forest_finding finding;
    kan_forest_match match;
    KAN_TRY(kan_forest_make(r->clan->run, r->released, r->clan->n, &r->release, &finding));
    if (finding.fault != KAN_FOREST_SOUND) {
        tell_finding(r, &finding);
        return kan_text_status(&r->out->fault);
    }
    KAN_TRY(check_people(r));
    KAN_TRY(tie_originals(r));
    KAN_TRY(kan_forest_cover(&r->release, &r->origin, &match));
    tell_match(r, &match);
    KAN_TRY(measure_figures(r));
    KAN_TRY(kan_text_status(&r->out->unchecked));
    return kan_text_status(&r->out->fault);
}

/* ---- without keys --------------------------------------------------------------------------- */

/* Fewer than k rows are those of fewer than k people, whoever they are. */
static kan_status check_sizes(recounter *r) {
    const uint64_t k = kan_clan_k(r->clan->job);
    for (size_t t = 0; t < r->clan->n; t++) {
        const kan_forest_table *table = &r->released[t];
        kan_recount found = {.n_small_groups = table->table->n_rows < k};
        if (table->n_quasi > 0)
            KAN_TRY(kan_verify_recount(r->clan->run, table->table, table->quasi, table->n_quasi, k,
                                       &found));
        if (found.n_small_groups > 0)
            kan_text_print(&r->out->fault,
                           "%s: fewer than %" PRIu64 " rows show what row %" PRIu64 " shows\n",
                           r->inputs[t].name, k, found.examples[0] + 1);
    }
    return kan_text_status(&r->out->fault);
}

static kan_status compare_by_match(recounter *r, uint64_t *const *row_of) {
    bool is_found, holds = false;
    KAN_TRY(tie_originals(r));
    KAN_TRY(kan_clan_check_widened(r->clan, &r->origin));
    KAN_TRY(kan_clan_match(r->clan, r->released, r->original, row_of, &is_found));
    if (is_found)
        KAN_TRY(kan_forest_tie(r->clan->run, r->released, r->clan->n, &r->origin, row_of,
                               &r->release, &holds));
    if (holds)
        return check_people(r);
    KAN_TRY(check_sizes(r));
    kan_text_print(&r->out->unchecked,
                   "without keys nobody can tell whose row is whose; at no levels do those who "
                   "would stay show these rows: other people may be left out, values may be "
                   "changed, or levels differ within a column");
    return kan_text_status(&r->out->unchecked);
}

static kan_status compare_without_keys(recounter *r) {
    uint64_t *row_of[KAN_MOST_TABLES] = {NULL};
    kan_status status;
    for (size_t t = 0; t < r->clan->n; t++)
        KAN_TRY_DONE(kan_alloc(r->clan->run, (size_t)r->released[t].table->n_rows,
                               sizeof *row_of[t], &row_of[t]));
    KAN_TRY_DONE(compare_by_match(r, row_of));
done:
    for (size_t t = 0; t < r->clan->n; t++)
        kan_free(r->clan->run, row_of[t]);
    return status;
}

/* ---- beside the tables ---------------------------------------------------------------------- */

static kan_status tell_beside(recounter *r, size_t t, const kan_verify_sides *sides,
                              const kan_beside *beside) {
    const char *what;
    if (beside->n == 0)
        return KAN_OK;
    KAN_TRY(kan_verify_find_hidden(sides, beside, &what));
    if (what)
        kan_text_print(&r->out->fault,
                       "%s: a value of the original that no released row shows stands beside the "
                       "table: %s\n",
                       kan_source_name(r->inputs[t].source), what);
    kan_text_print(&r->out->unchecked, "%s%s has more than the table, which was not checked: ",
                   r->out->unchecked.size > 0 ? "; " : "", kan_source_name(r->inputs[t].source));
    (void)kan_verify_add_beside(beside, &r->out->unchecked);
    kan_text_print(&r->out->unchecked, "; write it again without that");
    return kan_text_status(&r->out->unchecked);
}

/* What no released row of any table shows must not stand in the file of another, either. */
static kan_status check_beside(recounter *r) {
    const kan_input *releases[KAN_MOST_TABLES], *originals[KAN_MOST_TABLES];
    const kan_verify_sides sides = {releases, originals, r->clan->n};
    for (size_t t = 0; t < r->clan->n; t++) {
        releases[t] = &r->inputs[t];
        originals[t] = &r->clan->tables[t].setup.input;
    }
    /* one file is looked at once, as a whole */
    for (size_t t = 0; t < (r->clan->is_book ? 1 : r->clan->n); t++) {
        kan_beside beside;
        kan_beside_init(&beside, r->clan->run);
        kan_status status = kan_verify_list_beside(r->clan->job, r->inputs[t].source, &beside);
        if (status == KAN_OK)
            status = tell_beside(r, t, &sides, &beside);
        kan_beside_destroy(&beside);
        KAN_TRY(status);
    }
    return kan_text_status(&r->out->fault);
}

kan_status kan_clan_recount(kan_clan *clan, const char *release, kan_clan_verdict *out) {
    kan_status status = KAN_OK;
    const double start = kan_now_ms();
    recounter r = {.clan = clan, .out = out};
    *out = (kan_clan_verdict){.holds = false};
    kan_text_init(&out->fault, clan->run);
    kan_text_init(&out->unchecked, clan->run);
    kan_report_progress(clan->run, "verify", 0, 0);
    if (!clan->is_book)
        KAN_TRY_DONE(kan_folder_find_foreign(clan, release, &out->fault));
    /* what is no plain file may never end */
    out->is_read = out->fault.size == 0;
    for (size_t t = 0; out->is_read && t < clan->n; t++)
        KAN_TRY_DONE(open_table(&r, release, t));
    for (size_t t = 0; out->fault.size == 0 && t < clan->n; t++)
        KAN_TRY_DONE(pair_columns(&r, t));
    KAN_TRY_DONE(check_originals(&r));
    if (out->fault.size == 0)
        KAN_TRY_DONE(clan->drops_keys ? compare_without_keys(&r) : compare(&r));
    if (out->is_read)
        KAN_TRY_DONE(check_beside(&r));
    out->holds = out->fault.size == 0 && out->unchecked.size == 0;
    clan->verify_ms += kan_now_ms() - start;
done:
    kan_forest_destroy(&r.release);
    kan_forest_destroy(&r.origin);
    for (size_t t = 0; t < r.n_open; t++)
        kan_input_close(&r.inputs[t]);
    return status;
}

void kan_clan_verdict_destroy(kan_clan_verdict *verdict) {
    kan_text_destroy(&verdict->fault);
    kan_text_destroy(&verdict->unchecked);
}
