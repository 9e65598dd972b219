/* What a workbook has beside the sheets that are read.
 *
 * Known are the parts that every workbook needs, and in them the elements that hold no text of their own.
 * All others are listed, so that what nobody thought of here is listed, too. */
#include "io/excel/beside_xlsx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    kan_run *run;
    const kan_parts *parts; /* of the sheets that are read; the first stands for what all share */
    size_t n_sheets;
    kan_beside *out;
    /* The part that is walked over. */
    const char *what;  /* what its texts are; NULL: what they are in is told by elements */
    const char *known; /* children of its root that are no news, each between blanks */
    unsigned depth;
    char child[64], element[64]; /* of the root; the innermost */
    bool is_shared, is_row;      /* of a cell: its text is the number of a string; of a sheet */
    bool *is_used;               /* strings of the sheets that are read; NULL: it is another part */
    size_t n_strings;
    kan_text text; /* of the innermost element so far */
} looking;

static bool is_in(const char *words, const char *word) {
    const size_t size = strlen(word);
    for (const char *at = strstr(words, word); size > 0 && at; at = strstr(at + 1, word))
        if (at > words && at[-1] == ' ' && at[size] == ' ')
            return true;
    return false;
}

/* ---- names ---------------------------------------------------------------------------------- */

static const char *name_of_child(const char *child) {
    static const char *const names[][2] = {{"dataValidations", "validation lists"},
                                           {"headerFooter", "headers or footers"},
                                           {"definedNames", "defined names"},
                                           {"conditionalFormatting", "conditional formats"},
                                           {"autoFilter", "a filter"},
                                           {"hyperlinks", "links"},
                                           {"fileSharing", "who shares the file"},
                                           {"f", "formulas"},
                                           {"rPh", "readings of words"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], child) == 0)
            return names[i][1];
    return NULL;
}

static kan_status add(looking *l, const char *what, kan_slice text) {
    char room[160];
    if (!what) {
        what = name_of_child(l->child);
        if (!what) {
            (void)snprintf(room, sizeof room, "the element %s of %s", l->child,
                           l->is_row ? "its sheet" : "the workbook");
            what = room;
        }
    }
    return kan_beside_add(l->out, what, text);
}

/* Attributes that people see, or that name something. */
static kan_status add_attributes(looking *l, const char *what, const char *name,
                                 const char *const *attributes) {
    static const char seen[] =
        " display tooltip location Target prompt promptTitle error errorTitle "
        "descr title userName url displayName author ";
    const bool has_name = is_in(" definedName sheet table tableColumn cacheField property ", name);
    const bool has_value = is_in(" filter customFilter s ", name);
    for (size_t i = 0; attributes[i]; i += 2) {
        const char *colon = strchr(attributes[i], ':');
        const char *local = colon ? colon + 1 : attributes[i];
        if (is_in(seen, local) || (has_name && strcmp(local, "name") == 0) ||
            (has_value && (strcmp(local, "val") == 0 || strcmp(local, "v") == 0)))
            KAN_TRY(add(l, what, kan_slice_of(attributes[i + 1])));
    }
    return KAN_OK;
}

/* Whether it is the name of a sheet that is read. */
static bool is_sheet(const looking *l, const char *called) {
    for (size_t i = 0; i < l->n_sheets; i++)
        if (strcmp(l->parts[i].sheet_name, called) == 0)
            return true;
    return false;
}

/* ---- walking over a part -------------------------------------------------------------------- */

static bool is_news(const looking *l) {
    return l->what || (l->depth >= 2 && !is_in(l->known, l->child)) || is_in(" f rPh ", l->element);
}

static kan_status begin_element(void *context, const char *name, const char *const *attributes) {
    looking *l = context;
    l->depth++;
    l->text.size = 0;
    (void)snprintf(l->element, sizeof l->element, "%s", name);
    if (l->depth == 2)
        (void)snprintf(l->child, sizeof l->child, "%s", name);
    if (strcmp(name, "c") == 0) {
        const char *type = kan_xml_attribute(attributes, "t");
        l->is_shared = type && strcmp(type, "s") == 0;
    }
    /* An element without anything says nothing. */
    if (is_news(l) && !l->what && ((l->depth == 2 && attributes[0]) || l->depth == 3))
        KAN_TRY(add(l, NULL, (kan_slice){"", 0}));
    return is_news(l) ? add_attributes(l, l->what, name, attributes) : KAN_OK;
}

static kan_status take_text(void *context, const char *bytes, size_t size) {
    looking *l = context;
    enum { MOST = 1 << 20 };
    if (l->text.size + size < MOST)
        kan_text_add(&l->text, bytes, size);
    return kan_text_status(&l->text);
}

/* Small numbers in parts that are no sheet are places and sizes. */
static bool is_small_number(kan_slice text) {
    for (size_t i = 0; i < text.size; i++)
        if (!isdigit((unsigned char)text.bytes[i]))
            return false;
    return text.size <= 3;
}

