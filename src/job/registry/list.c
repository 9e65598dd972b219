/* What there is: every registered kind with its options and its paper, and the hierarchy builders,
 * for people or as JSON; and for people also those kinds alone that most of them choose from, as the
 * kinds say. All come from the registry alone, so a new kind is listed by being registered. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "data/hierarchies/hierarchies.h"
#include "io/sink.h"
#include "job/registry/registry.h"
#include "privacy/privacy.h"
#include "recode/models.h"
#include "search/search.h"

static const char *const headings[KAN_N_FAMILIES] = {
    [KAN_FAMILY_PRIVACY] = "Privacy models (what is promised; they can be combined)",
    [KAN_FAMILY_COST] = "Costs (--cost: what the search minimizes)",
    [KAN_FAMILY_SEARCH] =
        "Searches (--algorithm: how to search for the best release; auto: bisect)",
    [KAN_FAMILY_RECODING] = "Recoding models (--recoding: which releases a search may choose from)",
    [KAN_FAMILY_GENERATOR] = "Synthetic tables (kanon generate)",
    [KAN_FAMILY_SOURCE] = "Formats (of tables that are read; --format, if the ending does not say)",
    [KAN_FAMILY_SINK] = "Formats (of releases; --output-format, if the ending does not say)",
};

static const char *const json_keys[KAN_N_FAMILIES] = {
    [KAN_FAMILY_PRIVACY] = "privacy",    [KAN_FAMILY_COST] = "costs",
    [KAN_FAMILY_SEARCH] = "searches",    [KAN_FAMILY_GENERATOR] = "generators",
    [KAN_FAMILY_SOURCE] = "sources",     [KAN_FAMILY_SINK] = "sinks",
    [KAN_FAMILY_RECODING] = "recodings",
};

static const char *type_name(kan_option_type type) {
    switch (type) {
    case KAN_OPTION_SWITCH:
        return "switch";
    case KAN_OPTION_COUNT:
        return "count";
    case KAN_OPTION_REAL:
        return "real";
    case KAN_OPTION_BYTES:
        return "size";
    case KAN_OPTION_TEXT:
        return "text";
    case KAN_OPTION_PATH:
        return "path";
    case KAN_OPTION_CHOICE:
        return "choice";
    }
    return "text";
}

/* ---- for people ----------------------------------------------------------------------------- */

enum { NAME_COLUMNS = 18 };

/* A name and its text in the column beside it, or below when the name is long. */
static void add_line(kan_text *text, unsigned indent, const char *name, const char *summary) {
    int room = NAME_COLUMNS - (int)indent;
    if (strlen(name) > (size_t)room)
        kan_text_print(text, "  %*s%s\n  %*s %s", (int)indent, "", name, NAME_COLUMNS, "", summary);
    else
        kan_text_print(text, "  %*s%-*s %s", (int)indent, "", room, name, summary);
}

/* The first kind before that place of its family which has the same option, or NULL. */
static const kan_kind *find_option(kan_family family, size_t before, const char *name) {
    for (size_t i = 0; i < before; i++) {
        const kan_kind *kind = kan_registry_at(family, i);
        for (size_t j = 0; j < kind->n_options; j++)
            if (strcmp(kind->options[j].name, name) == 0)
                return kind;
    }
    return NULL;
}

/* Whether the short list shows an option: promises are asked for by theirs. */
static bool is_everyday_option(kan_family family, const kan_kind *kind, size_t index) {
    return (kind->options[index].traits & KAN_TRAIT_EVERYDAY) ||
           (family == KAN_FAMILY_PRIVACY && index == 0);
}

