"""Mutants of a C source: all single changes of its text that `make mutate` may try (tools/mutate.py).

Kinds:
  operator   + - * / % < <= > >= == != && || & | << >> and their assignments, ++ and --, each by one or two others;
             a sign or a `!` left out
  constant   a whole number plus and minus one, another number times and over ten
  scale      the value of a named constant (#define, enum, const) and of a literal in SLIP_R() or SLIP_TOL(), times and
             over ten; whole numbers and halves in SLIP_R() are algebra and count as constants
  condition  of an if, a loop, `?`: always true and never true; a loop's never only
  gate       the same where the condition has a named constant, or a comment on its line the word gate
  deletion   a statement that is an expression, break, continue or return left out
Left out: asserts, sizes in declarations, enums that number names, what the preprocessor decides. A mutant keeps
the number of lines. It may fail to compile; it may be the same program, which the object code tells."""
import collections, re

Mutant = collections.namedtuple("Mutant", "id kind file line start end text")

TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|.)
  """, re.X | re.S | re.M)

OTHERS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<": "<= >=", "<=": "< >", ">": ">= <=", ">=": "> <",
          "==": "!=", "!=": "==", "&&": "||", "||": "&&", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<",
          "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "++": "--", "--": "++"}
TYPES = set("void char short int long float double signed unsigned const static struct union enum extern inline "
            "volatile register size_t slip_real slip_status".split())
STOPS = {"if", "else", "for", "while", "do", "switch", "case", "default", "sizeof", "goto", "typedef"} | TYPES


class Token:
    __slots__ = ("kind", "text", "start", "end", "line", "mate", "fixed")

    def __init__(self, kind, text, start, end, line):
        self.kind, self.text, self.start, self.end, self.line = kind, text, start, end, line
        self.mate, self.fixed = None, False          # the other bracket; no mutant here


def tokens_of(source):
    """Tokens without blanks, comments and directives; each bracket knows its mate (an index)."""
    tokens, line, at, open_ = [], 1, 0, []
    for m in TOKEN.finditer(source):
        line += source.count("\n", at, m.start())
        at = m.start()
        if m.lastgroup in ("comment", "directive") or m.group().isspace():
            continue
        t = Token(m.lastgroup, m.group(), m.start(), m.end(), line)
        if t.text in "([{" and t.kind == "op":
            open_.append(len(tokens))
        elif t.text in ")]}" and t.kind == "op" and open_:
            t.mate = open_.pop()
            tokens[t.mate].mate = len(tokens)
        tokens.append(t)
    return tokens


def is_type(text):
    return text in TYPES or text.endswith("_t")


def closes_cast(tokens, k):
    """Token k is the `)` of a cast to a type."""
    inside = tokens[tokens[k].mate + 1:k] if tokens[k].mate is not None else []
    return bool(inside) and is_type(inside[0].text) and all(t.kind == "name" or t.text == "*" for t in inside)


def is_binary(tokens, k, source):
    """Token k (one of + - * &) stands between two operands. A pointer's star has a blank before it and none behind."""
    t, before = tokens[k], tokens[k - 1] if k else None
    if before is None or not (before.kind in ("name", "number") or before.text in ")]"):
        return False
    if before.text in STOPS or before.text == "return" or before.text == ")" and closes_cast(tokens, k - 1):
        return False
    if t.text in "*&" and source[t.start - 1].isspace() and not source[t.end:t.end + 1].isspace():
        return False
    return True


def declares(tokens, k):
    """The statement that begins with token k is a declaration."""
    t, after = tokens[k], tokens[k + 1:k + 3]
    if is_type(t.text):
        return True
    return t.kind == "name" and len(after) == 2 and (
        after[0].kind == "name" or after[0].text == "*" and after[1].kind == "name" and after[1].start == after[0].end
        and after[0].start > t.end)


