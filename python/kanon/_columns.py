"""Frames as columns of Arrow, and back.

A column is the tuple that the C part takes (python/module.c). What Arrow does not know of a frame's
column (its dtype, which objects its texts stand for) is kept in a `Shape`, and used when the released
column becomes a column of the same kind again.
"""

from __future__ import annotations

import array
import datetime
import hashlib
import struct
from typing import Any, Iterable, Optional

from . import _kanon, _texts as _text
from ._errors import BadInput

NULLABLE = 2
ORDERED = 1


class Unreadable(Exception):
    """Values of a type that is not read: such a column can only be left out."""


def unread(name: str, n_rows: int, type_name: str) -> tuple:
    """A column that stands for one that is not read. The library refuses its use by that name."""
    return (name, type_name, NULLABLE, n_rows, 0, 0, [], None)


# ---- making -------------------------------------------------------------------------------------


def _address(values):
    """A buffer of a numpy array or an array.array, with its owner."""
    if isinstance(values, array.array):
        address, n = values.buffer_info()
        return (address, n * values.itemsize, values)
    return (values.__array_interface__["data"][0], values.nbytes, values)


def _bits(flags: Iterable[bool]) -> bytes:
    out = bytearray()
    byte = bit = 0
    for flag in flags:
        byte |= bool(flag) << bit
        bit += 1
        if bit == 8:
            out.append(byte)
            byte = bit = 0
    if bit:
        out.append(byte)
    return bytes(out) or b"\0"


def _texts(name: str, values: list) -> tuple:
    """A column of texts without a missing one: what a dictionary has."""
    parts = [value.encode("utf-8", "surrogateescape") for value in values]
    offsets = array.array("q", [0])
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    return (name, "U", NULLABLE, len(parts), 0, 0, [None, _address(offsets), b"".join(parts)], None)


def _indices(name: str, codes, dictionary: tuple, ordered: bool = False) -> tuple:
    """A column of indices in an array.array or numpy array of int32; -1 is missing."""
    missing = [code < 0 for code in codes] if isinstance(codes, array.array) else codes < 0
    n_missing = int(sum(missing)) if isinstance(codes, array.array) else int(missing.sum())
    validity = None
    if n_missing:
        validity = _bits(not m for m in missing) if isinstance(codes, array.array) else _np_bits(~missing)
    flags = NULLABLE | (ORDERED if ordered else 0)
    return (name, "i", flags, len(codes), n_missing, 0, [validity, _address(codes)], dictionary)


def _np_bits(flags) -> bytes:
    import numpy

    return numpy.packbits(flags, bitorder="little").tobytes() or b"\0"


class Shape:
    """What a frame knows of a column beyond Arrow."""

    def of_labels(self) -> "Shape":
        """That of the column when it shows labels: no text of them stands for an object."""
        return Shape(self.dtype, self.kind)

    def __init__(self, dtype: Any = None, kind: str = "plain", objects: Optional[dict] = None):
        self.dtype = dtype  # of pandas or numpy; None: a list
        self.kind = kind  # plain, nullable, object, category
        self.objects = objects or {}  # text: the object that it stands for


def is_missing(value) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN, NaT
    except TypeError:
        return True  # pandas.NA is neither


def _refuse_alike(name: str, one, other) -> None:
    types = sorted({type(one).__name__, type(other).__name__})
    raise BadInput(
        f"column {name!r} has different values with the same text, of the types {' and '.join(types)}: "
        "in a release nobody could tell them apart; make them values of one type, or drop the column"
    )


def _key(value) -> tuple:
    """What tells objects apart: also such as are equal, 1 and 1.0, 0.0 and -0.0, moments of two zones."""
    if type(value).__module__ == "numpy":
        value = value.item()
    kind = type(value)
    return (kind, value) if kind in (str, int, bool) else (kind, value, repr(value))


def kinds_of_missing(values: Iterable) -> set:
    return {"NaN" if isinstance(value, float) else type(value).__name__ for value in values if is_missing(value)}


