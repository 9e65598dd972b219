/* From part to part: the types of all parts tell a workbook from other documents, the relations of
 * the package name the workbook, those of the workbook its sheets, strings and styles. */
#include "io/excel/parts.h"
#include "core/signs.h"

#include <stdio.h>

typedef struct {
    const char *id, *type, *target;
} relation;

typedef struct {
    const char *name, *id;
    bool is_hidden;
} sheet;

typedef struct {
    kan_package *package;
    kan_arena *arena;
    relation *relations;
    size_t n_relations, relations_capacity;
    sheet *sheets;
    size_t n_sheets, sheets_capacity;
    bool is_1904;
    bool has_types, is_workbook, has_macros, is_binary;
} finding;

static kan_status keep(finding *f, const char *text, const char **out) {
    return kan_arena_copy(f->arena, text ? text : "", text ? strlen(text) : 0, out);
}

/* ---- types ---------------------------------------------------------------------------------- */

static kan_status take_type(void *context, const char *name, const char *const *attributes) {
    finding *f = context;
    const char *type = kan_xml_attribute(attributes, "ContentType");
    f->has_types |= strcmp(name, "Types") == 0;
    if (!type)
        return KAN_OK;
    f->has_macros |= strstr(type, "sheet.macroEnabled") || strstr(type, "template.macroEnabled");
    f->is_binary |= strstr(type, "sheet.binary") != NULL;
    f->is_workbook |= strstr(type, "spreadsheetml") != NULL;
    return KAN_OK;
}

static kan_status check_types(finding *f) {
    static const kan_xml_handlers handlers = {.begin = take_type};
    static const char types[] = "[Content_Types].xml";
    const char *file = f->package->stream.name;
    kan_run *run = f->package->run;
    if (kan_package_has(f->package, types))
        KAN_TRY(kan_package_walk(f->package, types, &handlers, f));
    if (f->is_binary)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: this is a binary workbook (.xlsb); save it as .xlsx", file);
    if (f->has_macros)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: the workbook can hold macros (.xlsm); save it as .xlsx, without them",
                        file);
    if (!f->has_types && kan_package_has(f->package, "content.xml"))
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: this is an OpenDocument spreadsheet (.ods), not a workbook (.xlsx); "
                        "save it as .xlsx",
                        file);
    if (!f->has_types)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: this is a .zip archive, not a workbook (.xlsx); unpack it, and name "
                        "the table in it",
                        file);
    if (!f->is_workbook)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: this is an Office document, but not a workbook; copy the table into a "
                        "sheet, and save it as .xlsx",
                        file);
    return KAN_OK;
}

/* ---- relations ------------------------------------------------------------------------------ */

static kan_status take_relation(void *context, const char *name, const char *const *attributes) {
    finding *f = context;
    relation *r;
    if (strcmp(name, "Relationship") != 0)
        return KAN_OK;
    KAN_TRY(kan_reserve(f->package->run, f->n_relations + 1, sizeof *r, &f->relations_capacity,
                        &f->relations));
    r = &f->relations[f->n_relations];
    KAN_TRY(keep(f, kan_xml_attribute(attributes, "Id"), &r->id));
    KAN_TRY(keep(f, kan_xml_attribute(attributes, "Type"), &r->type));
    KAN_TRY(keep(f, kan_xml_attribute(attributes, "Target"), &r->target));
    f->n_relations++;
    return KAN_OK;
}

static kan_status read_relations(finding *f, const char *part) {
    static const kan_xml_handlers handlers = {.begin = take_relation};
    f->n_relations = 0;
    return kan_package_has(f->package, part) ? kan_package_walk(f->package, part, &handlers, f)
                                             : KAN_OK;
}

static const relation *find_type(const finding *f, const char *type) {
    for (size_t i = 0; i < f->n_relations; i++)
        if (kan_ends_with(f->relations[i].type, type))
            return &f->relations[i];
    return NULL;
}

/* The part that a relation of `from` leads to: its target stands in the folder of `from`, unless it
 * begins with a slash. */
static kan_status resolve(finding *f, const char *from, const char *target, const char **out) {
    kan_text path;
    const char *slash = strrchr(from, '/');
    size_t folder = slash ? (size_t)(slash - from) : 0;
    kan_text_init(&path, f->package->run);
    for (; strncmp(target, "../", 3) == 0; target += 3)
        while (folder > 0 && from[--folder] != '/')
            ;
    if (strncmp(target, "./", 2) == 0)
        target += 2;
    if (target[0] == '/')
        target++;
    else if (folder > 0)
        kan_text_print(&path, "%.*s/", (int)folder, from);
    kan_text_print(&path, "%s", target);
    kan_status status = kan_text_status(&path);
    if (status == KAN_OK)
        status = keep(f, path.bytes, out);
    kan_text_destroy(&path);
    return status;
}

