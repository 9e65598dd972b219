#include "job/tell/words.h"

#include <string.h>

#include "core/signs.h"

/* Bytes beyond ASCII are not: some shells take 0xa0 for a blank. */
static bool is_plain(char c) {
    return kan_is_name_sign(c) || (c != '\0' && strchr("./:,=@%+-", c));
}

void kan_words_add_shell(kan_text *text, const char *word) {
    bool needs_quotes = *word == '\0';
    for (const char *at = word; *at; at++)
        needs_quotes |= !is_plain(*at);
    kan_text_print(text, needs_quotes ? "'" : "");
    for (; *word; word++)
        kan_text_add(text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    kan_text_print(text, needs_quotes ? "'" : "");
}

size_t kan_words_add_label(kan_text *text, kan_slice label, size_t most) {
    size_t at = 0, n = 0;
    if (label.size == 0) {
        kan_text_print(text, "(empty)");
        return 7;
    }
    const bool is_cut = kan_text_columns(label.bytes, label.size) > most;
    for (; at < label.size && n + (is_cut ? 3 : 0) < most; n++) {
        const size_t size = kan_utf8_length(label.bytes + at, label.size - at);
        const bool is_shown = size > 0 && !kan_utf8_steers(label.bytes + at, size);
        kan_text_add(text, is_shown ? label.bytes + at : " ", is_shown ? size : 1);
        at += size ? size : 1;
    }
    if (is_cut)
        kan_text_print(text, "...");
    return n + (is_cut ? 3 : 0);
}

void kan_words_check_command(kan_text *text, size_t from) {
    size_t at = from, end = text->size;
    while (at < end && text->bytes[at] == '\n')
        at++;
    end -= end > at && text->bytes[end - 1] == '\n';
    while (at < end) {
        const size_t size = kan_utf8_length(text->bytes + at, end - at);
        if (size == 0 || kan_utf8_steers(text->bytes + at, size))
            break;
        at += size;
    }
    if (at == end)
        return;
    text->size = from;
    text->bytes[from] = '\0';
}

unsigned kan_words_add_bar(kan_text *text, double share, unsigned columns) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const unsigned most = 8 * columns;
    if (!(share > 0))
        return 0;
    unsigned length = share < 1 ? (unsigned)(most * share + 0.5) : most;
    length = length < 1 ? 1 : length;
    for (unsigned i = 0; i < length / 8; i++)
        kan_text_print(text, "█");
    kan_text_print(text, "%s", eighths[length % 8]);
    return (length + 7) / 8;
}
