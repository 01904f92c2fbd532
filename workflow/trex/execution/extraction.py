"""The code of a response, by rule. Of several candidates of one kind the last counts: drafts come before answers.

1. the last complete block fenced by ``` and tagged python (or py);
2. else the last complete fenced block without a tag;
3. else the last complete <python> ... </python>;
4. else the whole text.

A fence opens at the start of a line, tagged or not, and is closed by the next line that is ``` alone. Where it is
indented (in a list, say), so is its code, and the indentation is taken away. A block that is not closed is not
complete: a response that was cut off falls through to the later rules.
"""

import textwrap

FENCE = "```"
PYTHON_TAGS = ("python", "py")
OPENING, CLOSING = "<python>", "</python>"


def code(response: str) -> str:
    blocks = fenced_blocks(response)
    for wanted in (PYTHON_TAGS, ("",)):
        matching = [text for tag, text in blocks if tag in wanted]
        if matching:
            return matching[-1]
    tagged = tagged_blocks(response)
    return tagged[-1] if tagged else response


def fenced_blocks(response: str) -> list[tuple[str, str]]:
    """(tag in lower case, text) of every complete fenced block."""
    blocks: list[tuple[str, str]] = []
    tag, lines, indented = None, [], False
    for line in response.splitlines():
        fence = line.strip()
        if tag is None and fence.startswith(FENCE):
            words = fence.removeprefix(FENCE).split()
            tag, lines, indented = words[0].lower() if words else "", [], line[0].isspace()
        elif tag is not None and fence == FENCE:
            text = "\n".join(lines)
            blocks.append((tag, textwrap.dedent(text) if indented else text))
            tag = None
        elif tag is not None:
            lines.append(line)
    return blocks


def tagged_blocks(response: str) -> list[str]:
    """What stands between <python> and the next </python>, in time linear in the response."""
    *parts, _ = response.split(CLOSING)
    return [part.split(OPENING, 1)[1] for part in parts if OPENING in part]
