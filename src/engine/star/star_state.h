/* Inside of src/engine/star: a star that is open, its tables, its statements. */
#ifndef KANON_ENGINE_STAR_STATE_H
#define KANON_ENGINE_STAR_STATE_H

#include "engine/engine_state.h"
#include "engine/star/star.h"
#include "group/freqsets/freqsets.h"

enum { KAN_MAX_STAR = KAN_MAX_FIELDS };

/* A table of the star. Columns of a set are c0, c1, .. by dimension, each a code from 1, and n. */
typedef struct kan_star_set {
    bool is_open;
    const char *place;  /* as SQL has it */
    uint64_t mask;      /* of dimensions: KAN_MAX_STAR fit */
    uint64_t mask_more; /* those from 64 on */
    unsigned levels[KAN_MAX_STAR];
} kan_star_set;

struct kan_star {
    kan_engine *engine;
    kan_star_plan plan;
    kan_star_dimension *dimensions;
    const char *stem;               /* of the names of its tables */
    unsigned n_named;               /* so far */
    const char *keys[KAN_MAX_STAR]; /* texts and codes; NULL: the dialect needs none */
    const char *levels[KAN_MAX_STAR];
    const char *large;  /* the rows of the base in large groups; NULL: nobody asked */
    kan_star_set *sets; /* what nodes are counted from is the first */
    uint32_t base;      /* the set of all dimensions: the first, too, unless some are not counted */
    size_t n_sets, set_capacity;
};

static inline bool kan_star_maps(const kan_star *star) {
    return star->engine->table.dialect->maps == KAN_MAP_TRANSFORM;
}
static inline bool kan_star_set_has(const kan_star_set *set, unsigned dimension) {
    return (dimension < 64 ? set->mask >> dimension : set->mask_more >> (dimension - 64)) & 1;
}
/* The value that stands for another at a level. */
static inline uint32_t kan_star_stand_in(const kan_star *star, unsigned dimension, unsigned level,
                                         uint32_t code) {
    const kan_star_dimension *d = &star->dimensions[dimension];
    return d->stand_in ? d->stand_in[level - d->lowest][code] : code;
}

/* ---- tables.c: tables of numbers and texts --------------------------------------------------- */

/* Makes an empty table. `columns` is as it stands between the brackets; `out` lives as long as the
 * engine. */
KAN_MUST_USE kan_status kan_star_make_table(kan_star *star, const char *columns, const char **out);
/* Rows were put in: the engine is to know how many, where it does not by itself. */
KAN_MUST_USE kan_status kan_star_analyze(kan_star *star, const char *place);
KAN_MUST_USE kan_status kan_star_drop_table(kan_star *star, const char *place);
/* The tables of a dimension, filled: its texts, and its levels where there are several. */
KAN_MUST_USE kan_status kan_star_load_keys(kan_star *star, unsigned dimension);
KAN_MUST_USE kan_status kan_star_load_levels(kan_star *star, unsigned dimension);
/* The texts of a column's values as the engine writes them, one by one. */
typedef struct kan_star_texts {
    const kan_engine_reals *reals; /* NULL: the dictionary has them */
    const kan_dictionary *values;
    uint32_t next;
} kan_star_texts;
kan_star_texts kan_star_texts_begin(const kan_star *star, unsigned dimension);
bool kan_star_texts_next(kan_star_texts *texts, kan_slice *text, uint32_t *code);

/* ---- sql_star.c: statements ------------------------------------------------------------------ */

/* Columns of a set as they stand in CREATE TABLE. */
void kan_sql_set_columns(kan_text *sql, const kan_star *star, const kan_count_order *order);
/* The rows of the base, out of the engine's table. */
void kan_sql_base(kan_text *sql, const kan_star *star);
/* The rows of a node, out of a set; columns x0, x1, .. by dimension, and xn. */
void kan_sql_roll_up(kan_text *sql, const kan_star *star, const kan_count_order *order);
/* The rows of the base, as they are, that are in large groups of a node. */
void kan_sql_large(kan_text *sql, const kan_star *star, const kan_count_order *order);

/* ---- count.c ------------------------------------------------------------------------------- */

/* Makes a set, and keeps it: its number. */
KAN_MUST_USE kan_status kan_star_keep(kan_star *star, const kan_count_order *order, uint32_t *out);
/* A number as the engine writes it; false where it is none. */
bool kan_star_read_number(kan_slice text, uint64_t *out);

#endif
