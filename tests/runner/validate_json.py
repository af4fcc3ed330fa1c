"""Validates a JSON text by a schema: python3 validate_json.py SCHEMA TEXT

Knows the keywords that docs/golden-report.schema.json uses, and refuses a schema with any other."""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
NOTES = {"$schema", "title", "description"}
KEYWORDS = NOTES | {"type", "enum", "properties", "required", "additionalProperties", "items"}


def check(value, schema, place):
    assert set(schema) <= KEYWORDS, f"{place}: the schema has {set(schema) - KEYWORDS}"
    is_right = isinstance(value, TYPES[schema["type"]])
    if isinstance(value, bool):
        is_right = schema["type"] == "boolean"
    assert is_right, f"{place}: {value!r} is no {schema['type']}"
    assert value in schema.get("enum", [value]), f"{place}: {value!r} is not in the enum"
    if isinstance(value, list):
        for index, item in enumerate(value):
            check(item, schema["items"], f"{place}[{index}]")
    if isinstance(value, dict):
        missing = set(schema["required"]) - set(value)
        assert not missing, f"{place}: {missing} missing"
        for name, member in value.items():
            assert name in schema["properties"], f"{place}: {name} is not in the schema"
            check(member, schema["properties"][name], f"{place}.{name}")


with open(sys.argv[1]) as schema_file, open(sys.argv[2]) as text_file:
    check(json.load(text_file), json.load(schema_file), "report")
