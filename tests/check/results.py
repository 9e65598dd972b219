#!/usr/bin/env python3
"""The JSON results of every command are what docs/result.schema.json says.

    results.py KANON ROOT
    results.py --self-test ROOT     wrong results, and a schema with a key too many, are found

Every result of the samples below must be valid: a key that the schema does not know and a key that is missing are
faults. And every key of the schema must be in some result, or the schema documents what is not there; one that no
sample can have says why in "$comment": "not in the samples: ...".

The validator knows what the schema uses of JSON Schema 2020-12, and refuses a word that it does not know. Where
python3-jsonschema is installed, it is asked as well.
"""
import json
import os
import subprocess
import sys
import tempfile

# Commands, one a line, in a folder of their own. "!" before one: its status is 3; "~": 1. QI and VISITS stand for flags that
# many share; each writes its result with --json.
SAMPLES = """
list
generate census --rows 1500
generate visits --rows 200
generate hospital --rows 200
import project.deid -o imported
profile census.csv
profile people.csv --job-out job.yaml --first-rows 2
profile odd.csv
profile people.csv --rules hipaa-safe-harbor --release-date 2026-03-31
profile typing.csv
profile people.csv --household town --job-out household.yaml
profile visits.csv --no-values
profile census.csv --sample 500 --subsets 20
profile hospital/patients.csv hospital/stays.csv hospital/diagnoses.csv --job-out several.yaml
profile people.csv odd.csv
hierarchy build census.csv --column age=intervals:5,10 --column occupation=frequency:10,100 -o built/
hierarchy build census.csv --column gender
hierarchy check census-hierarchies --input census.csv
hierarchy check census-hierarchies
hierarchy show census-hierarchies/age.csv --input census.csv --list 3
hierarchy show census-hierarchies/age.csv
hierarchy convert census-hierarchies/race.csv -o race.txt
ledger show people.ledger --key key
ledger check pending.ledger --key key
ledger forget pending.ledger --which 3 --key key
anonymize census.csv -o r1.csv QI --k 5 --suppress 2% --report r1.html --certificate c1.json
anonymize census.csv -o r2.csv QI --k 5 --sensitive salary-class --l 2 --alpha 0.95 --t 0.6 --beta 5 --keep occupation
anonymize census.csv -o r3.csv QI --k 5 --algorithm mondrian --cost ncp --summary both --cells --report r3.html
anonymize census.csv -o r4.csv QI --k 5 --algorithm iterate --cost ncp --report r4.html
anonymize census.csv -o r5.csv QI --k 5 --suppress 1% --algorithm k-optimize --proof p.json --report r5.html
anonymize census.csv -o r6.csv QI --k 5 --algorithm greedy --recoding full-subtree
anonymize census.csv -o r7.csv QI --k 5 --algorithm unrestricted --cost ncp
anonymize census.csv -o r8.csv QI --k 5 --algorithm mdav --summary mean --modes --report r8.html
anonymize census.csv -o r9.csv QI --k 2 --cost classification --class salary-class --workload queries.txt \
    --algorithm mondrian --report r9.html
anonymize census.csv -o r10.csv QI --k 5 --suppress 2% --levels 1,0,1 --keep-suppressed
anonymize census.csv -o r11.csv QI --k 5 --level age=1.. --shuffle --hash-key key --report r11.html
anonymize people.csv -o r12.csv --qi town=suppress --k 2 --keep income,born --round income=500 --cap income=..5000 \
    --pseudonym id --key key --shift-dates born --by id --within 10 --drop name,note --guard-formulas --report r12.html
anonymize visits.csv -o r13.csv VISITS --k 3 --suppress 20% --sensitive illness --l 2 --report r13.html
anonymize visits.csv -o r14.csv VISITS --k 2 --suppress 90% --person-promise histories
anonymize visits.csv -o r15.csv VISITS --k 3 --suppress 50% --suppress-by row --report r15.html
anonymize part.csv -o r16.csv QI --k 2 --k-map 10 --presence ..0.9 --average-risk 0.5 --at-risk 0.9 --below 3 \
    --population census.csv
anonymize census.csv -o r17.csv QI --k 5 --suppress 2% --sensitive salary-class,education --l salary-class=2 \
    --l-kind recursive --c 9 --alpha 0.99 --alpha-value 60K-and-over --t education=0.9 --report r17.html
anonymize census.csv -o r18.csv QI --k 5 --suppress 2% --id occupation --sensitive salary-class --delta-disclosure 9
anonymize census.csv -o r19.csv --qi age=intervals:5,10 --qi occupation=frequency:40,400 --k 5 --cost ncp --suppress 9% \
    --level occupation=1 --report r19.html
anonymize census.csv -o r20.csv --qi age,gender,race,occupation --hierarchies census-hierarchies --k 5 --report r20.html
anonymize --job hospital/hospital.yaml -o r22 --k 2 --l 2 --suppress 90% --report r22.html
risk --job hospital/hospital.yaml
search --job hospital/hospital.yaml --k 2 --l 2 --suppress 90%
compare --job hospital/hospital.yaml --ks 2,5000 --suppressions 90%
risk r22 --job hospital/hospital.yaml
anonymize --job keyless.yaml -o r23
anonymize codes.csv -o r24.csv --codes dx=dx.csv --k-codes 2 --known 2 --suppress 1
anonymize census.csv -o r26.csv --qi age --k 5 --algorithm univariate --summary mean
anonymize codes.csv -o r25.csv --codes dx=dx.csv --k-codes 2 --known 2 --suppress 1 --recoding full-subtree
anonymize households.csv -o r28.csv --qi age=suppress,sex --sampling-weight w --individual-risk 0.5 --drop h --report r28.html
anonymize pairs.csv -o r29.csv --qi a,b --k 5 --algorithm univariate --per-column --summary mean --report r29.html
search pairs.csv --qi a,b --k 5 --algorithm univariate --per-column
anonymize households.csv -o r40.csv --qi age=suppress,sex --sampling-weight w --individual-risk 0.5 --keep w --calibrate sex,h --report r40.html
anonymize households.csv -o r30.csv --qi age=suppress,sex --sampling-weight w --global-risk 0.1 --suppress 2 --drop h --report r30.html
anonymize households.csv -o r50.csv --qi age=suppress,sex --household h --household-risk 0.7 --suppress 1 --drop w --report r50.html
search households.csv --qi age=suppress,sex --household h --household-promise composition --k 2 --suppress 2
anonymize people.csv -o r80.csv --qi town=suppress --k 2 --id id --drop name,income,born,note --ledger towns.ledger --key key
search people.csv --qi town=suppress --k 2 --id id --drop name,income,born,note --ledger towns.ledger --key key
anonymize people.csv -o book.xlsx --qi town=suppress --k 2 --drop id,name,income,born,note
profile book.xlsx
anonymize people.csv -o r81.csv --qi town=suppress --k 2 --id id --drop name,income,born,note --ledger towns.ledger --key key \
    --leavers refuse --report r81.html
anonymize households.csv -o r70.csv --qi age=suppress,sex --population-size 100 --population-uniques 0.9 --drop h,w --report r70.html
!verify r70.csv --qi age,sex --population-size 100 --population-uniques 0
anonymize households.csv -o r90.csv --job undone.yaml
anonymize health.people -o counts.sql --emit counts-sql --dialect ansi --qi town=suppress --sensitive name --k 2
anonymize census.csv -o r60.csv QI --levels 1,0,0 --keep salary-class --epsilon 1 --delta 1e-6
anonymize census.csv -o r61.csv QI --k 5 --class salary-class --for salary-class --algorithm mondrian --report r61.html
search census.csv QI --k 5 --suppress 2% --class salary-class --for salary-class~age
search census.csv QI --k 5 --suppress 2% --all-nodes --nodes nodes.csv
search census.csv QI --k 5 --algorithm incognito-cube
search census.csv QI --k 5 --algorithm samarati
search census.csv QI --k 5 --algorithm hill-climb
anonymize census.csv -o r21.csv QI --k 5 --suppress 2% --apply search.json
anonymize census.csv -o r27.csv --qi age,gender,race --k 5 --recoding cell-suppression --missing-matches --report m.html
compare census.csv --qi age,gender,race --recoding cell-suppression --missing-matches --ks 5
search census.csv --qi age,gender,race --k 5 --recoding cell-suppression --missing-matches --importance race,age --strata salary-class --suppress 1% --algorithm progressive
search census.csv --qi age,gender,race --recoding cell-suppression --missing-matches --subsets 1:9,2:3 --algorithm progressive
search census.csv --qi age,gender,race --k 5 --recoding cell-suppression --missing-matches --suppress 1%
anonymize census.csv -o r31.csv QI --k 5 --subsets 2 --suppress 2% --report r31.html
search census.csv QI --subsets 1:9,2:5 --algorithm mondrian
compare census.csv QI --ks 2,5 --suppressions 0,1% --algorithms auto,mondrian --save cells.jsonl
compare census.csv QI --ks 5,2000 --algorithms mdav,mondrian --summary mean
compare census.csv QI --ks 5 --algorithms mondrian --utility
compare census.csv QI --sensitive salary-class --ks 5,2000 --algorithms mondrian --regress salary-class~age --classify salary-class~age
compare visits.csv VISITS --ks 3 --algorithms auto --suppress 20%
verify r1.csv --original census.csv QI --k 5 --suppress 2% --recoding full-domain
!verify r1.csv QI --k 50
verify r2.csv --original census.csv QI --k 5 --sensitive salary-class --l 2 --alpha 0.95 --t 0.6 --beta 5 --keep occupation
!verify r4.csv --original census.csv QI --k 5 --recoding full-domain --keep occupation
verify r3.csv --original census.csv QI --k 5 --summary both
verify r13.csv --original visits.csv VISITS --k 3 --suppress 20% --sensitive illness --l 2
verify r16.csv QI --k 2 --k-map 10 --presence ..0.9 --average-risk 0.5 --at-risk 0.9 --below 3 --population census.csv
verify r27.csv --original census.csv --qi age,gender,race --k 5 --missing-matches
!verify r27.csv --original census.csv --qi age,gender,race --k 500 --missing-matches
verify r29.csv --original pairs.csv --qi a,b --k 5 --per-column --summary mean
!verify r29.csv --qi a,b --k 50 --per-column
verify r31.csv --original census.csv QI --subsets 2:5
!verify r31.csv --original census.csv QI --k 500 --subsets 2
verify r28.csv --original households.csv --qi age=suppress,sex --sampling-weight w --individual-risk 0.5
verify r40.csv --original households.csv --qi age=suppress,sex --sampling-weight w --individual-risk 0.5 --keep w --calibrate sex,h
verify r28.csv --original households.csv --qi age=suppress,sex --sampling-weight w --global-risk 0.5
!verify r28.csv --original households.csv --qi age=suppress,sex --sampling-weight w --global-risk 0.0001
verify r50.csv --original households.csv --qi age=suppress,sex --household h --household-risk 0.7 --suppress 1
!verify r50.csv --original households.csv --qi age=suppress,sex --household h --household-risk 0.1 --suppress 1
!verify r50.csv --original households.csv --qi age=suppress,sex --household h --household-promise composition --k 2
~verify r60.csv --epsilon 1 --delta 1e-6
!verify people.csv --epsilon 1 --delta 1e-6
anonymize census.csv -o r95.csv --qi gender=suppress,race=suppress --k 5 --rules hipaa-safe-harbor --report r95.html
!check people.csv --rules hipaa-safe-harbor --release-date 2026-03-31 --job-out checked.yaml
~check r1.csv --rules hdx QI
!check r1.csv --rules ward.yaml
verify --certificate c1.json --input census.csv --hierarchies census-hierarchies
verify r22 --job hospital/hospital.yaml --k 2 --l 2 --suppress 90%
!verify r22 --job hospital/hospital.yaml --k 50 --suppress 90%
verify r24.csv --codes dx=dx.csv --k-codes 2 --known 2 --original codes.csv
!verify codes.csv --codes dx=dx.csv --k-codes 2 --known 2
risk census.csv QI
risk r2.csv --original census.csv QI --sensitive salary-class --c 3 --population-size 100000
risk part.csv QI --population census.csv --rows rows.csv
risk r10.csv --original census.csv QI --missing-matches
risk households.csv --qi age,sex --sampling-weight w --household h --tolerated-risk 0.01
risk r26.csv --original census.csv --qi age --near 5
risk census.csv QI --suda-columns 3 --sampling-fraction 0.1
risk visits.csv --person patient --qi birth,sex
attack r1.csv --register census.csv QI
attack r2.csv --register census.csv QI --as insider --sensitive salary-class
attack r2.csv --register census.csv --original census.csv QI --sensitive salary-class --nearest
attack r2.csv --with r17.csv --register census.csv QI --sensitive salary-class
attack r2.csv --with r3.csv turned.csv QI --sensitive salary-class
attack r2.csv --register census.csv --original census.csv QI --sensitive salary-class --sample 500
attack r90.csv --knowing-method --original households.csv --job undone.yaml --probes 20
utility r9.csv --original census.csv --workload queries.txt --hierarchies census-hierarchies
utility r9.csv --original census.csv --hierarchies census-hierarchies
utility households.csv --original households.csv --sampling-weight w
utility r9.csv --original census.csv --hierarchies census-hierarchies --regress salary-class~age+education+race --regress age~gender+native-country --classify salary-class --as categories
"""
SHORT = {
    "QI": "--qi age,gender,race --hierarchies census-hierarchies",
    "VISITS": "--person patient --qi birth,sex --hierarchies visits-hierarchies",
}
FILES = {
    "people.csv": "id,name,town,income,born,note\n7,Ann,Ulm,1234,1980-03-14,=1+1\n8,Bob,Ulm,5678,1981-04-15,\n"
    "9,Cid,Bonn,4321,1982-05-16,x\n10,Dee,Bonn,,1983-06-17,y\n",
    "typing.csv": "age\n" + "".join(f"{i}\n" for i in range(40)) + "4O\n",
    "odd.csv": "weight;born;text\n" + "".join(f"{i},5;{i + 10}.03.1980;{'long ' * 300}\n" for i in range(9)) + "NA;NA;\n",
    "queries.txt": "COUNT WHERE gender = Male AND age BETWEEN 30 AND 44\nAVG(age) WHERE race = White\n",
    "arx.json": json.dumps({"table": "a;b\n1;x\n2;x\n", "columns": [{"name": "a", "type": "QUASI_IDENTIFYING_ATTRIBUTE"}],
                            "hierarchies": {"a": "1;*\n2;*\n"}, "criteria": ["2-anonymity", "profitability"]}),
    "pairs.csv": "a,b\n" + "".join(f"{i * 7 % 31},{i * 11 % 53}\n" for i in range(60)),
    "households.csv": "h,age,sex,w\n1,30,f,20\n1,40,m,10.5\n2,40,m,10\n2,30,f,20\n3,50,f,5\n",
    "ward.yaml": "rule: ward\nby: the office\ndate: 2026-03-31\ntext: Five people, nobody older than 60.\n"
    "identifiers: all\nqi: [age]\npromise: {k: 5}\ncaps: {age: ..60, height: 20..}\nleft: [the rest]\n",
    "undone.yaml": "qi: {age: suppress}\nsensitive: w\nk: 2\nsuppress: 1\n",
    "keyless.yaml": "tables: {p: {input: people.csv, key: id, qi: {town: suppress}, drop: [id]}}\nk: 2\n"
    "person-promise: groups\n",
    "key": "0123456789abcdefghijklmnopqrstuv",
    "turned.csv": "age,gender,race,salary-class\n" + "0-39,*,*,x\n" * 1500,
    "codes.csv": "dx\na1;b1;b2\na2;b1\na2;b1;b2\na1;a2;b2\n",
    "dx.csv": "a1;A;*\na2;A;*\nb1;B;*\nb2;B;*\n",
}

