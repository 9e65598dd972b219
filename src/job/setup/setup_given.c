/* A solution that the user gives: levels (--levels), or that of an earlier result (--apply).
 *
 * Nothing is searched then. What is given is applied, checked against the promise, measured and
 * recounted like the answer of a search, so that it may come from another table: last year's
 * choice for this year's rows. Columns are matched by their names. Values that a hierarchy does not
 * know are told where it is bound. A cut of numbers and dates says where an interval begins,
 * whether or not a row has that value; a cut of text can only be placed where the value itself
 * stands in the order. The result of a search over regions, or of local recoding, does not hold
 * what it did to each row, and is refused. All problems are told together. */
#include "job/setup/setup.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/streams/streams.h"
#include "job/settings/settings.h"

/* What stands in place of a search. */
static const kan_search_kind given_levels = {
    .kind = {.name = "given", .summary = "nothing is searched: levels that were given"}};
static const kan_search_kind given_cuts = {
    .kind = {.name = "given", .summary = "nothing is searched: cuts that were given"},
    .cuts = true};

static kan_status no_memory(const kan_setup *setup) {
    return kan_fail(setup->run, KAN_FAILED, "out of memory while %s was read", setup->given_path);
}

/* ---- the file ------------------------------------------------------------------------------- */

static kan_status not_a_result(const kan_setup *setup, const char *what) {
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "%s: %s; --apply takes what kanon search or anonymize wrote with --json",
                    setup->given_path, what);
}

static kan_status parse(kan_setup *setup, const kan_stream *stream) {
    json_error_t error;
    setup->given_result = json_loadb(stream->bytes, stream->size, JSON_REJECT_DUPLICATES, &error);
    if (setup->given_result)
        return KAN_OK;
    /* jansson leaves some of its failed allocations without a text. */
    if (json_error_code(&error) == json_error_out_of_memory || !error.text[0])
        return no_memory(setup);
    /* What stands near the error may be a value, when the file is the wrong one. */
    char *near = strstr(error.text, " near ");
    if (near)
        *near = '\0';
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "%s:%d: not a result: %s; --apply takes what kanon search or anonymize wrote "
                    "with --json",
                    setup->given_path, error.line, error.text);
}

static kan_status read_file(kan_setup *setup) {
    kan_stream stream;
    struct stat state;
    if (stat(setup->given_path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size == 0)
        return not_a_result(setup, "the file is empty");
    KAN_TRY(kan_stream_open(setup->run, setup->given_path, &stream));
    const kan_status status = parse(setup, &stream);
    kan_stream_close(&stream);
    return status;
}

/* The file may be anybody's: only a search that there is gets named. */
static kan_status refuse_regions(const kan_setup *setup) {
    const char *name = json_string_value(json_object_get(setup->given_result, "algorithm"));
    const bool is_known = name && kan_registry_find(KAN_FAMILY_SEARCH, name);
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "%s: a result of %s%s says how many groups there are, not which rows are in "
                    "them, so that it cannot be applied; run the search again, or apply levels or "
                    "cuts",
                    setup->given_path, is_known ? "--algorithm " : "regions", is_known ? name : "");
}

/* Which recoding it is, by its name; the solution is there. */
static kan_status find_type(kan_setup *setup) {
    const json_t *root = setup->given_result;
    const char *name = json_string_value(json_object_get(root, "recoding"));
    kan_recoding_type type = KAN_RECODING_LEVELS;
    if (!name || !json_is_object(json_object_get(root, "solution")) ||
        !json_is_array(json_object_get(root, "quasi_identifiers")))
        return not_a_result(setup, "it has no solution (recoding, quasi_identifiers and solution)");
    while (strcmp(name, kan_recoding_name(type)) != 0 && type < KAN_RECODING_LOCAL)
        type++;
    if (strcmp(name, kan_recoding_name(type)) != 0)
        return not_a_result(setup, "its recoding is not one that this program knows");
    setup->given = (kan_recoding){.type = type};
    if (kan_recoding_has_regions(&setup->given))
        return refuse_regions(setup);
    setup->search = type == KAN_RECODING_LEVELS ? &given_levels : &given_cuts;
    return KAN_OK;
}

kan_status kan_setup_read_given(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    const char *algorithm = kan_options_find(options, "algorithm");
    const char *levels = kan_options_find(options, "levels");
    setup->given_path = kan_options_find(options, "apply");
    if (!levels && !setup->given_path)
        return KAN_OK;
    if (levels && setup->given_path)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--levels and --apply both say what the solution is; leave one out");
    setup->has_given = true;
    setup->given = (kan_recoding){.type = KAN_RECODING_LEVELS};
    setup->search = &given_levels;
    if (setup->given_path) {
        KAN_TRY(read_file(setup));
        KAN_TRY(find_type(setup));
    }
    if (algorithm)
        kan_note(setup->run, "--algorithm %s does nothing with --%s: nothing is searched",
                 algorithm, levels ? "levels" : "apply");
    return kan_setup_model_of_given(setup);
}

