/* Each table with its roles, pseudonyms and hierarchies, as a job of its own. */
#include <string.h>
#include <sys/random.h>

#include "job/tables/tables_inside.h"

/* ---- settings of a table -------------------------------------------------------------------- */

static bool has_role(const kan_job *job, const char *setting, const char *column) {
    for (size_t i = 0; i < kan_options_count_of(&job->options, setting); i++) {
        const char *value = kan_options_at(&job->options, setting, i), *hierarchy;
        kan_slice name;
        if (kan_setting_entry_find(setting)->form == KAN_FORM_QUASI)
            kan_quasi_parse(value, &name, &hierarchy);
        else
            name = kan_slice_of(value);
        if (kan_slice_is(name, column))
            return true;
    }
    return false;
}

/* By a pattern, such as id*. */
static bool is_like_one(const kan_job *job, const char *setting, const char *column) {
    const char *pattern;
    for (size_t i = 0; (pattern = kan_options_at(&job->options, setting, i)); i++)
        if (strpbrk(pattern, "*?") && kan_name_is_like(column, pattern))
            return true;
    return false;
}

/* A pattern gives way to a name, and would give way to the pseudonyms. */
static kan_status find_dropped(kan_job *job, const char *column, bool *out) {
    *out = has_role(job, "drop", column) || has_role(job, "id", column);
    if (*out || !(is_like_one(job, "drop", column) || is_like_one(job, "id", column)))
        return KAN_OK;
    *out = true;
    return kan_job_add(job, "drop", column);
}

/* A key is released as pseudonyms, or left out; it plays no other part. */
static kan_status add_key(kan_clan *clan, kan_clan_table *table, const char *column) {
    kan_job *job = table->part->job;
    const char *role;
    bool is_dropped;
    KAN_TRY(find_dropped(job, column, &is_dropped));
    for (size_t i = 0; (role = kan_setting_with(KAN_TRAIT_EACH_TABLE, "anonymize", i)); i++)
        if (kan_setting_takes_columns(kan_setting_find(role)) && strcmp(role, "text") != 0 &&
            strcmp(role, "drop") != 0 && strcmp(role, "id") != 0 && has_role(job, role, column))
            return kan_fail(clan->run, KAN_BAD_INPUT,
                            "%s: table '%s': column '%s' ties the tables together, and is released "
                            "as keyed pseudonyms, or left out with `drop`; to release keys "
                            "otherwise is not taken: take it out of `%s`",
                            table->part->place, table->part->name, column, role);
    if (clan->n_keys++ == 0)
        clan->drops_keys = is_dropped;
    if (clan->drops_keys != is_dropped)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "%s: table '%s': column '%s' is %s, and other keys are %s; keys are "
                        "released in all tables or in none, because some of them would join some "
                        "rows: write `drop` for all of them, or for none",
                        table->part->place, table->part->name, column,
                        is_dropped ? "left out" : "released", is_dropped ? "released" : "left out");
    return is_dropped || has_role(job, "pseudonym", column) ? KAN_OK
                                                            : kan_job_add(job, "pseudonym", column);
}

/* Groups say nothing where rows can be joined. */
static kan_status choose_promise(kan_clan *clan) {
    const char *promise = kan_options_find(&clan->job->options, "person-promise");
    clan->by_groups = promise && strcmp(promise, "groups") == 0;
    if (clan->by_groups && !clan->drops_keys)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--person-promise groups: keys are released as pseudonyms, which join the "
                        "tables, so that whoever knows several rows of a person finds all that "
                        "they show together; leave the keys of all tables out with `drop`, or "
                        "promise histories");
    if (clan->drops_keys && clan->wants_figures)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--report: a report of tables whose keys are left out is not made yet; "
                        "leave --report out, or release the keys as pseudonyms");
    return KAN_OK;
}

