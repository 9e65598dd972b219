/* Builder `quantiles`: numbers or dates in intervals that hold about equally many rows.
 *
 * quantiles:20,5 cuts the values into 20 intervals and merges these into 5. A bound stands where a
 * value begins whose rows, with all below, come nearest to i/20 of the rows; a bound that would
 * leave less than half an even share on one side of it, up to the bound before or to the end, is
 * not made. So no interval is thinner than that, and values that many rows have make fewer, thicker
 * intervals. Bounds of a coarser level are chosen from those of the finer one in the same way.
 *
 * The first and the last interval have no end: the least and the greatest value are often those of
 * one person. All other bounds are values of the data, which is why a note tells of them.
 *
 * Sorting is not needed, the dictionary is in value order: one pass over codes, one over values and
 * one over bounds for each level. */
#include <inttypes.h>
#include <math.h>

#include "data/decimal.h"
#include "data/hierarchies/hierarchy_build.h"
#include "data/hierarchies/hierarchy_tree.h"

/* A place where an interval may begin. */
typedef struct {
    uint32_t code;    /* the first value of it */
    uint64_t n_below; /* rows of known values below */
} bound;

typedef struct {
    const kan_hierarchy_plan *plan;
    uint64_t parts[KAN_HEIGHT_MOST]; /* as the spec says */
    unsigned n_parts;
    bound *bounds[KAN_HEIGHT_MOST]; /* by level that is kept */
    size_t n_bounds[KAN_HEIGHT_MOST];
    unsigned n_levels;
    uint64_t n_rows; /* of known values */
    bool is_whole;   /* every known value is a whole number */
} quantile_plan;

/* ---- the spec ------------------------------------------------------------------------------- */

static kan_status parse_spec(quantile_plan *q) {
    const kan_hierarchy_plan *plan = q->plan;
    const char *rest = plan->arguments;
    kan_slice piece;
    while (kan_plan_next(&rest, &piece)) {
        char quoted[256];
        uint64_t parts = 0;
        if (q->n_parts == KAN_HEIGHT_MOST - 1 || !kan_plan_count(piece, 2, UINT32_MAX, &parts) ||
            (q->n_parts > 0 && parts >= q->parts[q->n_parts - 1])) {
            kan_problem_add(plan->run,
                            "%s (column %s): %s is not a number of intervals; write falling whole "
                            "numbers, each at least 2, such as quantiles:20,5",
                            plan->spec, plan->column->name, kan_quote(piece, quoted));
            return KAN_BAD_INPUT;
        }
        q->parts[q->n_parts++] = parts;
    }
    return KAN_OK;
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Every place where a number begins that differs from the one before: values that count as equal
 * ("7" and "07") stay together. */
static kan_status list_places(quantile_plan *q, kan_arena *arena, bound **places, size_t *n) {
    const kan_dictionary *dictionary = &q->plan->column->dictionary;
    uint64_t *counts;
    double before = 0;
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *counts, &counts));
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof **places, places));
    KAN_TRY(kan_column_count(q->plan->run, q->plan->column, counts));
    q->is_whole = dictionary->type == KAN_TYPE_NUMBER;
    *n = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        double number;
        if (!kan_value_number(dictionary->type, value, &number))
            continue; /* unknown */
        if (q->n_rows > 0 && number > before)
            (*places)[(*n)++] = (bound){code, q->n_rows};
        before = number;
        q->n_rows += counts[code];
        kan_slice plain; /* that of an end may become one of an interval */
        (void)kan_value_end(value, &plain);
        q->is_whole = q->is_whole && kan_value_is_whole(plain);
    }
    return KAN_OK;
}

/* Those of `places` that make about `parts` intervals. */
static size_t choose_bounds(const bound *places, size_t n, uint64_t n_rows, uint64_t parts,
                            bound *out) {
    const double share = (double)n_rows / (double)parts;
    size_t n_out = 0, at = 0;
    uint64_t last = 0;
    for (uint64_t i = 1; i < parts && at < n; i++) {
        const double target = share * (double)i;
        while (at + 1 < n && fabs((double)places[at + 1].n_below - target) <=
                                 fabs((double)places[at].n_below - target))
            at++;
        const uint64_t here = places[at].n_below;
        if (here <= last || (double)(here - last) < share / 2 ||
            (double)(n_rows - here) < share / 2)
            continue;
        out[n_out++] = places[at];
        last = here;
    }
    return n_out;
}

static kan_status choose_levels(quantile_plan *q, kan_arena *arena) {
    bound *places;
    size_t n;
    KAN_TRY(list_places(q, arena, &places, &n));
    for (unsigned i = 0; i < q->n_parts; i++) {
        const unsigned level = q->n_levels;
        bound *chosen;
        KAN_TRY(kan_arena_alloc(arena, n + 1, sizeof *chosen, &chosen));
        const size_t n_chosen = choose_bounds(places, n, q->n_rows, q->parts[i], chosen);
        if (n_chosen == 0 || (level > 0 && n_chosen == q->n_bounds[level - 1])) {
            kan_note(q->plan->run,
                     "%s (column %s): too many rows share a value for %" PRIu64
                     " intervals; that level is left out",
                     q->plan->spec, q->plan->column->name, q->parts[i]);
            continue;
        }
        q->bounds[level] = places = chosen;
        q->n_bounds[level] = n = n_chosen;
        q->n_levels++;
    }
    return KAN_OK;
}

