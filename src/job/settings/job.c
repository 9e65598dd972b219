/* Jobs: making and destroying them, and asking for what was set. */
#include "job/settings/job.h"

#include "core/spill_folder.h"
#include "job/settings/settings.h"

static bool is_setting(const char *name) {
    return kan_setting_entry_find(name) != NULL;
}

kan_status kan_job_create(kan_run *run, kan_job **out) {
    kan_job *job;
    KAN_NEED(run, run);
    KAN_NEED(run, out);
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *job, &job));
    job->run = run;
    kan_arena_init(&job->arena, run);
    kan_options_init(&job->options, &job->arena);
    job->options.is_known = is_setting;
    kan_options_init(&job->passed_over, &job->arena);
    *out = job;
    return KAN_OK;
}

void kan_job_destroy(kan_job *job) {
    if (!job)
        return;
    for (const kan_job_part *part = job->parts; part; part = part->next)
        kan_job_destroy(part->job);
    kan_options_destroy(&job->options);
    kan_options_destroy(&job->passed_over);
    kan_arena_destroy(&job->arena);
    kan_free(job->run, job);
}

static kan_status copy_text(kan_job *job, const char *text, const char **out) {
    *out = NULL;
    return text ? kan_arena_copy(&job->arena, text, strlen(text), out) : KAN_OK;
}

kan_status kan_job_take_parts(kan_job *job, kan_job *from) {
    kan_job_part **end = &job->parts;
    while (*end)
        end = &(*end)->next;
    while (from->parts) {
        kan_job_part *part = from->parts, *made;
        KAN_TRY(kan_arena_alloc(&job->arena, 1, sizeof *made, &made));
        KAN_TRY(copy_text(job, part->name, &made->name));
        KAN_TRY(copy_text(job, part->place, &made->place));
        KAN_TRY(copy_text(job, part->key, &made->key));
        KAN_TRY(copy_text(job, part->of, &made->of));
        KAN_TRY(copy_text(job, part->by, &made->by));
        made->with = part->with; /* in the arena of its job */
        made->job = part->job;
        made->next = NULL;
        from->parts = part->next;
        *end = made;
        end = &made->next;
    }
    return KAN_OK;
}

kan_status kan_job_use_table(kan_job *job, kan_table *table) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, table);
    KAN_TRY(kan_table_seal(table));
    job->table = table;
    return KAN_OK;
}

/* The name of a setting, beside `input`, that may be a table in memory; NULL: it may not. */
static const char *find_table_setting(const char *name) {
    static const char *const names[] = {"original", "population", "register"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return names[i];
    return NULL;
}

kan_status kan_job_use_table_as(kan_job *job, const char *setting, kan_table *table) {
    kan_job_table_entry *entry;
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, setting);
    KAN_NEED(job->run, table);
    if (strcmp(setting, "input") == 0)
        return kan_job_use_table(job, table);
    const char *name = find_table_setting(setting);
    if (!name)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "%s: this setting cannot be a table in memory; input, original, population "
                        "and register can",
                        setting);
    KAN_TRY(kan_table_seal(table));
    KAN_TRY(kan_arena_alloc(&job->arena, 1, sizeof *entry, &entry));
    *entry = (kan_job_table_entry){name, table, job->tables};
    job->tables = entry;
    return KAN_OK;
}

void kan_job_want_figures(kan_job *job) {
    if (job)
        job->wants_figures = true;
}

const kan_table *kan_job_table(const kan_job *job, const char *setting) {
    if (strcmp(setting, "input") == 0)
        return job->table;
    for (const kan_job_table_entry *entry = job->tables; entry; entry = entry->next)
        if (strcmp(setting, entry->setting) == 0)
            return entry->table;
    return NULL;
}

bool kan_job_names_table(const kan_job *job, const char *setting) {
    return kan_job_table(job, setting) || kan_options_find(&job->options, setting);
}

const char *kan_job_get(const kan_job *job, const char *name, size_t index) {
    return job && name && is_setting(name) ? kan_options_at(&job->options, name, index) : NULL;
}

size_t kan_job_n_tables(const kan_job *job) {
    size_t n = 0;
    for (const kan_job_part *part = job ? job->parts : NULL; part; part = part->next)
        n++;
    return n;
}

const char *kan_job_table_get(const kan_job *job, size_t table, const char *name, size_t index) {
    const kan_job_part *part = job ? job->parts : NULL;
    for (; part && table > 0; table--)
        part = part->next;
    if (!part || !name)
        return NULL;
    const struct {
        const char *name, *value;
    } own[] = {{"name", part->name}, {"key", part->key}, {"of", part->of}, {"by", part->by}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i].name) == 0)
            return index == 0 ? own[i].value : NULL;
    return kan_job_get(part->job, name, index);
}

kan_status kan_job_prepare_run(const kan_job *job) {
    const kan_options *options = &job->options;
    uint64_t bytes;
    const char *memory = kan_options_find(options, "memory");
    kan_run_set_threads(job->run, (unsigned)kan_options_count(options, "threads", 0));
    kan_run_set_memory(job->run, memory && kan_parse_bytes(memory, &bytes) ? bytes : 0);
    kan_run_set_seed(job->run, kan_options_count(options, "seed", 1));
    kan_run_set_time_limit(job->run, kan_options_real(options, "time-limit", 0));
    const char *spool = kan_options_find(options, "spool-limit");
    kan_run_set_spool_limit(job->run, spool && kan_parse_bytes(spool, &bytes) ? bytes : 0);
    kan_run_set_encoding(job->run, kan_options_find(options, "encoding"));
    KAN_TRY(kan_run_set_tmp(job->run, kan_options_find(options, "tmp")));
    kan_spill_folder_clear(job->run);
    return KAN_OK;
}