def from_objects(name: str, values: Iterable) -> tuple:
    """A column of any Python objects, each distinct one once: (column, Shape)."""
    seen: dict = {}
    texts: list = []
    place: dict = {}
    objects: list = []
    codes = array.array("i")
    for value in values:
        try:
            code = seen.get(_key(value))
        except TypeError:
            raise Unreadable(f"Python's {type(value).__name__}") from None
        if code is None:
            if is_missing(value):
                code = -1
            else:
                text = _text.of_object(value)
                code = place.setdefault(text, len(texts))
                if code == len(texts):
                    texts.append(text)
                    objects.append(value)
                elif _key(objects[code]) != _key(value):
                    _refuse_alike(name, objects[code], value)
            seen[_key(value)] = code
        codes.append(code)
    known = {text: value for text, value in zip(texts, objects) if not isinstance(value, str)}
    return _indices(name, codes, _texts("", texts)), Shape(None, "object", known)


def from_list(name: str, values: list) -> tuple:
    """A list: whole numbers and floats as such, else texts."""
    known = [value for value in values if value is not None]
    if known and all(type(value) is int for value in known):
        if all(-(2**63) <= value < 2**63 for value in known):
            return _numbers(name, values, "l", "q"), Shape()
        if all(0 <= value < 2**64 for value in known):
            return _numbers(name, values, "L", "Q"), Shape()
    elif known and all(type(value) is float or type(value) is int and abs(value) <= 2**53 for value in known):
        return _numbers(name, values, "g", "d"), Shape()
    return from_objects(name, values)


def _numbers(name: str, values: list, form: str, code: str) -> tuple:
    numbers = array.array(code, [0 if value is None else value for value in values])
    n_missing = sum(value is None for value in values)
    validity = _bits(value is not None for value in values) if n_missing else None
    return (name, form, NULLABLE, len(values), n_missing, 0, [validity, _address(numbers)], None)


_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}  # of numpy, and of Arrow
_NUMPY = {
    "int8": "c", "int16": "s", "int32": "i", "int64": "l",
    "uint8": "C", "uint16": "S", "uint32": "I", "uint64": "L",
    "float32": "f", "float64": "g",
}  # fmt: skip


def _from_words(name: str, form: str, words, missing) -> tuple:
    n_missing = int(missing.sum()) if missing is not None else 0
    validity = _np_bits(~missing) if n_missing else None
    return (name, form, NULLABLE, len(words), n_missing, 0, [validity, _address(words)], None)


def _from_bools(name: str, values, missing) -> tuple:
    n_missing = int(missing.sum()) if missing is not None else 0
    validity = _np_bits(~missing) if n_missing else None
    return (name, "b", NULLABLE, len(values), n_missing, 0, [validity, _np_bits(values)], None)


def _told_apart(values) -> tuple:
    """pandas.factorize of objects. Of texts alone it reads no more than what stands before a zero byte: such are refused."""
    import pandas

    codes, uniques = pandas.factorize(values)
    if all(isinstance(value, str) for value in uniques):
        is_there = slice(None) if codes.min(initial=0) >= 0 else codes >= 0
        if (uniques[codes[is_there]] != values[is_there]).any():
            raise TypeError("texts with zero bytes")
    return codes, uniques


_FEW = 4096  # so many objects tell whether the others are few


def _factorize(values) -> tuple:
    """The same, faster. Texts of a table are mostly a few objects that many rows share: these are told apart
    by where they are, and only they are looked at."""
    import numpy
    import pandas

    values = numpy.ascontiguousarray(values)
    address, n = values.__array_interface__["data"][0], len(values)
    places = numpy.frombuffer(_kanon.view(address, 8 * n), dtype="int64") if n else numpy.empty(0, "int64")
    if values.itemsize != 8 or n <= _FEW or len(set(places[:_FEW].tolist())) > _FEW // 4:
        return _told_apart(values)
    codes, known = pandas.factorize(places)  # while `values` is there, no other object is where one of these is
    if len(known) > n // 4:
        return _told_apart(values)
    codes = codes.astype("int32")
    first = numpy.empty(len(known), dtype="int64")
    first[codes[::-1]] = numpy.arange(n - 1, -1, -1)
    again, uniques = _told_apart(values[first])
    return again.astype("int32")[codes], uniques


