/* `risk`: how likely people of several tables are recognised, as they were read or as they were released. Trees
 * are those of the recount (analyze/forest): nothing is believed that a search says of them. Nothing is
 * promised, and nothing fails: a high risk is a result. */
#include <string.h>

#include "core/wording.h"
#include "job/tables/tables_inside.h"

typedef struct {
    kan_clan clan;
    const char *release;   /* NULL: the tables of the job are asked about */
    kan_risk_trees before; /* of these, as they were read */
    double start_ms;
} asked;

/* ---- measuring ------------------------------------------------------------------------------ */

static uint64_t threshold_of(const kan_job *job) {
    enum { THRESHOLD = 5 };
    const uint64_t k = kan_options_count(&job->options, "k", THRESHOLD);
    return kan_options_count(&job->options, "threshold", k);
}

/* What was done to columns of the release was not done to these. */
static void list_raw(const kan_clan *clan, kan_forest_table *out) {
    for (size_t t = 0; t < clan->n; t++) {
        out[t] = kan_clan_origin(&clan->tables[t]);
        out[t].table = clan->tables[t].raw;
    }
}

static kan_status measure_raw(asked *a) {
    kan_forest_table tables[KAN_FOREST_TABLES];
    kan_forest forest = {.run = a->clan.run};
    kan_forest_finding finding;
    kan_status status;
    list_raw(&a->clan, tables);
    KAN_TRY_DONE(kan_forest_make(a->clan.run, tables, a->clan.n, &forest, &finding));
    if (finding.fault != KAN_FOREST_SOUND)
        KAN_TRY_DONE(kan_fail(a->clan.run, KAN_FAILED,
                              "internal error: the tables were tied together in another way; "
                              "please report it"));
    KAN_TRY_DONE(kan_risk_trees_measure(&forest, a->clan.threshold, &a->before));
done:
    kan_forest_destroy(&forest);
    return status;
}

/* "a is missing; b has more people" of lines. */
static void join_lines(kan_text *text) {
    while (text->size > 0 && text->bytes[text->size - 1] == '\n')
        text->bytes[--text->size] = '\0';
    for (size_t i = 0; i < text->size; i++)
        text->bytes[i] = text->bytes[i] == '\n' ? ';' : text->bytes[i];
}

/* What cannot be tied together has no trees. */
static kan_status check_measured(const asked *a, kan_clan_verdict *verdict) {
    kan_text *why = verdict->fault.size > 0 ? &verdict->fault : &verdict->unchecked;
    join_lines(why);
    if (!a->clan.has_risk)
        return kan_fail(a->clan.run, KAN_BAD_INPUT,
                        "%s: its risk cannot be measured, because it cannot be read as a release "
                        "of these tables: %s",
                        a->release, why->bytes);
    if (a->clan.drops_keys)
        kan_note(a->clan.run,
                 "keys are left out of %s: figures of trees after are about somebody who "
                 "could join the rows of a person, and nothing does but what they show",
                 a->release);
    if (!verdict->holds)
        kan_note(a->clan.run, "%s is not what the job promises, as kanon verify says: %s",
                 a->release, why->bytes);
    return KAN_OK;
}

static kan_status measure_release(asked *a) {
    kan_clan_verdict verdict;
    kan_status status = kan_clan_recount(&a->clan, a->release, &verdict);
    memcpy(a->clan.n_released, verdict.n_rows, sizeof verdict.n_rows);
    if (status == KAN_OK)
        status = check_measured(a, &verdict);
    kan_clan_verdict_destroy(&verdict);
    return status;
}

/* Raw tables need no hierarchies: only a release is read by them. */
static kan_status read(asked *a) {
    kan_clan *clan = &a->clan;
    if (!a->release) {
        KAN_TRY(kan_clan_choose_sink(clan, ""));
        KAN_TRY(kan_clan_read(clan));
        KAN_TRY(kan_clan_check_quasi(clan));
        return kan_clan_link(clan);
    }
    return kan_clan_take_release(clan, "risk", a->release);
}

/* ---- telling -------------------------------------------------------------------------------- */

/* "job.yaml: risk of 3 tables by age, sex of people; ward of stays" */
static void add_title(const asked *a, kan_text *text) {
    enum { NAME = 40 };
    const kan_clan *clan = &a->clan;
    bool is_first = true;
    kan_text_print(text, "%s: risk of %zu tables by ",
                   a->release ? a->release : a->clan.job->origins->path, clan->n);
    for (size_t t = 0; t < clan->n; t++) {
        const kan_setup *setup = &clan->tables[t].setup;
        for (unsigned q = 0; q < setup->n_quasi; q++) {
            kan_text_print(text, "%s", q > 0 ? ", " : is_first ? "" : "; ");
            (void)kan_words_add_label(text, kan_slice_of(setup->input.columns[setup->quasi[q]]),
                                      NAME);
            is_first = false;
        }
        if (setup->n_quasi > 0)
            kan_text_print(text, " of %s", clan->tables[t].part->name);
    }
    kan_text_print(text, "\n");
}

static kan_status tell(const asked *a, double measure_ms, kan_result *out) {
    const kan_clan *clan = &a->clan;
    const kan_risk_trees *after = a->release ? &clan->risk : &a->before,
                         *before = a->release ? &a->before : NULL;
    const double total = kan_now_ms() - a->start_ms;
    char memory[32];
    add_title(a, &out->summary);
    kan_risk_trees_summary(after, before, &out->summary);
    kan_text_print(&out->summary, "\n  %.2f s: read %.0f ms, measure %.0f ms; %s of memory\n",
                   total / 1000, clan->read_ms, measure_ms,
                   kan_bytes_text(kan_run_peak_memory(clan->run), memory));
    KAN_TRY(kan_text_status(&out->summary));
    return kan_result_set_json(
        out, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o}", "kanon",
                       KANON_VERSION, "command", "risk", "release",
                       a->release ? kan_json_text(a->release) : json_null(), "tables",
                       kan_clan_tables_json(clan, a->release ? clan->n_released : NULL), "risk",
                       kan_json_risk_trees(after), "before",
                       before ? kan_json_risk_trees(before) : json_null(), "time_ms", "read",
                       kan_json_time(clan->read_ms), "measure", kan_json_time(measure_ms), "total",
                       kan_json_time(total), "peak_memory_bytes",
                       kan_json_count(kan_run_peak_memory(clan->run))));
}

kan_status kan_tables_risk(kan_job *job, kan_result *out) {
    asked a = {.release = kan_options_find(&job->options, "input"), .start_ms = kan_now_ms()};
    kan_status status;
    KAN_TRY_DONE(kan_clan_order(job, &a.clan));
    a.clan.threshold = threshold_of(job);
    KAN_TRY_DONE(read(&a));
    const double start = kan_now_ms();
    kan_report_progress(job->run, "risk", 0, 0);
    KAN_TRY_DONE(measure_raw(&a));
    if (a.release)
        KAN_TRY_DONE(measure_release(&a));
    KAN_TRY_DONE(kan_check_cancel(job->run));
    KAN_TRY_DONE(tell(&a, kan_now_ms() - start, out));
done:
    kan_risk_trees_destroy(&a.before);
    kan_clan_destroy(&a.clan);
    return status;
}
