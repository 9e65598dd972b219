/* A counter by brute force: see plain_counter.h. */
#include "support/plain_counter.h"

#include <string.h>

void plain_counter_open(const test_problem *made, plain_counter *out) {
    memset(out, 0, sizeof *out);
    out->made = made;
    kan_freqset_init(&out->set);
    EXPECT_OK(made->run, kan_workspace_create(made->run, &out->workspace));
}

void plain_counter_close(plain_counter *counter) {
    assert_int_equal(counter->n_open, 0);
    kan_freqset_destroy(counter->made->run, &counter->set);
    kan_workspace_destroy(counter->workspace);
}

static uint64_t mask_of(const kan_count_order *order) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < order->n; i++)
        mask |= UINT64_C(1) << order->attributes[i];
    return mask;
}

/* What it is to be counted from must lie below. */
static void expect_below(const plain_counter *counter, const kan_count_order *order) {
    const kan_space *space = &counter->made->problem.space;
    for (unsigned i = 0; i < order->n; i++) {
        const unsigned a = order->attributes[i];
        assert_true(i == 0 || order->attributes[i - 1] < a);
        assert_true(order->levels[i] <= space->dimensions[a].highest);
        assert_true(order->levels[i] >= space->dimensions[a].lowest);
        if (order->from == KAN_COUNTER_BASE)
            continue;
        assert_true(counter->kept[order->from].is_open);
        assert_true(counter->kept[order->from].mask >> a & 1);
        assert_true(counter->kept[order->from].levels[a] <= order->levels[i]);
    }
}

static void make_set(plain_counter *counter, const kan_count_order *order) {
    const kan_problem *problem = &counter->made->problem;
    kan_layout layout;
    expect_below(counter, order);
    kan_layout_make(&problem->space, order->attributes, order->levels, order->n, &layout);
    EXPECT_OK(counter->made->run,
              kan_freqset_regroup(&problem->space, &problem->base, &layout, KAN_KERNEL_AUTO,
                                  counter->workspace, &counter->set));
}

static kan_status count(void *context, const kan_count_order *order, kan_counted *out) {
    plain_counter *counter = context;
    counter->n_asked++;
    make_set(counter, order);
    *out = (kan_counted){.n_groups = counter->set.n};
    for (size_t g = 0; g < counter->set.n; g++) {
        const uint64_t n = counter->set.counts[g];
        if (n < order->least_size) {
            out->n_small_rows += n;
            continue;
        }
        out->n_large_groups++;
        out->squares += (kan_u128)n * n;
        out->smallest = out->smallest == 0 || n < out->smallest ? n : out->smallest;
    }
    if (!order->keeps)
        return KAN_OK;
    out->set = (uint32_t)++counter->n_kept;
    assert_true(out->set < PLAIN_COUNTER_SETS);
    counter->n_open++;
    counter->most_open =
        counter->n_open > counter->most_open ? counter->n_open : counter->most_open;
    counter->kept[out->set].is_open = true;
    counter->kept[out->set].mask = mask_of(order);
    for (unsigned i = 0; i < order->n; i++)
        counter->kept[out->set].levels[order->attributes[i]] = order->levels[i];
    return KAN_OK;
}

static kan_status count_small(void *context, const kan_count_order *order, unsigned place,
                              uint64_t *rows) {
    plain_counter *counter = context;
    counter->n_asked++;
    make_set(counter, order);
    if (order->from != KAN_COUNTER_BASE) { /* the set's own node */
        assert_int_equal(counter->kept[order->from].mask, mask_of(order));
        for (unsigned i = 0; i < order->n; i++)
            assert_int_equal(counter->kept[order->from].levels[order->attributes[i]],
                             order->levels[i]);
    }
    const kan_hierarchy *hierarchy =
        counter->made->problem.space.dimensions[order->attributes[place]].hierarchy;
    for (size_t g = 0; g < counter->set.n; g++) {
        const uint32_t group =
            kan_key_field_value(&counter->set.layout.fields[place],
                                counter->set.keys + g * counter->set.layout.n_words);
        const uint32_t leaf = kan_hierarchy_first_leaf(hierarchy, order->levels[place], group);
        if (counter->set.counts[g] < order->least_size)
            rows[hierarchy->code_of[leaf]] += counter->set.counts[g];
    }
    return KAN_OK;
}

static kan_status drop(void *context, uint32_t set) {
    plain_counter *counter = context;
    assert_true(set != KAN_COUNTER_BASE && counter->kept[set].is_open);
    counter->kept[set].is_open = false;
    counter->n_open--;
    return KAN_OK;
}

kan_counter plain_counter_of(plain_counter *counter) {
    return (kan_counter){counter, count, count_small, drop};
}
