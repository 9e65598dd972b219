/* What a value shows, from the value and the hierarchy alone.
 *
 * A hierarchy is otherwise bound to all values of a column, and what one of them shows could follow from
 * the others: whether intervals are called 30-39 or [30, 40), whether there is a level more. So a builder
 * is given each value by itself, and of a file the value's line is taken, whatever else the column has. A value
 * that a file does not have, or that a builder cannot take, is shown as `*`: an error would tell that
 * somebody has it. */
#include <errno.h>
#include <sys/stat.h>

#include "job/epsilon/epsilon_inside.h"

static const kan_slice star = {"*", 1};

/* ---- a builder ------------------------------------------------------------------------------ */

static kan_type type_of(kan_slice value) {
    double unused;
    return kan_value_exact(KAN_TYPE_NUMBER, value, &unused) ? KAN_TYPE_NUMBER
           : kan_value_exact(KAN_TYPE_DATE, value, &unused) ? KAN_TYPE_DATE
                                                            : KAN_TYPE_TEXT;
}

/* The hierarchy of a column that has this value and no other; NULL where the builder cannot take it. */
static kan_status build(kan_run *run, const kan_epsilon_rule *rule, kan_slice value,
                        kan_hierarchy_lines **out) {
    char bytes[1] = "";
    uint64_t start[2] = {0, value.size};
    const kan_column column = {
        .name = rule->name,
        .is_encoded = true,
        .dictionary = {.n = 1,
                       .bytes = value.size ? (char *)(uintptr_t)value.bytes : bytes,
                       .start = start,
                       .type = type_of(value)},
        .width = 1};
    *out = NULL;
    kan_problems_begin(run);
    const kan_status status = kan_hierarchy_build_lines(run, rule->spec, &column, out);
    return status == KAN_BAD_INPUT ? KAN_OK : status;
}

/* The same of a value of the table: that the builder cannot take it is no problem of anybody's. */
static kan_status build_quietly(kan_run *run, const kan_epsilon_rule *rule, kan_slice value,
                                kan_hierarchy_lines **out) {
    const kan_status status = build(run, rule, value, out);
    kan_problems_begin(run);
    return status;
}

/* The height is that of the values for which it is greatest: of a number, a date, and a long text. */
static kan_status take_builder(kan_run *run, kan_epsilon_rule *rule) {
    static const char *const probes[] = {
        "0", "2000-01-01",
        "0123456789012345678901234567890123456789012345678901234567890123456789"};
    bool is_built = false;
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        kan_hierarchy_lines *lines;
        KAN_TRY(build(run, rule, kan_slice_of(probes[i]), &lines));
        if (!lines)
            continue;
        is_built = true;
        if (lines->n_fields - 1 > rule->height)
            rule->height = (unsigned)lines->n_fields - 1;
        kan_hierarchy_lines_destroy(lines);
    }
    if (is_built)
        return KAN_OK;
    /* the spec is wrong, and the error says how: it is read before any value is */
    const kan_status status = kan_problems_end(run);
    return status == KAN_OK ? kan_fail(run, KAN_BAD_INPUT, "%s: not a hierarchy", rule->spec)
                            : status;
}

static kan_status label_built(kan_run *run, const kan_epsilon_rule *rule, kan_slice value,
                              kan_slice *out, kan_arena *arena) {
    kan_hierarchy_lines *lines;
    kan_status status;
    *out = star;
    KAN_TRY(build_quietly(run, rule, value, &lines));
    if (!lines || rule->level >= lines->n_fields) {
        kan_hierarchy_lines_destroy(lines);
        return KAN_OK;
    }
    const kan_slice label = kan_lines_level(lines, rule->level)->nodes[0].label;
    const char *bytes = "";
    status = label.size > 0 ? kan_arena_copy(arena, label.bytes, label.size, &bytes) : KAN_OK;
    *out = (kan_slice){bytes, label.size};
    kan_hierarchy_lines_destroy(lines);
    return status;
}

/* ---- a file --------------------------------------------------------------------------------- */

static kan_status take_file(kan_run *run, const char *path, kan_epsilon_rule *rule) {
    kan_problems_begin(run);
    kan_status status = kan_hierarchy_read_lines(run, path, NULL, &rule->lines);
    if (status == KAN_OK)
        status = kan_hierarchy_lines_check(rule->lines, NULL, NULL);
    if (status != KAN_OK && status != KAN_BAD_INPUT)
        return status;
    KAN_TRY(kan_problems_end(run));
    KAN_TRY(status);
    rule->height = (unsigned)rule->lines->n_fields - 1;
    return KAN_OK;
}

static kan_slice label_in_file(const kan_epsilon_rule *rule, kan_slice value) {
    uint32_t node = kan_label_find(&rule->lines->values, value);
    for (unsigned level = 0; level < rule->level && node != KAN_NO_NODE; level++)
        node = kan_lines_level(rule->lines, level)->nodes[node].parent;
    return node == KAN_NO_NODE ? star
                               : kan_lines_level(rule->lines, rule->level)->nodes[node].label;
}

/* ---- both ----------------------------------------------------------------------------------- */

static kan_status find_file(const kan_job *job, kan_epsilon_rule *rule) {
    const char *dir = kan_options_find(&job->options, "hierarchies");
    kan_text path;
    bool is_missing = false;
    kan_problems_begin(job->run);
    kan_status status = kan_input_find_hierarchy(job->run, dir, rule->name, &path, &is_missing);
    if (status == KAN_BAD_INPUT)
        status = kan_problems_end(job->run);
    if (status == KAN_OK && is_missing)
        status = kan_fail(job->run, KAN_BAD_INPUT,
                          "%s: no hierarchy for column '%s'; create that file, or name one with "
                          "--qi %s=FILE, or build one such as --qi %s=suppress",
                          path.bytes, rule->name, rule->name, rule->name);
    if (status == KAN_OK)
        status = take_file(job->run, path.bytes, rule);
    kan_text_destroy(&path);
    return status;
}

kan_status kan_epsilon_rule_find(const kan_job *job, const char *name, const char *said,
                                 kan_epsilon_rule *out) {
    struct stat info;
    *out = (kan_epsilon_rule){.name = name, .origin = said};
    if (!said && kan_options_find(&job->options, "hierarchies")) {
        out->origin = name;
        return find_file(job, out);
    }
    if (said && !kan_hierarchy_is_spec(said)) {
        if (stat(said, &info) != 0 && errno == ENOENT)
            return kan_fail(job->run, KAN_BAD_INPUT,
                            "--qi %s=%s: there is no such file, and no builder of that name "
                            "(with --epsilon: intervals, digits, prefix, date and suppress)",
                            name, said);
        return take_file(job->run, said, out);
    }
    out->spec = out->origin = said ? said : "suppress";
    if (kan_hierarchy_spec_follows_rows(out->spec))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--qi %s=%s: such a hierarchy is made of how many rows have which value, "
                        "and with --epsilon nothing may follow from that; use intervals, digits, "
                        "prefix, date or suppress, or a file",
                        name, said);
    return take_builder(job->run, out);
}

void kan_epsilon_rule_destroy(kan_epsilon_rule *rule) {
    kan_hierarchy_lines_destroy(rule->lines);
}

kan_status kan_epsilon_label(kan_run *run, const kan_epsilon_rule *rule, kan_slice value,
                             kan_arena *arena, kan_slice *out) {
    if (rule->lines)
        *out = label_in_file(rule, value);
    else if (rule->spec && rule->level > 0)
        return label_built(run, rule, value, out, arena);
    else
        *out = value;
    return KAN_OK;
}
