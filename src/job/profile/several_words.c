/* How tables hang together, in sentences: who belongs to whom, what has to be mended, and what could be
 * seen in another way. No value of a table is in them. */
#include <inttypes.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/profile/several.h"

/* ---- words ---------------------------------------------------------------------------------- */

/* Names in sentences, a room each. */
typedef struct {
    char child[256], column[256], parent[256], key[256];
} names;

static void name(const kan_several *s, const kan_link *link, names *out) {
    const kan_link_key *key = &s->links.keys[link->key];
    snprintf(out->child, sizeof out->child, "%.80s", s->tables[link->child].name);
    snprintf(out->parent, sizeof out->parent, "%.80s", s->tables[key->table].name);
    kan_quote(kan_slice_of(kan_several_column(s, link->child, link->column)), out->column);
    kan_quote(kan_slice_of(kan_several_column(s, key->table, key->column)), out->key);
}

static size_t parent_of(const kan_several *s, const kan_link *link) {
    return s->links.keys[link->key].table;
}

static void add_line_number(const kan_several *s, size_t table, uint64_t line, kan_text *text) {
    char number[32];
    if (line > 0)
        kan_text_print(text, " (the first: %s, line %s)", s->tables[table].walk.input.name,
                       kan_count_text(line, number));
}

/* ---- the tree ------------------------------------------------------------------------------- */

static void say_people(const kan_several *s, kan_text *text) {
    const size_t people = s->tree.people;
    const kan_link_key *key = kan_several_key(s, people);
    char quoted[256];
    kan_text_print(text,
                   "%s has a row for each person: it belongs to no other table; its key is %s\n",
                   s->tables[people].name,
                   kan_quote(kan_slice_of(kan_several_column(s, people, key->column)), quoted));
    if (s->tree.other_people != KAN_NO_LINK)
        kan_text_print(
            text,
            "%s could as well be the table of people, and nothing tells the two apart; %s "
            "was taken, which was named first: name the other one first where that is wrong\n",
            s->tables[s->tree.other_people].name, s->tables[people].name);
}

static void say_link(const kan_several *s, const kan_link *link, kan_text *text) {
    const uint64_t childless = kan_link_childless(&s->links, link);
    const kan_link_key *key = &s->links.keys[link->key];
    char all[32], none[32], rows[32];
    names n;
    name(s, link, &n);
    kan_text_print(text, "each row of %s belongs to one of %s: %s is the key %s", n.child, n.parent,
                   n.column, n.key);
    if (kan_link_dangling(link) == 0)
        kan_text_print(text, ", and all %s rows match", kan_count_text(link->n_rows, rows));
    if (childless > 0)
        kan_text_print(text, "; %s of %s rows of %s have none", kan_count_text(childless, none),
                       kan_count_text(key->n_values, all), n.parent);
    kan_text_print(text, "\n");
    if (link->kind == KAN_LINK_VALUES)
        kan_text_print(
            text, "that %s of %s is the key of %s is a guess: their values agree, their names %s\n",
            n.column, n.child, n.parent, link->names == KAN_NAMES_PART ? "do in part" : "do not");
}

static void say_dangling(const kan_several *s, const kan_link *link, kan_text *text) {
    const uint64_t n_dangling = kan_link_dangling(link);
    char dangling[32], rows[32], missing[32];
    names n;
    if (n_dangling == 0)
        return;
    name(s, link, &n);
    kan_text_print(text, "%s of %s rows of %s %s: their %s is the key of no row of %s",
                   kan_count_text(n_dangling, dangling), kan_count_text(link->n_rows, rows),
                   n.child, kan_plural(n_dangling, "dangles", "dangle"), n.column, n.parent);
    add_line_number(s, link->child, s->tables[link->child].dangling_line, text);
    if (link->n_missing > 0)
        kan_text_print(text, ", and %s of them %s none", kan_count_text(link->n_missing, missing),
                       kan_plural(link->n_missing, "has", "have"));
    kan_text_print(text,
                   "; kanon anonymize refuses them: add what is missing to %s, or take these rows "
                   "out\n",
                   n.parent);
}

