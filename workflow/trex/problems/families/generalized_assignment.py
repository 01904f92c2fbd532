"""Generalized assignment: which agent does which job, within the time or room that each agent has."""

import math
from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

# An agent, agents, a job, jobs, what a job takes of an agent and an agent has of it.
SCENES = (
    ("worker", "workers", "task", "tasks", "time"),
    ("server", "servers", "program", "programs", "memory"),
    ("truck", "trucks", "parcel", "parcels", "space"),
    ("laboratory", "laboratories", "test", "tests", "time"),
    ("tank", "tanks", "delivery", "deliveries", "volume"),
    ("clinic", "clinics", "patient", "patients", "care"),
    ("studio", "studios", "film", "films", "time"),
    ("machine", "machines", "lot", "lots", "time"),
    ("teacher", "teachers", "course", "courses", "time"),
)
AGENTS = ("Anna", "Bela", "Carl", "Dora", "Emil", "Faye", "Gus", "Hope", "Ivan", "Kira", "Leo", "Mona", "Nils", "Olga")
JOBS = (
    "Acorn", "Bison", "Comet", "Daisy", "Eagle", "Falcon", "Geyser", "Heron", "Ibis", "Jungle", "Koala", "Lotus",
    "Maple", "Nectar", "Orchid", "Panda", "Quartz", "Raven", "Swan", "Tulip", "Walrus", "Yak", "Zebra", "Cobra",
)  # fmt: skip
UNITS = {
    "time": ("hours", "minutes", "days"),
    "memory": ("GB", "MB"),
    "space": ("pallets", "crates", "m3"),
    "volume": ("litres", "barrels", "gallons"),
    "care": ("hours", "visits", "points"),
}


