"""HTML in which text from people stays text: every value is escaped, and written in its own direction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Markup:
    """A piece of HTML that is safe to put into a page."""

    html: str


Content = str | Markup


def text(value: Content) -> str:
    """Return HTML for ``value``; plain text is escaped."""
    return value.html if isinstance(value, Markup) else escape(value)


def element(name: str, *contents: Content, css: str = "", **attributes: str) -> Markup:
    """Return an element with ``contents``. Its direction follows its own text."""
    classes = {"class": css} if css else {}
    shown = "".join(f' {key}="{escape(value)}"' for key, value in {**classes, **attributes}.items())
    return Markup(f"<{name}{shown}>{''.join(map(text, contents))}</{name}>")


def said(value: str) -> Markup:
    """Return somebody's words, told apart from ours and in their own direction."""
    return element("bdi", value, css="said") if value else element("i", "(empty)", css="quiet")


def joined(*contents: Content) -> Markup:
    """Return ``contents`` one after another."""
    return Markup("".join(map(text, contents)))


def table(
    heads: Sequence[str], rows: Iterable[Sequence[Content]], *, caption: str, numeric: Iterable[int] = ()
) -> Markup:
    """Return a table; the first cell of each row is its head.

    Args:
        heads: of the columns.
        rows: cells, one for each column.
        caption: what it shows.
        numeric: places of the columns with numbers.
    """
    numbers = set(numeric)

    def cell(place: int, content: Content) -> Markup:
        css = "number" if place in numbers else ""
        return element("td", content, css=css) if place else element("th", content, scope="row", css=css)

    head = [
        element("th", each, scope="col", css="number" if place in numbers else "") for place, each in enumerate(heads)
    ]
    body = [element("tr", *(cell(place, content) for place, content in enumerate(row))) for row in rows]
    inner = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    # Wider than a phone, it scrolls by itself, by keyboard too; its caption stays where it can be read.
    region = element("div", inner, css="scroll", tabindex="0", role="region", **{"aria-label": caption})
    return joined(element("p", caption, css="caption"), region)


def bullets(items: Iterable[Content], *, css: str = "") -> Markup:
    """Return a list."""
    return element("ul", *(element("li", item) for item in items), css=css)
