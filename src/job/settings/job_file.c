/* Job files: settings in YAML.
 *
 *   command: anonymize            # optional; must then agree with what is run
 *   input: adult.csv              # paths are relative to the job file
 *   hierarchies: hierarchies
 *   qi: [age, gender, zip=digits:5]
 *   k: 5
 *   keep-suppressed: true
 *
 * One mapping of setting names (a hyphen may be written as an underscore) to a scalar, a switch or
 * a list. A scalar of a repeating setting is split at commas as a flag's value is; the items of a
 * list are taken whole. `qi` may also be a mapping of column to hierarchy, `weight`, `bins`, `cap` and `round` of
 * column to number, `order` of column to file, `missing`, `decimal`, `thousands` and `date-format`
 * of column to how it is written, numbers of privacy models of sensitive column to number, or a list
 * with such mappings in it.
 *
 * The parser's events are read one by one, so nothing is built up and nesting costs nothing: it is
 * refused at the first level that has no meaning. A file may come from somebody else: it names no
 * library, and no address that makes a client load one (engine/address_shared.c). All problems of a file are told together, each
 * with its line; a file that is not YAML is told up to the first syntax error. Settings that a flag
 * has set before are checked but not taken. On failure the job is as it was. Linear in the size of
 * the file, which is bounded. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "data/hierarchies/hierarchies.h"
#include "job/settings/job.h"
#include "job/settings/settings_inside.h"

enum { MOST_DEPTH = 4, DEPTH_OF_TABLES = 2, MOST_NAME = 64 };

typedef struct {
    kan_job *job;
    kan_job_part *part; /* whose settings are read; NULL: those of the job itself */
    const char *path;
    size_t directory_size; /* of the path's directory, its slash included */
    yaml_parser_t parser;
    yaml_event_t event; /* the one in hand */
    bool has_event;
    unsigned depth;
    kan_text problems; /* "path:line: text\n", told at the end */
    size_t n_problems;
    bool is_broken;   /* the text is not YAML from here on */
    kan_options seen; /* keys, for duplicates */
} reader;

/* ---- problems ------------------------------------------------------------------------------- */

static void add_problem(reader *r, size_t line, const char *text) {
    r->n_problems++;
    kan_text_print(&r->problems, "%s:%zu: %s\n", r->path, line, text);
}

/* Takes the run's error text over as a problem of the file. Only bad input can be collected: any
 * other failure goes up. In a file a setting is written without its dashes. */
static kan_status take_problem(reader *r, size_t line, kan_status status) {
    if (status != KAN_BAD_INPUT)
        return status;
    char text[1024];
    const char *error = kan_run_error(r->job->run);
    snprintf(text, sizeof text, "%s", strncmp(error, "--", 2) == 0 ? error + 2 : error);
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at; /* one line per problem */
    add_problem(r, line, text);
    return KAN_OK;
}

/* Hands the collected problems to the run, which shows the first ones and counts the rest. */
static kan_status tell_problems(reader *r) {
    kan_run *run = r->job->run;
    KAN_TRY(kan_text_status(&r->problems));
    kan_problems_begin(run);
    for (char *at = r->problems.bytes; at && *at;) {
        size_t size = strcspn(at, "\n");
        kan_problem_add(run, "%.*s", (int)size, at);
        at += size + (at[size] == '\n');
    }
    return kan_problems_end(run);
}

/* ---- events --------------------------------------------------------------------------------- */

static size_t line_of(const reader *r) {
    return r->event.start_mark.line + 1;
}

static void drop_event(reader *r) {
    if (r->has_event)
        yaml_event_delete(&r->event);
    r->has_event = false;
}

/* The parser's own words, with what is most often the cause. */
static kan_status syntax_problem(reader *r) {
    const yaml_parser_t *parser = &r->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return kan_fail(r->job->run, KAN_FAILED, "%s: out of memory", r->path);
    char text[512];
    const char *what = parser->problem ? parser->problem : "not readable";
    snprintf(text, sizeof text, "not YAML: %s; check quotes, colons and indentation", what);
    add_problem(r,
                parser->error == YAML_READER_ERROR ? parser->mark.line + 1
                                                   : parser->problem_mark.line + 1,
                text);
    r->is_broken = true;
    return KAN_OK;
}