/* ---- the lines ------------------------------------------------------------------------------ */

static char *add_bound(const quantile_plan *q, uint32_t code, bool is_last, char *end) {
    kan_slice value = kan_dictionary_value(&q->plan->column->dictionary, code);
    kan_wide units;
    bool is_exact;
    (void)kan_value_end(value, &value); /* the last interval may begin with an end */
    if (q->is_whole && kan_decimal_floor(value, 0, &units, &is_exact))
        return kan_decimal_write(units - is_last, 0, end);
    memcpy(end, value.bytes, value.size);
    return end + value.size;
}

/* `<23`, then `23-27` for whole numbers (`-10..-1` below zero) or `[23.5, 27.1)`, and `>=65`. */
static kan_slice interval_label(const quantile_plan *q, unsigned level, size_t interval,
                                char *room) {
    const bound *bounds = q->bounds[level];
    char *end = room;
    if (interval == 0) {
        *end++ = '<';
        end = add_bound(q, bounds[0].code, false, end);
    } else if (interval == q->n_bounds[level]) {
        memcpy(end, ">=", 2);
        end = add_bound(q, bounds[interval - 1].code, false, end + 2);
    } else if (q->is_whole) {
        char *middle = end = add_bound(q, bounds[interval - 1].code, false, end);
        end = add_bound(q, bounds[interval].code, true, end + 2);
        const size_t lo_size = (size_t)(middle - room), hi_size = (size_t)(end - middle - 2);
        if (lo_size == hi_size && memcmp(room, middle + 2, lo_size) == 0) {
            end = middle; /* one number alone */
        } else if (room[0] == '-') {
            memcpy(middle, "..", 2);
        } else {
            *middle = '-';
            memmove(middle + 1, middle + 2, hi_size);
            end--;
        }
    } else {
        *end++ = '[';
        end = add_bound(q, bounds[interval - 1].code, false, end);
        memcpy(end, ", ", 2);
        end = add_bound(q, bounds[interval].code, false, end + 2);
        *end++ = ')';
    }
    return (kan_slice){room, (size_t)(end - room)};
}

/* Room for the labels of a level: two values and the signs around them. */
static kan_status make_rooms(const quantile_plan *q, kan_arena *arena, char **rooms) {
    size_t longest = KAN_DECIMAL_BYTES;
    for (uint32_t code = 0; code < q->plan->column->dictionary.n; code++) {
        const size_t size = kan_dictionary_value(&q->plan->column->dictionary, code).size;
        longest = size > longest ? size : longest;
    }
    for (unsigned level = 0; level < q->n_levels; level++)
        KAN_TRY(kan_arena_alloc(arena, 2 * longest + 8, 1, &rooms[level]));
    return KAN_OK;
}

static kan_status add_lines(const quantile_plan *q, kan_arena *arena) {
    const kan_dictionary *dictionary = &q->plan->column->dictionary;
    kan_slice labels[KAN_HEIGHT_MOST], shown[KAN_HEIGHT_MOST];
    size_t interval[KAN_HEIGHT_MOST] = {0};
    char *rooms[KAN_HEIGHT_MOST];
    KAN_TRY(make_rooms(q, arena, rooms));
    for (unsigned level = 0; level < q->n_levels; level++)
        labels[level] = interval_label(q, level, 0, rooms[level]);
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        const bool is_unknown = kan_value_is_unknown(value);
        for (unsigned level = 0; level < q->n_levels; level++) {
            if (interval[level] < q->n_bounds[level] &&
                q->bounds[level][interval[level]].code == code)
                labels[level] = interval_label(q, level, ++interval[level], rooms[level]);
            shown[level] = is_unknown ? value : labels[level];
        }
        KAN_TRY(kan_plan_add(q->plan, code, shown, q->n_levels, true));
    }
    return KAN_OK;
}

kan_status kan_build_quantiles(const kan_hierarchy_plan *plan) {
    quantile_plan q = {.plan = plan};
    const bool is_date = plan->column->dictionary.type == KAN_TYPE_DATE;
    KAN_TRY(parse_spec(&q));
    KAN_TRY(kan_plan_check_type(plan, is_date ? KAN_TYPE_DATE : KAN_TYPE_NUMBER,
                                "a number or a date", "numbers or dates"));
    kan_arena arena;
    kan_arena_init(&arena, plan->run);
    kan_status status;
    KAN_TRY_DONE(choose_levels(&q, &arena));
    if (q.n_levels > 0)
        kan_note(plan->run,
                 "%s (column %s): the bounds of the intervals are values of the data, and reveal "
                 "where its rows lie; intervals:WIDTH,... does not",
                 plan->spec, plan->column->name);
    status = add_lines(&q, &arena);
done:
    kan_arena_destroy(&arena);
    return status;
}
