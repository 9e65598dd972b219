/* The scanners of CSV: 64 bytes at a time, by instructions of the machine or by plain arithmetic.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/hash.h"
#include "io/csv/csv_scan.h"

static void both_scanners_give_the_same_masks(void **state) {
    uint64_t random = 31;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        char bytes[64];
        for (int i = 0; i < 64; i++)
            bytes[i] = round % 2 ? (char)kan_random(&random) : ",\"\n\r\x80\xac\x2b\x2d"[i * 7 % 8];
        char wanted = round % 3 ? bytes[kan_random_below(&random, 64)] : (char)kan_random(&random);
        uint64_t expected = 0;
        for (int i = 0; i < 64; i++)
            expected |= (uint64_t)(bytes[i] == wanted) << i;
        kan_chunk chunk = kan_chunk_load(bytes);
        assert_true(kan_chunk_match(&chunk, wanted) == expected);
        assert_true(kan_mask_portable(bytes, wanted) == expected);
        assert_int_equal(kan_count_bits(expected), __builtin_popcountll(expected));
        uint64_t inside = 0, parity = 0;
        for (int i = 0; i < 64; i++)
            inside |= (parity ^= expected >> i & 1) << i;
        assert_true(kan_prefix_xor(expected) == inside);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_scanners_give_the_same_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
