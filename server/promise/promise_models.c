/* The models in plain words. */
#include <string.h>

#include "promise.h"

static const sv_model models[] = {
    {"k-anonymity",
     "Nobody stands alone",
     "Every released row looks the same as at least k − 1 others in the columns by which somebody "
     "could be recognised. Who looks for a person finds k rows, and cannot tell which it is. 5 is "
     "common among people who know each other’s duties; 10 or 20 where anybody may read the "
     "release.",
     {0},
     false},
    {"l-diversity",
     "A group never agrees on a secret",
     "Rows that look alike must differ in the sensitive column: at least l values. Otherwise "
     "somebody who only finds the group already knows the secret of everybody in it.",
     {"l 2", "l 3", "l 5"},
     false},
    {"alpha",
     "No secret is nearly certain",
     "In a group of rows that look alike, no sensitive value may have more than this share. With "
     "0.5, a guess is right at most every second time.",
     {"alpha 0.8", "alpha 0.5"},
     false},
    {"t-closeness",
     "A group is a small picture of the whole",
     "The sensitive values of a group must be spread nearly as in the whole table. 0 is exactly "
     "so, "
     "1 is no limit. It is strong, and it costs: finding somebody’s group then tells little.",
     {"t 0.5", "t 0.3", "t 0.15"},
     false},
    {"beta-likeness",
     "No value becomes much more likely",
     "A sensitive value may be more frequent in a group than in the whole table, but by no more "
     "than this factor of its share. With 1, at most twice as frequent.",
     {"beta 4", "beta 2", "beta 1"},
     false},
    {"delta-disclosure",
     "No value becomes more or less likely",
     "The share of every sensitive value in a group is within a factor of that in the whole table, "
     "upwards and downwards. No group may lack a value: the strictest of these.",
     {"delta-disclosure 2", "delta-disclosure 1"},
     false},
    {"average-risk",
     "The risk on average is low",
     "Over all released rows, the mean chance of picking the right row for a person is at most "
     "this. It says nothing of single people: keep k beside it.",
     {"average-risk 0.1", "average-risk 0.05", "average-risk 0.01"},
     false},
    {"at-risk",
     "Few rows are in small groups",
     "At most this share of the released rows may be in groups of fewer rows than the second "
     "number "
     "says. It is a wish for larger groups that single people need not fulfil.",
     {"at-risk 0.05 below 10", "at-risk 0.01 below 20"},
     false},
    {"k-map",
     "Nobody stands alone in the population",
     "Every released group matches at least this many people of a larger table, of everybody whom "
     "this one was drawn from. That table must be named.",
     {"k-map 5", "k-map 10"},
     true},
    {"presence",
     "Nobody learns who is in the table",
     "Of the people of the population who match a group, the share that is in the table stays "
     "within bounds, such as ..0.5. The larger table must be named.",
     {"presence ..0.5"},
     true},
};

const sv_model *sv_model_at(size_t index) {
    return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

const sv_model *sv_model_find(const char *name) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

bool sv_model_is_sensitive(const json_t *model) {
    const json_t *first = json_array_get(json_object_get(model, "options"), 0);
    return strncmp(sv_json_text(first, "argument"), "[NAME=]", 7) == 0;
}

static const struct {
    const char *name, *words;
} options[] = {
    {"l", "at least this many different values in each group"},
    {"l-kind", "how they are counted"},
    {"c", "c, for “recursive”: the most frequent value is rarer than c times all from the l-th on"},
    {"alpha", "largest share of one value in a group, such as 0.5"},
    {"alpha-value", "only these values must be rare; empty: all"},
    {"alpha-combined", "these values count together as one"},
    {"refined", "small groups may have one row of a rare value: the share is rounded up"},
    {"t", "how far a group may be from the whole table, 0 to 1"},
    {"t-distance", "how far two values are apart"},
    {"delta-disclosure", "the factor, as a power of two: 1 allows half to twice as frequent"},
    {"beta", "how much more frequent a value may be: 1 is twice as frequent"},
    {"beta-kind", "for values that are frequent anyway"},
    {"average-risk", "the average risk is at most, 0 to 1"},
    {"at-risk", "the share of rows is at most, 0 to 1"},
    {"below", "that is in groups of fewer rows than"},
    {"k-map", "people of the population who match a group, at least"},
    {"presence", "the share that is in the table, from..to, such as ..0.5"},
};

const char *sv_option_words(const json_t *option) {
    const char *name = sv_json_text(option, "name");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].name, name) == 0)
            return options[i].words;
    return sv_json_text(option, "summary");
}
