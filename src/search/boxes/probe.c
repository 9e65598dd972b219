/* Looking at single nodes: see probe.h. */
#include "search/boxes/probe.h"

#include <string.h>

#include "search/boxes/group_sums.h"

/* Whether the promise looks at people of the population. */
static bool needs_people(const kan_promise *promise) {
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind->needs_people)
            return true;
    return false;
}

/* Whether every group passes or fails by its size and its people in the population, or, by the sizes of
 * all, for the whole table. Groups of one size are told apart by their values, which a joint set does not
 * have as the table has. */
static bool checks_sizes(const kan_question *question) {
    const kan_promise *promise = question->promise;
    const kan_population *population = question->problem->population;
    if (promise->size_decides || promise->needs_tallies || question->problem->has_person ||
        promise->subsets)
        return false;
    if (needs_people(promise))
        return !promise->is_of_table && population && population->has_joint;
    for (unsigned m = 0; m < promise->n_models; m++)
        if (!promise->models[m].kind->size_decides && !promise->models[m].kind->holds)
            return false;
    return true;
}

bool kan_probe_wants_sets(const kan_question *question) {
    const kan_promise *promise = question->promise;
    return !(promise->size_decides || kan_stayers_fit(question->problem, promise) ||
             checks_sizes(question)) ||
           question->objective->kind->needs_class || question->objective->kind->of_rows;
}

kan_status kan_probe_init(kan_probe *probe, const kan_question *question) {
    const kan_cost_kind *cost = question->objective->kind;
    *probe = (kan_probe){
        .run = question->problem->run, .question = question, .space = &question->problem->space};
    probe->needs_sets = kan_probe_wants_sets(question);
    probe->counts_people = !probe->needs_sets && question->problem->has_person;
    probe->checks_sizes = !probe->needs_sets && checks_sizes(question);
    probe->joins = probe->checks_sizes && needs_people(question->promise);
    if (probe->joins)
        probe->space = &question->problem->population->space;
    kan_tuple_groups_init(&probe->members, probe->space);
    const bool is_by_losses =
        (cost->needs_loss && cost->bound_is_by_levels) || cost->shape == KAN_SHAPE_NUMBER;
    probe->splits = is_by_losses && !probe->needs_sets && !probe->counts_people &&
                    !probe->checks_sizes && kan_probe_bounds_losses(question);
    kan_judge_init(&probe->judge, question);
    kan_sizes_init(&probe->sizes, probe->space);
    kan_tallies_init(&probe->tallies, question->problem);
    kan_viewer_init(&probe->below, question->problem);
    return kan_workspace_create(probe->run, &probe->workspace);
}

static void free_matched(kan_run *run, struct kan_probe_matched *matched) {
    kan_free(run, matched->count);
    kan_free(run, matched->people);
    kan_free(run, matched->is_released);
}

void kan_probe_destroy(kan_probe *probe) {
    if (!probe->question)
        return;
    free_matched(probe->run, &probe->matched);
    free_matched(probe->run, &probe->matched_below);
    kan_tuple_groups_destroy(&probe->members);
    kan_free(probe->run, probe->member_counts);
    kan_judge_destroy(&probe->judge);
    kan_viewer_destroy(&probe->below);
    kan_strict_destroy(&probe->strict);
    kan_tallies_destroy(&probe->tallies);
    kan_workspace_destroy(probe->workspace);
    kan_sizes_destroy(&probe->sizes);
    kan_stayers_destroy(&probe->stayers);
    kan_freqset_destroy(probe->run, &probe->scratch);
    kan_free(probe->run, probe->is_released);
}

/* ---- sets ----------------------------------------------------------------------------------- */

/* Attributes of few values first: those that are rolled up most often are at the end, where it is
 * cheapest. */