def from_series(name: str, series) -> tuple:
    """A column of pandas: (column, Shape)."""
    import numpy
    import pandas

    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        _, shape = from_objects(name, list(dtype.categories))
        texts = [_text.of_object(category) for category in dtype.categories]
        codes = numpy.ascontiguousarray(series.cat.codes.to_numpy(), dtype="int32")
        column = _indices(name, codes, _texts("", texts), bool(dtype.ordered))
        return column, Shape(dtype, "category", shape.objects)
    if pandas.api.types.is_extension_array_dtype(dtype) and not isinstance(
        dtype, pandas.DatetimeTZDtype
    ):
        missing = series.isna().to_numpy()
        if pandas.api.types.is_bool_dtype(dtype):
            return (
                _from_bools(name, series.to_numpy("bool", na_value=False), missing),
                Shape(dtype, "nullable"),
            )
        if pandas.api.types.is_numeric_dtype(dtype) and dtype.name.lower() in _NUMPY:
            plain = dtype.name.lower()
            words = numpy.ascontiguousarray(series.to_numpy(plain, na_value=0))
            return _from_words(name, _NUMPY[plain], words, missing), Shape(dtype, "nullable")
        column, shape = from_objects(name, series.tolist())
        return column, Shape(dtype, "nullable-object", shape.objects)
    if isinstance(dtype, pandas.DatetimeTZDtype) or dtype.kind == "M":
        zone = str(dtype.tz) if isinstance(dtype, pandas.DatetimeTZDtype) else ""
        plain = series.dt.tz_convert("UTC").dt.tz_localize(None) if zone else series
        moments = plain.to_numpy()
        unit = _UNITS[numpy.datetime_data(moments.dtype)[0]]  # pandas before 2 has ns alone
        words = numpy.ascontiguousarray(moments, dtype=moments.dtype.newbyteorder("=")).view("int64")
        column = _from_words(name, f"ts{unit}:{zone}", words, series.isna().to_numpy())
        return column, Shape(dtype)
    if dtype.kind == "b":
        return _from_bools(name, series.to_numpy(), None), Shape(dtype)
    if dtype.name in _NUMPY:
        # Arrow has the byte order of the machine.
        words = numpy.ascontiguousarray(series.to_numpy(), dtype=dtype.newbyteorder("="))
        missing = numpy.isnan(words) if dtype.kind == "f" else None
        return _from_words(name, _NUMPY[dtype.name], words, missing), Shape(dtype)
    if dtype.kind == "O":
        try:
            codes, uniques = _factorize(series.to_numpy())
        except TypeError:  # some have no hash, which is said below; or pandas does not tell texts apart
            codes, uniques = None, [None]
        if all(isinstance(value, str) for value in uniques):
            codes = numpy.ascontiguousarray(codes, dtype="int32")
            return _indices(name, codes, _texts("", list(uniques))), Shape(dtype, "object")
        column, shape = from_objects(name, series.tolist())
        return column, Shape(dtype, "object", shape.objects)
    raise Unreadable(f"dtype {dtype}")


def digest(columns: list) -> bytes:
    """A number of all that is in columns, to know them again."""
    found = hashlib.sha256()
    for column in columns:
        found.update(repr(column[:6]).encode())
        for buffer in column[6]:
            found.update(_bytes(buffer))
        if column[7] is not None:
            found.update(digest([column[7]]))
    return found.digest()


