/* What a spreadsheet would run. Looks at the first bytes of a value, and at all of it where it
 * could be a number. */
#include "io/guard.h"
#include "core/signs.h"

/* Digits with points or commas between them, then perhaps an exponent or a percent sign: whatever a
 * spreadsheet makes of it, it calls nothing and refers to nothing. A sign alone is text. */
static bool is_number(kan_slice value) {
    size_t at = 1, n_digits = 0; /* behind the sign */
    if (value.size == 1)
        return true;
    for (; at < value.size; at++) {
        const char byte = value.bytes[at];
        if (kan_is_digit(byte))
            n_digits++;
        else if (byte != '.' && byte != ',')
            break;
    }
    if (n_digits == 0)
        return false;
    if (at + 1 < value.size && (value.bytes[at] == 'e' || value.bytes[at] == 'E')) {
        at++;
        at += at + 1 < value.size && (value.bytes[at] == '+' || value.bytes[at] == '-');
        while (at < value.size && kan_is_digit(value.bytes[at]))
            at++;
        return at == value.size && kan_is_digit(value.bytes[at - 1]);
    }
    at += at + 1 == value.size && value.bytes[at] == '%';
    return at == value.size;
}

/* U+FF1D, U+FF0B, U+FF0D and U+FF20. */
static bool is_fullwidth(kan_slice value) {
    if (value.size < 3 || memcmp(value.bytes, "\xef\xbc", 2) != 0)
        return false;
    const unsigned char last = (unsigned char)value.bytes[2];
    return last == 0x9d || last == 0x8b || last == 0x8d || last == 0xa0;
}

bool kan_guard_is_formula(kan_slice value) {
    if (value.size == 0)
        return false;
    switch (value.bytes[0]) {
    case '+':
    case '-':
        return !is_number(value);
    case '=':
    case '@':
    case '\t':
    case '\r':
    case '\n':
        return true;
    default:
        return is_fullwidth(value);
    }
}

bool kan_guard_needs(kan_slice value) {
    while (value.size > 0 && value.bytes[0] == '\'') {
        value.bytes++;
        value.size--;
    }
    return kan_guard_is_formula(value);
}

kan_slice kan_guard_undo(kan_slice cell, bool *is_open) {
    if (cell.size == 0 || !kan_guard_may_need(cell.bytes[0]) || !kan_guard_needs(cell))
        return cell;
    if (cell.bytes[0] == '\'')
        return (kan_slice){cell.bytes + 1, cell.size - 1};
    *is_open = true;
    return cell;
}

kan_status kan_guard_undo_all(kan_encoder *encoder, bool *is_open) {
    bool is_guarded = false, any_open = false;
    for (uint32_t code = 0; code < encoder->n && !any_open; code++) {
        const kan_slice cell = kan_encoder_value(encoder, code);
        is_guarded |= kan_guard_undo(cell, &any_open).size != cell.size;
    }
    *is_open |= any_open;
    if (any_open || !is_guarded)
        return KAN_OK;
    /* Different cells are different values, so that each gets the code that it had. */
    kan_encoder undone;
    kan_status status;
    KAN_TRY(kan_encoder_init(&undone, encoder->run));
    for (uint32_t code = 0, same; code < encoder->n; code++)
        KAN_TRY_DONE(kan_encoder_add(
            &undone, kan_guard_undo(kan_encoder_value(encoder, code), &any_open), &same));
    const kan_encoder guarded = *encoder;
    *encoder = undone;
    undone = guarded;
    status = KAN_OK;
done:
    kan_encoder_destroy(&undone);
    return status;
}
