/* A release, counted again: its codes, its columns, and whether it can be that of the original. */
#include <inttypes.h>
#include <string.h>

#include "job/codes/codes_inside.h"

typedef struct {
    kan_code_job *c;
    const kan_table *released;
    const char *name;
    size_t column; /* of the release */
    kan_code_verdict *out;
} recounter;

/* ---- columns -------------------------------------------------------------------------------- */

kan_status kan_code_job_take_released(kan_code_job *c, kan_input *release) {
    const kan_role_table table = {.input = release};
    if (c->is_open)
        return KAN_OK;
    kan_problems_begin(c->run);
    KAN_TRY(kan_roles_read(c->job, "verify", &table, 1, &c->released));
    c->has_released = true;
    return kan_problems_end(c->run);
}

static bool keeps_others(const kan_code_job *c) {
    const char *what = kan_options_find(&c->job->options, "others");
    return what && strcmp(what, "keep") == 0;
}

/* Whether somebody said what becomes of columns that nobody names: the job whose original this is did. */
static bool is_decided(const kan_code_job *c) {
    const kan_options *options = &c->job->options;
    return c->is_open || c->job->origins || kan_options_find(options, "keep") ||
           kan_options_find(options, "drop") || kan_options_find(options, "others");
}

static bool is_expected(const kan_code_job *c, size_t original) {
    return original == c->column || kan_setup_releases(&c->setup, original);
}

static void add_fault(recounter *r, const char *column, const char *what) {
    char quoted[256];
    kan_text_print(&r->out->fault, "%s: column %s %s\n", r->name,
                   kan_quote(kan_slice_of(column), quoted), what);
}

/* Names of --keep, or all columns that the original has and the release must have. */
static void check_missing(recounter *r) {
    const kan_input *input = &r->c->setup.input;
    const kan_role_list *kept = &r->c->released.named[KAN_ROLE_KEEP];
    for (size_t i = 0; r->c->is_open && i < input->n_columns; i++)
        if (is_expected(r->c, i) && !kan_table_find(r->released, input->columns[i], NULL))
            add_fault(r, input->columns[i], "is missing from the release");
    for (size_t i = 0; r->c->has_released && i < kept->n; i++)
        if (!kan_table_find(r->released, kept->columns[i].name.bytes, NULL))
            add_fault(r, kept->columns[i].name.bytes, "is missing from the release");
}

/* What settings say of a column of the release, as the original has it or as it stands there. False: the
 * original has no such column. */
static bool find_role(const recounter *r, size_t column, kan_role *role) {
    const kan_code_job *c = r->c;
    size_t original;
    if (!c->is_open)
        *role = c->released.of[0][column];
    else if (kan_input_find(&c->setup.input, kan_slice_of(r->released->columns[column].name),
                            &original))
        *role = c->setup.roles[original];
    else
        return false;
    return true;
}

