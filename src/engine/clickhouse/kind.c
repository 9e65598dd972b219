/* Tables that keep several versions of a row. Some engines of ClickHouse put rows of one key together
 * when parts are merged, at a time that nobody knows (ReplacingMergeTree and others): until then a
 * plain SELECT shows all versions, and one person counts as several. Where one of the versions stays,
 * FINAL shows that one, and every statement over such a table has it. Where rows become sums and states
 * (SummingMergeTree, AggregatingMergeTree), a row is what the user makes of it, by a GROUP BY of his
 * own; 18.16 even loses rows there by FINAL, where a statement needs none of the sums. They are refused.
 *
 * Where FINAL does not reach (a view, a table over tables of several servers, whose keys may lie on two
 * of them), the table is refused. Servers that know the setting `final` have it on (settings.c): it
 * reaches into views. */
#include <ctype.h>

#include "core/signs.h"
#include "engine/clickhouse/connection.h"

enum { MOST_DEPTH = 8 }; /* of views of views; a circle ends here */

typedef struct table_name {
    const char *database, *table;
} table_name;

typedef struct table_facts {
    kan_click *click;
    const char *engine, *full, *query;
} table_facts;

/* ---- kinds ---------------------------------------------------------------------------------- */

/* In front of each may stand Replicated or Shared, and Versioned before Collapsing. */
static bool has_final(const char *engine) {
    return kan_ends_with(engine, "ReplacingMergeTree") ||
           kan_ends_with(engine, "CollapsingMergeTree");
}

/* All others of the family but the plain one put rows together in ways that FINAL does not show, or
 * that are not known yet. */
static bool keeps_versions(const char *engine) {
    static const char *const plain[] = {"MergeTree", "ReplicatedMergeTree", "SharedMergeTree"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(engine, plain[i]) == 0)
            return false;
    return kan_ends_with(engine, "MergeTree");
}

/* ---- facts ---------------------------------------------------------------------------------- */

static kan_status copy(kan_click *click, kan_slice text, const char **out) {
    return kan_arena_copy(&click->arena, text.bytes, text.size, out);
}

static kan_status take_facts(void *context, const kan_slice *values) {
    table_facts *facts = context;
    KAN_TRY(copy(facts->click, values[0], &facts->engine));
    KAN_TRY(copy(facts->click, values[1], &facts->full));
    return copy(facts->click, values[2], &facts->query);
}

/* `engine` stays NULL where there is no such table, or the user may not see it. */
static kan_status find_facts(kan_click *click, table_name of, table_facts *out) {
    kan_text sql;
    *out = (table_facts){.click = click};
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "SELECT engine, engine_full, create_table_query FROM system.tables WHERE "
                         "database = ");
    kan_click_add_text(&sql, of.database);
    kan_text_print(&sql, " AND name = ");
    kan_click_add_text(&sql, of.table);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_click_texts(&click->server, sql.bytes, "find the table", 3,
                                 &(kan_row_taker){take_facts, out});
    kan_text_destroy(&sql);
    return status;
}

/* Names that come as rows. */
typedef struct name_list {
    kan_click *click;
    const char *database; /* where rows have no database of their own */
    size_t n, capacity;
    table_name *names;
} name_list;

static kan_status take_name(void *context, const kan_slice *values) {
    name_list *list = context;
    KAN_TRY(kan_reserve(list->click->run, list->n + 1, sizeof *list->names, &list->capacity,
                        &list->names));
    table_name *name = &list->names[list->n++];
    name->database = list->database;
    KAN_TRY(copy(list->click, values[0], &name->table));
    return list->database ? KAN_OK : copy(list->click, values[1], &name->database);
}

/* ---- what is behind others ------------------------------------------------------------------ */

static kan_status look_behind(kan_click *click, table_name of, unsigned depth, bool *keeps);
static kan_status look_at_facts(kan_click *click, const table_facts *facts, table_name of,
                                unsigned depth, bool *keeps);

/* Whether rows of a kind are those of other tables. */
static bool shows_others(const char *engine) {
    static const char *const kinds[] = {"View", "MaterializedView", "Distributed", "Merge",
                                        "Buffer"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(engine, kinds[i]) == 0)
            return true;
    return false;
}

typedef struct found_engines {
    bool keeps, shows;
} found_engines;