static kan_status end_text(looking *l, const char *name, kan_slice text) {
    const bool is_index = l->is_shared && strcmp(name, "v") == 0;
    if (is_index && l->is_used) {
        const unsigned long at = strtoul(text.bytes, NULL, 10);
        if (at < l->n_strings)
            l->is_used[at] = true;
    }
    if (text.size == 0 || is_index || (!l->is_row && is_small_number(text)) || !is_news(l))
        return KAN_OK;
    const char *what = is_in(" f rPh ", l->element) ? name_of_child(l->element) : l->what;
    return add(l, what, text);
}

/* Of a header: &C and the like say where its text stands, and how it looks. */
static void drop_marks(char *text, size_t size) {
    for (size_t i = 0; i + 1 < size; i++)
        if (text[i] == '&')
            text[i] = text[i + 1] = ' ';
}

static kan_status end_element(void *context, const char *name) {
    looking *l = context;
    kan_text_add(&l->text, "", 1); /* a zero behind it */
    KAN_TRY(kan_text_status(&l->text));
    const char *bytes = l->text.bytes;
    size_t first = 0, end = l->text.size - 1;
    while (first < end && isspace((unsigned char)bytes[first]))
        first++;
    while (end > first && isspace((unsigned char)bytes[end - 1]))
        end--;
    if (strcmp(l->child, "headerFooter") == 0)
        drop_marks(l->text.bytes, end);
    KAN_TRY(end_text(l, name, (kan_slice){bytes + first, end - first}));
    l->text.size = 0;
    l->depth--;
    return KAN_OK;
}

static kan_status walk(looking *l, kan_package *package, const char *part, const char *what,
                       const char *known) {
    static const kan_xml_handlers handlers = {begin_element, end_element, take_text};
    l->what = what;
    l->known = known;
    l->depth = 0;
    l->is_shared = false;
    l->child[0] = l->element[0] = '\0';
    l->text.size = 0;
    return kan_package_walk(package, part, &handlers, l);
}

/* ---- the parts that are read ---------------------------------------------------------------- */

static kan_status look_at_sheets(looking *l, kan_package *package, const kan_strings *strings) {
    static const char known[] =
        " sheetPr dimension sheetViews sheetFormatPr cols sheetData pageMargins "
        "printOptions pageSetup sheetProtection phoneticPr mergeCells ignoredErrors "
        "legacyDrawing drawing tableParts ";
    kan_status status;
    KAN_TRY(kan_alloc_zero(l->run, strings->n, sizeof *l->is_used, &l->is_used));
    l->n_strings = strings->n;
    l->is_row = true;
    for (size_t i = 0; i < l->n_sheets; i++)
        KAN_TRY_DONE(walk(l, package, l->parts[i].sheet, NULL, known));
    for (size_t i = 0; i < strings->n; i++)
        if (!l->is_used[i])
            KAN_TRY_DONE(kan_beside_add(l->out, "strings that no cell of the table has",
                                        kan_strings_at(strings, i)));
done:
    kan_free(l->run, l->is_used);
    l->is_used = NULL;
    l->is_row = false;
    return status;
}

static kan_status name_sheet(void *context, const char *name, const char *const *attributes) {
    const looking *l = context;
    const char *called = kan_xml_attribute(attributes, "name");
    const char *state = kan_xml_attribute(attributes, "state");
    char what[300], quoted[256];
    if (strcmp(name, "sheet") != 0 || !called || is_sheet(l, called))
        return KAN_OK;
    (void)snprintf(what, sizeof what, "the %ssheet %s",
                   state && strcmp(state, "visible") != 0 ? "hidden " : "",
                   kan_quote(kan_slice_of(called), quoted));
    return kan_beside_add(l->out, what, kan_slice_of(called));
}

static kan_status look_at_workbook(looking *l, kan_package *package, const char *part) {
    static const kan_xml_handlers names = {.begin = name_sheet};
    KAN_TRY(kan_package_walk(package, part, &names, l));
    return walk(l, package, part, NULL,
                " fileVersion workbookPr workbookProtection bookViews sheets calcPr ");
}

/* ---- properties ----------------------------------------------------------------------------- */

/* What programs write of themselves, and when, is no news; people and titles are. */
static kan_status end_property(void *context, const char *name) {
    looking *l = context;
    static const char known[] = " created modified Application DocSecurity ScaleCrop LinksUpToDate "
                                "SharedDoc HyperlinksChanged AppVersion i4 ";
    kan_text_add(&l->text, "", 1); /* a zero behind it */
    KAN_TRY(kan_text_status(&l->text));
    const kan_slice text = {l->text.bytes, l->text.size - 1};
    const bool is_known = is_in(known, name) || strcmp(l->child, "HeadingPairs") == 0 ||
                          (strcmp(l->child, "TitlesOfParts") == 0 && is_sheet(l, text.bytes));
    if (text.size > 0 && !is_known)
        KAN_TRY(kan_beside_add(l->out, "document properties", text));
    l->text.size = 0;
    l->depth--;
    return KAN_OK;
}

static kan_status begin_property(void *context, const char *name, const char *const *attributes) {
    looking *l = context;
    (void)attributes;
    l->text.size = 0;
    if (++l->depth == 2)
        (void)snprintf(l->child, sizeof l->child, "%s", name);
    return KAN_OK;
}

