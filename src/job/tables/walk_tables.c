/* The walks over several tables: read, tie together, search, write beside the target, recount, name. */
#include <stdio.h>

#include "job/report/report.h"
#include "job/tables/tables_inside.h"

kan_status kan_clan_take(kan_clan *clan) {
    KAN_TRY(kan_clan_read(clan));
    KAN_TRY(kan_clan_link(clan));
    KAN_TRY(kan_clan_treat(clan));
    KAN_TRY(kan_clan_attributes(clan));
    return kan_clan_models(clan);
}

/* ---- anonymize ------------------------------------------------------------------------------ */

static kan_release_part_order order_of(const kan_clan *clan, size_t t) {
    const kan_clan_table *table = &clan->tables[t];
    return (kan_release_part_order){.setup = &table->setup,
                                    .kind = clan->sink,
                                    .levels = table->levels,
                                    .is_left_out = table->is_left,
                                    .n_left_out = table->n_left,
                                    .is_shuffled = clan->drops_keys};
}

static kan_status write_table(kan_clan *clan, size_t t, const char *folder) {
    const kan_clan_table *table = &clan->tables[t];
    kan_release_part_order order = order_of(clan, t);
    kan_release_part *part = NULL;
    KAN_TRY(kan_folder_path(&clan->arena, folder, table->part->name, clan->ending, &order.target));
    KAN_TRY(kan_release_part_write(&order, &part));
    kan_release_part_tell(part);
    const kan_status status = kan_release_part_commit(part);
    kan_release_part_destroy(part);
    return status;
}

/* Nothing gets its name that was not counted again. */
static kan_status recount(kan_clan *clan, const char *path) {
    kan_clan_verdict verdict;
    kan_status status = kan_clan_recount(clan, path, &verdict);
    if (status == KAN_OK && !verdict.holds)
        status = kan_fail(clan->run, KAN_FAILED,
                          "internal error: the release was counted again, and is not what was "
                          "promised; nothing was released; please report it: %s",
                          verdict.fault.size > 0 ? verdict.fault.bytes : verdict.unchecked.bytes);
    for (size_t t = 0; status == KAN_OK && t < clan->n; t++)
        if (verdict.n_rows[t] != clan->n_released[t])
            status = kan_fail(clan->run, KAN_FAILED,
                              "internal error: rows were lost on the way to the disk; nothing was "
                              "released; please report it");
    clan->recount = verdict.recount;
    clan->groups = verdict.groups;
    kan_clan_verdict_destroy(&verdict);
    return status;
}

/* The page of the report first: without the release it is taken back. `folder` is NULL where the release is
 * one file. */
static kan_status name_both(const kan_clan *clan, kan_target *page, kan_folder *folder,
                            kan_sink *sink) {
    if (page)
        KAN_TRY(kan_target_commit(page));
    const kan_status status = folder         ? kan_folder_commit(folder)
                              : clan->schema ? kan_clan_name_schema(clan)
                                             : kan_sink_commit(sink);
    if (status != KAN_OK && page)
        kan_target_withdraw(kan_options_find(&clan->job->options, "report"));
    return status;
}

static kan_status write_book(kan_clan *clan, const char *output, kan_release_part **parts,
                             kan_sink **out) {
    const kan_release_book book = {.parts = parts,
                                   .names = clan->names,
                                   .n = clan->n,
                                   .kind = clan->sink,
                                   .target = output,
                                   .overwrite = kan_options_switch(&clan->job->options, "force"),
                                   .schema = kan_clan_engine(clan)};
    for (size_t t = 0; t < clan->n; t++) {
        const kan_release_part_order order = order_of(clan, t);
        KAN_TRY(kan_release_part_make(&order, &parts[t]));
    }
    KAN_TRY(kan_release_book_write(&book, out));
    for (size_t t = 0; t < clan->n; t++)
        kan_release_part_tell(parts[t]);
    return KAN_OK;
}

/* Tables of a schema are made first, to be named in the end. */
static kan_status begin_book(kan_clan *clan, const char *output) {
    if (!clan->sink->in_engine)
        return KAN_OK;
    KAN_TRY(kan_clan_open_schema(clan, "--output", output));
    return kan_clan_make_schema(clan);
}

