/* `ledger-check`: whether a ledger is whole and of this key, and whether every release in it has its
 * name. Opening it finds all of this; a release that stands under its name is settled. */
#include <unistd.h>

#include "job/ledger/ledger.h"
#include "job/ledger/ledger_walks.h"

static json_t *result_json(const kan_ledger *ledger) {
    json_t *pending = json_array();
    for (size_t i = 0; i < kan_ledger_n_releases(ledger); i++)
        if (kan_ledger_release_at(ledger, i)->is_pending)
            pending =
                kan_json_append(pending, kan_json_count(kan_ledger_release_at(ledger, i)->number));
    return json_pack("{s:s, s:s, s:o, s:b, s:o, s:o, s:o}", "kanon", KANON_VERSION, "command",
                     "ledger-check", "ledger", kan_json_text(kan_ledger_name(ledger)), "whole", 1,
                     "people", kan_json_count(kan_ledger_n_people(ledger)), "releases",
                     kan_json_count(kan_ledger_n_releases(ledger)), "pending", pending);
}

static size_t count_pending(const kan_ledger *ledger) {
    size_t n = 0;
    for (size_t i = 0; i < kan_ledger_n_releases(ledger); i++)
        n += kan_ledger_release_at(ledger, i)->is_pending;
    return n;
}

static void add_pending(const kan_ledger *ledger, const kan_ledger_release *release,
                        kan_text *text) {
    kan_text_print(text,
                   "\nRelease %u (%s) was about to get its name, and is not there. It counts as if "
                   "somebody\nhad it. If nobody ever did: kanon ledger forget %s --which %u --key "
                   "FILE\n",
                   (unsigned)release->number, release->name, kan_ledger_name(ledger),
                   (unsigned)release->number);
}

static void add_words(const kan_ledger *ledger, kan_text *text) {
    const size_t n = kan_ledger_n_releases(ledger), n_pending = count_pending(ledger);
    char people[32];
    kan_text_print(text, "%s: the ledger is whole, and was made with this key\n",
                   kan_ledger_name(ledger));
    kan_text_print(text, "  people      %s\n", kan_count_text(kan_ledger_n_people(ledger), people));
    kan_text_print(text, "  releases    %zu", n);
    if (n_pending > 0)
        kan_text_print(text, ", %zu of them pending", n_pending);
    kan_text_print(text, "\n");
    for (size_t i = 0; i < n; i++)
        if (kan_ledger_release_at(ledger, i)->is_pending)
            add_pending(ledger, kan_ledger_release_at(ledger, i), text);
}

kan_status kan_walk_ledger_check(kan_job *job, kan_result *out) {
    const char *path = kan_options_find(&job->options, "ledger");
    /* a copy on a medium that cannot be written is checked all the same */
    const kan_ledger_use use = access(path, W_OK) == 0 ? KAN_LEDGER_CHANGE : KAN_LEDGER_READ;
    kan_ledger *ledger;
    KAN_TRY(kan_ledger_open_named(job, use, &ledger));
    kan_status status = kan_result_set_json(out, result_json(ledger));
    add_words(ledger, &out->summary);
    if (status == KAN_OK)
        status = kan_text_status(&out->summary);
    out->holds = true;
    kan_ledger_close(ledger);
    return status;
}
