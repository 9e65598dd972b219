/* definition.xml, config.xml and project.xml: trees of elements without attributes, whose leaves have text. */
#include "job/import/import_inside.h"

enum {
    MOST_DEPTH = 16,
    MOST_NAME = 64,
    MOST_TEXT = 1 << 16,
    MOST_COLUMNS = 1 << 14,
    MOST_CRITERIA = 1000
};

typedef struct leaves {
    kan_import *import;
    char names[MOST_DEPTH][MOST_NAME]; /* of open elements */
    unsigned depth;
    bool is_leaf; /* nothing was in the innermost one so far */
    kan_text text;
    kan_status (*take)(kan_import *import, const char *parent, const char *name, kan_slice text);
} leaves;

static kan_status begin(void *context, const char *name, const char *const *attributes) {
    leaves *const l = context;
    (void)attributes;
    if (l->depth == MOST_DEPTH || strlen(name) >= MOST_NAME)
        return kan_fail(l->import->run, KAN_BAD_INPUT,
                        "%s: the project nests elements as ARX does not",
                        l->import->package.stream.name);
    memcpy(l->names[l->depth++], name, strlen(name) + 1);
    l->is_leaf = true;
    l->text.size = 0;
    return KAN_OK;
}

static kan_status add_text(void *context, const char *bytes, size_t size) {
    leaves *const l = context;
    if (l->text.size + size > MOST_TEXT)
        return kan_fail(l->import->run, KAN_BAD_INPUT,
                        "%s: the project has a name or a value of more than %d bytes",
                        l->import->package.stream.name, MOST_TEXT);
    kan_text_add(&l->text, bytes, size);
    return kan_text_status(&l->text);
}

static kan_status end(void *context, const char *name) {
    leaves *const l = context;
    const bool is_leaf = l->is_leaf;
    l->is_leaf = false;
    l->depth--;
    const kan_slice text = {l->text.size ? l->text.bytes : "", l->text.size};
    return is_leaf ? l->take(l->import, l->depth ? l->names[l->depth - 1] : "", name, text)
                   : KAN_OK;
}

static kan_status walk(kan_import *import, const char *part,
                       kan_status (*take)(kan_import *, const char *, const char *, kan_slice)) {
    static const kan_xml_handlers handlers = {begin, end, add_text};
    leaves l = {.import = import, .take = take};
    kan_text_init(&l.text, import->run);
    const kan_status status = kan_package_walk(&import->package, part, &handlers, &l);
    kan_text_destroy(&l.text);
    return status;
}

/* A text without a byte 0, which XML cannot have. */
static kan_status keep(kan_import *import, kan_slice text, const char **out) {
    return kan_arena_copy(import->arena, text.bytes, text.size, out);
}

/* ---- definition.xml ------------------------------------------------------------------------- */

static kan_status add_column(kan_import *import) {
    if (import->n_columns == MOST_COLUMNS)
        return kan_fail(import->run, KAN_BAD_INPUT, "%s: the project has more than %d columns",
                        import->package.stream.name, MOST_COLUMNS);
    KAN_TRY(kan_reserve(import->run, import->n_columns + 1, sizeof *import->columns,
                        &import->columns_capacity, &import->columns));
    import->columns[import->n_columns++] = (kan_arx_column){0};
    return KAN_OK;
}

/* Its name is the first of what is said of a column. */
static kan_status take_definition(kan_import *import, const char *parent, const char *name,
                                  kan_slice text) {
    if (strcmp(parent, "assigment") != 0)
        return KAN_OK;
    if (strcmp(name, "name") == 0) {
        KAN_TRY(add_column(import));
        return keep(import, text, &import->columns[import->n_columns - 1].name);
    }
    if (import->n_columns == 0)
        return KAN_OK;
    kan_arx_column *const column = &import->columns[import->n_columns - 1];
    const struct {
        const char *name;
        const char **member;
    } members[] = {{"type", &column->type},
                   {"datatype", &column->datatype},
                   {"format", &column->format},
                   {"min", &column->min},
                   {"max", &column->max},
                   {"microaggregationFunction", &column->function},
                   {"responseVariable", &column->response},
                   {"isResponseVariable", &column->response}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(name, members[i].name) == 0)
            return keep(import, text, members[i].member);
    if (strcmp(name, "ref") == 0 || strcmp(name, "microaggregationIgnoreMissingData") == 0)
        return KAN_OK;
    return kan_import_leave(import, kan_slice_of(name),
                            "kanon does not know what it says of a column");
}

