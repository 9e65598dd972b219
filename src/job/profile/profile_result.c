/* The result of `profile` as JSON: every column, and every combination that was looked at. With
 * --no-values nothing in it is a value of the table. */
#include "job/profile/profile_inside.h"
#include "job/tell/tell.h"

enum { LONGEST_NAME = 1000 };

const char *kan_profile_role_name(kan_role role) {
    return role == KAN_ROLE_OTHER ? "undecided" : kan_role_word(role);
}

size_t kan_profile_count_of(const kan_profile_walk *p, kan_role role) {
    size_t n = 0;
    for (size_t c = 0; c < p->input.n_columns; c++)
        n += p->columns[c].role == role;
    return n;
}

/* ---- rows and people ------------------------------------------------------------------------ */

static bool has_repeats(const kan_profile_column *column) {
    return column->n_distinct > 0 && column->n_distinct < column->n_rows - column->n_missing;
}

/* A number of a person that is different in every row: then names repeat because people share them.
 * The number of a case says nothing of that. */
static bool has_unique_person(const kan_profile_walk *p) {
    for (size_t c = 0; c < p->input.n_columns; c++) {
        const kan_profile_column *column = &p->columns[c];
        if (column->role == KAN_ROLE_ID && column->identifier == KAN_IDENTIFIER_NUMBER &&
            column->is_of_person && column->n_missing == 0 && !has_repeats(column))
            return true;
    }
    return false;
}

bool kan_profile_repeats(const kan_profile_walk *p, const kan_profile_column *column) {
    if (column->role != KAN_ROLE_ID || !has_repeats(column) ||
        column->identifier == KAN_IDENTIFIER_NONE)
        return false;
    return column->identifier == KAN_IDENTIFIER_NUMBER ||
           (!has_unique_person(p) && kan_profile_find_person(p) == SIZE_MAX);
}

bool kan_profile_is_person(const kan_profile_column *column) {
    const bool is_code = column->role == KAN_ROLE_ID
                             ? column->identifier == KAN_IDENTIFIER_NUMBER ||
                                   column->identifier == KAN_IDENTIFIER_CONTACT
                             : column->role == KAN_ROLE_OTHER && column->type != KAN_TYPE_DATE;
    return is_code && has_repeats(column) && column->n_missing == 0 && column->n_distinct > 1;
}

/* A number that is the person's by its name, or surely one, of so many values that they may be people:
 * a code of three kinds of ward would only forbid every release. */
static bool is_likely_person(const kan_profile_column *column) {
    enum { MOST_ROWS_EACH = 20 };
    return column->role == KAN_ROLE_ID && column->identifier == KAN_IDENTIFIER_NUMBER &&
           kan_profile_is_person(column) &&
           (column->is_of_person || (column->certainty == KAN_LIKELY &&
                                     column->n_rows / column->n_distinct <= MOST_ROWS_EACH));
}

/* A person's number before one of something else, and the first of each. With --household each row is
 * somebody else. */
size_t kan_profile_find_person(const kan_profile_walk *p) {
    size_t found = SIZE_MAX;
    for (size_t c = 0; c < p->input.n_columns && !p->has_household; c++) {
        const kan_profile_column *column = &p->columns[c];
        if (!is_likely_person(column))
            continue;
        if (found == SIZE_MAX || (column->is_of_person && !p->columns[found].is_of_person))
            found = c;
    }
    return found;
}

bool kan_profile_counts_people(const kan_profile_walk *p, size_t *column) {
    *column = kan_profile_find_person(p);
    return *column != SIZE_MAX && !kan_input_engine(&p->input);
}

