/* Whether a document can be printed without a hole: all that a page shows is there, and of the
 * right type.
 *
 * A result that we wrote always has it; one that was edited, cut, or made by another version may
 * not. The table below is what report/report_page*.c look up, with what the kinds of models show. A
 * part that is null where that is allowed is not looked into; keys that no page shows are not
 * looked at. */
#include <math.h>
#include <stdio.h>

#include "analyze/models/models.h"
#include "analyze/verify/verify.h"
#include "job/report/report_file.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

/* What may stand at a key; a small letter must, a capital one may also be null. */
enum { TEXT = 's', COUNT = 'n', SHARE = 'p', REAL = 'r', LIST = 'a', OBJECT = 'o', BOOL = 'b' };

typedef struct {
    const char *path; /* * is every item of a list, or of an object; ? before: it may be absent */
    const char *kinds;
} rule;

/* In place of a rule: those of the kinds of models (kan_recount_kind.shown). */
#define MODELS "the models"

static const rule rules[] = {
    {"kanon", "s"},
    {"command", "s"},
    {"input", "o"},
    {"input.path", "S"},
    {"input.rows", "n"},
    {"?columns", "a"},
    {"columns.*", "o"},
    {"columns.*.name", "s"},
    {"columns.*.role", "s"},
    {"columns.*.became", "s"},
    {"columns.*.singles_out", "N"},
    {"?kept_together", "N"},
    {"?alone", "N"},
    {"?unprotected", "a"},
    {"unprotected.*", "s"},
    {"?people", "a"},
    {"people.*", "o"},
    {"people.*.column", "s"},
    {"people.*.rows", "n"},
    {"people.*.people", "n"},
    {"people.*.groups", "n"},
    {"people.*.small_groups", "n"},
    {"?purpose", "O"},
    {"purpose.model", "s"},
    {"purpose.outcome", "s"},
    {"purpose.uses", "a"},
    {"purpose.uses.*", "s"},
    {"purpose.by", "s"},
    {"?household", "O"},
    {"household.suppress_by", "s"},
    {"household.households", "n"},
    {"household.suppressed", "N"},
    {"?person", "O"},
    {"person.column", "s"},
    {"person.promise", "s"},
    {"person.suppress_by", "s"},
    {"person.people", "n"},
    {"person.suppressed", "N"},
    {"person.fewest_in_group", "n"},
    {"quasi_identifiers", "a"},
    {"quasi_identifiers.*", "s"},
    {"privacy", "a"},
    {"privacy.*", "o"},
    {"privacy.*.model", "s"},
    {"?privacy.*.columns", "a"},
    {"privacy.*.columns.*", "s"},
    {"?privacy.*.k", "n"},
    {"?privacy.*.strata", "s"},
    {"?per_column", "O"},
    {"per_column.alone", "n"},
    {MODELS, ""},
    {"?privacy.*.reached", "R"},
    {"?privacy.*.column", "S"},
    {"?matches", "O"},
    {"matches.k", "n"},
    {"matches.fewest_people", "n"},
    {"matches.fewest_rows", "n"},
    {"matches.cells", "n"},
    {"?matches.hidden", "N"},
    {"?matches.hidden_by_groups", "N"},
    {"?matches.least_hidden", "N"},
    {"suppression", "o"},
    {"suppression.limit", "n"},
    {"suppression.rows", "n"},
    {"algorithm", "s"},
    {"?given", "S"},
    {"?count", "s"},
    {"?recoding_model", "S"},
    {"?narrow_cells", "N"},
    {"?sse", "R"},
    {"cost", "s"},
    {"lattice", "O"},
    {"lattice.nodes", "R"},
    {"lattice.checked", "n"},
    {"lattice.anonymous", "N"},
    {"?lattice.box", "O"},
    {"lattice.box.given", "o"},
    {"lattice.box.given.*", "s"},
    {"solution", "o"},
    {"?solution.height", "N"},
    {"solution.groups", "n"},
    {"solution.smallest_group", "n"},
    {"optimal", "b"},
    {"bound", "R"},
    {"?effort", "N"},
    {"?gap", "P"},
    {"search", "O"},
    {"search.states", "n"},
    {"search.choices", "n"},
    {"search.gap", "p"},
    {"search.moments", "a"},
    {"search.moments.*", "o"},
    {"search.moments.*.seconds", "r"},
    {"search.moments.*.states", "n"},
    {"search.moments.*.cost", "R"},
    {"search.moments.*.bound", "R"},
    {"metrics", "o"},
    {"metrics.*", "R"},
    {"?release", "O"},
    {"?rules", "O"},
    {"rules.rule", "o"},
    {"rules.rule.title", "s"},
    {"rules.rule.source", "s"},
    {"rules.rule.date", "s"},
    {"rules.rule.text", "s"},
    {"rules.rule.by", "S"},
    {"rules.says", "s"},
    {"rules.columns", "a"},
    {"rules.columns.*", "o"},
    {"rules.columns.*.name", "s"},
    {"rules.columns.*.verdict", "s"},
    {"rules.columns.*.reason", "s"},
    {"rules.left", "a"},
    {"rules.left.*", "s"},
    {"release.path", "S"},
    {"release.rows", "n"},
    {"release.keeps_suppressed", "b"},
    {"verified", "b"},
    {"?report", "O"},
    {"?report.date", "S"},
    {"report.merged_below", "n"},
    {"report.suppressed_share", "P"},
    {"report.seed", "n"},
    {"?report.shuffled", "b"},
    {"report.table", "o"},
    {"report.table.*", "n"},
    {"report.table.all", "n"},
    {"report.table.quasi_identifiers", "n"},
    {"report.command", "s"},
    {"report.proven", "b"},
    {"report.metrics", "o"},
    {"report.metrics.*", "R"},
    {"report.costs", "o"},
    {"report.costs.*", "s"},
    {"report.files", "a"},
    {"report.files.*", "o"},
    {"report.files.*.role", "s"},
    {"report.files.*.column", "S"},
    {"report.files.*.path", "S"},
    {"report.files.*.bytes", "N"},
    {"report.files.*.sha256", "S"},
    {"?report.files.*.hmac_sha256", "S"},
    {"report.files.*.left_out", "S"},
    {"report.columns", "a"},
    {"report.columns.*", "o"},
    {"report.columns.*.name", "s"},
    {"?report.columns.*.called_text", "b"},
    {"report.columns.*.role", "s"},
    {"report.columns.*.change", "s"},
    {"report.columns.*.level", "N"},
    {"report.columns.*.height", "N"},
    {"report.columns.*.hierarchy", "S"},
    {"report.columns.*.distinct_before", "n"},
    {"?report.columns.*.exact", "P"},
    {"?report.columns.*.given_up", "P"},
    {"?report.columns.*.stands_for", "O"},
    {"report.columns.*.stands_for.label", "s"},
    {"report.columns.*.stands_for.values", "a"},
    {"report.columns.*.stands_for.values.*", "s"},
    {"report.columns.*.labels", "n"},
    {"report.columns.*.values", "a"},
    {"report.columns.*.values.*", "o"},
    {"report.columns.*.values.*.label", "s"},
    {"report.columns.*.values.*.released", "n"},
    {"report.columns.*.values.*.before", "N"},
    {"report.columns.*.rest", "O"},
    {"report.columns.*.rest.labels", "n"},
    {"report.columns.*.rest.released", "n"},
    {"report.columns.*.rest.before", "N"},
    {"report.columns.*.hidden", "O"},
    {"report.columns.*.hidden.before", "n"},
    {"report.columns.*.tells_before", "b"},
    {"report.most_hit", "a"},
    {"report.most_hit.*", "o"},
    {"report.most_hit.*.column", "s"},
    {"report.most_hit.*.label", "s"},
    {"report.most_hit.*.before", "n"},
    {"report.most_hit.*.suppressed", "n"},
    {"report.most_hit.*.share", "p"},
    {"report.group_sizes", "a"},
    {"report.group_sizes.*", "o"},
    {"report.group_sizes.*.least", "n"},
    {"report.group_sizes.*.most", "n"},
    {"report.risk", "o"},
    {"report.risk.threshold", "n"},
    {"report.risk.before", "O"},
    {"report.risk.before.groups", "N"},
    {"report.risk.before.highest", "p"},
    {"report.risk.before.average", "p"},
    {"report.risk.before.share_at_risk", "P"},
    {"report.risk.before.share_unique", "P"},
    {"?report.risk.before.word_at_risk", "S"},
    {"?report.risk.before.word_unique", "S"},
    {"report.risk.released", "o"},
    {"report.risk.released.groups", "N"},
    {"report.risk.released.highest", "p"},
    {"report.risk.released.average", "p"},
    {"report.risk.released.share_at_risk", "p"},
    {"report.risk.released.share_unique", "p"},
    {"report.sensitive", "a"},
    {"report.sensitive.*", "o"},
    {"report.sensitive.*.column", "s"},
    {"report.sensitive.*.confidence", "P"},
    {"?report.sensitive.*.open", "b"},
    {"report.sample", "o"},
    {"report.sample.columns", "a"},
    {"report.sample.columns.*", "s"},
    {"report.sample.other_columns", "n"},
    {"report.sample.rows", "a"},
    {"report.sample.rows.*", "o"},
    {"report.sample.rows.*.group_rows", "n"},
    {"report.sample.rows.*.values", "a"},
    {"report.sample.rows.*.values.*", "s"},
    {"report.lattice", "O"},
    {"report.lattice.tops", "a"},
    {"report.lattice.tops.*", "n"},
    {"report.lattice.chosen", "a"},
    {"report.lattice.chosen.*", "n"},
    {"report.lattice.heights", "a"},
    {"report.lattice.heights.*", "o"},
    {"report.lattice.heights.*.height", "n"},
    {"report.lattice.heights.*.nodes", "r"},
    {"report.lattice.heights.*.passing", "N"},
    {"report.lattice.heights.*.minimal", "N"},
    {"report.lattice.nodes", "A"},
    {"report.lattice.nodes.*", "o"},
    {"report.lattice.nodes.*.levels", "a"},
    {"report.lattice.nodes.*.levels.*", "n"},
    {"report.lattice.nodes.*.passes", "b"},
    {"report.lattice.nodes.*.minimal", "b"},
    {"report.lattice.nodes.*.chosen", "b"},
    {"report.alternatives", "O"},
    {"report.alternatives.minimal", "n"},
    {"report.alternatives.measured", "n"},
    {"report.alternatives.nodes", "a"},
    {"report.alternatives.nodes.*", "o"},
    {"report.alternatives.nodes.*.levels", "a"},
    {"report.alternatives.nodes.*.levels.*", "n"},
    {"report.alternatives.nodes.*.chosen", "b"},
    {"report.alternatives.nodes.*.groups", "n"},
    {"report.alternatives.nodes.*.suppressed", "N"},
    {"report.alternatives.nodes.*.costs", "o"},
    {"report.alternatives.nodes.*.costs.*", "R"},
    {"report.partition", "O"},
    {"report.partition.columns", "a"},
    {"report.partition.columns.*", "s"},
    {"report.partition.svg", "s"},
    {"?report.hidden_cells", "A"},
    {"report.hidden_cells.*", "o"},
    {"report.hidden_cells.*.column", "s"},
    {"report.hidden_cells.*.hidden", "n"},
    {"report.hidden_cells.*.missing", "n"},
    {"report.workload", "O"},
    {"report.workload.queries", "n"},
    {"report.workload.error", "O"},
    {"report.workload.error.*", "R"},
};

