/* Several tables as a result: sentences, a line for each table, then each as by itself. */
#include <stdio.h>

#include "core/wording.h"
#include "job/profile/several.h"
#include "job/tell/tell.h"

enum { WIDTH = 79, NAME_COLUMNS = 20 };

/* ---- the summary ---------------------------------------------------------------------------- */

static void add_sentences(const kan_several *s, kan_text *text) {
    char line[2000];
    kan_text_print(text, "\nHow they belong together\n");
    for (const char *at = s->words.size ? s->words.bytes : ""; *at;) {
        const size_t size = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(size < sizeof line ? size : sizeof line - 1), at);
        kan_text_print(text, "  ");
        kan_text_add_wrapped(text, line, 2, 4, WIDTH);
        at += size + (at[size] == '\n');
    }
}

/* A name in a column of the table. */
static void add_cell(const char *name, kan_text *text) {
    const size_t used = kan_words_add_label(text, kan_slice_of(name), NAME_COLUMNS);
    kan_text_print(text, "%*s", (int)(NAME_COLUMNS + 1 - used), "");
}

static void add_row(const kan_several *s, size_t t, kan_text *text) {
    const kan_link *link = kan_several_link(s, t);
    char rows[32], dangling[32], childless[32];
    kan_text_print(text, "  ");
    add_cell(s->tables[t].name, text);
    kan_text_print(text, "%11s", kan_count_text(s->tables[t].walk.n_rows, rows));
    if (!link) {
        kan_text_print(text, "\n");
        return;
    }
    const kan_link_key *key = &s->links.keys[link->key];
    kan_text_print(text, "  ");
    add_cell(s->tables[key->table].name, text);
    kan_text_print(text, "%9s %11s\n", kan_count_text(kan_link_dangling(link), dangling),
                   kan_count_text(kan_link_childless(&s->links, link), childless));
}

static void add_table(const kan_several *s, kan_text *text) {
    if (s->tree.people == KAN_NO_LINK)
        return;
    kan_text_print(text, "\n  %-20s %11s  %-20s %9s %11s\n", "table", "rows", "of", "dangling",
                   "childless");
    for (size_t i = 0; i < s->tree.n_placed; i++)
        add_row(s, s->order[i], text);
    kan_text_print(text, "\n  dangling: rows that belong to none of that table; childless: rows of "
                         "that table\n  to which none belongs\n");
}

static void add_undecided(const kan_several *s, kan_text *text) {
    enum { MOST_NAMED = 8 };
    char room[500], words[900], name[200], quoted[256];
    kan_name_list list = kan_names_begin(room, sizeof room, MOST_NAMED);
    for (size_t i = 0; i < s->tree.n_placed && s->tree.people != KAN_NO_LINK; i++) {
        const kan_profile_walk *p = &s->tables[s->order[i]].walk;
        for (size_t c = 0; c < p->input.n_columns; c++) {
            if (p->columns[c].role != KAN_ROLE_OTHER || kan_several_ties(s, s->order[i], c))
                continue;
            snprintf(name, sizeof name, "%.60s of %.60s",
                     kan_quote(kan_slice_of(p->input.columns[c]), quoted),
                     s->tables[s->order[i]].name);
            kan_names_add(&list, name);
        }
    }
    if (list.n == 0)
        return;
    snprintf(words, sizeof words,
             "left out of the release until the job file gives each a role (qi, sensitive, keep or "
             "drop): %s",
             kan_names_end(&list));
    kan_text_print(text, "\nundecided:");
    kan_text_add_wrapped(text, words, 10, 2, WIDTH);
}

static void add_next(const kan_several *s, kan_text *text) {
    const char *job = kan_options_find(&s->job->options, "job-out");
    const char *input = kan_options_find(&s->job->options, "input");
    char path[KAN_NEXT_PATH];
    if (s->tree.people == KAN_NO_LINK || (job && strcmp(job, "-") == 0))
        return;
    kan_next_step next =
        kan_next_begin(text, job ? "\nnext: kanon anonymize" : "\nnext: kanon profile");
    if (job) {
        kan_next_flag(&next, "job", job);
        (void)kan_next_end(&next);
        return;
    }
    for (size_t t = 0; t < s->n; t++)
        kan_next_word(&next, kan_options_find(&s->tables[t].job->options, "input"));
    kan_next_reading(&next, &s->job->options);
    kan_next_flag(&next, "job-out", kan_next_free_path(input, "job.yaml", path));
    (void)kan_next_end(&next);
}

static kan_status summarize(const kan_several *s, kan_text *text) {
    char room[600];
    kan_name_list list = kan_names_begin(room, sizeof room, 8);
    for (size_t t = 0; t < s->n; t++)
        kan_names_add(&list, s->tables[t].walk.input.name);
    kan_text_print(text, "%zu tables: %s\n", s->n, kan_names_end(&list));
    kan_profile_add_internal(s->tables[0].walk.shows_values, text);
    add_sentences(s, text);
    add_table(s, text);
    for (size_t t = 0; t < s->n; t++) {
        kan_text_print(text, "\n");
        KAN_TRY(kan_profile_summarize(&s->tables[t].walk, text));
    }
    add_undecided(s, text);
    add_next(s, text);
    return kan_text_status(text);
}

