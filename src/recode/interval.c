/* Intervals and the tree: covering nodes, and shares of the domain. O(levels) each. */
#include "recode/interval.h"

#include <math.h>

kan_interval_node kan_interval_cover(const kan_domain *domain, const kan_interval *interval) {
    const kan_hierarchy *h = domain->hierarchy;
    unsigned level = kan_interval_is_value(domain, interval) || h->height == 0 ? 0 : 1;
    const uint32_t first = interval->first_leaf, last = interval->end_leaf - 1;
    while (level < h->height &&
           h->levels[level].from_leaf[first] != h->levels[level].from_leaf[last])
        level++;
    return (kan_interval_node){level, h->levels[level].from_leaf[first]};
}

bool kan_interval_find_node(const kan_domain *domain, const kan_interval *interval, unsigned level,
                            kan_interval_node *out) {
    if (!domain->has_tree || domain->has_bins)
        return false;
    const kan_hierarchy *h = domain->hierarchy;
    kan_interval_node node = kan_interval_cover(domain, interval);
    const uint32_t first = interval->first_leaf, end = interval->end_leaf;
    node.level = node.level < level ? level : node.level;
    if (node.level > h->height)
        return false;
    /* A node above the lowest that covers the interval has no fewer values: this one, or none. */
    const uint32_t *from_leaf = h->levels[node.level].from_leaf;
    node.group = from_leaf[first];
    if ((first > 0 && from_leaf[first - 1] == node.group) ||
        (end < h->n_codes && from_leaf[end] == node.group))
        return false;
    *out = node;
    return true;
}

/* Of the length of the known places; 0 when none is known. */
static double share_of_length(const kan_domain *domain, const kan_interval *interval) {
    const uint32_t first =
        interval->first_place < domain->n_unknown ? domain->n_unknown : interval->first_place;
    const double least = domain->least_number, greatest = domain->greatest_number;
    double lo, hi;
    if (first >= interval->end_place || !kan_domain_number(domain, domain->least[first], &lo) ||
        !kan_domain_number(domain, domain->greatest[interval->end_place - 1], &hi))
        return 0;
    /* A hierarchy may know values beyond those of the data; halves, so that no length is infinite
     */
    const double length = domain->has_bins ? greatest - least : domain->hierarchy->length;
    if (isinf(greatest - least) || isinf(length))
        return (hi * 0.5 - lo * 0.5) / (greatest * 0.5 - least * 0.5);
    return length > 0 ? fmin((hi - lo) / length, 1) : 0;
}

double kan_interval_share(const kan_domain *domain, const kan_interval *interval) {
    kan_interval_node node;
    const uint32_t n_leaves = interval->end_leaf - interval->first_leaf;
    if (kan_interval_is_value(domain, interval))
        return 0;
    if (kan_interval_find_node(domain, interval, 0, &node))
        return domain->hierarchy->levels[node.level].share[node.group];
    if (kan_interval_is_whole(domain, interval))
        return 1;
    const uint32_t all = domain->hierarchy->n_leaves;
    const double by_count = all > 1 ? (double)(n_leaves - 1) / (double)(all - 1) : 0;
    if (!domain->is_by_value)
        return by_count;
    const double by_length = share_of_length(domain, interval);
    return interval->first_place >= domain->n_unknown ? by_length : fmax(by_length, by_count);
}