static void say_faulty(const kan_several *s, size_t table, kan_text *text) {
    const kan_link_key *key = kan_several_key(s, table);
    char quoted[256], missing[32], repeated[32];
    if (!key || kan_link_key_is_sound(key))
        return;
    kan_text_print(text,
                   "%s of %s is not the key of every row: %s %s none, %s %s that of an earlier row",
                   kan_quote(kan_slice_of(kan_several_column(s, table, key->column)), quoted),
                   s->tables[table].name, kan_count_text(key->n_missing, missing),
                   kan_plural(key->n_missing, "row has", "rows have"),
                   kan_count_text(key->n_repeated, repeated),
                   kan_plural(key->n_repeated, "row has", "rows have"));
    add_line_number(s, table, s->tables[table].faulty_line, text);
    kan_text_print(text, "; kanon anonymize refuses them: a key names one row\n");
}

/* ---- what could be seen in another way ------------------------------------------------------ */

static void say_equal(const kan_several *s, const kan_link *link, const kan_link *taken,
                      kan_text *text) {
    names n, t;
    name(s, link, &n);
    name(s, taken, &t);
    kan_text_print(
        text,
        "%s of %s points to %s as well, as its key %s, and nothing tells which of the two "
        "ties the tables; %s to %s was taken, which %s: decide it in the job file\n",
        n.column, n.child, n.parent, n.key, t.column, t.parent,
        taken->n_rows_matching > link->n_rows_matching       ? "matches more rows"
        : taken->n_values_matching > link->n_values_matching ? "has more parents"
                                                             : "stands first");
}

/* What values alone have in common is not told: it may be nothing. */
static bool is_telling(const kan_link *link) {
    return link->kind == KAN_LINK_CLEAR ||
           (link->kind == KAN_LINK_VALUES && link->names == KAN_NAMES_PART);
}

static void say_unused(const kan_several *s, const kan_link *link, kan_text *text) {
    const kan_link *taken = kan_several_link(s, link->child);
    names n, t = {.column = ""};
    name(s, link, &n);
    if (taken)
        name(s, taken, &t);
    if (link->use == KAN_LINK_EQUAL && taken)
        say_equal(s, link, taken, text);
    else if (link->use == KAN_LINK_ABOVE && is_telling(link) && taken)
        kan_text_print(
            text,
            "%s of %s is the key of %s, too: %s says it already, by the row of %s that it "
            "belongs to\n",
            n.column, n.child, n.parent, t.column, t.parent);
    else if (link->use == KAN_LINK_CIRCLE && is_telling(link) &&
             parent_of(s, link) != s->tree.other_people)
        kan_text_print(text,
                       "%s of %s points to %s, which is below it: a circle, and tables that belong "
                       "together are a tree; it ties nothing\n",
                       n.column, n.child, n.parent);
    else if (link->use == KAN_LINK_OTHER_KEY && is_telling(link) &&
             kan_link_key_is_sound(&s->links.keys[link->key]))
        kan_text_print(text,
                       "%s of %s points to %s by a second key, %s, and a table has one; it ties "
                       "nothing\n",
                       n.column, n.child, n.parent, n.key);
}

/* ---- tables without a place ----------------------------------------------------------------- */

/* Who looks up a table that has no place. */
static const kan_link *find_reader(const kan_several *s, size_t table) {
    for (size_t i = 0; i < s->links.n; i++) {
        const kan_link *link = &s->links.list[i];
        if (link->kind == KAN_LINK_CLEAR && parent_of(s, link) == table &&
            kan_link_is_placed(&s->tree, link->child))
            return link;
    }
    return NULL;
}

static bool is_alone(const kan_several *s, size_t table) {
    return s->tree.people == KAN_NO_LINK || !kan_link_is_placed(&s->tree, table);
}

static void say_alone(const kan_several *s, size_t table, kan_text *text) {
    const kan_link *reader = find_reader(s, table);
    names n;
    if (s->tree.people == KAN_NO_LINK)
        return;
    if (!reader) {
        kan_text_print(
            text,
            "%s hangs on nothing: none of its columns holds the key of another table; it is "
            "left out\n",
            s->tables[table].name);
        return;
    }
    name(s, reader, &n);
    kan_text_print(
        text,
        "%s is looked up by %s, by %s, and its rows belong to no person; it is left out: put "
        "its columns into %s where they are needed\n",
        n.parent, n.child, n.column, n.child);
}