/* All tables in one file, or one schema, which get their names when they are complete. */
static kan_status release_book(kan_clan *clan, const char *output, kan_result *out) {
    kan_release_part *parts[KAN_MOST_TABLES] = {NULL};
    kan_sink *sink = NULL;
    kan_target *page = NULL;
    kan_status status;
    const double start = kan_now_ms();
    kan_report_progress(clan->run, "write", 0, 0);
    KAN_TRY_DONE(begin_book(clan, output));
    KAN_TRY_DONE(write_book(clan, output, parts, &sink));
    clan->write_ms = kan_now_ms() - start;
    KAN_TRY_DONE(recount(clan, kan_sink_path(sink)));
    if (!clan->schema)
        KAN_TRY_DONE(kan_sink_sync(sink));
    KAN_TRY_DONE(kan_clan_tell_release(clan, output, kan_sink_path(sink), out));
    KAN_TRY_DONE(kan_clan_report_open(clan, output, kan_sink_path(sink), out, &page));
    KAN_TRY_DONE(kan_check_cancel(clan->run));
    KAN_TRY_DONE(name_both(clan, page, NULL, sink));
    out->holds = true;
done:
    kan_target_close(page);
    kan_sink_close(sink);
    for (size_t t = 0; t < clan->n; t++)
        kan_release_part_destroy(parts[t]);
    return status;
}

static kan_status release_folder(kan_clan *clan, const char *output, kan_result *out) {
    kan_folder folder;
    kan_target *page = NULL;
    kan_status status;
    const double start = kan_now_ms();
    KAN_TRY(kan_folder_begin(clan, output, &folder));
    kan_report_progress(clan->run, "write", 0, 0);
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY_DONE(write_table(clan, t, folder.hidden));
    clan->write_ms = kan_now_ms() - start;
    KAN_TRY_DONE(recount(clan, folder.hidden));
    KAN_TRY_DONE(kan_clan_tell_release(clan, output, folder.hidden, out));
    KAN_TRY_DONE(kan_clan_report_open(clan, output, folder.hidden, out, &page));
    KAN_TRY_DONE(kan_check_cancel(clan->run));
    KAN_TRY_DONE(name_both(clan, page, &folder, NULL));
    out->holds = true;
done:
    kan_target_close(page);
    kan_folder_close(&folder);
    return status;
}

kan_status kan_tables_anonymize(kan_job *job, kan_result *out) {
    kan_clan clan;
    kan_status status;
    const char *output = kan_options_find(&job->options, "output");
    KAN_TRY_DONE(kan_clan_order(job, &clan));
    KAN_TRY_DONE(kan_clan_choose_sink(&clan, output));
    KAN_TRY_DONE(kan_report_is_possible(job));
    clan.wants_figures = kan_report_is_wanted(job);
    if (!clan.is_book) {
        KAN_TRY_DONE(kan_folder_check(&clan, output));
        KAN_TRY_DONE(kan_folder_check_written(&clan, output, "anonymize"));
    }
    KAN_TRY_DONE(kan_clan_take(&clan));
    KAN_TRY_DONE(kan_clan_check_sink(&clan, output));
    KAN_TRY_DONE(kan_clan_kin(&clan));
    KAN_TRY_DONE(kan_clan_solve(&clan));
    KAN_TRY_DONE(clan.is_book ? release_book(&clan, output, out)
                              : release_folder(&clan, output, out));
done:
    kan_clan_destroy(&clan);
    return status;
}

/* ---- a release that is there ---------------------------------------------------------------- */

kan_status kan_clan_take_release(kan_clan *clan, const char *command, const char *release) {
    char words[32];
    snprintf(words, sizeof words, "kanon %s", command);
    KAN_TRY(kan_clan_find_sink(clan, release));
    if (!clan->is_book)
        KAN_TRY(kan_folder_check_written(clan, release, command));
    KAN_TRY(kan_clan_take(clan));
    return clan->sink->in_engine ? kan_clan_open_schema(clan, words, release) : KAN_OK;
}

/* ---- verify --------------------------------------------------------------------------------- */

kan_status kan_tables_verify(kan_job *job, kan_result *out) {
    kan_clan clan;
    kan_clan_verdict verdict;
    kan_status status;
    const char *release = kan_options_find(&job->options, "input");
    KAN_TRY_DONE(kan_clan_order(job, &clan));
    KAN_TRY_DONE(kan_clan_take_release(&clan, "verify", release));
    status = kan_clan_recount(&clan, release, &verdict);
    if (status == KAN_OK)
        status = kan_clan_tell_verdict(&clan, release, &verdict, out);
    kan_clan_verdict_destroy(&verdict);
done:
    kan_clan_destroy(&clan);
    return status;
}
