/* `verify --epsilon`: what can be counted of such a release from outside.
 *
 * That every group is large enough is necessary for the promise, and not sufficient: that rows were
 * drawn, by numbers that nobody knows, and that levels were chosen without the table, no release shows. So
 * a release is refuted, or left unchecked; it is never verified. */
#include <inttypes.h>

#include "analyze/draws/draws.h"
#include "io/csv/csv.h"
#include "job/epsilon/epsilon_inside.h"

static const char unseen[] = "that rows were drawn at random, and that levels and hierarchies were "
                             "chosen without the table, "
                             "cannot be seen from a release";

/* Columns that must not be there, where somebody says which may. */
static kan_status check_columns(kan_job *job, kan_input *release, kan_text *faults) {
    const unsigned shown = KAN_ROLE_SET(KAN_ROLE_QUASI) | KAN_ROLE_SET(KAN_ROLE_SENSITIVE) |
                           KAN_ROLE_SET(KAN_ROLE_KEEP);
    const kan_role_table table = {.input = release, .needs = shown, .reads = shown};
    const char *others = kan_options_find(&job->options, "others");
    const bool keeps_others = others && strcmp(others, "keep") == 0;
    bool is_decided = others != NULL;
    char quoted[256];
    kan_roles roles;
    kan_problems_begin(job->run);
    KAN_TRY(kan_roles_read(job, "verify", &table, 1, &roles));
    KAN_TRY(kan_problems_end(job->run));
    for (int role = 0; role < KAN_ROLES; role++)
        is_decided = is_decided || roles.named[role].n > 0;
    for (size_t i = 0; i < release->n_columns && is_decided; i++) {
        const kan_role role = roles.of[0][i];
        if ((KAN_ROLE_SET(role) & shown) || (role == KAN_ROLE_OTHER && keeps_others))
            continue;
        kan_text_print(faults, "column %s is in the release, and %s\n",
                       kan_quote(kan_slice_of(release->columns[i]), quoted),
                       role == KAN_ROLE_OTHER ? "nobody decided to release it"
                                              : "was to be left out");
    }
    return kan_text_status(faults);
}

static json_t *lines_json(const kan_text *text) {
    json_t *list = json_array();
    for (const char *at = text->size > 0 ? text->bytes : ""; *at;) {
        const size_t size = strcspn(at, "\n");
        list = kan_json_append(list, kan_json_slice((kan_slice){at, size}));
        at += size + (at[size] == '\n');
    }
    return list;
}

static kan_status tell(const kan_draws *draws, const char *name, const kan_draws_recount *found,
                       const kan_text *faults, kan_result *out) {
    kan_text *text = &out->summary;
    char rows[32], groups[32], smallest[32];
    const bool is_refuted = faults->size > 0;
    out->holds = false;
    if (!is_refuted)
        kan_text_print(&out->unchecked, "%s", unseen);
    kan_text_print(text, "%s: %s\n\n", name, is_refuted ? "NOT what was promised" : "NOT VERIFIED");
    kan_epsilon_add_promise(draws, text);
    kan_text_print(text,
                   "  %-12sat least %" PRIu64 " rows that show the same in every column: %s\n",
                   "groups", draws->k, found->n_small > 0 ? "does not hold" : "holds");
    kan_text_print(text, "  %-12s%s %s in %s %s", "counted", kan_count_text(found->n_rows, rows),
                   kan_plural(found->n_rows, "row", "rows"),
                   kan_count_text(found->n_groups, groups),
                   kan_plural(found->n_groups, "group", "groups"));
    if (found->n_groups > 0)
        kan_text_print(text, ", the smallest of %s", kan_count_text(found->smallest, smallest));
    kan_text_print(text, "\n\n%s%s%s", is_refuted ? faults->bytes : "", is_refuted ? "" : unseen,
                   is_refuted ? "" : "\n");
    KAN_TRY(kan_text_status(text));
    KAN_TRY(kan_text_status(&out->unchecked));
    return kan_result_set_json(
        out, json_pack("{s:s,s:s,s:o,s:o,s:{s:o,s:o,s:o},s:s,s:o,s:o}", "kanon", KANON_VERSION,
                       "command", "verify", "release", kan_json_text(name), "promise",
                       kan_epsilon_promise_json(draws), "released", "rows",
                       kan_json_count(found->n_rows), "groups", kan_json_count(found->n_groups),
                       "smallest_group", kan_json_count(found->smallest), "status",
                       kan_result_status_name(out), "faults", lines_json(faults), "unchecked",
                       is_refuted ? json_null() : json_string(unseen)));
}

static kan_status verify(kan_job *job, kan_input *release, kan_text *faults, kan_result *out) {
    const kan_options *options = &job->options;
    const kan_draws draws = kan_draws_make(kan_options_real(options, "epsilon", 1),
                                           kan_options_real(options, "delta", 1e-6));
    kan_draws_recount found;
    char small[32];
    KAN_TRY(kan_input_open_release(job, "input", false, release));
    kan_csv_take_empty(release->source->state); /* only text was let through */
    KAN_TRY(check_columns(job, release, faults));
    for (size_t i = 0; i < release->n_columns; i++)
        release->encode[i] = true;
    KAN_TRY(kan_input_read(release));
    KAN_TRY(kan_draws_count(job->run, release->table, draws.k, &found));
    if (found.n_small > 0)
        kan_text_print(faults,
                       "%s %s fewer than %" PRIu64 " rows, which epsilon and delta ask for\n",
                       kan_count_text(found.n_small, small),
                       kan_plural(found.n_small, "group has", "groups have"), draws.k);
    if (found.unordered < found.n_rows)
        kan_text_print(faults,
                       "row %" PRIu64 " stands behind one with a later key: rows are not in the "
                       "order of what they show, and their order may tell of the table\n",
                       found.unordered + 1);
    KAN_TRY(kan_text_status(faults));
    return tell(&draws, release->name, &found, faults, out);
}

kan_status kan_epsilon_verify(kan_job *job, kan_result *out) {
    kan_input release = {.run = job->run};
    kan_text faults;
    kan_text_init(&faults, job->run);
    const kan_status status = verify(job, &release, &faults, out);
    kan_text_destroy(&faults);
    kan_input_close(&release);
    return status;
}
