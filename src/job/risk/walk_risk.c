/* `risk`: how likely people of a table are recognised, before and after, and what is learned of
 * them then.
 *
 * Order: read the tables (risk_tables.c), count group sizes, hold the groups against the population
 * and against sensitive values, estimate, look at rows by themselves, tell. Nothing is promised
 * here and nothing fails: a high risk is a result. */
#include "job/risk/risk_inside.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

enum { THRESHOLD = 5 };

/* ---- numbers that the user gave ------------------------------------------------------------- */

static kan_status read_population_size(kan_risk_walk *w) {
    const kan_options *options = &w->job->options;
    const bool has_original = w->has[KAN_RISK_ORIGINAL];
    const kan_verify_side *side = &w->sides[has_original ? KAN_RISK_ORIGINAL : KAN_RISK_TABLE];
    const uint64_t n_rows =
        kan_table_total(side->table) + (side->is_blank ? 0 : side->shown.n_blank);
    const uint64_t n_people = kan_options_count(options, "population-size", 0);
    const double fraction = kan_options_real(options, "sampling-fraction", 0);
    char people[32], rows[32];
    if (n_people > 0 && n_people < n_rows)
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "--population-size %s is less than the %s %s of %s; it counts everybody "
                        "from whom the table was drawn",
                        kan_count_text(n_people, people), kan_count_text(n_rows, rows),
                        kan_plural(n_rows, "row", "rows"), side->input.name);
    w->n_people = n_people > 0 ? (double)n_people : fraction > 0 ? (double)n_rows / fraction : 0;
    return KAN_OK;
}

/* Nobody of a population matches a mean, and those who happen to have a median or the most common
 * value are not those who stand behind it. */
static void check_middles(const kan_job *job) {
    const bool is_number = kan_summary_is_number(kan_choice_summary(&job->options));
    if (kan_options_find(&job->options, "population") &&
        (is_number || kan_choice_modes(&job->options)))
        kan_problem_add(job->run,
                        "--population: a release with %s%s does not show who of a population "
                        "matches a group; use one of ranges and nodes (--summary range, without "
                        "--modes), or leave --population out",
                        is_number ? "--summary " : "--modes",
                        is_number ? kan_options_find(&job->options, "summary") : "");
}

static kan_status check_numbers(const kan_job *job) {
    const kan_options *options = &job->options;
    const bool has_fraction = kan_options_find(options, "sampling-fraction") != NULL;
    kan_problems_begin(job->run);
    if (has_fraction && kan_options_find(options, "population-size"))
        kan_problem_add(job->run, "--population-size and --sampling-fraction say the same; leave "
                                  "one out");
    if (has_fraction && !(kan_options_real(options, "sampling-fraction", 0) > 0))
        kan_problem_add(job->run,
                        "--sampling-fraction: 0 is not a share that a table can be; write a "
                        "decimal above 0, such as 0.05");
    if (kan_options_find(options, "c") && !kan_options_find(options, "sensitive"))
        kan_problem_add(job->run, "--c is about sensitive values; name their columns with "
                                  "--sensitive NAME");
    check_middles(job);
    return kan_problems_end(job->run);
}

/* ---- sensitive columns ---------------------------------------------------------------------- */

/* The sensitive columns of the whole table as a promise sees them, without any promise. */
static kan_status describe_sensitive(kan_risk_walk *w, kan_claim *out) {
    const kan_table *whole =
        w->sides[w->has[KAN_RISK_ORIGINAL] ? KAN_RISK_ORIGINAL : KAN_RISK_TABLE].table;
    KAN_TRY(kan_risk_figures_read(w->run, &w->job->arena, &w->job->options, &w->figures));
    return kan_claim_columns(w->job, whole, w->figures.use_distance, out);
}

static kan_status measure_sensitive(kan_risk_walk *w, const kan_claim *claim,
                                    kan_risk_table table) {
    const bool is_table = table == KAN_RISK_TABLE;
    const kan_table *rows = w->sides[table].table;
    const kan_column **sensitive;
    kan_sensitive_question question = {.table = rows,
                                       .quasi = is_table ? w->groups_by : w->quasi[table],
                                       .n_quasi = w->n_quasi + (is_table ? w->n_means : 0),
                                       .columns = claim->columns,
                                       .n_columns = claim->n_columns,
                                       .figures = &w->figures};
    uint32_t *person_of;
    KAN_TRY(kan_alloc(w->run, claim->n_columns, sizeof *sensitive, &sensitive));
    for (size_t i = 0; i < claim->n_columns; i++)
        sensitive[i] = kan_table_find(rows, claim->columns[i].name, NULL);
    question.sensitive = sensitive;
    kan_status status = kan_risk_person_of(w, table, &person_of);
    question.person_of = person_of;
    if (status == KAN_OK)
        status = kan_risk_sensitive(w->run, &question, &w->measures[table].sensitive);
    w->measures[table].has_sensitive = status == KAN_OK;
    kan_free(w->run, person_of);
    kan_free(w->run, sensitive);
    return status;
}