def ten(text, up):
    """A number as text, times or over ten; whole numbers are rounded up."""
    if re.fullmatch(r"\d+", text):
        return str(10*int(text) if up else (int(text) + 9)//10)
    return "%.9g" % (10*float(text) if up else float(text)/10)


def mutants_of(file, source):
    tokens = tokens_of(source)
    named = names_of_constants(source)
    found, starts = [], [0] + [m.end() for m in re.finditer("\n", source)]
    lines = source.split("\n")

    def put(kind, line, start, end, text):
        old = " ".join(source[start:end].split())
        new = " ".join(text.split()) or "nothing"
        if old == new or "\n" in source[start:end] and source.count("\n", start, end) != text.count("\n"):
            text += "\n"*(source.count("\n", start, end) - text.count("\n"))
        if source[start:end] == text:
            return
        column = start - starts[line - 1] + 1
        shown = (old if len(old) <= 60 else old[:57] + "...")
        new = new if len(new) <= 70 else new[:67] + "..."
        found.append(Mutant("%s %s:%d:%d %s -> %s" % (kind, file, line, column, shown, new), kind, file, line, start, end,
                            text))

    mark_fixed(tokens)
    scaled = scales(source, put, named)
    body = -1                                                   # where the function that we are in ends
    for k, t in enumerate(tokens):
        if t.text == "{" and t.kind == "op" and body < k and k and tokens[k - 1].text == ")" and t.mate is not None:
            body = t.mate
        if t.fixed:
            continue
        if t.kind == "number" and not any(a <= t.start < b for a, b in scaled):
            numbers(t, put)
        if k > body:
            continue
        if t.kind == "op" and t.text in OTHERS:
            operators(tokens, k, source, put)
        elif t.text == "!":
            put("operator", t.line, t.start, t.end, "")
        elif t.text in ("if", "while", "for", "?"):
            conditions(tokens, k, source, lines, named, put)
        if begins_statement(tokens, k):
            deletions(tokens, k, source, put)
    seen, unique = set(), []
    for m in found:
        if m.id not in seen:
            seen.add(m.id)
            unique.append(m)
    return unique


def mark_fixed(tokens):
    """Asserts, enums and sizes in declarations are left alone."""
    for k, t in enumerate(tokens):
        end = None
        if t.text == "assert" and k + 1 < len(tokens):
            end = tokens[k + 1].mate
        elif t.text == "enum":
            brace = k + 1 if tokens[k + 1].text == "{" else k + 2
            end = tokens[brace].mate if tokens[brace].text == "{" else None
        elif begins_statement(tokens, k) and declares(tokens, k):
            depth, j = 0, k
            while j < len(tokens) and tokens[j].text not in (";", "=", "{"):
                if tokens[j].text == "[" and tokens[j].mate:
                    for i in range(j, tokens[j].mate):
                        tokens[i].fixed = True
                j += 1
            while j < len(tokens) and tokens[j].text != ";":    # the second name of a declaration, and so on
                if tokens[j].text in "([{" and tokens[j].mate:
                    j = tokens[j].mate
                elif tokens[j].text == "," and tokens[j + 2].text == "[" and tokens[j + 2].mate:
                    for i in range(j + 2, tokens[j + 2].mate):
                        tokens[i].fixed = True
                j += 1
        if end is not None:
            for i in range(k, end + 1):
                tokens[i].fixed = True


def names_of_constants(source):
    names = set(re.findall(r"^#define ([A-Z][A-Z0-9_]*) +(?:[0-9]|SLIP_R\(|SLIP_TOL\()", source, re.M))
    for enum in re.findall(r"^ *enum \{(.*?)\}", source, re.M | re.S):
        if not re.match(r"\s*[A-Z]\w* = [01]\s*[,}]", enum):
            names.update(re.findall(r"\b([A-Z][A-Z0-9_]*) = [0-9]", enum))
    return names


def scales(source, put, named):
    """Mutants of kind scale; returns where their numbers stand."""
    taken = []
    value = r"SLIP_TOL\([0-9.e+-]+, *[0-9.e+-]+\)|SLIP_R\([0-9.e+-]+\)|[0-9][0-9.]*(?:e[+-]?[0-9]+)?"

    def scale(m):
        start, text = m.start("value"), m.group("value")
        if any(a <= start < b for a, b in taken) or not any(float(x) for x in re.findall(r"[0-9][0-9.]*(?:e[+-]?\d+)?", text)):
            return
        taken.append((start, m.end("value")))
        for up in (True, False):
            new = re.sub(r"[0-9][0-9.]*(?:e[+-]?[0-9]+)?", lambda n: ten(n.group(), up), text)
            put("scale", source.count("\n", 0, start) + 1, start, m.end("value"), new)

    code = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), source, flags=re.S)
    for m in re.finditer(r"^#define [A-Z][A-Z0-9_]* +(?P<value>%s)(?![\w(*/.])" % value, code, re.M):
        scale(m)
    for enum in re.finditer(r"^ *enum \{.*?\}", code, re.M | re.S):
        if not re.match(r" *enum \{\s*[A-Z]\w* = [01]\s*[,}]", enum.group()):
            for m in re.compile(r"\b(?!SLIP_TAKES_|SLIP_READS_)[A-Z][A-Z0-9_]* = (?P<value>%s)(?= *[,}])" % value).finditer(
                    code, enum.start(), enum.end()):
                scale(m)
    for m in re.finditer(r"const (?:slip_real|double|int) [a-z_]+ = (?P<value>%s)(?= *[;,])" % value, code):
        scale(m)
    for m in re.finditer(r"(?P<value>SLIP_TOL\([0-9.e+-]+, *[0-9.e+-]+\)|SLIP_R\((?P<number>[0-9.e+-]+)\))", code):
        if m.group("number") is None or 2*float(m.group("number")) % 1 != 0:
            scale(m)
    return taken


