"""Hooks of MkDocs (`make docs`): add the pages of the root and a reference made from the source.

Links in pages resolve in the repository. Here they become links of the site: pages of the root are below `project/`,
and a link to any other file (a test, a script) becomes its name.
"""

from __future__ import annotations

import inspect
import posixpath
import re
import shutil
from pathlib import Path

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pygments.formatters import HtmlFormatter

import ioadr
from ioadr.app.cli import COMMANDS, EXIT_CODES, group
from ioadr.io.registry import formats

ROOT = Path(__file__).resolve().parents[1]
ROOT_PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^\[(examples/\S+\.py)\]\(\S+\)$", re.MULTILINE)
CODE = re.compile(r"<code>[^<]*</code>")
OPTION = re.compile(r"(?<!\w)--[a-z][a-z-]*")
STYLE = Path(__file__).with_suffix(".css")
SEARCH = Path(__file__).with_name("docs_search.js")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add pages that mkdocs.yml does not name to the navigation, so that a new page is one file."""
    sections: dict[str, list[object]] = {name: pages for entry in config.nav for name, pages in entry.items()}
    docs = Path(config.docs_dir)
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    left = sorted(pages - set(re.findall(r"[\w/-]+\.md", str(config.nav))))
    decisions = [page for page in left if page.startswith("decisions/")]
    sections["Use"] += [page for page in left if page not in decisions]
    sections["Project"].append({"Decisions": decisions})
    sections["Reference"].append({"Python names": [{name: name_page(name)} for name in public_names()]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages without a file in docs/."""
    for name in ROOT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, f"project/{name}", content=text))
    files.append(File.generated(config, "reference/cli.md", content=command_line()))
    files.append(File.generated(config, "reference/api.md", content=python_api()))
    for name in public_names():
        files.append(File.generated(config, name_page(name), content=f"::: ioadr.{ioadr._HOME[name]}.{name}\n"))
    light = HtmlFormatter().get_style_defs(".codehilite")
    dark = HtmlFormatter(style="github-dark").get_style_defs("[data-bs-theme=dark] .codehilite")
    style = "\n".join((light, dark, STYLE.read_text(encoding="utf-8")))
    files.append(File.generated(config, "site.css", content=style))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Make search work from file://: the index is a script, and our search replaces MkDocs' worker."""
    folder = Path(config.site_dir) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"window.SEARCH_INDEX = {index};\n", encoding="utf-8")
    shutil.copyfile(SEARCH, folder / "main.js")
    for name in ("search_index.json", "worker.js", "lunr.js"):
        (folder / name).unlink(missing_ok=True)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace links with those of the site, and links to examples with the examples; code is not changed."""
    if page.file.src_uri == "formats.md":
        markdown = with_all_formats(markdown)
    parts = FENCE.split(EXAMPLE.sub(example, markdown))
    parts[::2] = [LINK.sub(lambda found: site_link(found, page.file.src_uri, files), part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep options such as `--flip-rows` on one line."""
    return CODE.sub(lambda code: OPTION.sub(r'<span class="option">\g<0></span>', code[0]), html)


def with_all_formats(markdown: str) -> str:
    """Add formats that the page's table does not name, with their descriptions."""
    left = [item for item in formats() if f"| `{item.name}` |" not in markdown]
    rows = "".join(f"| `{item.name}` | {item.description} | – |\n" for item in left)
    last = max(markdown.index(f"| `{item.name}` |") for item in formats() if item not in left)
    end = markdown.index("\n", last) + 1
    return markdown[:end] + rows + markdown[end:]


def example(link: re.Match[str]) -> str:
    return f"`{link[1]}`\n\n```python\n{(ROOT / link[1]).read_text(encoding='utf-8')}```"


def site_link(link: re.Match[str], page: str, files: Files) -> str:
    """One link of a page, both named as the site does."""
    picture, label, target, anchor = link[1], link[2], link[3], link[4] or ""
    if "://" in target or not target:
        return link[0]
    path = posixpath.normpath(posixpath.join(posixpath.dirname(repository_name(page)), target))
    found = site_name(path)
    if files.get_file_from_path(found):
        return f"{picture}[{label}]({posixpath.relpath(found, posixpath.dirname(page) or '.')}{anchor})"
    if (ROOT / path).exists():
        return label if label.startswith("`") else f"`{label}`"
    return link[0]  # MkDocs will warn


def repository_name(page: str) -> str:
    return page.removeprefix("project/") if page.startswith("project/") else f"docs/{page}"


def site_name(path: str) -> str:
    """`docs/x.md` → `x.md`, `README.md` → `project/README.md`; a folder is its index."""
    if (ROOT / path).is_dir():
        path = f"{path}/README.md"
    return path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"


def command_line() -> str:
    """`ioadr COMMAND --help` of every command, as a page."""
    parent = click.Context(group, info_name="ioadr", terminal_width=100)
    lines = ["# Command line", "", "Made from the source; `ioadr COMMAND --help` prints the same.", "", EXIT_CODES, ""]
    for name, summary in COMMANDS.items():
        command = group.get_command(parent, name)
        assert command is not None
        text = click.Context(command, parent=parent, info_name=name, terminal_width=100).get_help()
        lines += [f"## ioadr {name}", "", summary, "", "```text", text, "```", ""]
    return "\n".join(lines)


def public_names() -> list[str]:
    """Functions, those to start with first, then classes."""
    names = [name for name in ioadr.__all__ if not name.startswith("__")]
    functions = sorted((name for name in names if name.islower()), key="read estimate preset load_parameters".find)
    return [*functions, *sorted(set(names) - set(functions))]


def name_page(name: str) -> str:
    """The page of a public name; some file systems do not distinguish `estimate` from `Estimate`."""
    return f"reference/{'function' if name.islower() else 'class'}-{name.lower()}.md"


def python_api() -> str:
    """A table of the public names, with the first line of each docstring and a link to its page."""
    lines = [
        "# Python",
        "",
        "These names are public, and so are `ioadr.io.load_estimate` and `ioadr.evaluation`. All others may change",
        "without notice.",
        "",
        "| name | |",
        "|---|---|",
    ]
    for name in public_names():
        summary = (inspect.getdoc(getattr(ioadr, name)) or "").partition("\n")[0].replace("|", "\\|")
        lines.append(f"| [`{name}`]({posixpath.basename(name_page(name))}) | {summary} |")
    return "\n".join(lines) + "\n"