/* ---- the result ----------------------------------------------------------------------------- */

static json_t *column_json(const kan_several *s, size_t table, size_t column) {
    return kan_json_text(kan_several_column(s, table, column));
}

static json_t *table_json(const kan_several *s, size_t t) {
    const kan_link *link = kan_several_link(s, t);
    const kan_link_key *key = kan_several_key(s, t);
    const bool has_place = s->tree.people != KAN_NO_LINK && kan_link_is_placed(&s->tree, t);
    return json_pack(
        "{s:o, s:b, s:o, s:o, s:o, s:o}", "name", kan_json_text(s->tables[t].name), "has_place",
        (int)has_place, "key", key ? column_json(s, t, key->column) : json_null(), "of",
        link ? kan_json_text(s->tables[s->links.keys[link->key].table].name) : json_null(), "by",
        link ? column_json(s, t, link->column) : json_null(), "profile",
        kan_profile_json(&s->tables[t].walk));
}

static json_t *tables_json(const kan_several *s) {
    json_t *list = json_array();
    for (size_t t = 0; t < s->n; t++)
        list = kan_json_append(list, table_json(s, t));
    return list;
}

static const char *kind_word(kan_link_kind kind) {
    return kind == KAN_LINK_CLEAR    ? "clear"
           : kind == KAN_LINK_VALUES ? "values"
           : kind == KAN_LINK_NEAR   ? "near"
                                     : "accident";
}

static const char *names_word(kan_link_names names) {
    return names == KAN_NAMES_ALIKE ? "alike" : names == KAN_NAMES_PART ? "in part" : "differ";
}

static const char *use_word(kan_link_use use) {
    switch (use) {
    case KAN_LINK_TAKEN:
        return "taken";
    case KAN_LINK_EQUAL:
        return "equal";
    case KAN_LINK_ABOVE:
        return "above";
    case KAN_LINK_CIRCLE:
        return "circle";
    case KAN_LINK_OTHER_KEY:
        return "other key";
    case KAN_LINK_UNUSED:
        break;
    }
    return "none";
}

static json_t *link_json(const kan_several *s, const kan_link *link) {
    const kan_link_key *key = &s->links.keys[link->key];
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "table",
        kan_json_text(s->tables[link->child].name), "column",
        column_json(s, link->child, link->column), "of", kan_json_text(s->tables[key->table].name),
        "key", column_json(s, key->table, key->column), "names", names_word(link->names), "kind",
        kind_word(link->kind), "use", use_word(link->use), "rows", kan_json_count(link->n_rows),
        "matching_rows", kan_json_count(link->n_rows_matching), "dangling_rows",
        kan_json_count(kan_link_dangling(link)), "missing", kan_json_count(link->n_missing),
        "values", kan_json_count(link->n_values), "matching_values",
        kan_json_count(link->n_values_matching), "childless",
        kan_json_count(kan_link_childless(&s->links, link)), "key_faults",
        kan_json_count(key->n_missing + key->n_repeated));
}

/* Without accidents, of which there may be very many. */
static json_t *links_json(const kan_several *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->links.n; i++)
        if (s->links.list[i].kind != KAN_LINK_ACCIDENT)
            list = kan_json_append(list, link_json(s, &s->links.list[i]));
    return list;
}

static json_t *words_json(const kan_several *s) {
    json_t *list = json_array();
    for (const char *at = s->words.size ? s->words.bytes : ""; *at;) {
        const size_t size = strcspn(at, "\n");
        list = kan_json_append(list, kan_json_slice((kan_slice){at, size}));
        at += size + (at[size] == '\n');
    }
    return list;
}

static json_t *name_json(const kan_several *s, size_t table) {
    return table == KAN_NO_LINK ? json_null() : kan_json_text(s->tables[table].name);
}

kan_status kan_several_tell(kan_several *s, kan_result *out) {
    const char *job = kan_options_find(&s->job->options, "job-out");
    out->holds = true;
    KAN_TRY(summarize(s, &out->summary));
    return kan_result_set_json(
        out,
        json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o}", "kanon",
                  KANON_VERSION, "command", "profile", "internal", 1, "shows_values",
                  (int)s->tables[0].walk.shows_values, "people", name_json(s, s->tree.people),
                  "other_people", name_json(s, s->tree.other_people), "words", words_json(s),
                  "links", links_json(s), "tables", tables_json(s), "job",
                  job ? kan_json_text(job) : json_null(), "time_ms", "links",
                  kan_json_time(s->links_ms), "total", kan_json_time(kan_now_ms() - s->start_ms),
                  "peak_memory_bytes", kan_json_count(kan_run_peak_memory(s->run))));
}
