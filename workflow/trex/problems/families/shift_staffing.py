"""Shift staffing: how many people start in each period of a cycle or of a plan, when a shift lasts several periods."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice, letters

PLACES = ("A clinic", "A hotel", "A port", "A mill", "A bus line", "A museum", "A call center", "An airport")
STAFF = ("nurses", "clerks", "pilots", "workers", "drivers", "guards", "agents", "cooks", "porters", "cleaners")
PERIODS = ("block", "slot", "period", "turn", "watch")


class ShiftStaffing(Family):
    name = "shift_staffing"
    bucket = "scheduling"
    note = (
        "Staffing by shifts asks how many people start in each period so that enough are present in all of them. The "
        "model has one integer variable per period, the number who start in it, and one row per period: those who "
        "started in it or in one of the periods before, as many as a shift covers, are at least as many as needed. "
        "When the plan is a cycle, shifts run on from the last period into the first, so the indices wrap around; "
        "otherwise the first rows have fewer terms. The objective counts the people or adds up their pay. Typical "
        "mistakes are to take the need of a period as its starts, to sum forwards instead of backwards, to lose the "
        "wrap-around, and continuous variables."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        periods = size(
            difficulty, rng.randint(3, 5), rng.randint(6, 12), rng.randint(20, 48), rng.choice((168, 240, 336))
        )
        length = size(difficulty, 2, rng.randint(2, 4), rng.randint(4, 8), rng.randint(6, 16))
        start = numbers(rng, periods, *size(difficulty, (1, 9), (1, 9), (1, 15), (2, 20)))
        cyclic = chance(rng, 0.7)
        spare = size(difficulty, 5, 5, 12, 20)
        present = [sum(start[t - k] for k in range(length) if cyclic or t >= k) for t in range(periods)]
        capped = chance(rng, size(difficulty, 15, 25, 40, 40) / 100)
        pay = numbers(rng, periods, *size(difficulty, (5, 30), (5, 40), (20, 90), (20, 90)))
        return {
            "needed": [max(1, count - rng.randint(0, spare)) for count in present],
            "length": length,
            "pay": pay if chance(rng, 0.6) else None,
            "most": max(start) + rng.randint(0, 3) if capped else None,
            "cyclic": cyclic,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        periods = range(len(data["needed"]))
        most = float("inf") if data["most"] is None else data["most"]
        x = [model.add_variable(f"start{t}", "integer", ub=most) for t in periods]
        for t in periods:
            shifts = [t - k for k in range(data["length"]) if data["cyclic"] or t >= k]
            model.add_row({x[start]: 1 for start in shifts}, lb=data["needed"][t])
        model.set_objective("min", dict(zip(x, data["pay"] or [1] * len(x), strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        place, staff, unit = voice.scene(PLACES), voice.scene(STAFF), voice.unit(PERIODS)
        units = f"{unit}es" if unit == "watch" else f"{unit}s"
        period = Axis(unit, units, tuple(map(letters, range(len(data["needed"])))))
        facts = [
            Fact("n", data["needed"], f"number of {staff} needed", ("needed", "demand", "minimum", "staff"), (period,)),
            Fact("w", data["length"], f"length of a shift in {units}", ("length", "shift", "span")),
        ]
        if data["pay"]:
            label = f"pay for a shift by the {unit} of its start"
            facts.append(Fact("c", data["pay"], label, ("pay", "cost", "wages"), (period,), kind=MONEY))
            least = ("Minimize total pay.", "Find the lowest total pay.")
            goal = voice.phrase(least, ("All shifts together should be paid as little as can be.",))
        else:
            least = (f"Minimize the number of {staff}.", f"Hire as few {staff} as possible.")
            goal = voice.phrase(least, (f"How many {staff} will do at the very least?",))
        if data["most"]:
            label = f"largest number of {staff} who start in one {unit}"
            facts.append(Fact("u", data["most"], label, ("starts", "limit", "maximum")))
        return Story(
            intro=self.intro(data, f"{place} needs {staff}", units, voice),
            facts=tuple(facts),
            rules=self.rules(data, staff, unit, voice),
            goal=goal,
            variables=f"one integer variable per {unit}, the {staff} who start in it",
        )

    def intro(self, data: dict, lead: str, units: str, voice: Voice) -> str:
        if data["cyclic"]:
            usual = (f"{lead} in {{{units}}} of a cycle that repeats.", f"{lead} in a repeating cycle of {{{units}}}.")
            return voice.phrase(usual, (f"{lead} round the clock: {{{units}}}, then again from the first.",))
        usual = (f"{lead} in {{{units}}}.", f"{lead} for a plan of {{{units}}}.")
        return voice.phrase(usual, (f"{lead} during {{{units}}}, one after the other.",))

    def rules(self, data: dict, staff: str, unit: str, voice: Voice) -> tuple[str, ...]:
        usual = (
            f"Everyone works one shift, which starts in any {unit} and has no break. Enough {staff} must be present.",
            f"Each of the {staff} has one shift, without a break, from the start of any {unit}. No {unit} may be short "
            "of its need.",
        )
        heldout = (f"Whoever starts in a {unit} stays for one full shift on end, and no {unit} may lack {staff}.",)
        if data["cyclic"]:
            end = (f"Shifts run on from the last {unit} into the first.", f"After the last {unit} the first follows.")
            other = "A shift that reaches the end goes on at the beginning."
        else:
            end = (f"Nobody is there before the first {unit}.", f"No shift starts before the first {unit}.")
            other = f"The first {unit} finds the place empty."
        pay = ", for full pay" if data["pay"] else ""
        late = [] if data["cyclic"] else [f"A shift may run past the last {unit}{pay}."]
        return (voice.phrase(usual, heldout), voice.phrase(end, (other,)), *late)

    def body(self, data: dict) -> list[str]:
        bounds = "lb=0, ub=u" if data["most"] else "lb=0"
        shifts = "x[t - k] for k in range(w)" if data["cyclic"] else "x[max(0, t - w + 1) : t + 1]"
        return [
            f"x = [m.add_integer_variable({bounds}) for _ in n]",
            "for t, v in enumerate(n):",
            f"    m.add_linear_constraint(sum({shifts}) >= v)",
            "m.minimize(sum(i * j for i, j in zip(c, x)))" if data["pay"] else "m.minimize(sum(x))",
        ]

    def formulation(self, data: dict) -> list[str]:
        around = "cyclic" if data["cyclic"] else "those that exist"
        return [
            f"x_t = shifts that start in t, {'0 <= x_t <= u' if data['most'] else 'x_t >= 0'}, integer",
            "min sum_t c_t x_t" if data["pay"] else "min sum_t x_t",
            f"x_t + x_t-1 + ... (w terms, {around}) >= n_t for each t",
        ]


FAMILY = ShiftStaffing()
