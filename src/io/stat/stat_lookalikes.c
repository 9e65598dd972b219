/* Values that are read as one, and that whoever opens the file can tell apart: system-missing, codes that
 * are declared missing, .a to .z, ._ of SAS and an empty text; 0 and -0; numbers that are the same only as far
 * as a date or the digits of a .por tell. All rows are read once more, as they are; what each distinct
 * value is read as is found out once.
 *
 * Blanks at the end of a text: libreadstat drops them before we see them. They are nothing in SPSS and SAS,
 * whose texts are filled up with blanks; in Stata they are something, and are not found here. */
#include "io/stat/stat_source.h"

/* The word that a reader which is not exact gets. */
static uint64_t plain_word(uint64_t word) {
    double number;
    const unsigned char letter = (unsigned char)(word & 0xff);
    if (kan_stat_is_missing(word)) {
        const unsigned char small = (unsigned char)(letter | 0x20);
        return KAN_STAT_MISSING | (small >= 'a' && small <= 'z' ? small : 0);
    }
    memcpy(&number, &word, sizeof number);
    number += 0.0; /* -0 is 0 */
    memcpy(&word, &number, sizeof word);
    return word;
}

static kan_status show(const kan_stat_source *source, const kan_stat_column *column,
                       kan_slice exact, char *room, kan_slice *out) {
    uint64_t word;
    if (column->storage == KAN_STAT_STRING) {
        while (exact.size > 0 && exact.bytes[exact.size - 1] == ' ')
            exact.size--;
        *out = exact;
        return kan_stat_show_text(source, column, out);
    }
    KAN_ASSERT(exact.size == sizeof word);
    memcpy(&word, exact.bytes, sizeof word);
    return kan_stat_show_number(source, column, plain_word(word), room, out);
}

kan_status kan_stat_is_apart(const kan_stat_source *source, const kan_stat_column *column,
                             const kan_dictionary *exact, bool *out) {
    kan_encoder texts;
    kan_status status = KAN_OK;
    KAN_TRY(kan_encoder_init(&texts, source->run));
    for (uint32_t code = 0; code < exact->n && texts.n == code; code++) {
        char room[KAN_STAT_CLOCK_ROOM];
        kan_slice text;
        uint32_t at;
        KAN_TRY_DONE(show(source, column, kan_dictionary_value(exact, code), room, &text));
        KAN_TRY_DONE(kan_encoder_add(&texts, text, &at));
    }
    *out = texts.n < exact->n;
done:
    kan_encoder_destroy(&texts);
    return status;
}