static void check_foreign(recounter *r) {
    for (size_t i = 0; i < r->released->n_columns; i++) {
        const char *name = r->released->columns[i].name;
        kan_role role;
        if (!find_role(r, i, &role))
            add_fault(r, name, "is not in the original: what it shows is not known");
        else if (role == KAN_ROLE_ID)
            add_fault(r, name, "identifies people (--id), but is in the release");
        else if (role == KAN_ROLE_DROP)
            add_fault(r, name, "must be left out (--drop), but is in the release");
        else if (role == KAN_ROLE_OTHER && r->out->is_decided && !keeps_others(r->c))
            add_fault(r, name,
                      "is in the release, but nobody decided to release it; --keep NAME does");
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void tell_recount(recounter *r) {
    const kan_code_sets_recount *found = &r->out->recount;
    char rare[32], quoted[256];
    if (found->is_foreign)
        kan_text_print(&r->out->fault,
                       "%s: row %" PRIu64 ": the hierarchy has nothing that is "
                       "called %s\n",
                       r->name, found->foreign_row + 1, kan_quote(found->foreign, quoted));
    else if (found->n_rare > 0 && found->rare_size == 0 && found->n_rare == 1)
        kan_text_print(&r->out->fault, "%s: it has %" PRIu64 " people, fewer than %" PRIu64 "\n",
                       r->name, found->n_people, r->c->k);
    else if (found->n_rare > 0)
        kan_text_print(&r->out->fault,
                       "%s: %s %s of up to %u %s shown by fewer than %" PRIu64
                       " people, one of them in row %" PRIu64 "\n",
                       r->name, kan_count_text(found->n_rare, rare),
                       kan_plural(found->n_rare, "set", "sets"), r->c->known,
                       kan_plural(r->c->known, "code is", "codes are"), r->c->k,
                       found->rare_row + 1);
}

static void check_limit(recounter *r) {
    const kan_options *options = &r->c->job->options;
    const char *text = kan_options_find(options, "suppress");
    const uint64_t n_all = r->out->n_people, n = r->out->recount.n_people;
    kan_suppress_limit limit = {.rows = 0};
    char left[32], most[32];
    if (n > n_all) {
        kan_text_print(&r->out->fault, "%s: it has more people than the original\n", r->name);
        return;
    }
    if (!text && !r->c->job->origins)
        return;
    if (text)
        (void)kan_suppress_parse(text, &limit);
    if (n_all - n > kan_suppress_rows(&limit, n_all))
        kan_text_print(&r->out->fault, "%s: %s people are left out, and --suppress allows %s\n",
                       r->name, kan_count_text(n_all - n, left),
                       kan_count_text(kan_suppress_rows(&limit, n_all), most));
}

static kan_status cover(recounter *r, const kan_code_sets *release, const uint64_t *row_of) {
    kan_code_job *c = r->c;
    const kan_table *original = c->setup.table;
    const kan_code_sets raw = {&original->columns[c->column], c->separator, c->whole};
    kan_code_sets_pair *pairs;
    kan_code_sets_match match;
    size_t n = 0;
    KAN_TRY(kan_arena_alloc(&c->arena, original->n_columns, sizeof *pairs, &pairs));
    for (size_t i = 0; i < original->n_columns; i++)
        if (kan_setup_releases(&c->setup, i))
            pairs[n++] =
                (kan_code_sets_pair){kan_table_find(r->released, original->columns[i].name, NULL),
                                     &original->columns[i]};
    KAN_TRY(kan_code_sets_cover(c->run, release, &raw, pairs, n, row_of, &match));
    if (!match.holds && match.is_certain)
        kan_text_print(&r->out->fault, "%s: row %" PRIu64 " covers no row of the original\n",
                       r->name, match.row + 1);
    else if (!match.holds)
        kan_text_print(
            &r->out->unchecked,
            "no row of the original, behind those of the rows before, can be row %" PRIu64
            " of %s: rows may be in another order, were changed, or are missing",
            match.row + 1, r->name);
    return KAN_OK;
}

/* As the settings say; where they say nothing, anybody's labels may be what they are. */
static kan_status check_recoding(recounter *r, const kan_code_sets *sets) {
    const bool by_level = !r->c->question.by_cuts;
    kan_code_sets_shape shape;
    char label[256], other[256];
    if (!r->c->checks_recoding)
        return KAN_OK;
    KAN_TRY(kan_code_sets_shape_check(r->c->run, sets, by_level, &shape));
    if (shape.holds)
        return KAN_OK;
    if (by_level)
        kan_text_print(&r->out->fault,
                       "%s: row %" PRIu64 ": %s is at no level at which all labels before it are, "
                       "and --recoding full-domain shows one level\n",
                       r->name, shape.row + 1, kan_quote(shape.label, label));
    else
        kan_text_print(&r->out->fault,
                       "%s: row %" PRIu64 ": %s stands for a code that %s stands for, too, and "
                       "--recoding full-subtree shows each code in one way\n",
                       r->name, shape.row + 1, kan_quote(shape.label, label),
                       kan_quote(shape.other, other));
    return KAN_OK;
}

static kan_status count(recounter *r, const uint64_t *row_of) {
    kan_code_job *c = r->c;
    const kan_code_sets sets = {&r->released->columns[r->column], c->separator, c->whole};
    KAN_TRY(kan_code_sets_count(c->run, &sets, c->k, c->known, &r->out->recount));
    tell_recount(r);
    KAN_TRY(check_recoding(r, &sets));
    if (!c->is_open || r->out->recount.is_foreign)
        return KAN_OK;
    check_limit(r);
    return cover(r, &sets, row_of);
}

kan_status kan_code_job_recount(kan_code_job *c, const kan_table *released, const char *name,
                                const uint64_t *row_of, kan_code_verdict *out) {
    const double start = kan_now_ms();
    recounter r = {.c = c, .released = released, .name = name, .out = out};
    *out = (kan_code_verdict){.n_people = c->is_open ? c->setup.table->n_rows : 0};
    kan_text_init(&out->fault, c->run);
    kan_text_init(&out->unchecked, c->run);
    kan_report_progress(c->run, "verify", 0, 0);
    out->is_decided = is_decided(c);
    if (c->is_open || c->has_released) {
        check_missing(&r);
        check_foreign(&r);
    }
    out->has_columns = out->fault.size == 0;
    if (!kan_table_find(released, c->column_name, &r.column)) {
        if (!c->is_open)
            add_fault(&r, c->column_name, "is missing from the release");
        out->has_columns = false;
    } else if (out->fault.size == 0) {
        KAN_TRY(count(&r, row_of));
    }
    c->verify_ms += kan_now_ms() - start;
    KAN_TRY(kan_text_status(&out->unchecked));
    return kan_text_status(&out->fault);
}

void kan_code_verdict_destroy(kan_code_verdict *verdict) {
    kan_text_destroy(&verdict->fault);
    kan_text_destroy(&verdict->unchecked);
}
