/* `ledger-show`: what was released when, by which job, to how many people; and into which cells the
 * releases divide them together. Numbers of people alone, and names that their owner gave. */
#include <stdio.h>
#include <time.h>

#include "job/ledger/ledger.h"
#include "job/ledger/ledger_walks.h"

kan_status kan_ledger_open_named(const kan_job *job, kan_ledger_use use, kan_ledger **out) {
    return kan_ledger_open(job->run, kan_options_find(&job->options, "ledger"),
                           kan_options_find(&job->options, "key"), use, out);
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Cells of some people, and people of the smallest; 0 where there is none. */
typedef struct {
    uint32_t n;
    uint64_t least;
} cells;

/* Those of a release; SIZE_MAX: all. */
static cells count_cells(const kan_ledger_classes *classes, size_t release) {
    cells found = {0};
    for (size_t class = 1; class < classes->n; class ++) {
        if (release != SIZE_MAX && classes->groups[class * classes->n_releases + release] == 0)
            continue;
        if (found.n++ == 0 || classes->n_gone[class] < found.least)
            found.least = classes->n_gone[class];
    }
    return found;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static const char *moment_text(int64_t when, const char *format, char room[32]) {
    const time_t moment = (time_t)when;
    struct tm parts;
    if (!gmtime_r(&moment, &parts) || strftime(room, 32, format, &parts) == 0)
        snprintf(room, 32, "%lld", (long long)when);
    return room;
}

static json_t *text_or_null(const char *text) {
    return *text ? kan_json_text(text) : json_null();
}

static json_t *columns_json(const kan_ledger_release *release) {
    json_t *columns = json_array();
    for (uint32_t i = 0; i < release->n_shown; i++)
        columns = kan_json_append(columns, kan_json_text(release->shown[i].column));
    return columns;
}

static json_t *release_json(const kan_ledger_release *release, cells found) {
    char when[32];
    moment_text(release->when, "%Y-%m-%dT%H:%M:%SZ", when);
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o}", "number", kan_json_count(release->number),
        "name", kan_json_text(release->name), "place", text_or_null(release->place), "when", when,
        "pending", release->is_pending, "content", text_or_null(release->content), "job",
        text_or_null(release->job), "settings", text_or_null(release->settings));
    object = kan_json_set(object, "k", kan_json_count(release->k));
    object = kan_json_set(object, "rows", kan_json_count(release->n_rows));
    object = kan_json_set(object, "people", kan_json_count(release->n_people));
    object = kan_json_set(object, "groups", kan_json_count(release->n_groups));
    object = kan_json_set(object, "cells", kan_json_count(found.n));
    object = kan_json_set(object, "smallest_cell", kan_json_count(found.least));
    return kan_json_set(object, "columns", columns_json(release));
}

static json_t *ledger_json(const kan_ledger *ledger, const kan_ledger_classes *classes) {
    const cells found = count_cells(classes, SIZE_MAX);
    json_t *releases = json_array();
    for (size_t i = 0; i < kan_ledger_n_releases(ledger); i++)
        releases = kan_json_append(
            releases, release_json(kan_ledger_release_at(ledger, i), count_cells(classes, i)));
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kanon", KANON_VERSION, "command",
                     "ledger-show", "ledger", kan_json_text(kan_ledger_name(ledger)), "column",
                     text_or_null(kan_ledger_column(ledger)), "people",
                     kan_json_count(kan_ledger_n_people(ledger)), "cells", kan_json_count(found.n),
                     "smallest_cell", kan_json_count(found.least), "releases", releases);
}

/* ---- words ---------------------------------------------------------------------------------- */

enum { N_NUMBERS = 6, MOST_NAME = 60 };

static const char *title_of(unsigned number) {
    switch (number) {
    case 0:
        return "rows";
    case 1:
        return "people";
    case 2:
        return "groups";
    case 3:
        return "k";
    case 4:
        return "cells";
    default:
        return "smallest";
    }
}

