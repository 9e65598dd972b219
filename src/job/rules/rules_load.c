/* What settings say of a rule. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/wording.h"
#include "job/rules/rules.h"

kan_status kan_rules_read_bytes(kan_run *run, const char *path, const char *what, kan_text *out) {
    char block[4096];
    FILE *file = fopen(path, "rb");
    if (!file)
        return kan_fail(run, errno == ENOENT || errno == ENOTDIR ? KAN_BAD_INPUT : KAN_FAILED,
                        "%s: %s; check the name of the %s", path, strerror(errno), what);
    size_t size;
    kan_status status = KAN_OK;
    while (status == KAN_OK && (size = fread(block, 1, sizeof block, file)) > 0) {
        kan_text_add(out, block, size);
        status = kan_text_status(out);
        if (status == KAN_OK && out->size > KAN_JOB_FILE_BYTES)
            status = kan_fail(run, KAN_BAD_INPUT, "%s: larger than 1 MiB; is it a %s?", path, what);
    }
    if (status == KAN_OK && ferror(file))
        status = kan_fail(run, errno == EISDIR ? KAN_BAD_INPUT : KAN_FAILED, "%s: %s", path,
                          strerror(errno));
    fclose(file);
    return status;
}

static kan_status read_areas(kan_rules *r) {
    const char *path = kan_options_find(&r->job->options, "zip-areas");
    kan_status status;
    kan_text text;
    kan_zip_areas_shipped(&r->areas);
    if (!path)
        return KAN_OK;
    kan_text_init(&text, r->run);
    status = kan_rules_read_bytes(r->run, path, "list of areas", &text);
    if (status == KAN_OK)
        status = kan_zip_areas_read(r->run, path,
                                    (kan_slice){text.size ? text.bytes : "", text.size}, &r->areas);
    kan_text_destroy(&text);
    return status;
}

static kan_status read_release_date(kan_rules *r) {
    const char *date = kan_options_find(&r->job->options, "release-date");
    kan_date day;
    if (!date)
        return KAN_OK;
    if (!kan_date_parse(kan_slice_of(date), &day) || strlen(date) != 10 || day.year < 1900)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "--release-date %s is no day; write it as 2026-03-31", date);
    r->release_date = date;
    r->release_year = day.year;
    return KAN_OK;
}

static kan_status read_rule(kan_rules *r, const char *name) {
    char known[256];
    kan_name_list list = kan_names_begin(known, sizeof known, 0);
    const kan_rule *rule = kan_rule_find(name);
    r->is_file = !kan_setting_is_plain_name(name);
    if (r->is_file)
        return kan_rule_file_read(r->job, name, &r->rule);
    if (rule) {
        r->rule = *rule;
        return KAN_OK;
    }
    for (size_t i = 0; (rule = kan_rule_at(i)); i++)
        kan_names_add(&list, rule->name);
    return kan_fail(r->run, KAN_BAD_INPUT,
                    "--rules %s is no rule; there are %s, and files, such as ./%s.yaml", name,
                    kan_names_end(&list), name);
}

kan_status kan_rules_begin(kan_job *job, kan_rules *out) {
    const char *name = kan_options_find(&job->options, "rules");
    *out = (kan_rules){.job = job, .run = job->run, .start_ms = kan_now_ms()};
    KAN_TRY(read_rule(out, name));
    out->has_promise = out->rule.promise[0].setting != NULL;
    KAN_TRY(read_release_date(out));
    return read_areas(out);
}

void kan_rules_end(kan_rules *r) {
    if (r->has_beside)
        kan_beside_destroy(&r->beside);
    json_decref(r->recount);
    kan_free(r->run, r->profiles);
    kan_free(r->run, r->columns);
    kan_free(r->run, r->decided);
    kan_input_close(&r->input);
}

const char *kan_rules_status_word(kan_rules_status status) {
    return status == KAN_RULES_SATISFIED   ? "satisfied"
           : status == KAN_RULES_UNCHECKED ? "not checked"
                                           : "not satisfied";
}
