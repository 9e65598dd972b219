/* Several tables: each is profiled as by itself, and stays in memory until it is known which columns point
 * to keys of others (analyze/links). */
#include "job/profile/several.h"

#include <string.h>
#include <sys/stat.h>

#include "job/tell/tell.h"

/* ---- settings ------------------------------------------------------------------------------- */

/* How single tables are written is not said for one of several: a job over them could not say it. */
static void check_settings(const kan_job *job) {
    for (size_t i = 0; i < job->options.n; i++) {
        const char *name = job->options.values[i].name;
        const unsigned traits = kan_setting_traits(name, "profile");
        if ((traits & KAN_TRAIT_READING) &&
            !(kan_setting_traits(name, "anonymize") & KAN_TRAIT_EACH_TABLE))
            kan_problem_add(
                job->run,
                "--%s is not taken for several tables yet; leave it out, or look at each "
                "table by itself",
                name);
    }
}

static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static const char *path_of(const kan_job *job, size_t table) {
    return table == 0 ? kan_options_find(&job->options, "input")
                      : kan_options_at(&job->options, "beside", table - 1);
}

static void check_paths(const kan_job *job, size_t n) {
    char quoted[256];
    for (size_t a = 0; a < n; a++) {
        const char *path = path_of(job, a);
        if (kan_path_is_address(path) || strcmp(path, "-") == 0)
            kan_problem_add(job->run,
                            "%s: several tables are looked at in files; a database and "
                            "standard input are not taken for them yet",
                            kan_path_is_address(path) ? "an address" : "-");
        for (size_t b = 0; b < a; b++)
            if (is_same_file(path, path_of(job, b)))
                kan_problem_add(job->run, "%s is named twice; leave one out",
                                kan_quote(kan_slice_of(path), quoted));
    }
}