/* What a result has beside these: one that counts rows, and one that counts people. */
static const rule rules_of_rows[] = {
    {"report.group_sizes.*.groups_before", "N"},   {"report.group_sizes.*.rows_before", "N"},
    {"report.group_sizes.*.groups_released", "N"}, {"report.group_sizes.*.rows_released", "n"},
    {"report.sensitive.*.rows_certain", "N"},
};

static const rule rules_of_people[] = {
    {"report.people", "o"},
    {"report.people.released", "n"},
    {"report.people.left_out", "N"},
    {"report.people.share", "P"},
    {"report.people.limit", "S"},
    {"report.group_sizes.*.people_before", "N"},
    {"report.group_sizes.*.people_released", "n"},
    {"report.sensitive.*.people_certain", "n"},
};

enum { PLACE_BYTES = 200 };

typedef struct {
    kan_run *run;
    const char *name; /* of the file */
    const rule *rule;
    char place[PLACE_BYTES]; /* the path so far, with numbers of items */
} checking;

/* ---- one value ------------------------------------------------------------------------------ */

static bool is_number(const json_t *value, double least, double most) {
    const double number = json_number_value(value);
    return json_is_number(value) && isfinite(number) && number >= least && number <= most;
}

static bool fits(const json_t *value, char letter) {
    switch (letter) {
    case TEXT:
        return json_is_string(value);
    case COUNT:
        return is_number(value, 0, 0x1p64) &&
               json_number_value(value) == nearbyint(json_number_value(value));
    case SHARE:
        return is_number(value, 0, 1);
    case REAL:
        return is_number(value, -1e39, 1e39); /* costs are at most 128 bits */
    case LIST:
        return json_is_array(value);
    case OBJECT:
        return json_is_object(value);
    default:
        return json_is_boolean(value);
    }
}

