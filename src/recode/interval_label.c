/* Labels of intervals.
 *
 * What may not be said twice is known beforehand: the label of every group of every level with the
 * values that it stands for, sorted by text. Each interval takes the first form that nobody can
 * take for something else. Linear in the bytes of the labels, but for the sorting. */
#include <stdlib.h>

#include "recode/interval.h"

/* A text, and what it stands for of the values that are seen: as in kan_interval, or nothing. */
typedef struct kan_label_meaning {
    kan_slice text;
    uint32_t first, end;
} meaning;

/* ---- what is taken -------------------------------------------------------------------------- */

static int compare_meanings(const void *a, const void *b) {
    return kan_slice_compare(((const meaning *)a)->text, ((const meaning *)b)->text);
}

/* Without a tree the values alone. Those that are not seen are listed, too, with an empty meaning:
 * no interval takes their texts. */
static kan_status list_meanings(kan_labeller *names) {
    const kan_seen *seen = names->seen;
    const kan_domain *domain = seen->domain;
    const kan_hierarchy *h = domain->hierarchy;
    const unsigned top = domain->has_tree ? h->height : 0;
    size_t n = 0;
    for (unsigned level = 0; level <= top; level++)
        n += h->levels[level].n_groups;
    KAN_TRY(kan_alloc(domain->run, n, sizeof *names->known, &names->known));
    for (unsigned level = 0; level <= top; level++) {
        const uint32_t *group_of = h->levels[level].from_leaf;
        uint32_t n_seen = 0;
        for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
            if (leaf == 0 || group_of[leaf] != group_of[leaf - 1])
                names->known[names->n_known++] =
                    (meaning){h->levels[level].label[group_of[leaf]], n_seen, n_seen};
            n_seen += n_seen < seen->n && seen->leaves[n_seen] == leaf;
            names->known[names->n_known - 1].end = n_seen;
        }
    }
    qsort(names->known, names->n_known, sizeof *names->known, compare_meanings);
    return KAN_OK;
}

bool kan_labeller_is_free(const kan_labeller *names, kan_slice text, const kan_interval *interval) {
    size_t low = 0, high = names->n_known;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kan_slice_compare(names->known[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < names->n_known && kan_slice_equal(names->known[low].text, text); low++)
        if (names->known[low].first != interval->first || names->known[low].end != interval->end)
            return false;
    return true;
}

/* ---- forms ---------------------------------------------------------------------------------- */

static void add(kan_text *text, kan_slice bytes) {
    kan_text_add(text, bytes.bytes, bytes.size);
}

static bool has_any(kan_slice value, const char *bytes) {
    for (size_t i = 0; i < value.size; i++)
        if (value.bytes[i] && strchr(bytes, value.bytes[i]))
            return true;
    return false;
}

static void add_item(kan_text *text, kan_slice value, bool quotes_all) {
    bool is_plain = !quotes_all && value.size > 0 && !has_any(value, ",\"{}[]") &&
                    value.bytes[0] != ' ' && value.bytes[value.size - 1] != ' ';
    if (is_plain) {
        add(text, value);
        return;
    }
    kan_text_add(text, "\"", 1);
    for (size_t i = 0; i < value.size; i++)
        kan_text_add(text, value.bytes[i] == '"' ? "\"\"" : value.bytes + i,
                     value.bytes[i] == '"' ? 2 : 1);
    kan_text_add(text, "\"", 1);
}

/* What stands between two bounds: points where one has a hyphen or is an end of a capped column, a
 * comma where a point of their own would run into these. */
static const char *mark_between(kan_slice least, kan_slice greatest, bool is_open) {
    if (is_open)
        return ", ";
    if (!has_any(least, "-<") && !has_any(greatest, "->"))
        return "-";
    return least.bytes[least.size - 1] == '.' || greatest.bytes[0] == '.' ? ", " : "..";
}

/* The range of places first .. last, all of them known. */
static void add_range(kan_text *text, const kan_domain *domain, uint32_t first, uint32_t last) {
    const kan_slice least = domain->least[first], greatest = domain->greatest[last];
    kan_text_add(text, "[", 1);
    add(text, least);
    add(text, kan_slice_of(mark_between(least, greatest, domain->is_open)));
    add(text, greatest);
    const bool is_open = domain->is_open && kan_value_end(greatest, NULL) == KAN_END_NONE;
    kan_text_add(text, is_open ? ")" : "]", 1);
}

static kan_slice value_at(const kan_seen *seen, uint32_t at) {
    return seen->domain->hierarchy->levels[0].label[seen->leaves[at]];
}

enum { FORM_RANGE, FORM_LIST, FORM_QUOTED };

/* From FORM_QUOTED on each form is the list with one blank more, so that there is always a next. */
static void add_list(kan_text *text, const kan_hierarchy *h, const uint32_t *leaves, uint32_t n,
                     unsigned form) {
    kan_text_add(text, "{", 1);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            kan_text_add(text, ", ", 2);
        add_item(text, h->levels[0].label[leaves[i]], form >= FORM_QUOTED);
    }
    for (unsigned i = FORM_QUOTED; i < form; i++)
        kan_text_add(text, " ", 1);
    kan_text_add(text, "}", 1);
}

