/* What is told of a release of several tables. The summary may be shared with it: it has released rows,
 * and how many people are left out, and no number that follows from the rows of those. */
#include <inttypes.h>
#include <math.h>

#include "core/wording.h"
#include "job/tables/tables_inside.h"

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *levels_json(const kan_clan *clan) {
    json_t *levels = json_object();
    for (unsigned a = 0; a < clan->n_attributes; a++)
        levels = kan_json_set(levels, clan->attributes[a],
                              json_pack("{s:i,s:i}", "level", (int)clan->answer.levels[a], "height",
                                        (int)clan->heights[a]));
    return levels;
}

/* What was done to values, by column. */
static json_t *treated_json(const kan_input *input) {
    json_t *treated = json_object();
    for (size_t i = 0; i < input->n_treatments; i++) {
        kan_text words;
        if (input->treatments[i].is_pseudonym)
            continue;
        kan_text_init(&words, input->run);
        kan_treatment_add_words(&input->treatments[i], &words);
        treated =
            kan_json_set(treated, input->treatments[i].name,
                         kan_text_status(&words) == KAN_OK ? kan_json_text(words.bytes) : NULL);
        kan_text_destroy(&words);
    }
    return treated;
}

static json_t *table_json(const kan_clan *clan, size_t t, const uint64_t *n_released) {
    const kan_clan_table *table = &clan->tables[t];
    json_t *quasi = json_array();
    for (unsigned q = 0; q < table->setup.n_quasi; q++)
        quasi = kan_json_append(quasi,
                                kan_json_text(table->setup.input.columns[table->setup.quasi[q]]));
    return json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", kan_json_text(table->part->name), "of",
        t > 0 ? kan_json_text(clan->tables[table->parent].part->name) : json_null(), "input",
        kan_json_text(table->setup.input.name), "rows", kan_json_count(table->raw->n_rows),
        "released_rows", n_released ? kan_json_count(n_released[t]) : json_null(),
        "quasi_identifiers", quasi, "treated", treated_json(&table->setup.input));
}

json_t *kan_clan_tables_json(const kan_clan *clan, const uint64_t *n_released) {
    json_t *tables = json_array();
    for (size_t t = 0; t < clan->n; t++)
        tables = kan_json_append(tables, table_json(clan, t, n_released));
    return tables;
}

static json_t *people_json(const kan_clan *clan, const kan_forest_recount *recount,
                           const kan_forest_groups *groups) {
    json_t *people = json_pack("{s:o,s:o,s:o}", "all", kan_json_count(clan->n_people), "released",
                               kan_json_count(recount->n_people), "limit",
                               kan_json_count(kan_clan_limit(clan->job, clan->n_people)));
    people = kan_json_set(people, clan->by_groups ? "groups" : "trees",
                          kan_json_count(clan->by_groups ? groups->n_groups : recount->n_trees));
    people = kan_json_set(people, "fewest",
                          kan_json_count(clan->by_groups ? groups->fewest : recount->fewest));
    return kan_json_set(people, clan->by_groups ? "small" : "rare",
                        kan_json_count(clan->by_groups ? groups->n_small : recount->n_rare));
}

static json_t *promise_json(const kan_clan *clan, bool is_verdict) {
    return json_pack("{s:s,s:o,s:s,s:o}", "model", "k-anonymity", "k",
                     kan_json_count(kan_clan_k(clan->job)), "of",
                     clan->by_groups ? "groups" : "histories", "tables",
                     kan_clan_models_json(clan, is_verdict));
}

json_t *kan_clan_solution_json(const kan_clan *clan, const char *command) {
    const kan_trees_answer *answer = &clan->answer;
    return json_pack(
        "{s:s,s:s,s:o,s:o,s:o,s:s,s:o,s:o,s:o,s:o,s:b,s:o,s:o}", "kanon", KANON_VERSION, "command",
        command, "promise", promise_json(clan, false), "tables",
        kan_clan_tables_json(clan, clan->n_released), "people",
        people_json(clan, &clan->recount, &clan->groups), "cost", clan->cost->kind.name,
        "cost_of_all", kan_json_real((double)answer->cost * clan->unit), "cost_of_released",
        kan_json_real(clan->released_cost), "bound",
        kan_json_real((double)answer->bound * clan->unit), "levels", levels_json(clan), "optimal",
        answer->is_proven, "nodes_checked", kan_json_count(answer->n_checked), "suppressed_people",
        kan_json_count(clan->n_left));
}

