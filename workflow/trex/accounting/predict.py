"""What a training step of the miniature would take on the machine of a run: seconds by term, tokens/s, memory.

From the coefficients in the run's accounting/validation.json, for one process; how far such predictions were off there
is said with each. Nothing is computed with torch. For clusters see `trex.accounting.project`.
"""

from pathlib import Path

from trex.accounting.miniature.predict import Predictor
from trex.accounting.miniature.setting import BYTES, Setting
from trex.common import cli, files
from trex.common.errors import UserError
from trex.model.config import ModelConfig

MIB = 2**20


def load(path: str | Path) -> tuple[Predictor, dict]:
    """The predictor of a run, and the whole of its accounting/validation.json. Raises UserError."""
    found = files.read_json(path)
    try:
        peaks = {int(threads): values for threads, values in found["peak_tflops"].items()}
        base = ModelConfig.from_dict(found["model"])
        _ = [found[name] for name in ("steps", "time", "memory", "parallel_layouts")]
        return Predictor(base, peaks, found["time_coefficients"], found["memory_coefficients"]), found
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise UserError(f"{path}: not accounting/validation.json of a run ({error!r})") from error


def answer(predictor: Predictor, validated: dict, setting: Setting) -> str:
    """Raises UserError where the setting's peak was not measured."""
    if setting.threads not in predictor.peaks:
        known = ", ".join(map(str, sorted(predictor.peaks)))
        raise UserError(f"--threads {setting.threads}: no peak was measured with so many; known: {known}")
    seconds, memory = predictor.seconds(setting), predictor.bytes(setting, validated["steps"])
    terms = {name: value for name, value in predictor.terms(setting).items() if value}
    lines = [f"step {seconds:.3f} s, {setting.tokens / seconds:,.0f} tokens/s: {validated['time']['verdict']}"]
    lines += [f"  {name:<18}{value:8.3f} s {value / seconds:6.1%}" for name, value in terms.items()]
    if memory is not None and validated["memory"]:
        lines.append(
            f"memory {memory / MIB:,.0f} MiB above the process's baseline after {validated['steps']} steps: "
            f"{validated['memory']['verdict']}"
        )
    return "\n".join([*lines, f"parallel layouts: {validated['parallel_layouts']}"])


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--validation", required=True, help="accounting/validation.json of a run on this machine")
    parser.add_argument("--batch-size", type=cli.positive, required=True, help="rows a step")
    parser.add_argument("--sequence-length", type=cli.positive, required=True, help="tokens of a row")
    parser.add_argument(
        "--width", type=cli.positive_number, default=1.0, help="factor on the widths of the run's model"
    )
    parser.add_argument("--threads", type=cli.positive, required=True)
    parser.add_argument("--precision", choices=list(BYTES), default="float32")
    parser.add_argument("--recomputation", action="store_true", help="each block is run again in the backward pass")
    given = parser.parse_args()
    setting = Setting(
        given.batch_size, given.sequence_length, given.width, given.threads, given.precision, given.recomputation
    )
    print(answer(*load(given.validation), setting))


if __name__ == "__main__":
    cli.run(main)
