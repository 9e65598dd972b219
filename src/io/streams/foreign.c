/* Formats that people have their tables in. A file of the zip kind is an archive, or one of the
 * formats that are archives: the names of its first members tell. */
#include "io/streams/foreign.h"

#include <strings.h>

#define SAVE_AS  "save the sheet as .xlsx, or as CSV in UTF-8, and name that file"
#define IF_TABLE "save the sheet as CSV in UTF-8, or, if it is the table itself, use --format xlsx"
#define EXPORT   "export it as CSV in UTF-8, and name that file"

#define SAY(kind) "use --format " kind

typedef struct {
    const char *mark;
    size_t size;
    kan_foreign is;
    bool may_be_text; /* unless a NUL byte follows: a column may be called PAR1 */
} beginning;

#define MARK(text) text, sizeof text - 1

static const beginning beginnings[] = {
    /* the first: see kan_foreign_find */
    {MARK(KAN_CONTAINER_MARK), {"an old Excel workbook (.xls)", SAVE_AS}, false},
    {MARK("PAR1"), {"a Parquet file", SAY("parquet")}, true},
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
    {MARK("BZh"), {"a .bz2 file", "unpack it, or compress it as .gz or .zst"}, true},
    {MARK("\xfd"
          "7zXZ"),
     {"an .xz file", "unpack it, or compress it as .gz or .zst"},
     false},
    {MARK("7z\xbc\xaf\x27\x1c"),
     {"a .7z archive", "unpack it, and name the CSV file in it"},
     false},
};

static const beginning archives[] = {
    {MARK("opendocument.spreadsheet"), {"an OpenDocument spreadsheet (.ods)", SAVE_AS}, false},
    {MARK("xl/workbook.bin"), {"a binary Excel workbook (.xlsb)", SAVE_AS}, false},
    {MARK("xl/"), {"an Excel workbook (.xlsx)", IF_TABLE}, false},
    {MARK("[Content_Types].xml"),
     {"an Office document, perhaps an Excel workbook (.xlsx)", IF_TABLE},
     false},
    {MARK("metadata.xml"),
     {"an archive like a project of ARX (.deid)", "make a job of it: kanon import FILE -o FOLDER"},
     false},
    {MARK(""), {"a .zip archive", "unpack it, and name the table in it"}, false},
};

/* Whether it is what a browser would show, or XML; spaces and a byte order mark come before. */
static const kan_foreign *find_markup(kan_slice head) {
    static const kan_foreign page = {
        "a web page", "open it in a spreadsheet program, and save the table as .xlsx "
                      "or as CSV in UTF-8"};
    static const kan_foreign xml = {"an XML file", SAVE_AS};
    static const struct {
        const char *mark;
        const kan_foreign *is;
    } marks[] = {{"<!doctype html", &page}, {"<html", &page}, {"<?xml", &xml}};
    size_t at = head.size >= 3 && memcmp(head.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < head.size && strchr(" \t\r\n", head.bytes[at]) && head.bytes[at])
        at++;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (head.size - at >= strlen(marks[i].mark) &&
            strncasecmp(head.bytes + at, marks[i].mark, strlen(marks[i].mark)) == 0)
            return marks[i].is;
    return NULL;
}

static const beginning *find_beginning(kan_slice head) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (head.size >= beginnings[i].size &&
            memcmp(head.bytes, beginnings[i].mark, beginnings[i].size) == 0 &&
            (!beginnings[i].may_be_text || memchr(head.bytes, '\0', head.size)))
            return &beginnings[i];
    return NULL;
}

const kan_foreign *kan_foreign_find_encrypted(kan_slice bytes) {
    static const char entry[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e"; /* UTF-16 */
    static const kan_foreign encrypted = {"an encrypted workbook", "save it without a password"};
    return memmem(bytes.bytes, bytes.size, entry, sizeof entry) ? &encrypted : NULL;
}

const kan_foreign *kan_foreign_find(kan_slice first_bytes) {
    const kan_slice head = {first_bytes.bytes, first_bytes.size < KAN_FOREIGN_BYTES
                                                   ? first_bytes.size
                                                   : KAN_FOREIGN_BYTES};
    const beginning *found = find_beginning(head);
    if (found) {
        const kan_foreign *encrypted =
            found == &beginnings[0] ? kan_foreign_find_encrypted(head) : NULL;
        return encrypted ? encrypted : &found->is;
    }
    if (head.size < 4 || memcmp(head.bytes, "PK\x03\x04", 4) != 0)
        return find_markup(head);
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++)
        if (archives[i].size == 0 ||
            memmem(head.bytes, head.size, archives[i].mark, archives[i].size))
            return &archives[i].is;
    return NULL;
}
