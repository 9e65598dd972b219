"""The text that kanon has for a value: what hierarchies and releases show. The forms are those of
src/io/field.h; a test compares them with what the program writes."""

from __future__ import annotations

import datetime
import decimal
import struct

_DAY = 86400
_DIGITS = {"s": 0, "m": 3, "u": 6, "n": 9}  # of a second, by unit
_FIRST_DAY = datetime.date(1970, 1, 1).toordinal()


def of_real(number: float) -> str:
    """The fewest digits that give the same number; whole ones as such. NaN has none."""
    if number != number:
        return ""
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    if abs(number) < 9.2e18 and number == int(number):
        return str(int(number))
    for digits in (15, 16, 17):
        text = "%.*g" % (digits, number)
        if float(text) == number:
            break
    return text


def of_single(number: float) -> str:
    """The same of a float of 32 bits."""
    if number - number != 0:
        return of_real(number)
    for digits in range(6, 10):
        short = float("%.*g" % (digits, number))
        try:
            if struct.unpack("f", struct.pack("f", short))[0] == number:
                return of_real(short)
        except OverflowError:  # rounded up beyond the largest
            pass
    return of_real(number)


def of_decimal(number: decimal.Decimal) -> str:
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    if len(digits) <= 15:
        return of_real(float(number))
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _of_fraction(units: int, digits: int) -> str:
    return ("." + f"{units:0{digits}d}".rstrip("0")) if units else ""


def _of_time(time: int, digits: int) -> str:
    if time < 0:
        return "-" + _of_time(-time, digits)
    second, units = divmod(time, 10**digits)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return clock + _of_fraction(units, digits)


def of_moment(form: str, word: int) -> str:
    """Of a date, a time or a timestamp as Arrow has it."""
    if form[1] == "t":
        return _of_time(word, _DIGITS[form[2]])
    if form == "tdD":
        return datetime.date.fromordinal(_FIRST_DAY + word).isoformat()
    if form == "tdm":
        return datetime.date.fromordinal(_FIRST_DAY + word // (_DAY * 1000)).isoformat()
    digits = _DIGITS[form[2]]
    day, time = divmod(word, _DAY * 10**digits)
    date = datetime.date.fromordinal(_FIRST_DAY + day).isoformat()
    return f"{date} {_of_time(time, digits)}" + ("+00" if form[4:] else "")


def _short(text: str) -> str:
    """Without zeros at the end of a fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def of_object(value) -> str:
    """Of any Python object: what kanon reads where a column of such values is one of its types."""
    name = type(value).__name__
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or name in ("bool_", "bool"):
        return "true" if value else "false"
    if isinstance(value, float):
        return of_real(value)
    if name == "float32":
        return of_single(float(value))
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return of_decimal(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            return _short(value.isoformat(sep=" "))
        return _short(value.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(sep=" ")) + "+00"
    if isinstance(value, datetime.time):
        return _short(value.isoformat())
    return str(value)
