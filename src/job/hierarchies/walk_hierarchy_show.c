/* `hierarchy-show`: a hierarchy as a tree, with the values and rows below each label.
 *
 * Long lists are folded: the first few children, then how many more there are. Without a depth, as
 * many levels are shown as fit on a page or two. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "job/hierarchies/hierarchy_inside.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

enum { FOLD_ABOVE = 12, FOLD_TO = 10, LINES_WANTED = 80, MOST_LABEL = 60, PREFIX_BYTES = 512 };

typedef struct {
    const char *more, *last, *down; /* before a child, before the last one, beside both */
} pen;

static const pen ascii_pen = {"|-- ", "`-- ", "|   "};
static const pen utf8_pen = {"\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 ",
                             "\xe2\x94\x94\xe2\x94\x80\xe2\x94\x80 ", "\xe2\x94\x82   "};

typedef struct {
    const kan_hierarchy_tree *tree;
    kan_text *text;
    const pen *pen;
    unsigned depth; /* levels below the top that are shown */
    bool has_hidden;
    char prefix[PREFIX_BYTES];
} drawing;

static uint32_t shown_of(uint32_t n) {
    return n > FOLD_ABOVE ? FOLD_TO : n;
}

static void add_counts(drawing *d, bool has_values, uint64_t n_values, bool has_rows,
                       uint64_t rows) {
    char count[32];
    if (!has_values && !has_rows)
        return;
    kan_text_print(d->text, "  (");
    if (has_values)
        kan_text_print(d->text, "%s value%s%s", kan_count_text(n_values, count),
                       n_values == 1 ? "" : "s", has_rows ? ", " : "");
    if (has_rows)
        kan_text_print(d->text, "%s row%s", kan_count_text(rows, count), rows == 1 ? "" : "s");
    kan_text_print(d->text, ")");
}

static void draw_node(drawing *d, unsigned level, uint32_t node);

/* What does not fit, as one line; the sums are over what it stands for. */
static void draw_folded(drawing *d, const kan_tree_level *below, const uint32_t *children,
                        uint32_t n, bool are_values) {
    uint64_t n_values = 0, rows = 0;
    char count[32];
    for (uint32_t i = 0; i < n; i++) {
        n_values += below->leaves[children[i]];
        rows += below->rows ? below->rows[children[i]] : 0;
    }
    kan_text_print(d->text, "%s%s... and %s more", d->prefix, d->pen->last,
                   kan_count_text(n, count));
    add_counts(d, !are_values, n_values, below->rows != NULL, rows);
    kan_text_print(d->text, "\n");
}

static void draw_children(drawing *d, unsigned level, uint32_t node) {
    const kan_tree_level *here = &d->tree->levels[level], *below = here - 1;
    const uint32_t *children = here->child + here->start[node];
    const uint32_t n = here->start[node + 1] - here->start[node], n_shown = shown_of(n);
    const size_t size = strlen(d->prefix);
    for (uint32_t i = 0; i < n_shown; i++) {
        const bool is_last = i + 1 == n;
        kan_text_print(d->text, "%s%s", d->prefix, is_last ? d->pen->last : d->pen->more);
        snprintf(d->prefix + size, sizeof d->prefix - size, "%s", is_last ? "    " : d->pen->down);
        draw_node(d, level - 1, children[i]);
        d->prefix[size] = '\0';
    }
    if (n_shown < n)
        draw_folded(d, below, children + n_shown, n - n_shown, level == 1);
}

/* A value that repeats its label up the levels is drawn once. Recursion is at most 64 deep. */
static void draw_node(drawing *d, unsigned level, uint32_t node) {
    const kan_tree_level *here = &d->tree->levels[level];
    const bool is_value = here->is_value[node];
    (void)kan_words_add_label(d->text, here->nodes[node].label, MOST_LABEL);
    add_counts(d, !is_value, here->leaves[node], here->rows != NULL,
               here->rows ? here->rows[node] : 0);
    kan_text_print(d->text, "\n");
    if (is_value)
        return;
    if (d->tree->height - level < d->depth)
        draw_children(d, level, node);
    else
        d->has_hidden = true;
}

