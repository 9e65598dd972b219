/* The trials of a comparison: which there are, how each is asked for, and how it is known again.
 *
 * A trial's key is a hash of all settings that decide what it finds, in an order of their own, of
 * the bytes of the files that these name, and of our version: a saved trial is taken only where a
 * search would find the same. */
#include <stdio.h>
#include <sys/stat.h>

#include "job/compare/compare_inside.h"
#include "job/settings/settings.h"

enum { MOST_CELLS = 1000 };

/* ---- lists ----------------------------------------------------------------------------------- */

static kan_status take_list(const kan_compare *compare, const char *list, const char *single,
                            const char *const *fallback, size_t n_fallback, kan_compare_list *out) {
    const kan_options *options = &compare->job->options;
    const char *one = single ? kan_options_find(options, single) : NULL;
    const size_t n_listed = kan_options_count_of(options, list);
    const size_t n = n_listed ? n_listed : one ? 1 : n_fallback;
    const char **values;
    KAN_TRY(kan_arena_alloc(&compare->job->arena, n ? n : 1, sizeof *values, &values));
    for (size_t i = 0; i < n; i++)
        values[i] = n_listed ? kan_options_at(options, list, i) : one ? one : fallback[i];
    *out = (kan_compare_list){n, values};
    return KAN_OK;
}

/* `all` are those that some search makes. */
static kan_status take_recodings(kan_compare *compare) {
    const size_t n_models = kan_registry_count(KAN_FAMILY_RECODING);
    bool wants_all = false;
    const char **names;
    KAN_TRY(take_list(compare, "recodings", NULL, NULL, 0, &compare->recodings));
    for (size_t i = 0; i < compare->recodings.n; i++)
        wants_all = wants_all || strcmp(compare->recodings.values[i], "all") == 0;
    if (!wants_all)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&compare->job->arena, n_models, sizeof *names, &names));
    compare->recodings = (kan_compare_list){0, names};
    for (size_t i = 0; i < n_models; i++) {
        const kan_kind *model = kan_registry_at(KAN_FAMILY_RECODING, i);
        bool is_made = false;
        for (size_t j = 0; j < kan_registry_count(KAN_FAMILY_SEARCH); j++)
            is_made = is_made || kan_search_makes(
                                     (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, j),
                                     (const kan_recoding_kind *)model);
        if (is_made)
            names[compare->recodings.n++] = model->name;
    }
    return KAN_OK;
}

/* Over several tables each promise has a k, and there is one search. */
static kan_status take_lists_of_tables(kan_compare *compare, const char *const *ks,
                                       const char *const *limits) {
    static const char *const algorithms[] = {"levels"}, *const costs[] = {"ncp"};
    KAN_TRY(take_list(compare, "ks", "k", ks, 4, &compare->ks));
    KAN_TRY(take_list(compare, "suppressions", "suppress", limits, 1, &compare->suppressions));
    KAN_TRY(take_list(compare, "costs", "cost", costs, 1, &compare->costs));
    compare->names_costs = true;
    compare->algorithms = (kan_compare_list){1, (const char **)algorithms};
    return KAN_OK;
}

static kan_status take_lists(kan_compare *compare) {
    static const char *const ks[] = {"2", "5", "10", "50"},
                             *const algorithms[] = {"auto", "mondrian"},
                             *const costs[] = {"discernibility"}, *const of_cells[] = {"precision"},
                             *const of_models[] = {"ncp"}, *const limits[] = {"0"};
    /* what a release is made for where nothing is said */
    const bool has_matches = kan_options_switch(&compare->job->options, "missing-matches");
    if (compare->job->parts)
        return take_lists_of_tables(compare, ks, limits);
    const bool has_promise = kan_registry_wants_any(KAN_FAMILY_PRIVACY, &compare->job->options);
    KAN_TRY(take_list(compare, "ks", "k", ks, has_promise ? 0 : 4, &compare->ks));
    KAN_TRY(take_list(compare, "suppressions", "suppress", limits, 1, &compare->suppressions));
    const bool has_purpose = kan_options_find(&compare->job->options, "for") != NULL;
    KAN_TRY(take_list(compare, "costs", "cost",
                      has_matches   ? of_cells
                      : has_purpose ? of_models
                                    : costs,
                      1, &compare->costs));
    compare->names_costs = kan_options_find(&compare->job->options, "costs") ||
                           kan_options_find(&compare->job->options, "cost");
    KAN_TRY(take_recodings(compare));
    /* a model is made by its own search, where none is named */
    const bool has_model =
        compare->recodings.n > 0 || kan_options_find(&compare->job->options, "recoding");
    return take_list(compare, "algorithms", "algorithm", algorithms, has_model ? 1 : 2,
                     &compare->algorithms);
}