/* Columns that are called like keys, and hold other values. */
static void say_near(const kan_several *s, const kan_link *link, kan_text *text) {
    char rows[32], all[32];
    names n;
    if (link->kind != KAN_LINK_NEAR || !is_alone(s, link->child))
        return;
    name(s, link, &n);
    kan_text_print(
        text,
        "%s of %s is called like the key %s of %s, and %s of %s rows have a value of it: %s?\n",
        n.column, n.child, n.key, n.parent, kan_count_text(link->n_rows_matching, rows),
        kan_count_text(link->n_rows, all),
        link->n_rows_matching == 0 ? "is it written in another way"
                                   : "are rows of that table missing");
}

/* Columns of the same name in two tables, as far as they can tie. */
static size_t find_shared(const kan_several *s, size_t a, size_t b, size_t most, size_t *columns) {
    const kan_input *input = &s->tables[a].walk.input;
    size_t n = 0, other;
    for (size_t c = 0; c < input->n_columns && n < most; c++)
        if ((s->tables[a].can[c] & KAN_LINK_KEY) &&
            kan_input_find(&s->tables[b].walk.input, kan_slice_of(input->columns[c]), &other) &&
            (s->tables[b].can[other] & KAN_LINK_KEY))
            columns[n++] = c;
    return n;
}

/* Two columns or more that name rows together. */
static kan_status say_composite(const kan_several *s, size_t a, size_t b, kan_text *text) {
    enum { MOST = 8 };
    size_t columns[MOST];
    const size_t n = find_shared(s, a, b, MOST, columns);
    bool is_key;
    char room[600];
    if (n < 2)
        return KAN_OK;
    KAN_TRY(kan_links_name_rows(s->run, s->looked_at[a].rows, columns, n, &is_key));
    if (!is_key)
        return KAN_OK;
    kan_name_list list = kan_names_begin(room, sizeof room, MOST);
    for (size_t i = 0; i < n; i++)
        kan_names_add_quoted(&list, kan_several_column(s, a, columns[i]));
    kan_text_print(
        text,
        "%s together name the rows of %s, and %s has them, too: keys of several columns are "
        "not taken; make one column of them in both tables\n",
        kan_names_end(&list), s->tables[a].name, s->tables[b].name);
    return KAN_OK;
}

/* How a table is written that a job over several cannot say. */
static void say_writing(const kan_several *s, size_t table, kan_text *text) {
    const kan_profile_walk *p = &s->tables[table].walk;
    char room[600];
    kan_name_list list = kan_names_begin(room, sizeof room, 8);
    for (size_t c = 0; p->conventions && c < p->input.n_columns; c++)
        if (p->conventions[c].is_notable && !p->conventions[c].is_taken)
            kan_names_add_quoted(&list, p->input.columns[c]);
    if (list.n > 0)
        kan_text_print(text,
                       "columns of %s are not written as kanon writes, and are read as they stand, "
                       "because a job over several tables cannot say it yet: %s\n",
                       s->tables[table].name, kan_names_end(&list));
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void say_tree(const kan_several *s, kan_text *text) {
    if (s->tree.people == KAN_NO_LINK) {
        kan_text_print(text,
                       "nothing ties these tables together: no column of one holds the key of "
                       "another; a key is a column of codes or whole numbers that every row "
                       "has, each its own\n");
        return;
    }
    say_people(s, text);
    for (size_t i = 1; i < s->tree.n_placed; i++)
        say_link(s, kan_several_link(s, s->order[i]), text);
    for (size_t i = 0; i < s->tree.n_placed; i++)
        say_faulty(s, s->order[i], text);
    for (size_t i = 1; i < s->tree.n_placed; i++)
        say_dangling(s, kan_several_link(s, s->order[i]), text);
}

kan_status kan_several_find_words(kan_several *s) {
    kan_text *text = &s->words;
    say_tree(s, text);
    for (size_t i = 0; i < s->links.n; i++)
        say_unused(s, &s->links.list[i], text);
    for (size_t t = 0; t < s->n; t++)
        if (is_alone(s, t))
            say_alone(s, t, text);
    for (size_t i = 0; i < s->links.n; i++)
        say_near(s, &s->links.list[i], text);
    for (size_t a = 0; a < s->n; a++)
        for (size_t b = 0; b < s->n; b++)
            if (a != b && (is_alone(s, a) || is_alone(s, b)))
                KAN_TRY(say_composite(s, a, b, text));
    for (size_t t = 0; t < s->n; t++)
        say_writing(s, t, text);
    return kan_text_status(text);
}
