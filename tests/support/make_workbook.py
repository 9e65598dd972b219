"""The lines of a CSV file (semicolons) as the second sheet of a workbook, behind a sheet of notes.

make_workbook.py TABLE.csv OUT.xlsx [NAME=FILE.csv ...]; needs nothing but Python itself. Numbers are numbers, all else
text. With names: these are the sheets, in this order, before the one of the table, and each says its size.
"""
import re
import sys
import zipfile
from xml.sax.saxutils import escape

SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ENTITIES = {'"': "&quot;", "\n": "&#10;"}
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def cell(value):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", value):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>' if value else "<c/>"


def sheet(lines, says_size=False):
    rows = "".join(f"<row>{''.join(map(cell, line))}</row>" for line in lines)
    last = chr(ord("A") + max(map(len, lines), default=1) - 1)
    size = f'<dimension ref="A1:{last}{len(lines)}"/>' if says_size else ""
    return f'<worksheet xmlns="{SPREADSHEET}">{size}<sheetData>{rows}</sheetData></worksheet>'


def relations(pairs):
    inner = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/{kind}" Target="{target}"/>' for i, (kind, target) in enumerate(pairs, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inner}</Relationships>'


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split(";") for line in file]


def main(table, out, *others):
    sheets = [(name, sheet(lines_of(path), True)) for name, path in (other.rsplit("=", 1) for other in others)]
    sheets = sheets or [("Notizen", sheet([["Hinweis"], ["Stand heute"]]))]
    sheets.append(("Daten", sheet(lines_of(table), bool(others))))
    numbers = range(1, len(sheets) + 1)
    type_of = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{type_of}.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{type_of}.worksheet+xml"/>' for i in numbers
        )
        + "</Types>",
        "_rels/.rels": relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name, ENTITIES)}" sheetId="{i}" r:id="r{i}"/>' for i, (name, _) in enumerate(sheets, 1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations([("worksheet", f"worksheets/sheet{i}.xml") for i in numbers]),
    }
    for i, (_, text) in enumerate(sheets, 1):
        parts[f"xl/worksheets/sheet{i}.xml"] = text
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)


main(*sys.argv[1:])
