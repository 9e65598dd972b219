/* One of several tables that are released together. */
#include <inttypes.h>

#include "job/release/application.h"
#include "job/release/release.h"

struct kan_release_part {
    kan_run *run;
    kan_solution solution;
    kan_shuffle shuffle;
    kan_application app;
    kan_sink *sink;
    bool is_made;
};

/* The solution as far as a release needs it: what each column shows, and how many rows leave. */
static void take_solution(const kan_release_part_order *order, kan_solution *solution) {
    solution->setup = order->setup;
    solution->groups.n_suppressed = order->n_left_out;
    for (unsigned a = 0; a < order->setup->n_quasi; a++)
        solution->shown[a] =
            (kan_shown){.hierarchy = order->setup->hierarchies[a], .level = order->levels[a]};
}

/* Nothing is claimed of groups here: that is counted over all tables. Rows of a table without
 * quasi-identifiers are told apart by their key, which has to be what it was. */
static kan_status verify(kan_release_part *part, const kan_sink *sink) {
    kan_outcome outcome = {.claim = {.k = 1}};
    if (part->app.release.n_released == 0)
        return KAN_OK;
    if (part->app.n_quasi == 0 && part->app.n_others > 0) {
        part->app.quasi[part->app.n_quasi++] = part->app.others[--part->app.n_others];
        part->app.hierarchies[0] = NULL;
    }
    return kan_application_verify(&part->app, sink, NULL, &outcome);
}

static kan_status make(kan_release_part *part, const kan_release_part_order *order) {
    take_solution(order, &part->solution);
    part->app = (kan_application){.setup = order->setup,
                                  .solution = &part->solution,
                                  .shuffle = &part->shuffle,
                                  .has_order = true,
                                  .given_suppressed = order->is_left_out,
                                  .given_texts = order->texts};
    part->shuffle.is_wanted = order->is_shuffled;
    if (order->is_shuffled)
        KAN_TRY(kan_secret_draw(part->run, &part->shuffle.secret));
    part->is_made = true;
    return kan_application_make(&part->app);
}

kan_status kan_release_part_make(const kan_release_part_order *order, kan_release_part **out) {
    kan_release_part *part;
    KAN_TRY(kan_alloc_zero(order->setup->run, 1, sizeof *part, &part));
    part->run = order->setup->run;
    const kan_status status = make(part, order);
    if (status == KAN_OK)
        *out = part;
    else
        kan_release_part_destroy(part);
    return status;
}

static kan_sink_order order_of(const kan_release_part *part, const kan_sink_kind *kind,
                               const char *target) {
    const kan_setup *setup = part->app.setup;
    return (kan_sink_order){.kind = kind,
                            .release = &part->app.release,
                            .source = setup->input.source,
                            .target = target,
                            .given = &setup->job->options};
}

kan_status kan_release_part_write(const kan_release_part_order *order, kan_release_part **out) {
    kan_release_part *part;
    KAN_TRY(kan_release_part_make(order, &part));
    kan_sink_order to = order_of(part, order->kind, order->target);
    to.overwrite = order->overwrite;
    kan_status status = kan_sink_write(part->run, &to, &part->sink);
    if (status == KAN_OK && !order->texts)
        status = verify(part, part->sink);
    if (status == KAN_OK)
        *out = part;
    else
        kan_release_part_destroy(part);
    return status;
}

kan_status kan_release_book_write(const kan_release_book *book, kan_sink **out) {
    kan_run *run = book->parts[0]->run;
    kan_sink_order *orders;
    kan_sink *sink = NULL;
    kan_status status;
    KAN_TRY(kan_alloc(run, book->n, sizeof *orders, &orders));
    for (size_t i = 0; i < book->n; i++) {
        orders[i] = order_of(book->parts[i], book->kind, book->target);
        orders[i].overwrite = book->overwrite;
        orders[i].schema = book->schema;
    }
    KAN_TRY_DONE(kan_sink_write_several(run, orders, book->names, book->n, &sink));
    for (size_t i = 0; i < book->n; i++) {
        book->parts[i]->app.place = i;
        KAN_TRY_DONE(verify(book->parts[i], sink));
    }
    *out = sink;
    sink = NULL;
done:
    kan_sink_close(sink);
    kan_free(run, orders);
    return status;
}

kan_status kan_release_part_read(const kan_release_part *part, kan_table **out) {
    const kan_source_options options = kan_sink_options(part->sink);
    kan_source *source = NULL;
    bool *encode = NULL;
    kan_status status;
    KAN_TRY(kan_source_open(part->run, kan_sink_reader(part->sink), kan_sink_path(part->sink),
                            &options, &source));
    const size_t n = kan_source_n_columns(source);
    KAN_TRY_DONE(kan_alloc(part->run, n, sizeof *encode, &encode));
    for (size_t i = 0; i < n; i++)
        encode[i] = true;
    KAN_TRY_DONE(kan_source_read(source, encode, NULL, out));
done:
    kan_free(part->run, encode);
    kan_source_close(source);
    return status;
}

kan_status kan_release_part_commit(kan_release_part *part) {
    KAN_TRY(kan_sink_sync(part->sink));
    return kan_sink_commit(part->sink);
}

void kan_release_part_tell(const kan_release_part *part) {
    const char *column = NULL;
    char quoted[256];
    const uint64_t n = part->sink ? kan_sink_formulas(part->sink, &column) : 0;
    kan_setup_tell_others(part->app.setup);
    if (column)
        kan_note(part->run,
                 "%s: a spreadsheet would run %" PRIu64 " cell%s as formulas, the first in column "
                 "%s; open the file as text",
                 part->app.setup->input.name, n, n == 1 ? "" : "s",
                 kan_quote(kan_slice_of(column), quoted));
}

void kan_release_part_destroy(kan_release_part *part) {
    if (!part)
        return;
    kan_sink_close(part->sink);
    if (part->is_made)
        kan_application_destroy(&part->app);
    kan_free(part->run, part);
}
