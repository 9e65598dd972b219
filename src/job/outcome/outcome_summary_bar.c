/* Bars of summaries: blocks and eighths of blocks, the same in every command and in every locale.
 */
#include "job/outcome/outcome_summary.h"

unsigned kan_summary_add_bar(kan_text *text, double share, unsigned columns) {
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