static double share(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

/* ---- columns -------------------------------------------------------------------------------- */

static json_t *top_json(const kan_profile_walk *p, const kan_profile_column *column) {
    json_t *list = json_array();
    for (unsigned i = 0; i < column->n_top; i++) {
        json_t *top = json_pack("{s:o, s:o}", "rows", kan_json_count(column->top_rows[i]), "share",
                                kan_json_real(share(column->top_rows[i], column->n_rows)));
        if (p->shows_values) {
            top = kan_json_set(top, "value", kan_json_slice(kan_profile_slice(&column->top[i])));
            if (column->top[i].is_cut)
                top = kan_json_set(top, "cut", json_true());
        }
        list = kan_json_append(list, top);
    }
    return list;
}

static json_t *bins_json(const kan_profile_column *column) {
    json_t *list = json_array();
    for (unsigned i = 0; i < column->n_bins; i++)
        list = kan_json_append(list, kan_json_count(column->bins[i]));
    return list;
}

static json_t *range_json(const kan_profile_column *column) {
    return json_pack("{s:o, s:o, s:o}", "least", kan_json_slice(kan_profile_slice(&column->least)),
                     "median", kan_json_slice(kan_profile_slice(&column->median)), "greatest",
                     kan_json_slice(kan_profile_slice(&column->greatest)));
}

static const char *person_word(const kan_profile_walk *p, const kan_profile_column *column) {
    return (size_t)(column - p->columns) == kan_profile_find_person(p) ? "suggested"
           : kan_profile_is_person(column)                             ? "possible"
                                                                       : "no";
}

/* Where not all values were looked at, how many; the range, the bins and the shape are of these. */
static json_t *with_part(const kan_profile_column *column, json_t *json) {
    return column->n_looked_at
               ? kan_json_set(json, "values_looked_at", kan_json_count(column->n_looked_at))
               : json;
}

static json_t *column_json(const kan_profile_walk *p, const kan_profile_column *column) {
    const bool has_range = column->n_bins > 0;
    json_t *role = json_pack(
        "{s:s, s:s, s:s, s:o, s:b, s:s, s:o, s:o}", "suggestion",
        kan_profile_role_name(column->role), "certainty",
        column->certainty == KAN_LIKELY ? "likely" : "perhaps", "reason", column->reason,
        "hierarchy", column->role == KAN_ROLE_QUASI ? kan_json_text(column->spec) : json_null(),
        "repeats", (int)kan_profile_repeats(p, column), "person", person_word(p, column),
        "alone_with_quasi_identifiers",
        column->is_risk_known ? kan_json_count(column->n_alone) : json_null(), "alone_by_it",
        column->is_risk_known ? kan_json_count(column->n_singled) : json_null());
    return with_part(
        column,
        json_pack("{s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                  kan_json_text(column->name), "type", kan_type_name(column->type), "called_text",
                  (int)column->is_called_text, "distinct", kan_json_count(column->n_distinct),
                  "missing", kan_json_count(column->n_missing), "unique",
                  kan_json_count(column->n_once), "distinctness",
                  kan_json_real(kan_profile_distinctness(column)), "top", top_json(p, column),
                  "range", has_range && p->shows_values ? range_json(column) : json_null(), "bins",
                  has_range ? bins_json(column) : json_null(), "role", role));
}

static json_t *columns_json(const kan_profile_walk *p) {
    json_t *list = json_array();
    for (size_t c = 0; c < p->input.n_columns; c++)
        list = kan_json_append(list, column_json(p, &p->columns[c]));
    return list;
}

/* ---- combinations --------------------------------------------------------------------------- */

/* A name of thousands of bytes would be written thousands of times: then the place of the column,
 * from 1, stands for it. */
static json_t *names_json(const kan_profile_walk *p, const kan_subset *set) {
    json_t *list = json_array();
    for (unsigned i = 0; i < set->size; i++) {
        const size_t column = p->interesting[set->columns[i]];
        list = kan_json_append(list, strlen(p->input.columns[column]) <= LONGEST_NAME
                                         ? kan_json_text(p->input.columns[column])
                                         : json_sprintf("column %zu", column + 1));
    }
    return list;
}

static json_t *subset_json(const kan_profile_walk *p, const kan_subset *set) {
    const uint64_t n = p->subsets.n_rows;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "columns", names_json(p, set),
                     "distinct", kan_json_count(set->n_distinct), "distinctness",
                     kan_json_real(share(set->n_distinct, n)), "separation",
                     kan_json_real(kan_subset_separation(&p->subsets, set)), "unique_rows",
                     kan_json_count(set->n_unique), "unique_share",
                     kan_json_real(share(set->n_unique, n)), "minimal", (int)set->is_minimal);
}

