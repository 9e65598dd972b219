/* `report`: the page of a result that --json wrote. What the page shows: report/report_page.h. */
#include <string.h>
#include <sys/stat.h>

#include "io/streams/streams.h"
#include "job/report/report_file.h"

enum { MOST_BYTES = 256 << 20 };

static kan_status not_json(const kan_stream *stream, const json_error_t *error) {
    char quoted[256];
    return kan_fail(stream->run, KAN_BAD_INPUT,
                    "%s:%d: this is not JSON: %s; name what kanon anonymize wrote with --json",
                    stream->name, error->line > 0 ? error->line : 1,
                    kan_quote(kan_slice_of(error->text), quoted));
}

/* Other commands have results of other kinds. */
static kan_status check_kind(const kan_stream *stream, const json_t *object) {
    const char *command = json_string_value(json_object_get(object, "command"));
    char quoted[256];
    if (!json_is_string(json_object_get(object, "kanon")) || !command)
        return kan_fail(
            stream->run, KAN_BAD_INPUT,
            "%s is JSON, but not a result of kanon; name what kanon anonymize wrote with "
            "--json",
            stream->name);
    if (json_is_array(json_object_get(object, "tables")))
        return kan_fail(stream->run, KAN_BAD_INPUT,
                        "%s is a result over several tables, whose report is made with the release "
                        "alone; run kanon %s again with --report FILE.html",
                        stream->name, kan_quote(kan_slice_of(command), quoted));
    if (json_is_object(json_object_get(object, "promise")))
        return kan_fail(stream->run, KAN_BAD_INPUT,
                        "%s is a result with --epsilon or --codes: a report with --epsilon is made "
                        "with the release alone, by --report FILE.html, and with --codes there is "
                        "none",
                        stream->name);
    if (strcmp(command, "anonymize") == 0 || strcmp(command, "search") == 0)
        return KAN_OK;
    return kan_fail(stream->run, KAN_BAD_INPUT,
                    "%s is a result of kanon %s, and there are reports of anonymize and search; "
                    "name a result of one of these",
                    stream->name, kan_quote(kan_slice_of(command), quoted));
}

static kan_status check_result(const kan_stream *stream, const json_t *object) {
    KAN_TRY(check_kind(stream, object));
    return kan_report_check(stream->run, stream->name, object);
}

static kan_status read_result(kan_run *run, const char *path, json_t **out) {
    kan_stream stream;
    json_error_t error;
    json_t *object = NULL;
    struct stat state;
    if (stat(path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: the file is empty; name what kanon anonymize wrote with --json", path);
    KAN_TRY(kan_stream_open(run, path, &stream));
    kan_status status = KAN_OK;
    if (stream.size > MOST_BYTES)
        status = kan_fail(run, KAN_BAD_INPUT,
                          "%s is too large to be a result; name what kanon anonymize wrote with "
                          "--json",
                          stream.name);
    if (status == KAN_OK) {
        object = json_loadb(stream.bytes, stream.size, 0, &error);
        if (object)
            status = check_result(&stream, object);
        else if (json_error_code(&error) == json_error_out_of_memory)
            status = kan_fail(run, KAN_FAILED, "out of memory while %s was read", stream.name);
        else
            status = not_json(&stream, &error);
    }
    kan_stream_close(&stream);
    if (status == KAN_OK)
        *out = object;
    else
        json_decref(object);
    return status;
}

/* What only an internal report has is never taken from a file: a result does not hold it. */
static void drop_internal(json_t *object) {
    (void)json_object_del(object, "internal");
}

static kan_status tell(const kan_job *job, const json_t *object, kan_result *out) {
    const char *input = kan_options_find(&job->options, "input");
    const char *output = kan_options_find(&job->options, "output");
    const bool is_whole = json_is_object(json_object_get(object, "report"));
    KAN_TRY(kan_result_set_json(out, json_pack("{s:s, s:s, s:{s:o}, s:{s:o, s:b}}", "kanon",
                                               KANON_VERSION, "command", "report", "input", "path",
                                               kan_json_text(input), "page", "path",
                                               kan_json_text(output), "whole", (int)is_whole)));
    kan_text_print(&out->summary, "%s \u2192 %s\n",
                   strcmp(input, "-") == 0 ? "standard input" : input,
                   strcmp(output, "-") == 0 ? "standard output" : output);
    if (!is_whole)
        kan_note(job->run,
                 "the result was made without --report: the page has no columns, groups and risk");
    return kan_text_status(&out->summary);
}

kan_status kan_walk_report(kan_job *job, kan_result *out) {
    kan_status status;
    json_t *object = NULL;
    kan_target *target = NULL;
    KAN_TRY_DONE(read_result(job->run, kan_options_find(&job->options, "input"), &object));
    drop_internal(object);
    KAN_TRY_DONE(kan_report_open(job->run, object, kan_options_find(&job->options, "output"),
                                 kan_options_switch(&job->options, "force"), &target));
    KAN_TRY_DONE(tell(job, object, out));
    KAN_TRY_DONE(kan_check_cancel(job->run));
    status = kan_target_commit(target);
done:
    kan_target_close(target);
    json_decref(object);
    return status;
}
