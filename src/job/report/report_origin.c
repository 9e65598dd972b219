/* How a release can be made again: the command line that says what the job was told, and the hashes
 * of the files that it read and of the one that it wrote.
 *
 * The hash of a file that was read can betray it, and so can its size. Somebody who has the
 * register that a table was made from could try out the few things that she does not know until the
 * hash fits; hierarchies and orders may hold values of the table, too. So of what was read a
 * shareable report has keyed hashes alone, and only where the user has a key (--hash-key); an
 * internal one has all. */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "io/file_hash.h"
#include "job/outcome/outcome.h"
#include "job/report/report_data.h"
#include "job/settings/settings.h"

/* ---- the day -------------------------------------------------------------------------------- */

kan_status kan_report_date(kan_run *run, json_t **out) {
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds;
    time_t now;
    struct tm day;
    char text[32];
    const bool is_fixed = fixed && kan_parse_count(fixed, &seconds) && seconds <= INT32_MAX;
    now = is_fixed ? (time_t)seconds : time(NULL);
    if (!(is_fixed ? gmtime_r(&now, &day) : localtime_r(&now, &day)) ||
        strftime(text, sizeof text, "%Y-%m-%d", &day) == 0)
        return kan_report_json(run, json_null(), out);
    return kan_report_json(run, json_string(text), out);
}

/* ---- the command line ----------------------------------------------------------------------- */

/* What changes neither the release nor the search, and what is a secret; the input, which stands at
 * the front, and whether rows are shuffled, which stands at the end. */
static bool is_left_out(const char *name) {
    return (kan_setting_traits(name, "anonymize") &
            (KAN_TRAIT_OUTPUT | KAN_TRAIT_DISPLAY | KAN_TRAIT_MACHINE | KAN_TRAIT_SECRET)) ||
           strcmp(name, "input") == 0 || strcmp(name, "shuffle") == 0;
}

#define PLAIN_SIGNS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:%@+-"

/* Whether a shell takes it as it stands. */
static bool is_plain(const char *word, const char *signs) {
    return *word && word[strspn(word, signs)] == '\0';
}

/* Plain column names in one list; what says more than a name, or needs quotes, stands by itself:
 * a name of a hostile table must not become a command of whoever runs the line. */
static bool joins(const struct kan_option_value *before, const struct kan_option_value *now,
                  const kan_setting *setting) {
    return before && setting->repeats && kan_setting_takes_lists(setting) &&
           strcmp(before->name, now->name) == 0 && is_plain(before->value, PLAIN_SIGNS) &&
           is_plain(now->value, PLAIN_SIGNS);
}

static void add_option(kan_text *text, const struct kan_option_value *before,
                       const struct kan_option_value *now) {
    const kan_setting *setting = kan_setting_find(now->name);
    if (!setting || is_left_out(now->name))
        return;
    if (!setting->argument) {
        if (strcmp(now->value, "true") == 0)
            kan_text_print(text, " --%s", now->name);
        return;
    }
    if (joins(before, now, setting)) {
        kan_text_print(text, ",%s", now->value);
        return;
    }
    kan_text_print(text, " --%s ", now->name);
    kan_words_add_shell(text, now->value);
}

/* Whether `verify` understands a setting, by any of its entries. */
static bool is_for_verify(const char *name) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (strcmp(setting->name, name) == 0 && kan_setting_is_for(setting, "verify"))
            return true;
    }
    return false;
}

/* Whether the rows of the release do not stand in the order of the table. */
static bool is_unordered(const kan_setup *setup) {
    return kan_report_is_shuffled(setup) || kan_input_engine(&setup->input);
}

void kan_report_add_next(const kan_setup *setup, kan_text *text) {
    const kan_options *options = &setup->job->options;
    const char *input = setup->input.is_file ? kan_options_find(options, "input") : NULL;
    const char *output = kan_options_find(options, "output");
    const struct kan_option_value *before = NULL;
    if (!input || !output || strcmp(input, "-") == 0 || strcmp(output, "-") == 0)
        return;
    if (kan_output_is_script(setup->job))
        return; /* it is not made yet */
    if (setup->person && is_unordered(setup))
        return; /* whose its rows are cannot be told from outside */
    if ((setup->stratum || kan_setup_leaves_households(setup)) && is_unordered(setup))
        return; /* nor of which household or stratum they are */
    if (setup->matches_missing && setup->promise.limit > 0)
        return; /* nor whom they match, where nobody knows who was left out */
    const size_t from = text->size;
    kan_text_print(text, "next: kanon verify ");
    kan_words_add_shell(text, output);
    kan_text_print(text, " --original ");
    kan_words_add_shell(text, input);
    for (size_t i = 0; i < options->n; i++) {
        const struct kan_option_value *now = &options->values[i];
        if (!is_for_verify(now->name) || strcmp(now->name, "memory") == 0)
            continue;
        add_option(text, before, now);
        before = now;
    }
    /* a key that is for nothing but a ledger */
    const bool has_no_use = setup->past && !setup->input.key && !is_for_verify("ledger");
    for (size_t i = 0; i < options->n; i++) { /* which secrets it needs, not where they are */
        const char *name = options->values[i].name;
        if (!has_no_use && is_for_verify(name) && kan_setting_is_secret(kan_setting_find(name)))
            kan_text_print(text, " --%s %s", name, kan_setting_shown(name, ""));
    }
    kan_text_print(text, "\n");
    kan_words_check_command(text, from);
}

