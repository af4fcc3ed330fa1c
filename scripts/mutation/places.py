"""Finds the places of a C++ source where one mistake can be put in, with libclang."""
import re

from clang import cindex

from mutation.rewrite import Edit, Place

CURSOR = cindex.CursorKind
EDGES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
LOCKS = re.compile(r"\b(MutexLock|lock_guard|unique_lock|scoped_lock)\b")
INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlLzZ]*)$")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# Macros that return from their function: statements that can be left out.
CHECKS = re.compile(r"_RETURN_IF_ERROR$")
# The compiler evaluates these. No run reaches them.
CONSTANT = {CURSOR.STATIC_ASSERT, CURSOR.ENUM_DECL, CURSOR.TEMPLATE_NON_TYPE_PARAMETER}


def kind_of(cursor):
    """Returns the kind of a cursor, and None for a kind that Python's binding does not know."""
    try:
        return cursor.kind
    except ValueError:
        return None


def is_expression(cursor):
    kind = kind_of(cursor)
    return kind is not None and kind.is_expression()


class Source:
    """The places of one file. `text` has one character for each byte of it."""

    def __init__(self, path, text, flags):
        self.text = text.decode("latin-1")
        self.path = str(path)
        self.places = []
        # A header may be one of those that its flags include before it. So it is never the main file.
        main = self.path if path.suffix in (".cc", ".cpp") else f"{self.path}.cc"
        files = {main: f'#include "{self.path}"\n', self.path: text}
        unit = cindex.Index.create().parse(main, flags, unsaved_files=list(files.items()),
                                           options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        fatal = [str(message) for message in unit.diagnostics if message.severity >= cindex.Diagnostic.Error]
        if fatal:
            raise ValueError(fatal[0])
        own = [cursor for cursor in unit.cursor.get_children() if cursor.location.file and cursor.location.file.name == self.path]
        self.macros = [self.span(cursor) for cursor in own if kind_of(cursor) == CURSOR.MACRO_INSTANTIATION]
        for cursor in own:
            if kind_of(cursor) == CURSOR.MACRO_INSTANTIATION and CHECKS.search(cursor.spelling):
                self.leave_out("a check of an error left out", *self.span(cursor))
            elif kind_of(cursor) is None or not kind_of(cursor).is_preprocessing():
                self.visit(cursor, None)
        self.places.sort(key=lambda place: (place.line, place.edits[0].begin))

    # ---- Text ----

    @staticmethod
    def span(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def of(self, cursor):
        begin, end = self.span(cursor)
        return self.text[begin:end]

    def between(self, first, second):
        """Returns the operator between two cursors, without comments."""
        return COMMENT.sub("", self.text[self.span(first)[1] : self.span(second)[0]]).strip()

    def is_plain(self, begin, end):
        """Returns False for bytes inside of a macro's expansion, and for bytes that cross one."""
        return begin < end and not any(begin < last and first < end and (first < begin or end < last) for first, last in self.macros)

    def add(self, kind, *edits):
        if all(self.is_plain(edit.begin, edit.end) for edit in edits):
            line = self.text.count("\n", 0, edits[0].begin) + 1
            self.places.append(Place(line, kind, edits))

    def expression(self, kind, cursor, mistake):
        self.add(kind, Edit(*self.span(cursor), mistake))

    def leave_out(self, kind, begin, end):
        """A statement whose semicolon follows at `end`."""
        after = re.compile(r"\s*;").match(self.text, end)
        before = self.text[:begin].rstrip()[-1:]
        if after and before in ";{}):":
            self.add(kind, Edit(begin, after.end()))

    # ---- The tree ----

    def visit(self, cursor, returns):
        """`returns` is the type that the function around the cursor returns; None outside of one, and in a lambda."""
        if kind_of(cursor) in CONSTANT or self.is_constant(cursor):
            return
        if kind_of(cursor) in (CURSOR.FUNCTION_DECL, CURSOR.CXX_METHOD, CURSOR.FUNCTION_TEMPLATE):
            returns = cursor.result_type.get_canonical().spelling
        elif kind_of(cursor) == CURSOR.LAMBDA_EXPR:
            returns = None
        children = list(cursor.get_children())
        method = getattr(self, f"at_{kind_of(cursor).name.lower()}", None) if kind_of(cursor) else None
        if method:
            method(cursor, children, returns)
        if kind_of(cursor) == CURSOR.CASE_STMT:
            children = children[1:]
        for child in children:
            self.visit(child, returns)

    def is_constant(self, cursor):
        """Returns True for a variable that is declared constexpr: the compiler evaluates its value."""
        if kind_of(cursor) != CURSOR.VAR_DECL:
            return False
        return re.search(r"\bconst(expr|init)\b", self.text[cursor.extent.start.offset : cursor.location.offset]) is not None

    def at_binary_operator(self, cursor, children, returns):
        if len(children) == 2:
            self.operator(cursor, *children)

    def at_call_expr(self, cursor, children, returns):
        arguments = list(cursor.get_arguments())
        if cursor.spelling in ("operator==", "operator!=", "operator<", "operator>", "operator<=", "operator>=") and len(arguments) == 2:
            self.operator(cursor, *arguments)
        # The two sides of an operator are no arguments, those of operator() are.
        if cursor.spelling.startswith("operator") and cursor.spelling != "operator()":
            return
        for first, second in zip(arguments, arguments[1:]):
            self.swap(first, second)

    def operator(self, cursor, left, right):
        name = self.between(left, right)
        kind = "the edge of a comparison" if name in EDGES else "another logic" if name in LOGIC else None
        if kind:
            other = EDGES.get(name) or LOGIC[name]
            self.expression(kind, cursor, f"({self.of(left)}) {other} ({self.of(right)})")

    def swap(self, first, second):
        types = {cursor.type.get_canonical().spelling.replace("const ", "").rstrip(" &") for cursor in (first, second)}
        texts = [self.of(first), self.of(second)]
        if len(types) == 1 and texts[0] != texts[1] and not any(mark in text for mark in "[{" for text in texts):
            self.add("swapped arguments", Edit(*self.span(first), texts[1]), Edit(*self.span(second), texts[0]))

    def at_unary_operator(self, cursor, children, returns):
        if self.of(cursor).startswith("!") and len(children) == 1:
            self.expression("a negated condition", cursor, f"static_cast<bool>({self.of(children[0])})")

    def at_integer_literal(self, cursor, children, returns):
        match = INTEGER.match(self.of(cursor))
        before = self.text[: cursor.extent.start.offset].rstrip()[-1:]
        if match and before != "[":  # the size of an array
            self.expression("plus one", cursor, f"{self.of(cursor)} + 1")

    def at_cxx_bool_literal_expr(self, cursor, children, returns):
        self.expression("the other default", cursor, {"true": "false", "false": "true"}.get(self.of(cursor), ""))

    def at_conditional_operator(self, cursor, children, returns):
        if len(children) == 3:
            self.expression("a negated condition", children[0], f"!({self.of(children[0])})")

    def at_if_stmt(self, cursor, children, returns):
        opening = re.compile(r"if\s*\(\s*").match(self.text, cursor.extent.start.offset)
        conditions = [child for child in children if opening and child.extent.start.offset == opening.end() and is_expression(child)]
        if conditions and self.text[conditions[0].extent.end.offset :].lstrip().startswith(")"):
            self.expression("a negated condition", conditions[0], f"!({self.of(conditions[0])})")

    def at_return_stmt(self, cursor, children, returns):
        text = self.of(children[0]) if children and self.of(cursor).startswith("return") else ""
        if returns == "absl::Status" and text and not text.startswith("{") and "OkStatus()" not in text:
            self.expression("an error that succeeds", children[0], "absl::OkStatus()")

    def at_compound_stmt(self, cursor, children, returns):
        for child in children:
            if kind_of(child) == CURSOR.IF_STMT and child is not children[-1]:
                self.early_return(child)
            elif kind_of(child) == CURSOR.DECL_STMT:
                self.lock(child, self.of(cursor))
            elif is_expression(child):
                self.leave_out("a statement left out", *self.span(child))

    def early_return(self, branch):
        parts = list(branch.get_children())
        last = parts[-1] if len(parts) == 2 else None  # without else
        if last is not None and kind_of(last) == CURSOR.COMPOUND_STMT:
            last = next(reversed(list(last.get_children())), None)
        if last is not None and kind_of(last) == CURSOR.RETURN_STMT and self.of(last).startswith("return"):
            self.leave_out("an early return left out", *self.span(last))

    def lock(self, declaration, block):
        variables = list(declaration.get_children())
        if len(variables) != 1 or kind_of(variables[0]) != CURSOR.VAR_DECL or not LOCKS.search(variables[0].type.get_canonical().spelling):
            return
        name = variables[0].spelling
        after = re.compile(rf".*?\b{re.escape(name)}\s*[({{](.*)[)}}]\s*;$", re.DOTALL).match(self.of(declaration))
        if after and len(re.findall(rf"\b{re.escape(name)}\b", block)) == 1:
            kind = variables[0].type.get_canonical().spelling.replace("const ", "")
            self.add("a lock left out", Edit(*self.span(declaration), lock=(kind, name, after[1])))


def places_of(path, text, flags):
    """The places of a source, in the order of its lines: of `text`, which stands for the bytes of `path`. Throws ValueError if it does not
    compile."""
    return Source(path, text, flags).places
