/* The table with its roles, the codes, and their hierarchy. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/hierarchies/hierarchies.h"
#include "io/side_files/side_files.h"
#include "job/codes/codes_inside.h"

/* ---- settings ------------------------------------------------------------------------------- */

static kan_status choose_cost(kan_code_job *c) {
    const char *name = kan_options_find(&c->job->options, "cost");
    const kan_kind *kind;
    KAN_TRY(kan_registry_need(c->run, KAN_FAMILY_COST, name ? name : "ncp", &kind));
    c->cost = (const kan_cost_kind *)kind;
    if (c->cost->shape != KAN_SHAPE_CELLS)
        return kan_fail(
            c->run, KAN_BAD_INPUT,
            "--cost %s is about groups of rows, and codes make none; with --codes costs "
            "are means over codes: ncp (the default), precision or distortion",
            c->cost->kind.name);
    return KAN_OK;
}

static kan_status choose_recoding(kan_code_job *c) {
    const char *name = kan_options_find(&c->job->options, "recoding");
    const kan_kind *kind;
    c->checks_recoding = name || c->job->makes_release;
    if (!name)
        return KAN_OK;
    KAN_TRY(kan_registry_need(c->run, KAN_FAMILY_RECODING, name, &kind));
    const kan_recoding_kind *model = (const kan_recoding_kind *)kind;
    c->question.by_cuts = model->type == KAN_RECODING_SUBTREES;
    if (!c->question.by_cuts && (model->type != KAN_RECODING_LEVELS || model->suppresses))
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--recoding %s: codes are shown at one level of their hierarchy "
                        "(full-domain, the default), or each at a level of its own, the same for "
                        "everybody (full-subtree)",
                        name);
    return KAN_OK;
}

kan_status kan_code_job_init(kan_job *job, kan_code_job *out) {
    const kan_options *options = &job->options;
    const char *separator = kan_options_find(options, "codes-separator");
    const kan_said_column said = kan_role_at(options, KAN_ROLE_CODES, 0);
    *out = (kan_code_job){.job = job, .run = job->run, .separator = ';', .spec = said.hierarchy};
    kan_arena_init(&out->arena, job->run);
    if (separator)
        (void)kan_separator_parse(separator, &out->separator);
    out->k = kan_options_count(options, "k-codes", 1);
    out->known = (unsigned)kan_options_count(options, "known", 1);
    KAN_TRY(kan_arena_copy(&out->arena, said.name.bytes, said.name.size, &out->column_name));
    KAN_TRY(choose_cost(out));
    return choose_recoding(out);
}

static void close_list(kan_code_list *list) {
    if (!list->is_open)
        return;
    kan_encoder_destroy(&list->encoder);
    kan_free(list->run, list->map);
    kan_dictionary_destroy(list->run, &list->column.dictionary);
}

void kan_code_job_destroy(kan_code_job *c) {
    kan_run *run = c->run;
    if (c->has_answer)
        kan_codes_answer_destroy(&c->answer);
    if (c->whole != c->hierarchy)
        kan_hierarchy_destroy(c->whole);
    kan_hierarchy_destroy(c->hierarchy);
    if (c->lines)
        kan_hierarchy_lines_destroy(c->lines);
    close_list(&c->codes);
    close_list(&c->all);
    kan_free(run, c->question.people.start);
    kan_free(run, c->question.people.leaves);
    kan_free(run, c->shown);
    if (c->is_open)
        kan_setup_destroy(&c->setup);
    kan_arena_destroy(&c->arena);
}

/* ---- codes ---------------------------------------------------------------------------------- */

static kan_status open_list(kan_code_job *c, kan_code_list *list) {
    list->run = c->run;
    KAN_TRY(kan_encoder_init(&list->encoder, c->run));
    list->is_open = true;
    return KAN_OK;
}

/* Codes are text, whatever they look like: 007 is not 7. */
static kan_status seal_list(kan_code_job *c, kan_code_list *list) {
    list->column.name = c->column_name;
    list->column.is_encoded = true;
    return kan_dictionary_build_column(c->run, &list->encoder, NULL, true, &list->map,
                                       &list->column.dictionary);
}

static kan_status list_codes(kan_code_job *c) {
    const kan_dictionary *cells = &c->setup.table->columns[c->column].dictionary;
    KAN_TRY(open_list(c, &c->codes));
    for (uint32_t cell = 0; cell < cells->n; cell++) {
        kan_slice rest = kan_dictionary_value(cells, cell), code;
        uint32_t unused;
        while (kan_code_sets_next(&rest, c->separator, &code))
            KAN_TRY(kan_encoder_add(&c->codes.encoder, code, &unused));
    }
    return seal_list(c, &c->codes);
}

/* All codes that the file has, whether anybody has them or not. */
static kan_status list_all(kan_code_job *c, const kan_hierarchy_tree *tree) {
    KAN_TRY(open_list(c, &c->all));
    for (uint32_t i = 0; i < tree->levels[0].n; i++) {
        uint32_t unused;
        KAN_TRY(kan_encoder_add(&c->all.encoder, tree->levels[0].nodes[i].label, &unused));
    }
    return seal_list(c, &c->all);
}

