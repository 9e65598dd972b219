#include "core/wording.h"

#include <math.h>
#include <stdio.h>

/* ---- percents ------------------------------------------------------------------------------- */

/* Less than would be told as 0.1. */
static const double LEAST = 0.05, MOST = 99.95;

static const char *sign_of(double percent) {
    return percent > 0 && percent < LEAST ? "<" : percent < 100 && percent > MOST ? ">" : NULL;
}

static const char *shown_of(double percent) {
    return percent < LEAST ? "0.1" : "99.9";
}

/* Small shares keep a digit that says something. */
static void print_page(double percent, char room[KAN_PERCENT_BYTES]) {
    if (percent == 0 || percent == 100)
        snprintf(room, KAN_PERCENT_BYTES, "%.0f\u202f%%", percent);
    else if (percent > 99.9 && percent < 100)
        snprintf(room, KAN_PERCENT_BYTES, "%.4g\u202f%%", floor(percent * 100) / 100);
    else if (percent < 1)
        snprintf(room, KAN_PERCENT_BYTES, "%.2g\u202f%%", percent);
    else
        snprintf(room, KAN_PERCENT_BYTES, "%.1f\u202f%%", percent);
}

const char *kan_percent_text(double percent, kan_percent_form form, char room[KAN_PERCENT_BYTES]) {
    const char *sign = sign_of(percent);
    switch (form) {
    case KAN_PERCENT_TENTHS:
        if (sign)
            snprintf(room, KAN_PERCENT_BYTES, "%s %s %%", sign, shown_of(percent));
        else
            snprintf(room, KAN_PERCENT_BYTES, "%.1f %%", percent);
        break;
    case KAN_PERCENT_TIGHT:
        if (percent <= 0 || percent >= 100)
            snprintf(room, KAN_PERCENT_BYTES, percent <= 0 ? "0%%" : "100%%");
        else if (sign)
            snprintf(room, KAN_PERCENT_BYTES, "%s%s%%", sign, shown_of(percent));
        else
            snprintf(room, KAN_PERCENT_BYTES, "%.1f%%", percent);
        break;
    case KAN_PERCENT_DIGITS:
        snprintf(room, KAN_PERCENT_BYTES, "%.3g%%", percent);
        break;
    case KAN_PERCENT_ERROR:
        snprintf(room, KAN_PERCENT_BYTES, percent < 1e6 ? "%.2f%%" : "%.3g%%", percent);
        break;
    case KAN_PERCENT_PAGE:
        print_page(percent, room);
        break;
    }
    return room;
}

/* ---- words ---------------------------------------------------------------------------------- */

void kan_text_add_wrapped(kan_text *text, const char *words, size_t column, size_t indent,
                          size_t width) {
    bool is_first = column <= indent; /* of its line: no space before it */
    while (*words) {
        const size_t size = strcspn(words, " "), columns = kan_text_columns(words, size);
        if (!is_first && column + 1 + columns > width) {
            kan_text_print(text, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            kan_text_add(text, " ", 1);
            column++;
        }
        is_first = false;
        kan_text_add(text, words, size);
        column += columns;
        words += size;
        words += strspn(words, " ");
    }
    kan_text_add(text, "\n", 1);
}

/* ---- lists of names ------------------------------------------------------------------------- */

kan_name_list kan_names_begin(char *room, size_t size, size_t most) {
    room[0] = '\0';
    return (kan_name_list){.room = room, .size = size, .most = most};
}

static void add(kan_name_list *list, const char *before, const char *words) {
    const int size =
        snprintf(list->room + list->used, list->size - list->used, "%s%s", before, words);
    if (size > 0 && (size_t)size < list->size - list->used)
        list->used += (size_t)size;
    else
        list->room[list->used] = '\0'; /* what does not fit is left out whole */
}

void kan_names_add(kan_name_list *list, const char *name) {
    if (list->n++ < list->most || list->most == 0)
        add(list, list->used > 0 ? ", " : "", name);
}

void kan_names_add_quoted(kan_name_list *list, const char *name) {
    char quoted[256];
    kan_names_add(list, kan_quote(kan_slice_of(name), quoted));
}

const char *kan_names_end(kan_name_list *list) {
    char more[64];
    if (list->most > 0 && list->n > list->most) {
        snprintf(more, sizeof more, " and %zu more", list->n - list->most);
        add(list, "", more);
    }
    return list->room;
}