TYPES = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and float(v).is_integer(),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}
WORDS = {"$ref", "$comment", "$defs", "$schema", "title", "description", "type", "const", "enum", "properties", "required",
         "additionalProperties", "items", "anyOf", "oneOf"}


class Schema:
    def __init__(self, root):
        self.root = root
        self.seen = set()  # identities of the keys that some result had

    @staticmethod
    def identity(schema):
        """A key that is nothing but a reference is one thing wherever it stands."""
        return schema["$ref"] if set(schema) == {"$ref"} else id(schema)

    def faults(self, value, schema, place, seen):
        """What is wrong with a value. Adds to `seen` the keys of the schema that it has."""
        unknown = set(schema) - WORDS
        assert not unknown, f"{place}: the schema uses {unknown}, which this validator does not know"
        if "$ref" in schema:
            yield from self.faults(value, self.root["$defs"][schema["$ref"].rsplit("/", 1)[1]], place, seen)
        if "const" in schema and value != schema["const"]:
            yield f"{place}: {value!r} is not {schema['const']!r}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{place}: {value!r} is none of {schema['enum']}"
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(TYPES[kind](value) for kind in kinds):
            yield f"{place}: {json.dumps(value)[:60]} is not {' or '.join(kinds)}"
        for word in ("anyOf", "oneOf"):
            if word in schema:
                yield from self.choose(value, schema[word], word, place, seen)
        if isinstance(value, dict):
            yield from self.members(value, schema, place, seen)
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                yield from self.faults(item, schema["items"], f"{place}[{i}]", seen)

    def choose(self, value, options, word, place, seen):
        tried = []
        for option in options:
            keys = set()
            tried.append((list(self.faults(value, option, place, keys)), keys))
        fitting = [one for one in tried if not one[0]]
        # Where none fits, the faults are those of the option that is meant: it has the same command, or model.
        meant = min(tried, key=lambda one: (sum(" is not '" in fault for fault in one[0]), len(one[0])))
        for _, keys in fitting or [meant]:
            seen |= keys
        yield from meant[0]
        if word == "oneOf" and len(fitting) > 1:
            yield f"{place}: {len(fitting)} of the options fit"

    def members(self, value, schema, place, seen):
        known = schema.get("properties", {})
        for key in schema.get("required", []):
            if key not in value:
                yield f"{place}.{key}: the key is missing"
        for key, item in value.items():
            if key in known:
                seen.add(self.identity(known[key]))
                yield from self.faults(item, known[key], f"{place}.{key}", seen)
            elif schema.get("additionalProperties") is False:
                yield f"{place}.{key}: the key is not in the schema"
            elif "additionalProperties" in schema:
                yield from self.faults(item, schema["additionalProperties"], f"{place}.{key}", seen)

    def check(self, result):
        return list(self.faults(result, self.root, result.get("command", "list"), self.seen))

    def unused(self):
        """Keys that no result had."""
        def walk(schema, place):
            if not isinstance(schema, dict) or schema.get("$comment", "").startswith("not in the samples: "):
                return
            for key, inner in schema.get("properties", {}).items():
                if self.identity(inner) not in self.seen and not inner.get("$comment", "").startswith("not in the samples: "):
                    yield f"{place}.{key}"
                yield from walk(inner, f"{place}.{key}")
            for word in ("items", "additionalProperties"):
                yield from walk(schema.get(word), f"{place}[]")
            for word in ("anyOf", "oneOf"):
                for option in schema.get(word, []):
                    yield from walk(option, place)
        for name, schema in self.root["$defs"].items():
            yield from walk(schema, name)


