/* The types of DuckDB by the names that SQL has for them. */
#include "io/duckdb/duck_type.h"

#include <stdio.h>

static const struct {
    const char *name;
    kan_scalar_type type;
} types[] = {
    {"BOOLEAN", {KAN_SCALAR_BOOLEAN, 1, 1, 0, 0, false, KAN_FIELD_BOOLEAN, false}},
    {"TINYINT", {KAN_SCALAR_SIGNED, 2, 1, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"SMALLINT", {KAN_SCALAR_SIGNED, 3, 2, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"INTEGER", {KAN_SCALAR_SIGNED, 4, 4, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"BIGINT", {KAN_SCALAR_SIGNED, 5, 8, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"UTINYINT", {KAN_SCALAR_UNSIGNED, 6, 1, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"USMALLINT", {KAN_SCALAR_UNSIGNED, 7, 2, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"UINTEGER", {KAN_SCALAR_UNSIGNED, 8, 4, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"UBIGINT", {KAN_SCALAR_UNSIGNED, 9, 8, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"FLOAT", {KAN_SCALAR_FLOAT, 10, 4, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"DOUBLE", {KAN_SCALAR_DOUBLE, 11, 8, 0, 0, false, KAN_FIELD_NUMBER, false}},
    {"DATE", {KAN_SCALAR_DATE, 13, 4, 0, 0, false, KAN_FIELD_DATE, true}},
    {"TIME", {KAN_SCALAR_TIME, 14, 8, 6, 0, false, KAN_FIELD_TIME, false}},
    {"TIMESTAMP", {KAN_SCALAR_TIMESTAMP, 12, 8, 6, 0, false, KAN_FIELD_TIMESTAMP, true}},
    {"TIMESTAMP_S", {KAN_SCALAR_TIMESTAMP, 20, 8, 0, 0, false, KAN_FIELD_TIMESTAMP, true}},
    {"TIMESTAMP_MS", {KAN_SCALAR_TIMESTAMP, 21, 8, 3, 0, false, KAN_FIELD_TIMESTAMP, true}},
    {"TIMESTAMP_NS", {KAN_SCALAR_TIMESTAMP, 22, 8, 9, 0, false, KAN_FIELD_TIMESTAMP, true}},
    {"TIMESTAMP WITH TIME ZONE",
     {KAN_SCALAR_TIMESTAMP, 31, 8, 6, 0, true, KAN_FIELD_TIMESTAMP, true}},
    {"VARCHAR", {KAN_SCALAR_TEXT, KAN_DUCK_VARCHAR, 16, 0, 0, false, KAN_FIELD_TEXT, false}},
};

/* Scalars that are rare in files. */
static const char *const casts[] = {
    "UUID",    "JSON",   "HUGEINT",  "UHUGEINT", "TIME WITH TIME ZONE",
    "TIME_NS", "BIGNUM", "\"NULL\"", "NULL"};

static kan_scalar_type decimal_of(unsigned width, unsigned digits) {
    return (kan_scalar_type){.form = KAN_SCALAR_DECIMAL,
                             .id = 19,
                             .size = width <= 4    ? 2
                                     : width <= 9  ? 4
                                     : width <= 18 ? 8
                                                   : 16,
                             .digits = digits,
                             .width = width,
                             .field = KAN_FIELD_NUMBER};
}

kan_scalar_type kan_duck_type_find(const char *sql) {
    unsigned width, digits;
    int end = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(sql, types[i].name) == 0)
            return types[i].type;
    if (sscanf(sql, "DECIMAL(%u,%u)%n", &width, &digits, &end) == 2 && end > 0 && !sql[end] &&
        width <= KAN_SCALAR_MOST_DIGITS && digits <= width)
        return decimal_of(width, digits);
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (strcmp(sql, casts[i]) == 0)
            return (kan_scalar_type){.form = KAN_SCALAR_CAST, .size = 16};
    return (kan_scalar_type){.form = KAN_SCALAR_NONE};
}