/* Whether a table says it itself: how values are written, of all of its columns. */
static bool says_itself(const kan_options *own, const char *setting) {
    bool is_writing = false, is_for_all = false;
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        is_writing |= strcmp(setting, kan_writing_names[s]) == 0;
    for (size_t i = 0; is_writing && i < kan_options_count_of(own, setting); i++) {
        kan_slice name;
        const char *rest;
        kan_spelled_parse(kan_options_at(own, setting, i), &name, &rest);
        is_for_all |= name.size == 0;
    }
    return is_writing ? is_for_all : kan_options_find(own, setting) != NULL;
}

/* Whether a setting beside `tables` is handed down to the table: tables without shifted dates have no use
 * for `within`, and weights are looked up column by column (tables_kin.c). */
static bool is_about(const kan_job *job, const char *setting) {
    if (kan_setting_entry_find(setting)->form == KAN_FORM_WEIGHT)
        return false;
    return strcmp(setting, "within") != 0 || kan_options_find(&job->options, "shift-dates");
}

/* What holds for all tables, unless a table says it itself. */
static kan_status inherit(const kan_clan *clan, kan_job *job) {
    const kan_options *all = &clan->job->options;
    const size_t n = job->options.n;
    for (size_t i = 0; i < all->n; i++) {
        const char *name = all->values[i].name;
        const unsigned traits = kan_setting_traits(name, "anonymize");
        const bool is_shared = (traits & KAN_TRAIT_TABLES) && (traits & KAN_TRAIT_EACH_TABLE) &&
                               !kan_clan_is_of_values(name);
        kan_options own = job->options;
        own.n = n; /* without what was inherited: a setting may have several values */
        if (is_shared && !says_itself(&own, name) && is_about(job, name))
            KAN_TRY(kan_options_add(&job->options, name, all->values[i].value));
    }
    return KAN_OK;
}

static const char *link_name(const kan_clan *clan, const kan_clan_table *table) {
    return table->part->by ? table->part->by : clan->tables[table->parent].part->key;
}

/* The secret, where something of the table is made with it. */
static kan_status add_secret(kan_clan *clan, kan_job *job) {
    const char *path = kan_options_find(&clan->job->options, "key");
    if (!path || (!kan_options_find(&job->options, "pseudonym") &&
                  !kan_options_find(&job->options, "shift-dates")))
        return KAN_OK;
    clan->uses_secret = true;
    return kan_options_add(&job->options, "key", path);
}

static kan_status prepare(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    kan_job *job = table->part->job;
    KAN_TRY(inherit(clan, job));
    job->makes_release = true;
    job->drawn_key = (kan_slice){(const char *)clan->drawn_key, sizeof clan->drawn_key};
    if (table->part->key)
        KAN_TRY(add_key(clan, table, table->part->key));
    if (t > 0)
        KAN_TRY(add_key(clan, table, link_name(clan, table)));
    return add_secret(clan, job);
}