def run(kanon, words, result, status):
    last = ["--json"] if words == ["list"] else ["--quiet", "--json", result]
    done = subprocess.run([kanon, *words, *last], capture_output=True, text=True, check=False)
    if done.returncode != status:
        return None, [f"status {done.returncode} instead of {status}: {done.stderr.strip()}"]
    if words == ["list"]:
        return json.loads(done.stdout), []
    with open(result, encoding="utf-8") as file:
        return json.load(file), []


def check_results(kanon, schema):
    problems, n = [], 0
    for line in SAMPLES.replace("\\\n", " ").strip().splitlines():
        words = [part for word in line.lstrip("!~").split() for part in SHORT.get(word, word).split()]
        n += 1
        result, faults = run(kanon, words, f"{n}.json", {"!": 3, "~": 1}.get(line[0], 0))
        if result is not None:
            faults = schema.check(result)
            if words[0] == "generate" and words[1] == "census":
                with open("census.csv", encoding="utf-8") as table, open("part.csv", "w", encoding="utf-8") as part:
                    part.writelines(table.readlines()[:400])
            if words[0] == "search":
                os.replace(f"{n}.json", "search.json")
        problems += [f"kanon {' '.join(words)}\n    {fault}" for fault in faults]
    problems += [f"no result of the samples has the key {key}" for key in schema.unused()]
    for problem in problems:
        print(problem)
    print(f"{n} results, {len(problems)} problems")
    return not problems


