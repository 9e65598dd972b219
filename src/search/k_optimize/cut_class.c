/* Making classes: dividing one by the made choices, joining tuples that no open choice divides, and
 * counting both sides of every open choice. Cells and bounds are in cut_class_cells.c, pairs of
 * choices in cut_class_pairs.c. Costs time for the tuples of the class, once per attribute. */
#include "search/k_optimize/cut_class.h"

#include <string.h>

#include "search/k_optimize/cut_class_scratch.h"

/* ---- the maker ------------------------------------------------------------------------------- */

static void lay_out(kan_cut_maker *maker) {
    unsigned word = 0, used = 0;
    for (unsigned a = 0; a < maker->space->n_attributes; a++) {
        unsigned bits = 1;
        while (bits < 32 && maker->space->n_places[a] >> bits)
            bits++;
        if (used + bits > 64) {
            word++;
            used = 0;
        }
        maker->fields[a] = (struct kan_cut_field){word, used, ~UINT64_C(0) >> (64 - bits)};
        used += bits;
    }
    maker->words = word + 1;
}

static kan_status take_tables(kan_cut_maker *maker, kan_cut_scratch *s) {
    const kan_cut_space *space = maker->space;
    const size_t n = space->n_tuples, classes = space->n_classes;
    s->n_slots = 16;
    while (s->n_slots < 2 * n)
        s->n_slots *= 2;
    KAN_TRY(kan_arena_alloc(&s->arena, s->n_slots, sizeof *s->slots, &s->slots));
    KAN_TRY(kan_arena_alloc(&s->arena, s->n_slots / 8, sizeof *s->filter, &s->filter));
    KAN_TRY(kan_arena_alloc(&s->arena, n * maker->words, sizeof *s->mapped, &s->mapped));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->order, &s->order));
    KAN_TRY(kan_arena_alloc(&s->arena, n + 2, sizeof *s->part_start, &s->part_start));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->by_place, &s->by_place));
    KAN_TRY(kan_arena_alloc(&s->arena, n * maker->words, sizeof *s->cell_keys, &s->cell_keys));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->cell_rows, &s->cell_rows));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->cell_of, &s->cell_of));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->cell_lost, &s->cell_lost));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->touched, &s->touched));
    memset(s->cell_lost, 0, n * sizeof *s->cell_lost);
    if (classes > 0) {
        const size_t room = n * classes;
        KAN_TRY(kan_arena_alloc(&s->arena, room, sizeof *s->cell_class_rows, &s->cell_class_rows));
        KAN_TRY(kan_arena_alloc(&s->arena, room, sizeof *s->cell_lost_class, &s->cell_lost_class));
        memset(s->cell_lost_class, 0, room * sizeof *s->cell_lost_class);
        KAN_TRY(kan_arena_alloc(&s->arena, classes, sizeof *s->is_label, &s->is_label));
    }
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->is_paired, &s->is_paired));
    KAN_TRY(kan_arena_alloc(&s->arena, space->n_choices, sizeof *s->effects, &s->effects));
    KAN_TRY(kan_arena_alloc(&s->arena, space->n_choices, sizeof *s->mark, &s->mark));
    memset(s->mark, 0, space->n_choices * sizeof *s->mark);
    size_t most_places = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const size_t places = (size_t)space->n_places[a] + 2;
        most_places = places > most_places ? places : most_places;
        KAN_TRY(kan_arena_alloc(&s->arena, places, sizeof(uint32_t), &s->start_of[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, places, sizeof(uint32_t), &s->below[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, places, sizeof(uint32_t), &s->column[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, places, sizeof(uint32_t), &s->border[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, places, sizeof(int32_t), &s->effect_of[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, places, sizeof(uint32_t), &s->n_losing[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, places, sizeof(uint64_t), &s->worth[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof(uint16_t), &s->dense[a]));
        KAN_TRY(kan_arena_alloc(&s->arena, places * classes + 1, sizeof(uint32_t),
                                &s->values_below[a]));
    }
    KAN_TRY(kan_arena_alloc(&s->arena, most_places, sizeof *s->place_start, &s->place_start));
    return kan_arena_alloc(&s->arena, most_places, sizeof *s->cells_below, &s->cells_below);
}

static kan_status take_tables_of_binary(const kan_cut_space *space, kan_cut_scratch *s) {
    const size_t n = space->n_tuples;
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->binary, &s->binary));
    KAN_TRY(kan_arena_alloc(&s->arena, space->n_choices, sizeof *s->binary_low, &s->binary_low));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->cell_binary, &s->cell_binary));
    KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof *s->cell_binary_lost, &s->cell_binary_lost));
    memset(s->cell_binary_lost, 0, n * sizeof *s->cell_binary_lost);
    for (unsigned a = 0; a < space->n_attributes; a++)
        KAN_TRY(kan_arena_alloc(&s->arena, (size_t)space->n_places[a] + 1, sizeof(uint64_t),
                                &s->binary_below[a]));
    return KAN_OK;
}

