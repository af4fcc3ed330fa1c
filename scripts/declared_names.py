"""The names that a C++ header declares, by its text alone: upstream's headers need others to compile, which are not public.

Names are those of namespaces and public members, without their namespaces: functions, types, constants, enumerators (Enum::NAME) and macros.
Both branches of a condition count. What a name is hidden by (a leading underscore, a namespace `detail` or `internal`) leaves it out.
"""
import re

TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|<<=|[{}()\[\];,:<>=~&*!.]|\S")
HIDDEN_NAMESPACES = {"detail", "details", "internal", "internal_", "impl"}
NO_FUNCTIONS = {"if", "while", "for", "switch", "return", "sizeof", "static_assert", "decltype", "alignas", "noexcept", "requires",
                "__attribute__", "defined", "operator", "asm", "alignof", "typeof"}
ACCESS = {"public", "private", "protected"}
WORD = re.compile(r"[A-Za-z_]\w*$")


def without_comments(text):
    text = text.replace("\\\n", " ")
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
                  lambda found: '""' if found.group(0)[0] in "\"R'" else " ", text, flags=re.S)


class Scope:
    def __init__(self, kind, name="", visible=True):
        self.kind = kind  # namespace, class, enum, hidden (a class whose members do not count) or body
        self.name = name
        self.visible = visible


class Reader:
    """Reads a header's declarations; a condition's branches begin in the same scopes."""

    def __init__(self):
        self.names = set()
        self.scopes = [Scope("namespace")]
        self.statement = []
        self.branches = []

    def read(self, text):
        for line in without_comments(text).splitlines():
            directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
            if directive:
                self.direct(*directive.groups())
            else:
                for token in TOKEN.findall(line):
                    self.take(token)
        return self.names

    def state(self):
        return [Scope(scope.kind, scope.name, scope.visible) for scope in self.scopes], list(self.statement)

    def direct(self, directive, rest):
        if directive in ("if", "ifdef", "ifndef"):
            self.branches.append(self.state())
        elif directive in ("else", "elif") and self.branches:
            scopes, statement = self.branches[-1]
            self.scopes, self.statement = [Scope(scope.kind, scope.name, scope.visible) for scope in scopes], list(statement)
        elif directive == "endif" and self.branches:
            self.branches.pop()
        elif directive == "define":
            name = re.match(r"(\w+)(.*)", rest)
            if name and (name.group(2).strip() or not re.search(r"_H_*$", name.group(1))):
                self.add(name.group(1), scoped=False)

    def add(self, name, scoped=True):
        path = [scope.name for scope in self.scopes if scope.kind in ("class", "enum")] if scoped else []
        hidden = any(scope.kind == "namespace" and scope.name in HIDDEN_NAMESPACES for scope in self.scopes)
        if WORD.match(name) and not name.startswith("_") and not hidden and all(scope.visible for scope in self.scopes):
            if path[-1:] != [name]:  # a constructor
                self.names.add("::".join([*filter(None, path), name]))

    def take(self, token):
        scope = self.scopes[-1]
        if scope.kind in ("body", "enum"):
            self.take_inside(scope, token)
        elif self.depth() > 0:
            self.statement.append(token)
        elif token == "}":
            self.end_scope()
        elif token == ";":
            self.declare(body=False)
        elif token == "{":
            self.open()
        elif token == ":" and len(self.statement) == 1 and self.statement[0] in ACCESS and scope.kind == "class":
            scope.visible = self.statement[0] == "public"
            self.statement = []
        else:
            self.statement.append(token)

    def take_inside(self, scope, token):
        if token == "{":
            self.scopes.append(Scope("body"))
        elif token == "}":
            if scope.kind == "enum":
                self.enumerator()
            self.end_scope()
        elif scope.kind == "enum":
            if token == ",":
                self.enumerator()
            else:
                self.statement.append(token)

    def enumerator(self):
        if self.statement:
            self.add(self.statement[0])
        self.statement = []

    def end_scope(self):
        if len(self.scopes) > 1:
            self.scopes.pop()
        self.statement = []

    def depth(self):
        """Of parentheses and brackets that are open in the statement."""
        return sum((token in "([") - (token in ")]") for token in self.statement)

    def words(self):
        """The statement without template heads, attributes and alignments."""
        rest, words = self.statement, []
        index = 0
        while index < len(rest):
            token = rest[index]
            if token == "template" and rest[index + 1:index + 2] == ["<"]:
                index = after(rest, index + 1, "<", ">")
            elif token in ("requires", "__attribute__", "alignas") and rest[index + 1:index + 2] == ["("]:
                index = after(rest, index + 1, "(", ")")
            elif token == "[" and rest[index + 1:index + 2] == ["["]:
                index = after(rest, index, "[", "]")
            else:
                words.append(token)
                index += 1
        return words

    def open(self):
        words = self.words()
        kinds = [word for word in words if word in ("class", "struct", "union", "enum", "namespace")]
        if words[:1] == ["extern"] and words[1:2] == ['"']:
            self.scopes.append(Scope("namespace"))
        elif words[:1] == ["namespace"] or words[:2] == ["inline", "namespace"]:
            self.scopes.append(Scope("namespace", words[-1] if WORD.match(words[-1]) and words[-1] != "namespace" else ""))
        elif kinds and "(" not in words and "=" not in words:
            self.open_type(words)
        else:
            self.declare(body=True)
            return
        self.statement = []

    def open_type(self, words):
        kind = next(word for word in words if word in ("class", "struct", "union", "enum"))
        rest = words[words.index(kind) + 1:]
        if kind == "enum" and rest[:1] in (["class"], ["struct"]):
            rest = rest[1:]
        name = rest[0] if rest and WORD.match(rest[0]) else ""
        is_specialisation = rest[1:2] == ["<"]  # which declares nothing new
        if name and not is_specialisation:
            self.add(name)
        is_scoped = words[words.index(kind) + 1:][:1] in (["class"], ["struct"])
        scope = Scope("enum" if kind == "enum" else "class", name if kind != "enum" or is_scoped else "", kind != "class")
        self.scopes.append(Scope("hidden", visible=False) if is_specialisation else scope)

    def declare(self, body):
        """A statement that is whole: by a semicolon or a body."""
        words = self.words()
        name = declared_name(words)
        if name:
            self.add(name)
        self.statement = []
        if body:
            self.scopes.append(Scope("body"))