static kan_status check(const kan_job *job, size_t *n) {
    *n = 1 + kan_options_count_of(&job->options, "beside");
    if (job->table)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--beside: several tables are looked at in files, and one is in memory; "
                        "write it to a file first");
    if (*n > KAN_LINK_TABLES)
        return kan_fail(job->run, KAN_BAD_INPUT, "%zu tables, the maximum is %d", *n,
                        KAN_LINK_TABLES);
    if (kan_options_find(&job->options, "household"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--household: what households share is looked for in one table; leave it "
                        "out, or look at each table by itself");
    if (kan_options_find(&job->options, "all-rows"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--all-rows writes the rows of one table; leave it out, or look at each "
                        "table by itself");
    kan_problems_begin(job->run);
    check_settings(job);
    check_paths(job, *n);
    return kan_problems_end(job->run);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* stays.csv.gz: stays. A file of the release is called so (job/settings/job_file.c). */
static kan_status name_table(kan_several *s, size_t t, const char *path) {
    enum { MOST_BYTES = 80 };
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
    size_t size = strcspn(begin, ".");
    char name[MOST_BYTES + 24];
    size = size < MOST_BYTES ? size : MOST_BYTES;
    snprintf(name, sizeof name, "%.*s", (int)size, begin);
    bool is_good = kan_profile_is_sayable(name, false);
    for (const char *at = name; *at; at++)
        is_good &= (unsigned char)*at >= ' ' && *at != 0x7f && *at != '\\';
    for (unsigned number = 2;; number++) {
        bool is_free = is_good;
        for (size_t other = 0; other < t; other++)
            is_free &= strcmp(s->tables[other].name, name) != 0;
        if (is_free)
            break;
        snprintf(name, sizeof name, "%.*s%s%u", is_good ? (int)size : 5, is_good ? begin : "table",
                 is_good ? "-" : "", is_good ? number : (unsigned)t + 1);
        if (!is_good) {
            is_good = true;
            begin = "table";
            size = 5;
        }
    }
    return kan_arena_copy(&s->arena, name, strlen(name), &s->tables[t].name);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The settings of all for one table. */
static kan_status make_job(kan_several *s, size_t t) {
    kan_several_table *table = &s->tables[t];
    const kan_options *options = &s->job->options;
    KAN_TRY(kan_job_create(s->run, &table->job));
    for (size_t i = 0; i < options->n; i++) {
        const char *name = options->values[i].name;
        const unsigned traits = kan_setting_traits(name, "profile");
        if (strcmp(name, "input") != 0 && !(traits & (KAN_TRAIT_OPERANDS | KAN_TRAIT_OUTPUT)))
            KAN_TRY(kan_options_add(&table->job->options, name, options->values[i].value));
    }
    return kan_options_add(&table->job->options, "input", path_of(s->job, t));
}

/* What a column can be: nobody ties tables by free texts, fractions or dates. */
static unsigned char can_be(const kan_profile_walk *p, size_t c) {
    const kan_profile_column *column = &p->columns[c];
    const bool is_likely = column->certainty == KAN_LIKELY;
    const bool is_other =
        is_likely && (column->role == KAN_ROLE_QUASI || column->role == KAN_ROLE_SENSITIVE);
    if (kan_profile_is_nested(p, c) || column->identifier == KAN_IDENTIFIER_TEXT ||
        column->shape == KAN_SHAPE_PROSE || column->type == KAN_TYPE_DATE ||
        (column->type == KAN_TYPE_NUMBER && !column->is_whole))
        return 0;
    return (unsigned char)(KAN_LINK_TIES | (is_other ? 0 : KAN_LINK_KEY) |
                           (column->is_of_person ? KAN_LINK_PERSON : 0));
}

/* The columns that may tie are needed together; of a narrow table they are there. */
static kan_status read_ties(kan_several_table *table) {
    kan_profile_walk *p = &table->walk;
    bool is_read = true;
    for (size_t c = 0; c < p->input.n_columns; c++) {
        table->can[c] = can_be(p, c);
        p->input.encode[c] = table->can[c] != 0;
        is_read &= table->can[c] == 0 || p->input.table->columns[c].is_encoded;
    }
    return is_read ? KAN_OK : kan_input_read(&p->input);
}

static bool has_quasi(const kan_profile_walk *p) {
    for (size_t c = 0; c < p->input.n_columns; c++)
        if (p->columns[c].role == KAN_ROLE_QUASI && p->columns[c].certainty == KAN_LIKELY)
            return true;
    return false;
}

static kan_status read_table(kan_several *s, size_t t) {
    kan_several_table *table = &s->tables[t];
    kan_profile_walk *p = &table->walk;
    KAN_TRY(name_table(s, t, path_of(s->job, t)));
    KAN_TRY(make_job(s, t));
    KAN_TRY(kan_job_prepare_run(table->job)); /* an encoding that was found is of one table */
    kan_profile_init(p, table->job);
    p->is_of_several = true;
    table->is_open = true;
    KAN_TRY(kan_profile_measure(p));
    if (p->input.source->kind->count || p->n_rows >= UINT32_MAX)
        return kan_fail(s->run, KAN_BAD_INPUT,
                        "%s: its rows are counted where they are, or are more than 2^32; several "
                        "tables are looked at in files that are read",
                        p->input.name);
    KAN_TRY(kan_arena_alloc(&s->arena, p->input.n_columns, 1, &table->can));
    KAN_TRY(read_ties(table));
    s->looked_at[t] = (kan_link_table){
        .name = table->name, .rows = p->input.table, .can = table->can, .has_quasi = has_quasi(p)};
    return KAN_OK;
}

/* ---- what was found ------------------------------------------------------------------------- */

const kan_link *kan_several_link(const kan_several *s, size_t table) {
    const size_t taken = s->tree.taken[table];
    return taken == KAN_NO_LINK ? NULL : &s->links.list[taken];
}

const kan_link_key *kan_several_key(const kan_several *s, size_t table) {
    for (size_t t = 0; t < s->n; t++) {
        const kan_link *link = kan_several_link(s, t);
        if (link && s->links.keys[link->key].table == table)
            return &s->links.keys[link->key];
    }
    return NULL;
}

const char *kan_several_column(const kan_several *s, size_t table, size_t column) {
    return s->tables[table].walk.input.columns[column];
}

bool kan_several_ties(const kan_several *s, size_t table, size_t column) {
    const kan_link *link = kan_several_link(s, table);
    const kan_link_key *key = kan_several_key(s, table);
    return (link && link->column == column) || (key && key->column == column);
}

/* Breadth first, and in the order in which they were named. */
static void order_tables(kan_several *s) {
    size_t n = 0;
    if (s->tree.people == KAN_NO_LINK)
        return;
    s->order[n++] = s->tree.people;
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < s->n; t++) {
            const kan_link *link = kan_several_link(s, t);
            if (link && s->links.keys[link->key].table == s->order[i])
                s->order[n++] = t;
        }
    KAN_ASSERT(n == s->tree.n_placed);
}

static kan_status find_line(const kan_several *s, size_t table, uint64_t row, uint64_t *out) {
    bool is_found = false;
    uint64_t line = 0;
    KAN_TRY(kan_source_find_lines(s->tables[table].walk.input.source, &row, 1, &line, &is_found));
    *out = is_found ? line : 0;
    return KAN_OK;
}

/* Where what has to be mended begins. */
static kan_status find_faults(kan_several *s) {
    uint64_t row;
    for (size_t i = 0; i < s->tree.n_placed && s->tree.people != KAN_NO_LINK; i++) {
        const size_t t = s->order[i];
        const kan_link *link = kan_several_link(s, t);
        const kan_link_key *key = kan_several_key(s, t);
        if (link && kan_link_dangling(link) > 0) {
            KAN_TRY(kan_links_first_dangling(s->looked_at, &s->links, link, &row));
            KAN_TRY(find_line(s, t, row, &s->tables[t].dangling_line));
        }
        if (key && !kan_link_key_is_sound(key)) {
            KAN_TRY(kan_links_first_faulty(s->run, s->looked_at, key, &row));
            KAN_TRY(find_line(s, t, row, &s->tables[t].faulty_line));
        }
    }
    return KAN_OK;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status walk(kan_several *s, kan_result *out) {
    for (size_t t = 0; t < s->n; t++)
        KAN_TRY(read_table(s, t));
    KAN_TRY(kan_job_prepare_run(s->job));
    const double start = kan_now_ms();
    KAN_TRY(kan_links_find(s->run, s->looked_at, s->n, &s->links));
    kan_links_choose(s->looked_at, s->n, &s->links, &s->tree);
    order_tables(s);
    KAN_TRY(find_faults(s));
    s->links_ms = kan_now_ms() - start;
    KAN_TRY(kan_several_find_words(s));
    KAN_TRY(kan_several_tell(s, out));
    return kan_several_write_job(s);
}

kan_status kan_profile_several(kan_job *job, kan_result *out) {
    kan_several s = {.job = job,
                     .run = job->run,
                     .links = {.run = job->run},
                     .tree = {.people = KAN_NO_LINK},
                     .start_ms = kan_now_ms()};
    KAN_TRY(check(job, &s.n));
    kan_arena_init(&s.arena, job->run);
    kan_text_init(&s.words, job->run);
    const kan_status status = walk(&s, out);
    for (size_t t = 0; t < s.n; t++) {
        if (s.tables[t].is_open)
            kan_profile_destroy(&s.tables[t].walk);
        kan_job_destroy(s.tables[t].job);
    }
    kan_links_destroy(&s.links);
    kan_text_destroy(&s.words);
    kan_arena_destroy(&s.arena);
    return status;
}
