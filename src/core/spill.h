/* Arrays that live on disk when the memory budget is short.
 *
 * For what has an entry per row (or per block of rows) and is walked in order: with --memory, how
 * much stays resident then depends on the budget, not on the number of rows. Without a budget, for
 * small arrays, and while what is in use stays below half of the budget, such an array is plain
 * memory, unless it alone would take a sixteenth of the budget: that is left to what has to be in
 * memory. Beyond that it is a shared mapping of a file without a name in the run's folder for
 * temporary files (--tmp, else $TMPDIR, else /tmp): it counts as temporary bytes, not as memory,
 * and nothing of it is left however the program ends.
 *
 * Either way it is an array to read and write as any other, and kan_free gives it back. */
#ifndef KANON_CORE_SPILL_H
#define KANON_CORE_SPILL_H

#include "core/memory.h"

/* As kan_alloc: thread safe, contents undefined, *out untouched on failure. A full disk is
 * KAN_FAILED with a text that says how to help it, never a signal later on. kan_resize works, too,
 * but copies. */
KAN_MUST_USE kan_status kan_spill_alloc(kan_run *run, size_t n, size_t size, void *out);

/* As kan_reserve, for an array whose contents are not needed any more: where the budget has no room for
 * it, it lies on disk. After a failure it is empty. */
KAN_MUST_USE kan_status kan_spill_reserve(kan_run *run, size_t need, size_t size, size_t *capacity,
                                          void *inout);

/* These bytes are not needed for a while: where they lie on disk they leave resident memory, and
 * come back when they are touched. Nothing is lost, and pages around them may leave as well. Does
 * nothing for plain memory, of any origin, and costs nothing while nothing lies on disk; otherwise
 * some microseconds, so call it for 100 KB at least where it is called often. Thread safe. */
void kan_spill_done(kan_run *run, const void *memory, size_t bytes);

/* The same for a read-only mapping of a file that somebody else made, when there is a budget: the
 * pages around these bytes, but none before or behind the page of the first or the last, leave
 * resident memory. */
void kan_spill_drop(const kan_run *run, const void *mapped, size_t bytes);

/* Whether so many bytes more would still be plain memory. */
bool kan_spill_fits(const kan_run *run, uint64_t bytes);

/* An open file without a name in the folder for temporary files, empty, the caller's to close. */
KAN_MUST_USE kan_status kan_spill_file(kan_run *run, int *out);
/* Takes bytes of such a file into the account of temporary bytes, or out of it. */
void kan_spill_count(kan_run *run, uint64_t bytes);
void kan_spill_uncount(kan_run *run, uint64_t bytes);
/* KAN_FAILED with a text for an error of the system that befell `bytes` of temporary data. */
kan_status kan_spill_fail(kan_run *run, uint64_t bytes, int error);

/* What is dropped from resident memory is rounded to what a fault may bring in: the system maps
 * neighbours of a page along with it, up to 2 MiB of them. */
enum { KAN_SPILL_WINDOW = 1 << 21 };

#endif
