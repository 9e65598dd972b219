/* Columns and labels, from what a child says of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/stat/stat_source.h"

/* ---- frames --------------------------------------------------------------------------------- */

kan_status kan_stat_fail_damaged(const kan_stat_source *source, const char *what) {
    return kan_fail(source->run, KAN_BAD_INPUT,
                    "%s: the file is damaged, or not a %s file: %s; get it again from its source, "
                    "or export it as CSV",
                    source->stream.name, source->ending, what);
}

static kan_status fail_ended(const kan_stat_source *source, kan_stat_feed *feed) {
    const char *cause;
    KAN_TRY(feed->end(feed->from, &cause));
    if (!cause)
        return kan_stat_fail_damaged(source, "it ends too early");
    return kan_fail(source->run, KAN_BAD_INPUT,
                    "%s: the file is damaged: the reader of %s files %s; get it again from its "
                    "source, or export it as CSV",
                    source->stream.name, source->ending, cause);
}

/* What a child says is shown to people: plain and short. */
static kan_status fail_fault(const kan_stat_source *source, kan_stat_cursor *content) {
    const uint64_t row = kan_stat_take_u64(content);
    const uint32_t column = kan_stat_take_u32(content);
    const kan_slice what = kan_stat_take_text(content);
    char place[400] = "", text[512];
    const int size = what.size < sizeof text - 1 ? (int)what.size : (int)sizeof text - 1;
    if (content->is_broken)
        return kan_stat_fail_damaged(source, "its reader gave an answer that cannot be understood");
    (void)snprintf(text, sizeof text, "%.*s", size, what.bytes);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            *at = '?';
    if (row > 0 && source->names && column < source->n_columns)
        (void)snprintf(place, sizeof place, "row %llu, column '%.200s': ", (unsigned long long)row,
                       source->names[column]);
    else if (row > 0)
        (void)snprintf(place, sizeof place, "row %llu: ", (unsigned long long)row);
    char both[1024];
    (void)snprintf(both, sizeof both, "%s%s", place, text);
    return kan_stat_fail_damaged(source, both);
}

static kan_status take_bytes(kan_stat_source *source, kan_stat_feed *feed, void *bytes,
                             size_t size) {
    size_t n;
    KAN_TRY(feed->take(feed->from, bytes, size, &n));
    return n == size ? KAN_OK : fail_ended(source, feed);
}

kan_status kan_stat_next_frame(kan_stat_source *source, kan_stat_feed *feed, kan_stat_frame *kind,
                               kan_stat_cursor *content) {
    kan_stat_header header;
    *kind = KAN_STAT_FAULT;
    KAN_TRY(take_bytes(source, feed, &header, sizeof header));
    if (header.size > KAN_STAT_FRAME_MOST || header.kind < KAN_STAT_SHAPE ||
        header.kind > KAN_STAT_FAULT)
        return kan_stat_fail_damaged(source, "its reader gave an answer that cannot be understood");
    KAN_TRY(kan_reserve(source->run, (size_t)header.size + 1, 1, &feed->capacity, &feed->frame));
    KAN_TRY(take_bytes(source, feed, feed->frame, header.size));
    *kind = (kan_stat_frame)header.kind;
    *content = (kan_stat_cursor){.at = feed->frame, .left = header.size};
    return *kind == KAN_STAT_FAULT ? fail_fault(source, content) : KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* What was said of one column or label, until all of them are known. */
typedef struct {
    kan_stat_label *labels; /* in the arena, as their texts are */
    size_t n_labels, label_capacity;
    kan_slice *sets; /* by column */
    size_t set_capacity, column_capacity;
} stat_said;

static kan_status check_text(const kan_stat_source *source, kan_slice text, const char *what) {
    char quoted[256];
    for (size_t at = 0, n; at < text.size; at += n) {
        n = kan_utf8_length(text.bytes + at, text.size - at);
        if (n == 0 || text.bytes[at] == '\0')
            return kan_fail(source->run, KAN_BAD_INPUT,
                            "%s: %s %s is not in the encoding that the file states; name the right "
                            "one with --encoding, such as windows-1252",
                            source->stream.name, what, kan_quote(text, quoted));
    }
    return KAN_OK;
}

static kan_status copy(kan_stat_source *source, kan_slice text, const char *what, kan_slice *out) {
    const char *bytes;
    KAN_TRY(check_text(source, text, what));
    KAN_TRY(kan_arena_copy(&source->arena, text.bytes, text.size, &bytes));
    *out = (kan_slice){bytes, text.size};
    return KAN_OK;
}

/* NULL where there is nothing. */
static kan_status copy_some(kan_stat_source *source, kan_slice text, const char *what,
                            const char **out) {
    kan_slice made;
    *out = NULL;
    if (text.size == 0)
        return KAN_OK;
    KAN_TRY(copy(source, text, what, &made));
    *out = made.bytes;
    return KAN_OK;
}

/* Numbers of another size than usual are written so again (stat_sink.c). */
static const char *family_of(kan_stat_vendor vendor, kan_stat_storage storage) {
    static const char *const stata[KAN_STAT_N_STORAGES] = {
        [KAN_STAT_STRING] = "stata",      [KAN_STAT_INT8] = "stata:byte",
        [KAN_STAT_INT16] = "stata:int",   [KAN_STAT_INT32] = "stata:long",
        [KAN_STAT_FLOAT] = "stata:float", [KAN_STAT_DOUBLE] = "stata",
        [KAN_STAT_DECIMAL] = "stata"};
    return vendor == KAN_STAT_SPSS ? "spss" : vendor == KAN_STAT_SAS ? "sas" : stata[storage];
}

static double number_of(uint64_t word) {
    double number;
    memcpy(&number, &word, sizeof number);
    return number;
}

/* Codes of numbers go into the field; those of texts are for us alone. */
static kan_status take_missing(kan_stat_source *source, const kan_stat_variable *said_of,
                               kan_stat_column *column) {
    kan_missing_range *ranges;
    kan_slice *texts;
    if (said_of->n_missing == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&source->arena, said_of->n_missing, sizeof *ranges, &ranges));
    KAN_TRY(kan_arena_alloc(&source->arena, said_of->n_missing, sizeof *texts, &texts));
    for (size_t i = 0; i < said_of->n_missing; i++) {
        const kan_stat_range *range = &said_of->missing[i];
        if (column->storage == KAN_STAT_STRING) {
            kan_slice text = range->text;
            while (text.size > 0 && text.bytes[text.size - 1] == ' ')
                text.size--;
            KAN_TRY(copy(source, text, "the missing code", &texts[column->n_missing_texts++]));
        } else if (!isnan(number_of(range->least)) && !isnan(number_of(range->most))) {
            ranges[column->field.n_missing++] =
                (kan_missing_range){number_of(range->least), number_of(range->most)};
        }
    }
    column->missing_texts = texts;
    column->field.missing = column->field.n_missing > 0 ? ranges : NULL;
    return KAN_OK;
}