static kan_status set_release_json(const kan_clan *clan, const char *output, const char *hidden,
                                   kan_result *out) {
    json_t *report = NULL;
    if (clan->wants_figures)
        KAN_TRY(kan_clan_report_make(clan, output, hidden, &report));
    json_t *object =
        kan_json_set(kan_clan_solution_json(clan, "anonymize"), "release",
                     json_pack("{s:o,s:b}", "path", kan_json_text(output), "verified", 1));
    object = kan_json_set(object, "time_ms",
                          json_pack("{s:o,s:o,s:o,s:o}", "read", kan_json_time(clan->read_ms),
                                    "search", kan_json_time(clan->search_ms), "write",
                                    kan_json_time(clan->write_ms), "verify",
                                    kan_json_time(clan->verify_ms)));
    if (report)
        object = kan_json_set(object, "report", report);
    return kan_result_set_json(out, object);
}

/* ---- words ---------------------------------------------------------------------------------- */

static void add_tables(const kan_clan *clan, const uint64_t *n_released, kan_text *text) {
    char rows[32];
    for (size_t t = 0; t < clan->n; t++) {
        const kan_clan_table *table = &clan->tables[t];
        kan_text_print(text, "  %-11s %s %s", table->part->name,
                       kan_count_text(n_released[t], rows),
                       kan_plural(n_released[t], "row", "rows"));
        if (t > 0 && !clan->drops_keys)
            kan_text_print(text, ", each below one of %s", clan->tables[table->parent].part->name);
        kan_text_print(text, "\n");
    }
}

static void add_levels(const kan_clan *clan, kan_text *text) {
    kan_text_print(text, "  %-12s", "levels");
    for (unsigned a = 0; a < clan->n_attributes; a++) {
        unsigned level, height;
        kan_text_print(text, "%s%s", a > 0 ? ", " : "", clan->attributes[a]);
        if (kan_clan_told_attribute(clan, a, &level, &height))
            kan_text_print(text, " %u of %u", level, height);
        else
            kan_text_print(text, " by how many rows have each value");
    }
    kan_text_print(text, "\n");
}

/* Where somebody is left out, whether the search came to its end depends on her, too. */
static void add_cost(const kan_clan *clan, kan_text *text) {
    const char *name = clan->cost->kind.name;
    const bool is_proven = clan->answer.is_proven;
    if (isnan(clan->released_cost))
        kan_text_print(text, "  %-12s%s is not told: it depends on people who are left out\n",
                       "cost", name);
    else
        kan_text_print(text, "  %-12s%s %.4f over released rows%s\n", "cost", name,
                       clan->released_cost,
                       clan->n_left > 0 ? ""
                       : is_proven      ? ", proven: no other levels cost less"
                                        : ", not proven to be the least");
    if (clan->n_left == 0 && !is_proven)
        kan_text_print(text, "  %-12s--effort N looks at more nodes\n", "");
}

/* "treated", "admitted of stays: moved by up to 30 days, all of a person by the same". */
static void add_treated(const kan_clan *clan, kan_text *text) {
    bool is_first = true;
    for (size_t t = 0; t < clan->n; t++) {
        const kan_input *input = &clan->tables[t].setup.input;
        for (size_t i = 0; i < input->n_treatments; i++) {
            char quoted[256];
            if (input->treatments[i].is_pseudonym)
                continue;
            kan_text_print(text, "  %-12s%s of %s: ", is_first ? "treated" : "",
                           kan_quote(kan_slice_of(input->treatments[i].name), quoted),
                           clan->tables[t].part->name);
            kan_treatment_add_words(&input->treatments[i], text);
            kan_text_print(text, "\n");
            is_first = false;
        }
    }
}

