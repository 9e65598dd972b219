#!/usr/bin/env python3
"""Writes a project as ARX saves it: make-deid.py OUT.deid SPEC.json

SPEC: {"table": CSV text, "subset": CSV text, "columns": [{"name", "type", ...}], "hierarchies": {NAME: CSV text},
       "criteria": [TEXT], "metric": TEXT, "limit": NUMBER, "weights": {NAME: W}, "separator": C,
       "more": {PART: TEXT}, "raw": {PART: TEXT in place of what is made}}
"""
import json
import sys
import zipfile
from xml.sax.saxutils import escape


def element(name, text):
    return f"<{name}>{escape(str(text))}</{name}>\n"


def definition(spec):
    inner = ""
    for column in spec["columns"]:
        own = element("name", column["name"]) + element("type", column["type"])
        own += element("datatype", column.get("datatype", "String"))
        if "format" in column:
            own += element("format", column["format"])
        if column["name"] in spec.get("hierarchies", {}):
            own += element("ref", f"hierarchies/{column['name']}.csv")
            own += element("min", column.get("min", "All")) + element("max", column.get("max", "All"))
        if "function" in column:
            own += element("microaggregationFunction", column["function"])
        inner += f"<assigment>\n{own}</assigment>\n"
    return f"<definition>\n{inner}</definition>\n"


def config(spec):
    weights = "".join("<attributeWeight>" + element("attribute", k) + element("weight", v) + "</attributeWeight>\n"
                      for k, v in spec.get("weights", {}).items())
    return ("<config>\n" + element("suppressTuplesInNonAnonymousOutput", "true") +
            "<suppressedAttributeTypes>\n" + element("type", "QUASI_IDENTIFYING_ATTRIBUTE") + "</suppressedAttributeTypes>\n" +
            element("practicalMonotonicity", "false") + element("relativeMaxOutliers", spec.get("limit", 0.0)) +
            element("metric", spec.get("metric", "Loss")) + f"<attributeWeights>\n{weights}</attributeWeights>\n" +
            "<criteria>\n" + "".join(element("criterion", c) for c in spec.get("criteria", [])) + "</criteria>\n</config>\n")


def main():
    spec = json.load(open(sys.argv[2]))
    parts = {
        "metadata.xml": "<metadata>\n" + element("version", "3.9.1") + element("vocabulary", "2.0") + "</metadata>\n",
        "project.dat": "\xac\xed\x00\x05",
        "project.xml": "<project>\n" + element("name", "test") + element("separator", spec.get("separator", ";")) +
                       element("escape", '"') + element("quote", '"') + element("linebreak", "UNIX") + "</project>\n",
        "data/input.csv": spec["table"],
        "data/input_subset.csv": spec.get("subset", spec["table"]),
        "input/config.dat": "\xac\xed\x00\x05",
        "input/config.xml": config(spec),
        "input/definition.xml": definition(spec),
    }
    for name, text in spec.get("hierarchies", {}).items():
        parts[f"input/hierarchies/{name}.csv"] = text
    parts.update(spec.get("more", {}))
    parts.update(spec.get("raw", {}))
    with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            if text is not None:
                archive.writestr(name, text if isinstance(text, bytes) else text.encode("latin1" if name.endswith(".dat") else "utf-8"))


if __name__ == "__main__":
    main()