kan_status kan_cut_maker_create(const kan_cut_space *space, uint64_t limit, kan_cut_maker *out) {
    memset(out, 0, sizeof *out);
    out->space = space;
    out->limit = limit;
    kan_stack_init(&out->stack, space->run);
    lay_out(out);
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *out->scratch, &out->scratch));
    kan_arena_init(&out->scratch->arena, space->run);
    KAN_TRY(kan_alloc_zero(space->run, (size_t)space->n_choices + 1, 1, &out->decision));
    KAN_TRY(take_tables(out, out->scratch));
    out->is_binary = kan_cut_is_binary(out);
    return out->is_binary ? take_tables_of_binary(space, out->scratch) : KAN_OK;
}

void kan_cut_maker_destroy(kan_cut_maker *maker) {
    if (!maker->space)
        return;
    kan_run *run = maker->space->run;
    kan_stack_destroy(&maker->stack);
    if (maker->scratch) {
        kan_free(run, maker->scratch->table);
        kan_arena_destroy(&maker->scratch->arena);
    }
    kan_free(run, maker->scratch);
    kan_free(run, maker->decision);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static inline size_t group_keys(kan_cut_scratch *s, size_t n, const unsigned words, uint64_t *keys,
                                uint32_t *group_of) {
    size_t n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *key = s->mapped + i * words;
        const uint64_t hash = kan_cut_hash(key, words);
        size_t slot = hash >> s->slot_shift;
        while (s->slots[slot] != UINT32_MAX &&
               !kan_cut_is_same(keys + (size_t)s->slots[slot] * words, key, words))
            slot = (slot + 1) & s->slot_mask;
        if (s->slots[slot] == UINT32_MAX) {
            const uint64_t bit = hash >> s->filter_shift;
            s->filter[bit / 64] |= UINT64_C(1) << bit % 64;
            s->slots[slot] = (uint32_t)n_groups;
            for (unsigned w = 0; w < words; w++)
                keys[n_groups * words + w] = key[w];
            n_groups++;
        }
        group_of[i] = s->slots[slot];
    }
    return n_groups;
}

size_t kan_cut_group(kan_cut_maker *maker, size_t n, uint64_t *keys, uint32_t *group_of) {
    kan_cut_scratch *s = maker->scratch;
    unsigned bits = 4;
    while ((size_t)1 << bits < 2 * n)
        bits++;
    s->slot_mask = ((size_t)1 << bits) - 1;
    s->slot_shift = 64 - bits;
    s->filter_shift = 64 - bits - 3;
    memset(s->slots, 0xff, (s->slot_mask + 1) * sizeof *s->slots);
    memset(s->filter, 0, (s->slot_mask + 1));
    return maker->words == 1 ? group_keys(s, n, 1, keys, group_of)
                             : group_keys(s, n, maker->words, keys, group_of);
}

