/* A file that gets its name when it is complete.
 *
 * Order of calls: open, write as often as needed, finish; then the bytes can be read at
 * kan_target_path; then sync and commit, or not; close in any case. */
#ifndef KANON_IO_STREAMS_TARGET_H
#define KANON_IO_STREAMS_TARGET_H

#include "core/memory.h"
#include "io/streams/places.h"

typedef struct kan_target kan_target;

/* Who may read a file that is new: whom the umask lets, or nobody but its owner, for what tells
 * more than a release does. One that is replaced keeps its mode, and its owner where that is
 * possible. */
typedef enum kan_target_readers { KAN_TARGET_SHARED, KAN_TARGET_PRIVATE } kan_target_readers;

/* `path` "-" is standard output. Without `overwrite` a file that exists is KAN_BAD_INPUT. Names
 * that end in .gz or .zst are compressed. */
KAN_MUST_USE kan_status kan_target_open(kan_run *run, const char *path, bool overwrite,
                                        kan_target_readers readers, kan_target **out);
/* What is written from here on is UTF-8, and stands in the file in this encoding; before anything
 * is written. NULL: as it is. */
KAN_MUST_USE kan_status kan_target_set_encoding(kan_target *target, const char *encoding);
const char *kan_target_encoding(const kan_target *target);
/* Characters so far that the encoding lacks. Finishing such a target is KAN_BAD_INPUT. */
uint64_t kan_target_n_lost(const kan_target *target);
KAN_MUST_USE kan_status kan_target_write(kan_target *target, const char *bytes, size_t size);
/* Where many threads write at once: the next place is taken by one of them at a time, and filled by
 * any, before finish. Whether they can: bytes stand in the file as they come, there are threads,
 * and memory has no budget. */
bool kan_target_has_places(const kan_target *target);
KAN_MUST_USE kan_status kan_target_take(kan_target *target, size_t size, kan_place *out);
KAN_MUST_USE kan_status kan_target_fill(kan_target *target, const kan_place *place,
                                        const char *bytes);
KAN_MUST_USE kan_status kan_target_finish(kan_target *target);
const char *kan_target_path(const kan_target *target);
const char *kan_target_name(const kan_target *target); /* for messages */
/* Waits until the bytes have reached the disk, so that nothing but naming them is left to do. */
KAN_MUST_USE kan_status kan_target_sync(kan_target *target);
KAN_MUST_USE kan_status kan_target_commit(kan_target *target);
/* Takes back a file that was committed by itself: another one that belongs to it failed. NULL, "-"
 * and what is not a regular file (a pipe, a device) are left alone. */
void kan_target_withdraw(const char *path);
/* Removes what was not committed. */
void kan_target_close(kan_target *target);

/* All of this for one text: the file has it, or is as it was. */
KAN_MUST_USE kan_status kan_target_put(kan_run *run, const char *path, bool overwrite,
                                       kan_target_readers readers, const char *bytes, size_t size);

#endif
