/* The file of --nodes: a line for every node of the lattice, or for those that cost least, with what
 * each would release and why it fails. Its figures are those of all rows: it is for those who may see the table. */
#ifndef KANON_JOB_RELEASE_NODES_FILE_H
#define KANON_JOB_RELEASE_NODES_FILE_H

#include "io/streams/streams.h"
#include "job/outcome/outcome.h"

/* KAN_BAD_INPUT when the job asks for it and it cannot be made. To be called before the search. */
KAN_MUST_USE kan_status kan_nodes_file_is_possible(const kan_setup *setup);

/* Makes the file that the job asks for, and writes it beside its target: kan_target_commit is what
 * is left to do. *out is NULL when none is asked for. When time is up, or somebody interrupts, the
 * file has what there is by then. */
KAN_MUST_USE kan_status kan_nodes_file_write(const kan_setup *setup, kan_nodes_listed *listed,
                                             kan_target **out);

/* The last step, and a line in the summary; nothing when there is no such file. */
KAN_MUST_USE kan_status kan_nodes_file_commit(const kan_setup *setup,
                                              const kan_nodes_listed *listed, kan_target *target,
                                              kan_result *result);

#endif
