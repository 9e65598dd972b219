/* The door of the room: the ledger, which keeps in private who was in which group of each release of
 * a table, so that the next release keeps its promise together with them.
 *
 * What it has of a person is a mark, a keyed hash of what names her; of a release, which group each
 * mark was in, what the groups were called, and facts. It has no value of the table but these
 * labels, which the release shows, too. The file is for its owner alone (mode 0600, refused
 * otherwise), says by a keyed sum whether it is whole, and cannot be used with another key.
 *
 * Order of calls of a release: open to write; bind; classes; search, apply, write and recount the
 * release; stage; name the release; commit, or abandon where it could not be named; close in any
 * case. Of a look: open to read, and close.
 *
 * In one step. A release and its ledger are two files, and no system names two files at once. So the
 * ledger is written first, and carries the release as *pending*, with the place that it will get and
 * the SHA-256 of its bytes; then the release gets its name; then the ledger is settled, by a few
 * bytes at its end that follow from the key. Whoever opens a ledger with a pending release looks for
 * it: where a file with these bytes stands at that place, the release is out, and the ledger is
 * settled. Where none does, nobody can tell whether it was there for a moment and somebody took it.
 * Then the safe side is that it was: it counts as any other, a note tells of it, and stays until its
 * owner, who alone may know, removes it (forget). What is on the safe side costs some precision; the
 * other side would cost the promise.
 *
 * One at a time. Who writes holds the file locked (flock) from open to close, because the groups of
 * a new release rest on what was read; a second one is refused at once. The lock goes with the
 * process, however it ends. Who reads takes the file as it is: it is only ever replaced as a whole.
 *
 * Costs: a ledger of P people and R releases has 16 P + 4 P R bytes and the labels, and is read in
 * one piece, in the run's account (on disk where the budget is short). Everything else is linear in
 * it, but for sorting. May touch core, io/streams and io/file_hash.h. */
#ifndef KANON_LEDGER_LEDGER_H
#define KANON_LEDGER_LEDGER_H

#include "core/text.h"
#include "io/file_hash.h"

typedef struct kan_ledger kan_ledger;

typedef enum kan_ledger_use {
    KAN_LEDGER_READ,   /* the file is there, and stays as it is */
    KAN_LEDGER_CHANGE, /* it is there, and locked until it is closed */
    KAN_LEDGER_WRITE   /* the same, and it is made where it is not there */
} kan_ledger_use;

/* KAN_BAD_INPUT where it is no ledger, is cut short or was changed, belongs to another key, or may be read by
 * others; KAN_FAILED where somebody else is writing it. Notes tell of what is pending, but for CHANGE,
 * whose caller does. A ledger that
 * this call made, and that has no release when it is closed, is removed again. */
KAN_MUST_USE kan_status kan_ledger_open(kan_run *run, const char *path, const char *key_path,
                                        kan_ledger_use use, kan_ledger **out);
void kan_ledger_close(kan_ledger *ledger); /* NULL is none */

const char *kan_ledger_name(const kan_ledger *ledger); /* for messages */
/* The column whose values name people; "" while there was no release. */
const char *kan_ledger_column(const kan_ledger *ledger);
/* KAN_BAD_INPUT where the releases so far named people by another column. */
KAN_MUST_USE kan_status kan_ledger_bind(kan_ledger *ledger, const char *column);
/* People who were in any release. */
uint64_t kan_ledger_n_people(const kan_ledger *ledger);

/* ---- releases ------------------------------------------------------------------------------- */

/* What the groups of a release showed, which everybody knows who has it: a dictionary for each
 * quasi-identifier, and a code for each tuple. Tuples are those of rows: where people have several
 * rows, a person's group is made of several of them. */
#define KAN_LEDGER_OF_MEANS " (mean)" /* behind the name of a column that shows means of groups */

typedef struct kan_ledger_shown {
    const char *column;
    const kan_slice *texts;
    uint32_t n_texts;
    const uint32_t *codes; /* by tuple */
} kan_ledger_shown;