/* Moves on to the next event. After a syntax error, or nesting that no setting has, is_broken is
 * set and there is no event. */
static kan_status next_event(reader *r) {
    drop_event(r);
    if (r->is_broken)
        return KAN_OK;
    if (!yaml_parser_parse(&r->parser, &r->event))
        return syntax_problem(r);
    r->has_event = true;
    switch (r->event.type) {
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (++r->depth > MOST_DEPTH + (r->part ? DEPTH_OF_TABLES : 0)) {
            add_problem(r, line_of(r), "nested too deeply; a job file holds settings and lists");
            r->is_broken = true;
            drop_event(r);
        }
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->depth--;
        break;
    default:
        break;
    }
    return KAN_OK;
}

static bool is_event(const reader *r, yaml_event_type_t type) {
    return r->has_event && r->event.type == type;
}

/* Skips the value in hand, whatever is in it: its last event is in hand afterwards. */
static kan_status skip_value(reader *r) {
    if (!is_event(r, YAML_SEQUENCE_START_EVENT) && !is_event(r, YAML_MAPPING_START_EVENT))
        return KAN_OK;
    unsigned outside = r->depth - 1;
    while (r->has_event && r->depth > outside)
        KAN_TRY(next_event(r));
    return KAN_OK;
}

/* The scalar in hand as text of the job's arena; NULL, with a problem added, when it is not a plain
 * one. */
static kan_status take_scalar(reader *r, const char **out) {
    *out = NULL;
    if (is_event(r, YAML_ALIAS_EVENT)) {
        add_problem(r, line_of(r),
                    "anchors and aliases (& and *) are not used in job files; "
                    "a value that begins with * or & needs quotes");
        return KAN_OK;
    }
    if (!is_event(r, YAML_SCALAR_EVENT))
        return KAN_OK;
    const char *value = (const char *)r->event.data.scalar.value;
    size_t size = r->event.data.scalar.length;
    if (r->event.data.scalar.anchor || r->event.data.scalar.tag) {
        add_problem(r, line_of(r),
                    "anchors and tags (& and !) are not used in job files; "
                    "a value that begins with & or ! needs quotes");
        return KAN_OK;
    }
    const bool is_escaped = r->event.data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (memchr(value, '\0', size) || (!is_escaped && memchr(value, '\n', size))) {
        add_problem(r, line_of(r),
                    "a value holds a line break or a zero byte; write it on one line, a line break "
                    "that belongs to a name as \\n in double quotes");
        return KAN_OK;
    }
    return kan_arena_copy(&r->job->arena, value, size, out);
}

/* ---- values --------------------------------------------------------------------------------- */

/* A relative path stands for a file beside the job file; an address is none. */
static kan_status resolve_path(reader *r, const char *path, const char **out) {
    if (r->directory_size == 0 || path[0] == '/' || strcmp(path, "-") == 0 ||
        kan_path_is_address(path)) {
        *out = path;
        return KAN_OK;
    }
    size_t size = strlen(path);
    char *joined;
    KAN_TRY(kan_arena_alloc(&r->job->arena, r->directory_size + size + 1, 1, &joined));
    memcpy(joined, r->path, r->directory_size);
    memcpy(joined + r->directory_size, path, size + 1);
    *out = joined;
    return KAN_OK;
}

/* The same of the path that an item ends with. */
static kan_status resolve_end(reader *r, const char *path, const char **item) {
    const size_t head = (size_t)(path - *item);
    char *joined;
    KAN_TRY(resolve_path(r, path, &path));
    const size_t size = strlen(path);
    KAN_TRY(kan_arena_alloc(&r->job->arena, head + size + 1, 1, &joined));
    memcpy(joined, *item, head);
    memcpy(joined + head, path, size + 1);
    *item = joined;
    return KAN_OK;
}