/* Which bits of each word stay as they are. */
static void find_kept(const kan_cut_maker *maker, const kan_cut_attributes *chosen,
                      bool keeps_others, uint64_t *kept) {
    for (unsigned w = 0; w < maker->words; w++)
        kept[w] = keeps_others ? ~UINT64_C(0) : 0;
    for (unsigned t = 0; t < chosen->n; t++) {
        const struct kan_cut_field *field = &maker->fields[chosen->attribute[t]];
        kept[field->word] &= ~(field->mask << field->shift);
    }
}

/* The places of one attribute, replaced, into keys of one word. */
static void map_attribute(const kan_cut_maker *maker, const uint64_t *keys, const uint32_t *order,
                          size_t n, unsigned a, const uint32_t *table) {
    const struct kan_cut_field field = maker->fields[a];
    uint64_t *mapped = maker->scratch->mapped;
    for (size_t i = 0; i < n && order; i++)
        mapped[i] |= (uint64_t)table[keys[order[i]] >> field.shift & field.mask] << field.shift;
    for (size_t i = 0; i < n && !order; i++)
        mapped[i] |= (uint64_t)table[keys[i] >> field.shift & field.mask] << field.shift;
}

static void map_words(const kan_cut_maker *maker, const uint64_t *key, const uint64_t *kept,
                      const kan_cut_attributes *chosen, uint32_t *const *table, uint64_t *mapped) {
    for (unsigned w = 0; w < maker->words; w++)
        mapped[w] = key[w] & kept[w];
    for (unsigned t = 0; t < chosen->n; t++) {
        const struct kan_cut_field *field = &maker->fields[chosen->attribute[t]];
        mapped[field->word] |=
            (uint64_t)table[chosen->attribute[t]][kan_cut_place(maker, key, chosen->attribute[t])]
            << field->shift;
    }
}

void kan_cut_project(kan_cut_maker *maker, const uint64_t *keys, size_t n,
                     const kan_cut_attributes *chosen, uint32_t *const *table) {
    uint64_t *mapped = maker->scratch->mapped;
    uint64_t kept[KAN_MAX_ATTRIBUTES];
    find_kept(maker, chosen, false, kept);
    if (maker->words == 1) {
        memset(mapped, 0, n * sizeof *mapped);
        for (unsigned t = 0; t < chosen->n; t++)
            map_attribute(maker, keys, NULL, n, chosen->attribute[t], table[chosen->attribute[t]]);
        return;
    }
    for (size_t i = 0; i < n; i++)
        map_words(maker, keys + i * maker->words, kept, chosen, table, mapped + i * maker->words);
}

void kan_cut_replace_places(kan_cut_maker *maker, const uint64_t *keys, const uint32_t *order,
                            size_t n, const kan_cut_attributes *chosen, uint32_t *const *table) {
    uint64_t *mapped = maker->scratch->mapped;
    uint64_t kept[KAN_MAX_ATTRIBUTES];
    find_kept(maker, chosen, true, kept);
    if (maker->words == 1) {
        for (size_t i = 0; i < n; i++)
            mapped[i] = keys[order[i]] & kept[0];
        for (unsigned t = 0; t < chosen->n; t++)
            map_attribute(maker, keys, order, n, chosen->attribute[t], table[chosen->attribute[t]]);
        return;
    }
    for (size_t i = 0; i < n; i++)
        map_words(maker, keys + (size_t)order[i] * maker->words, kept, chosen, table,
                  mapped + i * maker->words);
}

/* ---- tuples --------------------------------------------------------------------------------- */

static kan_status take_atoms(kan_cut_maker *maker, size_t n, kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    KAN_TRY(kan_stack_take(&maker->stack, n * maker->words, sizeof *made->keys, &made->keys));
    KAN_TRY(kan_stack_take(&maker->stack, n, sizeof *made->rows, &made->rows));
    if (space->n_classes > 0)
        KAN_TRY(kan_stack_take(&maker->stack, n * space->n_classes, sizeof *made->class_rows,
                               &made->class_rows));
    KAN_TRY(kan_stack_take(&maker->stack, space->n_attributes, sizeof *made->least, &made->least));
    return kan_stack_take(&maker->stack, space->n_attributes, sizeof *made->greatest,
                          &made->greatest);
}