def from_any(name: str, values) -> tuple:
    """A column of whatever a frame or a dict has: (column, Shape)."""
    if type(values).__module__.split(".")[0] not in ("pandas", "numpy"):
        return from_list(name, list(values))
    if getattr(values, "ndim", 1) != 1:
        raise BadInput(f"column {name!r} has {values.ndim} dimensions; give one column for each")
    try:
        import pandas
    except ImportError:
        return from_list(name, values.tolist())  # an array of numpy alone
    try:
        return from_series(name, pandas.Series(values))
    except pandas.errors.OutOfBoundsDatetime as error:
        raise BadInput(f"column {name!r}: {error}; pandas before 2 cannot hold it, give a list") from None


# ---- reading ------------------------------------------------------------------------------------

_CODES = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q",
          "f": "f", "g": "d"}  # fmt: skip
_EPOCH = datetime.date(1970, 1, 1)


def _bytes(buffer) -> memoryview:
    if buffer is None:
        return memoryview(b"")
    if isinstance(buffer, bytes):
        return memoryview(buffer)
    return _kanon.view(buffer[0], buffer[1])


def _valid(column) -> Optional[list]:
    """Whether each value is there; None: all are."""
    length, offset, buffers = column[3], column[5], column[6]
    if not buffers or buffers[0] is None or column[4] == 0:
        return None
    bits = _bytes(buffers[0])
    return [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(offset, offset + length)]


def _np_missing(column):
    """Whether each value is missing, as an array; None: none is."""
    import numpy

    length, offset, buffers = column[3], column[5], column[6]
    if not buffers or buffers[0] is None or column[4] == 0:
        return None
    bits = numpy.unpackbits(numpy.frombuffer(_bytes(buffers[0]), dtype="uint8"), bitorder="little")
    return bits[offset : offset + length] == 0


def _decode_texts(column) -> list:
    _, form, _, n, _, offset, buffers, _ = column
    if form == "vu":
        views, parts = _bytes(buffers[1]), [_bytes(part) for part in buffers[2:-1]]
        out = []
        for i in range(offset, offset + n):
            size = struct.unpack_from("i", views, i * 16)[0]
            if size <= 12:
                text = bytes(views[i * 16 + 4 : i * 16 + 4 + size])
            else:
                part, at = struct.unpack_from("ii", views, i * 16 + 8)
                text = bytes(parts[part][at : at + size])
            out.append(text.decode("utf-8", "surrogateescape"))
        return out
    codes, known = _numbered(column)
    return [known[code] for code in memoryview(codes).cast("i")]


def _numbered(column) -> tuple:
    """The texts of a column, each once, and which of them each row has, as bytes of int32; also of missing ones."""
    _, form, _, n, _, offset, buffers, _ = column
    if n == 0 or buffers[1] is None:
        return b"\0" * 4 * n, [""]
    wide = form == "U"
    place = _where(buffers[1]) + offset * (8 if wide else 4)
    return _kanon.number_texts(place, wide, None if buffers[2] is None else _where(buffers[2]), n)


def _where(buffer) -> int:
    if isinstance(buffer, bytes):
        import ctypes

        return ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p).value
    return buffer[0]


def with_dictionary(column) -> tuple:
    """A column of texts as one of a dictionary, whose texts are in order."""
    name, _, flags, n, n_missing, offset, buffers, _ = column
    missing = _valid(column)
    codes, known = _numbered(column)
    codes = memoryview(codes).cast("i")
    shown = sorted({known[code] for code in set(codes if missing is None else
                                                (code for code, ok in zip(codes, missing) if ok))})  # fmt: skip
    place = {text: at for at, text in enumerate(shown)}
    new = [place.get(text, 0) for text in known]
    words = array.array("i", [new[code] for code in codes])
    validity = None if missing is None else _bits(missing)
    return (name, "i", flags, n, n_missing, 0, [validity, _address(words)], _texts("", shown))


