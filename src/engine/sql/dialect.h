/* Dialects: what is different in the SQL of engines, as data. Statements are written once, in sql.h,
 * over these tables; a dialect is a constant in a file of its own (dialect_NAME.c).
 *
 * The text of a value. kanon counts texts, so what the text of a column is decides who is counted
 * as one. It must be the same for values that the release shows alike, and no session setting may
 * change it:
 *   - it is in the form of io/field.h, as the same table has it as CSV. Texts of reals may be in any
 *     form that reads back as the same number: the fold brings them into that form;
 *   - it is compared by bytes: no collation, no padding;
 *   - of NULL it is NULL, which is the missing value, and so is the text "". */
#ifndef KANON_ENGINE_SQL_DIALECT_H
#define KANON_ENGINE_SQL_DIALECT_H

#include "io/field.h"

/* How a column of some type becomes text. Patterns are SQL with ? in place of the column. */
typedef struct kan_sql_form {
    const char *text; /* its text, by bytes; NULL: none is made of it, it can only pass through */
    /* Of what has no text, one by which its values can be held against those of the same column in
     * another table: nobody is counted by it. Others have no two values of one such text. */
    const char *compared;
    kan_field_type field;
    /* Values that the engine's own GROUP BY takes for the same have the same text, and others do
     * not: rows can be grouped by the column itself, and only groups become text. That is what
     * makes a fold fast. Not so for reals (0, -0), numbers of no fixed scale (1.0, 1.00), texts
     * with collations. */
    bool groups_raw;
    bool is_whole; /* whole numbers, which the engine compares with whole numbers by value */
    bool is_text;  /* it may be '' as well as NULL; both are the missing value */
    /* Its text is brought into kanon's form when it is here: of reals any text that reads back as the
     * same number, of decimals (exact, of a fixed scale) the digits that the engine writes. */
    bool is_real, is_decimal;
    /* Values that differ may have the same text: the column is never released as it is, but as its
     * text, or one could tell people apart who were counted as one. */
    bool is_lossy;
    /* Of what is_lossy or is_real a text that tells all of its values apart; NULL: its text and NULL do,
     * but for NaN. */
    const char *exact;
} kan_sql_form;

/* The first rule whose pattern is the type's decides; * stands for anything in it, and upper case
 * is as lower case. The last is for all others. */
typedef struct kan_sql_rule {
    const char *type;
    kan_sql_form form;
} kan_sql_rule;

/* How a quote is written within quotes. */
typedef enum kan_sql_escape {
    KAN_ESCAPE_DOUBLE,      /* twice; a backslash is itself */
    KAN_ESCAPE_DOUBLE_BOTH, /* twice, and a backslash twice */
    KAN_ESCAPE_BACKSLASH,   /* behind a backslash, as a backslash itself */
    /* The same, and ends of lines as \n and \r. */
    KAN_ESCAPE_BACKSLASH_LINES,
    /* The same as KAN_ESCAPE_BACKSLASH, and { as \{, so that nobody's ${..} or {{..}} is replaced. */
    KAN_ESCAPE_BACKSLASH_BRACES
} kan_sql_escape;

/* How values become labels inside of the engine. */
typedef enum kan_sql_mapping {
    KAN_MAP_JOIN,     /* LEFT JOIN with a table of each column's values */
    KAN_MAP_TRANSFORM /* transform(text, [values], [numbers], 0), as ClickHouse has it */
} kan_sql_mapping;

