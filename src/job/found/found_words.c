/* Words that attacks share. */
#include <stdio.h>

#include "core/wording.h"
#include "job/found/found.h"

enum { WIDTH = 78, SENTENCE_BYTES = 2048 };

void kan_found_say(kan_found_words *words, const char *format, ...) {
    char sentence[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (words->text) {
        kan_text_print(words->text, "  ");
        kan_text_add_wrapped(words->text, sentence, 2, 2, WIDTH);
    }
    if (words->said && json_array_append_new(words->said, kan_json_text(sentence)) != 0)
        words->failed = true;
}

void kan_found_pause(kan_found_words *words) {
    if (words->text)
        kan_text_print(words->text, "\n");
}

kan_found_number kan_found_count_of(uint64_t count) {
    kan_found_number out;
    kan_count_text(count, out.text);
    return out;
}