static kan_status look_at_properties(looking *l, kan_package *package, const char *part) {
    static const kan_xml_handlers handlers = {begin_property, end_property, take_text};
    l->depth = 0;
    l->child[0] = '\0';
    l->text.size = 0;
    return kan_package_walk(package, part, &handlers, l);
}

/* ---- other parts ---------------------------------------------------------------------------- */

static kan_status take_link(void *context, const char *name, const char *const *attributes) {
    const char *mode = kan_xml_attribute(attributes, "TargetMode");
    const char *target = kan_xml_attribute(attributes, "Target");
    (void)name;
    return mode && strcmp(mode, "External") == 0 && target
               ? kan_beside_add(context, "links", kan_slice_of(target))
               : KAN_OK;
}

/* Words between quotes that a format shows beside each number. */
static kan_status take_format(void *context, const char *name, const char *const *attributes) {
    const char *code = kan_xml_attribute(attributes, "formatCode");
    bool is_quoted = false, has_letter = false;
    if (strcmp(name, "numFmt") != 0 || !code)
        return KAN_OK;
    for (const char *at = code; *at; at++) {
        is_quoted ^= *at == '"';
        has_letter |= is_quoted && isalpha((unsigned char)*at);
    }
    return has_letter ? kan_beside_add(context, "words in the formats of cells", kan_slice_of(code))
                      : KAN_OK;
}

static bool ends_in(const char *path, const char *ending) {
    const size_t size = strlen(path), n = strlen(ending);
    return size >= n && strcmp(path + size - n, ending) == 0;
}

static const char *name_of_part(const char *part, char *room, size_t size) {
    static const char *const names[][2] = {{"xl/worksheets/", "another sheet"},
                                           {"xl/chartsheets/", "another sheet"},
                                           {"xl/comments", "comments"},
                                           {"xl/threadedComments/", "comments"},
                                           {"xl/persons/", "who wrote comments"},
                                           {"xl/media/", "pictures"},
                                           {"xl/embeddings/", "embedded files"},
                                           {"xl/drawings/", "drawings"},
                                           {"xl/tables/", "the definition of a table"},
                                           {"customXml/", "custom XML"},
                                           {"docProps/", "document properties"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(part, names[i][0], strlen(names[i][0])) == 0)
            return names[i][1];
    (void)snprintf(room, size, "the part %.100s", part);
    return room;
}

static kan_status look_into(looking *l, kan_package *package, const char *part) {
    char room[160];
    const char *what = name_of_part(part, room, sizeof room);
    KAN_TRY(kan_beside_add(l->out, what, (kan_slice){"", 0}));
    if (!ends_in(part, ".xml"))
        return KAN_OK;
    l->is_row = strncmp(part, "xl/worksheets/", 14) == 0;
    const kan_status status = walk(l, package, part, what, " ");
    l->is_row = false;
    return status;
}

/* What every workbook has, and holds no text. */
static bool is_plain_part(const looking *l, const char *part) {
    for (size_t i = 0; i < l->n_sheets; i++)
        if (strcmp(part, l->parts[i].sheet) == 0)
            return true;
    return ends_in(part, "/") || strcmp(part, "[Content_Types].xml") == 0 ||
           strcmp(part, "xl/theme/theme1.xml") == 0 || strcmp(part, "xl/calcChain.xml") == 0 ||
           (l->parts->strings && strcmp(part, l->parts->strings) == 0);
}

static kan_status look_at_part(looking *l, kan_package *package, const char *part) {
    static const kan_xml_handlers links = {.begin = take_link}, formats = {.begin = take_format};
    if (is_plain_part(l, part))
        return KAN_OK;
    if (ends_in(part, ".rels"))
        return kan_package_walk(package, part, &links, l->out);
    if (l->parts->styles && strcmp(part, l->parts->styles) == 0)
        return kan_package_walk(package, part, &formats, l->out);
    if (strcmp(part, "docProps/core.xml") == 0 || strcmp(part, "docProps/app.xml") == 0)
        return look_at_properties(l, package, part);
    if (strcmp(part, l->parts->workbook) == 0)
        return look_at_workbook(l, package, part);
    return look_into(l, package, part);
}

kan_status kan_workbook_find_beside(kan_package *package, const kan_parts *sheets, size_t n_sheets,
                                    const kan_strings *strings, kan_beside *out) {
    looking l = {.run = package->run, .parts = sheets, .n_sheets = n_sheets, .out = out};
    kan_status status;
    const char *part;
    kan_text_init(&l.text, package->run);
    KAN_TRY_DONE(look_at_sheets(&l, package, strings));
    for (uint64_t i = 0; (part = kan_package_part_at(package, i)); i++) {
        if (kan_package_is_double(package, i))
            KAN_TRY_DONE(
                kan_beside_add(out, "a part of a name that another one has", (kan_slice){"", 0}));
        else
            KAN_TRY_DONE(look_at_part(&l, package, part));
    }
    status = KAN_OK;
done:
    kan_text_destroy(&l.text);
    return status;
}