def self_test(root):
    def count(change_schema=None, result=None):
        schema = json.loads(json.dumps(root))
        if change_schema:
            change_schema(schema["$defs"]["generate"])
        good = {"kanon": "1", "command": "generate", "generator": "census", "rows": 5, "seed": 1, "path": "a",
                "tables": ["a"], "hierarchies": "b", "job": None}
        checked = Schema(schema)
        faults = checked.check({**good, **(result or {})})
        return len(faults), sum(key.startswith("generate.") for key in checked.unused())

    assert count() == (0, 0)
    assert count(result={"new": 1}) == (1, 0)
    assert count(result={"rows": "5"})[0] == 1
    assert count(result={"rows": True})[0] == 1
    assert count(result={"hierarchies": None})[0] == 0
    assert count(lambda g: g["required"].append("more"))[0] == 1
    assert count(lambda g: g["properties"].update(more={"type": "string"}), {}) == (0, 1)
    print("ok")


def main():
    root = os.path.realpath(sys.argv[2])
    with open(os.path.join(root, "docs", "result.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    if sys.argv[1] == "--self-test":
        self_test(schema)
        return
    try:
        import jsonschema
        getattr(jsonschema, "Draft202012Validator").check_schema(schema)
    except (ImportError, AttributeError):
        pass
    kanon = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in FILES.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod("key", 0o600)
        maker = os.path.join(root, "tests", "cli", "make-deid.py")
        subprocess.run([sys.executable, maker, "project.deid", "arx.json"], check=True)
        maker = os.path.join(root, "tests", "cli", "make-ledger.py")
        subprocess.run([sys.executable, maker, "people.ledger", "key"], check=True)
        subprocess.run([sys.executable, maker, "pending.ledger", "key", "--pending", folder + "/q3.csv", "rows"], check=True)
        is_right = check_results(kanon, Schema(schema))
        os.chdir("/")
    sys.exit(not is_right)


main()
