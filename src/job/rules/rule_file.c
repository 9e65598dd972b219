/* A rule that an office wrote.
 *
 *   rule: ward-data
 *   title: Data of the wards
 *   by: data protection office, M. Adams
 *   date: 2026-03-31
 *   text: Five people at least, nobody above 89, no remarks.
 *   identifiers: [name, phone, email, date]     # or all
 *   qi: [age, sex]
 *   promise: {k: 5}
 *   drop: [remark]
 *   keep: [ward]
 *   caps: {age: ..90}
 *   left: [whether the ward is known to treat one person alone]
 *
 * The file is bounded, and read as a whole. All problems are told together, each
 * with its line. Numbers of the promise are checked as those of flags are. */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "core/signs.h"
#include "core/wording.h"
#include "job/rules/rules.h"

typedef struct {
    kan_job *job;
    const char *path;
    kan_rule *rule;
    yaml_document_t *document;
    kan_job *numbers;  /* takes the promise, to check it */
    kan_text problems; /* "path:line: text\n", told at the end */
} reader;

/* ---- problems ------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void complain(reader *r, const yaml_node_t *node,
                                                           const char *format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at; /* one line per problem */
    kan_text_print(&r->problems, "%s:%zu: %s\n", r->path, node->start_mark.line + 1, text);
}

static kan_status tell_problems(reader *r) {
    KAN_TRY(kan_text_status(&r->problems));
    kan_problems_begin(r->job->run);
    for (char *at = r->problems.bytes; at && *at;) {
        const size_t size = strcspn(at, "\n");
        kan_problem_add(r->job->run, "%.*s", (int)size, at);
        at += size + (at[size] == '\n');
    }
    return kan_problems_end(r->job->run);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool is_plain_tag(const yaml_node_t *node) {
    static const char core[] = "tag:yaml.org,2002:";
    return !node->tag || strncmp((const char *)node->tag, core, sizeof core - 1) == 0;
}

/* The text of a scalar in the job's arena; NULL, with a problem, where it is none. */
static kan_status take_text(reader *r, const yaml_node_t *node, const char *key, const char **out) {
    *out = NULL;
    if (node->type != YAML_SCALAR_NODE || !is_plain_tag(node)) {
        complain(r, node, "%s: write one value", key);
        return KAN_OK;
    }
    const char *text = (const char *)node->data.scalar.value;
    const size_t size = node->data.scalar.length;
    if (size == 0 || memchr(text, '\0', size)) {
        complain(r, node, "%s: %s", key,
                 size ? "the value holds a zero byte" : "the value is empty; leave the key out");
        return KAN_OK;
    }
    return kan_arena_copy(&r->job->arena, text, size, out);
}

/* A list of texts, or one; at most `most`. */
static kan_status take_list(reader *r, const yaml_node_t *node, const char *key, size_t most,
                            const char **list) {
    size_t n = 0;
    if (node->type == YAML_SCALAR_NODE)
        return take_text(r, node, key, &list[0]);
    if (node->type != YAML_SEQUENCE_NODE) {
        complain(r, node, "%s: write a list, such as [age, sex]", key);
        return KAN_OK;
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        const yaml_node_t *one = yaml_document_get_node(r->document, *item);
        const char *text = NULL;
        if (one)
            KAN_TRY(take_text(r, one, key, &text));
        if (text && n == most) {
            complain(r, one, "%s: more than %zu; a rule has no more", key, most);
            return KAN_OK;
        }
        if (text)
            list[n++] = text;
    }
    return KAN_OK;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void list_kinds(char *room, size_t size) {
    kan_name_list list = kan_names_begin(room, size, 0);
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++)
        kan_names_add(&list, kan_id_word_of((kan_id_kind)kind)->name);
    kan_names_end(&list);
}

static kan_status take_kinds(reader *r, const yaml_node_t *node) {
    const char *names[KAN_ID_KINDS + 1] = {NULL};
    char known[512];
    KAN_TRY(take_list(r, node, "identifiers", KAN_ID_KINDS, names));
    for (size_t i = 0; names[i]; i++) {
        const kan_id_kind kind = kan_id_kind_find(names[i]);
        char quoted[256];
        if (strcmp(names[i], "all") == 0) {
            r->rule->kinds = KAN_ID_ALL;
        } else if (kind < KAN_ID_KINDS) {
            r->rule->kinds |= KAN_ID_BIT(kind);
        } else {
            list_kinds(known, sizeof known);
            complain(r, node, "identifiers: %s is none; there are all, %s",
                     kan_quote(kan_slice_of(names[i]), quoted), known);
        }
    }
    return KAN_OK;
}

/* Takes pairs of a mapping, at most as many as a rule has room for. */
typedef kan_status (*pair_fn)(reader *r, size_t i, const yaml_node_t *at, const char *name,
                              const char *value);

static kan_status take_pairs(reader *r, const yaml_node_t *node, const char *key, size_t most,
                             const char *example, pair_fn take) {
    size_t n = 0;
    if (node->type != YAML_MAPPING_NODE) {
        complain(r, node, "%s: write a mapping, such as %s", key, example);
        return KAN_OK;
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name_node = yaml_document_get_node(r->document, pair->key);
        const yaml_node_t *value_node = yaml_document_get_node(r->document, pair->value);
        const char *name = NULL, *value = NULL;
        if (!name_node || !value_node)
            continue;
        KAN_TRY(take_text(r, name_node, key, &name));
        KAN_TRY(take_text(r, value_node, key, &value));
        if (!name || !value)
            continue;
        if (n == most) {
            complain(r, name_node, "%s: more than %zu; a rule has no more", key, most);
            return KAN_OK;
        }
        KAN_TRY(take(r, n++, name_node, name, value));
    }
    if (n == 0)
        complain(r, node, "%s: nothing is in it; leave the key out", key);
    return KAN_OK;
}

/* A number of a privacy model, and nothing else: a rule says no path and no column here. */
static kan_status take_number(reader *r, size_t i, const yaml_node_t *at, const char *name,
                              const char *value) {
    const kan_setting_entry *entry = kan_setting_entry_for(name, "verify");
    const char *group = kan_setting_entry_find("k")->setting.group;
    char quoted[256], line[512];
    if (!entry || strcmp(entry->setting.group, group) != 0 || entry->form == KAN_FORM_PATH) {
        complain(r, at, "promise: %s is no privacy model; kanon list shows them, such as k",
                 kan_quote(kan_slice_of(name), quoted));
        return KAN_OK;
    }
    for (size_t j = 0; j < i && j < KAN_RULE_PROMISES; j++)
        if (r->rule->promise[j].setting && strcmp(r->rule->promise[j].setting, name) == 0)
            complain(r, at, "promise: %s is given twice; leave one out", name);
    if (strcmp(name, "epsilon") == 0 || strcmp(name, "delta") == 0 ||
        (kan_setting_traits(name, "verify") & KAN_TRAIT_CODES))
        complain(r, at, "promise: %s is not recounted by kanon check; leave it out", name);
    const kan_status status = kan_job_add(r->numbers, name, value);
    if (status != KAN_OK && status != KAN_BAD_INPUT)
        return status;
    if (status != KAN_OK) {
        const char *error = kan_run_error(r->job->run);
        snprintf(line, sizeof line, "%s", kan_begins_with(error, "--") ? error + 2 : error);
        complain(r, at, "promise: %s", line);
    }
    r->rule->promise[i] = (kan_rule_promise){name, value};
    return KAN_OK;
}

static kan_status take_cap(reader *r, size_t i, const yaml_node_t *at, const char *name,
                           const char *value) {
    kan_slice column, low, high;
    double number;
    char quoted[256];
    kan_text text;
    kan_text_init(&text, r->job->run);
    kan_text_print(&text, "x=%s", value);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK && (!kan_cap_parse(text.bytes, &column, &low, &high) ||
                             (low.size > 0 && !kan_parse_real(low.bytes, low.size, &number)) ||
                             (high.size > 0 && !kan_parse_real(high.bytes, high.size, &number))))
        complain(r, at, "caps: %s is no range of numbers; write it as ..90 or 20..90",
                 kan_quote(kan_slice_of(value), quoted));
    kan_text_destroy(&text);
    for (size_t j = 0; j < i && j < KAN_RULE_COLUMNS; j++)
        if (strcmp(r->rule->caps[j].column, name) == 0)
            complain(r, at, "caps: %s is given twice; leave one out",
                     kan_quote(kan_slice_of(name), quoted));
    r->rule->caps[i] = (kan_rule_cap){name, value};
    return status;
}

