/* See risk_trees.h. */
#include "job/risk/risk_trees.h"

#include <stdio.h>

#include "job/risk/risk_page.h"
#include "job/risk/risk_result.h"

/* ---- measuring ------------------------------------------------------------------------------ */

static kan_status measure(const kan_forest *forest, uint64_t *sizes, kan_risk_trees *out) {
    const size_t n_people = (size_t)forest->tables[0].table->n_rows;
    size_t n_trees;
    KAN_TRY(kan_forest_sizes(forest, sizes, &n_trees));
    KAN_TRY(kan_group_sizes_make(forest->run, sizes, n_trees, 0, &out->trees));
    KAN_TRY(kan_forest_nearest(forest, sizes));
    return kan_group_sizes_make(forest->run, sizes, n_people, 0, &out->near);
}

kan_status kan_risk_trees_measure(const kan_forest *forest, uint64_t threshold,
                                  kan_risk_trees *out) {
    uint64_t *sizes;
    *out = (kan_risk_trees){.trees = {.run = forest->run}, .near = {.run = forest->run}};
    KAN_TRY(kan_alloc(forest->run, (size_t)forest->tables[0].table->n_rows, sizeof *sizes, &sizes));
    const kan_status status = measure(forest, sizes, out);
    kan_free(forest->run, sizes);
    KAN_TRY(status);
    kan_risk_measure(&out->trees, threshold, &out->risk);
    kan_people_risk(&out->near, threshold, &out->near_risk);
    return KAN_OK;
}

void kan_risk_trees_destroy(kan_risk_trees *risk) {
    if (!risk->trees.run)
        return;
    kan_group_sizes_destroy(&risk->trees);
    kan_group_sizes_destroy(&risk->near);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

json_t *kan_json_risk_trees(const kan_risk_trees *all) {
    const kan_risk *risk = &all->risk;
    json_t *prosecutor = json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "highest", kan_json_real(risk->highest), "average",
        kan_json_real(risk->average), "people_at_risk", kan_json_count(risk->n_rows_at_risk),
        "trees_at_risk", kan_json_count(risk->n_groups_at_risk), "share_at_risk",
        kan_json_real(risk->share_at_risk));
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "people", kan_json_count(risk->n_rows),
        "trees", kan_json_count(risk->n_groups), "smallest", kan_json_count(risk->smallest),
        "largest", kan_json_count(risk->largest), "mean_size", kan_json_real(risk->mean_size),
        "median_size", kan_json_count(risk->median_size), "threshold",
        kan_json_count(risk->threshold), "uniques", kan_json_count(risk->n_unique), "share_unique",
        kan_json_real(risk->share_unique));
    object = kan_json_set(object, "prosecutor", prosecutor);
    object = kan_json_set(object, "marketer",
                          json_pack("{s:o, s:o}", "average", kan_json_real(risk->marketer),
                                    "expected", kan_json_count(risk->n_groups)));
    object = kan_json_set(object, "by_row", kan_json_risk_person(&all->near_risk));
    return kan_json_set(object, "sizes", kan_json_sizes(&all->trees));
}

/* ---- words ---------------------------------------------------------------------------------- */

static void add_at_risk(const kan_risk_page *page, const kan_risk *before, const kan_risk *after) {
    char label[64];
    kan_risk_add_line(page, "risk of a person, average", kan_risk_percent(before->average),
                      kan_risk_percent(after->average));
    snprintf(label, sizeof label, "people above 1 in %llu", (unsigned long long)page->threshold);
    kan_risk_add_line(page, label, kan_risk_percent(before->share_at_risk),
                      kan_risk_percent(after->share_at_risk));
}

static void add_trees(const kan_risk_page *page, const kan_risk *b, const kan_risk *a) {
    kan_risk_add_heading(page, "");
    kan_risk_add_line(page, "people", kan_risk_count(b->n_rows), kan_risk_count(a->n_rows));
    kan_risk_add_line(page, "different trees", kan_risk_count(b->n_groups),
                      kan_risk_count(a->n_groups));
    kan_risk_add_line(page, "fewest who share a tree", kan_risk_count(b->smallest),
                      kan_risk_count(a->smallest));
    kan_risk_add_line(page, "who share the median person's", kan_risk_count(b->median_size),
                      kan_risk_count(a->median_size));
    kan_risk_add_line(page, "people alone with their tree", kan_risk_count(b->n_unique),
                      kan_risk_count(a->n_unique));
    kan_risk_add_line(page, "risk of a person, highest", kan_risk_chance(b->smallest),
                      kan_risk_chance(a->smallest));
    add_at_risk(page, b, a);
    kan_risk_add_line(page, "expected re-identifications", kan_risk_count(b->n_groups),
                      kan_risk_count(a->n_groups));
}

static void add_near(const kan_risk_page *page, const kan_risk *b, const kan_risk *a) {
    kan_risk_add_heading(page, "by one row, her rarest");
    kan_risk_add_line(page, "people alone in a group", kan_risk_count(b->n_unique),
                      kan_risk_count(a->n_unique));
    add_at_risk(page, b, a);
}

static void add_meaning(const kan_risk_page *page, const kan_risk_trees *all) {
    const kan_risk *risk = &all->risk;
    kan_text_print(page->text, "\n");
    if (risk->smallest == 1)
        kan_risk_add_words(page,
                           "Somebody who knows all that a person shows in these tables can be "
                           "certain who it is for %s of the people.",
                           kan_risk_percent(risk->share_unique).text);
    else
        kan_risk_add_words(page,
                           "Somebody who knows all that a person shows in these tables has at "
                           "most a %s chance of picking the right person; on average it is %s.",
                           kan_risk_chance(risk->smallest).text,
                           kan_risk_percent(risk->average).text);
    kan_risk_add_words(page,
                       "Whoever links everybody in this way to a name is right for about %s of "
                       "%s people.",
                       kan_risk_count(risk->n_groups).text, kan_risk_count(risk->n_rows).text);
    kan_risk_add_words(page,
                       "Somebody who knows one row, whichever tells most, is right for %s of the "
                       "people on average.",
                       kan_risk_percent(all->near_risk.average).text);
}

void kan_risk_trees_summary(const kan_risk_trees *after, const kan_risk_trees *before,
                            kan_text *text) {
    const kan_risk_page page = {text, before != NULL, after->risk.threshold};
    const kan_risk_trees *other = before ? before : after;
    add_trees(&page, &other->risk, &after->risk);
    add_near(&page, &other->near_risk, &after->near_risk);
    add_meaning(&page, after);
    kan_risk_add_sizes(&page, &(kan_risk_bars){{&after->trees, &other->trees},
                                               {after->risk.n_rows, other->risk.n_rows},
                                               "share a tree",
                                               "people"});
}