static void add_kind(kan_text *text, kan_family family, size_t index, bool is_short) {
    const kan_kind *kind = kan_registry_at(family, index);
    add_line(text, 0, kind->name, kind->summary);
    kan_text_print(text, "\n");
    if (kind->paper && !is_short && family != KAN_FAMILY_RECODING)
        kan_text_print(text, "  %*s %s\n", NAME_COLUMNS, "", kind->paper);
    for (size_t i = 0; i < kind->n_options; i++) {
        const kan_option_spec *option = &kind->options[i];
        if (is_short && !is_everyday_option(family, kind, i))
            continue;
        const kan_kind *first = is_short ? NULL : find_option(family, index, option->name);
        char flag[128];
        const char *argument = option->type == KAN_OPTION_SWITCH   ? NULL
                               : option->argument                  ? option->argument
                               : option->type == KAN_OPTION_CHOICE ? option->choices
                                                                   : "VALUE";
        snprintf(flag, sizeof flag, "--%s%s%s", option->name, argument ? " " : "",
                 argument ? argument : "");
        add_line(text, 2, flag, first ? "as with " : option->summary);
        if (first)
            kan_text_print(text, "%s", first->name);
        else if (option->fallback)
            kan_text_print(text, " (default: %s)", option->fallback);
        kan_text_print(text, "\n");
    }
}

/* A search that makes the model, from that place of the registry on; NULL: there is no further. */
static const kan_search_kind *next_search(const kan_recoding_kind *model, size_t *at) {
    while (*at < kan_registry_count(KAN_FAMILY_SEARCH)) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, (*at)++);
        if (kan_search_makes(search, model))
            return search;
    }
    return NULL;
}

/* What else there is to say of a model: its section, and who makes it. */
static void add_model(kan_text *text, const kan_recoding_kind *model) {
    const kan_search_kind *search;
    const char *before = ": ";
    kan_text_print(text, "  %*s %s", NAME_COLUMNS, "", model->kind.paper);
    for (size_t at = 0; (search = next_search(model, &at)) != NULL; before = ", ")
        kan_text_print(text, "%s%s", before, search->kind.name);
    kan_text_print(text, "%s\n", strcmp(before, ": ") == 0 ? ": no search makes it" : "");
}

/* Returns how many kinds it left out. */
static size_t add_family(kan_text *text, kan_family family, bool is_short) {
    size_t n_more = 0;
    kan_text_print(text, "%s\n", headings[family]);
    for (size_t i = 0; i < kan_registry_count(family); i++) {
        const kan_kind *kind = kan_registry_at(family, i);
        if (is_short && !kind->is_everyday) {
            n_more++;
            continue;
        }
        add_kind(text, family, i, is_short);
        if (family == KAN_FAMILY_RECODING && !is_short)
            add_model(text, (const kan_recoding_kind *)kind);
    }
    if (n_more > 0)
        kan_text_print(text, "  and %zu more\n", n_more);
    kan_text_print(text, "\n");
    return n_more;
}

static void list_text(kan_text *text, bool is_short) {
    size_t n_more = 0;
    for (unsigned family = 0; family < KAN_N_FAMILIES; family++)
        n_more += add_family(text, (kan_family)family, is_short);
    kan_text_print(text, "Builders of hierarchies (--qi NAME=BUILDER)\n");
    for (const char *const *at = kan_hierarchy_builders(); at[0]; at += 2) {
        add_line(text, 0, at[0], at[1]);
        kan_text_print(text, "\n");
    }
    if (n_more > 0)
        kan_text_print(text,
                       "\nkanon list --all shows %zu more, all options, and the paper of each.\n",
                       n_more);
}

/* ---- as JSON -------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *value) {
    return value ? json_string(value) : json_null();
}

/* jansson's `new` calls take what they are given, NULL included: one check at the end is enough. */
static json_t *option_json(const kan_option_spec *option) {
    return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:b, s:b, s:s, s:s}", "name", option->name,
                     "argument", text_or_null(option->argument), "summary", option->summary, "type",
                     type_name(option->type), "choices", text_or_null(option->choices), "default",
                     text_or_null(option->fallback), "repeats", (int)option->repeats, "per_column",
                     (int)option->is_per_column, "label",
                     option->label ? option->label : option->name, "words",
                     option->words ? option->words : option->summary);
}

/* An array of names out of what ends with NULL. Takes the array over, also when it fails. */
static json_t *add_word(json_t *words, const char *word) {
    if (words && json_array_append_new(words, json_string(word)) != 0) {
        json_decref(words);
        return NULL;
    }
    return words;
}