/* ---- the settings of a trial ----------------------------------------------------------------- */

/* What `compare` does not know itself is meant for the releases, which `anonymize` makes. */
static bool has_trait(const char *name, unsigned traits) {
    const char *command = kan_setting_entry_for(name, "compare") ? "compare" : "anonymize";
    return kan_setting_traits(name, command) & traits;
}

/* What says how trials are compared and shown, or is another thing in each of them. */
static bool is_of_comparison(const char *name) {
    return has_trait(name, KAN_TRAIT_COMPARED | KAN_TRAIT_OUTPUT | KAN_TRAIT_DISPLAY);
}

/* What decides how fast a trial is found, not what; and the table, which is named by itself. */
static bool is_of_machine(const char *name) {
    return has_trait(name, KAN_TRAIT_MACHINE) || strcmp(name, "input") == 0;
}

kan_status kan_compare_trial_job(const kan_compare *compare, const kan_compare_trial *trial,
                                 kan_job **out) {
    const kan_options *options = &compare->job->options;
    kan_status status = KAN_OK;
    kan_job *job;
    KAN_TRY(kan_job_create(compare->run, &job));
    for (size_t i = 0; i < options->n && status == KAN_OK; i++) {
        const char *name = options->values[i].name;
        const bool is_replaced = trial->recoding && strcmp(name, "recoding") == 0;
        if (!is_of_comparison(name) && !is_replaced)
            status = kan_options_add(&job->options, name, options->values[i].value);
    }
    if (status == KAN_OK && trial->k)
        status = kan_options_add(&job->options, "k", trial->k);
    if (status == KAN_OK)
        status = kan_options_add(&job->options, "suppress", trial->suppress);
    if (status == KAN_OK && !compare->job->parts)
        status = kan_options_add(&job->options, "algorithm", trial->algorithm);
    if (status == KAN_OK && trial->recoding)
        status = kan_options_add(&job->options, "recoding", trial->recoding);
    if (status == KAN_OK && compare->names_costs)
        status = kan_options_add(&job->options, "cost", trial->cost);
    if (status != KAN_OK) {
        kan_job_destroy(job);
        return status;
    }
    job->tolerates_unused = true;
    *out = job;
    return KAN_OK;
}

/* ---- commands -------------------------------------------------------------------------------- */

static kan_status keep_text(const kan_compare *compare, kan_text *text, const char **out) {
    kan_status status = kan_text_status(text);
    if (status == KAN_OK)
        status = kan_arena_copy(&compare->job->arena, text->bytes, text->size, out);
    kan_text_destroy(text);
    return status;
}

/* "mondrian-k5.csv", with what else tells it from the other trials. */
static kan_status name_release(const kan_compare *compare, kan_compare_trial *trial) {
    kan_text text;
    kan_text_init(&text, compare->run);
    if (compare->job->parts)
        kan_text_print(&text, "release");
    else if (trial->recoding && compare->algorithms.n > 1)
        kan_text_print(&text, "%s-%s", trial->recoding, trial->algorithm);
    else
        kan_text_print(&text, "%s", trial->recoding ? trial->recoding : trial->algorithm);
    if (trial->k)
        kan_text_print(&text, "-k%s", trial->k);
    if (compare->suppressions.n > 1) {
        const size_t size = strlen(trial->suppress);
        const bool is_share = trial->suppress[size - 1] == '%';
        kan_text_print(&text, "-suppress-%.*s%s", (int)(size - is_share), trial->suppress,
                       is_share ? "pct" : "");
    }
    if (compare->costs.n > 1)
        kan_text_print(&text, "-%s", trial->cost);
    kan_text_print(&text, compare->job->parts ? "/" : ".csv");
    return keep_text(compare, &text, &trial->release);
}

