"""Validates a JSON text by a schema: python3 validate_json.py SCHEMA TEXT

Knows the keywords that the schemas in docs/ use, and refuses a schema with any other."""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}
NOTES = {"$schema", "title", "description"}
KEYWORDS = NOTES | {"type", "enum", "properties", "required", "additionalProperties", "items"}


def is_of(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def check(value, schema, place):
    assert set(schema) <= KEYWORDS, f"{place}: the schema has {set(schema) - KEYWORDS}"
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(is_of(value, name) for name in types), f"{place}: {value!r} is no {' or '.join(types)}"
    assert value in schema.get("enum", [value]), f"{place}: {value!r} is not in the enum"
    if isinstance(value, list):
        for index, item in enumerate(value):
            check(item, schema["items"], f"{place}[{index}]")
    if isinstance(value, dict):
        missing = set(schema.get("required", [])) - set(value)
        assert not missing, f"{place}: {missing} missing"
        for name, member in value.items():
            of_member = schema.get("properties", {}).get(name, schema.get("additionalProperties", True))
            assert of_member is not False, f"{place}: {name} is not in the schema"
            if of_member is not True:
                check(member, of_member, f"{place}.{name}")


with open(sys.argv[1]) as schema_file, open(sys.argv[2]) as text_file:
    check(json.load(text_file), json.load(schema_file), "report")
