/* `hierarchy-convert`: columns to a tree, and a tree to columns. */
#include <string.h>

#include "core/signs.h"
#include "io/side_files/side_files.h"
#include "io/streams/streams.h"
#include "job/hierarchies/hierarchy_inside.h"
#include "job/tell/tell.h"

/* The name of the target decides; where it says nothing, the other form than that of the file. */
static bool wants_text(const char *output, const kan_hierarchy_lines *lines) {
    if (kan_hierarchy_is_text_name(output))
        return true;
    if (kan_ends_with(output, ".csv"))
        return false;
    return !lines->is_taxonomy;
}

static kan_status write_result(const char *path, const char *output, bool is_text,
                               const kan_hierarchy_tree *tree, kan_result *out) {
    char count[32];
    const uint32_t n = tree->levels[0].n;
    if (strcmp(output, "-") != 0) {
        kan_text_print(&out->summary, "wrote %s as %s: %s value%s, %u level%s\n", output,
                       is_text ? "a tree" : "columns", kan_count_text(n, count), n == 1 ? "" : "s",
                       tree->height, tree->height == 1 ? "" : "s");
        kan_text_print(&out->summary, "next: kanon hierarchy %s ", is_text ? "show" : "check");
        kan_words_add_shell(&out->summary, output);
        kan_text_print(&out->summary, "\n");
    }
    KAN_TRY(kan_text_status(&out->summary));
    return kan_result_set_json(
        out, json_pack("{s:s, s:s, s:o, s:o, s:s, s:o}", "kanon", KANON_VERSION, "command",
                       "hierarchy-convert", "hierarchy", kan_json_text(path), "path",
                       kan_json_text(output), "form", is_text ? "tree" : "columns", "levels",
                       kan_hierarchy_levels_json(tree)));
}

static kan_status convert(kan_job *job, const char *path, const char *output,
                          kan_known_hierarchy *known, kan_text *text, kan_target **target,
                          kan_result *out) {
    KAN_TRY(kan_target_open(job->run, output, kan_options_switch(&job->options, "force"),
                            KAN_TARGET_SHARED, target));
    kan_problems_begin(job->run);
    const kan_status status = kan_known_hierarchy_load(job->run, path, NULL, known);
    if (status != KAN_OK && kan_problems_count(job->run) == 0)
        return status;
    KAN_TRY(kan_problems_end(job->run));
    const bool is_text = wants_text(output, known->lines);
    KAN_TRY(is_text ? kan_taxonomy_compose(known->tree, text)
                    : kan_hierarchy_compose(known->tree, text));
    KAN_TRY(kan_target_write(*target, text->bytes, text->size));
    KAN_TRY(kan_target_finish(*target));
    KAN_TRY(write_result(path, output, is_text, known->tree, out));
    KAN_TRY(kan_check_cancel(job->run));
    KAN_TRY(kan_target_sync(*target));
    return kan_target_commit(*target);
}

kan_status kan_walk_hierarchy_convert(kan_job *job, kan_result *out) {
    kan_known_hierarchy known = {0};
    kan_target *target = NULL;
    kan_text text;
    kan_text_init(&text, job->run);
    const kan_status status =
        convert(job, kan_options_find(&job->options, "hierarchy"),
                kan_options_find(&job->options, "output"), &known, &text, &target, out);
    kan_target_close(target);
    kan_text_destroy(&text);
    kan_known_hierarchy_destroy(job->run, &known);
    return status;
}
