"""Single machine: in which sequence one machine does the jobs, for early completion or little tardiness."""

from random import Random

from trex.problems.family import AMOUNT, MONEY, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

SCENES = (
    ("print shop", "press", "book", "books"),
    ("garage", "ramp", "car", "cars"),
    ("test lab", "analyser", "sample", "samples"),
    ("bakery", "oven", "batch", "batches"),
    ("clinic", "scanner", "patient", "patients"),
    ("sawmill", "saw", "lot", "lots"),
    ("port", "crane", "ship", "ships"),
    ("weather office", "computer", "program", "programs"),
    ("machine shop", "lathe", "part", "parts"),
)
NAMES = (
    "Alpha", "Bravo", "Delta", "Echo", "Kilo", "Lima", "Metro", "Nova", "Omega", "Sigma", "Tango", "Vega",
    "Zulu", "Iris", "Juno", "Luna", "Argo", "Terra", "Atlas",
)  # fmt: skip
UNITS = ("hour", "minute", "day", "shift")
JOBS = {"completion": ((7, 9), (16, 20)), "tardiness": ((6, 6), (7, 9)), "largest": ((7, 8), (9, 11))}
LATE = {"completion": "", "tardiness": ", a tardiness per {}", "largest": ", one for the largest tardiness"}


class SingleMachine(Family):
    name = "single_machine"
    bucket = "scheduling"
    note = (
        "One machine, one job at a time: the decision is the sequence. When all jobs are ready at the start, the "
        "machine never has to stand idle, so a job ends when its own work and that of all earlier jobs is done. A "
        "binary for each pair of jobs says whether the first of the two is earlier; for any three jobs, rows rule out "
        "a circle; completion times follow as sums, and no large constant is needed. With release times one needs the "
        "weaker disjunctive rows instead. Tardiness is never negative: it is a variable of its own, with a row that "
        "bounds it by completion minus due time; for the largest tardiness one such variable is above all jobs. "
        "Typical mistakes: circles that are not ruled out, a completion time without the job's own time, and earliness "
        "of one job that pays off the tardiness of another."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        goal = rng.choice(("completion", "tardiness", "largest"))
        few = 2 if goal == "tardiness" else 3
        jobs = size(difficulty, few, rng.randint(4, 5), *(rng.randint(*between) for between in JOBS[goal]))
        time = numbers(rng, jobs, *size(difficulty, (1, 9), (1, 20), (2, 40), (10, 100)))
        weighted = goal != "largest" and chance(rng, 0.75)
        return {
            "time": time,
            "goal": goal,
            "weight": numbers(rng, jobs, 1, size(difficulty, 9, 20, 60, 60)) if weighted else None,
            "due": None if goal == "completion" else [rng.randint(t, max(t, round(0.6 * sum(time)))) for t in time],
        }

    def model(self, data: dict) -> Model:
        model, p = Model(), data["time"]
        jobs = range(len(p))
        y = {(i, j): model.add_variable(f"before{i}_{j}", "binary") for j in jobs for i in range(j)}
        for i, j in y:
            for k in range(j + 1, len(p)):
                model.add_row({y[i, j]: 1, y[j, k]: 1, y[i, k]: -1}, lb=0, ub=1)
        c = [model.add_variable(f"end{j}") for j in jobs]
        for j in jobs:
            before = {y[i, j]: -p[i] for i in range(j)} | {y[j, i]: p[i] for i in jobs[j + 1 :]}
            model.add_row({c[j]: 1} | before, lb=sum(p[j:]), ub=sum(p[j:]))
        late = c
        if data["due"]:
            late = [model.add_variable(f"late{j}") for j in (jobs if data["goal"] == "tardiness" else range(1))]
            for j in jobs:
                model.add_row({late[j % len(late)]: 1, c[j]: -1}, lb=-data["due"][j])
        model.set_objective("min", dict(zip(late, data["weight"] or [1 for _ in late], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, machine, one, many = voice.scene(SCENES)
        unit = voice.unit(UNITS)
        job = Axis(one, many, voice.names(NAMES, len(data["time"])))
        weight, kind = (f"penalty per {unit} late", MONEY) if data["due"] else ("weight", AMOUNT)
        facts = (
            Fact("p", data["time"], f"processing time in {unit}s", ("time", "duration", "length", "work"), (job,)),
            Fact("w", data["weight"], weight, ("weight", "importance", "priority", "factor"), (job,), kind=kind),
            Fact("d", data["due"], f"due time in {unit}s", ("due", "deadline", "promised", "target"), (job,)),
        )
        return Story(
            intro=voice.phrase(
                (
                    f"A {who} has one {machine} and must handle {{{many}}} with it.",
                    f"A {who} handles {{{many}}} with its only {machine}.",
                    f"In a {who}, one {machine} has to deal with {{{many}}}.",
                ),
                (f"There is a single {machine} in a {who}, and it has {{{many}}} to do.",),
            ),
            facts=tuple(fact for fact in facts if fact.value is not None),
            rules=tuple(rules(data, voice, machine, one, many)),
            goal=goal(data, voice, one, many),
            variables=f"a completion time per {one}, a binary per pair of {many}" + LATE[data["goal"]].format(one),
        )

    def body(self, data: dict) -> list[str]:
        lines = [
            "n = len(p)",
            "y = {(i, j): m.add_binary_variable() for j in range(n) for i in range(j)}",
            "for i, j in y:",
            "    for k in range(j + 1, n):",
            "        m.add_linear_constraint(lb=0, expr=y[i, j] + y[j, k] - y[i, k], ub=1)",
            "c = [m.add_variable(lb=0) for _ in p]",
            "for j in range(n):",
            "    l = sum(p[i] * y[i, j] for i in range(j)) + sum(p[i] * (1 - y[j, i]) for i in range(j + 1, n))",
            "    m.add_linear_constraint(c[j] == p[j] + l)",
        ]
        if data["goal"] == "largest":
            lines += ["t = m.add_variable(lb=0)", "for i, j in zip(c, d):", "    m.add_linear_constraint(t >= i - j)"]
            return [*lines, "m.minimize(t)"]
        if data["goal"] == "tardiness":
            lines.append("t = [m.add_variable(lb=0) for _ in d]")
            lines += ["for i, j, l in zip(c, d, t):", "    m.add_linear_constraint(l >= i - j)"]
        late = "c" if data["goal"] == "completion" else "t"
        total = f"sum(i * j for i, j in zip(w, {late}))" if data["weight"] else f"sum({late})"
        return [*lines, f"m.minimize({total})"]

    def formulation(self, data: dict) -> list[str]:
        late = {"completion": "c_j", "tardiness": "t_j", "largest": "t"}[data["goal"]]
        told = {"completion": "", "tardiness": "; t_j >= 0 tardiness", "largest": "; t >= 0 largest tardiness"}
        value = late if late == "t" else f"sum_j {'w_j ' if data['weight'] else ''}{late}"
        lines = [
            f"y_ij = 1 if i is before j, else 0, for i < j; c_j >= 0 end of job j{told[data['goal']]}",
            f"min {value}",
            "0 <= y_ij + y_jk - y_ik <= 1 for i < j < k",
            "c_j = p_j + sum_(i<j) p_i y_ij + sum_(i>j) p_i (1 - y_ji) for each j",
        ]
        return [*lines, f"{late} >= c_j - d_j for each j"] if data["due"] else lines


def rules(data: dict, voice: Voice, machine: str, one: str, many: str) -> list[str]:
    told = [
        voice.phrase(
            (
                f"The {machine} does one {one} at a time, without interruption, beginning at time 0.",
                f"From time 0 on, only one {one} at a time can use the {machine}, and none is interrupted.",
            ),
            (f"At time 0 the {machine} is free; two {many} never overlap on it, nor is one broken off.",),
        )
    ]
    if data["due"]:
        usual = (
            "Tardiness is completion time minus due time, or 0 for what is done in time.",
            f"The tardiness of a {one} is the time from its due time to its completion, 0 if it is not late.",
        )
        heldout = (f"By how long a {one} is finished past its due time is its tardiness; being early counts as 0.",)
        told.append(voice.phrase(usual, heldout))
    return told


def goal(data: dict, voice: Voice, one: str, many: str) -> str:
    if data["goal"] == "largest":
        usual = ("Minimize the largest tardiness.", f"Keep the tardiness of the latest {one} as small as possible.")
        return voice.phrase(usual, (f"Which sequence makes the worst tardiness among the {many} least?",))
    if data["goal"] == "completion":
        what = "sum of weight times completion time" if data["weight"] else "sum of completion times"
    else:
        what = "total penalty for tardiness" if data["weight"] else "total tardiness"
    return voice.phrase(
        (f"Minimize the {what}.", f"Find the sequence with the least {what}."),
        (f"Which sequence makes the {what} smallest?",),
    )


FAMILY = SingleMachine()
