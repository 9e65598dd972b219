/* `attack`: what somebody finds out who has the release and something else.
 *
 * Order: read the tables (attack_tables.c), let each attack that is wanted find what it finds, tell. Nothing is
 * promised here and nothing fails: whoever is found is a result. */
#include "core/wording.h"
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

enum { DEFAULT_K = 5 };

static bool is_wanted(const kan_job *job, const kan_attack_kind *kind) {
    return kan_job_names_table(job, kind->setting) || kan_setting_is_given(job, kind->setting);
}

void kan_attack_check(kan_job *job) {
    bool has_attack = false;
    for (size_t i = 0; i < kan_attack_count(); i++)
        has_attack = has_attack || is_wanted(job, kan_attack_at(i));
    for (size_t i = 0; i < kan_attack_count(); i++)
        if (kan_attack_at(i)->check && is_wanted(job, kan_attack_at(i)))
            kan_attack_at(i)->check(job);
    if (!has_attack)
        kan_problem_add(job->run,
                        "no attack was named; write --register FILE, a list of people, such as the "
                        "table before it was anonymized, or --with OTHER, another release of the "
                        "same people, or --knowing-method");
    if (kan_options_find(&job->options, "where"))
        kan_problem_add(
            job->run, "--where is not taken by kanon attack: what an intruder knows is not only of "
                      "the rows that were chosen; make a file of the rows that the release was "
                      "made of, and leave it out");
    if (kan_options_find(&job->options, "person"))
        kan_problem_add(job->run,
                        "--person: what an attack means for people who have several rows is not "
                        "worked out; attack a table with a row for each person, or measure it with "
                        "kanon risk --person");
}

/* ---- telling ---------------------------------------------------------------------------------- */

static json_t *table_json(const kan_attack_walk *w, kan_attack_table table, const char *setting) {
    const char *path = kan_options_find(&w->job->options, setting);
    const kan_verify_side *side = &w->sides[table];
    if (!w->has[table])
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "path",
                     side->input.is_file && path ? kan_json_text(path) : json_null(), "rows",
                     kan_json_count(side->input.table->n_rows), "suppressed",
                     kan_json_count(side->shown.n_blank));
}

static json_t *names_json(const kan_attack_walk *w) {
    json_t *names = json_array();
    for (size_t i = 0; i < w->n_quasi; i++)
        names = kan_json_append(
            names,
            kan_json_text(
                w->sides[KAN_ATTACK_RELEASE].input.columns[w->quasi[KAN_ATTACK_RELEASE][i]]));
    return names;
}

/* What an attack found, and its sentences. */
static kan_status kind_json(const kan_attack_walk *w, const kan_attack_kind *kind,
                            const void *state, json_t **out) {
    kan_found_words words = {.said = json_array()};
    json_t *object = kind->json(w, state);
    kind->tell(w, state, &words);
    *out = kan_json_set(object, "says", words.said);
    if (*out && !words.failed)
        return KAN_OK;
    json_decref(*out);
    return kan_fail(w->run, KAN_FAILED, "out of memory while the result was made");
}

static kan_status write_json(const kan_attack_walk *w, kan_result *out) {
    json_t *times = json_pack("{s:o, s:o}", "read", kan_json_time(w->read_ms), "total",
                              kan_json_time(kan_now_ms() - w->start_ms));
    json_t *object =
        json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "kanon", KANON_VERSION, "command",
                  "attack", "internal", 1, "input", table_json(w, KAN_ATTACK_RELEASE, "input"),
                  "original", table_json(w, KAN_ATTACK_ORIGINAL, "original"), "quasi_identifiers",
                  names_json(w), "k", kan_json_count(w->k));
    for (size_t i = 0; i < kan_attack_count(); i++) {
        const kan_attack_kind *kind = kan_attack_at(i);
        json_t *found = json_null();
        if (w->states[i] && kind_json(w, kind, w->states[i], &found) != KAN_OK) {
            json_decref(object);
            json_decref(times);
            return KAN_FAILED;
        }
        object = kan_json_set(object, kind->key, found);
    }
    object = kan_json_set(object, "time_ms", times);
    object = kan_json_set(object, "peak_memory_bytes", kan_json_count(kan_run_peak_memory(w->run)));
    return kan_result_set_json(out, object);
}

static kan_status tell(const kan_attack_walk *w, kan_result *out) {
    kan_text *text = &out->summary;
    kan_found_words words = {.text = text};
    char rows[32], memory[32];
    const kan_verify_side *release = &w->sides[KAN_ATTACK_RELEASE];
    KAN_TRY(write_json(w, out));
    kan_text_print(text,
                   "%s: attacked, %s %s\ninternal: says how people are found; for those who may "
                   "see the table, not for a release\n",
                   release->input.name, kan_count_text(release->input.table->n_rows, rows),
                   kan_plural(release->input.table->n_rows, "row", "rows"));
    for (size_t i = 0; i < kan_attack_count(); i++)
        if (w->states[i])
            kan_attack_at(i)->tell(w, w->states[i], &words);
    kan_text_print(text, "\n  %.2f s; %s of memory\n", (kan_now_ms() - w->start_ms) / 1000,
                   kan_bytes_text(kan_run_peak_memory(w->run), memory));
    return kan_text_status(text);
}

/* ---- the walk --------------------------------------------------------------------------------- */

static kan_status make_states(kan_attack_walk *w) {
    KAN_TRY(kan_alloc_zero(w->run, kan_attack_count(), sizeof *w->states, &w->states));
    for (size_t i = 0; i < kan_attack_count(); i++)
        if (is_wanted(w->job, kan_attack_at(i)))
            KAN_TRY(kan_alloc_zero(w->run, 1, kan_attack_at(i)->size, &w->states[i]));
    return KAN_OK;
}

static kan_status walk(kan_attack_walk *w, kan_result *out) {
    KAN_TRY(make_states(w));
    KAN_TRY(kan_attack_read(w));
    w->k = kan_options_count(&w->job->options, "k", DEFAULT_K);
    w->read_ms = kan_now_ms() - w->start_ms;
    for (size_t i = 0; i < kan_attack_count(); i++)
        if (w->states[i])
            KAN_TRY(kan_attack_at(i)->measure(w, w->states[i]));
    return tell(w, out);
}

kan_status kan_walk_attack(kan_job *job, kan_result *out) {
    kan_attack_walk w = {.job = job, .run = job->run, .start_ms = kan_now_ms()};
    const kan_status status = walk(&w, out);
    for (size_t i = 0; w.states && i < kan_attack_count(); i++) {
        if (w.states[i])
            kan_attack_at(i)->close(&w, w.states[i]);
        kan_free(w.run, w.states[i]);
    }
    kan_free(w.run, w.states);
    kan_attack_close(&w);
    return status;
}