/* Adds one value, whole, after its path was resolved. */
static kan_status add_item(reader *r, const kan_setting_entry *entry, size_t line,
                           const char *item) {
    kan_slice name;
    const char *hierarchy = NULL, *path;
    const bool is_spec =
        strcmp(entry->setting.name, "hierarchy") == 0 && kan_hierarchy_is_spec(item);
    uint64_t count;
    const bool is_rule =
        strcmp(entry->setting.name, "rules") == 0 && kan_setting_is_plain_name(item);
    const bool is_path = (entry->form == KAN_FORM_PATH && !is_spec && !is_rule) ||
                         (entry->form == KAN_FORM_COUNT_OR_PATH && !kan_parse_count(item, &count));
    if (*item && is_path) {
        /* What was meant for an address is told as one, and not as a file that is not there. */
        const kan_status status =
            kan_setting_check_shared_address(r->job->run, entry->setting.name, item);
        if (status != KAN_OK)
            return take_problem(r, line, status);
        KAN_TRY(resolve_path(r, item, &item));
    } else if (entry->form == KAN_FORM_ORDER && kan_order_parse(item, &name, &path)) {
        KAN_TRY(resolve_end(r, path, &item));
    } else if (entry->form == KAN_FORM_QUASI) {
        kan_quasi_parse(item, &name, &hierarchy);
        if (hierarchy && *hierarchy && !kan_hierarchy_is_spec(hierarchy))
            KAN_TRY(resolve_end(r, hierarchy, &item));
    }
    return take_problem(r, line, kan_job_add(r->job, entry->setting.name, item));
}

/* A scalar: split at commas where the setting takes lists, as a flag is. */
static kan_status add_scalar(reader *r, const kan_setting_entry *entry, size_t line,
                             const char *value) {
    kan_slice slice;
    const char *item;
    if (!kan_setting_takes_lists(&entry->setting))
        return add_item(r, entry, line, value);
    if (kan_list_is_one(value, entry->form == KAN_FORM_QUASI)) {
        KAN_TRY(kan_list_take(&r->job->arena, entry, kan_slice_of(value), &item));
        return add_item(r, entry, line, item);
    }
    while (kan_list_next(&value, entry->form == KAN_FORM_QUASI, &slice)) {
        KAN_TRY(kan_list_take(&r->job->arena, entry, slice, &item));
        KAN_TRY(add_item(r, entry, line, item));
    }
    return KAN_OK;
}

/* One pair of a mapping, `column: hierarchy` or `column: weight`; a column may stand alone. */
static kan_status add_pair(reader *r, const kan_setting_entry *entry, size_t line, const char *name,
                           const char *value) {
    const bool is_path = entry->form == KAN_FORM_ORDER ||
                         (entry->form == KAN_FORM_QUASI && !kan_hierarchy_is_spec(value));
    const char *item;
    if (*value && is_path)
        KAN_TRY(resolve_path(r, value, &value));
    kan_status status = kan_pair_join(r->job, entry, name, value, &item);
    if (status == KAN_OK)
        status = kan_job_add(r->job, entry->setting.name, item);
    return take_problem(r, line, status);
}

static const char *pair_example(const kan_setting_entry *entry) {
    return entry->example ? entry->example : kan_form_of(entry)->example;
}

/* `age: [NA, -9]`, up to the end of the list, which is in hand afterwards. */
static kan_status read_missing(reader *r, const kan_setting_entry *entry, const char *name) {
    KAN_TRY(next_event(r));
    while (r->has_event && !is_event(r, YAML_SEQUENCE_END_EVENT)) {
        const size_t line = line_of(r);
        const char *value;
        KAN_TRY(take_scalar(r, &value));
        if (value)
            KAN_TRY(add_pair(r, entry, line, name, value));
        else if (r->has_event && !is_event(r, YAML_SCALAR_EVENT) && !is_event(r, YAML_ALIAS_EVENT))
            add_problem(r, line,
                        "missing: an item of the list is a list itself; write one value "
                        "per item");
        KAN_TRY(skip_value(r));
        KAN_TRY(next_event(r));
    }
    return KAN_OK;
}