/* Numbers and dates: the range, after the unknown values when there are any. */
static bool add_numbers(kan_text *text, const kan_seen *seen, const kan_interval *interval) {
    const kan_domain *domain = seen->domain;
    const uint32_t last = kan_interval_last_place(seen, interval);
    uint32_t i = interval->first;
    if (kan_interval_first_place(seen, interval) >= domain->n_unknown) {
        add_range(text, domain, kan_interval_first_place(seen, interval), last);
        return true;
    }
    if (last < domain->n_unknown)
        return false;
    kan_text_add(text, "{", 1);
    for (; domain->place_of[seen->leaves[i]] < domain->n_unknown; i++) {
        add_item(text, value_at(seen, i), false);
        kan_text_add(text, ", ", 2);
    }
    const uint32_t first = domain->place_of[seen->leaves[i]];
    /* one value alone, and no bin of which it is one; an end of a capped column is all of its bin */
    const bool is_end = kan_value_end(domain->least[first], NULL) != KAN_END_NONE;
    if (first == last && (!domain->has_bins || is_end))
        add_item(text, domain->least[first], false);
    else
        add_range(text, domain, first, last);
    kan_text_add(text, "}", 1);
    return true;
}

/* The form of that number; false when the interval has none such. */
static bool make_form(kan_labeller *names, const kan_interval *interval, unsigned form) {
    kan_text *text = &names->text;
    text->size = 0;
    if (form == FORM_RANGE)
        return names->seen->domain->is_by_value && add_numbers(text, names->seen, interval);
    add_list(text, names->seen->domain->hierarchy, names->seen->leaves + interval->first,
             interval->end - interval->first, form);
    return true;
}

/* Takes the form in hand into the arena. */
static kan_status keep_form(kan_labeller *names, kan_slice *out) {
    const char *bytes;
    KAN_TRY(kan_arena_copy(names->arena, names->text.bytes, names->text.size, &bytes));
    *out = (kan_slice){bytes, names->text.size};
    return KAN_OK;
}

static kan_status no_label(const kan_domain *domain) {
    return kan_fail(domain->run, KAN_BAD_INPUT,
                    "--level: labels of the hierarchy of column '%s' mean something else at "
                    "another place, so that level %u cannot be shown by them; give each of its "
                    "nodes a label of its own",
                    domain->column->name, domain->lowest);
}

kan_status kan_labeller_name(kan_labeller *names, const kan_interval *interval, kan_slice *out) {
    const kan_seen *seen = names->seen;
    kan_interval_node node;
    if (kan_interval_is_value(seen, interval)) {
        *out = value_at(seen, interval->first);
        return KAN_OK;
    }
    for (unsigned level = 0; kan_interval_find_node(seen, interval, level, &node);
         level = node.level + 1) {
        *out = seen->domain->hierarchy->levels[node.level].label[node.group];
        if (kan_labeller_is_free(names, *out, interval))
            return KAN_OK;
    }
    /* the forms below show values */
    if (seen->domain->lowest > 0)
        return no_label(seen->domain);
    if (interval->is_whole && seen->domain->highest == seen->domain->hierarchy->height) {
        *out = kan_slice_of("*");
        return KAN_OK;
    }
    for (unsigned form = FORM_RANGE;; form++) {
        if (!make_form(names, interval, form))
            continue;
        KAN_TRY(kan_text_status(&names->text));
        kan_slice made = {names->text.bytes, names->text.size};
        if (kan_labeller_is_free(names, made, interval))
            return keep_form(names, out);
    }
}