def _decode_time(form: str, word: int):
    if form == "tdD":
        return _EPOCH + datetime.timedelta(days=word)
    if form == "tdm":
        return _EPOCH + datetime.timedelta(milliseconds=word)
    per_second = {"s": 1, "m": 10**3, "u": 10**6, "n": 10**9}[form[2]]
    if form[2] == "n" and word % 1000:
        return _decode_nanoseconds(form, word)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(
        microseconds=word * 10**6 // per_second
    )
    if form[1] == "t":
        return moment.time()
    return moment.replace(tzinfo=datetime.timezone.utc) if form[4:] else moment


def _decode_nanoseconds(form: str, word: int):
    """Python's own moments end at microseconds; those of pandas do not."""
    try:
        import pandas
    except ImportError:
        pandas = None
    if pandas is None or form[1] != "s":
        raise BadInput("Python's times have no nanoseconds, and a column has them; keep it in a frame, or round it")
    return pandas.Timestamp(word, unit="ns", tz="UTC" if form[4:] else None)


def _raw(column) -> list:
    """The values of a column that has no dictionary, times as numbers; None is missing."""
    _, form, _, n, _, offset, buffers, _ = column
    if form == "n":
        return [None] * n
    if form in ("u", "U", "vu"):
        values = _decode_texts(column)
    elif form == "b":
        bits = _bytes(buffers[1])
        values = [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(offset, offset + n)]
    elif form.startswith("d:"):
        values = _decode_decimals(column)
    else:
        size = 4 if form in ("tdD", "tts", "ttm") else 8
        code = _CODES.get(form, "i" if size == 4 else "q")
        values = _bytes(buffers[1]).cast(code)[offset : offset + n].tolist()
    valid = _valid(column)
    return values if valid is None else [v if ok else None for v, ok in zip(values, valid)]


def to_list(column) -> list:
    """The values of a column as Python objects; None is missing."""
    form, dictionary = column[1], column[7]
    raw = _raw(column)
    if dictionary is not None:
        known = to_list(dictionary)
        return [None if code is None else known[code] for code in raw]
    if form[0] == "t":
        return [None if word is None else _decode_time(form, word) for word in raw]
    return raw


def _text_of_raw(form: str, value) -> str:
    if form == "g":
        return _text.of_real(value)
    if form == "f":
        return _text.of_single(value)
    return _text.of_moment(form, value) if form[0] == "t" else _text.of_object(value)


def texts(column) -> list:
    """The text that kanon has for each value; "" is missing."""
    values = _raw(column)
    if column[7] is not None:
        known = texts(column[7])
        return ["" if code is None else known[code] for code in values]
    return ["" if value is None else _text_of_raw(column[1], value) for value in values]


def distinct(column, shape: Optional[Shape]) -> dict:
    """The values that are not missing, by the text that kanon has for them."""
    form, raws = column[1], dict.fromkeys(_raw(column))
    if column[7] is not None:  # which may have values that no row has
        known = _raw(column[7])
        form, raws = column[7][1], dict.fromkeys(known[code] for code in sorted(set(raws) - {None}))
    objects = shape.objects if shape is not None else {}
    found: dict = {}
    for raw in raws:
        text = "" if raw is None else _text_of_raw(form, raw)
        if text and text not in found:
            found[text] = _decode_time(form, raw) if form[0] == "t" else objects.get(text, raw)
    return found


def misses(column) -> bool:
    """Whether a row has no value, or one that kanon takes for none."""
    valid = _valid(column)
    if valid is not None and not all(valid):
        return True
    if column[7] is not None:
        return misses(column[7])
    form = column[1]
    if form in ("u", "U", "vu"):
        return "" in _raw(column)
    return form == "n" or (form in ("f", "g") and any(value != value for value in _raw(column)))


def _decode_decimals(column) -> list:
    import decimal

    _, form, _, n, _, offset, buffers, _ = column
    parts = form[2:].split(",")
    size = int(parts[2]) // 8 if len(parts) > 2 else 16
    data = bytes(_bytes(buffers[1]))
    words = [int.from_bytes(data[i * size : (i + 1) * size], "little", signed=True) for i in range(offset, offset + n)]
    # Made of its digits: arithmetic would round to those of the context.
    return [
        decimal.Decimal((word < 0, tuple(int(digit) for digit in str(abs(word))), -int(parts[1]))) for word in words
    ]


