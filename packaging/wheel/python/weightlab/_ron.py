"""RON as Weightlab writes it into ``run.ron``, and settings by their paths."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Union

Scalar = Union[bool, int, float, str, None]
"""The value of one setting."""

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|\#!\[[^\]]*\])
      | (?P<text>"(?:[^"\\]|\\.)*")
      | (?P<raw>r(?P<fence>\#*)".*?"(?P=fence))
      | (?P<char>'(?:[^'\\]|\\.[^']*)')
      | (?P<word>(?:r\#)?[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>[-+]?(?:inf|NaN|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9.][0-9_.]*(?:[eE][-+]?[0-9_]+)?))
      | (?P<mark>[()\[\]{}:,])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|\r?\n\s*|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "None": None, "inf": float("inf"), "NaN": float("nan")}
_DEEPEST = 200
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class RonError(ValueError):
    """A text is no RON; says where."""


@dataclass
class Named:
    """``Prune(amount: 0.8)``: a name (empty for a bare pair of brackets) with settings by name or by position."""

    name: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)


def parse(text: str) -> Any:
    """The value of a text: numbers, texts and truth values as Python's, lists and maps as such, all else `Named`.

    Raises `RonError` with the line where the text is no RON.
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[re.Match[str]] = []
        self.at = 0
        self.depth = 0
        end = 0
        while end < len(text):
            token = _TOKEN.match(text, end)
            if token is None:
                raise self.error(f"{text[end]!r} is not expected", end)
            if token.lastgroup != "space":
                self.tokens.append(token)
            end = token.end()

    def error(self, problem: str, offset: int) -> RonError:
        return RonError(f"line {self.text.count(chr(10), 0, offset) + 1}: {problem}")

    def whole(self) -> Any:
        value = self.value()
        if self.at < len(self.tokens):
            raise self.error("more follows after the end", self.tokens[self.at].start())
        return value

    def next(self) -> re.Match[str]:
        if self.at == len(self.tokens):
            raise self.error("the text ends too early", len(self.text))
        self.at += 1
        return self.tokens[self.at - 1]

    def has(self, mark: str, ahead: int = 0) -> bool:
        at = self.at + ahead
        return at < len(self.tokens) and self.tokens[at].group() == mark

    def value(self) -> Any:
        token = self.next()
        text = token.group()
        if token.group("text") or token.group("char"):
            return _unescaped(text[1:-1])
        if token.group("raw"):
            fence = len(token.group("fence"))
            return text[fence + 2 : len(text) - fence - 1]
        if token.group("number"):
            return self.number(token)
        if token.group("word"):
            return self.named(text)
        if text in _CLOSING:
            return self.group(text, "")
        raise self.error(f"a value is expected, not {text!r}", token.start())

    def number(self, token: re.Match[str]) -> int | float:
        digits = token.group().replace("_", "")
        try:
            return int(digits, 0) if re.fullmatch(r"[-+]?(0[xob].*|0|[1-9]\d*)", digits) else float(digits)
        except ValueError:
            raise self.error(f"{digits[:40]!r} is no number", token.start()) from None

    def named(self, word: str) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        if not self.has("("):
            return Named(word)
        self.at += 1
        inner = self.group("(", word)
        return inner.items[0] if word == "Some" and inner.items else inner

    def group(self, opening: str, name: str) -> Any:
        """What is between brackets, the first of which is behind us."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error("the brackets are nested too deep", self.tokens[self.at - 1].start())
        found = Named(name)
        pairs: dict[Any, Any] = {}
        while not self.has(_CLOSING[opening]):
            if opening == "(" and self.has(":", 1):
                key = self.next().group()
                self.at += 1
                found.fields[key[2:] if key.startswith("r#") else key] = self.value()
            elif opening == "{":
                self.pair(pairs)
            else:
                found.items.append(self.value())
            if self.has(","):
                self.at += 1
            elif not self.has(_CLOSING[opening]):
                where = self.tokens[self.at].start() if self.at < len(self.tokens) else len(self.text)
                raise self.error(f"{_CLOSING[opening]!r} is missing", where)
        self.at += 1
        self.depth -= 1
        return {"(": found, "[": found.items, "{": pairs}[opening]

    def pair(self, pairs: dict[Any, Any]) -> None:
        key, colon = self.value(), self.next()
        if colon.group() != ":":
            raise self.error("':' is missing", colon.start())
        pairs[key if isinstance(key, (str, int, float)) else written(key)] = self.value()


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code and int(code, 16) <= 0x10FFFF:
            return chr(int(code, 16))
        return _ESCAPES.get(match[3], match[3]) if match[3] else ""

    return _ESCAPE.sub(character, text) if "\\" in text else text


def written(value: Any) -> str:
    """A value in one line of RON."""
    if isinstance(value, Named):
        parts = [written(item) for item in value.items]
        parts += [f"{name}: {written(item)}" for name, item in value.fields.items()]
        return f"{value.name}({', '.join(parts)})" if parts or not value.name else value.name
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(key)}: {written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return "None" if value is None else repr(value)


def settings(value: Any) -> dict[str, Scalar]:
    """Single settings by path, such as ``train.batch``: the paths of ``--set``, as ``weightlab show`` has them.

    A choice is its name, and its settings are below: ``train.optimizer`` is ``Adam``, ``train.optimizer.rate`` a number.
    A choice with one plain value, and a list of plain values, are text: ``Fraction(0.8)``, ``[300, 100]``.
    """
    found: dict[str, Scalar] = {}
    _collect(value, "", found)
    return found


def _collect(value: Any, path: str, found: dict[str, Scalar]) -> None:
    def below(key: object) -> str:
        return f"{path}.{key}" if path else str(key)

    if isinstance(value, Named):
        if value.name and len(value.items) == 1 and _is_plain(value.items):
            own = value.items[0]
            found[path] = f"{value.name}({own if isinstance(own, str) else written(own)})"
            return
        if value.name:
            found[path] = value.name
        for key, item in value.fields.items():
            _collect(item, below(key), found)
        if len(value.items) == 1:
            _collect(value.items[0], path, found)
        elif value.items:
            _collect(value.items, path, found)
    elif isinstance(value, list) and not _is_plain(value):
        for index, item in enumerate(value):
            _collect(item, below(index), found)
    elif isinstance(value, (list, dict)):
        found[path] = written(value)
    else:
        found[path] = value


def _is_plain(values: list[Any]) -> bool:
    return not values or not isinstance(values[0], (Named, list, dict))