/* ---- columns -------------------------------------------------------------------------------- */

static const char *column_name(const kan_setup *setup, unsigned a) {
    return setup->table->columns[setup->quasi[a]].name;
}

/* The place of each quasi-identifier among those of the result, by its name as JSON shows it. */
static kan_status match_columns(kan_setup *setup, size_t *places) {
    const json_t *names = json_object_get(setup->given_result, "quasi_identifiers");
    const size_t n = json_array_size(names);
    bool is_named[KAN_MAX_ATTRIBUTES] = {false};
    char quoted[256];
    if (n > KAN_MAX_ATTRIBUTES)
        return not_a_result(setup, "there are more quasi-identifiers in it than there can be");
    kan_problems_begin(setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        json_t *shown = kan_json_text(column_name(setup, a));
        if (!shown)
            return no_memory(setup);
        places[a] = n;
        for (size_t i = 0; i < n; i++)
            if (json_equal(shown, json_array_get(names, i)))
                places[a] = i;
        json_decref(shown);
        if (places[a] < n)
            is_named[places[a]] = true;
        else
            kan_problem_add(setup->run,
                            "%s: it says nothing about column %s, which is a quasi-identifier "
                            "here; name the same ones as for that result",
                            setup->given_path,
                            kan_quote(kan_slice_of(column_name(setup, a)), quoted));
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!is_named[i])
            kan_problem_add(setup->run,
                            "%s: it is about column %s, which is not one of the quasi-identifiers "
                            "here; name the same ones as for that result",
                            setup->given_path,
                            kan_quote(kan_slice_of(name ? name : "(none)"), quoted));
    }
    return kan_problems_end(setup->run);
}

/* ---- levels --------------------------------------------------------------------------------- */

/* One level of the user, within the hierarchy and within what --level allows. */
static void take_level(kan_setup *setup, unsigned a, uint64_t level) {
    const unsigned height = setup->hierarchies[a]->height;
    char quoted[256];
    kan_quote(kan_slice_of(column_name(setup, a)), quoted);
    if (level > height)
        kan_problem_add(setup->run,
                        "%s: level %llu of %s: its hierarchy has no level above %u; `kanon "
                        "hierarchy show` prints the levels",
                        setup->given_path ? setup->given_path : "--levels",
                        (unsigned long long)level, quoted, height);
    else if (level < setup->lowest[a] || level > setup->highest[a])
        kan_problem_add(setup->run,
                        "%s: level %llu of %s is not within --level %s; leave one of the two out",
                        setup->given_path ? setup->given_path : "--levels",
                        (unsigned long long)level, quoted, setup->level_ranges[a]);
    else
        setup->given.levels[a] = (unsigned)level;
}

static kan_status take_flag(kan_setup *setup, const char *list) {
    uint64_t levels[KAN_MAX_ATTRIBUTES] = {0};
    size_t n = 0;
    kan_slice item;
    const char *left = list;
    while (kan_list_next(&left, false, &item)) {
        char digits[24] = "";
        if (n < KAN_MAX_ATTRIBUTES && item.size < sizeof digits) {
            memcpy(digits, item.bytes, item.size);
            (void)kan_parse_count(digits, &levels[n]); /* checked when it was set */
        }
        n++;
    }
    if (n != setup->n_quasi)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--levels: %s has %zu %s, and there are %u quasi-identifiers; write one "
                        "level for each, in the order of --qi",
                        list, n, kan_plural(n, "level", "levels"), setup->n_quasi);
    kan_problems_begin(setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++)
        take_level(setup, a, levels[a]);
    return kan_problems_end(setup->run);
}

static kan_status take_levels(kan_setup *setup) {
    const json_t *list =
        json_object_get(json_object_get(setup->given_result, "solution"), "levels");
    size_t places[KAN_MAX_ATTRIBUTES];
    KAN_TRY(match_columns(setup, places));
    kan_problems_begin(setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const json_t *level = json_array_get(list, places[a]);
        if (!json_is_integer(level) || json_integer_value(level) < 0)
            return not_a_result(setup, "solution.levels is not a list with one level for each "
                                       "quasi-identifier");
        take_level(setup, a, (uint64_t)json_integer_value(level));
    }
    return kan_problems_end(setup->run);
}

/* ---- cuts ----------------------------------------------------------------------------------- */

/* A number or a date of the result as a number. Unknown values and text have none. */
static bool cut_number(const kan_domain *domain, const json_t *value, double *out) {
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    return json_is_string(value) &&
           kan_domain_number(domain,
                             (kan_slice){json_string_value(value), json_string_length(value)}, out);
}