class GeneralizedAssignment(Family):
    name = "generalized_assignment"
    bucket = "assignment"
    note = (
        "Jobs go to agents, whole, and each agent has a capacity of which a job takes an amount that may depend on the "
        "agent. One binary for each pair of agent and job; the sum of a job's binaries is one when every job has to be "
        "done and at most one when jobs may be left out; for each agent, the amounts of its jobs add up to no more "
        "than its capacity. The objective adds costs or profits over all pairs. Sometimes an agent may have only so "
        "many jobs, which is a plain sum of its binaries. Typical mistakes: capacity rows by job instead of by agent, "
        "a matrix read with rows and columns exchanged, an equality where leaving a job out is allowed (or the "
        "reverse: costs are minimized and nothing forces the work), and continuous variables that split a job."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        agents = size(difficulty, 2, rng.randint(2, 3), rng.randint(3, 5), rng.randint(6, 8))
        jobs = size(difficulty, rng.randint(2, 4), rng.randint(4, 6), rng.randint(9, 12), rng.randint(26, 32))
        goal = rng.choice(("cheapest", "best", "some"))
        amounts = size(difficulty, (1, 9), (2, 20), (5, 40), (50, 400))
        same = chance(rng, 0.6 if difficulty == "small" else 0.25)
        use = numbers(rng, jobs, *amounts) if same else matrix(rng, agents, jobs, *amounts)
        rows = [use] * agents if same else use
        load = [0] * agents
        for j in range(jobs):
            i = min(range(agents), key=lambda i: load[i] + rows[i][j])
            load[i] += rows[i][j]
        tight = (0.6, 0.9) if goal == "some" else (1.02, 1.4)
        return {
            "value": matrix(rng, agents, jobs, *size(difficulty, (1, 20), (2, 60), (5, 99), (100, 2000))),
            "use": use,
            "capacity": [
                max(min(row), round(total * rng.uniform(*tight))) for row, total in zip(rows, load, strict=True)
            ],
            "goal": goal,
            "most": -(-jobs // agents) + 1 if difficulty != "small" and chance(rng, 0.2) else None,
        }

    def model(self, data: dict) -> Model:
        model, value = Model(), data["value"]
        agents, jobs = range(len(value)), range(len(value[0]))
        use = data["use"] if isinstance(data["use"][0], list) else [data["use"] for _ in agents]
        x = [[model.add_variable(f"x{i}_{j}", "binary") for j in jobs] for i in agents]
        for i in agents:
            model.add_row(dict(zip(x[i], use[i], strict=True)), ub=data["capacity"][i])
            if data["most"]:
                model.add_row(dict.fromkeys(x[i], 1), ub=data["most"])
        for j in jobs:
            model.add_row({x[i][j]: 1 for i in agents}, lb=-math.inf if data["goal"] == "some" else 1, ub=1)
        sense = "min" if data["goal"] == "cheapest" else "max"
        model.set_objective(sense, {x[i][j]: value[i][j] for i in agents for j in jobs})
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        one, many, thing, things, resource = voice.scene(SCENES)
        unit = voice.unit(UNITS[resource])
        agent = Axis(one, many, voice.names(AGENTS, len(data["value"])))
        job = Axis(thing, things, voice.names(JOBS, len(data["value"][0])))
        money = "cost" if data["goal"] == "cheapest" else "profit"
        keys = ("cost", "price", "expense", "rate") if money == "cost" else ("profit", "gain", "revenue", "benefit")
        by_agent = isinstance(data["use"][0], list)
        axes = (agent, job) if by_agent else (job,)
        facts = [
            Fact("c", data["value"], money, keys, (agent, job), f"{money} with {{}}", kind=MONEY),
            Fact("a", data["use"], f"{resource} needed in {unit}", ("need", "use", "demand"), axes, "need with {}"),
            Fact(
                "b", data["capacity"], f"{resource} available in {unit}", ("capacity", "available", "limit"), (agent,)
            ),
        ]
        if data["most"]:
            label = f"largest number of {things} per {one}"
            facts.append(Fact("k", data["most"], label, ("most", "maximum", "cap", "count")))
        return Story(
            intro=voice.phrase(
                (
                    f"Assign {{{things}}} to {{{many}}}.",
                    f"Somebody has to give {{{things}}} to {{{many}}}.",
                    f"A planner shares {{{things}}} out among {{{many}}}.",
                ),
                (f"We have {{{many}}} to take care of {{{things}}}.",),
            ),
            facts=tuple(facts),
            rules=tuple(rules(data, voice, one, thing, things, resource)),
            goal=goal(data, voice),
            variables=f"a binary per {one} and {thing}",
        )

    def body(self, data: dict) -> list[str]:
        rows, row = ("x, a, b", "r, u, v") if isinstance(data["use"][0], list) else ("x, b", "r, v")
        used = "u" if "u" in row else "a"
        lines = [
            "x = [[m.add_binary_variable() for _ in i] for i in c]",
            f"for {row} in zip({rows}):",
            f"    m.add_linear_constraint(sum(i * j for i, j in zip({used}, r)) <= v)",
            "for r in zip(*x):",
            f"    m.add_linear_constraint(sum(r) {'<=' if data['goal'] == 'some' else '=='} 1)",
        ]
        if data["most"]:
            lines.insert(3, "    m.add_linear_constraint(sum(r) <= k)")
        call = "minimize" if data["goal"] == "cheapest" else "maximize"
        return [*lines, f"m.{call}(sum(i * j for q, r in zip(c, x) for i, j in zip(q, r)))"]

    def formulation(self, data: dict) -> list[str]:
        use = "a_ij" if isinstance(data["use"][0], list) else "a_j"
        lines = [
            "x_ij = 1 if agent i does job j, else 0",
            f"{'min' if data['goal'] == 'cheapest' else 'max'} sum_ij c_ij x_ij",
            f"sum_j {use} x_ij <= b_i for each agent i",
            f"sum_i x_ij {'<=' if data['goal'] == 'some' else '='} 1 for each job j",
        ]
        return [*lines, "sum_j x_ij <= k for each agent i"] if data["most"] else lines


def rules(data: dict, voice: Voice, one: str, thing: str, things: str, resource: str) -> list[str]:
    if data["goal"] == "some":
        usual = (
            f"A {thing} goes to one {one} or is turned down; none is split.",
            f"Not every {thing} has to be taken, and none goes to more than one {one}.",
        )
        taken = voice.phrase(usual, (f"Some {things} may be left out; those taken go to a single {one} each.",))
    else:
        usual = (f"Each {thing} goes to exactly one {one}.", f"Every {thing} is given, whole, to one {one}.")
        taken = voice.phrase(usual, (f"No {thing} is left out, and none is shared by two.",))
    usual = (
        f"No {one} can give more {resource} than it has.",
        f"The {things} of a {one} must not need more {resource} than available.",
    )
    return [taken, voice.phrase(usual, (f"What a {one} takes on has to fit the {resource} available.",))]


def goal(data: dict, voice: Voice) -> str:
    if data["goal"] == "cheapest":
        return voice.phrase(
            ("Minimize the total cost.", "At what least cost can this be done?"), ("Keep costs lowest.",)
        )
    return voice.phrase(("Maximize the total profit.", "Find the most profitable plan."), ("How high can profit get?",))


FAMILY = GeneralizedAssignment()