/* ---- hierarchy ------------------------------------------------------------------------------ */

static kan_status bind_builder(kan_code_job *c, const char *spec) {
    if (!c->codes.is_open)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--codes: without the table that the release was made from nobody knows "
                        "which codes there are; name it with --original, or a file with all codes: "
                        "--codes %s=FILE",
                        c->column_name);
    kan_problems_begin(c->run);
    const kan_status status = kan_hierarchy_build(c->run, spec, &c->codes.column, &c->hierarchy);
    if (status != KAN_OK && status != KAN_BAD_INPUT)
        return status;
    KAN_TRY(kan_problems_end(c->run));
    KAN_TRY(status);
    c->whole = c->hierarchy;
    if (kan_hierarchy_follows_rows(c->hierarchy))
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--codes: %s is made of how many rows have a value, and a row has several "
                        "codes; name a file, or prefix, digits or suppress",
                        spec);
    /* one code that is a fraction makes [10, 20) of 10-19, also where nobody is released who has it */
    if (kan_hierarchy_has_open_names(c->hierarchy))
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--codes: %s: some codes have fractions, and what all intervals are called "
                        "would tell that, also of people who are left out; name a file with a line "
                        "for each code, or use codes that are whole numbers",
                        spec);
    return KAN_OK;
}

static kan_status bind_file(kan_code_job *c, const char *path) {
    kan_hierarchy_tree *tree = NULL;
    kan_status status;
    kan_problems_begin(c->run);
    status = kan_hierarchy_read_lines(c->run, path, NULL, &c->lines);
    if (status == KAN_OK && c->codes.is_open)
        status = kan_hierarchy_bind(c->lines, &c->codes.column, &c->hierarchy);
    else if (status == KAN_OK)
        status = kan_hierarchy_lines_check(c->lines, NULL, NULL);
    if (status != KAN_OK && status != KAN_BAD_INPUT)
        return status;
    KAN_TRY(kan_problems_end(c->run));
    KAN_TRY(status);
    kan_problems_begin(c->run);
    KAN_TRY(kan_hierarchy_tree_make(c->lines, NULL, &tree));
    KAN_TRY_DONE(list_all(c, tree));
    KAN_TRY_DONE(kan_hierarchy_bind(c->lines, &c->all.column, &c->whole));
    status = kan_problems_end(c->run);
done:
    kan_hierarchy_tree_destroy(tree);
    return status;
}

/* DIR/NAME.csv, or what --codes says. */
static kan_status bind(kan_code_job *c) {
    const char *dir = kan_options_find(&c->job->options, "hierarchies");
    struct stat info;
    kan_text path;
    bool is_missing = false;
    if (c->spec && kan_hierarchy_is_spec(c->spec))
        return bind_builder(c, c->spec);
    if (c->spec && stat(c->spec, &info) != 0 && errno == ENOENT)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--codes %s=%s: there is no such file, and no builder of that name; name a "
                        "file with a line for each code, or prefix, digits or suppress",
                        c->column_name, c->spec);
    if (c->spec)
        return bind_file(c, c->spec);
    if (!dir)
        return bind_builder(c, "suppress");
    kan_problems_begin(c->run);
    kan_status status = kan_input_find_hierarchy(c->run, dir, c->column_name, &path, &is_missing);
    if (status == KAN_OK && is_missing)
        status =
            kan_fail(c->run, KAN_BAD_INPUT,
                     "%s: no hierarchy for the codes of column '%s'; create that file, or name "
                     "one with --codes %s=FILE",
                     path.bytes, c->column_name, c->column_name);
    else if (status == KAN_BAD_INPUT)
        status = kan_problems_end(c->run);
    if (status == KAN_OK)
        status = bind_file(c, path.bytes);
    kan_text_destroy(&path);
    return status;
}

/* ---- labels --------------------------------------------------------------------------------- */

typedef struct {
    kan_slice label;
    uint32_t from, to; /* codes below it */
} named_node;