static json_t *models_json(const kan_recoding_kind *const *models, size_t most) {
    json_t *names = json_array();
    for (size_t i = 0; i < most && models[i]; i++)
        names = add_word(names, models[i]->kind.name);
    return names;
}

static json_t *searches_json(const kan_recoding_kind *model) {
    const kan_search_kind *search;
    json_t *names = json_array();
    for (size_t at = 0; (search = next_search(model, &at)) != NULL;)
        names = add_word(names, search->kind.name);
    return names;
}

static json_t *privacy_json(const kan_privacy_kind *model) {
    json_t *tries = json_array();
    for (size_t i = 0; i < KAN_PRIVACY_TRIES && model->tries[i]; i++)
        tries = add_word(tries, model->tries[i]);
    return json_pack("{s:s, s:s, s:o, s:b, s:b, s:b, s:b}", "title",
                     model->title ? model->title : model->kind.name, "words",
                     model->words ? model->words : model->kind.summary, "tries", tries,
                     "needs_sensitive", model->needs_tallies && !model->needs_weights,
                     "needs_population", (int)model->needs_people, "needs_weights",
                     model->needs_weights && !model->household_part, "needs_household",
                     model->household_part != NULL);
}

static json_t *source_json(const kan_source_kind *source) {
    return json_pack("{s:s, s:b}", "title", source->title ? source->title : source->kind.name,
                     "reads_files", source->read != NULL);
}

static json_t *file_json(const char *ending, const char *words) {
    return json_pack("{s:s, s:s}", "ending", ending, "words", words);
}

static json_t *sink_json(const kan_sink_kind *sink) {
    json_t *files = json_array();
    for (size_t i = 0; files && i < KAN_SINK_FILES && (i == 0 || sink->files[i].ending); i++) {
        json_t *file = sink->files[i].ending
                           ? file_json(sink->files[i].ending, sink->files[i].words)
                           : file_json(sink->kind.name, sink->kind.summary);
        if (json_array_append_new(files, file) != 0) {
            json_decref(files);
            files = NULL;
        }
    }
    return json_pack("{s:o, s:b, s:o}", "files", files, "takes_any", sink->takes == NULL, "missing",
                     text_or_null(sink->missing ? sink->missing() : NULL));
}

static json_t *cost_json(const kan_cost_kind *cost) {
    return json_pack("{s:b}", "share", (int)kan_cost_is_share(cost->kind.name));
}

static json_t *search_json(const kan_search_kind *search) {
    json_t *costs = json_array();
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        if (kan_costs_take(search->costs, cost))
            costs = add_word(costs, cost->kind.name);
    }
    return json_pack("{s:o, s:o, s:b, s:b}", "recodings",
                     models_json(search->models, KAN_SEARCH_MODELS), "costs", costs, "proves",
                     (int)search->finds_best, "anytime", (int)search->is_anytime);
}

/* What releases of a model are made of. */
static const char *parts_name(kan_recoding_type type) {
    const kan_recoding recoding = {.type = type};
    return type == KAN_RECODING_LEVELS        ? "levels"
           : kan_recoding_has_cuts(&recoding) ? "cuts"
           : type == KAN_RECODING_LOCAL       ? "nodes"
                                              : "regions";
}

/* What only kinds of that family have. */
static json_t *family_members(kan_family family, const kan_kind *kind) {
    const kan_recoding_kind *model = (const kan_recoding_kind *)kind;
    switch (family) {
    case KAN_FAMILY_PRIVACY:
        return privacy_json((const kan_privacy_kind *)kind);
    case KAN_FAMILY_COST:
        return cost_json((const kan_cost_kind *)kind);
    case KAN_FAMILY_SEARCH:
        return search_json((const kan_search_kind *)kind);
    case KAN_FAMILY_RECODING:
        return json_pack("{s:o, s:o, s:s}", "contains",
                         models_json(model->contains, KAN_MODEL_CONTAINS), "searches",
                         searches_json(model), "parts", parts_name(model->type));
    case KAN_FAMILY_SOURCE:
        return source_json((const kan_source_kind *)kind);
    case KAN_FAMILY_SINK:
        return sink_json((const kan_sink_kind *)kind);
    default:
        return json_object();
    }
}

