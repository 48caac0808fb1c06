"""`ioadr compare`: two results of one light field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.app.words import percentage

if TYPE_CHECKING:
    from ioadr.comparison import Comparison


@click.command(cls=SectionCommand)
@click.argument("first", type=click.Path(), metavar="A")
@click.argument("second", type=click.Path(), metavar="B")
@option("Results", "--html", type=click.Path(dir_okay=False), metavar="FILE", help="Also write a page with pictures.")
@output_options
def command(terminal: Terminal, first: str, second: str, html: str | None) -> None:
    """Compare result B with result A: the signed difference B − A, and where it matters.

    A and B are folders written by `ioadr estimate` for the same view, with different parameters, seeds or versions. No
    ground truth is needed: the data cost shows which one fits the views better, if both used the same views.
    """
    from ioadr.io import load_estimate
    from ioadr.io.results.save import plain

    with terminal.busy("comparing"):
        one, other = load_estimate(first), load_estimate(second)
        comparison = one.compare(other)
        if html:
            from ioadr.app.comparison_page import page_html
            from ioadr.app.pages import write_page

            write_page(html, page_html((first, one), (second, other), comparison))
    data = {"first": first, "second": second, **plain(comparison.to_dict())}
    terminal.answer(_text(comparison, html), data | ({"html": html} if html else {}))


def _text(comparison: Comparison, html: str | None) -> str:
    lines = [
        f"B − A: mean {comparison.mean:+.4f} px, median of the absolute difference {comparison.median_absolute:.4f} px",
        f"  pixels that differ by more than     of all   trusted in both ({100 * comparison.trusted.mean():.0f} %)",
    ]
    for limit, share in comparison.beyond.items():
        trusted = comparison.beyond_trusted[limit]
        lines.append(f"  {limit:>6g} px{percentage(share):>33}{percentage(trusted):>18}")
    costs, confidence = comparison.costs, comparison.confidence
    meaning = "lower fits the views better" if comparison.same_data else "not comparable: different data"
    lines.append(f"  data cost   A {costs[0]:.3f}, B {costs[1]:.3f} grey levels; {meaning}")
    lines.append(f"  confidence  A {confidence[0]:.2f}, B {confidence[1]:.2f} on average")
    lines += [f"  {name}: A {before}, B {after}" for name, (before, after) in comparison.parameters.items()]
    return "\n".join([*lines, *([f"wrote {html}"] if html else [])])
