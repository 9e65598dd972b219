/* The codes of a sheet's cells, row after row, as they come.
 *
 * A row takes its number, the number of its cells, and its codes: all up to the last one where most of
 * its cells have a value, else those that have one, each with its column. So a sheet takes what the
 * file has cells, however far apart they stand; a row of nothing takes nothing. Rows lie in blocks, which
 * go to disk where the memory budget is short. */
#include <unistd.h>

#include "core/spill.h"
#include "io/excel/excel.h"
#include "io/excel/sheet.h"

/* Words of a block: more than the longest row. */
enum { BLOCK_WORDS = 1 << 16, HEAD_WORDS = 2 };
#define IS_DENSE UINT32_C(0x80000000)

/* Without a budget, codes may take half of the machine's memory. With one, they go to disk. */
static kan_status check_room(const kan_sheet *sheet, uint64_t bytes) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t most = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_MAX;
    char room[32];
    if (kan_run_memory_budget(sheet->run) > 0 || bytes <= most)
        return KAN_OK;
    return kan_fail(sheet->run, KAN_BAD_INPUT,
                    "%s: the cells of the sheet need more than %s, half of this machine's memory; "
                    "delete columns that are not needed, or use --memory SIZE to keep rows on disk",
                    sheet->file, kan_bytes_text(most, room));
}

static kan_status add_block(kan_sheet *sheet) {
    const size_t bytes = BLOCK_WORDS * sizeof(uint32_t);
    kan_sheet_block block = {.n_used = 0};
    KAN_TRY(check_room(sheet, (sheet->n_blocks + 1) * (uint64_t)bytes));
    KAN_TRY(kan_reserve(sheet->run, sheet->n_blocks + 1, sizeof block, &sheet->blocks_capacity,
                        &sheet->blocks));
    KAN_TRY(kan_spill_alloc(sheet->run, BLOCK_WORDS, sizeof(uint32_t), &block.words));
    sheet->blocks[sheet->n_blocks++] = block;
    if (sheet->n_blocks > 1)
        kan_spill_done(sheet->run, sheet->blocks[sheet->n_blocks - 2].words, bytes);
    return KAN_OK;
}

kan_status kan_sheet_add_row(kan_sheet *sheet, uint32_t row, size_t n, const uint32_t *columns,
                             const uint32_t *codes) {
    KAN_ASSERT(n > 0 && n <= KAN_SHEET_COLUMNS);
    const size_t n_all = columns[n - 1] + (size_t)1, n_words = n_all <= 2 * n ? n_all : 2 * n;
    if (sheet->n_blocks == 0 ||
        sheet->blocks[sheet->n_blocks - 1].n_used + HEAD_WORDS + n_words > BLOCK_WORDS) {
        KAN_TRY(kan_check_cancel(sheet->run));
        KAN_TRY(add_block(sheet));
    }
    kan_sheet_block *block = &sheet->blocks[sheet->n_blocks - 1];
    uint32_t *words = block->words + block->n_used;
    words[0] = row;
    if (n_all <= 2 * n) {
        words[1] = (uint32_t)n_all | IS_DENSE;
        memset(words + HEAD_WORDS, 0, n_all * sizeof *words);
        for (size_t i = 0; i < n; i++)
            words[HEAD_WORDS + columns[i]] = codes[i];
    } else {
        words[1] = (uint32_t)n;
        memcpy(words + HEAD_WORDS, columns, n * sizeof *words);
        memcpy(words + HEAD_WORDS + n, codes, n * sizeof *words);
    }
    block->n_used += HEAD_WORDS + n_words;
    return KAN_OK;
}

bool kan_sheet_next(const kan_sheet *sheet, kan_sheet_cursor *cursor, kan_sheet_row *out) {
    while (cursor->block < sheet->n_blocks && cursor->at >= sheet->blocks[cursor->block].n_used) {
        kan_spill_done(sheet->run, sheet->blocks[cursor->block].words,
                       BLOCK_WORDS * sizeof(uint32_t));
        *cursor = (kan_sheet_cursor){.block = cursor->block + 1};
    }
    if (cursor->block >= sheet->n_blocks)
        return false;
    const uint32_t *words = sheet->blocks[cursor->block].words + cursor->at;
    const bool is_dense = words[1] & IS_DENSE;
    const size_t n = words[1] & ~IS_DENSE;
    *out = (kan_sheet_row){.row = words[0],
                           .n = n,
                           .columns = is_dense ? NULL : words + HEAD_WORDS,
                           .codes = words + HEAD_WORDS + (is_dense ? 0 : n)};
    cursor->at += HEAD_WORDS + (is_dense ? n : 2 * n);
    return true;
}

uint32_t kan_sheet_code(const kan_sheet_row *row, size_t column) {
    size_t low = 0, high = row->n;
    if (!row->columns)
        return column < row->n ? row->codes[column] : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->n && row->columns[low] == column ? row->codes[low] : 0;
}

void kan_sheet_free_rows(kan_sheet *sheet) {
    for (size_t i = 0; i < sheet->n_blocks; i++)
        kan_free(sheet->run, sheet->blocks[i].words);
    kan_free(sheet->run, sheet->blocks);
}
