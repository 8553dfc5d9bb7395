"""Pages of the Python package, for the site: what `import saltus` brings, module by module.

Read from the sources, so that nothing must be built. A class that a public function returns is public, too.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Module:
    name: str
    about: str
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)

    @property
    def defined(self) -> dict[str, ast.FunctionDef | ast.ClassDef]:
        return {**self.functions, **self.classes}


def read(file: Path) -> Module:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    module = Module(file.stem, ast.get_docstring(tree) or "")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            module.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
    return module


def exported(package: Path) -> dict[str, list[tuple[str, str]]]:
    """Per module what __init__ brings from it: (name there, name in saltus), in its order."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    found: dict[str, list[tuple[str, str]]] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module and not node.module.startswith("_"):
            found.setdefault(node.module, []).extend((name.name, name.asname or name.name) for name in node.names)
    return found


def public_members(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    shown = ("__call__", "__getitem__", "__iter__", "__len__", "__enter__")
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and (member.name in shown or not member.name.startswith("_")):
            if not any("setter" in ast.unparse(d) or "overload" in ast.unparse(d) for d in member.decorator_list):
                yield member


def returned(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """Names in what a function, or the members of a class, return."""
    functions = [node] if isinstance(node, ast.FunctionDef) else list(public_members(node))
    text = " ".join(ast.unparse(f.returns) for f in functions if f.returns)
    if isinstance(node, ast.ClassDef):
        text += " ".join(ast.unparse(f.annotation) for f in node.body if isinstance(f, ast.AnnAssign))
    return set(re.findall(r"\w+", text))


def public(package: Path) -> dict[str, tuple[Module, list[tuple[str, str]]]]:
    """Per module its public names: exported ones, and classes that those return."""
    modules = {file.stem: read(file) for file in sorted(package.glob("*.py")) if file.stem != "__init__"}
    names = exported(package)
    where = {cls: module.name for module in modules.values() for cls in module.classes if not cls.startswith("_")}
    todo = [(module, name) for module, brought in names.items() for name, _ in brought]
    while todo:
        module, name = todo.pop()
        for cls in sorted(returned(modules[module].defined[name]) if name in modules[module].defined else []):
            if cls in where and cls not in (name for name, _ in names.get(where[cls], [])):
                names.setdefault(where[cls], []).append((cls, cls))
                todo.append((where[cls], cls))
    return {module: (modules[module], brought) for module, brought in names.items()}


def signature(node: ast.FunctionDef, name: str, of_class: bool) -> str:
    arguments = node.args
    is_static = any(ast.unparse(d) == "staticmethod" for d in node.decorator_list)
    if of_class and not is_static:
        first = (arguments.posonlyargs or arguments.args)
        del first[:1]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    return f"{name}({ast.unparse(arguments)}){returns}".replace("\n", " ")


def text_of(node: ast.AST) -> str:
    """A doc string: examples become blocks of code, and a line that ends a sentence a paragraph: they list arguments so."""
    lines: list[str] = []
    in_example = False
    for line in (ast.get_docstring(node) or "").split("\n"):
        starts, goes_on = line.startswith(">>>"), in_example and bool(line.strip())
        if starts and not in_example:
            lines.append("```python")
        if in_example and not goes_on:
            lines.append("```")
        in_example = starts or goes_on
        if in_example:
            lines.append(line)
            continue
        lines.append(re.sub(r"(`[^`]*`)|([\\*_<>\[\]|#{}])", lambda m: m[1] or "\\" + m[2], line))
        if line.endswith((".", ":")):
            lines.append("")
    return "\n".join(lines + ["```"] * in_example).strip("\n")


def directive(kind: str, head: str, body: str, fence: str) -> str:
    return f"{fence}{{py:{kind}}} {head}\n{body}\n{fence}\n"


def of_class(node: ast.ClassDef, name: str) -> str:
    start = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
    # What the library makes itself takes objects of the library.
    by_users = start is not None and all("core" not in a.arg for a in start.args.args)
    head = signature(start, name, True) if by_users else name
    parts = [text_of(node)]
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and not member.target.id.startswith("_"):
            parts.append(directive("attribute", f"{member.target.id}\n:type: {ast.unparse(member.annotation)}", "", "````"))
    for member in public_members(node):
        kinds = [ast.unparse(d) for d in member.decorator_list]
        if "property" in kinds:
            kind = f"\n:type: {ast.unparse(member.returns)}" if member.returns else ""
            parts.append(directive("property", member.name + kind, "\n" + text_of(member), "````"))
        else:
            kind = "staticmethod" if "staticmethod" in kinds else "classmethod" if "classmethod" in kinds else "method"
            parts.append(directive(kind, signature(member, member.name, True), text_of(member), "````"))
    return directive("class", head, "\n\n".join(parts), "`````")


def page(module: Module, names: list[tuple[str, str]]) -> str:
    title, _, about = module.about.partition("\n")
    lines = [f"# {title.rstrip('.')}", "", about.strip(), "", "```{py:currentmodule} saltus\n```", ""]
    for name, shown in names:
        node = module.defined.get(name)
        if isinstance(node, ast.ClassDef):
            lines.append(of_class(node, shown))
        elif node is not None:
            lines.append(directive("function", signature(node, shown, False), text_of(node), "`````"))
        else:
            lines.append(directive("data", shown, "", "`````"))
    return "\n".join(lines)


def pages(package: Path) -> list[tuple[str, str]]:
    """(place, text) of every page, and of their contents."""
    found = public(package)
    contents = ["# Python reference", "", "What `import saltus as sl` brings. [The Python package](../../reference/python.md) shows it at work.", "",
                "```{toctree}", ":maxdepth: 1", "", *found, "```", ""]
    return [("index.md", "\n".join(contents)), *((f"{name}.md", page(*entry)) for name, entry in found.items())]
