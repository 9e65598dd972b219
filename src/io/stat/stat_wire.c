#include "io/stat/stat_wire.h"

static bool take_bytes(kan_stat_cursor *cursor, void *out, size_t size) {
    if (cursor->is_broken || cursor->left < size) {
        cursor->is_broken = true;
        memset(out, 0, size);
        return false;
    }
    memcpy(out, cursor->at, size);
    cursor->at += size;
    cursor->left -= size;
    return true;
}

uint32_t kan_stat_take_u32(kan_stat_cursor *cursor) {
    uint32_t value;
    (void)take_bytes(cursor, &value, sizeof value);
    return value;
}

uint64_t kan_stat_take_u64(kan_stat_cursor *cursor) {
    uint64_t value;
    (void)take_bytes(cursor, &value, sizeof value);
    return value;
}

kan_slice kan_stat_take_text(kan_stat_cursor *cursor) {
    const uint32_t size = kan_stat_take_u32(cursor);
    if (cursor->is_broken || cursor->left < size) {
        cursor->is_broken = true;
        return (kan_slice){"", 0};
    }
    const kan_slice text = {cursor->at, size};
    cursor->at += size;
    cursor->left -= size;
    return text;
}

static unsigned small_or_zero(uint32_t value) {
    enum { MOST = 1 << 16 };
    return value <= MOST ? value : 0;
}

bool kan_stat_take_variable(kan_stat_cursor *cursor, kan_stat_variable *out) {
    const uint32_t storage = kan_stat_take_u32(cursor);
    out->storage = storage < KAN_STAT_N_STORAGES ? (kan_stat_storage)storage : KAN_STAT_DOUBLE;
    out->width = small_or_zero(kan_stat_take_u32(cursor));
    out->decimals = small_or_zero(kan_stat_take_u32(cursor));
    out->measure = (int)small_or_zero(kan_stat_take_u32(cursor));
    out->alignment = (int)small_or_zero(kan_stat_take_u32(cursor));
    out->name = kan_stat_take_text(cursor);
    out->format = kan_stat_take_text(cursor);
    out->label = kan_stat_take_text(cursor);
    out->set = kan_stat_take_text(cursor);
    out->n_missing = kan_stat_take_u32(cursor);
    if (storage >= KAN_STAT_N_STORAGES || out->n_missing > KAN_STAT_MISSING_MOST)
        return false;
    for (size_t i = 0; i < out->n_missing; i++) {
        out->missing[i].least = kan_stat_take_u64(cursor);
        out->missing[i].most = kan_stat_take_u64(cursor);
        out->missing[i].text = kan_stat_take_text(cursor);
    }
    return !cursor->is_broken && cursor->left == 0;
}

bool kan_stat_take_label(kan_stat_cursor *cursor, kan_stat_label *out) {
    out->set = kan_stat_take_text(cursor);
    out->is_text = kan_stat_take_u32(cursor) != 0;
    out->word = kan_stat_take_u64(cursor);
    out->text = kan_stat_take_text(cursor);
    out->label = kan_stat_take_text(cursor);
    return !cursor->is_broken && cursor->left == 0;
}

bool kan_stat_take_block(kan_stat_cursor *cursor, size_t n_wanted, kan_stat_block *out) {
    out->n_rows = kan_stat_take_u32(cursor);
    out->words = cursor->at;
    return !cursor->is_broken && out->n_rows > 0 && out->n_rows <= kan_stat_block_rows(n_wanted) &&
           cursor->left == out->n_rows * n_wanted * sizeof(uint64_t);
}