/* A key whose value is a text. */
static const char **find_text(kan_rule *rule, const char *key) {
    return strcmp(key, "rule") == 0     ? &rule->name
           : strcmp(key, "title") == 0  ? &rule->title
           : strcmp(key, "source") == 0 ? &rule->source
           : strcmp(key, "date") == 0   ? &rule->date
           : strcmp(key, "text") == 0   ? &rule->text
           : strcmp(key, "by") == 0     ? &rule->by
                                        : NULL;
}

static const char **find_list(kan_rule *rule, const char *key, size_t *most) {
    *most = strcmp(key, "left") == 0 ? KAN_RULE_LEFT : KAN_RULE_COLUMNS;
    return strcmp(key, "qi") == 0     ? rule->qi
           : strcmp(key, "drop") == 0 ? rule->drop
           : strcmp(key, "keep") == 0 ? rule->keep
           : strcmp(key, "left") == 0 ? rule->left
                                      : NULL;
}

static kan_status take_key(reader *r, const yaml_node_t *key_node, const yaml_node_t *value) {
    const char *key;
    char quoted[256];
    size_t most;
    KAN_TRY(take_text(r, key_node, "key", &key));
    if (!key)
        return KAN_OK;
    const char **text = find_text(r->rule, key);
    const char **list = find_list(r->rule, key, &most);
    if ((text && *text) || (list && *list) || (strcmp(key, "identifiers") == 0 && r->rule->kinds) ||
        (strcmp(key, "promise") == 0 && r->rule->promise[0].setting) ||
        (strcmp(key, "caps") == 0 && r->rule->caps[0].column)) {
        complain(r, key_node, "%s is given twice; leave one out", key);
        return KAN_OK;
    }
    if (text)
        return take_text(r, value, key, text);
    if (list)
        return take_list(r, value, key, most, list);
    if (strcmp(key, "identifiers") == 0)
        return take_kinds(r, value);
    if (strcmp(key, "promise") == 0)
        return take_pairs(r, value, key, KAN_RULE_PROMISES, "{k: 5}", take_number);
    if (strcmp(key, "caps") == 0)
        return take_pairs(r, value, key, KAN_RULE_COLUMNS, "{age: ..90}", take_cap);
    complain(r, key_node,
             "%s is no key of a rule; there are rule, title, source, date, text, by, identifiers, "
             "qi, promise, drop, keep, caps and left",
             kan_quote(kan_slice_of(key), quoted));
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void check_whole(reader *r, const yaml_node_t *root) {
    const kan_rule *rule = r->rule;
    kan_date day;
    if (!rule->name)
        complain(r, root, "the rule has no name; write `rule: NAME`");
    if (!rule->by)
        complain(r, root, "who says so? write `by: OFFICE, PERSON`");
    if (!rule->text)
        complain(r, root, "what does it say? write `text: ...`, in a sentence");
    if (!rule->date)
        complain(r, root, "of which day is it? write `date: 2026-03-31`");
    else if (!kan_date_parse(kan_slice_of(rule->date), &day) || strlen(rule->date) != 10)
        complain(r, root, "date: write the day as 2026-03-31");
    if (rule->promise[0].setting && !rule->qi[0])
        complain(r, root, "which columns is the promise about? write `qi: [age, sex]`");
    if (!rule->kinds && !rule->promise[0].setting && !rule->drop[0] && !rule->caps[0].column)
        complain(r, root, "the rule asks for nothing; it needs identifiers, promise, drop or caps");
}

static kan_status read_document(reader *r) {
    yaml_node_t *root = yaml_document_get_root_node(r->document);
    if (!root) {
        kan_text_print(&r->problems, "%s:1: the file is empty; write `rule: NAME` first\n",
                       r->path);
        return KAN_OK;
    }
    if (root->type != YAML_MAPPING_NODE) {
        complain(r, root, "not a rule; write one key per line, as in `rule: NAME`");
        return KAN_OK;
    }
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(r->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(r->document, pair->value);
        if (key && value)
            KAN_TRY(take_key(r, key, value));
    }
    check_whole(r, root);
    if (!r->rule->title)
        r->rule->title = r->rule->name;
    if (!r->rule->source)
        r->rule->source = r->rule->name; /* a report has no path of this machine */
    return KAN_OK;
}

static kan_status tell_parser(reader *r, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR)
        return kan_fail(r->job->run, KAN_FAILED, "%s: out of memory", r->path);
    kan_text_print(
        &r->problems, "%s:%zu: not YAML: %s; check quotes, colons and indentation\n", r->path,
        (parser->error == YAML_READER_ERROR ? parser->mark.line : parser->problem_mark.line) + 1,
        parser->problem ? parser->problem : "not readable");
    return KAN_OK;
}