/* The pairs of a mapping, up to its end, which is in hand afterwards. */
static kan_status read_pairs(reader *r, const kan_setting_entry *entry) {
    KAN_TRY(next_event(r));
    while (r->has_event && !is_event(r, YAML_MAPPING_END_EVENT)) {
        size_t line = line_of(r);
        const char *name, *value;
        bool is_scalar = is_event(r, YAML_SCALAR_EVENT);
        KAN_TRY(take_scalar(r, &name));
        KAN_TRY(skip_value(r));
        KAN_TRY(next_event(r));
        if (name && is_event(r, YAML_SEQUENCE_START_EVENT) &&
            strcmp(entry->setting.name, "missing") == 0) {
            KAN_TRY(read_missing(r, entry, name));
            KAN_TRY(next_event(r));
            continue;
        }
        is_scalar = is_scalar && is_event(r, YAML_SCALAR_EVENT);
        KAN_TRY(take_scalar(r, &value));
        if (name && value) {
            KAN_TRY(add_pair(r, entry, line, name, value));
        } else if (r->has_event && !is_scalar) {
            char text[160];
            snprintf(text, sizeof text,
                     "%s: write a column and one value for it, such as `age: %s`",
                     entry->setting.name, pair_example(entry));
            add_problem(r, line, text);
        }
        KAN_TRY(skip_value(r));
        KAN_TRY(next_event(r));
    }
    return KAN_OK;
}

static kan_status read_list(reader *r, const kan_setting_entry *entry) {
    char text[160];
    size_t n_items = 0, list_line = line_of(r);
    KAN_TRY(next_event(r));
    for (; r->has_event && !is_event(r, YAML_SEQUENCE_END_EVENT); n_items++) {
        const char *item;
        size_t line = line_of(r);
        if (is_event(r, YAML_MAPPING_START_EVENT) && kan_setting_takes_pairs(entry)) {
            KAN_TRY(read_pairs(r, entry));
        } else if (is_event(r, YAML_MAPPING_START_EVENT) ||
                   is_event(r, YAML_SEQUENCE_START_EVENT)) {
            snprintf(text, sizeof text,
                     "%s: an item of the list is a list itself; write one value "
                     "per item",
                     entry->setting.name);
            add_problem(r, line, text);
            KAN_TRY(skip_value(r));
        } else {
            KAN_TRY(take_scalar(r, &item));
            if (item)
                KAN_TRY(add_item(r, entry, line, item));
        }
        KAN_TRY(next_event(r));
    }
    if (n_items == 0 && r->has_event) {
        snprintf(text, sizeof text, "%s: the list is empty; leave the key out",
                 entry->setting.name);
        add_problem(r, list_line, text);
    }
    return KAN_OK;
}

