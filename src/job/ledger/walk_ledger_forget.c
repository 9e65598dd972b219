/* `ledger-forget`: takes a release out of a ledger that nobody was ever given. It is named exactly,
 * by its number or its name, and all others stay as they are. */
#include "job/ledger/ledger.h"
#include "job/ledger/ledger_walks.h"

static void list_releases(const kan_ledger *ledger, kan_text *text) {
    enum { SHOWN = 10 };
    const size_t n = kan_ledger_n_releases(ledger), from = n > SHOWN ? n - SHOWN : 0;
    kan_text_print(text, from > 0 ? "the last of them are " : "there are ");
    for (size_t i = from; i < n; i++)
        kan_text_print(text, "%s%u (%s)", i > from ? ", " : "",
                       (unsigned)kan_ledger_release_at(ledger, i)->number,
                       kan_ledger_release_at(ledger, i)->name);
}

static kan_status fail_unknown(kan_run *run, const kan_ledger *ledger, const char *named) {
    kan_text list;
    kan_text_init(&list, run);
    if (kan_ledger_n_releases(ledger) > 0)
        list_releases(ledger, &list);
    kan_status status = kan_text_status(&list);
    if (status == KAN_OK)
        status = kan_fail(run, KAN_BAD_INPUT, "%s has no release %s; %s", kan_ledger_name(ledger),
                          named, list.bytes ? list.bytes : "it has none at all");
    kan_text_destroy(&list);
    return status;
}

/* By number; a name where it is none. */
static kan_status find_release(kan_run *run, const kan_ledger *ledger, const char *named,
                               size_t *out) {
    size_t found = SIZE_MAX;
    uint64_t number;
    const bool is_number = kan_parse_count(named, &number);
    for (size_t i = 0; i < kan_ledger_n_releases(ledger); i++) {
        const kan_ledger_release *release = kan_ledger_release_at(ledger, i);
        if (is_number ? release->number != number : strcmp(release->name, named) != 0)
            continue;
        if (found != SIZE_MAX)
            return kan_fail(run, KAN_BAD_INPUT,
                            "%s: several releases were named %s; give the number of the one to "
                            "forget, which kanon ledger show tells",
                            kan_ledger_name(ledger), named);
        found = i;
    }
    if (found == SIZE_MAX)
        return fail_unknown(run, ledger, named);
    *out = found;
    return KAN_OK;
}

static json_t *result_json(const kan_ledger *ledger, const kan_ledger_release *release) {
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "kanon", KANON_VERSION, "command",
                     "ledger-forget", "ledger", kan_json_text(kan_ledger_name(ledger)), "forgotten",
                     kan_json_count(release->number), "name", kan_json_text(release->name),
                     "releases", kan_json_count(kan_ledger_n_releases(ledger) - 1));
}

static void add_words(const kan_ledger *ledger, const kan_ledger_release *release, kan_text *text) {
    const size_t n = kan_ledger_n_releases(ledger) - 1;
    kan_text_print(text, "%s: release %u (%s) is forgotten; %zu %s left\n", kan_ledger_name(ledger),
                   (unsigned)release->number, release->name, n,
                   kan_plural(n, "release is", "releases are"));
    if (!release->is_pending)
        kan_text_print(text,
                       "  It had its name once. Whoever has it can put it together with later "
                       "releases,\n  and no promise covers that.\n");
}

static kan_status forget(kan_job *job, kan_ledger *ledger, kan_result *out) {
    size_t index = 0;
    KAN_TRY(find_release(job->run, ledger, kan_options_find(&job->options, "which"), &index));
    const kan_ledger_release *release = kan_ledger_release_at(ledger, index);
    KAN_TRY(kan_result_set_json(out, result_json(ledger, release)));
    add_words(ledger, release, &out->summary);
    KAN_TRY(kan_text_status(&out->summary));
    return kan_ledger_forget(ledger, index); /* last of all: what is told has been done */
}

kan_status kan_walk_ledger_forget(kan_job *job, kan_result *out) {
    kan_ledger *ledger;
    KAN_TRY(kan_ledger_open_named(job, KAN_LEDGER_CHANGE, &ledger));
    const kan_status status = forget(job, ledger, out);
    out->holds = status == KAN_OK;
    kan_ledger_close(ledger);
    return status;
}