static kan_status new_class(kan_cut_maker *maker, kan_cut_class **out) {
    KAN_TRY(kan_stack_take(&maker->stack, 1, sizeof **out, out));
    memset(*out, 0, sizeof **out);
    return KAN_OK;
}

kan_status kan_cut_class_whole(kan_cut_maker *maker, kan_cut_class **out) {
    const kan_cut_space *space = maker->space;
    kan_cut_class *made;
    KAN_TRY(new_class(maker, &made));
    KAN_TRY(take_atoms(maker, space->n_tuples, made));
    made->n_atoms = space->n_tuples;
    made->n_rows = space->n_rows;
    memset(made->keys, 0, space->n_tuples * maker->words * sizeof *made->keys);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const struct kan_cut_field *field = &maker->fields[a];
        for (size_t i = 0; i < space->n_tuples; i++)
            made->keys[i * maker->words + field->word] |= (uint64_t)space->places[a][i]
                                                          << field->shift;
        made->least[a] = 0;
        made->greatest[a] = space->n_places[a] ? space->n_places[a] - 1 : 0;
    }
    memcpy(made->rows, space->rows, space->n_tuples * sizeof *made->rows);
    if (space->n_classes > 0)
        memcpy(made->class_rows, space->class_rows,
               space->n_tuples * space->n_classes * sizeof *made->class_rows);
    made->is_raw = true;
    made->axis = -1;
    *out = made;
    return KAN_OK;
}

/* Attributes with a choice that was left since the class was made: what stands where in them. */
static void find_starts(kan_cut_maker *maker, const kan_cut_class *from,
                        kan_cut_attributes *changed) {
    const kan_cut_space *space = maker->space;
    bool is_changed[KAN_MAX_ATTRIBUTES] = {false};
    for (unsigned i = 0; i < from->n_effects; i++)
        if (maker->decision[from->effects[i].choice] == KAN_CUT_LEFT)
            is_changed[space->choices[from->effects[i].choice].attribute] = true;
    changed->n = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        if (!is_changed[a] && (!from->is_raw || (from->axis >= 0 && from->axis != (int)a)))
            continue;
        changed->attribute[changed->n++] = a;
        uint32_t start = from->least[a];
        while (start > 0 && (space->choice_at[a][start] < 0 ||
                             maker->decision[space->choice_at[a][start]] == KAN_CUT_LEFT))
            start--;
        for (uint32_t place = start; place <= from->greatest[a]; place++) {
            const int choice = space->choice_at[a][place];
            if (choice >= 0 && maker->decision[choice] != KAN_CUT_LEFT)
                start = place;
            maker->scratch->start_of[a][place] = start;
        }
    }
}

/* The atoms order[first .. end-1] of `from`, as they are. */
static kan_status copy_atoms(kan_cut_maker *maker, const kan_cut_class *from, const uint32_t *order,
                             size_t n, kan_cut_class *made) {
    const unsigned words = maker->words, classes = maker->space->n_classes;
    KAN_TRY(take_atoms(maker, n, made));
    made->n_atoms = n;
    for (size_t i = 0; i < n; i++) {
        for (unsigned w = 0; w < words; w++)
            made->keys[i * words + w] = from->keys[order[i] * words + w];
        made->rows[i] = from->rows[order[i]];
        for (unsigned c = 0; c < classes; c++)
            made->class_rows[i * classes + c] = from->class_rows[order[i] * classes + c];
    }
    return KAN_OK;
}

