/* Bins: numbers in intervals of one width are one place.
 *
 * As in hierarchies of intervals nothing is rounded: width, origin and values are whole units of a
 * power of ten (data/decimal.h). The order of leaves is that of binary numbers, though, which can
 * tell fewer digits apart; a value that they cannot tell from the next bin's first number is
 * refused, so that bins never stand in another order than their values. */
#include "data/decimal.h"
#include "data/domain/domain.h"

typedef struct {
    unsigned scale; /* decimals of a unit */
    kan_wide width, origin;
    bool is_whole; /* values, width and origin are whole numbers */
} bin_plan;

static kan_status tell(const kan_domain *domain, kan_slice what, const char *text) {
    char quoted[256];
    kan_problem_add(domain->run, "--bins, column '%s': %s %s", domain->column->name,
                    kan_quote(what, quoted), text);
    return KAN_BAD_INPUT;
}

static kan_slice value_of_leaf(const kan_domain *domain, uint32_t leaf) {
    return kan_dictionary_value(&domain->column->dictionary, domain->hierarchy->code_of[leaf]);
}

static kan_status check_column(const kan_domain *domain) {
    const kan_type type = domain->column->dictionary.type;
    if (type == KAN_TYPE_NUMBER && domain->is_by_value)
        return KAN_OK;
    if (type == KAN_TYPE_DATE)
        kan_problem_add(domain->run,
                        "--bins, column '%s': it holds dates, but bins are for numbers; leave it "
                        "out, or give the column a hierarchy such as --qi %s=date:month,year",
                        domain->column->name, domain->column->name);
    else if (type == KAN_TYPE_NUMBER)
        kan_problem_add(domain->run,
                        "--bins, column '%s': --order gives it another order than that of its "
                        "numbers; leave one of the two out",
                        domain->column->name);
    else
        kan_problem_add(domain->run,
                        "--bins, column '%s': not all of its values are numbers, and bins are for "
                        "numbers; leave it out, or correct the values",
                        domain->column->name);
    return KAN_BAD_INPUT;
}

static kan_status make_plan(const kan_domain *domain, const char *bins, bin_plan *plan) {
    const char *at = strchr(bins, '@');
    kan_slice width = {bins, at ? (size_t)(at - bins) : strlen(bins)};
    /* Not the least value: it may be that of somebody who is suppressed, and bounds would tell it.
     */
    kan_slice origin = kan_slice_of(at ? at + 1 : "0");
    bool is_exact;
    if (!kan_decimal_scale(width, &plan->scale) || !kan_decimal_scale(origin, &plan->scale) ||
        !kan_decimal_floor(width, plan->scale, &plan->width, &is_exact) ||
        !kan_decimal_floor(origin, plan->scale, &plan->origin, &is_exact))
        return tell(domain, kan_slice_of(bins),
                    "has too many digits; write a width and an origin of at most 18 decimals, "
                    "such as 5@0");
    if (plan->width <= 0)
        return tell(domain, kan_slice_of(bins), "is not a width above 0; write one such as 5");
    plan->is_whole = plan->scale == 0;
    for (uint32_t leaf = 0; leaf < domain->hierarchy->n_codes; leaf++) {
        kan_slice value = value_of_leaf(domain, leaf);
        kan_wide unused;
        if (kan_value_is_unknown(value) || kan_value_end(value, NULL) != KAN_END_NONE)
            continue;
        if (!kan_decimal_floor(value, plan->scale, &unused, &is_exact))
            return tell(domain, value,
                        "has too many digits for bins; round it, or leave --bins "
                        "out");
        plan->is_whole &= is_exact;
    }
    return KAN_OK;
}

static kan_status write_bound(kan_domain *domain, const bin_plan *plan, kan_wide units,
                              kan_slice *out) {
    char room[KAN_DECIMAL_BYTES];
    const size_t size = (size_t)(kan_decimal_write(units, plan->scale, room) - room);
    const char *bytes;
    KAN_TRY(kan_arena_copy(&domain->arena, room, size, &bytes));
    *out = (kan_slice){bytes, size};
    return KAN_OK;
}

