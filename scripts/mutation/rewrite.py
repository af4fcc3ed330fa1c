"""Writes mistakes into a source. A number switches one on."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Edit:
    """A change of the bytes [begin, end) of a source while a mistake is on."""
    begin: int
    end: int
    expression: str = ""  # replaces the bytes; if it is empty, they are a statement or a lock, which is left out
    lock: tuple = ()      # the type, name and arguments of the lock that the bytes declare
    statements: str = ""  # replace the bytes, which are statements


@dataclasses.dataclass(frozen=True)
class Place:
    line: int
    kind: str
    edits: tuple


@dataclasses.dataclass(frozen=True)
class Language:
    """Formats of a programming language for the switch, for a choice of two values, a statement that is left out, and a choice of statements."""
    on: str
    choice: str
    left_out: str
    other_statements: str = ""


CPP = Language("::lightmetal_mutation::on({number})", "({on} ? {mistake} : {right})", "{{ if (!{on}) {{ {right} }} }}",
               "{{ if ({on}) {{ {mistake} }} else {{ {right} }} }}")
KERNEL = dataclasses.replace(CPP, on="LIGHTMETAL_MUTANT_ON({number})")
PYTHON = Language('__import__("lightmetal_mutation").on({number})', "({mistake} if {on} else {right})", "if not {on}: {right}")


def text_of(edit, number, right, language):
    """Returns what replaces an edit's bytes. `right` is the original, which may have mistakes of its own."""
    on = language.on.format(number=number)
    if edit.lock:
        kind, name, arguments = edit.lock
        return f"const ::lightmetal_mutation::Optional<{kind}> {name}({on}, {arguments});"
    if edit.statements:
        return language.other_statements.format(on=on, mistake=edit.statements, right=right)
    return (language.choice if edit.expression else language.left_out).format(on=on, mistake=edit.expression, right=right)


def cross(edit, other):
    """Returns True if two edits share bytes and neither is inside of the other."""
    first, second = sorted([edit, other], key=lambda each: (each.begin, -each.end))
    return second.begin < first.end < second.end


def rewritten(text, places, language):
    """Puts the mistakes {number: place} into a source. It leaves out a mistake that crosses an earlier one.

    Returns the new source and the numbers of its mistakes."""
    chosen = []
    for number, place in places.items():
        if not any(cross(edit, other) for edit in place.edits for _, other in chosen):
            chosen += [(number, edit) for edit in place.edits]
    chosen.sort(key=lambda each: (each[1].begin, -each[1].end, each[0]))
    return render(text, 0, len(text), chosen, language), {number for number, _ in chosen}


def render(text, begin, end, chosen, language):
    """The bytes [begin, end) with the edits inside of them, of which outer ones come first."""
    parts, at = [], begin
    while chosen:
        number, edit = chosen[0]
        inside = [each for each in chosen[1:] if each[1].begin < edit.end]
        right = render(text, edit.begin, edit.end, inside, language)
        parts += [text[at : edit.begin], text_of(edit, number, right, language)]
        at = edit.end
        chosen = chosen[1 + len(inside) :]
    return "".join(parts) + text[at:end]