static json_t *subsets_json(const kan_profile_walk *p) {
    const kan_subsets *subsets = &p->subsets;
    json_t *list = json_array(), *sizes = json_array();
    for (size_t i = 0; i < subsets->n; i++)
        list = kan_json_append(list, subset_json(p, &subsets->list[i]));
    for (unsigned size = 0; size < KAN_SUBSET_SIZE; size++)
        sizes = kan_json_append(sizes, kan_json_count(subsets->n_columns[size]));
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o}", "rows",
                     kan_json_count(subsets->n_rows), "sampled", (int)subsets->is_sampled, "seed",
                     kan_json_count(kan_run_seed(p->run)), "telling_share",
                     kan_json_real(KAN_PROFILE_TELLING), "looked_at", kan_json_count(subsets->n),
                     "possible", kan_json_count(subsets->n_all), "columns_by_size", sizes,
                     "left_out", "id", kan_json_count(p->n_ids), "constant",
                     kan_json_count(p->n_constant), "less_telling", kan_json_count(p->n_beyond),
                     "minimal", kan_json_count(subsets->n_minimal), "list", list);
}

/* ---- tables of the file --------------------------------------------------------------------- */

static json_t *size_json(uint64_t n) {
    return n ? kan_json_count(n) : json_null();
}

static json_t *sheets_json(const kan_profile_walk *p) {
    json_t *list = p->tables.n ? json_array() : json_null();
    for (size_t i = 0; i < p->tables.n; i++) {
        const kan_source_table *table = &p->tables.list[i];
        list = kan_json_append(
            list, json_pack("{s:o, s:o, s:o, s:b, s:b}", "name", kan_json_text(table->name), "rows",
                            size_json(table->n_rows), "columns", size_json(table->n_columns),
                            "hidden", (int)table->is_hidden, "read", (int)table->is_this));
    }
    return list;
}

/* ---- the whole ------------------------------------------------------------------------------ */

json_t *kan_profile_json(const kan_profile_walk *p) {
    const kan_options *options = &p->job->options;
    const char *job = kan_options_find(options, "job-out");
    json_t *times =
        json_pack("{s:o, s:o, s:o}", "read", kan_json_time(p->read_ms), "combinations",
                  kan_json_time(p->subsets_ms), "total", kan_json_time(kan_now_ms() - p->start_ms));
    json_t *input = json_pack(
        "{s:o, s:o, s:o}", "path",
        p->input.is_file ? kan_json_text(kan_options_find(options, "input")) : json_null(), "rows",
        kan_json_count(p->n_rows), "columns", kan_json_count(p->input.n_columns));
    return json_pack("{s:s, s:s, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "kanon", KANON_VERSION, "command", "profile", "input", input, "sheets",
                     sheets_json(p), "internal", 1, "shows_values", (int)p->shows_values,
                     "conventions", kan_profile_conventions_json(p), "columns", columns_json(p),
                     "first_rows", p->first_rows ? json_incref(p->first_rows) : json_null(),
                     "household", kan_profile_household_json(p), "combinations", subsets_json(p),
                     "job", job ? kan_json_text(job) : json_null(), "rules",
                     p->rules ? kan_rules_told_json(p->rules) : json_null(), "time_ms", times,
                     "peak_memory_bytes", kan_json_count(kan_run_peak_memory(p->run)));
}

kan_status kan_profile_write(const kan_profile_walk *p, kan_result *out) {
    out->holds = true;
    KAN_TRY(kan_profile_summarize(p, &out->summary));
    return kan_result_set_json(out, kan_profile_json(p));
}