static void numbers_of(const kan_ledger_release *release, cells found, uint64_t out[N_NUMBERS]) {
    const uint64_t numbers[N_NUMBERS] = {release->n_rows, release->n_people, release->n_groups,
                                         release->k,      found.n,           found.least};
    memcpy(out, numbers, sizeof numbers);
}

static void add_head(const kan_ledger *ledger, const kan_ledger_classes *classes, kan_text *text) {
    const cells found = count_cells(classes, SIZE_MAX);
    const size_t n = kan_ledger_n_releases(ledger);
    char people[32], count[32], least[32];
    kan_text_print(text, "%s\n\n", kan_ledger_name(ledger));
    kan_text_print(text, "  people      %s in %zu %s",
                   kan_count_text(kan_ledger_n_people(ledger), people), n,
                   kan_plural(n, "release", "releases"));
    if (n > 0)
        kan_text_print(text, ", named by the column %s\n  cells       %s, the smallest of %s %s",
                       kan_ledger_column(ledger), kan_count_text(found.n, count),
                       kan_count_text(found.least, least),
                       kan_plural(found.least, "person", "people"));
    kan_text_print(text, "\n");
}

static void add_table(const kan_ledger *ledger, const kan_ledger_classes *classes, kan_text *text) {
    const size_t n = kan_ledger_n_releases(ledger);
    unsigned width[N_NUMBERS];
    uint64_t numbers[N_NUMBERS];
    char room[32];
    for (unsigned j = 0; j < N_NUMBERS; j++)
        width[j] = (unsigned)strlen(title_of(j));
    for (size_t i = 0; i < n; i++) {
        numbers_of(kan_ledger_release_at(ledger, i), count_cells(classes, i), numbers);
        for (unsigned j = 0; j < N_NUMBERS; j++) {
            const unsigned size = (unsigned)strlen(kan_count_text(numbers[j], room));
            width[j] = size > width[j] ? size : width[j];
        }
    }
    kan_text_print(text, "\n  release  made (UTC)      ");
    for (unsigned j = 0; j < N_NUMBERS; j++)
        kan_text_print(text, "  %*s", (int)width[j], title_of(j));
    kan_text_print(text, "  name\n");
    for (size_t i = 0; i < n; i++) {
        const kan_ledger_release *release = kan_ledger_release_at(ledger, i);
        char when[32];
        numbers_of(release, count_cells(classes, i), numbers);
        kan_text_print(text, "  %7u  %s", (unsigned)release->number,
                       moment_text(release->when, "%Y-%m-%d %H:%M", when));
        for (unsigned j = 0; j < N_NUMBERS; j++)
            kan_text_print(text, "  %*s", (int)width[j], kan_count_text(numbers[j], room));
        kan_text_print(text, "  ");
        (void)kan_words_add_label(text, kan_slice_of(release->name), MOST_NAME);
        kan_text_print(text, "%s\n", release->is_pending ? " (pending)" : "");
    }
}

static void add_words(const kan_ledger *ledger, const kan_ledger_classes *classes, kan_text *text) {
    add_head(ledger, classes, text);
    if (kan_ledger_n_releases(ledger) == 0)
        return;
    add_table(ledger, classes, text);
    kan_text_print(text,
                   "\nA cell is all who were in the same releases and shared a group in each: "
                   "whoever has all\nreleases cannot tell them apart.\n");
}

/* ---- the walk ------------------------------------------------------------------------------- */

kan_status kan_walk_ledger_show(kan_job *job, kan_result *out) {
    kan_ledger *ledger = NULL;
    kan_ledger_classes classes = {0};
    kan_status status;
    KAN_TRY_DONE(kan_ledger_open_named(job, KAN_LEDGER_READ, &ledger));
    KAN_TRY_DONE(kan_ledger_find_classes(ledger, NULL, 0, &classes));
    KAN_TRY_DONE(kan_result_set_json(out, ledger_json(ledger, &classes)));
    add_words(ledger, &classes, &out->summary);
    KAN_TRY_DONE(kan_text_status(&out->summary));
    out->holds = true;
done:
    kan_ledger_classes_destroy(job->run, &classes);
    kan_ledger_close(ledger);
    return status;
}