/* A second document would be passed over, and what it asks for with it. */
static kan_status check_end(reader *r, yaml_parser_t *parser) {
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document))
        return tell_parser(r, parser);
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    if (root)
        complain(r, root, "a second document begins here; a rule is one, without ---");
    yaml_document_delete(&document);
    return KAN_OK;
}

static kan_status parse(reader *r, const kan_text *text) {
    yaml_parser_t parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser))
        return kan_fail(r->job->run, KAN_FAILED, "%s: out of memory", r->path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text->size ? text->bytes : ""),
                                 text->size);
    kan_status status;
    if (!yaml_parser_load(&parser, &document)) {
        status = tell_parser(r, &parser);
    } else {
        const bool has_root = yaml_document_get_root_node(&document) != NULL;
        r->document = &document;
        status = read_document(r);
        yaml_document_delete(&document);
        if (status == KAN_OK && has_root)
            status = check_end(r, &parser);
    }
    yaml_parser_delete(&parser);
    return status;
}

kan_status kan_rule_file_read(kan_job *job, const char *path, kan_rule *out) {
    kan_rule rule = {0};
    kan_text text;
    reader r = {.job = job, .path = path, .rule = &rule};
    kan_status status;
    kan_text_init(&text, job->run);
    kan_text_init(&r.problems, job->run);
    KAN_TRY_DONE(kan_rules_read_bytes(job->run, path, "rule", &text));
    KAN_TRY_DONE(kan_job_create(job->run, &r.numbers));
    KAN_TRY_DONE(parse(&r, &text));
    KAN_TRY_DONE(tell_problems(&r));
    *out = rule;
done:
    kan_job_destroy(r.numbers);
    kan_text_destroy(&r.problems);
    kan_text_destroy(&text);
    return status;
}
