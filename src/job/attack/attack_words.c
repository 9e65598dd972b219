/* Words that attacks share. */
#include <stdio.h>

#include "core/wording.h"
#include "job/attack/attack_inside.h"

enum { WIDTH = 78, SENTENCE_BYTES = 2048 };

void kan_attack_add_sentence(kan_text *text, const char *format, ...) {
    char words[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    kan_text_print(text, "  ");
    kan_text_add_wrapped(text, words, 2, 2, WIDTH);
}

kan_attack_number kan_attack_count_of(uint64_t count) {
    kan_attack_number out;
    kan_count_text(count, out.text);
    return out;
}