static const char *kind_word(char letter) {
    switch (letter) {
    case TEXT:
        return "a text";
    case COUNT:
        return "a whole number from 0 on";
    case SHARE:
        return "a number from 0 to 1";
    case REAL:
        return "a number";
    case LIST:
        return "a list";
    case OBJECT:
        return "an object";
    default:
        return "true or false";
    }
}

static kan_status refuse(const checking *c, const char *place, const char *what) {
    char quoted[256];
    return kan_fail(c->run, KAN_BAD_INPUT,
                    "%s: %s %s; the file was changed, or is of another version: make it again with "
                    "kanon anonymize --report FILE.html --json RESULT.json",
                    c->name, kan_quote(kan_slice_of(place), quoted), what);
}

static kan_status check_value(const checking *c, const json_t *value) {
    const char letter = c->rule->kinds[0];
    const bool takes_null = letter >= 'A' && letter <= 'Z';
    const char least = takes_null ? (char)(letter - 'A' + 'a') : letter;
    char words[64];
    if ((takes_null && json_is_null(value)) || fits(value, least))
        return KAN_OK;
    snprintf(words, sizeof words, "must be %s%s", kind_word(least), takes_null ? ", or null" : "");
    return refuse(c, c->place, words);
}

/* ---- along a path --------------------------------------------------------------------------- */

