"""Build the page of a run: one HTML file that opens offline, without scripts and without other files.

It reads the run's folder (the names that the steps write) and the paper's public numbers, and states for every figure
how it was got. The same inputs give the same bytes.
"""

import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from trex.common import cli, files, provenance
from trex.report import (
    claims,
    cost,
    data,
    documents,
    example,
    headlines,
    machine,
    parts,
    passes,
    projection,
    results,
    sizes,
    validation,
)
from trex.report.load import Run, load

TEMPLATES = Path(__file__).parent
TEMPLATE = "page.html.j2"


def render(run: Run, block: dict) -> str:
    """The page's HTML. Text from models and files is escaped by the template engine; charts alone are markup."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = [
        claims.claims(run),
        *passes.sections(run),
        results.diagnostics(run),
        results.failures(run),
        results.retention(run),
        machine.training(run),
        machine.speed(run),
        sizes.sizes(run),
        validation.validation(run),
        projection.projection(run),
        cost.cost(run),
        data.data(run),
    ]
    return environment.get_template(TEMPLATE).render(
        run=run.documents["config"]["config"]["run"],
        seed=run.documents["config"]["config"]["seed"],
        parameters=run.parameters("miniature"),
        outside=[parts.arm(name) for name in run.arms if name not in run.trained],
        headlines=headlines.headlines(run),
        sections=sections,
        example=example.example(run),
        environment=documents.environment(run),
        provenance=Markup(provenance_json(block)),
    )


def provenance_json(block: dict) -> str:
    """JSON that can stand in a script element: no `<` can end it early."""
    return json.dumps(block, indent=1, sort_keys=True).replace("<", "\\u003c")


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--run-dir", type=Path, required=True, help="results/<run>")
    parser.add_argument("--paper", type=Path, required=True, help="config/paper.yaml")
    parser.add_argument("--out", required=True, help="report/report.html")
    arguments = parser.parse_args()
    run = load(arguments.run_dir, arguments.paper)
    inputs = {name: arguments.run_dir / name for name in run.read}
    inputs |= {TEMPLATE: TEMPLATES / TEMPLATE, "paper": arguments.paper}
    page = render(run, files.metadata(provenance.provenance("trex.report.build", {}, inputs)))
    files.write_text(arguments.out, page)
    print(f"report: {arguments.out}, {len(page.encode()) / 1e6:.2f} MB, from {len(run.read)} files")


if __name__ == "__main__":
    cli.run(main)
