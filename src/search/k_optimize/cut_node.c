/* Nodes: see cut_node.h. Costs time for the classes that a decision divides or whose cells it
 * joins. */
#include "search/k_optimize/cut_node.h"

#include <string.h>

/* ---- sums ----------------------------------------------------------------------------------- */

static uint64_t beyond(uint64_t rise, const kan_cut_class *class_) {
    return rise > class_->anyway ? rise - class_->anyway : 0;
}

static void add_class(kan_cut_node *node, kan_cut_class *class_) {
    node->classes[node->n_classes++] = class_;
    node->bound += class_->bound;
    node->anyway += class_->anyway;
    node->cost += class_->cost;
    for (unsigned i = 0; i < class_->n_effects; i++) {
        const kan_cut_effect *effect = &class_->effects[i];
        kan_cut_sum *sum = &node->sums[effect->choice];
        sum->n_lost += effect->n_lost;
        sum->apart += effect->apart;
        sum->left += effect->left;
        sum->made += effect->made;
        sum->left_part += effect->left_part;
        sum->made_part += effect->made_part;
        sum->made_share += effect->made_share;
        sum->left_beyond += beyond(effect->left, class_);
        sum->made_beyond += beyond(effect->made, class_);
    }
}

static void drop_class(kan_cut_node *node, const kan_cut_class *class_) {
    node->bound -= class_->bound;
    node->anyway -= class_->anyway;
    node->cost -= class_->cost;
    for (unsigned i = 0; i < class_->n_effects; i++) {
        const kan_cut_effect *effect = &class_->effects[i];
        kan_cut_sum *sum = &node->sums[effect->choice];
        KAN_ASSERT(sum->n_lost >= effect->n_lost && sum->left >= effect->left);
        KAN_ASSERT(sum->made >= effect->made && sum->apart >= effect->apart);
        sum->n_lost -= effect->n_lost;
        sum->apart -= effect->apart;
        sum->left -= effect->left;
        sum->made -= effect->made;
        sum->left_part -= effect->left_part;
        sum->made_part -= effect->made_part;
        sum->made_share -= effect->made_share;
        sum->left_beyond -= beyond(effect->left, class_);
        sum->made_beyond -= beyond(effect->made, class_);
    }
}

static void find_either(const kan_cut_maker *maker, kan_cut_node *node) {
    node->either = 0;
    for (unsigned c = 0; c < maker->space->n_choices; c++)
        if (maker->decision[c] == KAN_CUT_OPEN)
            node->either += kan_cut_either(&node->sums[c]);
}

bool kan_cut_node_is_sound(const kan_cut_maker *maker, const kan_cut_node *node, uint64_t n_rows) {
    const uint64_t lost = kan_cut_lost_cost(maker->space, node->n_lost);
    uint64_t bound = lost, cost = lost, anyway = 0;
    for (size_t i = 0; i < node->n_classes; i++) {
        bound += node->classes[i]->bound;
        anyway += node->classes[i]->anyway;
        cost += node->classes[i]->cost;
    }
    return kan_cut_node_rows(node) == n_rows && bound == node->bound && cost == node->cost &&
           anyway == node->anyway && bound <= cost;
}

/* ---- decisions ------------------------------------------------------------------------------ */

/* Whether the decisions since it was made concern a class. */
static bool is_outdated(const kan_cut_maker *maker, const kan_cut_class *class_) {
    for (unsigned i = 0; i < class_->n_effects; i++) {
        const uint8_t decision = maker->decision[class_->effects[i].choice];
        if (decision == KAN_CUT_MADE ||
            (decision == KAN_CUT_LEFT && class_->effects[i].divides_cells))
            return true;
    }
    return false;
}

bool kan_cut_node_is_true(const kan_cut_maker *maker, const kan_cut_node *node) {
    for (size_t i = 0; i < node->n_classes; i++)
        if (is_outdated(maker, node->classes[i]))
            return false;
    return true;
}

/* The most classes that a class can become. */
static size_t most_parts(const kan_cut_maker *maker, const kan_cut_class *class_) {
    const size_t by_rows = (size_t)(class_->n_rows / maker->space->k);
    return by_rows < class_->n_atoms ? by_rows : class_->n_atoms;
}