/* The value of a key, whatever its shape; its last event is in hand afterwards. */
static kan_status read_value(reader *r, const kan_setting_entry *entry) {
    char text[160];
    const char *value, *name = entry->setting.name;
    size_t line = line_of(r);
    bool is_list = is_event(r, YAML_SEQUENCE_START_EVENT);
    bool is_mapping = is_event(r, YAML_MAPPING_START_EVENT);
    if ((is_list && r->event.data.sequence_start.anchor) ||
        (is_mapping && r->event.data.mapping_start.anchor) ||
        (is_list && r->event.data.sequence_start.tag) ||
        (is_mapping && r->event.data.mapping_start.tag)) {
        add_problem(r, line, "anchors and tags (& and !) are not used in job files");
        return skip_value(r);
    }
    if (is_list && entry->setting.repeats)
        return read_list(r, entry);
    if (is_mapping && kan_setting_takes_pairs(entry))
        return read_pairs(r, entry);
    if (is_list || is_mapping) {
        snprintf(text, sizeof text, "%s: takes %s, not a %s", name,
                 entry->setting.repeats ? "a value or a list" : "one value",
                 is_list ? "list" : "mapping");
        add_problem(r, line, text);
        return skip_value(r);
    }
    KAN_TRY(take_scalar(r, &value));
    return value ? add_scalar(r, entry, line, value) : KAN_OK;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void unknown_key(reader *r, size_t line, const char *key) {
    char text[512], quoted[256];
    const char *near = kan_setting_nearest(key, NULL);
    kan_quote(kan_slice_of(key), quoted);
    if (near)
        snprintf(text, sizeof text, "%s is not a setting; did you mean %s?", quoted, near);
    else
        snprintf(
            text, sizeof text,
            "%s is not a setting; the keys are the flags of kanon help anonymize --all, without "
            "their dashes",
            quoted);
    add_problem(r, line, text);
}

/* `command: anonymize`. */
static kan_status read_command(reader *r) {
    const char *value;
    size_t line = line_of(r);
    KAN_TRY(take_scalar(r, &value));
    const kan_slice command = value ? kan_command_meant(value) : (kan_slice){NULL, 0};
    if (command.size > 0) {
        char place[4200];
        int size = snprintf(place, sizeof place, "%s:%zu", r->path, line);
        KAN_TRY(kan_arena_copy(&r->job->arena, command.bytes, command.size, &r->job->command));
        return kan_arena_copy(&r->job->arena, place,
                              (size_t)size < sizeof place ? (size_t)size : sizeof place - 1,
                              &r->job->command_place);
    }
    if (value || !is_event(r, YAML_SCALAR_EVENT)) {
        char names[KAN_COMMAND_NAMES], text[KAN_COMMAND_NAMES + 32];
        snprintf(text, sizeof text, "command: must be one of %s", kan_command_names(names));
        add_problem(r, line, text);
    }
    return skip_value(r);
}

/* `of: stays`: what only a table says of itself. Within a table `key` and `by` are columns. */
static const char **tie_of(reader *r, const char *key) {
    if (!r->part)
        return NULL;
    return strcmp(key, "key") == 0  ? &r->part->key
           : strcmp(key, "of") == 0 ? &r->part->of
           : strcmp(key, "by") == 0 ? &r->part->by
                                    : NULL;
}

static kan_status read_tie(reader *r, const char *key, const char **out) {
    const size_t line = line_of(r);
    char text[128];
    KAN_TRY(take_scalar(r, out));
    if (*out && **out)
        return KAN_OK;
    snprintf(text, sizeof text, "%s: write the name of one %s, such as `%s`", key,
             strcmp(key, "of") == 0 ? "table" : "column",
             strcmp(key, "of") == 0 ? "of: patients" : "key: patient");
    add_problem(r, line, text);
    return skip_value(r);
}

static kan_status add_with(reader *r, size_t line, const char *column) {
    kan_job_with *made, **end = &r->part->with;
    char text[256], quoted[256];
    for (; *end; end = &(*end)->next)
        if (strcmp((*end)->column, column) == 0) {
            snprintf(text, sizeof text, "with: %s is there twice; leave one out",
                     kan_quote(kan_slice_of(column), quoted));
            add_problem(r, line, text);
            return KAN_OK;
        }
    KAN_TRY(kan_arena_alloc(&r->job->arena, 1, sizeof *made, &made));
    KAN_TRY(kan_arena_copy(&r->job->arena, column, strlen(column), &made->column));
    *end = made;
    return KAN_OK;
}

/* `with: [age, sex]`, or one of them. */
static kan_status read_with(reader *r) {
    const size_t line = line_of(r);
    const bool is_list = is_event(r, YAML_SEQUENCE_START_EVENT);
    const char *column;
    if (is_list)
        KAN_TRY(next_event(r));
    for (; r->has_event && !is_event(r, YAML_SEQUENCE_END_EVENT);) {
        KAN_TRY(take_scalar(r, &column));
        if (column && *column)
            KAN_TRY(add_with(r, line_of(r), column));
        else
            add_problem(r, line, "with: write columns of the parent, such as `with: [age, sex]`");
        KAN_TRY(skip_value(r));
        if (!is_list)
            return KAN_OK;
        KAN_TRY(next_event(r));
    }
    return KAN_OK;
}

/* Whether one of several tables may have a setting of its own. */
static bool refuses_in_table(reader *r, size_t line, const kan_setting_entry *entry) {
    const char *name = entry->setting.name;
    char text[256];
    if (!r->part || (kan_setting_traits(name, "anonymize") & KAN_TRAIT_EACH_TABLE))
        return false;
    if (kan_setting_traits(name, "anonymize") & KAN_TRAIT_TABLES)
        snprintf(text, sizeof text,
                 "%s: holds for all tables together; write it beside `tables`, not in %s", name,
                 r->part->name);
    else
        snprintf(text, sizeof text,
                 "%s: is not taken for one of several tables yet; leave it out, or anonymize the "
                 "table by itself",
                 name);
    add_problem(r, line, text);
    return true;
}

static kan_status read_tables(reader *r);

/* One key and its value; the event after the value is not yet in hand. */
static kan_status read_key(reader *r) {
    const char *written;
    char key[MOST_NAME + 1];
    size_t line = line_of(r);
    KAN_TRY(take_scalar(r, &written));
    if (!written && !is_event(r, YAML_SCALAR_EVENT) && !is_event(r, YAML_ALIAS_EVENT))
        add_problem(r, line, "a key is not a name; write one setting per line, as in `k: 5`");
    KAN_TRY(skip_value(r));
    KAN_TRY(next_event(r));
    if (!r->has_event || !written)
        return skip_value(r);
    snprintf(key, sizeof key, "%s", written);
    for (char *at = key; *at; at++)
        *at = *at == '_' ? '-' : *at;
    const char **tie = tie_of(r, key);
    const bool is_command = strcmp(key, "command") == 0 && !r->part;
    const bool is_tables = strcmp(key, "tables") == 0 && !r->part;
    const bool is_with = strcmp(key, "with") == 0 && r->part;
    const kan_setting_entry *entry = kan_setting_entry_find(key);
    if (strlen(written) > MOST_NAME || (!entry && !is_command && !is_tables && !is_with && !tie)) {
        unknown_key(r, line, written);
        return skip_value(r);
    }
    const char *before = kan_options_find(&r->seen, key);
    char text[256];
    if (before) {
        snprintf(text, sizeof text, "%s is given twice, first on line %s; leave one out", key,
                 before);
        add_problem(r, line, text);
        return skip_value(r);
    }
    snprintf(text, sizeof text, "%zu", line);
    KAN_TRY(kan_options_add(&r->seen, key, text));
    if (is_command)
        return read_command(r);
    if (is_tables)
        return read_tables(r);
    if (is_with)
        return read_with(r);
    if (tie)
        return read_tie(r, key, tie);
    if (strcmp(key, "job") == 0) {
        add_problem(r, line, "job: a job file cannot name another; put all settings in one");
        return skip_value(r);
    }
    if (entry->setting.traits & KAN_TRAIT_LOADS_CODE) {
        snprintf(text, sizeof text,
                 "%s: a job file cannot name a library, whose code would run; write --%s %s on the "
                 "command line, or set the variable %s",
                 key, key, entry->setting.argument, entry->spec.library_variable);
        add_problem(r, line, text);
        return skip_value(r);
    }
    return refuses_in_table(r, line, entry) ? skip_value(r) : read_value(r, entry);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* A file of the release is called so. */
static bool is_good_name(const char *name) {
    enum { MOST_BYTES = 100 };
    const size_t size = strlen(name);
    if (size == 0 || size > MOST_BYTES || name[0] == '.' || !kan_yaml_is_sayable(name))
        return false;
    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\' || (unsigned char)*at < ' ' || *at == 0x7f)
            return false;
    return true;
}

static kan_status make_part(reader *r, size_t line, const char *name, kan_job_part **out) {
    char place[4200];
    kan_job_part *part, **end = &r->job->parts;
    while (*end)
        end = &(*end)->next;
    snprintf(place, sizeof place, "%s:%zu", r->path, line);
    KAN_TRY(kan_arena_alloc(&r->job->arena, 1, sizeof *part, &part));
    *part = (kan_job_part){.name = name};
    KAN_TRY(kan_arena_copy(&r->job->arena, place, strlen(place), &part->place));
    KAN_TRY(kan_job_create(r->job->run, &part->job));
    *end = *out = part;
    return KAN_OK;
}

/* The settings of one table; its mapping is in hand, and its end afterwards. */
static kan_status read_part(reader *r, kan_job_part *part) {
    kan_job *outer = r->job;
    const kan_options seen = r->seen;
    kan_status status = KAN_OK;
    r->job = part->job;
    r->part = part;
    kan_options_init(&r->seen, &part->job->arena);
    status = next_event(r);
    while (status == KAN_OK && r->has_event && !is_event(r, YAML_MAPPING_END_EVENT)) {
        status = read_key(r);
        if (status == KAN_OK)
            status = next_event(r);
    }
    kan_options_destroy(&r->seen);
    r->seen = seen;
    r->part = NULL;
    r->job = outer;
    return status;
}

static kan_status read_table(reader *r) {
    const size_t line = line_of(r);
    const char *name;
    char text[256], quoted[256];
    kan_job_part *part;
    bool is_known = false;
    KAN_TRY(take_scalar(r, &name));
    KAN_TRY(skip_value(r));
    KAN_TRY(next_event(r));
    if (!r->has_event || !name)
        return skip_value(r);
    for (part = r->job->parts; part; part = part->next)
        is_known |= strcmp(part->name, name) == 0;
    if (is_known || !is_good_name(name) || !is_event(r, YAML_MAPPING_START_EVENT)) {
        snprintf(text, sizeof text, "tables: %s %s", kan_quote(kan_slice_of(name), quoted),
                 is_known ? "is there twice; give one of them another name"
                 : !is_good_name(name)
                     ? "becomes the name of a file; choose another, such as `patients`"
                     : "needs its settings, such as {input: stays.csv, key: stay, of: patients}");
        add_problem(r, line, text);
        return skip_value(r);
    }
    KAN_TRY(make_part(r, line, name, &part));
    return read_part(r, part);
}

/* `tables: {patients: {input: patients.csv, key: patient}, stays: {...}}`. */
static kan_status read_tables(reader *r) {
    if (!is_event(r, YAML_MAPPING_START_EVENT)) {
        add_problem(r, line_of(r),
                    "tables: takes a mapping of names, such as `patients: {input: patients.csv, "
                    "key: patient}`");
        return skip_value(r);
    }
    const size_t line = line_of(r);
    KAN_TRY(next_event(r));
    while (r->has_event && !is_event(r, YAML_MAPPING_END_EVENT)) {
        KAN_TRY(read_table(r));
        KAN_TRY(next_event(r));
    }
    if (!r->job->parts && r->n_problems == 0)
        add_problem(r, line, "tables: there is none; name one, or leave the key out");
    return KAN_OK;
}

static kan_status read_document(reader *r) {
    do
        KAN_TRY(next_event(r));
    while (is_event(r, YAML_STREAM_START_EVENT) || is_event(r, YAML_DOCUMENT_START_EVENT));
    if (!r->has_event)
        return KAN_OK;
    if (is_event(r, YAML_STREAM_END_EVENT)) {
        add_problem(r, 1, "the file is empty; write one setting per line, as in `k: 5`");
        return KAN_OK;
    }
    if (!is_event(r, YAML_MAPPING_START_EVENT)) {
        add_problem(r, line_of(r), "not a job file; write one setting per line, as in `k: 5`");
        return KAN_OK;
    }
    if (r->event.data.mapping_start.anchor || r->event.data.mapping_start.tag)
        add_problem(r, line_of(r), "anchors and tags (& and !) are not used in job files");
    KAN_TRY(next_event(r));
    while (r->has_event && !is_event(r, YAML_MAPPING_END_EVENT)) {
        KAN_TRY(read_key(r));
        KAN_TRY(next_event(r));
    }
    do
        KAN_TRY(next_event(r));
    while (is_event(r, YAML_DOCUMENT_END_EVENT));
    if (r->has_event && !is_event(r, YAML_STREAM_END_EVENT))
        add_problem(r, line_of(r), "a second document begins; a job file holds one");
    return KAN_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

static kan_status read_bytes(kan_run *run, const char *path, kan_text *out) {
    char block[4096];
    FILE *file = fopen(path, "rb");
    if (!file)
        return kan_fail(run, errno == ENOENT || errno == ENOTDIR ? KAN_BAD_INPUT : KAN_FAILED,
                        "%s: %s; check the name of the job file", path, strerror(errno));
    size_t size;
    kan_status status = KAN_OK;
    while (status == KAN_OK && (size = fread(block, 1, sizeof block, file)) > 0) {
        kan_text_add(out, block, size);
        status = kan_text_status(out);
        if (status == KAN_OK && out->size > KAN_JOB_FILE_BYTES)
            status = kan_fail(run, KAN_BAD_INPUT,
                              "%s: larger than 1 MiB; is it a job file, and not a table?", path);
    }
    if (status == KAN_OK && ferror(file))
        status = kan_fail(run, errno == EISDIR ? KAN_BAD_INPUT : KAN_FAILED, "%s: %s", path,
                          strerror(errno));
    fclose(file);
    return status;
}

/* Takes over what the file says and no flag has said. */
static kan_status merge(const kan_job *from, kan_job *to) {
    size_t n_before = to->options.n;
    for (size_t i = 0; i < from->options.n; i++) {
        const char *name = from->options.values[i].name;
        bool is_set = false;
        for (size_t j = 0; j < n_before && !is_set; j++)
            is_set = strcmp(to->options.values[j].name, name) == 0;
        if (is_set)
            continue;
        kan_status status = kan_options_add(&to->options, name, from->options.values[i].value);
        if (status != KAN_OK) {
            to->options.n = n_before;
            return status;
        }
        to->options.values[to->options.n - 1].is_from_file = true;
    }
    return KAN_OK;
}

/* What was read must not be written over. */
static kan_status remember_origin(kan_job *job, const char *path) {
    kan_job_origin *origin;
    KAN_TRY(kan_arena_alloc(&job->arena, 1, sizeof *origin, &origin));
    origin->next = job->origins;
    KAN_TRY(kan_arena_copy(&job->arena, path, strlen(path), &origin->path));
    job->origins = origin;
    return KAN_OK;
}

/* Reads YAML text into a job of its own, so that nothing is taken from a file with problems. */
static kan_status read_text(kan_job *job, kan_job *fresh, const char *path, const kan_text *text) {
    const char *slash = strrchr(path, '/');
    reader r = {.job = fresh, .path = path};
    r.directory_size = slash ? (size_t)(slash - path) + 1 : 0;
    kan_text_init(&r.problems, job->run);
    kan_options_init(&r.seen, &fresh->arena);
    if (!yaml_parser_initialize(&r.parser))
        return kan_fail(job->run, KAN_FAILED, "%s: out of memory", path);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text->size ? text->bytes : ""),
                                 text->size);
    kan_status status = read_document(&r);
    if (status == KAN_OK)
        status = tell_problems(&r);
    drop_event(&r);
    yaml_parser_delete(&r.parser);
    kan_options_destroy(&r.seen);
    kan_text_destroy(&r.problems);
    return status;
}

kan_status kan_job_load(kan_job *job, const char *path) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, path);
    kan_run *run = job->run;
    kan_job *fresh = NULL;
    kan_text text;
    kan_status status;
    const char *command = NULL, *place = NULL;
    kan_text_init(&text, run);
    KAN_TRY_DONE(read_bytes(run, path, &text));
    KAN_TRY_DONE(kan_job_create(run, &fresh));
    KAN_TRY_DONE(read_text(job, fresh, path, &text));
    if (fresh->command) {
        KAN_TRY_DONE(kan_arena_copy(&job->arena, fresh->command, strlen(fresh->command), &command));
        KAN_TRY_DONE(kan_arena_copy(&job->arena, fresh->command_place, strlen(fresh->command_place),
                                    &place));
    }
    const char *input = kan_options_find(&fresh->options, "input");
    if (input && kan_options_find(&job->options, "input"))
        KAN_TRY_DONE(kan_arena_copy(&job->arena, input, strlen(input), &job->made_from));
    KAN_TRY_DONE(merge(fresh, job));
    KAN_TRY_DONE(kan_job_take_parts(job, fresh));
    KAN_TRY_DONE(remember_origin(job, path));
    if (command) {
        job->command = command;
        job->command_place = place;
    }
done:
    kan_job_destroy(fresh);
    kan_text_destroy(&text);
    return status;
}