/* A new place for the bin that begins at `lo`. */
static kan_status add_bin(kan_domain *domain, const bin_plan *plan, kan_wide lo) {
    const uint32_t place = domain->n_places++;
    const kan_wide hi = lo + plan->width - (plan->is_whole ? 1 : 0);
    KAN_TRY(write_bound(domain, plan, lo, &domain->least[place]));
    return write_bound(domain, plan, hi, &domain->greatest[place]);
}

/* Whether binary numbers, too, see the value in front of the next bin and not in front of its own.
 */
static bool is_told_apart(kan_slice value, const bin_plan *plan, kan_wide lo) {
    char room[2][KAN_DECIMAL_BYTES];
    double number, low, next;
    const size_t low_size = (size_t)(kan_decimal_write(lo, plan->scale, room[0]) - room[0]);
    const size_t next_size =
        (size_t)(kan_decimal_write(lo + plan->width, plan->scale, room[1]) - room[1]);
    return kan_parse_real(value.bytes, value.size, &number) &&
           kan_parse_real(room[0], low_size, &low) && kan_parse_real(room[1], next_size, &next) &&
           low <= number && number < next;
}

static kan_status place_values(kan_domain *domain, const bin_plan *plan) {
    kan_wide current = 0, units;
    bool has_bin = false, is_exact;
    for (uint32_t leaf = 0; leaf < domain->hierarchy->n_codes; leaf++) {
        kan_slice value = value_of_leaf(domain, leaf);
        if (kan_value_is_unknown(value)) {
            domain->least[0] = domain->greatest[0] = value;
            domain->n_places = 1;
            continue;
        }
        if (kan_value_end(value, NULL) != KAN_END_NONE) { /* in no bin: a place of its own */
            domain->place_of[leaf] = domain->n_places++;
            domain->least[domain->place_of[leaf]] = domain->greatest[domain->place_of[leaf]] =
                value;
            continue;
        }
        if (!kan_decimal_floor(value, plan->scale, &units, &is_exact))
            return tell(domain, value, "has too many digits for bins; round it");
        const kan_wide past = (units - plan->origin) % plan->width;
        const kan_wide lo = units - (past < 0 ? past + plan->width : past);
        if (!is_told_apart(value, plan, lo))
            return tell(domain, value,
                        "has more digits than can be told apart from the next bin; round it, or "
                        "choose a wider bin");
        if (!has_bin || lo != current)
            KAN_TRY(add_bin(domain, plan, lo));
        has_bin = true;
        current = lo;
        domain->place_of[leaf] = domain->n_places - 1;
    }
    return KAN_OK;
}

kan_status kan_domain_fill_bins(kan_domain *domain, const char *bins) {
    bin_plan plan = {0};
    const size_t n = domain->hierarchy->n_codes;
    KAN_TRY(check_column(domain));
    KAN_TRY(make_plan(domain, bins, &plan));
    KAN_TRY(kan_arena_alloc(&domain->arena, n, sizeof *domain->least, &domain->least));
    KAN_TRY(kan_arena_alloc(&domain->arena, n, sizeof *domain->greatest, &domain->greatest));
    domain->is_open = !plan.is_whole;
    return place_values(domain, &plan);
}

bool kan_domain_has_open_names(const kan_domain *domain) {
    bool is_whole = domain->has_bins && domain->is_open;
    for (uint32_t place = domain->n_unknown; place < domain->n_places && is_whole; place++)
        is_whole =
            kan_value_is_whole(domain->least[place]) && kan_value_is_whole(domain->greatest[place]);
    return is_whole;
}

kan_status kan_domain_name_whole(kan_domain *domain) {
    const bin_plan whole = {.is_whole = true};
    for (uint32_t place = domain->n_unknown; place < domain->n_places; place++) {
        kan_wide behind;
        bool is_exact;
        if (kan_decimal_floor(domain->greatest[place], 0, &behind, &is_exact))
            KAN_TRY(write_bound(domain, &whole, behind - 1, &domain->greatest[place]));
    }
    domain->is_open = false;
    return KAN_OK;
}