static kan_status take_variable(kan_stat_source *source, kan_stat_cursor *content,
                                stat_said *said) {
    kan_stat_variable variable;
    kan_slice name, set;
    const size_t at = source->n_columns;
    if (!kan_stat_take_variable(content, &variable) || at >= KAN_STAT_COLUMNS_MOST)
        return kan_stat_fail_damaged(source, "what it says about a column cannot be understood");
    if (source->format == KAN_STAT_POR && variable.storage == KAN_STAT_DOUBLE)
        variable.storage = KAN_STAT_DECIMAL;
    KAN_TRY(copy(source, variable.name, "the name", &name));
    if (name.size == 0)
        return kan_stat_fail_damaged(source, "a column has no name");
    KAN_TRY(copy(source, variable.set, "the name of labels", &set));
    KAN_TRY(kan_reserve(source->run, at + 1, sizeof *source->columns, &said->column_capacity,
                        &source->columns));
    KAN_TRY(kan_reserve(source->run, at + 1, sizeof *said->sets, &said->set_capacity, &said->sets));
    kan_stat_column *column = &source->columns[at];
    *column = (kan_stat_column){.storage = variable.storage};
    column->field = (kan_field){.name = name.bytes,
                                .width = variable.width,
                                .decimals = variable.decimals,
                                .measure = variable.measure,
                                .alignment = variable.alignment,
                                .family = family_of(source->vendor, variable.storage)};
    said->sets[at] = set;
    source->n_columns++;
    KAN_TRY(copy_some(source, variable.format, "the format", &column->field.format));
    KAN_TRY(copy_some(source, variable.label, "the label", &column->field.label));
    if (variable.storage == KAN_STAT_STRING) {
        column->field.type = KAN_FIELD_TEXT;
    } else {
        column->clock =
            kan_stat_clock_of(source->vendor, column->field.format ? column->field.format : "");
        column->field.type = column->clock.type;
    }
    return take_missing(source, &variable, column);
}

/* ---- labels --------------------------------------------------------------------------------- */