/* ---- sheets --------------------------------------------------------------------------------- */

static bool is_true(const char *text) {
    return text && (strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || strcmp(text, "on") == 0);
}

static kan_status take_sheet(void *context, const char *name, const char *const *attributes) {
    finding *f = context;
    if (strcmp(name, "workbookPr") == 0)
        f->is_1904 = is_true(kan_xml_attribute(attributes, "date1904"));
    if (strcmp(name, "sheet") != 0)
        return KAN_OK;
    KAN_TRY(kan_reserve(f->package->run, f->n_sheets + 1, sizeof *f->sheets, &f->sheets_capacity,
                        &f->sheets));
    sheet *s = &f->sheets[f->n_sheets];
    const char *state = kan_xml_attribute(attributes, "state");
    KAN_TRY(keep(f, kan_xml_attribute(attributes, "name"), &s->name));
    KAN_TRY(keep(f, kan_xml_attribute(attributes, "id"), &s->id));
    s->is_hidden = state && strcmp(state, "visible") != 0;
    f->n_sheets++;
    return KAN_OK;
}

static const relation *relation_of(const finding *f, const sheet *s) {
    for (size_t i = 0; i < f->n_relations; i++)
        if (strcmp(f->relations[i].id, s->id) == 0)
            return kan_ends_with(f->relations[i].type, "/worksheet") ? &f->relations[i] : NULL;
    return NULL;
}

/* Only sheets of cells stay. */
static void drop_charts(finding *f) {
    size_t n = 0;
    for (size_t i = 0; i < f->n_sheets; i++)
        if (relation_of(f, &f->sheets[i]))
            f->sheets[n++] = f->sheets[i];
    f->n_sheets = n;
}

static kan_status fail_sheet(const finding *f, const char *wanted) {
    enum { MOST = 64, MOST_TOLD = 12 };
    const char *names[MOST];
    char quoted[256];
    kan_text told;
    kan_text_init(&told, f->package->run);
    const size_t n = f->n_sheets < MOST ? f->n_sheets : MOST;
    for (size_t i = 0; i < n; i++) {
        names[i] = f->sheets[i].name;
        if (i < MOST_TOLD)
            kan_text_print(&told, "%s%s", i ? ", " : "", kan_quote(kan_slice_of(names[i]), quoted));
    }
    if (f->n_sheets > MOST_TOLD)
        kan_text_print(&told, " and %zu more", f->n_sheets - MOST_TOLD);
    const char *near = kan_nearest(wanted, names, n);
    char meant[300] = "";
    if (near)
        snprintf(meant, sizeof meant, " did you mean %s?", kan_quote(kan_slice_of(near), quoted));
    kan_status status = kan_text_status(&told);
    if (status == KAN_OK)
        status = kan_fail(f->package->run, KAN_BAD_INPUT,
                          "%s: no sheet is called %s (--sheet);%s there %s: %s",
                          f->package->stream.name, kan_quote(kan_slice_of(wanted), quoted), meant,
                          f->n_sheets == 1 ? "is" : "are", told.bytes);
    kan_text_destroy(&told);
    return status;
}

