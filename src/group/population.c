/* Counting the people of a population group by group: see population.h.
 *
 * Both sets are sorted, and the groups of both are numbered along the same hierarchies, so the
 * groups of one nearly always come in the order of the other, and looking on from the last place
 * finds the next. Where they do not, it is looked for by bisection. */
#include "group/population.h"

#include <string.h>

void kan_population_counter_init(kan_population_counter *counter,
                                 const kan_population *population) {
    *counter = (kan_population_counter){.population = population};
}

void kan_population_counter_destroy(kan_population_counter *counter, kan_run *run) {
    kan_workspace_destroy(counter->workspace);
    for (int i = 0; i < 2; i++)
        kan_freqset_destroy(run, &counter->sets[i]);
    kan_free(run, counter->people);
    kan_population_counter_init(counter, counter->population);
}

/* ---- the population at the levels of a set -------------------------------------------------- */

static unsigned n_attribute_fields(const kan_population *population, const kan_layout *layout) {
    unsigned n = 0;
    while (n < layout->n_fields && layout->fields[n].dimension < population->space.n_attributes)
        n++;
    return n;
}

/* Whether a set can be made of the one that was made last: the same attributes, none higher. */
static bool is_below(const kan_layout *low, const kan_layout *high) {
    if (low->n_fields == 0 || low->n_fields != high->n_fields)
        return false;
    for (unsigned f = 0; f < low->n_fields; f++)
        if (low->fields[f].dimension != high->fields[f].dimension ||
            low->fields[f].level > high->fields[f].level)
            return false;
    return true;
}

static kan_status roll_up(kan_population_counter *counter, kan_run *run, const kan_layout *like) {
    const kan_population *population = counter->population;
    const unsigned n = n_attribute_fields(population, like);
    unsigned order[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    kan_layout to;
    for (unsigned f = 0; f < n; f++) {
        order[f] = like->fields[f].dimension;
        levels[f] = like->fields[f].level;
    }
    kan_layout_make(&population->space, order, levels, n, &to);
    if (!counter->workspace)
        KAN_TRY(kan_workspace_create(run, &counter->workspace));
    const kan_freqset *from = &counter->sets[counter->last];
    if (!is_below(&from->layout, &to))
        from = &population->base;
    counter->last = 1 - counter->last;
    kan_freqset *made = &counter->sets[counter->last];
    const kan_status status = kan_freqset_regroup(&population->space, from, &to, KAN_KERNEL_AUTO,
                                                  counter->workspace, made);
    if (status != KAN_OK)
        made->layout.n_fields = 0; /* nothing is made of it */
    return status;
}

/* ---- looking groups up ---------------------------------------------------------------------- */

/* The groups of a set in their order, and the last place that was looked at. */
typedef struct {
    const kan_groups *groups;
    const kan_layout *layout;
    unsigned n_fields; /* of attributes */
    uint64_t mask[KAN_MAX_WORDS];
    size_t at;
} lookup;

static void lookup_init(lookup *l, const kan_groups *groups, unsigned n_fields) {
    *l = (lookup){.groups = groups, .layout = &groups->set->layout, .n_fields = n_fields};
    for (unsigned f = 0; f < n_fields; f++) {
        const kan_key_field *field = &l->layout->fields[f];
        const uint64_t ones = field->bits ? ~UINT64_C(0) >> (64 - field->bits) : 0;
        l->mask[field->word] |= ones << field->shift;
    }
}

/* The key of a group, its attributes alone, against one; below 0, 0 or above 0. */
static int compare(const lookup *l, size_t group, const uint64_t *key) {
    const unsigned n_words = l->layout->n_words;
    const size_t tuple = l->groups->first_tuple ? l->groups->first_tuple[group] : group;
    const uint64_t *here = l->groups->set->keys + tuple * n_words;
    for (unsigned w = 0; w < n_words; w++) {
        const uint64_t word = here[w] & l->mask[w];
        if (word != key[w])
            return word < key[w] ? -1 : 1;
    }
    return 0;
}

static bool find_group(lookup *l, const uint64_t *key) {
    const size_t n = l->groups->n_groups;
    if (l->at > 0 && compare(l, l->at - 1, key) >= 0) {
        size_t low = 0, high = l->at;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (compare(l, middle, key) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        l->at = low;
    }
    while (l->at < n && compare(l, l->at, key) < 0)
        l->at++;
    return l->at < n && compare(l, l->at, key) == 0;
}

/* The key that a group of the population has in the table; false where it has none. */
static bool map_key(const kan_population_counter *counter, const lookup *l, const uint64_t *from,
                    uint64_t *key) {
    memset(key, 0, l->layout->n_words * sizeof *key);
    for (unsigned f = 0; f < l->n_fields; f++) {
        const kan_key_field *field = &l->layout->fields[f];
        const uint32_t *map = counter->population->maps[field->dimension][field->level];
        const uint32_t group =
            map[kan_key_field_value(&counter->sets[counter->last].layout.fields[f], from)];
        if (group == KAN_NOBODY)
            return false;
        key[field->word] |= (uint64_t)group << field->shift;
    }
    return true;
}

kan_status kan_population_count(kan_population_counter *counter, kan_run *run, kan_groups *groups) {
    lookup l;
    uint64_t key[KAN_MAX_WORDS];
    KAN_ASSERT(kan_groups_is_fresh(groups));
    counter->edition++;
    KAN_TRY(roll_up(counter, run, &groups->set->layout));
    const kan_freqset *set = &counter->sets[counter->last];
    KAN_TRY(kan_reserve(run, groups->n_groups + 1, sizeof *counter->people, &counter->room,
                        &counter->people));
    memset(counter->people, 0, groups->n_groups * sizeof *counter->people);
    lookup_init(&l, groups, n_attribute_fields(counter->population, &groups->set->layout));
    for (size_t i = 0; i < set->n; i++)
        if (map_key(counter, &l, set->keys + i * set->layout.n_words, key) && find_group(&l, key))
            counter->people[l.at] += set->counts[i];
    groups->people = counter->people;
    kan_groups_borrow(groups, &counter->edition);
    return KAN_OK;
}
