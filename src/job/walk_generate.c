/* `generate`: a synthetic table with its hierarchies. */
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "generate/generate.h"
#include "job/registry.h"
#include "job/result.h"

/* NAME.csv and NAME-hierarchies beside each other, unless the user says otherwise. */
static kan_status choose_paths(kan_job *job, const char *name, const char **table,
                               const char **hierarchies) {
    kan_text text;
    kan_status status = KAN_OK;
    kan_text_init(&text, job->run);
    *table = kan_options_find(&job->options, "output");
    *hierarchies = kan_options_find(&job->options, "hierarchies");
    if (!*table) {
        kan_text_print(&text, "%s.csv", name);
        KAN_TRY_DONE(kan_text_status(&text));
        KAN_TRY_DONE(kan_arena_copy(&job->arena, text.bytes, text.size, table));
    }
    if (!*hierarchies && strcmp(*table, "-") != 0) {
        const char *slash = strrchr(*table, '/');
        kan_text_destroy(&text);
        if (slash)
            kan_text_add(&text, *table, (size_t)(slash + 1 - *table));
        kan_text_print(&text, "%s-hierarchies", name);
        KAN_TRY_DONE(kan_text_status(&text));
        KAN_TRY_DONE(kan_arena_copy(&job->arena, text.bytes, text.size, hierarchies));
    }
done:
    kan_text_destroy(&text);
    return status;
}

static void write_summary(const kan_generator_kind *kind, const char *table,
                          const char *hierarchies, kan_text *text) {
    kan_text_print(text, "wrote %s%s%s\n", table, hierarchies ? " and its hierarchies in " : "",
                   hierarchies ? hierarchies : "");
    if (kind->suggestion && hierarchies)
        kan_text_print(text, "next: kanon anonymize %s --hierarchies %s %s -o release.csv\n", table,
                       hierarchies, kind->suggestion);
}

kan_status kan_walk_generate(kan_job *job, kan_result *out) {
    const char *name = kan_options_find(&job->options, "generator");
    const char *table, *hierarchies;
    const kan_kind *kind;
    if (!name)
        return kan_fail(job->run, KAN_BAD_INPUT, "which table? kanon list shows the generators");
    KAN_TRY(kan_registry_need(job->run, KAN_FAMILY_GENERATOR, name, &kind));
    const kan_generator_kind *generator = (const kan_generator_kind *)kind;
    KAN_TRY(choose_paths(job, name, &table, &hierarchies));
    bool made_dir = hierarchies && mkdir(hierarchies, 0777) == 0;
    if (hierarchies && !made_dir && errno != EEXIST)
        return kan_fail(job->run, KAN_FAILED, "%s: the directory cannot be made: %s", hierarchies,
                        strerror(errno));
    uint64_t rows = kan_options_count(&job->options, "rows", 0);
    uint64_t seed = kan_options_count(&job->options, "seed", 1);
    kan_status status = generator->generate(job->run, rows, seed, table, hierarchies,
                                            kan_options_switch(&job->options, "force"));
    if (status != KAN_OK) {
        /* Only a directory that this call made, and only while it is empty. */
        if (made_dir)
            (void)rmdir(hierarchies);
        return status;
    }
    out->holds = true;
    write_summary(generator, table, hierarchies, &out->summary);
    KAN_TRY(kan_text_status(&out->summary));
    return kan_result_set_json(
        out, json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s?}", "kanon", KANON_VERSION, "command",
                       "generate", "generator", name, "rows",
                       (json_int_t)(rows ? rows : generator->default_rows), "seed",
                       (json_int_t)seed, "path", table, "hierarchies", hierarchies));
}
