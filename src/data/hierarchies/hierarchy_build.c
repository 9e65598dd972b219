/* Built hierarchies: the list of builders, and what they share.
 *
 * A spec is a builder's name, alone or with arguments behind a colon. The builder makes lines, and
 * the lines are bound like those of a file, checks included: a mistake in a builder shows as a
 * problem, never as something that is not a hierarchy. */
#include "data/hierarchies/hierarchy_build.h"

#include <inttypes.h>

#include "data/spelling.h"

typedef struct {
    const char *name;
    kan_status (*build)(const kan_hierarchy_plan *plan);
    bool follows_rows; /* where nodes end depends on how many rows have each value */
} builder;

static kan_status build_suppress(const kan_hierarchy_plan *plan);

static const builder builders[] = {{"intervals", kan_build_intervals, false},
                                   {"digits", kan_build_digits, false},
                                   {"prefix", kan_build_prefixes, false},
                                   {"date", kan_build_dates, false},
                                   {"age", kan_build_ages, false},
                                   {"quantiles", kan_build_quantiles, true},
                                   {"frequency", kan_build_frequency, true},
                                   {"suppress", build_suppress, false}};

enum { N_BUILDERS = sizeof builders / sizeof builders[0] };

const char *const *kan_hierarchy_builders(void) {
    static const char dates[] =
        "dates: week, or some of month, quarter, half, year, five-years, decade in this order; "
        "then *";
    static const char *const pairs[] = {
        "intervals:5,10,20[@origin]",
        "numbers: intervals of these widths, each dividing the next, aligned at origin (0); then *",
        "digits:N",
        "the last 1, 2 .. N characters masked with *; then *",
        "prefix:3,1",
        "the first 3 characters, then the first 1; then *",
        "date:month,quarter,year",
        dates,
        "age:1,5,10@2025-12-31",
        "dates of birth: the age on that day in years, then in steps of 5 and 10 years; then *",
        "quantiles:20,5",
        "numbers or dates: 20 intervals with about the same number of rows, merged into 5; then *",
        "frequency:10,100",
        "values with fewer than 10 rows as one, then those with fewer than 100; then *",
        "suppress",
        "the value, then *",
        NULL};
    return pairs;
}

static const builder *find_builder(const char *spec) {
    size_t size = strcspn(spec, ":");
    for (size_t i = 0; i < N_BUILDERS; i++)
        if (kan_slice_equal((kan_slice){spec, size}, kan_slice_of(builders[i].name)))
            return &builders[i];
    return NULL;
}

bool kan_hierarchy_is_spec(const char *text) {
    return find_builder(text) != NULL;
}

bool kan_hierarchy_spec_follows_rows(const char *spec) {
    const builder *found = find_builder(spec);
    return found && found->follows_rows;
}

bool kan_hierarchy_follows_rows(const kan_hierarchy *hierarchy) {
    return hierarchy->origin && kan_hierarchy_spec_follows_rows(hierarchy->origin);
}

/* ---- what builders share -------------------------------------------------------------------- */

bool kan_plan_next(const char **rest, kan_slice *piece) {
    if (!*rest)
        return false;
    size_t size = strcspn(*rest, ",");
    *piece = (kan_slice){*rest, size};
    *rest = (*rest)[size] == ',' ? *rest + size + 1 : NULL;
    return true;
}

bool kan_plan_count(kan_slice piece, uint64_t least, uint64_t most, uint64_t *out) {
    char text[32];
    uint64_t number;
    if (piece.size >= sizeof text)
        return false;
    memcpy(text, piece.bytes, piece.size);
    text[piece.size] = '\0';
    if (!kan_parse_count(text, &number) || number < least || number > most)
        return false;
    *out = number;
    return true;
}

kan_status kan_plan_add(const kan_hierarchy_plan *plan, uint32_t code, const kan_slice *labels,
                        unsigned n_labels, bool adds_top) {
    kan_slice fields[KAN_HEIGHT_MOST + 1];
    fields[0] = kan_dictionary_value(&plan->column->dictionary, code);
    for (unsigned i = 0; i < n_labels; i++)
        fields[i + 1] = labels[i];
    if (adds_top)
        fields[n_labels + 1] = kan_slice_of("*");
    return kan_hierarchy_lines_add(plan->lines, (uint64_t)code + 1, fields,
                                   (size_t)n_labels + 1 + adds_top);
}