static kan_status take_engine(void *context, const kan_slice *values) {
    found_engines *found = context;
    char engine[128];
    const size_t size = values[0].size < sizeof engine - 1 ? values[0].size : sizeof engine - 1;
    memcpy(engine, values[0].bytes, size);
    engine[size] = '\0';
    found->keeps |= keeps_versions(engine);
    found->shows |= shows_others(engine);
    return KAN_OK;
}

/* What shows others on the shards is taken to be what it is here, under the same name; where there is
 * none here, for the worst. */
static kan_status look_at_namesake(kan_click *click, table_name of, unsigned depth, bool *keeps) {
    table_facts facts;
    if (click->server.knows_final)
        return KAN_OK;
    KAN_TRY(find_facts(click, of, &facts));
    *keeps = !facts.engine;
    return facts.engine && depth < MOST_DEPTH ? look_at_facts(click, &facts, of, depth + 1, keeps)
                                              : KAN_OK;
}

/* The tables of all shards. */
static kan_status look_at_shards(kan_click *click, const table_facts *facts, const char *database,
                                 unsigned depth, bool *keeps) {
    const char *names[3];
    found_engines found = {false, false};
    kan_text sql;
    kan_status status;
    KAN_TRY(kan_click_engine_names(click, facts->full, 3, names));
    const table_name part = {*names[1] ? names[1] : database, names[2]};
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "SELECT DISTINCT engine FROM cluster(");
    kan_click_add_text(&sql, names[0]);
    kan_text_print(&sql, ", system, tables) WHERE database = ");
    kan_click_add_text(&sql, part.database);
    kan_text_print(&sql, " AND name = ");
    kan_click_add_text(&sql, part.table);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_click_texts(&click->server, sql.bytes, "look at the tables of the shards", 1,
                                 &(kan_row_taker){take_engine, &found}));
    *keeps = found.keeps;
    if (found.shows && !found.keeps)
        status = look_at_namesake(click, part, depth, keeps);
done:
    kan_text_destroy(&sql);
    return status;
}

/* The tables that a Merge shows. */
static kan_status look_at_merged(kan_click *click, const table_facts *facts, table_name of,
                                 unsigned depth, bool *keeps) {
    name_list list = {.click = click};
    kan_text sql;
    kan_status status;
    KAN_TRY(kan_click_engine_names(click, facts->full, 1, &list.database));
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "SELECT DISTINCT _table FROM ");
    kan_click_add_name(&sql, of.database);
    kan_text_print(&sql, ".");
    kan_click_add_name(&sql, of.table);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_click_texts(&click->server, sql.bytes, "look at the tables behind it", 1,
                                 &(kan_row_taker){take_name, &list}));
    for (size_t i = 0; i < list.n && !*keeps; i++)
        KAN_TRY_DONE(look_behind(click, list.names[i], depth + 1, keeps));
done:
    kan_free(click->run, list.names);
    kan_text_destroy(&sql);
    return status;
}

/* What a materialized view fills: a table of its own, or one that it names behind TO. In later versions
 * its own is called by a number, and the view's statement says its engine. */
static kan_status look_at_filled(kan_click *click, const table_facts *facts, table_name of,
                                 unsigned depth, bool *keeps) {
    static const char to[] = " TO ", engine[] = "ENGINE = ";
    const char *named = strstr(facts->query, to), *select = strstr(facts->query, " AS SELECT ");
    const char *own = strstr(facts->query, engine);
    table_name target = {.database = of.database};
    if (named && (!select || named < select)) {
        const char *at = named + strlen(to);
        KAN_TRY(kan_click_read_name(click, &at, &target.table));
        if (*at == '.') {
            at++;
            target.database = target.table;
            KAN_TRY(kan_click_read_name(click, &at, &target.table));
        }
        return look_behind(click, target, depth + 1, keeps);
    }
    if (!own || (select && own > select))
        return KAN_OK;
    own += strlen(engine);
    found_engines found = {false, false};
    KAN_TRY(take_engine(&found, &(kan_slice){own, strcspn(own, " (\n")}));
    *keeps = found.keeps;
    return KAN_OK;
}

