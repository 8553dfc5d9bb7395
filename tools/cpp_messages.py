"""Finds the texts that C++ code puts together: "model " + quote(name) + " has no state" becomes "model '…' has no state"."""

import re
from dataclasses import dataclass, field

import cpp_source

RUN_TIME = "…"  # stands for a part that is put in when the program runs
# How constructors put a subject and a reason together.
SUBJECT_AND_REASON = {"ModelError": "{}: {}", "FileError": "'{}': {}", "OptionError": "option '{}': {}"}

_WRAPPERS = {"string", "string_view"}  # std::string("…") + x is a text like "…" + x
_RESERVED = {"return", "throw", "else", "case", "default", "do", "co_return"}
_STRING = r'(?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"(?:sv?\b)?'
_TOKEN = re.compile(
    rf"""(?P<string>{_STRING})
      | (?P<character>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')
      | (?P<number>\.?\d(?:['\w.]|(?<=[eE])[+-])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign>\+=|\+\+|<<=?|->|::|&&|\|\||[<>=!]=|[^\s\w])""",
    re.X | re.S,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ENDS = set(",;?:=<>!&|*/%^~") | {"+=", "&&", "||", "==", "!=", "<=", ">=", "<<="}


@dataclass
class Text:
    """A text as far as it is known before the program runs."""

    line: int
    text: str = ""
    call: str = ""  # the function or constructor it is given to
    thrown: bool = False  # it is a part of a throw expression
    is_raw: bool = False
    n_literals: int = 0


@dataclass
class _Level:
    """The code between two brackets: the texts found there, the one that is being read, and its latest operand."""

    call: str
    thrown: bool
    texts: list[Text] = field(default_factory=list)
    current: Text | None = None
    operand: str = ""  # the latest word of an operand that is not a literal
    in_operand: bool = False
    n_ended: int = 0  # texts that ended before the closing bracket, literal or not


def texts(code: str) -> list[Text]:
    """Returns the texts of a C++ file in the order of their first literal."""
    code = _DIRECTIVE.sub(lambda m: "\n" * m[0].count("\n"), cpp_source.without_comments(code))
    found = [text for text in _Reader(code).read() if text.n_literals]
    return sorted(found, key=lambda text: text.line)


class _Reader:
    def __init__(self, code: str) -> None:
        self.code = code
        self.tokens = list(_TOKEN.finditer(code))
        self.place = 0
        self.line, self.counted = 1, 0

    def read(self) -> list[Text]:
        found: list[Text] = []
        while self.place < len(self.tokens):
            found += self.level("", "", False).texts
        return found

    def line_of(self, token: re.Match) -> int:
        self.line += self.code.count("\n", self.counted, token.start())
        self.counted = token.start()
        return self.line

    def level(self, closing: str, call: str, thrown: bool) -> _Level:
        """Reads until the closing bracket."""
        here = _Level(call, thrown)
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            if token["string"] is not None or token["character"] is not None:
                self.literal(here, token)
            elif token["word"] is not None:
                self.word(here, token)
            elif token["number"] is not None:
                self.operand(here, token, "")
            elif self.sign(here, token, closing):
                break
        self.end(here)
        return here

    def text(self, here: _Level, token: re.Match) -> Text:
        if here.current is None:
            here.current = Text(self.line_of(token), call=here.call, thrown=here.thrown)
        return here.current

    def literal(self, here: _Level, token: re.Match) -> None:
        self.settle(here)
        text, written = self.text(here, token), token[0]
        if token["character"] is not None:
            written = f'"{written[1:-1]}"'
        elif text.n_literals == 0:
            text.line = self.line_of(token)
        text.is_raw |= "R" in written[: written.index('"')]
        text.text += cpp_source.content(re.sub(r"sv?$", "", written))
        text.n_literals += token["string"] is not None

    def word(self, here: _Level, token: re.Match) -> None:
        if token[0] in _RESERVED:
            here.in_operand = False
            self.end(here)
            here.thrown |= token[0] == "throw"
        else:
            self.operand(here, token, token[0])

    def operand(self, here: _Level, token: re.Match, word: str) -> None:
        self.text(here, token)
        here.in_operand, here.operand = True, word

    def sign(self, here: _Level, token: re.Match, closing: str) -> bool:
        sign = token[0]
        if sign in _CLOSING:
            self.bracket(here, token)
        elif sign == closing:
            return True
        elif sign in ("+", "<<"):
            self.joined(here, sign)
        elif sign == "," and here.call in SUBJECT_AND_REASON:
            self.subject_ends(here, token)
        elif sign in _ENDS:
            self.end(here)
            here.thrown &= sign != ";"
        return False

    def joined(self, here: _Level, sign: str) -> None:
        # The stream to which a text is written is no part of it.
        if sign == "<<" and here.current is not None and not here.current.text:
            here.current, here.in_operand = None, False
        self.settle(here)

    def subject_ends(self, here: _Level, token: re.Match) -> None:
        text = self.text(here, token)
        self.settle(here)
        text.text += "\0"
        here.operand = ""

    def bracket(self, here: _Level, token: re.Match) -> None:
        opening = token[0]
        call = here.operand if here.in_operand else ""
        inner = self.level(_CLOSING[opening], call, here.thrown)
        wraps = call in _WRAPPERS if here.in_operand else opening == "("
        if wraps and inner.n_ended == 1 and len(inner.texts) == 1:
            self.unwrapped(here, self.text(here, token), inner.texts[0])
            return
        here.texts += inner.texts
        if opening == "{" and not here.in_operand:
            self.end(here)
            return
        self.operand(here, token, "quote()" if call == "quote" else "")
        if opening == "{":
            self.end(here)

    @staticmethod
    def unwrapped(here: _Level, text: Text, inner: Text) -> None:
        here.in_operand = False
        if text.n_literals == 0:
            text.line = inner.line
        text.text += inner.text
        text.n_literals += inner.n_literals

    def settle(self, here: _Level) -> None:
        """Ends an operand that is not a literal."""
        if not here.in_operand:
            return
        piece = f"'{RUN_TIME}'" if here.operand == "quote()" else RUN_TIME
        if here.current is not None and not here.current.text.endswith(RUN_TIME):
            here.current.text += piece
        here.in_operand, here.operand = False, ""

    def end(self, here: _Level) -> None:
        self.settle(here)
        if here.current is None:
            return
        here.n_ended += 1
        text = here.current
        here.current = None
        if "\0" in text.text:
            subject, _, reason = text.text.partition("\0")
            text.text = SUBJECT_AND_REASON[here.call].format(subject, reason)
        if text.n_literals:
            here.texts.append(text)