/* By value: the first place at or behind the cut. False where a bin would be cut apart. */
static bool place_by_value(const kan_domain *domain, double cut, uint32_t *place) {
    uint32_t at = domain->n_unknown;
    double least, greatest;
    while (at < domain->n_places &&
           (!kan_domain_number(domain, domain->least[at], &least) || least < cut))
        at++;
    *place = at;
    if (at == domain->n_unknown || !domain->has_bins)
        return true;
    return kan_domain_number(domain, domain->greatest[at - 1], &greatest) &&
           (domain->is_open ? greatest <= cut : greatest < cut);
}

/* The place that shows as that value, for what does not stand by value; n_places: none does. */
static kan_status place_by_name(const kan_setup *setup, const kan_domain *domain,
                                const json_t *value, uint32_t *place) {
    for (*place = 0; *place < domain->n_places; ++*place) {
        json_t *shown = kan_json_value(domain, domain->least[*place]);
        if (!shown)
            return no_memory(setup);
        const bool is_same = json_equal(shown, value);
        json_decref(shown);
        if (is_same)
            return KAN_OK;
    }
    return KAN_OK;
}

static void tell_cut(const kan_setup *setup, const kan_domain *domain, const json_t *value,
                     bool is_bin) {
    char shown[256] = "", quoted[256];
    if (json_is_string(value)) {
        kan_quote((kan_slice){json_string_value(value), json_string_length(value)}, shown);
    } else if (json_is_number(value)) {
        const size_t size =
            json_dumpb(value, shown, sizeof shown - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        shown[size < sizeof shown ? size : 0] = '\0';
    }
    kan_quote(kan_slice_of(domain->column->name), quoted);
    if (!shown[0])
        kan_problem_add(setup->run, "%s: the cuts of column %s must be numbers and texts",
                        setup->given_path, quoted);
    else if (is_bin)
        kan_problem_add(setup->run,
                        "%s: an interval of column %s begins at %s, within a bin; give the same "
                        "--bins as for that result",
                        setup->given_path, quoted, shown);
    else
        kan_problem_add(setup->run,
                        "%s: an interval of column %s begins at %s, which no row of this table "
                        "has, so it is not known where the other values belong; search again",
                        setup->given_path, quoted, shown);
}

static kan_status take_cut(const kan_setup *setup, const kan_domain *domain, const json_t *value,
                           uint8_t *is_cut) {
    uint32_t place;
    double number;
    if (domain->is_by_value && cut_number(domain, value, &number)) {
        if (!place_by_value(domain, number, &place))
            tell_cut(setup, domain, value, true);
        else if (place > 0 && place < domain->n_places)
            is_cut[place] = 1; /* else all values stand on one side of it */
        return KAN_OK;
    }
    KAN_TRY(place_by_name(setup, domain, value, &place));
    if (place < domain->n_places)
        is_cut[place] = place > 0;
    else
        tell_cut(setup, domain, value, false);
    return KAN_OK;
}

/* The levels that the result was bound to (lattice.box) bind what it shows here, too. */
static kan_status take_bound(kan_setup *setup, const char *key, size_t place, unsigned fallback,
                             unsigned *out) {
    const json_t *box = json_object_get(json_object_get(setup->given_result, "lattice"), "box");
    const json_t *level = json_array_get(json_object_get(box, key), place);
    *out = fallback;
    if (!json_is_object(box))
        return KAN_OK;
    if (!json_is_integer(level) || json_integer_value(level) < 0)
        return not_a_result(setup, "lattice.box does not have a level for each quasi-identifier");
    *out = json_integer_value(level) > KAN_HEIGHT_MOST ? KAN_HEIGHT_MOST
                                                       : (unsigned)json_integer_value(level);
    return KAN_OK;
}

static kan_status take_box(kan_setup *setup, unsigned a, size_t place) {
    kan_domain *domain = setup->domains[a];
    const unsigned height = domain->hierarchy->height;
    char quoted[256];
    unsigned lowest, highest;
    KAN_TRY(take_bound(setup, "lowest", place, 0, &lowest));
    KAN_TRY(take_bound(setup, "highest", place, height, &highest));
    if (lowest > highest || highest > height || (lowest > 0 && setup->is_torn[a])) {
        kan_problem_add(setup->run,
                        "%s: it shows column %s at levels %u to %u, and its hierarchy here has no "
                        "level above %u; give the same as for that result",
                        setup->given_path, kan_quote(kan_slice_of(domain->column->name), quoted),
                        lowest, highest, height);
        return KAN_OK;
    }
    domain->lowest = lowest;
    domain->highest = highest;
    return KAN_OK;
}

/* Whether leaves first .. end-1 are whole nodes of the lowest level, all in one of the highest. */
static bool is_within_levels(const kan_domain *domain, uint32_t first, uint32_t end) {
    const kan_hierarchy *h = domain->hierarchy;
    const uint32_t *low = h->levels[domain->lowest].from_leaf,
                   *high = h->levels[domain->highest].from_leaf;
    return high[first] == high[end - 1] &&
           (domain->lowest == 0 || ((first == 0 || low[first - 1] != low[first]) &&
                                    (end == h->n_codes || low[end] != low[end - 1])));
}

/* Whether leaves first .. end-1 are all that a node of the hierarchy has. */
static bool is_node(const kan_hierarchy *h, uint32_t first, uint32_t end) {
    for (unsigned level = 0; level <= h->height; level++) {
        const uint32_t *group_of = h->levels[level].from_leaf;
        if (group_of[first] != group_of[end - 1])
            continue;
        return (first == 0 || group_of[first - 1] != group_of[first]) &&
               (end == h->n_codes || group_of[end] != group_of[first]);
    }
    return false;
}

/* What stands between two cuts must be within the levels, and with full-subtree a node here, too.
 */
static void check_intervals(const kan_setup *setup, unsigned a, const uint8_t *is_cut) {
    const kan_domain *domain = setup->domains[a];
    char quoted[256], value[256];
    for (uint32_t first = 0, end; first < domain->n_places; first = end) {
        for (end = first + 1; end < domain->n_places && !is_cut[end];)
            end++;
        const uint32_t leaf = domain->first_leaf[first], behind = domain->first_leaf[end];
        const bool is_right =
            setup->given.type != KAN_RECODING_SUBTREES || is_node(domain->hierarchy, leaf, behind);
        if (is_right && is_within_levels(domain, leaf, behind))
            continue;
        kan_problem_add(
            setup->run,
            is_right ? "%s: the interval of column %s that begins at %s is not within "
                       "the levels that the result was bound to; search again"
                     : "%s: the interval of column %s that begins at %s is not a node "
                       "of its hierarchy here, and full-subtree shows only nodes; search again",
            setup->given_path, kan_quote(kan_slice_of(domain->column->name), quoted),
            kan_quote(domain->least[first], value));
        return;
    }
}

static kan_status take_column(kan_setup *setup, unsigned a, const json_t *list) {
    const kan_domain *domain = setup->domains[a];
    kan_recoding *given = &setup->given;
    uint8_t *is_cut;
    size_t n = given->first_cut[a];
    kan_status status = KAN_OK;
    if (!json_is_array(list))
        return not_a_result(setup, "solution.cuts does not have a list for each quasi-identifier");
    KAN_TRY(kan_alloc_zero(setup->run, domain->n_places, sizeof *is_cut, &is_cut));
    const size_t before = kan_problems_count(setup->run);
    for (size_t i = 0;
         i < json_array_size(list) && status == KAN_OK && kan_problems_count(setup->run) == before;
         i++) {
        status = kan_check_cancel(setup->run);
        if (status == KAN_OK)
            status = take_cut(setup, domain, json_array_get(list, i), is_cut);
    }
    if (status == KAN_OK && kan_problems_count(setup->run) == before)
        check_intervals(setup, a, is_cut);
    for (uint32_t place = 1; place < domain->n_places; place++)
        if (is_cut[place])
            given->cuts[n++] = place;
    given->first_cut[a + 1] = n;
    kan_free(setup->run, is_cut);
    return status;
}

static kan_status take_cuts(kan_setup *setup) {
    const json_t *cuts = json_object_get(json_object_get(setup->given_result, "solution"), "cuts");
    size_t places[KAN_MAX_ATTRIBUTES], n_places = 0;
    KAN_TRY(match_columns(setup, places));
    for (unsigned a = 0; a < setup->n_quasi; a++)
        n_places += setup->domains[a]->n_places;
    KAN_TRY(kan_arena_alloc(&setup->job->arena, n_places, sizeof *setup->given.cuts,
                            &setup->given.cuts));
    kan_problems_begin(setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        json_t *name = kan_json_text(column_name(setup, a));
        if (!name)
            return no_memory(setup);
        kan_status status = take_box(setup, a, places[a]);
        if (status == KAN_OK)
            status = take_column(setup, a, json_object_get(cuts, json_string_value(name)));
        json_decref(name);
        KAN_TRY(status);
    }
    return kan_problems_end(setup->run);
}

kan_status kan_setup_take_given(kan_setup *setup) {
    const char *levels = kan_options_find(&setup->job->options, "levels");
    if (!setup->has_given)
        return KAN_OK;
    setup->given.n_attributes = setup->n_quasi;
    kan_status status = levels                                     ? take_flag(setup, levels)
                        : setup->given.type == KAN_RECODING_LEVELS ? take_levels(setup)
                                                                   : take_cuts(setup);
    return status;
}