static kan_status take_label(kan_stat_source *source, kan_stat_cursor *content, stat_said *said) {
    kan_stat_label label;
    if (!kan_stat_take_label(content, &label))
        return kan_stat_fail_damaged(source, "the label of a value cannot be understood");
    const kan_stat_label *last = said->n_labels > 0 ? &said->labels[said->n_labels - 1] : NULL;
    if (last && kan_slice_equal(last->set, label.set))
        label.set = last->set;
    else
        KAN_TRY(copy(source, label.set, "the name of labels", &label.set));
    while (label.text.size > 0 && label.text.bytes[label.text.size - 1] == ' ')
        label.text.size--;
    KAN_TRY(copy(source, label.text, "the value", &label.text));
    KAN_TRY(copy(source, label.label, "the label", &label.label));
    KAN_TRY(kan_reserve(source->run, said->n_labels + 1, sizeof label, &said->label_capacity,
                        &said->labels));
    said->labels[said->n_labels++] = label;
    return KAN_OK;
}

/* By set, then by value: where a value has two labels, any one of them is as good. */
static int compare_labels(const void *a, const void *b) {
    const kan_stat_label *x = a, *y = b;
    const int by_set = kan_slice_compare(x->set, y->set);
    if (by_set != 0)
        return by_set;
    if (x->is_text != y->is_text)
        return x->is_text ? 1 : -1;
    if (x->is_text)
        return kan_slice_compare(x->text, y->text);
    return x->word < y->word ? -1 : x->word > y->word;
}

/* The labels of a set: *n from the one that is returned on. */
static const kan_stat_label *find_set(const stat_said *said, kan_slice set, size_t *n) {
    size_t low = 0, high = said->n_labels;
    *n = 0;
    if (high == 0)
        return NULL;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kan_slice_compare(said->labels[middle].set, set) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + *n < said->n_labels && kan_slice_equal(said->labels[low + *n].set, set))
        ++*n;
    return said->labels + low;
}

static bool is_missing_value(const kan_stat_column *column, const kan_stat_label *label) {
    if (label->is_text) {
        for (size_t i = 0; i < column->n_missing_texts; i++)
            if (kan_slice_equal(column->missing_texts[i], label->text))
                return true;
        return label->text.size == 0;
    }
    if (kan_stat_is_missing(label->word))
        return true;
    for (size_t i = 0; i < column->field.n_missing; i++)
        if (number_of(label->word) >= column->field.missing[i].least &&
            number_of(label->word) <= column->field.missing[i].most)
            return true;
    return false;
}

static kan_status give_labels(kan_stat_source *source, kan_stat_column *column,
                              const kan_stat_label *labels, size_t n) {
    kan_value_label *all;
    kan_stat_entry *entries;
    char room[KAN_STAT_CLOCK_ROOM];
    const bool is_text = column->storage == KAN_STAT_STRING;
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *all, &all));
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *entries, &entries));
    for (size_t i = 0; i < n; i++) {
        const kan_stat_label *label = &labels[i];
        kan_slice value = label->text;
        if (label->is_text != is_text || label->label.size == 0 ||
            (i > 0 && compare_labels(label, label - 1) == 0) ||
            (!is_text && label->word == KAN_STAT_MISSING))
            continue;
        if (!is_text)
            KAN_TRY(copy(source,
                         kan_stat_number_text(column->storage, &column->clock, label->word, room),
                         "the value", &value));
        all[column->field.n_labels++] = (kan_value_label){value, label->label};
        if (!is_missing_value(column, label))
            entries[column->n_entries++] = (kan_stat_entry){label->word, label->text, label->label};
    }
    column->field.labels = all;
    column->entries = entries;
    return KAN_OK;
}