static int compare_nodes(const void *a, const void *b) {
    const named_node *x = a, *y = b;
    const int order = kan_slice_compare(x->label, y->label);
    if (order != 0)
        return order;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

/* A cell that shows it must be read as just that. */
static void check_label(const kan_code_job *c, const named_node *node) {
    const kan_slice label = node->label;
    char quoted[256];
    kan_quote(label, quoted);
    if (kan_value_is_unknown(label) || label.bytes[0] == ' ' || label.bytes[label.size - 1] == ' ')
        kan_problem_add(
            c->run,
            "%s: label %s is empty, begins or ends with a blank, or is read as a missing "
            "value: it cannot stand in a cell with several codes; call it otherwise",
            c->whole->origin, quoted);
    else if (memchr(label.bytes, c->separator, label.size))
        kan_problem_add(c->run,
                        "%s: label %s holds the separator of codes; choose another with "
                        "--codes-separator, or call it otherwise",
                        c->whole->origin, quoted);
}

/* What a label stands for must follow from the label: at one level, or at all that have it. */
static kan_status check_labels(kan_code_job *c) {
    const kan_hierarchy *h = c->whole;
    named_node *nodes;
    size_t n = 0;
    char quoted[256];
    for (unsigned level = 0; level <= h->height; level++)
        n += h->levels[level].n_groups;
    KAN_TRY(kan_alloc(c->run, n, sizeof *nodes, &nodes));
    n = 0;
    for (unsigned level = 0; level <= h->height; level++) {
        const kan_level *l = &h->levels[level];
        for (uint32_t leaf = 0; leaf < h->n_codes; leaf++)
            if (leaf == 0 || l->from_leaf[leaf] != l->from_leaf[leaf - 1])
                nodes[n++] = (named_node){l->label[l->from_leaf[leaf]], leaf, leaf + 1};
            else
                nodes[n - 1].to = leaf + 1;
    }
    qsort(nodes, n, sizeof *nodes, compare_nodes);
    kan_problems_begin(c->run);
    for (size_t i = 0; i < n; i++) {
        const bool is_again = i > 0 && kan_slice_equal(nodes[i].label, nodes[i - 1].label);
        if (!is_again)
            check_label(c, &nodes[i]);
        else if (compare_nodes(&nodes[i], &nodes[i - 1]) != 0)
            kan_problem_add(
                c->run,
                "%s: label %s stands for some codes at one level and for others at "
                "another, so that nobody could tell what it says in a release; call one "
                "of them otherwise",
                h->origin, kan_quote(nodes[i].label, quoted));
    }
    kan_free(c->run, nodes);
    return kan_problems_end(c->run);
}

kan_status kan_code_job_bind(kan_code_job *c) {
    KAN_TRY(bind(c));
    return check_labels(c);
}

/* ---- people --------------------------------------------------------------------------------- */

static int compare_leaves(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The leaves of a cell, ascending, each once. */
static size_t leaves_of(const kan_code_job *c, kan_slice cell, uint32_t *out) {
    kan_slice code;
    uint32_t number = 0;
    size_t n = 0, kept = 0;
    while (kan_code_sets_next(&cell, c->separator, &code))
        if (kan_dictionary_find(&c->codes.column.dictionary, code, &number))
            out[n++] = c->hierarchy->leaf_of[number];
    qsort(out, n, sizeof *out, compare_leaves);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || out[i] != out[i - 1])
            out[kept++] = out[i];
    return kept;
}

static kan_status list_people(kan_code_job *c) {
    const kan_column *cells = &c->setup.table->columns[c->column];
    const uint32_t n = (uint32_t)cells->n_rows;
    size_t capacity = 0;
    uint64_t *start = NULL;
    uint32_t *leaves = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(c->run, (size_t)n + 1, sizeof *start, &start));
    start[0] = 0;
    for (uint32_t row = 0; row < n; row++) {
        const kan_slice cell = kan_column_value(cells, row);
        KAN_TRY_DONE(kan_reserve(c->run, (size_t)start[row] + cell.size / 2 + 1, sizeof *leaves,
                                 &capacity, &leaves));
        start[row + 1] = start[row] + leaves_of(c, cell, leaves + start[row]);
    }
    c->n_codes = start[n];
    c->question.people = (kan_codes_people){n, start, leaves};
    return KAN_OK;
done:
    kan_free(c->run, start);
    kan_free(c->run, leaves);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status find_column(kan_code_job *c) {
    for (c->column = 0; c->column < c->setup.input.n_columns; c->column++)
        if (c->setup.roles[c->column] == KAN_ROLE_CODES)
            return KAN_OK;
    return kan_fail(c->run, KAN_BAD_INPUT, "--codes: there is no column %s", c->column_name);
}

static kan_status open_table(kan_code_job *c, const char *setting) {
    kan_setup *setup = &c->setup;
    setup->job = c->job;
    setup->run = setup->problem.run = c->run;
    setup->problem.class_tail = KAN_NO_TAIL;
    kan_space_init(&setup->problem.space, c->run);
    c->is_open = true;
    KAN_TRY(kan_input_open(c->job, setting, false, &setup->input));
    KAN_TRY(kan_setup_take_roles(setup));
    return find_column(c);
}

kan_status kan_code_job_read(kan_code_job *c, const char *setting) {
    const double start = kan_now_ms();
    kan_setup *setup = &c->setup;
    KAN_TRY(open_table(c, setting));
    for (size_t i = 0; i < setup->input.n_columns; i++)
        setup->input.encode[i] = i == c->column || kan_setup_releases(setup, i);
    KAN_TRY(kan_input_read(&setup->input));
    setup->table = setup->input.table;
    setup->problem.n_rows = setup->table->n_rows;
    if (setup->table->n_rows == 0)
        return kan_fail(c->run, KAN_BAD_INPUT, "%s: the table has no rows", setup->input.name);
    if (setup->table->n_rows >= UINT32_MAX)
        return kan_fail(c->run, KAN_BAD_INPUT, "%s: a table with codes has fewer than 2^32 rows",
                        setup->input.name);
    KAN_TRY(list_codes(c));
    KAN_TRY(kan_code_job_bind(c));
    KAN_TRY(list_people(c));
    c->read_ms = kan_now_ms() - start;
    return KAN_OK;
}