/* ---- population ----------------------------------------------------------------------------- */

static kan_status tell_unmatched(const kan_risk_walk *w, const kan_kmap *kmap) {
    const kan_verify_side *release = &w->sides[KAN_RISK_TABLE];
    const char *people = w->sides[KAN_RISK_POPULATION].input.name;
    char groups[32], all[32], quoted[256];
    const char *match = kmap->n_groups == 1             ? "group matches"
                        : kmap->n_unmatched_groups == 1 ? "groups matches"
                                                        : "groups match";
    kan_count_text(kmap->n_unmatched_groups, groups);
    kan_count_text(kmap->n_groups, all);
    if (kmap->fault == SIZE_MAX)
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "%s: %s of %s %s nobody in %s, such as that of row %llu; the "
                        "population must hold everybody who is in the table: are both written the "
                        "same way, is it the right population, and does the table show ranges, not "
                        "medians (--summary) or most common values (--modes)?",
                        release->input.name, groups, all, match, people,
                        (unsigned long long)kmap->first_unmatched);
    const kan_column *column = &release->table->columns[w->quasi[KAN_RISK_TABLE][kmap->fault]];
    return kan_fail(
        w->run, KAN_BAD_INPUT,
        "%s: %s of %s %s nobody in %s, such as that of row %llu; column '%s' "
        "shows %s there, which is neither a value of the population, nor an interval or list that "
        "holds one, nor a known label; give the hierarchy that it was made "
        "with: --hierarchies DIR or --qi %s=HIERARCHY%s",
        release->input.name, groups, all, match, people, (unsigned long long)kmap->first_unmatched,
        column->name, kan_quote(kan_column_value(column, kmap->first_unmatched - 1), quoted),
        column->name,
        column->dictionary.type == KAN_TYPE_NUMBER
            ? "; if it is the mean of its group, nobody matches it: use a release of ranges"
            : "");
}

/* Both tables say whose each row is, where people are counted; what was done to columns changes no
 * rows. */
static kan_status ask_kmap(const kan_risk_walk *w, kan_risk_table table,
                           kan_kmap_question *question, kan_kmap *out) {
    uint32_t *person_of = NULL, *population_person_of = NULL;
    kan_status status = kan_risk_person_of(w, table, &person_of);
    if (status == KAN_OK)
        status = kan_risk_person_of(w, KAN_RISK_POPULATION, &population_person_of);
    question->person_of = person_of;
    question->population_person_of = population_person_of;
    if (status == KAN_OK)
        status = kan_kmap_measure(w->run, question, out);
    kan_free(w->run, person_of);
    kan_free(w->run, population_person_of);
    return status;
}

/* The original is held against the population as it was: what was done to columns of the release
 * was not done to those of either. Hierarchies are bound to what became of them. */