static kan_status choose_sheet(const finding *f, const char *wanted, const sheet **out) {
    uint64_t number;
    if (f->n_sheets == 0)
        return kan_fail(
            f->package->run, KAN_BAD_INPUT,
            "%s: the workbook has no sheet with cells; open it in a spreadsheet program "
            "and save it again",
            f->package->stream.name);
    *out = &f->sheets[0];
    if (!wanted)
        return KAN_OK;
    for (size_t i = 0; i < f->n_sheets; i++)
        if (strcmp(f->sheets[i].name, wanted) == 0) {
            *out = &f->sheets[i];
            return KAN_OK;
        }
    if (!kan_parse_count(wanted, &number) || number < 1 || number > f->n_sheets)
        return fail_sheet(f, wanted);
    *out = &f->sheets[number - 1];
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status find_workbook(finding *f, const char **out) {
    KAN_TRY(read_relations(f, "_rels/.rels"));
    const relation *r = find_type(f, "/officeDocument");
    return resolve(f, "", r ? r->target : "xl/workbook.xml", out);
}

/* FOLDER/_rels/NAME.rels of FOLDER/NAME */
static kan_status relations_of(finding *f, const char *part, const char **out) {
    const char *slash = strrchr(part, '/');
    const int folder = slash ? (int)(slash - part + 1) : 0;
    kan_text path;
    kan_text_init(&path, f->package->run);
    kan_text_print(&path, "%.*s_rels/%s.rels", folder, part, part + folder);
    kan_status status = kan_text_status(&path);
    if (status == KAN_OK)
        status = keep(f, path.bytes, out);
    kan_text_destroy(&path);
    return status;
}

static kan_status find_optional(finding *f, const char *workbook, const char *type,
                                const char **out) {
    const relation *r = find_type(f, type);
    *out = NULL;
    return r ? resolve(f, workbook, r->target, out) : KAN_OK;
}

/* What the workbook lists, and the relations of its part. */
static kan_status read_list(finding *f, const char **workbook) {
    static const kan_xml_handlers handlers = {.begin = take_sheet};
    const char *relations;
    KAN_TRY(check_types(f));
    KAN_TRY(find_workbook(f, workbook));
    KAN_TRY(kan_package_walk(f->package, *workbook, &handlers, f));
    KAN_TRY(relations_of(f, *workbook, &relations));
    KAN_TRY(read_relations(f, relations));
    drop_charts(f);
    return KAN_OK;
}

static kan_status find_parts(finding *f, const char *wanted, kan_parts *out) {
    const char *workbook;
    const sheet *chosen = NULL;
    KAN_TRY(read_list(f, &workbook));
    KAN_TRY(choose_sheet(f, wanted, &chosen));
    KAN_TRY(resolve(f, workbook, relation_of(f, chosen)->target, &out->sheet));
    KAN_TRY(find_optional(f, workbook, "/sharedStrings", &out->strings));
    KAN_TRY(find_optional(f, workbook, "/styles", &out->styles));
    out->workbook = workbook;
    out->sheet_name = chosen->name;
    out->is_hidden = chosen->is_hidden;
    out->is_1904 = f->is_1904;
    return KAN_OK;
}

kan_status kan_parts_find(kan_package *package, const char *wanted, kan_arena *arena,
                          kan_parts *out) {
    finding f = {.package = package, .arena = arena};
    const kan_status status = find_parts(&f, wanted, out);
    kan_free(package->run, f.relations);
    kan_free(package->run, f.sheets);
    return status;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* "C7" at the beginning of a text; false: it begins with no cell that a sheet can have. */
static bool take_cell(const char **text, uint64_t *row, uint64_t *column) {
    enum { ROWS = 1 << 20, COLUMNS = 1 << 14 };
    *row = *column = 0;
    for (; **text >= 'A' && **text <= 'Z' && *column <= COLUMNS; (*text)++)
        *column = *column * 26 + (uint64_t)(**text - 'A' + 1);
    for (; **text >= '0' && **text <= '9' && *row <= ROWS; (*text)++)
        *row = *row * 10 + (uint64_t)(**text - '0');
    return *row >= 1 && *row <= ROWS && *column >= 1 && *column <= COLUMNS;
}

/* "A1:F2001", or one cell alone. */
static void take_size(const char *text, kan_sheet_entry *out) {
    uint64_t top, left, bottom, right;
    if (!take_cell(&text, &top, &left))
        return;
    bottom = top, right = left;
    if (*text == ':' && (text++, !take_cell(&text, &bottom, &right)))
        return;
    if (*text || bottom < top || right < left)
        return;
    out->n_rows = bottom - top + 1;
    out->n_columns = right - left + 1;
}

/* Ends the walk before the first cell. */
static kan_status take_dimension(void *context, const char *name, const char *const *attributes) {
    const bool is_it = strcmp(name, "dimension") == 0;
    const char *cells = is_it ? kan_xml_attribute(attributes, "ref") : NULL;
    if (cells)
        take_size(cells, context);
    return is_it || strcmp(name, "sheetData") == 0 ? KAN_BAD_INPUT : KAN_OK;
}

static kan_status list_sheets(finding *f, kan_sheet_entry **out) {
    enum { MOST_SIZES = 100 };
    static const kan_xml_handlers handlers = {.begin = take_dimension};
    const char *workbook;
    KAN_TRY(read_list(f, &workbook));
    KAN_TRY(kan_arena_alloc(f->arena, f->n_sheets, sizeof **out, out));
    for (size_t i = 0; i < f->n_sheets; i++) {
        kan_sheet_entry *entry = &(*out)[i];
        *entry = (kan_sheet_entry){.name = f->sheets[i].name, .is_hidden = f->sheets[i].is_hidden};
        KAN_TRY(resolve(f, workbook, relation_of(f, &f->sheets[i])->target, &entry->part));
        if (i >= MOST_SIZES)
            continue;
        /* Another sheet that is damaged is none of the reader's business. */
        const kan_status status = kan_package_walk(f->package, entry->part, &handlers, entry);
        if (status != KAN_OK && status != KAN_BAD_INPUT)
            return status;
    }
    return KAN_OK;
}

kan_status kan_parts_list(kan_package *package, kan_arena *arena, kan_sheet_entry **out,
                          size_t *n) {
    finding f = {.package = package, .arena = arena};
    const kan_status status = list_sheets(&f, out);
    *n = f.n_sheets;
    kan_free(package->run, f.relations);
    kan_free(package->run, f.sheets);
    return status;
}
