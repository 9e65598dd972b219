"""Releases by Python, for check.r_package: frames of pandas with categoricals, dates and missing values where pandas is,
else dicts of columns. Folders are as in r_release.c; `types.tsv` has the type of each column. Writes `python.tsv`."""

import datetime
import sys
import warnings

import kanon

try:
    import pandas
except ImportError:
    pandas = None

warnings.simplefilter("ignore")
READ = {
    "integer": int, "real": float, "text": str, "factor": str, "logical": lambda text: text == "true",
    "day": datetime.date.fromisoformat, "moment": datetime.datetime.fromisoformat,
}  # fmt: skip


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def text_of(value):
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


def release_of(folder, use_frame):
    names, *rows = rows_of(folder + "/table.tsv")
    types = dict(rows_of(folder + "/types.tsv"))
    table = {}
    for i, name in enumerate(names):
        table[name] = [None if row[i] == "" else READ[types[name]](row[i]) for row in rows]
    if use_frame:
        frame = pandas.DataFrame({name: pandas.Series(values, dtype=object) for name, values in table.items()})
        for name in names:
            if types[name] == "factor":
                frame[name] = frame[name].astype("category")
            elif types[name] == "integer":
                frame[name] = frame[name].astype("Int64")
            elif types[name] == "real":
                frame[name] = frame[name].astype("float64")
        table = frame
    settings = {}
    for name, value in rows_of(folder + "/settings.tsv"):
        settings.setdefault(name.replace("-", "_"), []).append(value)
    given = {name: values if name == "qi" else values[0] for name, values in settings.items()}
    given["qi"] = dict(item.split("=", 1) for item in given["qi"])
    given["keep"] = given["keep"].split(",")
    released = kanon.anonymize(table, **given).table
    names = list(released)
    columns = [[None if pandas and value is pandas.NA else value for value in list(released[name])] for name in names]
    with open(folder + "/python.tsv", "w", encoding="utf-8", newline="") as file:
        file.write("\t".join(names) + "\n")
        for row in zip(*columns):
            file.write("\t".join(text_of(value) for value in row) + "\n")


for number, folder in enumerate(sys.argv[1:]):
    release_of(folder, pandas is not None and number % 2 == 0)