static kan_status check_at(checking *c, const json_t *value, const char *path);

static size_t add_place(checking *c, const char *word, size_t size) {
    const size_t before = strlen(c->place);
    snprintf(c->place + before, sizeof c->place - before, "%s%.*s", before ? "." : "", (int)size,
             word);
    return before;
}

static kan_status check_items(checking *c, const json_t *value, const char *path) {
    const char *key;
    json_t *item;
    size_t i;
    json_array_foreach(value, i, item) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        const size_t before = add_place(c, number, strlen(number));
        KAN_TRY(check_at(c, item, path));
        c->place[before] = '\0';
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, item) {
        const size_t before = add_place(c, key, strlen(key));
        KAN_TRY(check_at(c, item, path));
        c->place[before] = '\0';
    }
    return KAN_OK;
}

/* Where something above is absent or null, its own rule has said whether that is right. */
static kan_status check_at(checking *c, const json_t *value, const char *path) {
    const size_t size = strcspn(path, ".");
    const char *rest = path + size + (path[size] == '.');
    char key[64];
    if (size == 0)
        return check_value(c, value);
    if (path[0] == '*')
        return check_items(c, value, rest);
    if (!json_is_object(value))
        return KAN_OK;
    snprintf(key, sizeof key, "%.*s", (int)size, path);
    const json_t *next = json_object_get(value, key);
    const size_t before = add_place(c, key, size);
    if (!next && *rest == '\0' && c->rule->path[0] != '?')
        return refuse(c, c->place, "is missing");
    if (next)
        KAN_TRY(check_at(c, next, rest));
    c->place[before] = '\0';
    return KAN_OK;
}

/* ---- what several keys say together --------------------------------------------------------- */