typedef struct kan_dialect {
    const char *name;            /* of the engine, for messages: "PostgreSQL" */
    char quote;                  /* around names */
    kan_sql_escape name_escape;  /* in names */
    kan_sql_escape text_escape;  /* in texts, which stand in ' */
    size_t most_name_bytes;      /* longer ones would be cut or refused; 0: no limit */
    size_t most_statement_bytes; /* 0: no limit */
    const kan_sql_rule *rules;   /* ends with the type "*" */
    const char *const *wrappers; /* type names around a type, "Nullable"; ends with NULL; or NULL */
    const char *number_text;     /* pattern: the text of a count */
    const char *if_null;         /* pattern: ? or, where it is NULL, '' */
    const char *key_type;        /* of a column that holds texts to be found, by bytes */
    const char *label_type;      /* of one that holds labels, as the release shows them */
    /* What the transport writes behind the type of a column of text whose values the engine compares
     * by bytes, and rules have with it; so are labels compared. NULL: it says nothing. */
    const char *by_bytes;
    const char *count_type;       /* of one that holds numbers up to 2^63 - 1 */
    const char *label_null;       /* pattern: ?, or NULL where it is '' */
    const char *create;           /* "CREATE TABLE " */
    const char *create_temporary; /* of tables that go with the connection; NULL: has none */
    bool temporary_in_schema;     /* these stand in a schema, where one has to be allowed to */
    const char *create_tail;      /* behind the columns of a table, such as its ENGINE; or "" */
    const char *create_as;        /* between the name of the release and its SELECT */
    /* Before the name of a table of ours that was loaded, so that joins with it are planned well: its
     * values are counted; NULL: that is not needed. */
    const char *analyze;
    /* Between a table and one that maps its values; where NULL does, the engine finds by itself that the
     * small ones are not to be multiplied with each other first. */
    const char *join;
    /* A SELECT that gives a row where there is a table, or what else has such a name: ? is its name
     * as a text, @ that of its schema, or NULL where none is said. */
    const char *exists;
    /* A SELECT that gives every schema in which a name without one is found, or a table of that name
     * would be made; ? is the name as a text. NULL: none is asked for, and it may be in any. */
    const char *schemas;
    /* The same of a schema, ? its name; of engines with `stored`. */
    const char *schema_exists;
    /* Takes a table for oneself alone, ? as SQL has it, and does not wait long for others who look at it; NULL:
     * nobody else can. */
    const char *lock;
    /* A SELECT of statements, each a text, which give a table what another has beside its rows, such as
     * comments: ? is the name of that one as a text, @ its schema or NULL, and # the name of the new one, which
     * will have the name of the old when they run. NULL: nothing is kept. */
    const char *keeps;
    const char *drop;             /* "DROP TABLE IF EXISTS " */
    const char *rename, *renamed; /* "ALTER TABLE " OLD " RENAME TO " NEW */
    bool renames_in_schema;       /* NEW stands without the schema: it stays in the same */
    const char *begin, *commit;   /* of a transaction that sees one state of all; NULL: has none */
    const char *rollback;         /* the same */
    bool makes_in_transaction;    /* a transaction that is rolled back takes tables with it */
    bool has_windows;             /* row_number() over (partition by ..) */
    const char *temporary_schema; /* its tables go with the connection, * as in rules; NULL: none */
    bool ignores_case;            /* of the names of tables */
    bool casts_back;              /* a column's type can be written behind CAST(.. AS */
    kan_sql_mapping maps;
    /* Rows in a secret order (--shuffle): a pattern, the hash of a text that has the key in it. NULL: it
     * cannot be done, and `no_order` says why. The key is loaded as values are, so that it stands in the
     * text of no statement, nor among what statements are given: servers log both. */
    const char *keyed_hash, *no_order;
    /* By what the rows of a table stand in the order in which they were written, until somebody changes
     * them; NULL: nothing says so. */
    const char *stored;
    /* A pattern: a number above 0 and below 1 that a text gives, as if it were drawn at random, and
     * always the same. By it rows are drawn that only show what a table is like. NULL: none are. */
    const char *drawn;
} kan_dialect;

extern const kan_dialect kan_dialect_postgres, kan_dialect_clickhouse, kan_dialect_duckdb,
    kan_dialect_sqlite, kan_dialect_mariadb;
/* Of statements that others run (engine/script). */
extern const kan_dialect kan_dialect_ansi, kan_dialect_snowflake, kan_dialect_bigquery,
    kan_dialect_databricks;

/* The type of a column of which nobody knows it: rules of all dialects in which statements are written
 * for others make a text of it that may be lossy, so that it is released as that text alone. */
#define KAN_SQL_ANY_TYPE "any"

/* Whether the engine's texts are not the table's. */
static inline bool kan_sql_form_rewrites(const kan_sql_form *form) {
    return form->is_real || form->is_decimal;
}

/* Whether what is made in a schema goes with the connection. */
bool kan_dialect_is_temporary(const kan_dialect *dialect, const char *schema);
/* How a column of a type, as the engine calls it, becomes text. */
const kan_sql_form *kan_dialect_form(const kan_dialect *dialect, const char *type);
/* The same of a column of labels. */
const kan_sql_form *kan_dialect_label_form(const kan_dialect *dialect);

#endif