static void order_attributes(const kan_space *space, unsigned *order) {
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint32_t n = kan_dimension_groups(&space->dimensions[a], 0);
        unsigned at = a;
        for (; at > 0 && kan_dimension_groups(&space->dimensions[order[at - 1]], 0) > n; at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
}

kan_status kan_probe_scan(kan_probe *probe, const unsigned *levels, kan_freqset *out) {
    const kan_problem *problem = probe->question->problem;
    const kan_freqset *base = probe->joins ? &problem->population->joint : &problem->base;
    unsigned order[KAN_MAX_ATTRIBUTES], chosen[KAN_MAX_ATTRIBUTES];
    kan_layout to;
    order_attributes(probe->space, order);
    probe->effort.n_scans++;
    probe->effort.n_tuples += base->n;
    if (probe->needs_sets) { /* with the tails that are looked at */
        KAN_TRY(kan_question_base(probe->question, order, probe->workspace, &probe->scratch));
        return kan_freqset_rollup(probe->space, &probe->scratch, levels, probe->workspace, out);
    }
    for (unsigned i = 0; i < probe->space->n_attributes; i++)
        chosen[i] = levels[order[i]];
    kan_layout_make(probe->space, order, chosen, probe->space->n_attributes, &to);
    return kan_freqset_regroup(probe->space, base, &to, KAN_KERNEL_AUTO, probe->workspace, out);
}

kan_status kan_probe_make_crowd(kan_probe *probe, kan_crowd *crowd) {
    unsigned order[KAN_MAX_ATTRIBUTES];
    KAN_ASSERT(probe->counts_people);
    order_attributes(probe->space, order);
    KAN_TRY(kan_question_base(probe->question, order, probe->workspace, &probe->scratch));
    return kan_crowd_make(crowd, probe->question->problem, &probe->scratch, probe->workspace);
}

kan_status kan_probe_use_crowd(kan_probe *probe, const kan_crowd *crowd) {
    return kan_stayers_init(&probe->stayers, probe->question->problem, probe->question->promise,
                            crowd);
}

kan_status kan_probe_be_strict(kan_probe *probe, const kan_question *strict) {
    return kan_strict_init(&probe->strict, strict, probe->workspace);
}

/* Where one attribute has changed and few bits are loose below it, fields stay where they are,
 * which is the quickest map; else keys are packed anew. */
static kan_status roll_up(kan_probe *probe, const kan_freqset *from, const unsigned *levels,
                          kan_freqset *out) {
    enum { FEW_BITS = 18 };
    unsigned changed = 0, n_changed = 0, loose_bits = 0;
    for (unsigned f = 0; f < from->layout.n_fields; f++) {
        const kan_key_field *field = &from->layout.fields[f];
        if (n_changed > 0)
            loose_bits += field->bits;
        if (field->dimension < probe->space->n_attributes &&
            levels[field->dimension] != field->level) {
            changed = field->dimension;
            n_changed++;
        }
    }
    if (n_changed != 1 || from->layout.n_words > 1 || loose_bits > FEW_BITS)
        return kan_freqset_rollup(probe->space, from, levels, probe->workspace, out);
    kan_layout to;
    kan_layout_keep(&from->layout, changed, levels[changed], &to);
    return kan_freqset_regroup(probe->space, from, &to, KAN_KERNEL_AUTO, probe->workspace, out);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* What fails when a group's size decides. The flags of released groups are left for later. */
static void count_small(const kan_probe *probe, kan_groups *groups) {
    const kan_small_groups small =
        kan_small_groups_of(probe->workspace, groups, probe->question->promise->least_size);
    groups->n_suppressed = groups->n_left_out = small.n_rows;
    groups->n_released_groups = groups->n_groups - small.n;
}

/* The groups of a joint set, or of its sizes, that rows of the table are in, checked. */
static kan_status match_groups(kan_probe *probe, const uint64_t *counts, size_t n,
                               struct kan_probe_matched *matched, kan_groups *groups) {
    kan_run *run = probe->run;
    size_t n_groups = 0;
    KAN_TRY(kan_reserve(run, n + 1, sizeof *matched->count, &matched->count_room, &matched->count));
    KAN_TRY(
        kan_reserve(run, n + 1, sizeof *matched->people, &matched->people_room, &matched->people));
    KAN_TRY(kan_reserve(run, n + 1, 1, &matched->flag_room, &matched->is_released));
    for (size_t i = 0; i < n; i++) {
        matched->count[n_groups] = kan_joint_rows(counts[i]);
        matched->people[n_groups] = kan_joint_people(counts[i]);
        n_groups += matched->count[n_groups] > 0;
    }
    matched->edition++;
    groups->n_groups = n_groups;
    groups->n_rows = probe->question->problem->n_rows;
    groups->count = matched->count;
    groups->people = matched->people;
    kan_groups_borrow(groups, &matched->edition);
    kan_promise_check(probe->question->promise, groups, matched->is_released);
    return KAN_OK;
}

static kan_status match_set(kan_probe *probe, const kan_freqset *set,
                            struct kan_probe_matched *matched, kan_groups *out) {
    memset(matched->levels, 0, sizeof matched->levels);
    for (unsigned f = 0; f < set->layout.n_fields; f++)
        matched->levels[set->layout.fields[f].dimension] = set->layout.fields[f].level;
    *out = (kan_groups){.levels = matched->levels};
    return match_groups(probe, set->counts, set->n, matched, out);
}

static kan_status check_sizes(kan_probe *probe, kan_groups *groups) {
    KAN_TRY(
        kan_reserve(probe->run, groups->n_groups + 1, 1, &probe->flag_room, &probe->is_released));
    kan_promise_check(probe->question->promise, groups, probe->is_released);
    return KAN_OK;
}

/* What a node leaves out, where sets are not needed. */
static kan_status count_failing(kan_probe *probe, kan_groups *groups) {
    const uint64_t limit = probe->question->promise->limit;
    if (probe->checks_sizes)
        return check_sizes(probe, groups);
    if (probe->counts_people)
        return kan_stayers_check(&probe->stayers, probe->counts_all ? UINT64_MAX : limit, groups);
    count_small(probe, groups);
    return KAN_OK;
}

static kan_status flag_groups(kan_probe *probe, kan_groups *groups) {
    if (groups->is_released || groups->n_suppressed == 0 || !groups->count)
        return KAN_OK;
    KAN_TRY(kan_reserve(probe->run, groups->n_groups, 1, &probe->flag_room, &probe->is_released));
    kan_promise_check(probe->question->promise, groups, probe->is_released);
    return KAN_OK;
}

/* What fails by k alone is less than what fails: only a strict look tells that. */
static void note_failing(kan_probe *probe, uint64_t n_failing) {
    if (n_failing < probe->judge.least_suppressed)
        probe->judge.least_suppressed = n_failing;
}

kan_status kan_probe_see(kan_probe *probe, const kan_freqset *set, kan_groups *out) {
    probe->edition++;
    if (probe->needs_sets) {
        KAN_TRY(kan_judge_see(&probe->judge, set, out));
    } else if (probe->joins) {
        KAN_TRY(match_set(probe, set, &probe->matched, out));
    } else {
        KAN_TRY(kan_viewer_groups(&probe->judge.viewer, set, out));
        KAN_TRY(count_failing(probe, out));
    }
    kan_groups_borrow(out, &probe->edition);
    if (!probe->strict.question)
        note_failing(probe, out->n_left_out);
    return KAN_OK;
}

kan_status kan_probe_see_below(kan_probe *probe, const kan_freqset *set, kan_groups *out) {
    KAN_ASSERT(!probe->question->problem->has_person);
    if (probe->joins) {
        KAN_TRY(match_set(probe, set, &probe->matched_below, out));
        if (!probe->strict.question)
            note_failing(probe, out->n_left_out);
        return KAN_OK;
    }
    if (probe->question->promise->subsets) {
        KAN_TRY(kan_leavers_see(&probe->judge.leavers, probe->question->promise, set, &probe->below,
                                out));
        note_failing(probe, out->n_left_out);
        return KAN_OK;
    }
    KAN_TRY(kan_viewer_groups(&probe->below, set, out));
    if (probe->needs_sets || probe->checks_sizes)
        kan_promise_check(probe->question->promise, out, probe->below.is_released);
    else
        count_small(probe, out);
    if (!probe->strict.question)
        note_failing(probe, out->n_left_out);
    return KAN_OK;
}

/* The sizes that were counted, as groups. */
static kan_status see_sizes(kan_probe *probe, const unsigned *levels, kan_groups *groups) {
    *groups = (kan_groups){.n_groups = probe->sizes.n,
                           .n_rows = probe->question->problem->n_rows,
                           .count = probe->sizes.counts,
                           .levels = levels};
    probe->edition++;
    kan_groups_borrow(groups, &probe->edition);
    kan_groups_borrow(groups, &probe->sizes.edition);
    if (probe->joins)
        KAN_TRY(match_groups(probe, probe->sizes.counts, probe->sizes.n, &probe->matched, groups));
    else
        KAN_TRY(count_failing(probe, groups));
    if (!probe->strict.question)
        note_failing(probe, groups->n_left_out);
    return KAN_OK;
}

/* The groups of a node without its set. Where the cost looks at levels or at how many groups there are,
 * and at what is lost, and k alone says what that is, it is only asked which groups are small. */
static kan_status see_node(kan_probe *probe, const kan_freqset *from, const unsigned *levels,
                           kan_groups *out) {
    const kan_question *question = probe->question;
    bool fits = probe->splits;
    if (fits)
        KAN_TRY(kan_sizes_split(&probe->sizes, from, levels, question->promise->least_size, &fits));
    if (!fits) {
        KAN_TRY(kan_sizes_count(&probe->sizes, from, levels, probe->workspace));
        return see_sizes(probe, levels, out);
    }
    *out = (kan_groups){.n_groups = probe->sizes.n_small + probe->sizes.n_large,
                        .n_rows = question->problem->n_rows,
                        .levels = levels,
                        .n_released_groups = probe->sizes.n_large,
                        .n_suppressed = probe->sizes.n_small_rows,
                        .n_left_out = probe->sizes.n_small_rows};
    probe->edition++;
    kan_groups_borrow(out, &probe->edition);
    if (!probe->strict.question)
        note_failing(probe, out->n_left_out);
    return KAN_OK;
}

kan_status kan_probe_look(kan_probe *probe, const kan_freqset *from, const unsigned *levels,
                          kan_freqset *made, kan_groups *out) {
    probe->n_checked++;
    probe->effort.n_rollups++;
    probe->effort.n_tuples += from->n;
    if (made || probe->needs_sets) {
        kan_freqset *set = made ? made : &probe->scratch;
        KAN_TRY(roll_up(probe, from, levels, set));
        return kan_probe_see(probe, set, out);
    }
    return see_node(probe, from, levels, out);
}

static kan_status check_strictly(kan_probe *probe, const kan_freqset *from,
                                 const unsigned *levels) {
    kan_strict *strict = &probe->strict;
    const uint64_t enough =
        strict->is_monotone ? kan_judge_enough(&probe->judge) : strict->question->promise->limit;
    if (kan_strict_has(strict, levels))
        return KAN_OK;
    KAN_TRY(kan_strict_check(strict, from, levels, enough, &probe->effort));
    note_failing(probe, strict->n_failing);
    return KAN_OK;
}

/* A corner must be looked at where the promise is monotone. Elsewhere that pays where nodes that k
 * alone would take break the promise, or lose so much that they cost too much. */
static bool looks_early(const kan_probe *probe) {
    const kan_strict *strict = &probe->strict;
    return strict->question && strict->looks_early &&
           (strict->is_monotone || strict->n_broken > strict->n_kept);
}

kan_status kan_probe_look_strictly(kan_probe *probe, const kan_freqset *from, kan_groups *groups) {
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    KAN_ASSERT(kan_groups_is_fresh(groups));
    if (!looks_early(probe) ||
        (groups->n_left_out > probe->question->promise->limit && !probe->counts_all))
        return KAN_OK;
    memcpy(levels, groups->levels, probe->space->n_attributes * sizeof *levels);
    KAN_TRY(check_strictly(probe, from, levels));
    if (probe->strict.n_least > groups->n_left_out)
        groups->n_left_out = probe->strict.n_least;
    return KAN_OK;
}

kan_status kan_probe_climb(kan_probe *probe, const kan_freqset *from, unsigned *levels,
                           unsigned attribute, unsigned most, kan_groups *out) {
    const uint64_t limit = probe->question->promise->limit;
    if (probe->needs_sets) {
        KAN_TRY(kan_probe_look(probe, from, levels, NULL, out));
        while (out->n_left_out > limit && levels[attribute] < most) {
            levels[attribute]++;
            KAN_TRY(kan_probe_look(probe, from, levels, NULL, out));
        }
        return KAN_OK;
    }
    probe->n_checked++;
    probe->effort.n_rollups++;
    probe->effort.n_tuples += from->n;
    KAN_TRY(kan_sizes_begin(&probe->sizes, from, levels, attribute, probe->workspace));
    KAN_TRY(see_sizes(probe, levels, out));
    KAN_TRY(kan_probe_look_strictly(probe, from, out));
    while (out->n_left_out > limit && levels[attribute] < most) {
        levels[attribute]++;
        if (kan_sizes_climb(&probe->sizes, levels[attribute])) {
            probe->n_checked++;
            probe->effort.n_rollups++;
            KAN_TRY(see_sizes(probe, levels, out));
        } else {
            KAN_TRY(kan_probe_look(probe, from, levels, NULL, out));
        }
        KAN_TRY(kan_probe_look_strictly(probe, from, out));
    }
    return KAN_OK;
}

/* ---- costs ---------------------------------------------------------------------------------- */

bool kan_probe_bounds_losses(const kan_question *question) {
    const kan_promise *promise = question->promise;
    if (checks_sizes(question)) /* what is lost has fewer rows than what is spared */
        return question->objective->kind->shape == KAN_SHAPE_SIZES && promise->absorbs_any &&
               promise->spared_size < UINT64_MAX;
    return promise->size_decides && promise->n_models <= 1;
}

bool kan_probe_bound(const kan_probe *probe, const kan_groups *low, uint64_t n_failing,
                     kan_score *out) {
    const kan_objective *objective = probe->question->objective;
    if (!objective->kind->bound || !kan_judge_can_bound(&probe->judge, low))
        return false;
    kan_groups groups = *low;
    groups.spared_size = probe->checks_sizes ? probe->question->promise->spared_size : 0;
    *out = kan_bound_of(probe->workspace, objective, &groups,
                        kan_probe_bounds_losses(probe->question) ? n_failing : 0);
    return true;
}

/* Whether a node that loses so many rows, whichever they are, costs too much by its levels alone. */
static bool is_too_dear(const kan_probe *probe, const unsigned *levels, uint64_t n_lost) {
    const kan_groups bare = {.n_rows = probe->question->problem->n_rows, .levels = levels};
    uint8_t node[KAN_MAX_ATTRIBUTES] = {0};
    kan_score bound;
    for (unsigned a = 0; a < probe->space->n_attributes; a++)
        node[a] = (uint8_t)levels[a];
    return probe->question->objective->kind->bound_is_by_levels &&
           kan_probe_bound(probe, &bare, n_lost, &bound) &&
           kan_judge_is_hopeless(&probe->judge, &bound, node);
}

static kan_status measure_strictly(kan_probe *probe, const kan_freqset *from,
                                   const unsigned *levels) {
    KAN_TRY(check_strictly(probe, from, levels));
    if (probe->strict.n_failing > probe->strict.question->promise->limit)
        return KAN_OK;
    if (is_too_dear(probe, levels, probe->strict.n_failing))
        kan_strict_note_dear(&probe->strict);
    else
        kan_judge_measure_groups(&probe->judge, kan_strict_groups(&probe->strict));
    return KAN_OK;
}

/* What all rows gave up at these levels, and those that are left of so many. */
static void sum_loss(kan_probe *probe, const unsigned *levels, const kan_groups *groups) {
    for (unsigned a = 0; a < probe->space->n_attributes; a++)
        probe->loss[a] =
            (kan_cell_loss){.levels = (kan_u128)(groups->n_rows - groups->n_suppressed) * levels[a],
                            .share = probe->question->problem->share_sums[a][levels[a]]};
}

/* Takes away what the tuples that are listed gave up there. */
static void subtract_small(kan_probe *probe, const kan_freqset *from, const unsigned *levels) {
    const kan_sizes *sizes = &probe->sizes;
    for (unsigned f = 0; f < from->layout.n_fields; f++) {
        const kan_key_field *field = &from->layout.fields[f];
        const unsigned a = field->dimension;
        if (a >= probe->space->n_attributes)
            continue;
        const kan_dimension *dimension = &probe->space->dimensions[a];
        const uint32_t *group_of =
            levels[a] == field->level
                ? NULL
                : dimension->maps[field->level * (dimension->height + 1) + levels[a]];
        const uint64_t *shares = probe->question->problem->shares[a][levels[a]];
        kan_u128 sum = 0;
        for (size_t i = 0; i < sizes->n_small_tuples; i++) {
            const size_t tuple = sizes->small[i];
            const uint32_t value =
                kan_key_field_value(field, from->keys + tuple * from->layout.n_words);
            sum += (kan_u128)shares[group_of ? group_of[value] : value] * from->counts[tuple];
        }
        probe->loss[a].share -= sum;
    }
}

/* The same by all groups, where small ones cannot be listed. */
static kan_status find_loss_by_groups(kan_probe *probe, const kan_freqset *from,
                                      const unsigned *levels, kan_groups *groups, bool *is_found) {
    KAN_TRY(kan_tallies_count(&probe->tallies, from, levels, 0, probe->workspace, is_found));
    if (!*is_found)
        return KAN_OK;
    probe->effort.n_tuples += from->n;
    groups->n_groups = probe->tallies.n;
    groups->count = probe->tallies.counts;
    groups->is_released = NULL;
    kan_groups_borrow(groups, &probe->tallies.edition);
    KAN_TRY(flag_groups(probe, groups));
    kan_tallies_loss(&probe->tallies, groups, probe->loss);
    return KAN_OK;
}

/* The rows of each group of a joint set at a node, and whether it is released: in `members`, and in the
 * flags of `matched`. Groups without rows of the table are among them. */
static kan_status flag_members(kan_probe *probe, const kan_freqset *from, const unsigned *levels) {
    struct kan_probe_matched *matched = &probe->matched;
    KAN_TRY(kan_tuple_groups_find(&probe->members, from, levels));
    const size_t n = probe->members.n;
    KAN_TRY(kan_reserve(probe->run, n + 1, sizeof *probe->member_counts, &probe->member_room,
                        &probe->member_counts));
    KAN_TRY(kan_reserve(probe->run, n + 1, sizeof *matched->count, &matched->count_room,
                        &matched->count));
    KAN_TRY(kan_reserve(probe->run, n + 1, sizeof *matched->people, &matched->people_room,
                        &matched->people));
    KAN_TRY(kan_reserve(probe->run, n + 1, 1, &matched->flag_room, &matched->is_released));
    memset(probe->member_counts, 0, n * sizeof *probe->member_counts);
    for (size_t i = 0; i < from->n; i++)
        probe->member_counts[probe->members.group_of[i]] += from->counts[i];
    for (size_t g = 0; g < n; g++) {
        matched->count[g] = kan_joint_rows(probe->member_counts[g]);
        matched->people[g] = kan_joint_people(probe->member_counts[g]);
    }
    matched->edition++;
    kan_groups groups = {.n_groups = n,
                         .n_rows = probe->question->problem->n_rows,
                         .count = matched->count,
                         .people = matched->people};
    kan_groups_borrow(&groups, &matched->edition);
    kan_promise_check(probe->question->promise, &groups, matched->is_released);
    return KAN_OK;
}

/* Tuples with rows of the table that are suppressed take the place of the groups of all. */
static size_t list_suppressed(kan_probe *probe, const kan_freqset *from) {
    uint32_t *list = probe->members.group_of;
    size_t n = 0;
    for (size_t i = 0; i < from->n; i++) {
        const bool is_released = probe->matched.is_released[list[i]];
        list[n] = (uint32_t)i;
        n += !is_released && kan_joint_rows(from->counts[i]) > 0;
    }
    return n;
}

/* What these give up in one attribute; `field` is its in the joint set. */
static kan_u128 sum_shares(const kan_probe *probe, const kan_freqset *from, size_t n,
                           const kan_key_field *field, unsigned level) {
    const kan_problem *problem = probe->question->problem;
    const unsigned a = field->dimension;
    const kan_dimension *dimension = &probe->space->dimensions[a];
    const uint32_t *above = level == field->level
                                ? NULL
                                : dimension->maps[field->level * (dimension->height + 1) + level];
    const uint32_t *here = problem->population->maps[a][level];
    const uint64_t *shares = problem->shares[a][level];
    kan_u128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t tuple = probe->members.group_of[i];
        const uint32_t value =
            kan_key_field_value(field, from->keys + tuple * from->layout.n_words);
        sum += (kan_u128)shares[here[above ? above[value] : value]] *
               kan_joint_rows(from->counts[tuple]);
    }
    return sum;
}

/* What all rows give up, less what suppressed ones do. */
static kan_status find_joint_loss(kan_probe *probe, const kan_freqset *from, const unsigned *levels,
                                  kan_groups *groups) {
    const kan_groups known = *groups;
    KAN_TRY(flag_members(probe, from, levels));
    *groups = (kan_groups){.n_rows = known.n_rows,
                           .n_released_groups = known.n_released_groups,
                           .n_suppressed = known.n_suppressed,
                           .n_left_out = known.n_left_out,
                           .levels = known.levels,
                           .loss = probe->loss};
    sum_loss(probe, levels, groups);
    const size_t n = list_suppressed(probe, from);
    for (unsigned f = 0; f < from->layout.n_fields; f++) {
        const kan_key_field *field = &from->layout.fields[f];
        const unsigned a = field->dimension;
        probe->loss[a].share -= sum_shares(probe, from, n, field, levels[a]);
    }
    probe->effort.n_tuples += from->n;
    return KAN_OK;
}

/* What the cells lost, where that follows from levels and sizes: no set is made. Where k alone decides, it is
 * what all cells lose, less what those of small groups do. */
static kan_status find_loss(kan_probe *probe, const kan_freqset *from, const unsigned *levels,
                            kan_groups *groups, bool *is_found) {
    *is_found = !probe->question->objective->kind->needs_shares || groups->n_suppressed == 0;
    if (!*is_found && probe->joins) {
        *is_found = true;
        return find_joint_loss(probe, from, levels, groups);
    }
    if (!*is_found && probe->checks_sizes) /* which groups of one size leave, their set tells */
        return KAN_OK;
    if (!*is_found && probe->splits) {
        KAN_TRY(kan_sizes_list_small(&probe->sizes, from, levels,
                                     probe->question->promise->least_size, is_found));
        probe->effort.n_tuples += *is_found ? from->n : 0;
        if (!*is_found)
            probe->sizes.n_small_tuples = 0;
    } else {
        probe->sizes.n_small_tuples = 0;
    }
    if (*is_found) {
        sum_loss(probe, levels, groups);
        subtract_small(probe, from, levels);
    } else {
        KAN_TRY(find_loss_by_groups(probe, from, levels, groups, is_found));
        if (!*is_found)
            return KAN_OK;
    }
    groups->loss = probe->loss;
    return KAN_OK;
}

kan_status kan_probe_measure(kan_probe *probe, const kan_freqset *from, const kan_freqset *made,
                             kan_groups *groups) {
    const kan_question *question = probe->question;
    uint8_t node[KAN_MAX_ATTRIBUTES] = {0};
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    kan_score bound;
    bool satisfies;
    KAN_ASSERT(kan_groups_is_fresh(groups));
    if (groups->n_left_out > question->promise->limit)
        return KAN_OK;
    for (unsigned a = 0; a < probe->space->n_attributes; a++) {
        levels[a] = groups->levels[a];
        node[a] = (uint8_t)levels[a];
    }
    if (kan_probe_bound(probe, groups, groups->n_suppressed, &bound) &&
        kan_judge_is_hopeless(&probe->judge, &bound, node))
        return KAN_OK;
    if (probe->strict.question)
        return measure_strictly(probe, from, levels);
    if (probe->counts_people) {
        kan_stayers_keep(&probe->stayers, question->objective->kind->needs_loss, groups);
        kan_judge_measure_groups(&probe->judge, groups);
        return KAN_OK;
    }
    if (!probe->needs_sets) {
        bool is_measurable = !question->objective->kind->needs_loss;
        if (is_measurable)
            KAN_TRY(flag_groups(probe, groups));
        else
            KAN_TRY(find_loss(probe, from, levels, groups, &is_measurable));
        if (is_measurable) {
            kan_judge_measure_groups(&probe->judge, groups);
            return KAN_OK;
        }
    }
    KAN_ASSERT(!probe->joins);
    if (!made && !probe->needs_sets) {
        KAN_TRY(roll_up(probe, from, levels, &probe->scratch));
        probe->effort.n_tuples += from->n;
    }
    return kan_judge_node(&probe->judge, made ? made : &probe->scratch, &satisfies);
}