/* Lines that a drawing to that depth takes; the count stops when they are more than wanted. */
static size_t count_lines(const kan_hierarchy_tree *tree, unsigned level, uint32_t node,
                          unsigned depth) {
    const kan_tree_level *here = &tree->levels[level];
    size_t n_lines = 1;
    if (here->is_value[node] || depth == 0)
        return n_lines;
    const uint32_t n = here->start[node + 1] - here->start[node], n_shown = shown_of(n);
    for (uint32_t i = 0; i < n_shown && n_lines <= LINES_WANTED; i++)
        n_lines += count_lines(tree, level - 1, here->child[here->start[node] + i], depth - 1);
    return n_lines + (n_shown < n);
}

static unsigned choose_depth(const kan_job *job, const kan_hierarchy_tree *tree) {
    if (kan_options_find(&job->options, "depth"))
        return (unsigned)kan_options_count(&job->options, "depth", 0);
    unsigned depth = tree->height;
    while (depth > 1 && count_lines(tree, tree->height, 0, depth) > LINES_WANTED)
        depth--;
    return depth;
}

static kan_status draw(const kan_job *job, const kan_hierarchy_tree *tree, kan_text *text) {
    const char *how = kan_options_find(&job->options, "draw");
    drawing d = {.tree = tree,
                 .text = text,
                 .pen = how && strcmp(how, "utf8") == 0 ? &utf8_pen : &ascii_pen,
                 .depth = choose_depth(job, tree)};
    draw_node(&d, tree->height, 0);
    if (d.has_hidden)
        kan_text_print(text, "\n%u of %u levels below the top %s shown; --depth %u shows all\n",
                       d.depth, tree->height, kan_plural(d.depth, "is", "are"), tree->height);
    return kan_text_status(text);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status find_column(const kan_job *job, const char *origin, kan_input *data,
                              size_t *column) {
    const char *named = kan_options_find(&job->options, "column");
    const char *slash = strrchr(origin, '/'), *name = slash ? slash + 1 : origin;
    const kan_slice stem = {name, strcspn(name, ".")};
    kan_problems_begin(job->run);
    if (kan_options_count_of(&job->options, "column") > 1)
        kan_problem_add(job->run, "--column names several columns, and one hierarchy is shown; "
                                  "leave one");
    else if (named)
        (void)kan_input_take(data, "column", kan_hierarchy_column_name(named), column);
    else if (kan_input_find(data, stem, column))
        data->encode[*column] = true;
    else
        kan_problem_add(job->run,
                        "%s: for which column of %s? None has the name of the file; write --column "
                        "NAME",
                        origin, data->name);
    return kan_problems_end(job->run);
}

static json_t *result_json(const char *origin, const char *column, json_t *levels) {
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "kanon", KANON_VERSION, "command",
                     "hierarchy-show", "hierarchy", kan_json_text(origin), "column",
                     column ? kan_json_text(column) : json_null(), "levels", levels);
}

/* Counts alone, unless labels are asked for: these are values of the data. */
static kan_status write_json(const kan_job *job, const char *origin, const char *column,
                             const kan_hierarchy_tree *tree, kan_result *out) {
    json_t *levels = kan_hierarchy_levels_json(tree);
    if (kan_options_find(&job->options, "list")) {
        const kan_status status =
            kan_hierarchy_list_labels(tree, kan_options_count(&job->options, "list", 0), levels);
        if (status != KAN_OK) {
            json_decref(levels);
            return status;
        }
    }
    return kan_result_set_json(out, result_json(origin, column, levels));
}

static kan_status walk(kan_job *job, kan_input *data, kan_known_hierarchy *known, kan_result *out) {
    const char *origin = kan_options_find(&job->options, "hierarchy");
    const kan_column *column = NULL;
    size_t at = 0;
    KAN_TRY(kan_input_open(job, "input", false, data));
    if (data->name) {
        KAN_TRY(find_column(job, origin, data, &at));
        KAN_TRY(kan_input_read(data));
        column = &data->table->columns[at];
    }
    kan_problems_begin(job->run);
    const kan_status status = kan_known_hierarchy_load(job->run, origin, column, known);
    if (status != KAN_OK && kan_problems_count(job->run) == 0)
        return status;
    KAN_TRY(kan_problems_end(job->run));
    KAN_TRY(write_json(job, origin, column ? column->name : NULL, known->tree, out));
    return draw(job, known->tree, &out->summary);
}

kan_status kan_walk_hierarchy_show(kan_job *job, kan_result *out) {
    kan_input data = {.run = job->run};
    kan_known_hierarchy known = {0};
    const kan_status status = walk(job, &data, &known, out);
    kan_known_hierarchy_destroy(job->run, &known);
    kan_input_close(&data);
    return status;
}
