"""Two pictures of a release for notebooks, from the figures of its report alone: these may be shared.

Nothing but inline SVG with its colours: a notebook is light or dark, and has styles of its own.
"""

from __future__ import annotations

from typing import Any, Optional

WIDTH, LABEL, NUMBER, LINE, MOST = 620, 150, 150, 26, 24
FILLED, OUTLINE = "#3b7dd8", "#8494a6"


def escape(text: str) -> str:
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, name)
    return text


def _short(text: str, most: int = 20) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="currentColor" {more}>{escape(text)}</text>'


def _bar(y: float, height: float, share: float, style: str) -> str:
    width = max(share, 0) * (WIDTH - LABEL - NUMBER)
    return f'<rect x="{LABEL}" y="{y:g}" width="{width:.2f}" height="{height:g}" {style}/>'


def _bars(title: str, lines: list) -> str:
    """A line is (name, share before or None, share now, what stands at the end)."""
    height = 34 + LINE * len(lines)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title)}" width="{WIDTH}" '
        f'height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13" '
        'style="display:block;max-width:100%;margin-top:.6em">',
        _text(0, 16, title, 'font-weight="bold"'),
    ]
    for i, (name, before, now, end) in enumerate(lines):
        y = 30 + LINE * i
        parts.append(_text(LABEL - 10, y + 14, _short(name), 'text-anchor="end"'))
        if before is not None:
            parts.append(_bar(y + 1, 17, before, f'fill="none" stroke="{OUTLINE}"'))
        parts.append(_bar(y + 5, 9, now, f'fill="{FILLED}"'))
        parts.append(_text(WIDTH - NUMBER + 10, y + 14, end))
    return "".join(parts) + "</svg>"


def _size(band: dict) -> str:
    least, most = band["least"], band["most"]
    return f"{least:,}" if least == most else f"{least:,}-{most:,}"


def _sizes(figures: dict) -> str:
    """How many rows, or people, are in groups of which size."""
    bands = figures["group_sizes"]
    who = "people" if bands and "people_released" in bands[0] else "rows"
    befores = [band[who + "_before"] for band in bands]
    has_before = bool(bands) and None not in befores
    largest = max([band[who + "_released"] for band in bands] + (befores if has_before else []) + [1])
    lines = []
    for band, before in zip(bands, befores):
        now = band[who + "_released"]
        end = f"{before:,} → {now:,}" if has_before else f"{now:,}"
        lines.append((_size(band), before / largest if has_before else None, now / largest, end))
    title = f"{who.capitalize()} by the size of their group"
    return _bars(title + (": before, and in the release" if has_before else " in the release"), lines)


def _values(figures: dict) -> str:
    """How many different values the columns show."""
    columns = [column for column in figures["columns"] if column["role"] == "quasi-identifier"]
    lines = []
    for column in columns[:MOST]:
        before, now = column["distinct_before"], column["labels"]
        lines.append((column["name"], 1, min(now / max(before, 1), 1), f"{before:,} → {now:,}"))
    if len(columns) > MOST:
        lines.append((f"and {len(columns) - MOST} more", None, 0, ""))
    return _bars("Different values of each column: before, and in the release", lines)


def draw(figures: Optional[Any]) -> str:
    """Both of them; nothing where there are no figures."""
    return _sizes(figures) + _values(figures) if figures else ""