/* What no promise looks at, treated or not. */
static void add_open(const kan_clan *clan, kan_text *text) {
    bool is_first = true;
    for (size_t t = 0; t < clan->n; t++) {
        const kan_setup *setup = &clan->tables[t].setup;
        for (size_t i = 0; i < setup->input.n_columns; i++) {
            char quoted[256];
            if ((!kan_setup_keeps(setup, i) && setup->roles[i] != KAN_ROLE_SENSITIVE) ||
                kan_setup_is_pseudonym(setup, i) || kan_clan_protects(&clan->tables[t], i))
                continue;
            kan_text_print(text, "%s%s of %s", is_first ? "  open        " : ", ",
                           kan_quote(kan_slice_of(setup->input.columns[i]), quoted),
                           clan->tables[t].part->name);
            is_first = false;
        }
    }
    if (!is_first)
        kan_text_print(text, "; %s nothing of what these tell\n",
                       clan->has_models ? "the promise says" : "k says");
}

/* "2 of 8 rows of stays, 1 of 3 rows of diagnoses": what else goes with people who are left out. */
static void tell_left(const kan_clan *clan) {
    kan_text text;
    kan_text_init(&text, clan->run);
    for (size_t t = 1; t < clan->n; t++) {
        char left[32], all[32];
        kan_text_print(&text, "%s%s of %s rows of %s", t > 1 ? ", " : "",
                       kan_count_text(clan->tables[t].n_left, left),
                       kan_count_text(clan->tables[t].setup.table->n_rows, all),
                       clan->tables[t].part->name);
    }
    if (clan->n_left > 0 && text.size > 0)
        kan_note(clan->run,
                 "with their people %s are left out; that is for you alone: it reveals how many "
                 "rows somebody has to anyone who knows the others",
                 text.bytes);
    kan_text_destroy(&text);
}

/* What is for the owner of the tables alone. */
static void tell_owner(const kan_clan *clan) {
    tell_left(clan);
    if (clan->n_left > 0)
        kan_note(clan->run,
                 clan->answer.is_proven
                     ? "that no other levels cost less is proven"
                     : "that no other levels cost less is not proven; --effort N looks at more "
                       "nodes");
    if (clan->drops_keys)
        return;
    if (!kan_options_find(&clan->job->options, "key"))
        kan_note(clan->run, "pseudonyms are made with a key that is drawn for this release and "
                            "kept nowhere; --key FILE makes the same ones again");
    bool has_order = false;
    for (size_t t = 0; t < clan->n; t++)
        has_order |= !clan->tables[t].is_unordered;
    if (has_order)
        kan_note(clan->run, "rows stand in the order of the input: whoever knows that order can "
                            "tell which row is whose");
}

/* What was promised, and what people show. */
static void add_promise(const kan_clan *clan, const kan_forest_recount *recount,
                        const kan_forest_groups *groups, kan_text *text) {
    char fewest[32];
    kan_text_print(text, "  %-12sk=%" PRIu64 " for %s: %s at least %s people\n", "promise",
                   kan_clan_k(clan->job), clan->by_groups ? "groups" : "histories",
                   clan->by_groups ? "each group of each table has rows of"
                                   : "what a person shows over all tables is shown by",
                   kan_count_text(clan->by_groups ? groups->fewest : recount->fewest, fewest));
}

/* "418 different trees". */
static void add_different(const kan_clan *clan, const kan_forest_recount *recount,
                          const kan_forest_groups *groups, kan_text *text) {
    const uint64_t n = clan->by_groups ? groups->n_groups : recount->n_trees;
    char different[32];
    kan_text_print(text, "%s different %s", kan_count_text(n, different),
                   clan->by_groups ? kan_plural(n, "group", "groups")
                                   : kan_plural(n, "tree", "trees"));
}

void kan_clan_add_solution(const kan_clan *clan, kan_text *text) {
    char people[32], left[32];
    add_promise(clan, &clan->recount, &clan->groups, text);
    kan_clan_add_models(clan, false, text);
    kan_text_print(text, "  %-12s%s released with ", "people",
                   kan_count_text(clan->recount.n_people, people));
    add_different(clan, &clan->recount, &clan->groups, text);
    kan_text_print(text, ", %s left out with all rows\n", kan_count_text(clan->n_left, left));
    add_levels(clan, text);
}

