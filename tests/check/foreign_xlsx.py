"""For foreign.sh: workbooks as openpyxl writes and reads them.

foreign_xlsx.py write TABLE.csv BOOK.xlsx
foreign_xlsx.py read BOOK.xlsx TABLE.csv
"""
import csv
import datetime
import sys

import openpyxl


def cell_of(text):
    return int(text) if text.isdigit() and str(int(text)) == text else text or None


def text_of(value):
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d")
    return str(value)


if sys.argv[1] == "write":
    book = openpyxl.Workbook()
    with open(sys.argv[2], encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            book.active.append([cell_of(text) for text in row])
    book.save(sys.argv[3])
else:
    sheet = openpyxl.load_workbook(sys.argv[2]).worksheets[0]
    with open(sys.argv[3], "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for row in sheet.iter_rows(values_only=True):
            writer.writerow([text_of(value) for value in row])
