"""Shift staffing: how many people start in each period of a repeating cycle, when a shift lasts several periods."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model

SCENES = (
    ("A clinic needs nurses in", "nurses"),
    ("A hotel needs clerks in", "clerks"),
    ("A port needs pilots in", "pilots"),
    ("A mill needs workers in", "workers"),
    ("A bus line needs drivers in", "drivers"),
    ("A museum needs guards in", "guards"),
)


class ShiftStaffing(Family):
    name = "shift_staffing"
    bucket = "scheduling"

    def draw(self, rng: Random, difficulty: str) -> dict:
        periods = size(difficulty, rng.randint(3, 4), rng.randint(5, 6), rng.randint(7, 10))
        capped = chance(rng, size(difficulty, 15, 25, 40) / 100)
        length = size(difficulty, 2, rng.randint(2, 3), rng.randint(3, 4))
        start = numbers(rng, periods, 1, 9)
        return {
            "needed": [max(1, sum(start[t - k] for k in range(length)) - rng.randint(0, 5)) for t in range(periods)],
            "length": length,
            "pay": numbers(rng, periods, 5, 30) if chance(rng, 0.5) else None,
            "most": max(start) + rng.randint(0, 3) if capped else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        periods = range(len(data["needed"]))
        most = float("inf") if data["most"] is None else data["most"]
        x = [model.add_variable(f"start{t}", "integer", ub=most) for t in periods]
        for t in periods:
            model.add_row({x[t - k]: 1 for k in range(data["length"])}, lb=data["needed"][t])
        model.set_objective("min", dict(zip(x, data["pay"] or [1] * len(x), strict=True)))
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        lead, plural = rng.choice(SCENES)
        unit = rng.choice(("block", "slot", "period", "turn"))
        period = Axis(unit, f"{unit}s", tuple("ABCDEFGHIJ"[: len(data["needed"])]))
        facts = [
            Fact("n", data["needed"], f"{plural} needed", ("needed", "demand", "minimum", "staff"), (period,)),
            Fact("w", data["length"], f"{period.plural} per shift", ("length", "shift", "span")),
        ]
        if data["pay"]:
            facts.append(Fact("c", data["pay"], "pay by start", ("pay", "cost", "wages"), (period,)))
            goal = rng.choice(("Minimize total pay.", "Find the lowest total pay."))
        else:
            goal = rng.choice((f"Minimize the number of {plural}.", f"Hire as few {plural} as possible."))
        if data["most"]:
            facts.append(Fact("u", data["most"], f"starts per {unit}, at most", ("starts", "limit", "maximum")))
        return Story(
            intro=f"{lead} {{{period.plural}}} of a cycle that repeats.",
            facts=tuple(facts),
            rules=(f"A shift starts in any {unit} and has no break, over the end too.",),
            goal=goal,
            variables=f"one integer variable per {unit}, the {plural} who start in it",
        )

    def body(self, data: dict) -> list[str]:
        bounds = "lb=0, ub=u" if data["most"] else "lb=0"
        return [
            f"x = [m.add_integer_variable({bounds}) for _ in n]",
            "for t, v in enumerate(n):",
            "    m.add_linear_constraint(sum(x[t - k] for k in range(w)) >= v)",
            "m.minimize(sum(i * j for i, j in zip(c, x)))" if data["pay"] else "m.minimize(sum(x))",
        ]

    def formulation(self, data: dict) -> list[str]:
        return [
            f"x_t = shifts that start in t, {'0 <= x_t <= u' if data['most'] else 'x_t >= 0'}, integer",
            "min sum_t c_t x_t" if data["pay"] else "min sum_t x_t",
            "x_t + x_t-1 + ... (w terms, cyclic) >= n_t for each t",
        ]


FAMILY = ShiftStaffing()