/* The same, joined where no open choice divides them any more. */
static kan_status gather(kan_cut_maker *maker, const kan_cut_class *from, size_t first, size_t end,
                         const kan_cut_attributes *changed, kan_cut_class *made) {
    kan_cut_scratch *s = maker->scratch;
    const unsigned words = maker->words, classes = maker->space->n_classes;
    const uint32_t *order = s->order + first;
    const size_t n = end - first;
    if (changed->n == 0)
        return copy_atoms(maker, from, order, n, made);
    /* Keys of cells are not in use yet: what is joined stands there until its number is known. */
    kan_cut_replace_places(maker, from->keys, order, n, changed, s->start_of);
    const size_t n_atoms = kan_cut_group(maker, n, s->cell_keys, s->cell_of);
    KAN_TRY(take_atoms(maker, n_atoms, made));
    made->n_atoms = n_atoms;
    memcpy(made->keys, s->cell_keys, n_atoms * words * sizeof *made->keys);
    memset(made->rows, 0, n_atoms * sizeof *made->rows);
    for (size_t i = 0; i < n; i++)
        made->rows[s->cell_of[i]] += from->rows[order[i]];
    if (classes == 0)
        return KAN_OK;
    memset(made->class_rows, 0, n_atoms * classes * sizeof *made->class_rows);
    for (size_t i = 0; i < n; i++)
        for (unsigned c = 0; c < classes; c++)
            made->class_rows[s->cell_of[i] * classes + c] +=
                from->class_rows[order[i] * classes + c];
    return KAN_OK;
}

/* ---- both sides of every choice ------------------------------------------------------------- */

static void count_attribute(kan_cut_maker *maker, unsigned a, uint32_t least, uint32_t greatest,
                            kan_cut_class *made) {
    uint32_t *below = maker->scratch->below[a];
    const struct kan_cut_field field = maker->fields[a];
    const uint64_t *keys = made->keys + field.word;
    memset(below + least, 0, (size_t)(greatest - least + 2) * sizeof *below);
    if (maker->words == 1)
        for (size_t i = 0; i < made->n_atoms; i++)
            below[keys[i] >> field.shift & field.mask] += made->rows[i];
    else
        for (size_t i = 0; i < made->n_atoms; i++)
            below[keys[i * maker->words] >> field.shift & field.mask] += made->rows[i];
    while (least < greatest && below[least] == 0)
        least++;
    while (least < greatest && below[greatest] == 0)
        greatest--;
    uint32_t sum = 0;
    for (uint32_t place = least; place <= greatest; place++) {
        const uint32_t here = below[place];
        below[place] = sum;
        sum += here;
    }
    below[greatest + 1] = sum;
    made->least[a] = least;
    made->greatest[a] = greatest;
}

/* below[a][place]: rows at lower places, for the places of the class and the one after. Attributes
 * that no open choice divides are of no interest any more, and stay as they were. */
static void count_places(kan_cut_maker *maker, const kan_cut_class *from,
                         const kan_cut_attributes *changed, kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    bool is_open[KAN_MAX_ATTRIBUTES] = {false};
    for (unsigned i = 0; i < from->n_effects; i++)
        if (maker->decision[from->effects[i].choice] == KAN_CUT_OPEN)
            is_open[space->choices[from->effects[i].choice].attribute] = true;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        made->least[a] = from->least[a];
        made->greatest[a] = from->greatest[a];
    }
    /* Joined tuples stand at the first of their places, which the class may not have had. */
    for (unsigned t = 0; t < changed->n; t++)
        made->least[changed->attribute[t]] =
            maker->scratch->start_of[changed->attribute[t]][from->least[changed->attribute[t]]];
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (is_open[a] || from->is_raw)
            count_attribute(maker, a, made->least[a], made->greatest[a], made);
}

/* The parts that a choice divides the class into; false when it does not. */
static bool look_at(const kan_cut_maker *maker, const kan_cut_class *made, unsigned choice,
                    bool is_half, kan_cut_effect *effect) {
    const kan_cut_space *space = maker->space;
    const kan_choice *at = &space->choices[choice];
    const uint32_t *below = maker->scratch->below[at->attribute];
    const uint32_t least = made->least[at->attribute], greatest = made->greatest[at->attribute];
    uint64_t kept = 0, squares = 0, all_squares = 0, from = 0;
    unsigned n_kept = 0, n_parts = 0;
    uint32_t n_lost = 0;
    for (uint32_t i = 0; i <= at->n_places; i++) {
        const bool is_last = i == at->n_places || at->places[i] > greatest;
        if (!is_last && at->places[i] <= least)
            continue;
        const uint64_t to = is_last ? made->n_rows : below[at->places[i]];
        const uint64_t rows = to - from;
        from = to;
        n_parts += rows > 0;
        all_squares += rows * rows;
        if (rows >= space->k) {
            n_kept++;
            kept += rows;
            squares += rows * rows;
        } else {
            n_lost += (uint32_t)rows;
        }
        if (is_last)
            break;
    }
    if (n_parts < 2)
        return false;
    memset(effect, 0, sizeof *effect);
    effect->choice = choice;
    effect->n_lost = n_lost;
    effect->divides_cells = n_kept > 1 || is_half;
    if (is_half) /* losing rows of so large a class may pay */
        effect->apart = (made->n_rows * made->n_rows - all_squares) / 2;
    else if (n_kept > 1)
        effect->apart = (kept * kept - squares) / 2;
    return true;
}

