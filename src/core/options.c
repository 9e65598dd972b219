/* Options by name, checked against specs. Lists are short: looking up is a walk. */
#include "core/options.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

bool kan_kind_has_option(const kan_kind *kind, const char *name) {
    for (size_t i = 0; i < kind->n_options; i++)
        if (strcmp(kind->options[i].name, name) == 0)
            return true;
    return false;
}

void kan_options_init(kan_options *options, kan_arena *arena) {
    *options = (kan_options){.arena = arena};
}

void kan_options_destroy(kan_options *options) {
    kan_free(options->arena->run, options->values);
    kan_options_init(options, options->arena);
}

kan_status kan_options_add(kan_options *options, const char *name, const char *value) {
    struct kan_option_value added = {.is_from_file = false};
    KAN_TRY(kan_arena_copy(options->arena, name, strlen(name), &added.name));
    KAN_TRY(kan_arena_copy(options->arena, value, strlen(value), &added.value));
    KAN_TRY(kan_reserve(options->arena->run, options->n + 1, sizeof added, &options->capacity,
                        &options->values));
    options->values[options->n++] = added;
    return KAN_OK;
}

static bool is_choice(const char *choices, const char *value) {
    size_t size = strlen(value);
    for (const char *at = choices; at;) {
        const char *end = strchr(at, '|');
        size_t n = end ? (size_t)(end - at) : strlen(at);
        if (n == size && memcmp(at, value, n) == 0)
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}

static kan_status check_number(kan_run *run, const kan_option_spec *spec, const char *value) {
    double number;
    uint64_t count;
    bool is_count = spec->type == KAN_OPTION_COUNT;
    if (is_count) {
        if (!kan_parse_count(value, &count))
            return kan_fail(run, KAN_BAD_INPUT, "--%s: '%s' is not a whole number; write --%s %s",
                            spec->name, value, spec->name, spec->argument);
        number = (double)count;
    } else if (!kan_parse_real(value, strlen(value), &number)) {
        return kan_fail(run, KAN_BAD_INPUT, "--%s: '%s' is not a number; write --%s %s", spec->name,
                        value, spec->name, spec->argument);
    }
    if (number < spec->least)
        return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is too small; the minimum is %.15g",
                        spec->name, value, spec->least);
    if (spec->most > 0 && number > spec->most)
        return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is too large; the maximum is %.15g",
                        spec->name, value, spec->most);
    return KAN_OK;
}

kan_status kan_option_check(kan_run *run, const kan_option_spec *spec, const char *value) {
    uint64_t bytes;
    switch (spec->type) {
    case KAN_OPTION_COUNT:
    case KAN_OPTION_REAL:
        return check_number(run, spec, value);
    case KAN_OPTION_SWITCH:
        if (!is_choice("true|false", value))
            return kan_fail(run, KAN_BAD_INPUT, "--%s: '%s' is neither true nor false", spec->name,
                            value);
        return KAN_OK;
    case KAN_OPTION_CHOICE:
        if (!is_choice(spec->choices, value))
            return kan_fail(run, KAN_BAD_INPUT, "--%s: '%s' is not one of %s", spec->name, value,
                            spec->choices);
        return KAN_OK;
    case KAN_OPTION_BYTES:
        if (!kan_parse_bytes(value, &bytes) || bytes == 0)
            return kan_fail(run, KAN_BAD_INPUT,
                            "--%s: '%s' is not a size; write --%s 64M, 2G or a number of bytes",
                            spec->name, value, spec->name);
        return KAN_OK;
    case KAN_OPTION_TEXT:
    case KAN_OPTION_PATH:
        return KAN_OK;
    }
    return KAN_OK;
}

/* Whoever asks for a name that nothing has would wait for ever. */
static void check_name(const kan_options *options, const char *name) {
    KAN_ASSERT(!options->is_known || options->is_known(name));
}

const char *kan_options_find(const kan_options *options, const char *name) {
    check_name(options, name);
    for (size_t i = options->n; i-- > 0;)
        if (strcmp(options->values[i].name, name) == 0)
            return options->values[i].value;
    return NULL;
}

const char *kan_options_at(const kan_options *options, const char *name, size_t index) {
    check_name(options, name);
    for (size_t i = 0; i < options->n; i++)
        if (strcmp(options->values[i].name, name) == 0 && index-- == 0)
            return options->values[i].value;
    return NULL;
}

bool kan_options_is_flag(const kan_options *options, const char *name) {
    check_name(options, name);
    for (size_t i = 0; i < options->n; i++)
        if (strcmp(options->values[i].name, name) == 0 && !options->values[i].is_from_file)
            return true;
    return false;
}

void kan_option_split(const char *text, kan_slice *column, const char **value) {
    const char *equals = strrchr(text, '=');
    *column = (kan_slice){text, equals ? (size_t)(equals - text) : 0};
    *value = equals ? equals + 1 : text;
}

const char *kan_options_for(const kan_options *options, const char *name, kan_slice column) {
    const char *of_all = NULL, *text;
    for (size_t i = 0; (text = kan_options_at(options, name, i)) != NULL; i++) {
        kan_slice named;
        const char *value;
        kan_option_split(text, &named, &value);
        if (value == text)
            of_all = value;
        else if (kan_slice_equal(named, column))
            return value;
    }
    return of_all;
}

size_t kan_options_count_of(const kan_options *options, const char *name) {
    size_t n = 0;
    check_name(options, name);
    for (size_t i = 0; i < options->n; i++)
        n += strcmp(options->values[i].name, name) == 0;
    return n;
}

bool kan_options_switch(const kan_options *options, const char *name) {
    const char *value = kan_options_find(options, name);
    return value && strcmp(value, "true") == 0;
}

uint64_t kan_options_count(const kan_options *options, const char *name, uint64_t otherwise) {
    const char *value = kan_options_find(options, name);
    uint64_t count;
    return value && kan_parse_count(value, &count) ? count : otherwise;
}

double kan_options_real(const kan_options *options, const char *name, double otherwise) {
    const char *value = kan_options_find(options, name);
    double number;
    return value && kan_parse_real(value, strlen(value), &number) ? number : otherwise;
}
