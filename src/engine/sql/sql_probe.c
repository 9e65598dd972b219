/* What an engine compares how, asked of literals: nothing else is known of one that cannot be asked
 * beforehand, or that nobody here has met. */
#include "engine/sql/sql.h"

typedef struct pair {
    const char *a, *b, *words;
} pair;

/* In UTF-8. */
static const pair pairs[] = {
    {"a", "A", "upper and lower case are one"},
    {"a", "a ", "blanks at the end are dropped"},
    {"", " ", "a blank is nothing"},
    {"a", "a\t", "a tab at the end is dropped"},
    {"e", "\xc3\xa9", "accents are dropped"},
    {"\xc3\xa9", "e\xcc\x81", "letters are put together with their accents"},
    {"\xc3\x9f", "ss", "sharp s is ss"},
    {"i", "\xc4\xb1", "dotless i is i"},
    {"K", "\xe2\x84\xaa", "signs that look alike are one"},
    {"a", "\xef\xbd\x81", "wide letters are narrow ones"},
    {"ab", "a\xc2\xad\x62", "signs that are not seen are dropped"},
    {"a-b", "ab", "hyphens are dropped"},
    {"1", "01", "texts of digits are compared as numbers"},
    {"1", "1.0", "texts of decimals are compared as numbers"},
};

static void add(kan_text *sql, const char *words) {
    kan_text_add(sql, words, strlen(words));
}

/* A literal as the text of a column. */
static void add_literal(kan_text *sql, const kan_dialect *dialect, const kan_sql_form *form,
                        const char *literal) {
    kan_text quoted, text;
    kan_text_init(&quoted, sql->run);
    kan_text_init(&text, sql->run);
    kan_sql_text(&quoted, dialect, kan_slice_of(literal));
    if (kan_text_status(&quoted) == KAN_OK)
        kan_sql_pattern(&text, form->text, quoted.bytes);
    if (kan_text_status(&quoted) == KAN_OK && kan_text_status(&text) == KAN_OK)
        kan_sql_pattern(sql, dialect->if_null, text.bytes);
    else
        sql->failed = true;
    kan_text_destroy(&text);
    kan_text_destroy(&quoted);
}

void kan_sql_probe(kan_text *sql, const kan_dialect *dialect, const kan_sql_form *form,
                   const char *prefix) {
    const char *const p = prefix;
    kan_text_print(sql, "SELECT %sw FROM (", p);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        kan_text_print(sql, "%sSELECT ", i ? " UNION ALL " : "");
        kan_sql_text(sql, dialect, kan_slice_of(pairs[i].words));
        kan_text_print(sql, " AS %sw, CASE WHEN ", p);
        add_literal(sql, dialect, form, pairs[i].a);
        add(sql, " = ");
        add_literal(sql, dialect, form, pairs[i].b);
        kan_text_print(sql, " THEN 1 ELSE 0 END AS %sb", p);
    }
    /* What is nothing to a comparison would pass each of them. */
    add(sql, " UNION ALL SELECT 'a text is not itself', CASE WHEN ");
    add_literal(sql, dialect, form, "a");
    add(sql, " = ");
    add_literal(sql, dialect, form, "a");
    kan_text_print(sql, " THEN 0 ELSE 1 END) AS %sp WHERE %sb = 1", p, p);
}
