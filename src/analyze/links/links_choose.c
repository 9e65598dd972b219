/* What counts as a link, and the tree of tables.
 *
 * The better link is the clearer one; then one whose key is sound, and one of which no row dangles. What
 * agrees in all of that is equally good, and is told so, whichever is taken: the one to the table
 * further down, because that table's own link says the other one; else more rows that match, more
 * parents with a child, and in the end the order of tables and columns.
 *
 * Every table is tried as that of people. It grows a tree by the best link from a table that is not in
 * it to one that is; then each table moves to a better parent, while there is one that is not below
 * itself. Which table is taken: docs/papers/links.md. */
#include "analyze/links/links.h"

/* ---- kinds ---------------------------------------------------------------------------------- */

enum {
    LEAST_VALUES = 20,       /* that speak by themselves */
    MOST_DANGLING_EACH = 20, /* of whose rows at most one in so many dangles */
    LEAST_PARENTS = 10       /* of a name that is like it in part: one in so many */
};

/* Names speak where half of the rows have a value of the key. Values alone must do better: there are many,
 * hardly a row dangles, and half of the parents have a child. Small numbers are values of many a key. */
static bool do_values_speak(const kan_link_key *key, const kan_link *link) {
    return kan_link_key_is_sound(key) &&
           kan_link_dangling(link) <= link->n_rows / MOST_DANGLING_EACH &&
           (link->names == KAN_NAMES_PART ? LEAST_PARENTS * link->n_values_matching >= key->n_values
                                          : link->n_values_matching >= LEAST_VALUES &&
                                                2 * link->n_values_matching >= key->n_values);
}

static kan_link_kind kind_of(const kan_links *links, const kan_link *link) {
    if (link->n_rows == 0)
        return KAN_LINK_ACCIDENT;
    if (link->names == KAN_NAMES_ALIKE)
        return 2 * link->n_rows_matching >= link->n_rows ? KAN_LINK_CLEAR : KAN_LINK_NEAR;
    return do_values_speak(&links->keys[link->key], link) ? KAN_LINK_VALUES : KAN_LINK_ACCIDENT;
}

static bool is_good(const kan_link *link) {
    return link->kind >= KAN_LINK_VALUES;
}

/* Links of one class are equally good. */
static unsigned class_of(const kan_links *links, const kan_link *link) {
    return 4 * (unsigned)link->kind + 2 * (unsigned)kan_link_key_is_sound(&links->keys[link->key]) +
           (unsigned)(kan_link_dangling(link) == 0);
}

/* a / b < c / d, of counts of rows. */
static bool is_less(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    return (double)a * (double)d < (double)c * (double)b;
}

/* Whether it is to be taken before another of its class. */
static bool is_fuller(const kan_links *links, const kan_link *a, const kan_link *b) {
    if (a->n_rows_matching != b->n_rows_matching && a->child == b->child)
        return a->n_rows_matching > b->n_rows_matching;
    return is_less(b->n_values_matching, links->keys[b->key].n_values, a->n_values_matching,
                   links->keys[a->key].n_values);
}

/* ---- one key for each table ------------------------------------------------------------------ */

static bool is_usable(const kan_links *links, const kan_link *link) {
    return is_good(link) && links->keys[link->key].is_chosen;
}

/* How good the links to a key are, each child by its best. */
static unsigned worth_of_key(const kan_links *links, size_t n_tables, size_t key) {
    unsigned sum = 0;
    for (size_t t = 0; t < n_tables; t++) {
        unsigned best = 0;
        for (size_t i = 0; i < links->n; i++) {
            const kan_link *link = &links->list[i];
            if (link->key == key && link->child == t && is_good(link) &&
                class_of(links, link) > best)
                best = class_of(links, link);
        }
        sum += best;
    }
    return sum;
}

/* A row has one name, whoever points to it. A key with faults is one only where nothing points to a sound
 * one. */
static void choose_key(kan_links *links, size_t n_tables, size_t table) {
    kan_link_key *chosen = NULL;
    unsigned best = 0;
    for (size_t k = 0; k < links->n_keys; k++) {
        kan_link_key *key = &links->keys[k];
        const unsigned worth = key->table == table ? worth_of_key(links, n_tables, k) : 0;
        const bool is_sound = kan_link_key_is_sound(key);
        if (worth == 0 || (chosen && kan_link_key_is_sound(chosen) && !is_sound))
            continue;
        if (worth > best || (is_sound && !kan_link_key_is_sound(chosen))) {
            best = worth;
            chosen = key;
        }
    }
    if (chosen)
        chosen->is_chosen = true;
}

/* ---- a tree --------------------------------------------------------------------------------- */

typedef struct {
    const kan_link_table *tables;
    size_t n;
    kan_links *links;
    kan_link_tree tree;
} choice;

static size_t parent_of(const choice *c, const kan_link *link) {
    return c->links->keys[link->key].table;
}

bool kan_link_is_placed(const kan_link_tree *tree, size_t table) {
    return table == tree->people || tree->taken[table] != KAN_NO_LINK;
}

/* Whether a table is `top`, or below it. */
static bool is_below(const choice *c, size_t table, size_t top) {
    for (size_t steps = 0; steps <= c->n; steps++) {
        if (table == top)
            return true;
        if (c->tree.taken[table] == KAN_NO_LINK)
            return false;
        table = parent_of(c, &c->links->list[c->tree.taken[table]]);
    }
    return false;
}

