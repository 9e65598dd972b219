/* Where a release goes: the kind of sink that settings name. */
#ifndef KANON_JOB_INPUT_TABLE_OUTPUT_H
#define KANON_JOB_INPUT_TABLE_OUTPUT_H

#include "engine/engine.h"
#include "io/arrow/arrow.h"
#include "io/sink.h"
#include "job/input/table_input.h"

/* Whether the release is made by the engine that has the rows: --output is an address, or a file
 * that the engine of --engine writes. */
bool kan_output_is_engine(const kan_job *job);
/* Whether it is made as statements, of counts (--emit). */
bool kan_output_is_script(const kan_job *job);
/* Whether the release is asked for as Arrow, in memory. */
bool kan_output_is_arrow(const kan_job *job);
/* The kind of --output-format, else what the ending of --output tells, else CSV; NULL where no
 * release is asked for, or an engine makes it. */
const kan_sink_kind *kan_output_kind(const kan_job *job);
/* KAN_BAD_INPUT where the ending of --output promises a kind of file that is not written, or the
 * release would be made by an engine that does not have the rows. */
KAN_MUST_USE kan_status kan_output_check(const kan_job *job);
/* The same of a path that another setting names: what its ending tells, else CSV. */
const kan_sink_kind *kan_output_kind_of(const char *path);
KAN_MUST_USE kan_status kan_output_check_path(kan_run *run, const char *setting, const char *path);
/* Whether the release is of the kind of the input, so that fields can be written as they are. */
bool kan_output_is_alike(const kan_job *job, const kan_input *input);
/* Whether columns that pass through can be taken from the input's rows again when the release is
 * written; else they are read as they are. */
bool kan_output_passes(const kan_job *job, const kan_input *input);

/* Whether this one can, where others can. */
bool kan_output_passes_column(const kan_job *job, const kan_input *input, size_t column);

/* The engine that has the rows of an input; NULL: they are read. */
kan_engine *kan_input_engine(const kan_input *input);
/* Before the rows are counted: where an engine makes the release, whether it can. `divides`: rows
 * that have the same values will be divided. */
KAN_MUST_USE kan_status kan_output_prepare(const kan_job *job, const kan_input *input,
                                           bool divides);

#endif
