"""Manual pages, made from the description of its commands that the program prints (--experimental-dump-help)."""

import re
import textwrap


def pages(command: dict, version: str, date: str) -> dict[str, str]:
    """Returns the text of a page for each command that the help shows, by the page's name, such as tintype-backup-prune."""
    found: dict[str, str] = {}
    visit(command, [], version, date, found)
    return found


def visit(command: dict, above: list[str], version: str, date: str, found: dict[str, str]) -> None:
    path = [*above, command["commandName"]]
    found["-".join(path)] = page(command, path, version, date)
    for child in shown(command.get("subcommands", [])):
        if child["commandName"] != "help":
            visit(child, path, version, date, found)


def shown(things: list[dict]) -> list[dict]:
    return [thing for thing in things if thing.get("shouldDisplay", True)]


def page(command: dict, path: list[str], version: str, date: str) -> str:
    name, words = "-".join(path), " ".join(path)
    abstract = command.get("abstract", "").strip()
    arguments = shown(command.get("arguments", []))
    lines = [f'.TH {quoted(name.upper())} 1 "{date}" {quoted(f"tintype {version}")} "Tintype"', ".nh"]
    lines += [".SH NAME", f"{text(name)} \\- {text(abstract.rstrip('.'))}"]
    lines += [".SH SYNOPSIS", f".B {text(words)}", *synopsis(command, arguments)]
    discussion = command.get("discussion", "")
    description, _, examples = discussion.partition("EXAMPLES\n")
    lines += [".SH DESCRIPTION", *prose(f"{abstract}\n\n{description}")]
    if examples:
        sample, _, rest = examples.partition("\n\n")
        lines += [".SH EXAMPLES", *verbatim(sample)]
        # What follows the examples is prose, or a section with a title of its own.
        title, _, codes = rest.strip().partition("\n")
        if title.isupper():
            lines += [f".SH {title}", *verbatim(codes)]
        elif rest.strip():
            lines += [".PP", *prose(rest)]
    positional = [argument for argument in arguments if argument["kind"] == "positional"]
    for title, group in [("ARGUMENTS", positional), ("OPTIONS", [a for a in arguments if a["kind"] != "positional"])]:
        if group:
            lines += [f".SH {title}"]
            for argument in group:
                lines += [".TP", label(argument), *(prose(argument.get("abstract", "")) or ["\\&"])]
    children = [child for child in shown(command.get("subcommands", [])) if child["commandName"] != "help"]
    if children:
        lines += [".SH COMMANDS"]
        for child in children:
            lines += [".TP", f".BR {text(name + '-' + child['commandName'])} (1)", *prose(child.get("abstract", ""))]
    related = ["-".join(path[:-1])] if len(path) > 1 else []
    if related:
        lines += [".SH SEE ALSO", f".BR {text(related[0])} (1)"]
    return "\n".join(line for line in lines if line != "") + "\n"


def synopsis(command: dict, arguments: list[dict]) -> list[str]:
    parts = []
    for argument in arguments:
        if argument["kind"] == "positional":
            part = f"\\fI{text(argument.get('valueName', 'value'))}\\fR" + ("..." if argument.get("isRepeating") else "")
        elif argument.get("isOptional", True):
            continue
        else:
            part = label(argument)
        parts.append(f"[{part}]" if argument.get("isOptional") else part)
    if any(argument["kind"] != "positional" and argument.get("isOptional", True) for argument in arguments):
        parts.append("[\\fIoptions\\fR]")
    if shown(command.get("subcommands", [])):
        parts.append("[\\fIcommand\\fR]")
    return parts


def label(argument: dict) -> str:
    value = f"\\fI{text(argument.get('valueName', 'value'))}\\fR"
    if argument["kind"] == "positional":
        return value
    names = []
    for name in sorted(argument.get("names", []), key=lambda name: name["kind"] != "short"):
        names.append(f"\\fB{text(('--' if name['kind'] == 'long' else '-') + name['name'])}\\fR")
    joined = ", ".join(names)
    return joined if argument["kind"] == "flag" else f"{joined} {value}"


def prose(words: str) -> list[str]:
    """Returns paragraphs; those that are indented keep their lines."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", words.strip("\n")):
        if not paragraph.strip():
            continue
        if lines:
            lines.append(".PP")
        if paragraph.startswith(" "):
            lines += verbatim(paragraph)
        else:
            lines.append(text(re.sub(r"\s+", " ", paragraph.strip())))
    return lines


def verbatim(lines: str) -> list[str]:
    return [".nf", *[text(line) for line in textwrap.dedent(lines).rstrip().split("\n")], ".fi"]


def text(words: str) -> str:
    """Returns words without what the formatter would take for its own."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    escaped = escaped.replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


def quoted(words: str) -> str:
    return '"' + text(words).replace('"', "\\(dq") + '"'
