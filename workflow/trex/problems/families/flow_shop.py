"""Flow shop: one sequence of jobs through a line of stations, for an early end or little tardiness."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

SCENES = (
    ("furniture factory", "table", "tables"),
    ("tile works", "batch", "batches"),
    ("toy maker", "model", "models"),
    ("metal shop", "part", "parts"),
    ("guitar maker", "lot", "lots"),
    ("frame shop", "frame", "frames"),
    ("boat builder", "hull", "hulls"),
    ("bottle plant", "run", "runs"),
)
NAMES = (
    "Aspen", "Birch", "Cedar", "Dune", "Ember", "Frost", "Glade", "Heath", "Inlet", "Jasper", "Krill", "Loch",
    "Marsh", "North", "Onyx", "Prism", "Quill", "Reef",
)  # fmt: skip
STATIONS = (
    "cutting", "drilling", "welding", "painting", "polishing", "sanding", "packing", "testing", "glueing",
    "washing", "drying", "coating", "bending", "milling", "planing", "marking", "sealing", "weighing",
)  # fmt: skip
UNITS = ("hour", "minute", "day", "shift")
# Jobs and stations; tardiness is the harder goal.
SMALLER = {"small": ((2, 2),), "medium": ((3, 2), (3, 3), (4, 2))}
SIZES = (
    SMALLER | {"large": ((5, 3), (5, 4), (6, 2)), "industrial": ((6, 20), (7, 15), (7, 16))},
    SMALLER | {"large": ((4, 5), (4, 6), (4, 7)), "industrial": ((6, 18), (6, 20), (5, 25))},
)


class FlowShop(Family):
    name = "flow_shop"
    bucket = "scheduling"
    note = (
        "All jobs visit the same stations in the same sequence, and no job overtakes another: the decision is one "
        "sequence for all stations. A binary for each job and position makes it, with one job a position and one "
        "position a job, as in an assignment. Completion times belong to positions, not to jobs: the time that a "
        "position takes at a station is the sum of times of the jobs over its binaries. Rows: a position ends at a "
        "station no earlier than at the station before, and no earlier than the position before it, plus its own time. "
        "When jobs may not wait between stations the first kind is an equality. No large constant is needed. Typical "
        "mistakes: the first position without a row of its own, times taken by job where the row is about a position, "
        "and due times compared with the wrong position."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        goal = rng.choice(("makespan", "completion", "tardiness"))
        jobs, stations = rng.choice(SIZES[goal == "tardiness"][difficulty])
        time = matrix(rng, jobs, stations, *size(difficulty, (1, 9), (1, 20), (2, 40), (20, 300)))
        around = round(max(map(sum, time)) * 1.1)
        return {
            "time": time,
            "goal": goal,
            "due": [rng.randint(sum(row), max(sum(row), around)) for row in time] if goal == "tardiness" else None,
            "no_wait": chance(rng, 0.3),
            "release": numbers(rng, jobs, 0, max(time[0]))
            if chance(rng, size(difficulty, 15, 30, 30, 30) / 100)
            else None,
        }

    def model(self, data: dict) -> Model:
        model, p = Model(), data["time"]
        jobs, stations = range(len(p)), range(len(p[0]))
        x = [[model.add_variable(f"x{j}_{i}", "binary") for i in jobs] for j in jobs]
        c = [[model.add_variable(f"end{i}_{k}") for k in stations] for i in jobs]
        for i in jobs:
            model.add_row(dict.fromkeys(x[i], 1), lb=1, ub=1)
            model.add_row({x[j][i]: 1 for j in jobs}, lb=1, ub=1)
            for k in stations:
                own = {c[i][k]: 1} | {x[j][i]: -p[j][k] for j in jobs}
                if k:
                    model.add_row(own | {c[i][k - 1]: -1}, lb=0, ub=0 if data["no_wait"] else float("inf"))
                if i:
                    model.add_row(own | {c[i - 1][k]: -1}, lb=0)
            first = {x[j][i]: -p[j][0] - (data["release"][j] if data["release"] else 0) for j in jobs}
            if i == 0 or data["release"]:
                model.add_row({c[i][0]: 1} | first, lb=0)
        ends = [row[-1] for row in c]
        if data["goal"] == "tardiness":
            late = [model.add_variable(f"late{i}") for i in jobs]
            for i in jobs:
                model.add_row({late[i]: 1, ends[i]: -1} | {x[j][i]: data["due"][j] for j in jobs}, lb=0)
            ends = late
        model.set_objective("min", dict.fromkeys(ends[-1:] if data["goal"] == "makespan" else ends, 1))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, one, many = voice.scene(SCENES)
        unit = voice.unit(UNITS)
        job = Axis(one, many, voice.names(NAMES, len(data["time"])))
        station = Axis("station", "stations", voice.names(STATIONS, len(data["time"][0])))
        label = f"time at each station in {unit}s"
        facts = (
            Fact("p", data["time"], label, ("time", "duration", "work", "length"), (job, station), "time of {}"),
            Fact("r", data["release"], f"release time in {unit}s", ("release", "ready", "arrival", "earliest"), (job,)),
            Fact("d", data["due"], f"due time in {unit}s", ("due", "deadline", "promised", "target"), (job,)),
        )
        return Story(
            intro=voice.phrase(
                (
                    f"A {who} has {{{many}}} to make, each by way of {{stations}}, in the sequence given.",
                    f"In a {who}, {{{many}}} all pass through {{stations}}, in the sequence given.",
                ),
                (f"The line of a {who} consists of {{stations}}, one after the other, and has {{{many}}} to do.",),
            ),
            facts=tuple(fact for fact in facts if fact.value is not None),
            rules=tuple(rules(data, voice, one, many)),
            goal=goal(data, voice, one, many),
            variables=f"a binary per {one} and position in the sequence, a completion time per position and station"
            + (", a tardiness per position" if data["due"] else ""),
        )

    def body(self, data: dict) -> list[str]:
        lines = [
            "n = range(len(p))",
            "x = [[m.add_binary_variable() for _ in n] for _ in n]",
            "c = [[m.add_variable(lb=0) for _ in i] for i in p]",
            "for i in n:",
            "    m.add_linear_constraint(sum(x[i]) == 1)",
            "    m.add_linear_constraint(sum(j[i] for j in x) == 1)",
            "    for k in range(len(p[0])):",
            "        t = c[i][k] - sum(p[j][k] * x[j][i] for j in n)",
            f"        if k: m.add_linear_constraint(t {'==' if data['no_wait'] else '>='} c[i][k - 1])",
            "        if i: m.add_linear_constraint(t >= c[i - 1][k])",
        ]
        if data["release"]:
            lines.append("    m.add_linear_constraint(c[i][0] >= sum((r[j] + p[j][0]) * x[j][i] for j in n))")
        else:
            lines.append("m.add_linear_constraint(c[0][0] >= sum(p[j][0] * x[j][0] for j in n))")
        if data["goal"] == "tardiness":
            lines.append("l = [m.add_variable(lb=0) for _ in n]")
            row = "m.add_linear_constraint(l[i] >= c[i][-1] - sum(d[j] * x[j][i] for j in n))"
            return [*lines, f"for i in n: {row}", "m.minimize(sum(l))"]
        return [*lines, "m.minimize(c[-1][-1])" if data["goal"] == "makespan" else "m.minimize(sum(i[-1] for i in c))"]

    def formulation(self, data: dict) -> list[str]:
        value = {"makespan": "c_nq", "completion": "sum_i c_iq", "tardiness": "sum_i l_i"}[data["goal"]]
        lines = [
            "x_ji = 1 if job j is at position i, else 0; c_ik >= 0 end of position i at station k"
            + ("; l_i >= 0 tardiness" if data["due"] else ""),
            f"min {value} with n the last position, q the last station",
            "sum_i x_ji = 1 for each j, sum_j x_ji = 1 for each i",
            f"c_ik {'=' if data['no_wait'] else '>='} c_i,k-1 + sum_j p_jk x_ji for each i and k > 1",
            "c_ik >= c_i-1,k + sum_j p_jk x_ji for each k and i > 1",
            "c_i1 >= sum_j (r_j + p_j1) x_ji for each i" if data["release"] else "c_11 >= sum_j p_j1 x_j1",
        ]
        return [*lines, "l_i >= c_iq - sum_j d_j x_ji for each i"] if data["due"] else lines


def rules(data: dict, voice: Voice, one: str, many: str) -> list[str]:
    if data["no_wait"]:
        usual = (f"A {one} never waits between stations.", f"Each {one} goes on to its next station at once.")
        waiting = voice.phrase(usual, (f"No time may pass between a {one} leaving a station and the next one.",))
    else:
        usual = ("Waiting between stations is allowed.", f"A {one} may wait between stations.")
        waiting = voice.phrase(usual, (f"There is room for a {one} that waits between stations.",))
    told = [
        voice.phrase(
            (
                f"A station handles one {one} at a time, and the sequence of the {many} is the same at all stations.",
                f"All stations take the {many} in one and the same sequence, one at a time.",
            ),
            (f"No {one} overtakes another, and no two share a station.",),
        ),
        waiting,
    ]
    if data["release"]:
        usual = (f"No {one} starts before its release time.", f"Its first station takes a {one} from its release on.")
        told.append(voice.phrase(usual, (f"Only after its release time does a {one} enter the line.",)))
    else:
        usual = ("Work starts at time 0.", "The line is empty at time 0.")
        told.append(voice.phrase(usual, ("The first station opens at time 0.",)))
    if data["due"]:
        usual = (
            "Tardiness is the time at the last station's end minus the due time, or 0 when that is negative.",
            f"The tardiness of a {one} is how long after its due time it leaves the last station, 0 if it is early.",
        )
        told.append(
            voice.phrase(usual, (f"What a {one} exceeds its due time by counts as tardiness; earliness as 0.",))
        )
    return told


def goal(data: dict, voice: Voice, one: str, many: str) -> str:
    if data["goal"] == "makespan":
        return voice.phrase(
            (f"Minimize the time at which the last {one} leaves the line.", "Minimize the makespan."),
            (f"How soon can all {many} have left the line?",),
        )
    what = "sum of completion times" if data["goal"] == "completion" else "total tardiness"
    return voice.phrase(
        (f"Minimize the {what} of the {many}.", f"Find the sequence of the {many} with the least {what}."),
        (f"In which sequence of the {many} is the {what} smallest?",),
    )


FAMILY = FlowShop()
