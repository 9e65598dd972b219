/* kanon anonymize: the main job. */
#include "cli.h"

const cli_command cli_anonymize = {
    .name = "anonymize",
    .examples = "kanon generate census\n"
                "kanon anonymize census.csv -o release.csv --k 5 --suppress 1% \\\n"
                "    --qi age,gender,race --hierarchies census-hierarchies \\\n"
                "    --keep salary-class --drop 'work*,occupation'\n"
                "kanon anonymize census.csv -o release.csv.gz --k 3 \\\n"
                "    --qi age=intervals:5,10,20,gender=suppress --json result.json\n"
                "kanon anonymize census.csv -o cuts.csv --k 5 --algorithm k-optimize \\\n"
                "    --qi age,gender,race --hierarchies census-hierarchies\n"
                "kanon anonymize census.csv -o groups.csv --k 5 --algorithm mondrian \\\n"
                "    --cost ncp --qi age,gender,race --hierarchies census-hierarchies\n"
                "kanon anonymize --job job.yaml\n",
    .more = "In a list of quasi-identifiers, each comma ends an item, except inside the name of a "
            "builder: after intervals: and prefix:, numbers belong to it; after date:, parts of a "
            "date do. So `--qi age=intervals:5,10,20,zip=digits:5,gender` names three columns. A "
            "column whose name could be mistaken for such a part (year) needs its own --qi.\n"
            "A hierarchy file has one line per value: value;level 1;level 2;...;* . `kanon list` "
            "shows the builders.\n"
            "A job file is YAML with the flags as keys, `qi: [age, zip=digits:5]`, `k: 5`; its "
            "paths are relative to the file.",
};