/* Whether both belong in one comma list. What is longer than a name stands by itself. */
static bool joins(const struct kan_option_value *before, const struct kan_option_value *now,
                  const kan_setting *setting) {
    return before && kan_setting_takes_lists(setting) && strcmp(before->name, now->name) == 0 &&
           !strpbrk(before->value, "=, ") && !strpbrk(now->value, "=, ");
}

static kan_status add_options(kan_text *text, const kan_options *options, kan_arena *arena,
                              bool (*is_left_out)(const char *name)) {
    for (size_t i = 0; i < options->n; i++) {
        const struct kan_option_value *now = &options->values[i];
        const kan_setting *setting = kan_setting_find(now->name);
        if (!setting || is_left_out(now->name) ||
            (strcmp(now->name, "suppress") == 0 && strcmp(now->value, "0") == 0))
            continue;
        if (!setting->argument) {
            if (strcmp(now->value, "true") == 0)
                kan_text_print(text, " --%s", now->name);
            continue;
        }
        kan_text list;
        const char *word;
        kan_text_init(&list, text->run);
        kan_text_print(&list, "%s", kan_setting_shown(now->name, now->value));
        for (; i + 1 < options->n && joins(&options->values[i], &options->values[i + 1], setting);
             i++)
            kan_text_print(&list, ",%s",
                           kan_setting_shown(now->name, options->values[i + 1].value));
        kan_status status = kan_text_status(&list);
        if (status == KAN_OK)
            status = kan_arena_copy(arena, list.bytes, list.size, &word);
        kan_text_destroy(&list);
        KAN_TRY(status);
        kan_text_print(text, " --%s ", now->name);
        kan_words_add_shell(text, word);
    }
    return KAN_OK;
}

/* What is shown and where it goes. */
static bool is_of_output(const char *name) {
    return has_trait(name, KAN_TRAIT_OUTPUT | KAN_TRAIT_DISPLAY) || is_of_machine(name);
}

/* What a job file over several tables says stays there: flags alone. */
static kan_status list_flags(const kan_compare *compare, kan_options *out) {
    const kan_options *options = &compare->job->options;
    for (size_t i = 0; i < options->n; i++)
        if (!options->values[i].is_from_file)
            KAN_TRY(kan_options_add(out, options->values[i].name, options->values[i].value));
    return KAN_OK;
}

kan_status kan_compare_add_settings(const kan_compare *compare, kan_text *text) {
    kan_options flags;
    if (!compare->job->parts)
        return add_options(text, &compare->job->options, &compare->job->arena, is_of_output);
    kan_options_init(&flags, &compare->job->arena);
    kan_status status = list_flags(compare, &flags);
    if (status == KAN_OK)
        status = add_options(text, &flags, &compare->job->arena, is_of_output);
    kan_options_destroy(&flags);
    return status;
}

const char *kan_compare_path(const kan_compare *compare) {
    const kan_job *job = compare->job;
    return job->parts   ? job->origins->path
           : job->table ? NULL
                        : kan_options_find(&job->options, "input");
}

/* The settings of a trial as flags beside the job file. */
static kan_status list_trial_flags(const kan_compare *compare, const kan_compare_trial *trial,
                                   kan_options *out) {
    kan_options flags;
    kan_options_init(&flags, &compare->job->arena);
    kan_status status = list_flags(compare, &flags);
    for (size_t i = 0; i < flags.n && status == KAN_OK; i++)
        if (!is_of_comparison(flags.values[i].name))
            status = kan_options_add(out, flags.values[i].name, flags.values[i].value);
    kan_options_destroy(&flags);
    KAN_TRY(status);
    KAN_TRY(kan_options_add(out, "k", trial->k));
    KAN_TRY(kan_options_add(out, "suppress", trial->suppress));
    return kan_options_add(out, "cost", trial->cost);
}