static kan_status check_models(const checking *c, const json_t *object) {
    const json_t *list = json_object_get(object, "privacy"), *model;
    size_t i;
    json_array_foreach(list, i, model) {
        const char *name = json_string_value(json_object_get(model, "model"));
        const bool is_matches = name && strcmp(name, KAN_CLAIM_MATCHES) == 0;
        const kan_kind *kind =
            kan_registry_find(KAN_FAMILY_PRIVACY, is_matches ? KAN_CLAIM_K : name);
        if (name && strcmp(name, KAN_PROMISE_PER_COLUMN) == 0) {
            if (!json_object_get(model, "k"))
                return refuse(c, name, "does not say how much it promises");
            if (!json_is_object(json_object_get(object, "per_column")))
                return refuse(c, "per_column", "is missing");
            continue;
        }
        if (!kind || (strcmp(kind->name, KAN_CLAIM_K) != 0 && !kan_recount_find(name)))
            return refuse(c, name, "is a promise that this version does not know");
        if (!json_object_get(model, kind->options[0].name))
            return refuse(c, name, "does not say how much it promises");
        if (is_matches && !json_is_object(json_object_get(object, "matches")))
            return refuse(c, "matches", "is missing");
    }
    return json_array_size(list) > 0 ? KAN_OK : refuse(c, "privacy", "promises nothing");
}

/* Rows of a table have a cell for every column. */
static kan_status check_sample(const checking *c, const json_t *report) {
    const json_t *sample = json_object_get(report, "sample"), *row;
    const size_t n = json_array_size(json_object_get(sample, "columns"));
    size_t i;
    json_array_foreach(json_object_get(sample, "rows"), i, row) {
        if (json_array_size(json_object_get(row, "values")) != n)
            return refuse(c, "report.sample.rows", "must have a value for each column");
    }
    return KAN_OK;
}

/* Whether a number is told by all items of a list, or by none. */
static bool is_even(const json_t *list, const char *key) {
    size_t n_null = 0, i;
    const json_t *item;
    json_array_foreach(list, i, item) n_null += json_is_null(json_object_get(item, key));
    return n_null == 0 || n_null == json_array_size(list);
}

/* What a column says that it tells of before, it tells. */
static bool tells_before(const json_t *column) {
    const bool tells = json_is_true(json_object_get(column, "tells_before"));
    const json_t *values = json_object_get(column, "values"), *value;
    const json_t *rest = json_object_get(column, "rest");
    size_t i;
    json_array_foreach(values, i, value) {
        if (json_is_number(json_object_get(value, "before")) != tells)
            return false;
    }
    return !json_is_object(rest) || json_is_number(json_object_get(rest, "before")) == tells;
}

static kan_status check_columns(const checking *c, const json_t *report) {
    const json_t *sizes = json_object_get(report, "group_sizes");
    const json_t *heights = json_object_get(json_object_get(report, "lattice"), "heights"), *column;
    size_t i;
    if (!is_even(sizes, "rows_before") || !is_even(sizes, "groups_before") ||
        !is_even(sizes, "people_before"))
        return refuse(c, "report.group_sizes", "must have before everywhere, or nowhere");
    if (!is_even(sizes, "groups_released"))
        return refuse(c, "report.group_sizes", "must have groups everywhere, or nowhere");
    if (!is_even(heights, "passing") || !is_even(heights, "minimal"))
        return refuse(c, "report.lattice.heights", "must say what passes everywhere, or nowhere");
    json_array_foreach(json_object_get(report, "columns"), i, column) {
        if (!tells_before(column))
            return refuse(c, "report.columns", "must have before everywhere, or nowhere");
    }
    return KAN_OK;
}