static int compare_texts(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

static kan_status find_twins(kan_stat_source *source, kan_stat_column *column) {
    kan_slice *labels;
    KAN_TRY(kan_alloc(source->run, column->n_entries, sizeof *labels, &labels));
    for (size_t i = 0; i < column->n_entries; i++)
        labels[i] = column->entries[i].label;
    qsort(labels, column->n_entries, sizeof *labels, compare_texts);
    for (size_t i = 1; i < column->n_entries; i++)
        column->has_twins |= kan_slice_equal(labels[i - 1], labels[i]);
    kan_free(source->run, labels);
    return KAN_OK;
}

/* Columns that share a set, and mean numbers the same way, share what is made of it. */
static bool take_from(kan_stat_column *column, const kan_stat_column *other) {
    if (column->storage != other->storage || column->clock.type != other->clock.type ||
        column->field.n_missing + column->n_missing_texts + other->field.n_missing +
                other->n_missing_texts >
            0)
        return false;
    column->field.labels = other->field.labels;
    column->field.n_labels = other->field.n_labels;
    column->entries = other->entries;
    column->n_entries = other->n_entries;
    column->has_twins = other->has_twins;
    return true;
}

/* An old .dta that was cut off right before its labels cannot be told from one without any. */
static void note_lost(const kan_stat_source *source, size_t column, kan_slice set) {
    char name[256], quoted[256];
    kan_note(
        source->run,
        "%s: column %s names labels %s that the file does not have; if it had them once, it was "
        "cut off",
        source->stream.name, kan_quote(kan_slice_of(source->names[column]), name),
        kan_quote(set, quoted));
}

/* Labels of sets that no column names are in the file, and in no field. */
static kan_status keep_unused(kan_stat_source *source, const stat_said *said) {
    bool is_used = true;
    KAN_TRY(
        kan_arena_alloc(&source->arena, said->n_labels, sizeof *source->unused, &source->unused));
    for (size_t i = 0; i < said->n_labels; i++) {
        if (i == 0 || !kan_slice_equal(said->labels[i].set, said->labels[i - 1].set)) {
            is_used = false;
            for (size_t c = 0; c < source->n_columns && !is_used; c++)
                is_used = kan_slice_equal(said->sets[c], said->labels[i].set);
        }
        if (!is_used)
            source->unused[source->n_unused++] = said->labels[i].label;
    }
    return KAN_OK;
}

static kan_status join_labels(kan_stat_source *source, stat_said *said) {
    if (said->n_labels > 0)
        qsort(said->labels, said->n_labels, sizeof *said->labels, compare_labels);
    const kan_stat_label *last_set = NULL;
    const kan_stat_column *last = NULL;
    for (size_t i = 0; i < source->n_columns; i++) {
        kan_stat_column *column = &source->columns[i];
        size_t n = 0;
        if (said->sets[i].size == 0)
            continue;
        const kan_stat_label *labels = find_set(said, said->sets[i], &n);
        if (n == 0 && source->format == KAN_STAT_DTA)
            note_lost(source, i, said->sets[i]);
        if (n == 0)
            continue;
        column->field.label_set = said->sets[i].bytes;
        if (labels != last_set || !take_from(column, last)) {
            KAN_TRY(give_labels(source, column, labels, n));
            KAN_TRY(find_twins(source, column));
        }
        last_set = labels;
        last = column;
    }
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static kan_status check_names(kan_stat_source *source) {
    const char **sorted;
    kan_status status = KAN_OK;
    if (source->n_columns == 0)
        return kan_stat_fail_damaged(source, "it has no columns");
    KAN_TRY(kan_alloc(source->run, source->n_columns, sizeof *sorted, &sorted));
    memcpy(sorted, source->names, source->n_columns * sizeof *sorted);
    qsort(sorted, source->n_columns, sizeof *sorted, compare_names);
    for (size_t i = 1; status == KAN_OK && i < source->n_columns; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            status = kan_fail(source->run, KAN_BAD_INPUT,
                              "%s: two columns have the name '%s'; rename one of them",
                              source->stream.name, sorted[i]);
    kan_free(source->run, sorted);
    return status;
}

static kan_status list_columns(kan_stat_source *source) {
    const size_t n = source->n_columns;
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *source->names, &source->names));
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *source->fields, &source->fields));
    for (size_t i = 0; i < n; i++) {
        source->names[i] = source->columns[i].field.name;
        source->fields[i] = &source->columns[i].field;
    }
    return check_names(source);
}

static kan_status take_shape(kan_stat_source *source, kan_stat_cursor *content) {
    (void)kan_stat_take_u64(content);
    (void)kan_stat_take_u64(content);
    const kan_slice label = kan_stat_take_text(content); /* in whatever encoding */
    const char *bytes;
    KAN_TRY(kan_arena_copy(&source->arena, label.bytes, label.size, &bytes));
    source->label = (kan_slice){bytes, label.size};
    return KAN_OK;
}

static kan_status take_all(kan_stat_source *source, kan_stat_feed *feed, stat_said *said) {
    for (;;) {
        kan_stat_frame kind;
        kan_stat_cursor content;
        KAN_TRY(kan_stat_next_frame(source, feed, &kind, &content));
        if (kind == KAN_STAT_END)
            return KAN_OK;
        if (kind == KAN_STAT_VARIABLE)
            KAN_TRY(take_variable(source, &content, said));
        else if (kind == KAN_STAT_LABEL)
            KAN_TRY(take_label(source, &content, said));
        else if (kind == KAN_STAT_SHAPE)
            KAN_TRY(take_shape(source, &content));
        else
            return kan_stat_fail_damaged(source, "its reader gives rows before columns");
    }
}

kan_status kan_stat_take_columns(kan_stat_source *source, kan_stat_feed *feed) {
    stat_said said = {.n_labels = 0};
    kan_status status;
    KAN_TRY_DONE(take_all(source, feed, &said));
    KAN_TRY_DONE(list_columns(source));
    KAN_TRY_DONE(join_labels(source, &said));
    KAN_TRY_DONE(keep_unused(source, &said));
done:
    kan_free(source->run, said.labels);
    kan_free(source->run, said.sets);
    return status;
}