/* Adds what a class has become. */
static kan_status renew(kan_cut_maker *maker, const kan_cut_class *class_, kan_cut_node *node) {
    kan_cut_class **parts;
    size_t n_parts;
    uint64_t n_lost;
    KAN_TRY(kan_stack_take(&maker->stack, most_parts(maker, class_), sizeof *parts, &parts));
    KAN_TRY(kan_cut_class_divide(maker, class_, parts, &n_parts, &n_lost));
    for (size_t i = 0; i < n_parts; i++)
        add_class(node, parts[i]);
    node->n_lost += n_lost;
    node->bound += kan_cut_lost_cost(maker->space, n_lost);
    node->cost += kan_cut_lost_cost(maker->space, n_lost);
    return KAN_OK;
}

kan_status kan_cut_node_build(kan_cut_maker *maker, const kan_cut_class *whole, kan_cut_node *out) {
    const size_t n = maker->space->n_choices;
    memset(out, 0, sizeof *out);
    KAN_TRY(kan_stack_take(&maker->stack, most_parts(maker, whole), sizeof *out->classes,
                           &out->classes));
    KAN_TRY(kan_stack_take(&maker->stack, n, sizeof *out->sums, &out->sums));
    memset(out->sums, 0, n * sizeof *out->sums);
    KAN_TRY(renew(maker, whole, out));
    find_either(maker, out);
    KAN_ASSERT(kan_cut_node_is_sound(maker, out, whole->n_rows));
    return KAN_OK;
}

kan_status kan_cut_node_renew(kan_cut_maker *maker, const kan_cut_node *from, kan_cut_node *out) {
    const size_t n = maker->space->n_choices;
    size_t room = 0;
    *out = *from;
    out->is_kept = false;
    KAN_TRY(kan_stack_take(&maker->stack, n, sizeof *out->sums, &out->sums));
    memcpy(out->sums, from->sums, n * sizeof *out->sums);
    for (size_t i = 0; i < from->n_classes; i++)
        room += is_outdated(maker, from->classes[i]) ? most_parts(maker, from->classes[i]) : 1;
    KAN_TRY(kan_stack_take(&maker->stack, room, sizeof *out->classes, &out->classes));
    out->n_classes = 0;
    for (size_t i = 0; i < from->n_classes; i++) {
        kan_cut_class *class_ = from->classes[i];
        if (!is_outdated(maker, class_)) {
            out->classes[out->n_classes++] = class_;
            continue;
        }
        drop_class(out, class_);
        KAN_TRY(renew(maker, class_, out));
    }
    find_either(maker, out);
    KAN_ASSERT(kan_cut_node_is_sound(maker, out, kan_cut_node_rows(from)));
    return KAN_OK;
}

/* ---- keeping -------------------------------------------------------------------------------- */

size_t kan_cut_node_size(const kan_cut_maker *maker, const kan_cut_node *node) {
    size_t size = sizeof *node + node->n_classes * sizeof *node->classes +
                  maker->space->n_choices * sizeof *node->sums + 64;
    for (size_t i = 0; i < node->n_classes; i++)
        if (!node->classes[i]->is_kept)
            size += kan_cut_class_size(maker, node->classes[i]);
    return size;
}

kan_status kan_cut_node_keep(const kan_cut_maker *maker, const kan_cut_node *node, kan_stack *to,
                             kan_cut_node **out) {
    const size_t n = maker->space->n_choices;
    kan_cut_node *kept;
    KAN_TRY(kan_stack_take(to, 1, sizeof *kept, &kept));
    *kept = *node;
    kept->is_kept = true;
    KAN_TRY(kan_stack_take(to, n, sizeof *kept->sums, &kept->sums));
    memcpy(kept->sums, node->sums, n * sizeof *kept->sums);
    KAN_TRY(kan_stack_take(to, node->n_classes, sizeof *kept->classes, &kept->classes));
    for (size_t i = 0; i < node->n_classes; i++) {
        kept->classes[i] = node->classes[i];
        if (!node->classes[i]->is_kept)
            KAN_TRY(kan_cut_class_keep(maker, node->classes[i], to, &kept->classes[i]));
    }
    *out = kept;
    return KAN_OK;
}