/* Every alternative has each cost, and vectors have a number for each quasi-identifier. */
static kan_status check_lattice(const checking *c, const json_t *object) {
    const json_t *report = json_object_get(object, "report"), *node;
    const json_t *lattice = json_object_get(report, "lattice");
    const json_t *alternatives = json_object_get(report, "alternatives");
    json_t *metrics = json_object_get(object, "metrics"), *score;
    const size_t n = json_array_size(json_object_get(object, "quasi_identifiers"));
    const char *key;
    size_t i;
    if (json_is_object(lattice) && (json_array_size(json_object_get(lattice, "tops")) != n ||
                                    json_array_size(json_object_get(lattice, "chosen")) != n))
        return refuse(c, "report.lattice", "must have a level for each quasi-identifier");
    json_array_foreach(json_object_get(lattice, "nodes"), i, node) {
        if (json_array_size(json_object_get(node, "levels")) != n)
            return refuse(c, "report.lattice.nodes", "must have a level for each quasi-identifier");
    }
    json_array_foreach(json_object_get(alternatives, "nodes"), i, node) {
        const json_t *costs = json_object_get(node, "costs");
        if (json_array_size(json_object_get(node, "levels")) != n)
            return refuse(c, "report.alternatives", "must have a level for each quasi-identifier");
        json_object_foreach(metrics, key, score) {
            (void)score;
            if (!json_object_get(costs, key))
                return refuse(c, "report.alternatives", "must have every cost");
        }
    }
    return KAN_OK;
}

/* By person it is told how many left; and by row, where some did, how many may. */
static kan_status check_person(const checking *c, const json_t *object) {
    const json_t *person = json_object_get(object, "person");
    const json_t *people = json_object_get(json_object_get(object, "report"), "people");
    const char *by = json_string_value(json_object_get(person, "suppress_by"));
    if (!by)
        return KAN_OK;
    const bool by_person = strcmp(by, "person") == 0;
    const bool has_report = json_is_object(people);
    if ((by_person && !json_is_number(json_object_get(person, "suppressed"))) ||
        (by_person && has_report && !json_is_number(json_object_get(people, "share"))))
        return refuse(c, "person", "must say how many were left out");
    if (!by_person && has_report && !json_is_string(json_object_get(people, "limit")) &&
        json_number_value(json_object_get(json_object_get(object, "suppression"), "rows")) > 0)
        return refuse(c, "report.people.limit", "must be there");
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status check_rule(checking *c, const rule *which, const json_t *object) {
    c->rule = which;
    c->place[0] = '\0';
    return check_at(c, object, which->path + (which->path[0] == '?'));
}

/* What the kinds of models show, each key wherever it stands. */
static kan_status check_shown(checking *c, const json_t *object) {
    static const char *const letters[] = {[KAN_SHOWN_SHARE] = "p",
                                          [KAN_SHOWN_REAL] = "r",
                                          [KAN_SHOWN_WORD] = "s",
                                          [KAN_SHOWN_SWITCH] = "b",
                                          [KAN_SHOWN_WORDS] = "A"};
    for (size_t k = 0; k < kan_recount_count(); k++) {
        const kan_recount_kind *kind = kan_recount_at(k);
        for (size_t i = 0; i < kind->n_shown; i++) {
            const kan_shown_fact *shown = &kind->shown[i];
            char path[64];
            snprintf(path, sizeof path, "?privacy.*.%s", shown->key);
            KAN_TRY(check_rule(c, &(rule){path, letters[shown->type]}, object));
            snprintf(path, sizeof path, "privacy.*.%s.*", shown->key);
            if (shown->type == KAN_SHOWN_WORDS)
                KAN_TRY(check_rule(c, &(rule){path, "s"}, object));
        }
    }
    return KAN_OK;
}

static kan_status check_counts(checking *c, const json_t *object) {
    const bool counts_people = json_is_object(json_object_get(object, "person"));
    const rule *which = counts_people ? rules_of_people : rules_of_rows;
    const size_t n = counts_people ? sizeof rules_of_people / sizeof *which
                                   : sizeof rules_of_rows / sizeof *which;
    for (size_t i = 0; i < n; i++)
        KAN_TRY(check_rule(c, &which[i], object));
    return KAN_OK;
}

kan_status kan_report_check(kan_run *run, const char *name, const json_t *object) {
    checking c = {.run = run, .name = name};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        KAN_TRY(strcmp(rules[i].path, MODELS) == 0 ? check_shown(&c, object)
                                                   : check_rule(&c, &rules[i], object));
    KAN_TRY(check_counts(&c, object));
    KAN_TRY(check_person(&c, object));
    KAN_TRY(check_models(&c, object));
    KAN_TRY(check_lattice(&c, object));
    KAN_TRY(check_columns(&c, json_object_get(object, "report")));
    return check_sample(&c, json_object_get(object, "report"));
}
