/* Counting the people of a population group by group: see population.h.
 *
 * Both sets are sorted, and the groups of both are numbered along the same hierarchies, so the
 * groups of one nearly always come in the order of the other, and looking on from the last place
 * finds the next. Where they do not, it is looked for by bisection. */
#include "group/population.h"

#include <string.h>

/* ---- both tables in one set ----------------------------------------------------------------- */

static uint32_t group_above(const kan_dimension *dimension, uint32_t group, unsigned level) {
    return level == 0 ? group : dimension->maps[level][group];
}

/* back[group of the table at a level]: the only group of the population that is it, or KAN_NOBODY; false
 * where there are several. */
static bool invert(const kan_population *population, unsigned a, unsigned level,
                   const kan_space *space, uint32_t *back) {
    const uint32_t *map = population->maps[a][level];
    const uint32_t n = kan_dimension_groups(&population->space.dimensions[a], level);
    memset(back, 0xff, kan_dimension_groups(&space->dimensions[a], level) * sizeof *back);
    for (uint32_t group = 0; group < n; group++) {
        if (map[group] != KAN_NOBODY && back[map[group]] != KAN_NOBODY)
            return false;
        if (map[group] != KAN_NOBODY)
            back[map[group]] = group;
    }
    return true;
}

/* Whether the groups of the table are groups of the population at all levels, each within the same ones
 * above it. Then back[] is by the lowest level. */
static bool is_alike(const kan_population *population, unsigned a, const kan_space *space,
                     uint32_t *back) {
    const kan_dimension *here = &space->dimensions[a], *there = &population->space.dimensions[a];
    const uint32_t n = kan_dimension_groups(here, 0);
    for (unsigned level = here->height; level > 0; level--)
        if (!invert(population, a, level, space, back))
            return false;
    if (here->height != there->height || !invert(population, a, 0, space, back))
        return false;
    for (uint32_t group = 0; group < n; group++) {
        if (back[group] == KAN_NOBODY)
            return false;
        for (unsigned level = 0; level <= here->height; level++)
            if (population->maps[a][level][group_above(there, back[group], level)] !=
                group_above(here, group, level))
                return false;
    }
    return true;
}

/* Writes the field of one attribute of all tuples of the table into keys of the population. */
static kan_status add_field(const kan_population *population, const kan_space *space,
                            const kan_freqset *base, const kan_key_field *from,
                            const kan_layout *to, uint64_t *keys, bool *fits) {
    const unsigned a = from->dimension;
    const uint32_t n_groups = kan_dimension_groups(&space->dimensions[a], 0);
    const kan_key_field *field = to->fields;
    uint32_t *back;
    while (field->dimension != a)
        field++;
    KAN_TRY(kan_alloc(space->run, n_groups, sizeof *back, &back));
    *fits = is_alike(population, a, space, back);
    for (size_t i = 0; i < base->n && *fits; i++) {
        const uint32_t group =
            back[kan_key_field_value(from, base->keys + i * base->layout.n_words)];
        keys[i * to->n_words + field->word] |= (uint64_t)group << field->shift;
    }
    kan_free(space->run, back);
    return KAN_OK;
}

/* The tuples of the population, and after them those of the table. */
static kan_status list_both(const kan_population *population, const kan_space *space,
                            const kan_freqset *base, kan_freqset *out, bool *fits) {
    const kan_freqset *people = &population->base;
    const unsigned n_words = people->layout.n_words;
    KAN_TRY(kan_freqset_reserve(space->run, out, people->n + base->n));
    out->n = people->n + base->n;
    memcpy(out->keys, people->keys, people->n * n_words * sizeof *out->keys);
    memcpy(out->counts, people->counts, people->n * sizeof *out->counts);
    uint64_t *keys = out->keys + people->n * n_words;
    memset(keys, 0, base->n * n_words * sizeof *keys);
    for (size_t i = 0; i < base->n; i++)
        out->counts[people->n + i] = base->counts[i] << 32;
    for (unsigned f = 0; f < base->layout.n_fields && *fits; f++) {
        const kan_key_field *field = &base->layout.fields[f];
        if (field->dimension < population->space.n_attributes)
            KAN_TRY(add_field(population, space, base, field, &out->layout, keys, fits));
    }
    return KAN_OK;
}

static uint64_t sum_counts(const kan_freqset *set) {
    uint64_t sum = 0;
    for (size_t i = 0; i < set->n; i++)
        sum += set->counts[i];
    return sum;
}

kan_status kan_population_join(kan_population *population, const kan_space *space,
                               const kan_freqset *base) {
    kan_status status = KAN_OK;
    kan_workspace *workspace = NULL;
    kan_freqset both;
    const size_t n = population->base.n + base->n;
    const uint64_t bytes =
        20 * (uint64_t)(n + 1) * (population->base.layout.n_words + 1) * sizeof(uint64_t);
    bool fits = !population->has_person && n <= KAN_MOST_GROUPED_TUPLES &&
                kan_run_memory_left(space->run) > bytes && sum_counts(base) <= UINT32_MAX &&
                sum_counts(&population->base) <= UINT32_MAX;
    if (!fits)
        return KAN_OK;
    kan_freqset_init(&both);
    both.layout = population->base.layout;
    KAN_TRY_DONE(list_both(population, space, base, &both, &fits));
    if (!fits)
        goto done;
    KAN_TRY_DONE(kan_workspace_create(space->run, &workspace));
    /* The two parts are not in order one after the other, as only this kernel allows. */
    KAN_TRY_DONE(kan_freqset_regroup(&population->space, &both, &population->base.layout,
                                     KAN_KERNEL_RADIX, workspace, &population->joint));
    population->has_joint = true;
done:
    kan_workspace_destroy(workspace);
    kan_freqset_destroy(space->run, &both);
    return status;
}

/* ---- a set's groups ------------------------------------------------------------------------- */

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
    unsigned order[KAN_MAX_ATTRIBUTES + 1], levels[KAN_MAX_ATTRIBUTES + 1];
    kan_layout to;
    order[n] = population->space.n_attributes; /* the person */
    levels[n] = 0;
    for (unsigned f = 0; f < n; f++) {
        order[f] = like->fields[f].dimension;
        levels[f] = like->fields[f].level;
    }
    kan_layout_make(&population->space, order, levels, n + population->has_person, &to);
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
            counter->people[l.at] += counter->population->has_person ? 1 : set->counts[i];
    groups->people = counter->people;
    kan_groups_borrow(groups, &counter->edition);
    return KAN_OK;
}