def numbers(t, put):
    text = t.text.rstrip("uUlLfF") if not t.text.lower().startswith("0x") else t.text
    tail = t.text[len(text):]
    if re.fullmatch(r"\d+", text):
        n = int(text)
        for new in (n + 1, n - 1):
            if new >= 0:
                put("constant", t.line, t.start, t.end, str(new) + tail)
    elif not text.lower().startswith("0x"):
        for up in (True, False):
            put("constant", t.line, t.start, t.end, ten(text, up) + tail)


def operators(tokens, k, source, put):
    t = tokens[k]
    if t.text in ("+", "-", "*", "&") and not is_binary(tokens, k, source):
        if t.text == "-":
            put("operator", t.line, t.start, t.end, "")
        return
    for new in OTHERS[t.text].split():
        put("operator", t.line, t.start, t.end, new)


def conditions(tokens, k, source, lines, named, put):
    t = tokens[k]
    if t.text == "?":
        put("condition", t.line, t.start, t.end, "|| 1 ?")
        put("condition", t.line, t.start, t.end, "&& 0 ?")
        return
    first, last = k + 2, (tokens[k + 1].mate or k + 2) - 1
    if t.text == "for":
        semicolons = [i for i in range(first, last + 1) if tokens[i].text == ";"]
        if len(semicolons) != 2 or semicolons[1] == semicolons[0] + 1:
            return
        first, last = semicolons[0] + 1, semicolons[1] - 1
    if last < first or last == first and tokens[first].kind == "number":
        return
    start, end = tokens[first].start, tokens[last].end
    words = {x.text for x in tokens[first:last + 1] if x.kind == "name"}
    gate = t.text == "if" and (words & named or re.search(r"/\*.*\bgate\b.*\*/", lines[t.line - 1]))
    kind = "gate" if gate else "condition"
    text = source[start:end]
    if t.text == "if":
        put(kind, t.line, start, end, "1 || (" + text + ")")
    put(kind, t.line, start, end, "0 && (" + text + ")")


def begins_statement(tokens, k):
    if k == 0:
        return False
    before = tokens[k - 1]
    if before.text == "{" and tokens[k - 2].text in ("=", ",", "{", "return"):
        return tokens[k - 2].text == "{" and begins_statement(tokens, k - 1)
    if before.text in (";", "{", "}", ":") or before.text in ("else", "do"):
        return before.text != ";" or not in_parentheses(tokens, k)
    if before.text == ")" and before.mate:
        return tokens[before.mate - 1].text in ("if", "for", "while", "switch")
    return False


def in_parentheses(tokens, k):
    """A semicolon before token k is one of a for's head: an open parenthesis is nearer than an open brace."""
    j = k - 1
    while j > 0:
        if tokens[j].text in (")", "]", "}") and tokens[j].mate is not None:
            j = tokens[j].mate
        elif tokens[j].text == "(":
            return True
        elif tokens[j].text == "{":
            return False
        j -= 1
    return False


def deletions(tokens, k, source, put):
    t = tokens[k]
    if t.kind not in ("name", "op") or t.text in STOPS or t.text in "{}),;" or declares(tokens, k) or t.text == "return" and tokens[k + 1].text != ";":
        return
    if t.text == "(" and tokens[k + 1].text == "void":
        return
    j = k
    while j < len(tokens) and tokens[j].text != ";":
        if tokens[j].text == "{" or tokens[j].text == ":" and j == k + 1:
            return
        j = tokens[j].mate + 1 if tokens[j].text in "([" and tokens[j].mate else j + 1
    if j < len(tokens) and not any(x.fixed for x in tokens[k:j]):
        put("deletion", t.line, t.start, tokens[j].start, "")