/* The majority of k rows or more has an even share of k at least. */
static void find_labels(kan_cut_maker *maker, const kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    kan_cut_scratch *s = maker->scratch;
    const unsigned classes = space->n_classes;
    s->n_labels = 0;
    for (unsigned c = 0; c < classes; c++) {
        uint64_t rows = 0;
        for (size_t i = 0; i < made->n_atoms; i++)
            rows += made->class_rows[i * classes + c];
        s->is_label[c] = rows > 0 && rows * classes >= space->k;
        s->n_labels += s->is_label[c];
    }
}

/* With one label, all groups have the same majority: no choice sets anything apart. */
static void settle_effects(kan_cut_maker *maker, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        maker->scratch->effects[i].divides_cells = false;
        maker->scratch->effects[i].apart = 0;
    }
}

static kan_status find_effects(kan_cut_maker *maker, kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    kan_cut_scratch *s = maker->scratch;
    /* A row costs no more released than lost as long as its class has at most half of all rows. */
    const bool is_half = space->cost == KAN_CUT_DISCERNIBILITY && 2 * made->n_rows > space->n_rows;
    unsigned n = 0;
    s->stamp++;
    for (unsigned a = 0; a < space->n_attributes; a++)
        for (uint32_t place = made->least[a] + 1; place <= made->greatest[a]; place++) {
            const int choice = space->choice_at[a][place];
            if (choice < 0 || maker->decision[choice] != KAN_CUT_OPEN ||
                s->mark[choice] == s->stamp)
                continue;
            s->mark[choice] = s->stamp;
            n += look_at(maker, made, (unsigned)choice, is_half, &s->effects[n]);
        }
    find_labels(maker, made);
    if (space->cost == KAN_CUT_CLASSIFICATION && s->n_labels < 2)
        settle_effects(maker, n);
    else if (space->cost == KAN_CUT_CLASSIFICATION)
        kan_cut_class_apart(maker, made, s->effects, n);
    made->n_effects = n;
    KAN_TRY(kan_stack_take(&maker->stack, n, sizeof *made->effects, &made->effects));
    memcpy(made->effects, s->effects, n * sizeof *made->effects);
    return KAN_OK;
}

/* Pairs that a class has room for. */
static size_t n_pairs(const kan_cut_maker *maker, const kan_cut_class *class_) {
    const bool is_wanted =
        maker->wants_pairs && class_->n_effects > 1 && class_->n_effects <= KAN_CUT_MOST_PAIRED;
    return is_wanted ? kan_cut_pair(0, class_->n_effects) : 0;
}

static kan_status take_pairs(kan_cut_maker *maker, kan_cut_class *made) {
    return kan_stack_take(&maker->stack, n_pairs(maker, made), sizeof *made->pair_lost,
                          &made->pair_lost);
}

/* Leaving choices changes nothing about the rows that others lose. */
static void copy_pairs(const kan_cut_class *from, kan_cut_class *made) {
    uint32_t was[KAN_CUT_MOST_PAIRED]; /* effect -> that of the class before */
    for (unsigned i = 0, j = 0; i < made->n_effects; i++) {
        while (from->effects[j].choice != made->effects[i].choice)
            j++;
        KAN_ASSERT(j < from->n_effects);
        was[i] = j++;
    }
    for (size_t y = 1; y < made->n_effects; y++)
        for (size_t x = 0; x < y; x++)
            made->pair_lost[kan_cut_pair(x, y)] = from->pair_lost[kan_cut_pair(was[x], was[y])];
    made->has_pairs = true;
}