static json_t *kind_json(kan_family family, const kan_kind *kind) {
    json_t *options = json_array();
    for (size_t i = 0; options && i < kind->n_options; i++) {
        if (json_array_append_new(options, option_json(&kind->options[i])) != 0) {
            json_decref(options);
            return NULL;
        }
    }
    json_t *whole = json_pack("{s:s, s:s, s:o, s:b, s:o}", "name", kind->name, "summary",
                              kind->summary, "paper", text_or_null(kind->paper), "everyday",
                              (int)kind->is_everyday, "options", options);
    json_t *members = family_members(family, kind);
    if (!whole || !members || json_object_update(whole, members) != 0) {
        json_decref(whole);
        whole = NULL;
    }
    json_decref(members);
    return whole;
}

static json_t *family_json(kan_family family) {
    json_t *kinds = json_array();
    for (size_t i = 0; kinds && i < kan_registry_count(family); i++) {
        if (json_array_append_new(kinds, kind_json(family, kan_registry_at(family, i))) != 0) {
            json_decref(kinds);
            return NULL;
        }
    }
    return kinds;
}

static json_t *builders_json(void) {
    json_t *builders = json_array();
    for (const char *const *at = kan_hierarchy_builders(); builders && at[0]; at += 2) {
        json_t *builder = json_pack("{s:s, s:s}", "name", at[0], "summary", at[1]);
        if (json_array_append_new(builders, builder) != 0) {
            json_decref(builders);
            return NULL;
        }
    }
    return builders;
}

static json_t *list_json(void) {
    json_t *root = json_pack("{s:s}", "kanon", KANON_VERSION);
    bool is_whole = root != NULL;
    for (unsigned family = 0; is_whole && family < KAN_N_FAMILIES; family++)
        is_whole =
            json_object_set_new(root, json_keys[family], family_json((kan_family)family)) == 0;
    is_whole = is_whole && json_object_set_new(root, "hierarchy_builders", builders_json()) == 0;
    if (!is_whole) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* A kan_text remembers that it failed, which the dumper does not always pass on for keys. */
static int add_bytes(const char *bytes, size_t size, void *text) {
    kan_text_add(text, bytes, size);
    return kan_text_status(text) == KAN_OK ? 0 : -1;
}

static kan_status add_json(kan_run *run, kan_text *text) {
    json_t *root = list_json();
    int failed = !root || json_dump_callback(root, add_bytes, text, JSON_INDENT(2)) != 0;
    json_decref(root);
    if (failed)
        return kan_fail(run, KAN_FAILED, "out of memory while the list was made");
    kan_text_print(text, "\n");
    return KAN_OK;
}

/* Hands the text over to the run, unless making it failed. */
static kan_status give(kan_run *run, kan_text *text, kan_status status, const char **out) {
    if (status == KAN_OK)
        status = kan_text_status(text);
    if (status == KAN_OK)
        status = kan_arena_copy(kan_run_arena(run), text->bytes, text->size, out);
    kan_text_destroy(text);
    return status;
}

kan_status kan_list(kan_run *run, bool as_json, const char **out) {
    KAN_NEED(run, run);
    KAN_NEED(run, out);
    kan_text text;
    kan_status status = KAN_OK;
    kan_text_init(&text, run);
    if (as_json)
        status = add_json(run, &text);
    else
        list_text(&text, false);
    return give(run, &text, status, out);
}

kan_status kan_list_everyday(kan_run *run, const char **out) {
    KAN_NEED(run, run);
    KAN_NEED(run, out);
    kan_text text;
    kan_text_init(&text, run);
    list_text(&text, true);
    return give(run, &text, KAN_OK, out);
}

/* What cells give up is measured as a share of what they could. */
bool kan_cost_is_share(const char *name) {
    const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_find(KAN_FAMILY_COST, name);
    return cost && cost->shape == KAN_SHAPE_CELLS;
}