static kan_status draw_key(kan_clan *clan) {
    size_t at = 0;
    while (at < sizeof clan->drawn_key) {
        const ssize_t got = getrandom(clan->drawn_key + at, sizeof clan->drawn_key - at, 0);
        if (got <= 0)
            return kan_fail(clan->run, KAN_FAILED,
                            "the system gives no randomness for pseudonyms; name a secret with "
                            "--key FILE");
        at += (size_t)got;
    }
    return KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status find_column(const kan_clan_table *table, const char *what, const char *name,
                              size_t *out) {
    char quoted[256];
    if (kan_input_find(&table->setup.input, kan_slice_of(name), out))
        return KAN_OK;
    const char *near = kan_input_nearest(&table->setup.input, kan_slice_of(name));
    return kan_fail(table->setup.run, KAN_BAD_INPUT,
                    "%s: table '%s': %s has no column %s, %s%s%s%s", table->part->place,
                    table->part->name, table->setup.input.name,
                    kan_quote(kan_slice_of(name), quoted), what, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

static kan_status find_keys(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    if (table->part->key)
        KAN_TRY(find_column(table, "its key", table->part->key, &table->key));
    if (t == 0)
        return KAN_OK;
    return find_column(table,
                       table->part->by ? "of `by`"
                                       : "which says whose its rows are; write by: COLUMN where it "
                                         "is called otherwise",
                       link_name(clan, table), &table->link);
}

/* "8:patients.patient": what a key is used for, so that it has the same pseudonyms in all tables, and
 * equal numbers of different things have different ones. */
static kan_status domain_of(kan_clan *clan, size_t t, const char *column, kan_slice *out) {
    const kan_clan_table *table = &clan->tables[t];
    const char *copy;
    kan_text text;
    if (t > 0 && strcmp(column, link_name(clan, table)) == 0)
        return domain_of(clan, table->parent, clan->tables[table->parent].part->key, out);
    kan_text_init(&text, clan->run);
    kan_text_print(&text, "%zu:%s.%s", strlen(table->part->name), table->part->name, column);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&clan->arena, text.bytes, text.size, &copy);
    if (status == KAN_OK)
        *out = kan_slice_of(copy);
    kan_text_destroy(&text);
    return status;
}

static kan_status set_domains(kan_clan *clan, size_t t) {
    kan_input *input = &clan->tables[t].setup.input;
    for (size_t i = 0; i < input->n_treatments; i++) {
        kan_treatment *treatment = &input->treatments[i];
        if (treatment->is_pseudonym)
            KAN_TRY(domain_of(clan, t, treatment->name, &treatment->domain));
        else if (treatment->is_shifted)
            KAN_TRY(domain_of(clan, 0, clan->tables[0].part->key, &treatment->domain));
    }
    return KAN_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Without its keys a table may have nothing left to be released. */
static kan_status check_released(const kan_clan_table *table) {
    for (size_t i = 0; i < table->setup.input.n_columns; i++)
        if (kan_setup_releases(&table->setup, i))
            return KAN_OK;
    return kan_fail(table->setup.run, KAN_BAD_INPUT,
                    "%s: table '%s': no column of it would be released; name one with `qi`, "
                    "`sensitive` or `keep`, or take the table out of the job",
                    table->part->place, table->part->name);
}

static kan_status open_table(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    kan_setup *setup = &table->setup;
    setup->job = table->part->job;
    setup->run = setup->problem.run = clan->run;
    setup->problem.class_tail = KAN_NO_TAIL;
    setup->cost = clan->cost;
    kan_space_init(&setup->problem.space, clan->run);
    table->is_open = true;
    KAN_TRY(kan_setup_choose_search(setup));
    KAN_TRY(kan_input_open(setup->job, "input", false, &setup->input));
    KAN_TRY(find_keys(clan, t));
    KAN_TRY(kan_setup_take_roles(setup));
    KAN_TRY(check_released(table));
    setup->input.is_tied = true;
    KAN_TRY(kan_setup_take_treatments(setup));
    return set_domains(clan, t);
}

/* What is merely kept stays as it is written, where the release is written in the same way; codes and
 * missing ones of a schema stay so in every format. */
static void choose_columns(const kan_clan *clan, kan_clan_table *table) {
    kan_setup *setup = &table->setup;
    /* a table in memory is one with columns of its parent: it is written anew, and so is its file then */
    const kan_source *source = table->part->with ? NULL : setup->input.source;
    const bool passes = source && clan->sink->passes && clan->sink->passes(source->kind);
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        const kan_field *field = kan_input_field(&setup->input, i);
        const bool is_whole = passes || (field && !field->is_guessed);
        setup->input.encode[i] |= kan_setup_releases(setup, i) || i == table->key ||
                                  i == table->link || table->part->with != NULL;
        setup->input.as_is[i] =
            is_whole && kan_setup_keeps(setup, i) && !kan_input_treatment(&setup->input, i);
    }
}

static kan_status read_table(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    kan_setup *setup = &table->setup;
    KAN_TRY(open_table(clan, t));
    choose_columns(clan, table);
    KAN_TRY(kan_clan_read_counted(clan, table));
    table->raw = setup->input.raw;
    KAN_TRY(kan_setup_check_decided(setup, kan_options_find(&clan->job->options, "suppress")));
    if (table->raw->n_rows >= UINT32_MAX)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "%s: several tables have fewer than 2^32 rows each", setup->input.name);
    return KAN_OK;
}

/* The table with columns of its parent takes the place of the file. */
static kan_status read_widened(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    if (!table->part->with)
        return KAN_OK;
    KAN_TRY(kan_clan_widen(clan, t));
    table->plain = table->setup.input;
    table->has_plain = true;
    table->setup.input = (kan_input){.run = clan->run};
    kan_setup_destroy(&table->setup);
    table->setup = (kan_setup){.run = clan->run};
    table->is_open = false;
    table->part->job->table = &table->widened;
    table->part->job->is_table_taken = true;
    KAN_TRY(read_table(clan, t));
    table->setup.input.name = table->plain.name;
    return KAN_OK;
}

static kan_status choose_cost(kan_clan *clan) {
    const char *name = kan_options_find(&clan->job->options, "cost");
    const kan_kind *kind;
    KAN_TRY(kan_registry_need(clan->run, KAN_FAMILY_COST, name ? name : "ncp", &kind));
    clan->cost = (const kan_cost_kind *)kind;
    if (clan->cost->shape != KAN_SHAPE_CELLS)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--cost %s is about groups of rows of one table; over several tables costs "
                        "are means over cells: ncp (the default), precision or distortion",
                        clan->cost->kind.name);
    return KAN_OK;
}