/* Every choice is made or left. */
static void find_anyway(kan_cut_class *made) {
    for (unsigned i = 0; i < made->n_effects; i++) {
        const kan_cut_effect *effect = &made->effects[i];
        const uint64_t lesser = effect->made < effect->left ? effect->made : effect->left;
        made->anyway = lesser > made->anyway ? lesser : made->anyway;
    }
}

static kan_status make(kan_cut_maker *maker, const kan_cut_class *from, size_t first, size_t end,
                       uint64_t n_rows, kan_cut_class **out) {
    kan_cut_class *made;
    kan_cut_attributes changed;
    maker->n_work += end - first;
    find_starts(maker, from, &changed);
    KAN_TRY(new_class(maker, &made));
    KAN_TRY(gather(maker, from, first, end, &changed, made));
    made->n_rows = n_rows;
    if (maker->is_binary) {
        KAN_TRY(kan_cut_class_binary(maker, from, &changed, made));
    } else {
        count_places(maker, from, &changed, made);
        KAN_TRY(find_effects(maker, made));
        kan_cut_class_cells(maker, made);
    }
    KAN_ASSERT(made->n_rows >= maker->space->k && made->largest >= maker->space->k);
    KAN_ASSERT(made->largest <= made->n_rows && made->bound <= made->cost);
    if (maker->wants_anyway)
        find_anyway(made);
    KAN_TRY(take_pairs(maker, made));
    if (maker->wants_shares)
        kan_cut_class_shares(maker, made);
    if (from->has_pairs && n_rows == from->n_rows)
        copy_pairs(from, made);
    *out = made;
    return KAN_OK;
}

/* ---- dividing ------------------------------------------------------------------------------- */

/* Which part of the class a place belongs to: one more for every made place at or below it. */
static bool number_parts(kan_cut_maker *maker, const kan_cut_class *from, unsigned a) {
    uint32_t *column = maker->scratch->column[a];
    uint32_t part = 0;
    column[from->least[a]] = 0;
    for (uint32_t place = from->least[a] + 1; place <= from->greatest[a]; place++) {
        const int choice = maker->space->choice_at[a][place];
        part += choice >= 0 && maker->decision[choice] == KAN_CUT_MADE;
        column[place] = part;
    }
    return part > 0;
}

/* The part of each atom, in cell_of, and their number. */
static size_t find_parts(kan_cut_maker *maker, const kan_cut_class *from) {
    kan_cut_scratch *s = maker->scratch;
    kan_cut_attributes divided = {.n = 0};
    for (unsigned a = 0; a < maker->space->n_attributes; a++)
        if (number_parts(maker, from, a))
            divided.attribute[divided.n++] = a;
    if (divided.n == 0)
        return 1;
    if (divided.n > 1) {
        kan_cut_project(maker, from->keys, from->n_atoms, &divided, s->column);
        return kan_cut_group(maker, from->n_atoms, s->cell_keys, s->cell_of);
    }
    const unsigned a = divided.attribute[0];
    for (size_t i = 0; i < from->n_atoms; i++)
        s->cell_of[i] = s->column[a][kan_cut_place(maker, from->keys + i * maker->words, a)];
    return (size_t)s->column[a][from->greatest[a]] + 1;
}

