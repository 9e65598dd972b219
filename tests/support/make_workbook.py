"""The lines of a CSV file (semicolons) as the second sheet of a workbook, behind a sheet of notes.

make_workbook.py TABLE.csv OUT.xlsx; needs nothing but Python itself. Numbers are numbers, all else text.
"""
import re
import sys
import zipfile
from xml.sax.saxutils import escape

SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def cell(value):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", value):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>' if value else "<c/>"


def sheet(lines):
    rows = "".join(f"<row>{''.join(map(cell, line))}</row>" for line in lines)
    return f'<worksheet xmlns="{SPREADSHEET}"><sheetData>{rows}</sheetData></worksheet>'


def relations(pairs):
    inner = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/{kind}" Target="{target}"/>' for i, (kind, target) in enumerate(pairs, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inner}</Relationships>'


def main(table, out):
    with open(table, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(";") for line in file]
    type_of = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{type_of}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{type_of}.worksheet+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet2.xml" ContentType="{type_of}.worksheet+xml"/></Types>',
        "_rels/.rels": relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="Notizen" sheetId="1" r:id="r1"/><sheet name="Daten" sheetId="2" r:id="r2"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            [("worksheet", "worksheets/sheet1.xml"), ("worksheet", "worksheets/sheet2.xml")]
        ),
        "xl/worksheets/sheet1.xml": sheet([["Hinweis"], ["Stand heute"]]),
        "xl/worksheets/sheet2.xml": sheet(lines),
    }
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)


main(*sys.argv[1:])