kan_status kan_clan_read(kan_clan *clan) {
    const double start = kan_now_ms();
    KAN_TRY(choose_cost(clan));
    KAN_TRY(draw_key(clan));
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY(prepare(clan, t));
    KAN_TRY(choose_promise(clan));
    if (!clan->uses_secret && kan_options_find(&clan->job->options, "key"))
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--key: keys are left out of all tables and no dates are shifted, so that "
                        "nothing is made with a secret; leave it out");
    for (size_t t = 0; t < clan->n; t++) {
        KAN_TRY(read_table(clan, t));
        KAN_TRY(read_widened(clan, t));
    }
    clan->read_ms = kan_now_ms() - start;
    return KAN_OK;
}

/* ---- treating ------------------------------------------------------------------------------- */

static bool shifts_dates(const kan_clan_table *table) {
    for (size_t i = 0; i < table->setup.input.n_treatments; i++)
        if (table->setup.input.treatments[i].is_shifted)
            return true;
    return false;
}

/* The key of the person of each row, as a column of the table. */
static kan_status find_whose(const kan_clan *clan, size_t t, kan_clan_table *table) {
    const kan_column *people = &clan->tables[0].raw->columns[clan->tables[0].key];
    uint32_t *codes;
    KAN_TRY(kan_alloc(clan->run, (size_t)table->raw->n_rows, sizeof *codes, &codes));
    table->whose = *people;
    table->whose.width = sizeof *codes;
    table->whose.codes = codes;
    table->whose.n_rows = table->raw->n_rows;
    for (uint64_t first = 0; first < table->raw->n_rows; first++) {
        uint64_t row = first;
        for (size_t at = t; at > 0; at = clan->tables[at].parent)
            row = clan->tables[at].parent_row[row];
        codes[first] = kan_column_code(people, row);
    }
    return KAN_OK;
}

static kan_status treat_table(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    kan_setup *setup = &table->setup;
    if (shifts_dates(table))
        KAN_TRY(find_whose(clan, t, table));
    KAN_TRY(kan_input_treat_tied(&setup->input, &table->whose));
    setup->table = setup->input.table;
    setup->problem.n_rows = setup->table->n_rows;
    return kan_setup_bind(setup);
}

kan_status kan_clan_treat(kan_clan *clan) {
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY(treat_table(clan, t));
    return KAN_OK;
}