static void grow(choice *c) {
    for (;;) {
        const kan_link *best = NULL;
        for (size_t i = 0; i < c->links->n; i++) {
            const kan_link *link = &c->links->list[i];
            if (!is_usable(c->links, link) || kan_link_is_placed(&c->tree, link->child) ||
                !kan_link_is_placed(&c->tree, parent_of(c, link)))
                continue;
            if (!best || class_of(c->links, link) > class_of(c->links, best) ||
                (class_of(c->links, link) == class_of(c->links, best) &&
                 is_fuller(c->links, link, best)))
                best = link;
        }
        if (!best)
            return;
        c->tree.taken[best->child] = (size_t)(best - c->links->list);
        c->tree.n_placed++;
    }
}

/* Whether a table moves from one link to another: a better one, or to a table below its parent. */
static bool is_better(const choice *c, const kan_link *link, const kan_link *taken) {
    const unsigned own = class_of(c->links, link), other = class_of(c->links, taken);
    const size_t parent = parent_of(c, link), before = parent_of(c, taken);
    if (own != other)
        return own > other;
    if (parent != before && (is_below(c, parent, before) || is_below(c, before, parent)))
        return is_below(c, parent, before);
    return is_fuller(c->links, link, taken);
}

static void improve(choice *c) {
    bool is_changed = true;
    for (size_t round = 0; is_changed && round < c->n; round++) {
        is_changed = false;
        for (size_t i = 0; i < c->links->n; i++) {
            const kan_link *link = &c->links->list[i];
            const size_t taken = c->tree.taken[link->child], parent = parent_of(c, link);
            if (taken == KAN_NO_LINK || taken == i || !is_usable(c->links, link) ||
                !kan_link_is_placed(&c->tree, parent) || is_below(c, parent, link->child) ||
                !is_better(c, link, &c->links->list[taken]))
                continue;
            c->tree.taken[link->child] = i;
            is_changed = true;
        }
    }
}

static void plant(choice *c, size_t people) {
    c->tree = (kan_link_tree){.people = people, .other_people = KAN_NO_LINK, .n_placed = 1};
    for (size_t t = 0; t < c->n; t++)
        c->tree.taken[t] = KAN_NO_LINK;
    grow(c);
    improve(c);
}

/* ---- people --------------------------------------------------------------------------------- */

/* What speaks for a tree: tables in it, how good their links are, and that its table is of people. */
typedef struct {
    size_t n_placed;
    unsigned classes, people;
} worth;

static worth worth_of(const choice *c) {
    worth w = {.n_placed = c->tree.n_placed};
    unsigned char can = 0;
    for (size_t t = 0; t < c->n; t++) {
        const size_t taken = c->tree.taken[t];
        if (taken == KAN_NO_LINK)
            continue;
        const kan_link *link = &c->links->list[taken];
        const kan_link_key *key = &c->links->keys[link->key];
        w.classes += class_of(c->links, link);
        if (key->table == c->tree.people)
            can |= c->tables[key->table].can[key->column];
    }
    w.people = 2 * (unsigned)((can & KAN_LINK_PERSON) != 0) +
               (unsigned)c->tables[c->tree.people].has_quasi;
    return w;
}

static int compare_worth(worth a, worth b) {
    if (a.n_placed != b.n_placed)
        return a.n_placed > b.n_placed ? 1 : -1;
    if (a.classes != b.classes)
        return a.classes > b.classes ? 1 : -1;
    return a.people != b.people ? (a.people > b.people ? 1 : -1) : 0;
}

/* ---- what became of the others -------------------------------------------------------------- */

static kan_link_use use_of(const choice *c, size_t number) {
    const kan_link *link = &c->links->list[number];
    const size_t taken = c->tree.taken[link->child], parent = parent_of(c, link);
    if (taken == number)
        return KAN_LINK_TAKEN;
    if (!is_good(link) || !kan_link_is_placed(&c->tree, link->child) ||
        !kan_link_is_placed(&c->tree, parent))
        return KAN_LINK_UNUSED;
    if (!c->links->keys[link->key].is_chosen)
        return KAN_LINK_OTHER_KEY;
    if (is_below(c, parent, link->child))
        return KAN_LINK_CIRCLE;
    const kan_link *best = &c->links->list[taken];
    const size_t above = parent_of(c, best);
    if (parent != above && is_below(c, above, parent))
        return KAN_LINK_ABOVE;
    return class_of(c->links, link) == class_of(c->links, best) ? KAN_LINK_EQUAL : KAN_LINK_UNUSED;
}

void kan_links_choose(const kan_link_table *tables, size_t n, kan_links *links,
                      kan_link_tree *out) {
    choice c = {.tables = tables, .n = n, .links = links};
    worth best = {0};
    kan_link_tree chosen = {.people = KAN_NO_LINK, .other_people = KAN_NO_LINK};
    for (size_t i = 0; i < links->n; i++)
        links->list[i].kind = kind_of(links, &links->list[i]);
    for (size_t t = 0; t < n; t++)
        choose_key(links, n, t);
    for (size_t t = 0; t < n; t++)
        chosen.taken[t] = KAN_NO_LINK;
    for (size_t t = 0; t < n; t++) {
        plant(&c, t);
        const worth own = worth_of(&c);
        const int order = compare_worth(own, best);
        if (own.n_placed < 2 || order < 0)
            continue;
        if (order == 0) {
            chosen.other_people = chosen.other_people == KAN_NO_LINK ? t : chosen.other_people;
            continue;
        }
        best = own;
        chosen = c.tree;
    }
    c.tree = chosen;
    for (size_t i = 0; i < links->n && chosen.people != KAN_NO_LINK; i++)
        links->list[i].use = use_of(&c, i);
    *out = chosen;
}
