"""English and Python out of installed packages: the same text on every Python version and machine.

Only packages whose wheel is one for all Pythons and platforms (py3-none-any), that this project pins anyway, and under
these licences: bm25s MIT, click BSD-3-Clause, datasketch MIT, httpx BSD-3-Clause, Jinja2 BSD-3-Clause, jsonschema MIT,
mpmath BSD-3-Clause, networkx BSD-3-Clause, patsy BSD-2-Clause, rich MIT, snakemake MIT, sympy BSD-3-Clause. Each file
is compared with the digest that its package shipped. Left out: tests, vendored code, generated files and tables.

English is the prose of a file's docstrings, or of a package's README: paragraphs without code or formulas. Python is a
file's source without its docstrings. So the two share no sentence.
"""

import ast
import base64
import hashlib
import importlib.metadata
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import PurePath

from trex.common.errors import UserError

NAMES = (
    "bm25s", "click", "datasketch", "httpx", "Jinja2", "jsonschema", "mpmath", "networkx", "patsy", "rich",
    "snakemake", "sympy",
)  # fmt: skip
ENGLISH = "english"
PYTHON = "python"
SOURCES = (ENGLISH, PYTHON)
README = "README"
LEFT_OUT = re.compile(r"tests?|testing|benchmarks?|conftest|_?vendor(ed)?|_antlr|assets|_version|versioneer")
GENERATED = re.compile(r"(auto|automatically )?-?generated (by|from|file|with)|do not edit", re.IGNORECASE)
# A file of tables has long lines or many digits.
LONGEST_LINE = 160
MOST_DIGITS = 0.06
# A paragraph of prose: words in a row, few other characters, and no sign of code or markup.
FEWEST_WORDS = 12
FEWEST_LETTERS = 0.94
NOT_PROSE = re.compile(
    r">>>|\.\. |::|:\w+:|\\|\$|\||<[a-z/]|https?:|[=_]{2}|---|^ *[-*+#] |^ *\d+\. |^ {4}", re.MULTILINE
)
LIKE_LETTERS = re.compile(r"[A-Za-z \n,.;:'\"()`-]")


def versions() -> dict[str, str]:
    """Of the packages; "missing" for one that is not installed."""
    found = {}
    for name in NAMES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "missing"
    return found


def installed(name: str) -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError as error:
        raise UserError(
            f"the package {name}, a source of general text, is not installed; pip install -r requirements.txt"
        ) from error


@cache
def sources(package: str) -> dict[str, importlib.metadata.PackagePath]:
    """The usable files of a package by path."""
    files = installed(package).files or []
    return {path.as_posix(): path for path in files if path.suffix == ".py" and wanted(path)}


def names(package: str) -> list[str]:
    """What `texts` can be asked for: the package's README and its usable files."""
    return [f"{package}/{README}", *(f"{package}:{path}" for path in sorted(sources(package)))]


def wanted(path: PurePath) -> bool:
    return ".." not in path.parts and not any(LEFT_OUT.match(part) for part in path.parts)


def texts(name: str) -> Iterator[tuple[str, str]]:
    """(source, text) of one of `names`: of both sources, of one or of none. Raises UserError for a changed file."""
    package, _, path = name.partition(":")
    if not path:
        yield ENGLISH, prose(readme(package.removesuffix(f"/{README}")))
        return
    source = shipped(package, path)
    if generated(source):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # about escapes in somebody else's strings
        strings = docstrings(ast.parse(source))
    yield ENGLISH, prose("\n\n".join(dedented(string.value) for string in strings))
    yield PYTHON, without(source, strings)


def readme(package: str) -> str:
    """The long description that a package's metadata hold."""
    return lines_alike(installed(package).read_text("METADATA") or "").partition("\n\n")[2]


def shipped(package: str, path: str) -> str:
    """A file's text, if it is as its package shipped it."""
    file = sources(package)[path]
    data = file.locate().read_bytes()
    if file.hash is not None:
        digest = base64.urlsafe_b64encode(hashlib.new(file.hash.mode, data).digest()).rstrip(b"=").decode()
        if digest != file.hash.value:
            raise UserError(
                f"{path} is not as {package} {installed(package).version} shipped it, so general text would differ; "
                f"pip install --force-reinstall --no-deps {package}=={installed(package).version}"
            )
    return lines_alike(data.decode("utf-8"))


def lines_alike(text: str) -> str:
    return text.replace("\r\n", "\n")


def generated(source: str) -> bool:
    if GENERATED.search(source[:1000]) or max(map(len, source.split("\n"))) > LONGEST_LINE:
        return True
    return len(re.findall(r"[0-9]", source)) > MOST_DIGITS * len(source)


def docstrings(tree: ast.Module) -> list[ast.Constant]:
    """The strings in the order of the source."""
    found = []
    for node in statements(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                found += [first.value] if isinstance(first.value.value, str) else []
    return found


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all statements below it, in the order of the source."""
    yield node
    for block in ("body", "handlers", "cases", "orelse", "finalbody"):
        for child in getattr(node, block, ()):
            yield from statements(child)


def without(source: str, strings: list[ast.Constant]) -> str:
    """The source without the lines of these strings; one that is all of a body becomes `...`."""
    lines = source.split("\n")
    for string in reversed(strings):
        indent = " " * string.col_offset
        if not lines[string.lineno - 1].startswith((f'{indent}"', f"{indent}'", f"{indent}r", f"{indent}u")):
            continue  # it shares its line with code
        following = next((line for line in lines[string.end_lineno :] if line.strip()), "")
        alone = string.col_offset and not following.startswith(indent)
        lines[string.lineno - 1 : string.end_lineno] = [f"{indent}..."] if alone else []
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip() + "\n"


def prose(text: str) -> str:
    """The paragraphs of English in a text, each once and each line without its indentation; '' without any."""
    paragraphs = dict.fromkeys(filter(is_prose, re.split(r"\n[ \t]*\n", text)))
    lines = (paragraph.strip().split("\n") for paragraph in paragraphs)
    return "\n".join("".join(f"{line.strip()}\n" for line in paragraph) for paragraph in lines)


def is_prose(paragraph: str) -> bool:
    if NOT_PROSE.search(paragraph) or len(re.findall(r"[A-Za-z]{2,}", paragraph)) < FEWEST_WORDS:
        return False
    return len(LIKE_LETTERS.findall(paragraph)) >= FEWEST_LETTERS * len(paragraph) and paragraph.strip()[-1] in ".:!?"


def dedented(text: str) -> str:
    """Without the indentation that all lines but the first share (`inspect.cleandoc` differs between Pythons)."""
    first, *rest = text.expandtabs().split("\n")
    indents = [len(line) - len(line.lstrip(" ")) for line in rest if line.strip()]
    return "\n".join([first.lstrip(" "), *(line[min(indents, default=0) :] for line in rest)])
