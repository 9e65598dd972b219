/* The values of --missing, --decimal, --thousands and --date-format: [NAME=]REST. */
#include <stdio.h>
#include <string.h>

#include "data/date_format.h"
#include "job/settings/settings.h"

const char *const kan_writing_names[KAN_N_WRITINGS] = {[KAN_WRITING_MISSING] = "missing",
                                                       [KAN_WRITING_DECIMAL] = "decimal",
                                                       [KAN_WRITING_THOUSANDS] = "thousands",
                                                       [KAN_WRITING_DATES] = "date-format"};

/* "a=b"=REST, or a=REST; a list that begins with a quoted value has no name. */
void kan_spelled_parse(const char *text, kan_slice *name, const char **rest) {
    const char *end = text[0] == '"' ? strstr(text + 1, "\"=") : strchr(text, '=');
    const char *quote = strchr(text, '"');
    *name = (kan_slice){text, 0};
    *rest = text;
    if (!end || (text[0] != '"' && quote && quote < end))
        return;
    const bool is_quoted = text[0] == '"';
    *name = (kan_slice){text + is_quoted, (size_t)(end - text) - is_quoted};
    *rest = end + 1 + is_quoted;
}

bool kan_missing_next(const char **list, char *room, kan_slice *value) {
    const char *at = *list;
    size_t n = 0;
    if (!at)
        return false;
    at += strspn(at, " ");
    if (*at == '"') {
        for (at++; *at && !(at[0] == '"' && at[1] != '"'); at++) {
            at += at[0] == '"';
            room[n++] = *at;
        }
        at += *at == '"';
        at += strspn(at, " ");
        if (*at && *at != ',')
            n = 0; /* something stands behind the quotes */
    } else {
        n = strcspn(at, ",");
        memcpy(room, at, n);
        at += n;
        while (n > 0 && room[n - 1] == ' ')
            n--;
    }
    *value = (kan_slice){room, n};
    at += strcspn(at, ",");
    *list = *at ? at + 1 : NULL;
    return true;
}

bool kan_decimal_sign_parse(const char *text, char *out) {
    if (strcmp(text, ",") != 0 && strcmp(text, ".") != 0)
        return false;
    *out = text[0];
    return true;
}

bool kan_thousands_sign_parse(const char *text, char *out) {
    if (strcmp(text, "none") == 0 || strcmp(text, "blank") == 0) {
        *out = text[0] == 'n' ? '\0' : ' ';
        return true;
    }
    if (strlen(text) != 1 || !strchr(".,' _", text[0]))
        return false;
    *out = text[0];
    return true;
}

/* ---- checks --------------------------------------------------------------------------------- */

static kan_status check_missing(kan_run *run, const char *text, const char *list) {
    char quoted[256], *room;
    kan_slice value;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(run, strlen(list) + 1, 1, &room));
    while (status == KAN_OK && kan_missing_next(&list, room, &value)) {
        if (value.size == 0)
            status = kan_fail(run, KAN_BAD_INPUT,
                              "--missing: %s holds an empty value, or more than one in its quotes; "
                              "an empty field is always missing, and a value with a comma belongs "
                              "in double quotes: \"a,b\"",
                              kan_quote(kan_slice_of(text), quoted));
        else if (kan_slice_is(value, "*"))
            status = kan_fail(run, KAN_BAD_INPUT,
                              "--missing: * is what a release shows in place of what it hides, so "
                              "it cannot stand for a missing value; write another word in the "
                              "table");
    }
    kan_free(run, room);
    return status;
}

static kan_status check_format(kan_run *run, const char *text, const char *format) {
    char room[KAN_DATE_FORMAT_MOST + 1], quoted[256];
    kan_date_format unused;
    const char *problem = kan_date_format_parse(kan_slice_of(format), room, &unused);
    if (!problem || strcmp(format, "none") == 0)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT, "--date-format: %s %s",
                    kan_quote(kan_slice_of(text), quoted), problem);
}

kan_status kan_spelled_check(kan_run *run, const char *setting, const char *text) {
    kan_slice name;
    const char *rest;
    char quoted[256], sign;
    kan_spelled_parse(text, &name, &rest);
    if (rest != text && name.size == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--%s: %s names no column before its =; write NAME=..., or a value that "
                        "holds = in double quotes",
                        setting, kan_quote(kan_slice_of(text), quoted));
    if (!*rest)
        return kan_fail(run, KAN_BAD_INPUT, "--%s: nothing follows %s", setting,
                        kan_quote(kan_slice_of(text), quoted));
    if (strcmp(setting, "missing") == 0)
        return check_missing(run, text, rest);
    if (strcmp(setting, "date-format") == 0)
        return check_format(run, text, rest);
    const bool is_decimal = strcmp(setting, "decimal") == 0;
    if (is_decimal ? kan_decimal_sign_parse(rest, &sign) : kan_thousands_sign_parse(rest, &sign))
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is not understood; write %s", setting,
                    kan_quote(kan_slice_of(text), quoted),
                    is_decimal ? ", or . or NAME=," : "one of . , ' _ or blank, none, or NAME=.");
}
