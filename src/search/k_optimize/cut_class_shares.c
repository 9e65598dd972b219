/* What every choice costs when it is made, by discernibility, in shares that add up over all
 * choices.
 *
 * When c is made, the rows of its parts of less than k are lost. Several choices may lose the same
 * row, which is then lost once: it is shared in equal parts among all open choices that would lose
 * it. What any choices lose together is then never less than the sum of their shares, and whatever
 * the others cost that are left comes on top (docs/papers/k-optimize.md). Costs time for the tuples
 * of the class once per attribute. */
#include <string.h>

#include "search/k_optimize/cut_class_scratch.h"

/* The next part of a choice after place *from that is too small to be released. */
static bool next_lost(const kan_cut_maker *maker, const kan_cut_class *made,
                      const kan_choice *choice, uint32_t *index, uint32_t *from, uint32_t *to) {
    const uint32_t *below = maker->scratch->below[choice->attribute];
    const uint32_t end = made->greatest[choice->attribute] + 1;
    while (*index <= choice->n_places) {
        uint32_t next = *index < choice->n_places ? choice->places[*index] : end;
        ++*index;
        next = next < end ? next : end;
        if (next <= *to)
            continue;
        *from = *to;
        *to = next;
        if (below[*to] - below[*from] < maker->space->k)
            return true;
    }
    return false;
}

/* Counts the choices that lose each place; false when no choice of the attribute loses any. */
static bool count_losing(kan_cut_maker *maker, const kan_cut_class *made, unsigned first,
                         unsigned end) {
    const kan_cut_space *space = maker->space;
    const unsigned a = space->choices[made->effects[first].choice].attribute;
    const uint32_t least = made->least[a], greatest = made->greatest[a];
    uint32_t *n_losing = maker->scratch->n_losing[a];
    bool has_any = false;
    for (unsigned i = first; i < end; i++)
        has_any |= made->effects[i].n_lost > 0;
    if (!has_any)
        return false;
    memset(n_losing + least, 0, (size_t)(greatest - least + 2) * sizeof *n_losing);
    memset(maker->scratch->worth[a] + least, 0,
           (size_t)(greatest - least + 1) * sizeof **maker->scratch->worth);
    for (unsigned i = first; i < end; i++) {
        uint32_t index = 0, from = least, to = least;
        while (
            made->effects[i].n_lost > 0 &&
            next_lost(maker, made, &space->choices[made->effects[i].choice], &index, &from, &to)) {
            n_losing[from]++;
            n_losing[to]--; /* wraps around, and back when summed */
        }
    }
    for (uint32_t place = least + 1; place <= greatest; place++)
        n_losing[place] += n_losing[place - 1];
    return true;
}

void kan_cut_class_shares(kan_cut_maker *maker, kan_cut_class *made) {
    kan_cut_scratch *s = maker->scratch;
    const kan_cut_space *space = maker->space;
    kan_cut_attributes chosen = {.n = 0};
    if (space->cost != KAN_CUT_DISCERNIBILITY || 2 * made->n_rows >= space->n_rows)
        return; /* a row that others joined may be as dear as a lost one */
    /* What a lost row costs more at least, whatever is left besides. */
    const uint64_t dearer = space->n_rows - 2 * made->n_rows;
    for (unsigned first = 0, end; first < made->n_effects; first = end) {
        const unsigned a = space->choices[made->effects[first].choice].attribute;
        for (end = first; end < made->n_effects; end++)
            if (space->choices[made->effects[end].choice].attribute != a)
                break;
        if (count_losing(maker, made, first, end))
            chosen.attribute[chosen.n++] = a;
    }
    for (size_t i = 0; i < made->n_atoms && chosen.n > 0; i++) {
        const uint64_t *key = made->keys + i * maker->words;
        uint32_t n_losing = 0;
        for (unsigned t = 0; t < chosen.n; t++)
            n_losing +=
                s->n_losing[chosen.attribute[t]][kan_cut_place(maker, key, chosen.attribute[t])];
        const uint64_t worth = n_losing > 0 ? made->rows[i] * dearer / n_losing : 0;
        for (unsigned t = 0; t < chosen.n && worth > 0; t++)
            s->worth[chosen.attribute[t]][kan_cut_place(maker, key, chosen.attribute[t])] += worth;
    }
    for (unsigned i = 0; i < made->n_effects; i++) {
        kan_cut_effect *effect = &made->effects[i];
        const kan_choice *choice = &space->choices[effect->choice];
        uint32_t index = 0, from = made->least[choice->attribute], to = from;
        uint64_t sum = 0;
        while (effect->n_lost > 0 && next_lost(maker, made, choice, &index, &from, &to))
            for (uint32_t place = from; place < to; place++)
                sum += s->worth[choice->attribute][place];
        effect->made_share = sum;
    }
}