def after(tokens, index, opening, closing):
    depth = 0
    while index < len(tokens):
        depth += (tokens[index] == opening) - (tokens[index] == closing)
        index += 1
        if depth == 0:
            break
    return index


def outside_angles(words):
    """The words that are in no template argument list: a "<" after a name opens one."""
    kept, depth = [], 0
    for index, word in enumerate(words):
        if word == "<" and (depth or (index and WORD.match(words[index - 1]))):
            depth += 1
        elif word == ">" and depth:
            depth -= 1
        elif depth == 0:
            kept.append(word)
    return kept


def declared_name(words):
    if not words or words[0] in ("friend", "static_assert", "public", "private", "protected", "}"):
        return ""
    if words[0] == "using":
        if "namespace" in words:
            return ""
        return words[1] if "=" in words else words[-1]
    if words[0] == "typedef":
        return words[-1] if WORD.match(words[-1]) else ""
    if "operator" in words:
        return ""
    if words[0] in ("struct", "class", "union", "enum") and len(words) <= 3:
        return ""  # a declaration in advance
    words = outside_angles(words)
    for index, word in enumerate(words):
        if word == "=":
            break
        if word == "(" and index:
            name = words[index - 1]
            is_member_elsewhere = words[index - 2:index - 1] == ["::"]
            return "" if name in NO_FUNCTIONS or is_member_elsewhere or words[index - 2:index - 1] == ["~"] else name
    until = words[:words.index("=")] if "=" in words else words
    until = until[:until.index("[")] if "[" in until else until
    return until[-1] if len(until) > 1 and WORD.match(until[-1]) and until[-2:-1] != ["::"] else ""


def declared_names(text):
    return Reader().read(text)