static kan_status measure_kmap(kan_risk_walk *w, kan_risk_table table) {
    kan_kmap_pair *pairs;
    const kan_input *people = &w->sides[KAN_RISK_POPULATION].input;
    kan_kmap *kmap = &w->measures[table].kmap;
    const bool is_table = table == KAN_RISK_TABLE;
    if (is_table && kan_options_find(&w->job->options, "rows"))
        KAN_TRY(kan_alloc_zero(w->run, w->sides[table].table->n_rows,
                               sizeof *w->special[table].people, &w->special[table].people));
    KAN_TRY(kan_alloc_zero(w->run, w->n_quasi, sizeof *pairs, &pairs));
    for (size_t i = 0; i < w->n_quasi; i++)
        pairs[i] = (kan_kmap_pair){
            w->quasi[table][i], w->quasi[KAN_RISK_POPULATION][i],
            is_table || !kan_input_treatment(people, w->quasi[KAN_RISK_POPULATION][i])
                ? w->hierarchies[i]
                : NULL};
    kan_kmap_question question = {.release = w->sides[table].table,
                                  .population = is_table ? people->table : people->raw,
                                  .quasi = pairs,
                                  .n_quasi = w->n_quasi,
                                  .threshold = w->threshold,
                                  .people = is_table ? w->special[table].people : NULL};
    const kan_status status = ask_kmap(w, table, &question, kmap);
    kan_free(w->run, pairs);
    KAN_TRY(status);
    /* A population of labels says nothing of what they were made from: then there is no before. */
    w->measures[table].has_kmap = kmap->n_groups > 0 && kmap->n_unmatched_groups == 0;
    if (is_table && kmap->n_unmatched_groups > 0)
        return tell_unmatched(w, kmap);
    if (is_table && kmap->n_short_groups > 0)
        kan_note(w->run,
                 "%llu %s more %s than people of %s match: it does not hold "
                 "everybody who is in the table, and the journalist risk is overestimated there",
                 (unsigned long long)kmap->n_short_groups,
                 kan_plural(kmap->n_short_groups, "group has", "groups have"),
                 w->person ? "people" : "rows", w->sides[KAN_RISK_POPULATION].input.name);
    return KAN_OK;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status count_sizes(kan_risk_walk *w, kan_risk_table table) {
    kan_group_sizes *sizes = &w->measures[table].sizes;
    const bool is_table = table == KAN_RISK_TABLE;
    const kan_verify_side *side = &w->sides[table];
    uint32_t *person_of;
    if (side->is_blank)
        return kan_group_sizes_make(w->run, NULL, 0, 0, sizes);
    KAN_TRY(kan_risk_person_of(w, table, &person_of));
    const kan_status status =
        kan_group_sizes_count(w->run, side->table, is_table ? w->groups_by : w->quasi[table],
                              w->n_quasi + (is_table ? w->n_means : 0), person_of, sizes);
    kan_free(w->run, person_of);
    return status;
}

static kan_status measure(kan_risk_walk *w, kan_risk_table table, const kan_claim *claim) {
    kan_risk_measures *m = &w->measures[table];
    const kan_verify_side *side = &w->sides[table];
    KAN_TRY(count_sizes(w, table));
    m->sizes.n_suppressed = side->shown.n_blank;
    kan_risk_measure(&m->sizes, w->threshold, &m->risk);
    KAN_TRY(kan_risk_measure_people(w, table));
    if (w->n_people > 0) {
        kan_estimate_make(&m->sizes, w->n_people, &m->estimates);
        m->has_estimates = true;
    }
    if (w->has[KAN_RISK_POPULATION] && !side->is_blank)
        KAN_TRY(measure_kmap(w, table));
    if (w->n_sensitive > 0)
        KAN_TRY(measure_sensitive(w, claim, table));
    return kan_risk_special_measure(w, table);
}

/* The file of rows gets its name last of all. */
static kan_status tell(kan_risk_walk *w, kan_result *out) {
    kan_sink *rows = NULL;
    kan_status status = kan_risk_rows_write(w, &rows);
    w->measure_ms = kan_now_ms() - w->start_ms - w->read_ms;
    if (status == KAN_OK)
        status = kan_risk_write(w, out);
    if (status == KAN_OK)
        status = kan_check_cancel(w->run);
    if (status == KAN_OK && rows) {
        status = kan_sink_commit(rows);
        if (status == KAN_OK)
            kan_risk_rows_note(w);
    }
    kan_sink_close(rows);
    return status;
}

static kan_status walk(kan_risk_walk *w, kan_result *out) {
    const kan_options *options = &w->job->options;
    kan_claim claim = {0};
    KAN_TRY(check_numbers(w->job));
    KAN_TRY(kan_risk_rows_check(w));
    KAN_TRY(kan_risk_read(w));
    KAN_TRY(kan_risk_special_begin(w));
    KAN_TRY(kan_risk_rows_begin(w));
    KAN_TRY(read_population_size(w));
    w->threshold =
        kan_options_count(options, "threshold", kan_options_count(options, "k", THRESHOLD));
    w->read_ms = kan_now_ms() - w->start_ms;
    kan_report_progress(w->run, "risk", 0, 0);
    if (w->n_sensitive > 0)
        KAN_TRY(describe_sensitive(w, &claim));
    KAN_TRY(measure(w, KAN_RISK_TABLE, &claim));
    kan_claim_note_spellings(w->job, &claim);
    if (w->has[KAN_RISK_ORIGINAL])
        KAN_TRY(measure(w, KAN_RISK_ORIGINAL, &claim));
    KAN_TRY(kan_risk_near_measure(w));
    return tell(w, out);
}

kan_status kan_walk_risk(kan_job *job, kan_result *out) {
    kan_risk_walk w = {.job = job, .run = job->run, .start_ms = kan_now_ms()};
    const kan_status status = walk(&w, out);
    for (size_t i = 0; i < 2; i++) {
        if (w.measures[i].sizes.counts)
            kan_group_sizes_destroy(&w.measures[i].sizes);
        if (w.measures[i].has_sensitive)
            kan_sensitive_risks_destroy(&w.measures[i].sensitive);
        kan_risk_people_destroy(&w.measures[i]);
    }
    kan_risk_special_destroy(&w);
    kan_risk_close(&w);
    return status;
}