/* Whether a text has a word, whatever the case. */
static bool has_word(const char *text, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = text; n > 0 && (at = strcasestr(at, word)) != NULL; at++) {
        const bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

/* Tables that the statement of a view may name. One that groups, or says FINAL, has decided what a row
 * is. */
static kan_status look_at_viewed(kan_click *click, const table_facts *facts, unsigned depth,
                                 bool *keeps) {
    static const char sql[] =
        "SELECT name, database FROM system.tables WHERE engine LIKE '%MergeTree' OR engine IN "
        "('View', 'MaterializedView', 'Distributed', 'Merge', 'Buffer')";
    name_list list = {.click = click};
    const char *select = strstr(facts->query, " AS ");
    kan_status status = KAN_OK;
    select = select ? select : facts->query;
    if (click->server.knows_final || has_word(select, "FINAL") || strcasestr(select, "GROUP BY"))
        return KAN_OK;
    KAN_TRY_DONE(kan_click_texts(&click->server, sql, "look at the tables behind the view", 2,
                                 &(kan_row_taker){take_name, &list}));
    for (size_t i = 0; i < list.n && !*keeps; i++)
        if (has_word(select, list.names[i].table))
            KAN_TRY_DONE(look_behind(click, list.names[i], depth + 1, keeps));
done:
    kan_free(click->run, list.names);
    return status;
}

static kan_status look_at_buffered(kan_click *click, const table_facts *facts, unsigned depth,
                                   bool *keeps) {
    const char *names[2];
    KAN_TRY(kan_click_engine_names(click, facts->full, 2, names));
    return look_behind(click, (table_name){names[0], names[1]}, depth + 1, keeps);
}

static kan_status look_at_facts(kan_click *click, const table_facts *facts, table_name of,
                                unsigned depth, bool *keeps) {
    if (strcmp(facts->engine, "Distributed") == 0)
        return look_at_shards(click, facts, of.database, depth, keeps);
    if (strcmp(facts->engine, "Merge") == 0)
        return look_at_merged(click, facts, of, depth, keeps);
    if (strcmp(facts->engine, "Buffer") == 0)
        return look_at_buffered(click, facts, depth, keeps);
    if (strcmp(facts->engine, "MaterializedView") == 0)
        return look_at_filled(click, facts, of, depth, keeps);
    if (strcmp(facts->engine, "View") == 0)
        return look_at_viewed(click, facts, depth, keeps);
    *keeps = keeps_versions(facts->engine);
    return KAN_OK;
}

static kan_status look_behind(kan_click *click, table_name of, unsigned depth, bool *keeps) {
    table_facts facts;
    if (depth > MOST_DEPTH)
        return KAN_OK;
    KAN_TRY(find_facts(click, of, &facts));
    return facts.engine ? look_at_facts(click, &facts, of, depth, keeps) : KAN_OK;
}

/* ---- the table of the address --------------------------------------------------------------- */

static kan_status refuse(const kan_click *click, const char *engine) {
    const char *const remedy =
        strcmp(engine, "View") == 0
            ? "define in the view what a row is, with FINAL after that table or with GROUP BY"
        : strcmp(engine, "MaterializedView") == 0 ? "give the table that it fills instead"
        : kan_ends_with(engine, "MergeTree")
            ? "give a table or a view that defines what a row is (SELECT .. GROUP BY its key)"
            : "make a table of the rows that are meant (CREATE TABLE .. ENGINE = MergeTree "
              "ORDER BY tuple() AS SELECT .. FROM .. FINAL), on each server where there are "
              "several, and "
              "give that, or a Distributed table over those";
    return kan_fail(
        click->run, KAN_BAD_INPUT,
        "%s.%s: it is of the kind %s, and rows of it may be kept in several pieces until "
        "ClickHouse merges them, so that one person may count as several; %s",
        click->database, click->address->table, engine, remedy);
}

kan_status kan_click_find_kind(kan_click *click) {
    const table_name of = {click->database, click->address->table};
    table_facts facts;
    bool keeps = false;
    KAN_TRY(find_facts(click, of, &facts));
    if (!facts.engine)
        return KAN_OK; /* whoever asks for its columns says so */
    click->is_final = has_final(facts.engine);
    if (!click->is_final && strcmp(facts.engine, "Distributed") != 0)
        KAN_TRY(look_at_facts(click, &facts, of, 0, &keeps));
    return keeps ? refuse(click, facts.engine) : KAN_OK;
}

/* A shard that hangs would hang this, too: whoever makes a release has asked each before. */
kan_status kan_click_check_rows(void *connection) {
    kan_click *click = connection;
    const table_name of = {click->database, click->address->table};
    bool keeps = false;
    if (!click->cluster.is_there || click->is_checked)
        return KAN_OK;
    KAN_TRY(look_behind(click, of, 0, &keeps));
    if (keeps)
        return refuse(click, "Distributed");
    click->is_checked = true;
    return KAN_OK;
}