/* Sorts the atoms by part: order and part_start. */
static size_t sort_parts(kan_cut_maker *maker, const kan_cut_class *from) {
    kan_cut_scratch *s = maker->scratch;
    const size_t n = from->n_atoms, n_parts = find_parts(maker, from);
    if (n_parts == 1) {
        for (size_t i = 0; i < n; i++)
            s->order[i] = (uint32_t)i;
        s->part_start[0] = 0;
        s->part_start[1] = (uint32_t)n;
        return 1;
    }
    memset(s->part_start, 0, (n_parts + 1) * sizeof *s->part_start);
    for (size_t i = 0; i < n; i++)
        s->part_start[s->cell_of[i] + 1]++;
    for (size_t p = 0; p < n_parts; p++)
        s->part_start[p + 1] += s->part_start[p];
    for (size_t i = 0; i < n; i++)
        s->order[s->part_start[s->cell_of[i]]++] = (uint32_t)i;
    for (size_t p = n_parts; p > 0; p--)
        s->part_start[p] = s->part_start[p - 1];
    s->part_start[0] = 0;
    return n_parts;
}

kan_status kan_cut_class_divide(kan_cut_maker *maker, const kan_cut_class *from,
                                kan_cut_class **out, size_t *n_out, uint64_t *n_lost) {
    kan_cut_scratch *s = maker->scratch;
    const size_t n_parts = sort_parts(maker, from);
    *n_out = 0;
    *n_lost = 0;
    for (size_t p = 0; p < n_parts; p++) {
        const size_t first = s->part_start[p], end = s->part_start[p + 1];
        uint64_t rows = 0;
        for (size_t i = first; i < end; i++)
            rows += from->rows[s->order[i]];
        if (rows < maker->space->k)
            *n_lost += rows;
        else
            KAN_TRY(make(maker, from, first, end, rows, &out[(*n_out)++]));
    }
    KAN_ASSERT(*n_out <= from->n_rows / maker->space->k && *n_out <= from->n_atoms);
    KAN_ASSERT(*n_lost <= from->n_rows);
    return KAN_OK;
}

/* ---- keeping -------------------------------------------------------------------------------- */

size_t kan_cut_class_size(const kan_cut_maker *maker, const kan_cut_class *class_) {
    const kan_cut_space *space = maker->space;
    const size_t atom = maker->words * sizeof *class_->keys + sizeof *class_->rows +
                        space->n_classes * sizeof *class_->class_rows;
    return sizeof *class_ + class_->n_atoms * atom +
           sizeof *class_->least * 2 * space->n_attributes +
           class_->n_effects * sizeof *class_->effects +
           n_pairs(maker, class_) * sizeof *class_->pair_lost + 128;
}

static kan_status copy_to(kan_stack *to, size_t n, size_t size, const void *from, void *out) {
    void *copy;
    KAN_TRY(kan_stack_take(to, n, size, &copy));
    if (n > 0)
        memcpy(copy, from, n * size);
    memcpy(out, &copy, sizeof copy);
    return KAN_OK;
}

kan_status kan_cut_class_keep(const kan_cut_maker *maker, const kan_cut_class *class_,
                              kan_stack *to, kan_cut_class **out) {
    const kan_cut_space *space = maker->space;
    const size_t n = class_->n_atoms, a = space->n_attributes;
    kan_cut_class *kept;
    KAN_TRY(copy_to(to, 1, sizeof *kept, class_, &kept));
    KAN_TRY(copy_to(to, n * maker->words, sizeof *kept->keys, class_->keys, &kept->keys));
    KAN_TRY(copy_to(to, n, sizeof *kept->rows, class_->rows, &kept->rows));
    if (space->n_classes > 0)
        KAN_TRY(copy_to(to, n * space->n_classes, sizeof *kept->class_rows, class_->class_rows,
                        &kept->class_rows));
    KAN_TRY(copy_to(to, a, sizeof *kept->least, class_->least, &kept->least));
    KAN_TRY(copy_to(to, a, sizeof *kept->greatest, class_->greatest, &kept->greatest));
    KAN_TRY(copy_to(to, class_->n_effects, sizeof *kept->effects, class_->effects, &kept->effects));
    KAN_TRY(kan_stack_take(to, n_pairs(maker, class_), sizeof *kept->pair_lost, &kept->pair_lost));
    if (class_->has_pairs)
        memcpy(kept->pair_lost, class_->pair_lost,
               n_pairs(maker, class_) * sizeof *kept->pair_lost);
    kept->is_kept = true;
    *out = kept;
    return KAN_OK;
}