kan_status kan_clan_tell_release(kan_clan *clan, const char *output, const char *hidden,
                                 kan_result *out) {
    kan_text *text = &out->summary;
    tell_owner(clan);
    kan_text_print(text, "%s: %zu tables\n\n", output, clan->n);
    add_tables(clan, clan->n_released, text);
    kan_clan_add_solution(clan, text);
    add_cost(clan, text);
    add_treated(clan, text);
    add_open(clan, text);
    if (clan->drops_keys)
        kan_text_print(text, "  %-12sno keys, and rows in an order that nobody knows\n",
                       "released");
    kan_text_print(text, "  %-12sread again and counted before they were named: %s, rows\n",
                   "verified",
                   clan->by_groups    ? "groups"
                   : clan->drops_keys ? "trees"
                                      : "keys, trees");
    KAN_TRY(kan_text_status(text));
    return set_release_json(clan, output, hidden, out);
}

/* ---- verify --------------------------------------------------------------------------------- */

static json_t *faults_json(const kan_text *fault) {
    json_t *list = json_array();
    for (const char *at = fault->size > 0 ? fault->bytes : ""; *at;) {
        const size_t size = strcspn(at, "\n");
        list = kan_json_append(list, kan_json_slice((kan_slice){at, size}));
        at += size + (at[size] == '\n');
    }
    return list;
}

kan_status kan_clan_tell_verdict(kan_clan *clan, const char *folder,
                                 const kan_clan_verdict *verdict, kan_result *out) {
    kan_text *text = &out->summary;
    char people[32];
    out->holds = verdict->holds;
    if (verdict->fault.size == 0 && verdict->unchecked.size > 0)
        kan_text_add(&out->unchecked, verdict->unchecked.bytes, verdict->unchecked.size);
    kan_text_print(text, "%s: %s\n\n", folder,
                   verdict->holds             ? "verified"
                   : verdict->fault.size == 0 ? "NOT VERIFIED"
                                              : "NOT what was promised");
    if (verdict->is_read)
        add_tables(clan, verdict->n_rows, text);
    if (verdict->recount.n_people > 0)
        kan_text_print(text, "  %-12sk=%" PRIu64 " for %s: %s\n", "promise", kan_clan_k(clan->job),
                       clan->by_groups ? "groups" : "histories",
                       verdict->recount.n_rare == 0 && verdict->groups.n_small == 0
                           ? "holds"
                           : "does not hold");
    kan_clan_add_models(clan, true, text);
    if (verdict->recount.n_people > 0) {
        kan_text_print(text, "  %-12s%s with ", "people",
                       kan_count_text(verdict->recount.n_people, people));
        add_different(clan, &verdict->recount, &verdict->groups, text);
        kan_text_print(text, ", the rarest %s %" PRIu64 "\n",
                       clan->by_groups ? "with rows of" : "shared by",
                       clan->by_groups ? verdict->groups.fewest : verdict->recount.fewest);
    }
    if (verdict->fault.size > 0)
        kan_text_print(text, "\n%s", verdict->fault.bytes);
    if (verdict->unchecked.size > 0)
        kan_text_print(text, "\n%s\n", verdict->unchecked.bytes);
    KAN_TRY(kan_text_status(text));
    return kan_result_set_json(
        out,
        json_pack("{s:s,s:s,s:o,s:o,s:o,s:o,s:s,s:o,s:o}", "kanon", KANON_VERSION, "command",
                  "verify", "release", kan_json_text(folder), "promise", promise_json(clan, true),
                  "tables", kan_clan_tables_json(clan, verdict->n_rows), "people",
                  people_json(clan, &verdict->recount, &verdict->groups), "status",
                  kan_result_status_name(out), "faults", faults_json(&verdict->fault), "unchecked",
                  verdict->unchecked.size > 0 ? kan_json_text(verdict->unchecked.bytes)
                                              : json_null()));
}
