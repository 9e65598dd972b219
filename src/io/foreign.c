/* Formats that people have their tables in. A file of the zip kind is an archive, or one of the
 * formats that are archives: the names of its first members tell. */
#include "io/foreign.h"

#define SAVE_AS "save the sheet as CSV in UTF-8, and name that file"
#define EXPORT  "export it as CSV in UTF-8, and name that file"

#define SAY(kind) "say --format " kind

typedef struct {
    const char *mark;
    size_t size;
    kan_foreign is;
    bool may_be_text; /* unless a NUL byte follows: a column may be called PAR1 */
} beginning;

#define MARK(text) text, sizeof text - 1

static const beginning beginnings[] = {
    {MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), {"an old Excel workbook (.xls)", SAVE_AS}, false},
    {MARK("PAR1"), {"a Parquet file", EXPORT}, true},
    {MARK("ARROW1"), {"an Arrow file", EXPORT}, true},
    {MARK("$FL2"), {"an SPSS file (.sav)", SAY("sav")}, true},
    {MARK("$FL3"), {"a compressed SPSS file (.zsav)", SAY("zsav")}, true},
    {MARK("ASCII SPSS PORT FILE"), {"a portable SPSS file (.por)", SAY("por")}, false},
    {MARK("<stata_dta>"), {"a Stata file (.dta)", SAY("dta")}, false},
    {MARK("q\1\1"), {"a Stata file (.dta)", SAY("dta")}, true},
    {MARK("q\2\1"), {"a Stata file (.dta)", SAY("dta")}, true},
    {MARK("r\1\1"), {"a Stata file (.dta)", SAY("dta")}, true},
    {MARK("r\2\1"), {"a Stata file (.dta)", SAY("dta")}, true},
    {MARK("s\1\1"), {"a Stata file (.dta)", SAY("dta")}, true},
    {MARK("s\2\1"), {"a Stata file (.dta)", SAY("dta")}, true},
    {MARK("HEADER RECORD*******LIB"), {"a SAS transport file (.xpt)", SAY("xpt")}, false},
    {MARK("\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60"),
     {"a SAS file (.sas7bdat)", SAY("sas7bdat")},
     false},
    {MARK("SQLite format 3"), {"an SQLite database", EXPORT}, false},
    {MARK("%PDF-"), {"a PDF", "take the table that it was made from, as CSV"}, false},
    {MARK("BZh"), {"a .bz2 file", "unpack it, or pack it as .gz or .zst"}, true},
    {MARK("\xfd"
          "7zXZ"),
     {"an .xz file", "unpack it, or pack it as .gz or .zst"},
     false},
    {MARK("7z\xbc\xaf\x27\x1c"),
     {"a .7z archive", "unpack it, and name the CSV file in it"},
     false},
};

static const beginning archives[] = {
    {MARK("opendocument.spreadsheet"), {"an OpenDocument spreadsheet (.ods)", SAVE_AS}, false},
    {MARK("xl/"), {"an Excel workbook (.xlsx)", SAVE_AS}, false},
    {MARK(""), {"a .zip archive", "unpack it, and name the CSV file in it"}, false},
};

const kan_foreign *kan_foreign_find(kan_slice first_bytes) {
    const kan_slice head = {first_bytes.bytes, first_bytes.size < KAN_FOREIGN_BYTES
                                                   ? first_bytes.size
                                                   : KAN_FOREIGN_BYTES};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (head.size >= beginnings[i].size &&
            memcmp(head.bytes, beginnings[i].mark, beginnings[i].size) == 0 &&
            (!beginnings[i].may_be_text || memchr(head.bytes, '\0', head.size)))
            return &beginnings[i].is;
    if (head.size < 4 || memcmp(head.bytes, "PK\x03\x04", 4) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++)
        if (archives[i].size == 0 ||
            memmem(head.bytes, head.size, archives[i].mark, archives[i].size))
            return &archives[i].is;
    return NULL;
}