typedef struct kan_ledger_release {
    uint32_t number;   /* from 1; never given twice, unless it was abandoned. stage gives it */
    bool is_pending;   /* nobody has found it under its name; it counts all the same */
    int64_t when;      /* seconds since 1970 */
    const char *name;  /* where it was written to, as its user said it */
    const char *place; /* the same as an absolute path; "": it is no file that can be looked for */
    const char *content;  /* SHA-256 of its bytes, 64 digits; "" where there is no place */
    const char *job;      /* the job file; "": none */
    const char *settings; /* a digest of all that was asked for */
    uint64_t k;           /* what was promised */
    uint64_t n_rows;      /* that it has */
    uint64_t n_people;    /* that are in it; stage counts them */
    uint32_t n_groups;    /* of people */
    const kan_ledger_shown *shown;
    uint32_t n_shown; /* columns */
    uint32_t n_tuples;
} kan_ledger_release;

size_t kan_ledger_n_releases(const kan_ledger *ledger);
/* In the order in which they were made. Borrowed. */
const kan_ledger_release *kan_ledger_release_at(const kan_ledger *ledger, size_t index);

/* ---- people --------------------------------------------------------------------------------- */

typedef struct kan_ledger_mark {
    uint8_t bytes[16];
} kan_ledger_mark;

/* What stands for each of these people: SipHash-2-4 of 128 bits under a key that follows from the file and is
 * used for nothing else. On all threads. */
KAN_MUST_USE kan_status kan_ledger_make_marks(const kan_ledger *ledger, const kan_slice *ids,
                                              size_t n, kan_ledger_mark *out);

/* The records as they stand there, for a recount of its own: the mark of each person, in ascending order, and
 * in the same order which group of a release each was in, from 1; 0: she was not in it. Borrowed. */
const kan_ledger_mark *kan_ledger_marks(const kan_ledger *ledger);
const uint32_t *kan_ledger_groups(const kan_ledger *ledger, size_t release);

/* Who looks the same to somebody who has all earlier releases and knows who took part in which: people who were
 * in the same ones, and in the same group in each. Class 0 are those who were in none; the others
 * are in the order of their groups in the first release, then in the second, and so on, so that
 * numbers follow from the ledger alone. All classes of the ledger are here, also those with nobody
 * left. */
typedef struct kan_ledger_classes {
    uint32_t n;
    size_t n_releases;
    uint32_t *of_person; /* by mark, in the order in which they were handed in */
    uint64_t *n_here;    /* people of the class who are among the marks */
    uint64_t *n_gone;    /* people of the class who are not; 0 for class 0 */
    /* class * n_releases + release: the group that all of it were in, from 1; 0: they were not in
       that release. */
    uint32_t *groups;
} kan_ledger_classes;

/* The marks of all people of a table. KAN_BAD_INPUT where one occurs twice, or where there were
 * releases and none of these people was in any: that is another table's ledger. */
KAN_MUST_USE kan_status kan_ledger_find_classes(const kan_ledger *ledger,
                                                const kan_ledger_mark *marks, size_t n,
                                                kan_ledger_classes *out);
void kan_ledger_classes_destroy(kan_run *run, kan_ledger_classes *classes);

/* ---- a new release -------------------------------------------------------------------------- */

/* Adds the release to the file, as pending: the last step before it gets its name. People in it, and the
 * group of each, from 0. Nothing is kept of the facts that are handed in; the file is synced. After
 * a failure the file is as it was. */
KAN_MUST_USE kan_status kan_ledger_stage(kan_ledger *ledger, const kan_ledger_release *facts,
                                         const kan_ledger_mark *marks, const uint32_t *groups,
                                         size_t n);
/* The release has its name: it is settled. What fails here is a note alone: the release is out, and
 * whoever opens the ledger next finds it under its name. */
void kan_ledger_commit(kan_ledger *ledger);
/* The release could not be named, and nobody has it: the ledger is as it was before stage. Where that fails, it
 * stays pending, and a note says so. The run's error stays what it was. */
void kan_ledger_abandon(kan_ledger *ledger);

/* Removes one release from the file: one that nobody was ever given. Its number is not given again.
 * KAN_BAD_INPUT where its file still stands at its place. Nothing but close may follow. */
KAN_MUST_USE kan_status kan_ledger_forget(kan_ledger *ledger, size_t index);

#endif
