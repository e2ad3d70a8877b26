"""The small reader of RON."""

from __future__ import annotations

import math

import pytest
from weightlab._ron import Named, RonError, parse, settings, written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("1_000", 1000),
        ("0x1F", 31),
        ("1e-5", 1e-5),
        ("2.", 2.0),
        (".5", 0.5),
        ("-inf", -math.inf),
        ("18446744073709551615", 2**64 - 1),
        ("true", True),
        ("None", None),
        ("Some(3)", 3),
        ('"a \\"b\\" \\\\ \\n \\u{e9} \\x41"', 'a "b" \\ \n é A'),
        ('r#"a "b" \\n"#', 'a "b" \\n'),
        ("'x'", "x"),
        ("[1, 2, /* two */ 3,] // three", [1, 2, 3]),
        ('{"a": 1, 2: [3]}', {"a": 1, 2: [3]}),
        ("()", Named()),
        ('(1, "a")', Named("", {}, [1, "a"])),
        ("Unit", Named("Unit")),
        ("A(b: 1, r#type: B(2))", Named("A", {"b": 1, "type": Named("B", {}, [2])})),
        ("#![enable(implicit_some)] (a: 1)", Named("", {"a": 1})),
    ],
)
def test_values_are_read(text: str, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    "text", ["", "(", "(a: )", "[1 2]", "(a: 1", '"open', "1 2", "@", "{1 2}", "1.2.3", "(" * 1000]
)
def test_what_is_no_ron_is_refused(text: str) -> None:
    with pytest.raises(RonError, match="line 1: "):
        parse(text)


def test_an_error_names_its_line() -> None:
    with pytest.raises(RonError, match="line 3: "):
        parse("(\n  a: 1,\n  b: @,\n)")


def test_a_value_is_written_as_it_is_read() -> None:
    text = '(a: Do(Prune(amount: Fraction(0.8))), b: [1, 2.5, true, None, "x\\"y"], c: {"k": A})'
    assert written(parse(text)) == text


def test_settings_have_paths() -> None:
    text = """(net: Mlp(hidden: [300, 100]), train: (optimizer: Adam(rate: 0.01), batch: 60), seed: 3,
        plan: [Train("20ep"), Test, Repeat(times: 2, body: [Do(Prune(amount: Fraction(0.8)))])])"""
    assert settings(parse(text)) == {
        **{"net": "Mlp", "net.hidden": "[300, 100]", "train.optimizer": "Adam", "train.optimizer.rate": 0.01},
        **{"train.batch": 60, "seed": 3, "plan.0": "Train(20ep)", "plan.1": "Test", "plan.2": "Repeat"},
        **{"plan.2.times": 2, "plan.2.body.0": "Prune", "plan.2.body.0.amount": "Fraction(0.8)"},
    }