/* A limit of none is said, too: the job file may have another. */
static kan_status write_tables_command(const kan_compare *compare, kan_compare_trial *trial) {
    kan_options flags;
    kan_text text;
    kan_options_init(&flags, &compare->job->arena);
    kan_text_init(&text, compare->run);
    kan_text_print(&text, "kanon anonymize --job ");
    kan_words_add_shell(&text, kan_compare_path(compare));
    kan_text_print(&text, " -o ");
    kan_words_add_shell(&text, trial->release);
    kan_status status = list_trial_flags(compare, trial, &flags);
    if (status == KAN_OK)
        status = add_options(&text, &flags, &compare->job->arena, is_of_machine);
    if (status == KAN_OK && strcmp(trial->suppress, "0") == 0)
        kan_text_print(&text, " --suppress 0");
    kan_options_destroy(&flags);
    if (status == KAN_OK)
        return keep_text(compare, &text, &trial->command);
    kan_text_destroy(&text);
    return status;
}

static kan_status write_command(const kan_compare *compare, kan_compare_trial *trial) {
    const char *input = kan_compare_path(compare);
    kan_job *job;
    kan_text text;
    KAN_TRY(kan_compare_trial_job(compare, trial, &job));
    kan_compare_drop_unused(trial, &job->options);
    kan_text_init(&text, compare->run);
    kan_text_print(&text, "kanon anonymize ");
    kan_words_add_shell(&text, input ? input : "TABLE.csv");
    kan_text_print(&text, " -o ");
    kan_words_add_shell(&text, trial->release);
    kan_status status = add_options(&text, &job->options, &job->arena, is_of_machine);
    kan_job_destroy(job);
    if (status == KAN_OK)
        return keep_text(compare, &text, &trial->command);
    kan_text_destroy(&text);
    return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* The i-th combination: algorithms change fastest, so that what a reader compares stands together.
 */
static void choose(const kan_compare *compare, size_t i, kan_compare_trial *trial) {
    const kan_compare_list *lists[] = {&compare->algorithms, &compare->recodings, &compare->costs,
                                       &compare->suppressions, &compare->ks};
    const char *chosen[5];
    for (size_t l = 0; l < 5; l++) {
        chosen[l] = lists[l]->n ? lists[l]->values[i % lists[l]->n] : NULL;
        i /= lists[l]->n ? lists[l]->n : 1;
    }
    *trial = (kan_compare_trial){.algorithm = chosen[0],
                                 .recoding = chosen[1],
                                 .cost = chosen[2],
                                 .suppress = chosen[3],
                                 .k = chosen[4]};
}

kan_status kan_compare_plan(kan_compare *compare) {
    kan_compare_trial *trials;
    char count[32], most[32];
    KAN_TRY(take_lists(compare));
    const double n = (double)(compare->ks.n ? compare->ks.n : 1) * (double)compare->costs.n *
                     (double)compare->suppressions.n * (double)compare->algorithms.n *
                     (double)(compare->recodings.n ? compare->recodings.n : 1);
    if (n > MOST_CELLS)
        return kan_fail(compare->run, KAN_BAD_INPUT,
                        "these settings ask for %s searches, and a comparison has at most %s; "
                        "shorten the lists",
                        kan_count_text((uint64_t)n, count), kan_count_text(MOST_CELLS, most));
    KAN_TRY(kan_arena_alloc(&compare->job->arena, (size_t)n, sizeof *trials, &trials));
    for (size_t i = 0; i < (size_t)n; i++) {
        choose(compare, i, &trials[i]);
        KAN_TRY(name_release(compare, &trials[i]));
        KAN_TRY(compare->job->parts ? write_tables_command(compare, &trials[i])
                                    : write_command(compare, &trials[i]));
    }
    compare->trials = trials;
    compare->n_trials = (size_t)n;
    return kan_compare_check_unused(compare);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void add_hashed(kan_hash *hash, const char *text) {
    kan_hash_add(hash, text, strlen(text) + 1);
}

/* The bytes of a plain file; a pipe has none that could be read again. */
static kan_status add_file(kan_hash *hash, kan_run *run, const char *path) {
    struct stat info;
    char text[KAN_HASH_TEXT];
    uint64_t n_bytes;
    if (!path || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return KAN_OK;
    KAN_TRY(kan_hash_file(run, path, text, &n_bytes));
    add_hashed(hash, text);
    return KAN_OK;
}

static kan_status add_files(kan_hash *hash, const kan_setup *setup, const kan_options *options) {
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const kan_hierarchy *h = setup->hierarchies[a];
        if (h && h->origin && !kan_hierarchy_is_spec(h->origin))
            KAN_TRY(add_file(hash, setup->run, h->origin));
    }
    for (size_t i = 0; i < options->n; i++) {
        const struct kan_option_value *option = &options->values[i];
        const kan_setting_entry *entry = kan_setting_entry_find(option->name);
        const char *path = option->value;
        kan_slice column;
        if (!entry || is_of_comparison(option->name) || is_of_machine(option->name) ||
            kan_setting_is_secret(&entry->setting)) /* nothing that is kept follows from a secret */
            continue;
        if (entry->form == KAN_FORM_PATH ||
            (entry->form == KAN_FORM_ORDER && kan_order_parse(option->value, &column, &path)))
            KAN_TRY(add_file(hash, setup->run, path));
    }
    return KAN_OK;
}

/* Options by name; those of one name as they were given, because a list has an order. Of a secret
 * nothing. */
static void add_sorted(kan_hash *hash, const kan_options *options) {
    const char *last = "";
    for (;;) {
        const char *next = NULL;
        for (size_t i = 0; i < options->n; i++) {
            const char *name = options->values[i].name;
            if (strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0))
                next = name;
        }
        if (!next)
            return;
        for (size_t i = 0; i < options->n; i++)
            if (strcmp(options->values[i].name, next) == 0 && !is_of_machine(next) &&
                !has_trait(next, KAN_TRAIT_SECRET)) {
                add_hashed(hash, next);
                add_hashed(hash, options->values[i].value);
            }
        last = next;
    }
}

/* What is measured, too. */
static kan_status add_measures(kan_hash *hash, const kan_compare *compare) {
    kan_options measures;
    kan_options_init(&measures, &compare->job->arena);
    const kan_status status = kan_compare_add_measures(compare, &measures);
    for (size_t i = 0; i < measures.n && status == KAN_OK; i++) {
        add_hashed(hash, measures.values[i].name);
        add_hashed(hash, measures.values[i].value);
    }
    kan_options_destroy(&measures);
    return status;
}

kan_status kan_compare_make_keys(kan_compare *compare, const kan_setup *setup) {
    kan_hash common;
    kan_hash_begin(&common);
    add_hashed(&common, KANON_VERSION);
    KAN_TRY(add_files(&common, setup, &compare->job->options));
    KAN_TRY(add_measures(&common, compare));
    for (size_t i = 0; i < compare->n_trials; i++) {
        kan_hash hash = common;
        kan_job *job;
        KAN_TRY(kan_compare_trial_job(compare, &compare->trials[i], &job));
        add_sorted(&hash, &job->options);
        kan_job_destroy(job);
        kan_hash_end(&hash, compare->trials[i].key);
    }
    return KAN_OK;
}

/* What a table in memory or from a pipe shows of the columns that matter. */
static void hash_rows(const kan_table *table, char text[KAN_HASH_TEXT]) {
    kan_hash hash;
    kan_hash_begin(&hash);
    kan_hash_add(&hash, &table->n_rows, sizeof table->n_rows);
    if (table->counts)
        kan_hash_add(&hash, table->counts, table->n_rows * sizeof *table->counts);
    for (size_t c = 0; c < table->n_columns; c++) {
        const kan_column *column = &table->columns[c];
        add_hashed(&hash, column->name);
        if (!column->is_encoded)
            continue;
        kan_hash_add(&hash, column->dictionary.start,
                     (column->dictionary.n + 1) * sizeof *column->dictionary.start);
        kan_hash_add(&hash, column->dictionary.bytes,
                     column->dictionary.start[column->dictionary.n]);
        kan_hash_add(&hash, column->codes, table->n_rows * column->width);
    }
    kan_hash_end(&hash, text);
}

kan_status kan_compare_hash_input(const kan_compare *compare, const kan_setup *setup,
                                  char text[KAN_HASH_TEXT]) {
    const char *path =
        setup->input.is_file ? kan_options_find(&compare->job->options, "input") : NULL;
    struct stat info;
    uint64_t n_bytes;
    if (path && strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode))
        return kan_hash_file(compare->run, path, text, &n_bytes);
    hash_rows(setup->table, text);
    return KAN_OK;
}