kan_status kan_labeller_list(kan_labeller *names, const uint32_t *leaves, uint32_t n,
                             kan_slice *out) {
    /* whatever has a meaning already means an interval */
    const kan_interval none = {.first = UINT32_MAX, .end = UINT32_MAX};
    for (unsigned form = FORM_LIST;; form++) {
        names->text.size = 0;
        add_list(&names->text, names->seen->domain->hierarchy, leaves, n, form);
        KAN_TRY(kan_text_status(&names->text));
        kan_slice made = {names->text.bytes, names->text.size};
        if (kan_labeller_is_free(names, made, &none))
            return keep_form(names, out);
    }
}

kan_status kan_labeller_mix(kan_labeller *names, uint32_t unknown, const kan_interval *interval,
                            kan_slice *out) {
    const kan_interval none = {.first = UINT32_MAX, .end = UINT32_MAX};
    const kan_seen *seen = names->seen;
    const kan_hierarchy *h = seen->domain->hierarchy;
    kan_text *text = &names->text;
    for (unsigned form = FORM_LIST;; form++) {
        text->size = 0;
        kan_text_add(text, "{", 1);
        for (uint32_t leaf = 0; leaf < 32; leaf++)
            if (unknown >> leaf & 1) {
                add_item(text, h->levels[0].label[leaf], form >= FORM_QUOTED);
                kan_text_add(text, ", ", 2);
            }
        if (kan_interval_is_value(seen, interval))
            add_item(text, value_at(seen, interval->first), form >= FORM_QUOTED);
        else
            add_range(text, seen->domain, kan_interval_first_place(seen, interval),
                      kan_interval_last_place(seen, interval));
        for (unsigned i = FORM_QUOTED; i < form; i++)
            kan_text_add(text, " ", 1);
        kan_text_add(text, "}", 1);
        KAN_TRY(kan_text_status(text));
        const kan_slice made = {text->bytes, text->size};
        if (kan_labeller_is_free(names, made, &none))
            return keep_form(names, out);
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int compare_slices(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

/* The forms leave no two alike; a release is not where to learn that they did. */
static kan_status check_distinct(const kan_labeller *names, const kan_interval *intervals,
                                 const kan_slice *labels, uint32_t n) {
    kan_run *run = names->seen->domain->run;
    kan_slice *sorted;
    kan_status status = KAN_OK;
    uint32_t n_sorted = 0;
    KAN_TRY(kan_alloc(run, n, sizeof *sorted, &sorted));
    for (uint32_t i = 0; i < n; i++)
        if (intervals[i].first < intervals[i].end)
            sorted[n_sorted++] = labels[i];
    qsort(sorted, n_sorted, sizeof *sorted, compare_slices);
    for (uint32_t i = 1; i < n_sorted && status == KAN_OK; i++)
        if (kan_slice_equal(sorted[i - 1], sorted[i]))
            status = kan_fail(run, KAN_FAILED,
                              "internal error: two intervals of column '%s' have one label; please "
                              "report this",
                              names->seen->domain->column->name);
    kan_free(run, sorted);
    return status;
}

kan_status kan_labeller_init(kan_labeller *names, const kan_seen *seen, kan_arena *arena) {
    *names = (kan_labeller){.seen = seen, .arena = arena};
    kan_text_init(&names->text, seen->domain->run);
    return list_meanings(names);
}

void kan_labeller_destroy(kan_labeller *names) {
    kan_text_destroy(&names->text);
    kan_free(names->seen->domain->run, names->known);
}

kan_status kan_interval_labels(const kan_seen *seen, const kan_interval *intervals, uint32_t n,
                               kan_arena *arena, kan_slice *labels) {
    kan_labeller names;
    kan_status status;
    KAN_TRY_DONE(kan_labeller_init(&names, seen, arena));
    for (uint32_t i = 0; i < n; i++)
        if (intervals[i].first < intervals[i].end)
            KAN_TRY_DONE(kan_labeller_name(&names, &intervals[i], &labels[i]));
    KAN_TRY_DONE(check_distinct(&names, intervals, labels, n));
done:
    kan_labeller_destroy(&names);
    return status;
}
