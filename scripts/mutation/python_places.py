"""Finds the places of a Python source where one mistake can be put in."""
import ast

from mutation.rewrite import Edit, Place

EDGES = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in",
         ast.NotIn: "in"}


class Source(ast.NodeVisitor):
    def __init__(self, text):
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.text, self.starts, self.places = text.decode("latin-1"), starts, []
        self.visit(ast.parse(text))
        self.places.sort(key=lambda place: (place.line, place.edits[0].begin))

    def span(self, node):
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node):
        begin, end = self.span(node)
        return self.text[begin:end]

    def expression(self, kind, node, mistake):
        self.places.append(Place(node.lineno, kind, (Edit(*self.span(node), mistake),)))

    def visit_FunctionDef(self, node):
        for statement in node.body:  # neither defaults nor annotations
            self.visit(statement)

    def visit_Compare(self, node):
        if len(node.ops) == 1 and type(node.ops[0]) in EDGES:
            mistake = f"({self.of(node.left)}) {EDGES[type(node.ops[0])]} ({self.of(node.comparators[0])})"
            self.expression("the edge of a comparison", node, mistake)
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        other = " or " if isinstance(node.op, ast.And) else " and "
        self.expression("another logic", node, other.join(f"({self.of(value)})" for value in node.values))
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self.expression("a negated condition", node, f"bool({self.of(node.operand)})")
        self.generic_visit(node)

    def visit_If(self, node):
        self.expression("a negated condition", node.test, f"not ({self.of(node.test)})")
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, bool):
            self.expression("the other default", node, str(not node.value))
        elif isinstance(node.value, int):
            self.expression("plus one", node, f"{self.of(node)} + 1")

    def visit_JoinedStr(self, node):
        pass  # Python 3.11 gives no exact places inside of it

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call):
            self.leave_out("a statement left out", node)
        if not isinstance(node.value, ast.Constant):  # a comment
            self.generic_visit(node)

    def visit_Assign(self, node):
        if isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
            self.leave_out("a statement left out", node)
        self.generic_visit(node)

    def leave_out(self, kind, node):
        if node.lineno == node.end_lineno:
            self.places.append(Place(node.lineno, kind, (Edit(*self.span(node)),)))


def places_of(text):
    """The places of a source, in the order of its lines. Throws ValueError if it cannot be read."""
    try:
        return Source(text).places
    except SyntaxError as problem:
        raise ValueError(str(problem)) from problem
