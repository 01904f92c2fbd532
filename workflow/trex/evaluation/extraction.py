"""The code of a response, by rule. Of several candidates of one kind the last counts: drafts come before answers.

1. the last complete block fenced by ``` and tagged python (or py);
2. else the last complete fenced block without a tag;
3. else the last complete <python> ... </python>;
4. else the whole text.

A fence opens at the start of a line, tagged or not, and is closed by the next line that is ``` alone. A block that is
not closed is not complete: a response that was cut off falls through to the later rules.
"""

import re

FENCE = "```"
PYTHON_TAGS = ("python", "py")
TAG = re.compile(r"<python>(.*?)</python>", re.DOTALL)


def code(response: str) -> str:
    blocks = fenced_blocks(response)
    for wanted in (PYTHON_TAGS, ("",)):
        matching = [text for tag, text in blocks if tag in wanted]
        if matching:
            return matching[-1]
    tagged = TAG.findall(response)
    return tagged[-1] if tagged else response


def fenced_blocks(response: str) -> list[tuple[str, str]]:
    """(tag in lower case, text) of every complete fenced block."""
    blocks: list[tuple[str, str]] = []
    tag, lines = None, []
    for line in response.splitlines():
        fence = line.strip()
        if tag is None and line.startswith(FENCE):
            words = fence.removeprefix(FENCE).split()
            tag, lines = words[0].lower() if words else "", []
        elif tag is not None and fence == FENCE:
            blocks.append((tag, "\n".join(lines)))
            tag = None
        elif tag is not None:
            lines.append(line)
    return blocks