kan_status kan_plan_check_type(const kan_hierarchy_plan *plan, kan_type type, const char *kind,
                               const char *kinds) {
    const kan_dictionary *dictionary = &plan->column->dictionary;
    uint32_t n_wrong = 0, first = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_slice value = kan_dictionary_value(dictionary, code);
        double number;
        if (kan_value_is_unknown(value) ||
            (plan->column->ends ? kan_value_number(type, value, &number)
                                : kan_value_exact(type, value, &number)))
            continue;
        if (n_wrong++ == 0)
            first = code;
    }
    if (n_wrong == 0)
        return KAN_OK;
    char quoted[256];
    kan_problem_add(plan->run,
                    "%s: %" PRIu32 " of the %" PRIu32 " %s of column %s %s %s, %s %s; correct "
                    "%s, or use another builder or a hierarchy file",
                    plan->spec, n_wrong, dictionary->n,
                    kan_plural(dictionary->n, "value", "values"), plan->column->name,
                    kan_plural(n_wrong, "is not", "are not"), kan_plural(n_wrong, kind, kinds),
                    kan_plural(n_wrong, "namely", "the first is"),
                    kan_quote(kan_dictionary_value(dictionary, first), quoted),
                    kan_plural(n_wrong, "it", "them"));
    return KAN_BAD_INPUT;
}

/* ---- building ------------------------------------------------------------------------------- */

static kan_status build_suppress(const kan_hierarchy_plan *plan) {
    if (*plan->arguments) {
        kan_problem_add(plan->run, "%s (column %s): suppress takes no arguments; write suppress",
                        plan->spec, plan->column->name);
        return KAN_BAD_INPUT;
    }
    for (uint32_t code = 0; code < plan->column->dictionary.n; code++)
        KAN_TRY(kan_plan_add(plan, code, NULL, 0, true));
    return KAN_OK;
}

static kan_status tell_unknown(kan_run *run, const char *spec, const kan_column *column) {
    const char *nearest = NULL;
    unsigned least = 3;
    char name[32], quoted[256];
    size_t size = strcspn(spec, ":");
    size_t kept = size < sizeof name ? size : sizeof name - 1;
    memcpy(name, spec, kept);
    name[kept] = '\0';
    for (size_t i = 0; i < N_BUILDERS; i++) {
        unsigned distance = kan_edit_distance(name, builders[i].name);
        if (distance < least) {
            least = distance;
            nearest = builders[i].name;
        }
    }
    kan_problem_add(run,
                    "column %s: %s is not a builder of hierarchies; %s%s%s there are intervals, "
                    "digits, prefix, date, age, quantiles, frequency and suppress",
                    column->name, kan_quote((kan_slice){spec, size}, quoted),
                    nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return KAN_BAD_INPUT;
}

/* A label that stands for a missing value, too, could not be told from one in a release. */
static kan_status check_labels(const kan_hierarchy_plan *plan) {
    char quoted[256];
    for (unsigned level = 1; level < plan->lines->n_fields; level++) {
        const kan_label_set *labels = kan_lines_level(plan->lines, level);
        for (size_t i = 0; plan->column->spelling && i < labels->n; i++) {
            if (kan_spelling_holds(plan->column->spelling, labels->nodes[i].label))
                continue;
            kan_problem_add(plan->run,
                            "%s (column %s): the label %s of level %u also stands for a missing "
                            "value; leave it out of --missing, or use another builder or a "
                            "hierarchy file",
                            plan->spec, plan->column->name,
                            kan_quote(labels->nodes[i].label, quoted), level);
            return KAN_BAD_INPUT;
        }
    }
    return KAN_OK;
}

kan_status kan_hierarchy_build_lines(kan_run *run, const char *spec, const kan_column *column,
                                     kan_hierarchy_lines **out) {
    const builder *known = find_builder(spec);
    if (!known)
        return tell_unknown(run, spec, column);
    if (column->dictionary.n == 0) {
        kan_problem_add(run, "%s: column %s has no values to build a hierarchy for", spec,
                        column->name);
        return KAN_BAD_INPUT;
    }
    const char *colon = strchr(spec, ':');
    kan_hierarchy_plan plan = {run, spec, colon ? colon + 1 : "", column, NULL};
    KAN_TRY(kan_hierarchy_lines_create(run, spec, &plan.lines));
    kan_status status = known->build(&plan);
    if (status == KAN_OK)
        status = check_labels(&plan);
    if (status == KAN_OK)
        *out = plan.lines;
    else
        kan_hierarchy_lines_destroy(plan.lines);
    return status;
}

kan_status kan_hierarchy_build(kan_run *run, const char *spec, const kan_column *column,
                               kan_hierarchy **out) {
    kan_hierarchy_lines *lines;
    KAN_TRY(kan_hierarchy_build_lines(run, spec, column, &lines));
    const kan_status status = kan_hierarchy_bind(lines, column, out);
    kan_hierarchy_lines_destroy(lines);
    return status;
}
