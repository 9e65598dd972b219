#!/usr/bin/env python3
"""A ledger, written down a second time from the description of the file in src/ledger/ledger_inside.h.

    make-ledger.py LEDGER KEY [--pending PLACE TEXT]

KEY is a file with a key; LEDGER has three releases of twelve people, p0 to p11: quarters of a table whose groups have
three or more. With --pending the last one was about to get its name: PLACE, with the bytes TEXT.
"""
import hashlib
import hmac
import os
import struct
import sys

MAGIC = b"kanon ledger 1\n\0"
PART = 1 << 20


def keyed(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def siphash(key, value):
    """SipHash-2-4 of 128 bits."""
    most = (1 << 64) - 1
    k0, k1 = struct.unpack("<QQ", key[:16])
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def turn(word, bits):
        return (word << bits | word >> 64 - bits) & most

    def rounds(n):
        for _ in range(n):
            for a, b, c, d, first, second in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
                v[a] = v[a] + v[b] & most
                v[c] = v[c] + v[d] & most
                v[b] = turn(v[b], first) ^ v[a]
                v[d] = turn(v[d], second) ^ v[c]
                v[a] = turn(v[a], 32)

    padded = value + bytes(-(len(value) + 1) % 8) + bytes([len(value) % 256])
    for at in range(0, len(padded), 8):
        word = struct.unpack("<Q", padded[at : at + 8])[0]
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return struct.pack("<QQ", first, v[0] ^ v[1] ^ v[2] ^ v[3])


def text(value):
    value = value.encode()
    return struct.pack("<I", len(value)) + value


def filled(value, multiple):
    return value + bytes(-len(value) % multiple)


def sum_of(key, part_key, value):
    return keyed(key, *(siphash(part_key, value[at : at + PART]) for at in range(0, len(value), PART)))


def release(facts, number, name, month, people, pending, place, content):
    facts += struct.pack("<IIqQQQI", number, pending, 1767225600 + (month - 1) * 2592000, 3, len(people), len(people),
                         max(people.values()) + 1)
    for value in (name, place, content, "people.yaml", "5f" * 32):
        facts += text(value)
    facts += struct.pack("<II", 2, 1)
    facts += text("age") + struct.pack("<I", 2) + text("30-39") + text("60-69")
    return filled(facts, 4) + struct.pack("<II", 0, 1)


def main():
    path, key_path = sys.argv[1:3]
    place, content = (sys.argv[4], sys.argv[5].encode()) if sys.argv[3:4] == ["--pending"] else ("", None)
    with open(key_path, "rb") as file:
        key = file.read()
    mark_key, part_key, sum_key, seal_key, check = (
        keyed(key, MAGIC, purpose) for purpose in (b"mark", b"part", b"sum", b"seal", b"check"))
    # groups are divided, and then three people leave
    releases = [
        {f"p{i}": i // 6 for i in range(12)},
        {f"p{i}": i // 3 for i in range(12)},
        {f"p{i}": i // 3 for i in range(9)},
    ]
    facts = text("id")
    for i, people in enumerate(releases):
        is_last = i + 1 == len(releases)
        is_pending = is_last and content is not None
        facts = release(facts, i + 1, f"people-q{i + 1}.csv", 1 + 3 * i, people, is_pending, place if is_last else "",
                        hashlib.sha256(content).hexdigest() if is_pending else "")
    facts = filled(facts, 16)
    marks = sorted((siphash(mark_key, person.encode()), person) for person in {p for r in releases for p in r})
    body = facts + b"".join(mark for mark, _ in marks)
    for people in releases:
        body += b"".join(struct.pack("<I", people[person] + 1 if person in people else 0) for _, person in marks)
    head = MAGIC + check[:16] + struct.pack("<QQIIQ", 64 + len(body) + 32, len(marks), len(releases), len(releases) + 1,
                                            len(facts))
    whole = sum_of(sum_key, part_key, head + body)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(head + body + whole + (b"" if content is not None else keyed(seal_key, whole)))


if __name__ == "__main__":
    main()
