"""The OpenAPI document in the form in which a page shows it: endpoints by subject, and the shapes that go in and come out."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from drf_spectacular.generators import SchemaGenerator

SUBJECTS = {
    "catalogue": "What can be beaten",
    "submissions": "Submissions",
    "evaluations": "Evaluations",
    "leaderboards": "Boards and figures",
    "competitions": "Competitions and groups",
    "me": "You and your tokens",
    "webhooks": "Webhooks",
    "status": "The site",
}
"""Tags of endpoints in the order of the page. Other tags follow under their own names."""
VALUE = re.compile(r"(?:^|\n+)\* `([^`]*)` - (.*)")
"""A line with one value of a choice and what it means."""
Node = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type in words. `shape` is the name of the shape that it leads to, "" for plain values."""

    words: str
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a member. `place` is `path`, `query`, `header` or `body`."""

    name: str
    place: str
    kind: Kind
    required: bool
    default: str
    says: str


@dataclass(frozen=True, slots=True)
class Answer:
    status: str
    media: str
    kind: Kind | None
    says: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`link` is its address where it can be asked for without anything."""

    name: str
    method: str
    path: str
    link: str
    says: str
    needs_token: bool
    fields: tuple[Field, ...]
    media: tuple[str, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    tag: str
    title: str
    endpoints: tuple[Endpoint, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    says: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Described:
    subjects: tuple[Subject, ...]
    shapes: tuple[Shape, ...]


@functools.cache
def described() -> Described:
    """The API of this site. It is the same for everybody and as long as the process lives."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    shapes = _node(_node(document.get("components")).get("schemas"))
    endpoints: dict[str, list[Endpoint]] = {tag: [] for tag in SUBJECTS}
    for path, methods in _node(document["paths"]).items():
        for method, operation in _node(methods).items():
            one = _node(operation)
            tags = one.get("tags")
            tag = str(tags[0]) if isinstance(tags, list) and tags else "other"
            endpoints.setdefault(tag, []).append(_endpoint(path, method, one, shapes))
    subjects = (Subject(tag, SUBJECTS.get(tag, tag.capitalize()), tuple(found)) for tag, found in endpoints.items() if found)
    listed = (
        Shape(name, _says(_node(node)), tuple(_members(_node(node), shapes))) for name, node in shapes.items() if "enum" not in _node(node)
    )
    return Described(tuple(subjects), tuple(listed))


def _endpoint(path: str, method: str, operation: Node, shapes: Node) -> Endpoint:
    parameters = [_parameter(_node(one), shapes) for one in _list(operation.get("parameters"))]
    content = _node(_node(operation.get("requestBody")).get("content"))
    body = [] if not content else list(_members(_resolved(_node(_node(next(iter(content.values()))).get("schema")), shapes), shapes))
    shown = path.rstrip("/")
    return Endpoint(
        name=str(operation["operationId"]),
        method=method.upper(),
        path=shown,
        link=shown if method == "get" and not any(one.required for one in parameters) else "",
        says=_says(operation),
        needs_token={} not in _list(operation.get("security")),
        fields=(*sorted(parameters, key=lambda one: ("path", "query", "header", "body").index(one.place)), *body),
        media=tuple(content),
        answers=tuple(_answers(_node(operation.get("responses")), shapes)),
    )


def _parameter(node: Node, shapes: Node) -> Field:
    schema = _node(node.get("schema"))
    return Field(
        str(node["name"]),
        str(node["in"]),
        _kind(schema, shapes),
        bool(node.get("required")),
        _default(schema),
        _says(node) or _says(schema),
    )


def _members(shape: Node, shapes: Node) -> Iterator[Field]:
    required = _list(shape.get("required"))
    for name, schema in _node(shape.get("properties")).items():
        node = _node(schema)
        yield Field(name, "body", _kind(node, shapes), name in required, _default(node), _says(node))


def _answers(responses: Node, shapes: Node) -> Iterator[Answer]:
    for status, response in sorted(responses.items()):
        node = _node(response)
        content = _node(node.get("content"))
        for media, schema in content.items():
            shown = "application/problem+json" if status >= "4" else media
            yield Answer(status, shown, _kind(_node(_node(schema).get("schema")), shapes), _says(node))
        if not content:
            yield Answer(status, "", None, _says(node))


def _kind(schema: Node, shapes: Node) -> Kind:
    """The type in words; what may be null says so."""
    found = _without_null(schema, shapes)
    return Kind(f"{found.words} or null", found.shape) if schema.get("nullable") else found


def _without_null(schema: Node, shapes: Node) -> Kind:
    if name := _name(schema):
        target = _node(shapes.get(name))
        return _without_null(target, shapes) if "enum" in target else Kind(name, name)
    if "enum" in schema:
        return Kind("one of " + ", ".join(str(value) or "“”" for value in _list(schema["enum"])))
    for key in ("allOf", "oneOf", "anyOf"):
        if options := [_without_null(_node(option), shapes) for option in _list(schema.get(key))]:
            return options[0] if len(options) == 1 else Kind(" or ".join(option.words for option in options))
    if schema.get("type") == "array":
        inner = _without_null(_node(schema.get("items")), shapes)
        return Kind(f"list of {inner.words}", inner.shape)
    if schema.get("type") == "object":
        inner = _without_null(_node(schema.get("additionalProperties")), shapes)
        return Kind(f"object of {inner.words}", inner.shape) if inner.words else Kind("object")
    return Kind(str({"date-time": "time"}.get(str(schema.get("format")), schema.get("type", ""))))


def _resolved(schema: Node, shapes: Node) -> Node:
    return _node(shapes.get(name)) if (name := _name(schema)) else schema


def _name(schema: Node) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _says(node: Node) -> str:
    """The description in one paragraph; lists of values become part of it."""
    text = str(node.get("description", ""))
    return " ".join(VALUE.sub(lambda found: "" if found[1] == found[2] else f" `{found[1]}`: {found[2]};", text).split()).removesuffix(";")


def _default(schema: Node) -> str:
    return str(schema["default"]) if schema.get("default") not in (None, "") else ""


def _node(value: object) -> Node:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