/* ---- config.xml ----------------------------------------------------------------------------- */

static kan_status take_weight(kan_import *import, const char *name, kan_slice text) {
    if (strcmp(name, "attribute") == 0) {
        KAN_TRY(kan_reserve(import->run, import->n_weights + 1, sizeof *import->weights,
                            &import->weights_capacity, &import->weights));
        import->weights[import->n_weights] = (kan_arx_weight){NULL, NULL};
        return keep(import, text, &import->weights[import->n_weights++].column);
    }
    if (strcmp(name, "weight") == 0 && import->n_weights > 0)
        return keep(import, text, &import->weights[import->n_weights - 1].weight);
    return KAN_OK;
}

static kan_status take_criterion(kan_import *import, kan_slice text) {
    if (import->n_criteria == MOST_CRITERIA)
        return kan_fail(import->run, KAN_BAD_INPUT, "%s: the project has more than %d criteria",
                        import->package.stream.name, MOST_CRITERIA);
    KAN_TRY(kan_reserve(import->run, import->n_criteria + 1, sizeof *import->criteria,
                        &import->criteria_capacity, &import->criteria));
    return keep(import, text, &import->criteria[import->n_criteria++]);
}

static kan_status take_config(kan_import *import, const char *parent, const char *name,
                              kan_slice text) {
    if (strcmp(parent, "attributeWeight") == 0)
        return take_weight(import, name, text);
    if (strcmp(name, "criterion") == 0)
        return take_criterion(import, text);
    if (strcmp(name, "metric") == 0)
        return keep(import, text, &import->metric);
    if (strcmp(name, "relativeMaxOutliers") == 0)
        return keep(import, text, &import->limit);
    if (strcmp(name, "suppressionString") == 0)
        return keep(import, text, &import->suppressed);
    if (strcmp(name, "practicalMonotonicity") == 0)
        return kan_slice_is(text, "true")
                   ? kan_import_leave(import, kan_slice_of(name),
                                      "kanon leaves nothing out that could be better")
                   : KAN_OK;
    if (strcmp(parent, "suppressedAttributeTypes") == 0 ||
        strcmp(name, "suppressTuplesInNonAnonymousOutput") == 0)
        return KAN_OK; /* said once, of rows that are left out */
    if (strcmp(name, "attributeWeights") == 0 || strcmp(name, "criteria") == 0 ||
        strcmp(name, "suppressedAttributeTypes") == 0)
        return KAN_OK; /* a list that is empty */
    return kan_import_leave(import, kan_slice_of(name), "kanon does not know this setting of ARX");
}

/* ---- project.xml ---------------------------------------------------------------------------- */

static kan_status take_project(kan_import *import, const char *parent, const char *name,
                               kan_slice text) {
    (void)parent;
    if (strcmp(name, "separator") == 0)
        return keep(import, text, &import->separator);
    if (strcmp(name, "quote") == 0)
        return keep(import, text, &import->quote);
    if (strcmp(name, "escape") == 0)
        return keep(import, text, &import->escape);
    return KAN_OK; /* what the program shows, and how */
}

kan_status kan_import_read(kan_import *import) {
    KAN_TRY(walk(import, "input/definition.xml", take_definition));
    if (import->n_columns == 0)
        return kan_fail(import->run, KAN_BAD_INPUT,
                        "%s: input/definition.xml names no column; save the project again in ARX",
                        import->package.stream.name);
    import->has_config = kan_package_has(&import->package, "input/config.xml");
    if (import->has_config)
        KAN_TRY(walk(import, "input/config.xml", take_config));
    else
        KAN_TRY(kan_import_leave(import, kan_slice_of("input/config.xml"),
                                 "it is not in the archive: there is no promise to take over"));
    return kan_package_has(&import->package, "project.xml")
               ? walk(import, "project.xml", take_project)
               : KAN_OK;
}
