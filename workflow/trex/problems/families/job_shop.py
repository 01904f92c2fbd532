"""Job shop: when each step of each job runs on its machine, for an early end of the last job or of all of them."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

SCENES = (
    ("machine shop", "part", "parts", "machine", "machines"),
    ("print works", "book", "books", "press", "presses"),
    ("hospital", "patient", "patients", "room", "rooms"),
    ("film studio", "scene", "scenes", "stage", "stages"),
    ("body shop", "car", "cars", "bay", "bays"),
    ("test lab", "sample", "samples", "device", "devices"),
    ("chip plant", "wafer", "wafers", "tool", "tools"),
    ("dye house", "cloth", "cloths", "vat", "vats"),
    ("repair yard", "wagon", "wagons", "track", "tracks"),
)
NAMES = (
    "Amber", "Basil", "Coral", "Denim", "Ebony", "Fern", "Ginger", "Hazel", "Ivory", "Jade", "Kiwi", "Lilac",
    "Mint", "Navy", "Olive", "Pearl", "Ruby", "Sable",
)  # fmt: skip
UNITS = ("hour", "minute", "day", "shift")


class JobShop(Family):
    name = "job_shop"
    bucket = "scheduling"
    note = (
        "Every job has steps in a fixed sequence, each on a given machine for a given time, and a machine does one "
        "step at a time. Variables are the start of each step and, for each pair of steps on the same machine, a "
        "binary that says which of the two waits. Rows: a step starts after the one before it in its job has ended; of "
        "the two rows of a pair on a machine one is switched off by a large constant, the sum of all times plus the "
        "latest release. The makespan is a variable above the end of every last step; total completion time needs "
        "none. Typical mistakes: pairs of one job instead of pairs on one machine, the wrong step looked up where jobs "
        "visit machines in different sequences, the time of the wrong step in a row, and a makespan above some "
        "machines only."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        sizes = size(
            difficulty, ((2, 2),), ((2, 3), (3, 2), (3, 3)), ((3, 4), (3, 5), (3, 6), (4, 2)), ((3, 12), (4, 8), (3, 9))
        )
        jobs, machines = rng.choice(sizes)
        goal = rng.choice(("makespan", "completion", "weighted"))
        steps = [rng.sample(range(1, machines + 1), machines) for _ in range(jobs)]
        return {
            "machine": steps,
            "time": [numbers(rng, machines, *size(difficulty, (1, 9), (1, 20), (2, 40), (20, 300))) for _ in steps],
            "goal": goal,
            "weight": numbers(rng, jobs, 1, size(difficulty, 9, 9, 20, 100)) if goal == "weighted" else None,
            "release": numbers(rng, jobs, 0, size(difficulty, 5, 15, 30, 300)) if chance(rng, 0.3) else None,
        }

    def model(self, data: dict) -> Model:
        model, p, o = Model(), data["time"], data["machine"]
        jobs, steps = range(len(p)), range(len(p[0]))
        r = data["release"] or [0 for _ in jobs]
        far = sum(map(sum, p)) + max(r)
        s = [[model.add_variable(f"start{j}_{k}", lb=0 if k else r[j]) for k in steps] for j in jobs]
        for j in jobs:
            for k in steps[1:]:
                model.add_row({s[j][k]: 1, s[j][k - 1]: -1}, lb=p[j][k - 1])
            for i in range(j):
                for k in steps:
                    n = o[i].index(o[j][k])
                    y = model.add_variable(f"waits{j}_{i}_{o[j][k]}", "binary")
                    model.add_row({s[j][k]: 1, s[i][n]: -1, y: -far}, lb=p[i][n] - far)
                    model.add_row({s[i][n]: 1, s[j][k]: -1, y: far}, lb=p[j][k])
        last = [row[-1] for row in s]
        if data["goal"] == "makespan":
            end = model.add_variable("makespan")
            for j in jobs:
                model.add_row({end: 1, last[j]: -1}, lb=p[j][-1])
            model.set_objective("min", {end: 1})
        else:
            w = data["weight"] or [1 for _ in jobs]
            constant = sum(w[j] * p[j][-1] for j in jobs)
            model.set_objective("min", dict(zip(last, w, strict=True)), constant=constant)
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, one, many, machine, machines = voice.scene(SCENES)
        unit = voice.unit(UNITS)
        job = Axis(one, many, voice.names(NAMES, len(data["time"])))
        step = Axis("step", "steps", tuple(f"step {k + 1}" for k in range(len(data["time"][0]))))
        both, nth = (job, step), f"{machine} of each step"
        facts = (
            Fact("o", data["machine"], nth, ("machine", "route", "path", "order"), both, f"{machine} of {{}}"),
            Fact("p", data["time"], f"time of each step in {unit}s", ("time", "duration", "work"), both, "time of {}"),
            Fact("r", data["release"], f"release time in {unit}s", ("release", "ready", "arrival", "earliest"), (job,)),
            Fact("w", data["weight"], "weight", ("weight", "importance", "priority", "factor"), (job,)),
        )
        return Story(
            intro=voice.phrase(
                (
                    f"A {who} has to bring {{{many}}} through its {machines}.",
                    f"In a {who}, {{{many}}} have to pass through all {machines}.",
                    f"A {who} plans the way of {{{many}}} through its {machines}.",
                ),
                (f"The {machines} of a {who} must deal with {{{many}}}.",),
            ),
            facts=tuple(fact for fact in facts if fact.value is not None),
            rules=tuple(rules(data, voice, one, many, machine, machines)),
            goal=goal(data, voice, one, many),
            variables=f"a start time per step, a binary per {machine} and pair of {many}"
            + (", one for the makespan" if data["goal"] == "makespan" else ""),
        )

    def body(self, data: dict) -> list[str]:
        lines = [
            "s = [[m.add_variable(lb=0) for _ in i] for i in p]",
            f"k = sum(map(sum, p)){' + max(r)' if data['release'] else ''}",
            "for j in range(len(p)):",
            "    for a in range(1, len(p[j])):",
            "        m.add_linear_constraint(s[j][a] >= s[j][a - 1] + p[j][a - 1])",
            "    for i in range(j):",
            "        for a, n in enumerate(o[j]):",
            "            b, y = o[i].index(n), m.add_binary_variable()",
            "            m.add_linear_constraint(s[j][a] >= s[i][b] + p[i][b] - k * (1 - y))",
            "            m.add_linear_constraint(s[i][b] >= s[j][a] + p[j][a] - k * y)",
        ]
        if data["release"]:
            lines.insert(3, "    m.add_linear_constraint(s[j][0] >= r[j])")
        if data["goal"] == "makespan":
            lines.insert(1, "t = m.add_variable(lb=0)")
            lines.insert(4, "    m.add_linear_constraint(t >= s[j][-1] + p[j][-1])")
            return [*lines, "m.minimize(t)"]
        if data["weight"]:
            return [*lines, "m.minimize(sum(i * (j[-1] + l[-1]) for i, j, l in zip(w, s, p)))"]
        return [*lines, "m.minimize(sum(i[-1] + j[-1] for i, j in zip(s, p)))"]

    def formulation(self, data: dict) -> list[str]:
        makespan = data["goal"] == "makespan"
        lines = [
            "s_ja >= 0 start of step a of job j; y_jin = 1 if j is after i on machine n, else 0, for i < j"
            + ("; t >= 0 makespan" if makespan else ""),
            "min t"
            if makespan
            else f"min sum_j {'w_j (s_jl + p_jl)' if data['weight'] else 's_jl + p_jl'}, l the last step",
            "s_ja >= s_j,a-1 + p_j,a-1 for each j and a > 1",
            f"s_ja >= s_ib + p_ib - k (1 - y_jin) if o_ja = o_ib = n, k = sum p{' + max r' if data['release'] else ''}",
            "s_ib >= s_ja + p_ja - k y_jin for the same",
        ]
        if data["release"]:
            lines.append("s_j1 >= r_j for each j")
        return [*lines, "t >= s_jl + p_jl for each j, l the last step"] if makespan else lines


def rules(data: dict, voice: Voice, one: str, many: str, machine: str, machines: str) -> list[str]:
    ready = (f"All {many} are ready at time 0.", f"Every {one} can start from time 0 on.")
    later = (f"No {one} starts before its release time.", f"The first step of a {one} waits for its release time.")
    return [
        voice.phrase(
            (
                f"Each {one} goes through its steps one after the other, step 1 first; {machines} are given by number.",
                f"{machines.capitalize()} are numbered from 1, and the steps of a {one} follow each other in sequence.",
            ),
            (f"A step begins only after the step before it; numbers from 1 stand for the {machines}.",),
        ),
        voice.phrase(
            (
                f"A {machine} does one step at a time, without interruption.",
                f"No {machine} takes two {many} at a time, and a step that has begun is not interrupted.",
            ),
            (f"Two {many} are never on the same {machine} together, and no step is broken off.",),
        ),
        voice.phrase(later, (f"Before its release time, nothing can be done on a {one}.",))
        if data["release"]
        else voice.phrase(ready, (f"From time 0, any of the {many} can begin.",)),
    ]


def goal(data: dict, voice: Voice, one: str, many: str) -> str:
    if data["goal"] == "makespan":
        return voice.phrase(
            (f"Minimize the time at which the last {one} is finished.", "Minimize the makespan."),
            (f"How early can all {many} be done?",),
        )
    what = "sum of weight times completion time" if data["weight"] else "sum of completion times"
    return voice.phrase(
        (f"Minimize the {what} of the {many}.", f"Find the schedule with the least {what}."),
        (f"Which schedule makes the {what} smallest?",),
    )


FAMILY = JobShop()
