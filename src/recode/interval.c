/* Intervals and the tree: covering nodes, and shares of the domain. O(levels) each. */
#include "recode/interval.h"

#include <math.h>

bool kan_interval_is_value(const kan_seen *seen, const kan_interval *interval) {
    const kan_domain *domain = seen->domain;
    const uint32_t place = kan_interval_first_place(seen, interval);
    if (interval->end - interval->first != 1 || domain->lowest > 0)
        return false;
    if (!domain->has_bins || place < domain->n_unknown)
        return true;
    /* a bin of one whole number, written as its bounds are */
    return kan_slice_equal(domain->least[place], domain->greatest[place]) &&
           kan_slice_equal(domain->hierarchy->levels[0].label[seen->leaves[interval->first]],
                           domain->least[place]);
}

kan_interval_node kan_interval_cover(const kan_seen *seen, const kan_interval *interval) {
    const kan_hierarchy *h = seen->domain->hierarchy;
    unsigned level = kan_interval_is_value(seen, interval) || h->height == 0 ? 0 : 1;
    level = level < seen->domain->lowest ? seen->domain->lowest : level;
    const uint32_t first = seen->leaves[interval->first], last = seen->leaves[interval->end - 1];
    while (level < h->height &&
           h->levels[level].from_leaf[first] != h->levels[level].from_leaf[last])
        level++;
    return (kan_interval_node){level, h->levels[level].from_leaf[first]};
}

bool kan_interval_find_node(const kan_seen *seen, const kan_interval *interval, unsigned level,
                            kan_interval_node *out) {
    const kan_domain *domain = seen->domain;
    const kan_hierarchy *h = domain->hierarchy;
    if (!domain->has_tree || domain->has_bins)
        return false;
    /* That an interval is a node, or is none, would tell where rows lie. Below the lowest level that
     * may be shown nodes have the only names. */
    if (kan_hierarchy_follows_rows(h) && domain->lowest == 0 && !interval->is_whole)
        return false;
    kan_interval_node node = kan_interval_cover(seen, interval);
    const uint32_t first = interval->first, end = interval->end;
    node.level = node.level < level ? level : node.level;
    if (node.level > domain->highest)
        return false;
    /* A node above the lowest that covers the interval has no fewer values: this one, or none. */
    const uint32_t *from_leaf = h->levels[node.level].from_leaf;
    node.group = from_leaf[seen->leaves[first]];
    if ((first > 0 && from_leaf[seen->leaves[first - 1]] == node.group) ||
        (end < seen->n && from_leaf[seen->leaves[end]] == node.group))
        return false;
    /* Suppressed rows that are kept show * */
    if (!interval->is_whole && kan_slice_is(h->levels[node.level].label[node.group], "*"))
        return false;
    *out = node;
    return true;
}

/* Of the length of the known places; 0 when none is known. */
static double share_of_length(const kan_seen *seen, const kan_interval *interval) {
    const kan_domain *domain = seen->domain;
    uint32_t first = interval->first;
    const double least = domain->least_number, greatest = domain->greatest_number;
    double lo, hi;
    while (first < interval->end && domain->place_of[seen->leaves[first]] < domain->n_unknown)
        first++;
    if (first == interval->end ||
        !kan_domain_number(domain, domain->least[domain->place_of[seen->leaves[first]]], &lo) ||
        !kan_domain_number(domain, domain->greatest[kan_interval_last_place(seen, interval)], &hi))
        return 0;
    /* A hierarchy may know values beyond those of the data; halves, so that no length is infinite
     */
    const double length = domain->has_bins ? greatest - least : domain->hierarchy->length;
    if (isinf(greatest - least) || isinf(length))
        return (hi * 0.5 - lo * 0.5) / (greatest * 0.5 - least * 0.5);
    return length > 0 ? fmin((hi - lo) / length, 1) : 0;
}

double kan_interval_share(const kan_seen *seen, const kan_interval *interval) {
    const kan_domain *domain = seen->domain;
    kan_interval_node node;
    if (kan_interval_is_value(seen, interval))
        return 0;
    if (kan_interval_find_node(seen, interval, 0, &node))
        return domain->hierarchy->levels[node.level].share[node.group];
    if (interval->is_whole)
        return 1;
    const uint32_t all = domain->hierarchy->n_leaves;
    const double by_count =
        all > 1 ? (double)(interval->end - interval->first - 1) / (double)(all - 1) : 0;
    if (!domain->is_by_value)
        return by_count;
    const double by_length = share_of_length(seen, interval);
    return kan_interval_first_place(seen, interval) >= domain->n_unknown
               ? by_length
               : fmax(by_length, by_count);
}