void kan_report_add_flags(const kan_options *options, kan_text *text) {
    const struct kan_option_value *before = NULL;
    for (size_t i = 0; i < options->n; i++)
        if (!options->values[i].is_from_file) {
            add_option(text, before, &options->values[i]);
            before = &options->values[i];
        }
}

bool kan_report_is_shuffled(const kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    return kan_options_switch(options, "shuffle") || kan_options_find(options, "shuffle-key");
}

kan_status kan_report_command(const kan_setup *setup, json_t **out) {
    const kan_options *options = &setup->job->options;
    const char *input = setup->input.is_file ? kan_options_find(options, "input") : NULL;
    const char *output = kan_options_find(options, "output");
    kan_text text;
    kan_text_init(&text, setup->run);
    kan_text_print(&text, "kanon anonymize ");
    kan_words_add_shell(&text, input ? input : "TABLE.csv");
    kan_text_print(&text, " -o ");
    kan_words_add_shell(&text, output ? output : "RELEASE.csv");
    for (size_t i = 0; i < options->n; i++)
        add_option(&text, i > 0 ? &options->values[i - 1] : NULL, &options->values[i]);
    /* Whether there is a key, and where, is nobody's business. */
    if (kan_report_is_shuffled(setup))
        kan_text_print(&text, " --shuffle");
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status =
            kan_report_json(setup->run, kan_json_slice((kan_slice){text.bytes, text.size}), out);
    kan_text_destroy(&text);
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef kan_report_file file;
typedef kan_report_listing listing;

static json_t *null_or_text(const char *text) {
    return text ? kan_json_text(text) : json_null();
}

/* What is not a plain file, such as a pipe, cannot be read again. */
static bool can_be_read(const char *path) {
    struct stat info;
    return path && strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

kan_status kan_report_add_file(listing *list, const file *f) {
    const char *path = f->read_path ? f->read_path : f->path;
    const bool is_plain_hash = list->is_internal || strcmp(f->role, "release") == 0;
    const char *left_out = path && kan_path_is_address(path) ? "database"
                           : !is_plain_hash && !list->key    ? "unkeyed"
                           : can_be_read(path)               ? NULL
                                                             : "stream";
    char hash[KAN_HASH_TEXT];
    uint64_t n_bytes = 0;
    if (!left_out && is_plain_hash)
        KAN_TRY(kan_hash_file(list->run, path, hash, &n_bytes));
    else if (!left_out)
        KAN_TRY(kan_hash_file_keyed(list->run, path, list->key, hash));
    const bool has_plain = !left_out && is_plain_hash, has_keyed = !left_out && !is_plain_hash;
    list->files = kan_json_append(
        list->files,
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "role", f->role, "column",
                  null_or_text(f->column), "path", null_or_text(f->path), "bytes",
                  has_plain ? kan_json_count(n_bytes) : json_null(), "sha256",
                  has_plain ? json_string(hash) : json_null(), "hmac_sha256",
                  has_keyed ? json_string(hash) : json_null(), "left_out", null_or_text(left_out)));
    return list->files ? KAN_OK
                       : kan_fail(list->run, KAN_FAILED, "out of memory while the report was made");
}

static kan_status add_hierarchies(const kan_setup *setup, listing *list) {
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const kan_hierarchy *h = setup->hierarchies[a];
        if (!h || !h->origin || kan_hierarchy_is_spec(h->origin))
            continue;
        const file one = {.role = "hierarchy", .column = h->attribute, .path = h->origin};
        KAN_TRY(kan_report_add_file(list, &one));
    }
    return KAN_OK;
}

/* Orders of values, a population, and a workload that the search was told. */
static kan_status add_others(const kan_setup *setup, listing *list) {
    const kan_options *options = &setup->job->options;
    const char *workload = kan_options_find(options, "workload");
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->orders[a])
            KAN_TRY(kan_report_add_file(
                list, &(file){.role = "order",
                              .column = setup->table->columns[setup->quasi[a]].name,
                              .path = setup->orders[a]}));
    if (setup->has_people && setup->people.is_file)
        KAN_TRY(kan_report_add_file(
            list, &(file){.role = "population", .path = kan_options_find(options, "population")}));
    return workload ? kan_report_add_file(list, &(file){.role = "workload", .path = workload})
                    : KAN_OK;
}

static kan_status add_files(const kan_report_source *source, listing *list) {
    const kan_setup *setup = source->outcome->setup;
    if (setup->input.is_file)
        KAN_TRY(kan_report_add_file(
            list,
            &(file){.role = "input", .path = kan_options_find(&setup->job->options, "input")}));
    KAN_TRY(add_hierarchies(setup, list));
    KAN_TRY(add_others(setup, list));
    const char *output = source->outcome->output;
    if (!source->release_path && !(output && kan_path_is_address(output)))
        return KAN_OK;
    return kan_report_add_file(list, &(file){.role = "release",
                                             .path = source->outcome->output,
                                             .read_path = source->release_path});
}

kan_status kan_report_files(const kan_report_source *source, bool is_internal, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    listing list = {.run = setup->run,
                    .is_internal = is_internal,
                    .key = kan_options_find(&setup->job->options, "hash-key")};
    KAN_TRY(kan_report_json(setup->run, json_array(), &list.files));
    const kan_status status = add_files(source, &list);
    if (status == KAN_OK)
        *out = list.files;
    else
        json_decref(list.files);
    return status;
}
