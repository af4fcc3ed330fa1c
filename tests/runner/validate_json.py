"""Validates a JSON text, or each line of one that ends in .jsonl, by a schema: python3 validate_json.py SCHEMA TEXT

Knows the keywords that the schemas in docs/ use, and refuses a schema with any other."""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}
NOTES = {"$schema", "title", "description"}
KEYWORDS = NOTES | {"type", "enum", "properties", "required", "additionalProperties", "items", "oneOf"}


def is_of(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def check(value, schema, place):
    assert set(schema) <= KEYWORDS, f"{place}: the schema has {set(schema) - KEYWORDS}"
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(is_of(value, name) for name in types), f"{place}: {value!r} is no {' or '.join(types)}"
    assert value in schema.get("enum", [value]), f"{place}: {value!r} is not in the enum"
    if "oneOf" in schema:
        check_one_of(value, schema["oneOf"], place)
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


def check_one_of(value, schemas, place):
    errors = []
    for schema in schemas:
        try:
            check(value, schema, place)
        except AssertionError as error:
            errors.append(str(error))
    assert len(schemas) - len(errors) == 1, f"{place}: {len(schemas) - len(errors)} fit, and not one: {errors}"


with open(sys.argv[1]) as schema_file, open(sys.argv[2]) as text_file:
    schema = json.load(schema_file)
    texts = text_file.readlines() if sys.argv[2].endswith(".jsonl") else [text_file.read()]
    assert texts, "there is no text"
    for number, text in enumerate(texts):
        check(json.loads(text), schema, "report" if len(texts) == 1 else f"line {number + 1}")