def _objects(values: list, shape: Optional[Shape]) -> list:
    if shape is None or not shape.objects:
        return values
    return [shape.objects.get(value, value) for value in values]


def to_plain(column, shape: Optional[Shape]) -> list:
    return _objects(to_list(column), shape)


def to_series(column, shape: Optional[Shape]):
    """A released column as one of pandas, of the dtype that it had where its values still fit."""
    import numpy
    import pandas

    _, form, flags, n, n_missing, offset, buffers, dictionary = column
    if dictionary is not None or form in ("u", "U"):
        if dictionary is None:
            codes, known = _numbered(column)
            codes = numpy.frombuffer(codes, dtype="i4")
        else:
            codes = numpy.frombuffer(_bytes(buffers[1]), dtype="i4" if form == "i" else _CODES[form])
            # A copy: where nothing is missing pandas keeps these very codes, and the memory of the stream goes with it.
            codes, known = codes[offset : offset + n].copy(), to_list(dictionary)
        missing = _np_missing(column)
        if missing is not None:
            codes = numpy.where(missing, -1, codes.astype("int64"))
        known = _objects(known, shape)
        if shape is not None and shape.kind == "category":
            categories = pandas.Index(known)
            ordered = bool(flags & ORDERED)
            values = pandas.Categorical.from_codes(codes, categories, ordered=ordered)
            return pandas.Series(values if ordered else _sorted(values))
        values = numpy.empty(len(known) + 1, dtype=object)
        values[: len(known)] = known
        values[len(known)] = numpy.nan  # what -1 takes
        return _to_dtype(pandas.Series(values[codes], dtype=object), shape)
    if form in _CODES or form.startswith("ts"):
        data = numpy.frombuffer(_bytes(buffers[1]), dtype=_CODES.get(form, "q"))
        words = data[offset : offset + n].copy()
        missing = _np_missing(column)
        if form.startswith("ts"):
            return _to_moments(form, words, missing, shape)
        if shape is not None and shape.kind == "nullable":
            series = pandas.Series(words).astype(shape.dtype)
            if missing is not None:
                series[missing] = pandas.NA
            return series
        if missing is not None and missing.any():
            words = words.astype("float64")
            words[missing] = numpy.nan
            if shape is not None and shape.dtype is not None and shape.dtype.kind == "f":
                words = words.astype(shape.dtype)
        elif shape is not None and getattr(shape.dtype, "name", None) == words.dtype.name:
            words = words.astype(shape.dtype)  # its byte order
        return pandas.Series(words)
    values = to_list(column)
    if form == "b":
        if shape is not None and shape.kind == "nullable":
            return pandas.Series(pandas.array(values, dtype="boolean"))
        return pandas.Series(values, dtype=object if None in values else bool)
    values = [numpy.nan if v is None else v for v in _objects(values, shape)]
    return _to_dtype(pandas.Series(values, dtype=object), shape)


def _sorted(values):
    """Categories without an order as pandas sorts them; as texts where it cannot."""
    try:
        return values.reorder_categories(sorted(values.categories))
    except TypeError:
        return values


def _to_dtype(series, shape):
    if shape is None or shape.kind != "nullable-object":
        return series
    try:
        return series.astype(shape.dtype)
    except (TypeError, ValueError):
        return series.astype("string")


def _to_moments(form: str, words, missing, shape):
    import pandas

    unit = {short: unit for unit, short in _UNITS.items()}[form[2]]
    series = pandas.Series(words.view("datetime64[%s]" % unit))
    if missing is not None:
        series[missing] = pandas.NaT
    if form[4:]:
        zone = shape.dtype.tz if shape is not None and shape.dtype is not None else form[4:]
        series = series.dt.tz_localize("UTC").dt.tz_convert(zone)
    return series
