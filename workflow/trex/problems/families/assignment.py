"""Assignment: who does what, at the least cost or for the highest score, with pairs that may be ruled out."""

from random import Random

from trex.problems.family import AMOUNT, MONEY, PLACE, Axis, Fact, Family, Story, chance, matrix, size
from trex.problems.ir import Model
from trex.problems.voice import Voice, letters

PEOPLE = (
    "Ann", "Bob", "Eve", "Max", "Tom", "Zoe", "Ida", "Leo", "Amir", "Bela", "Chen", "Dora",
    "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kofi", "Lena", "Mika", "Nora", "Omar", "Petra",
)  # fmt: skip
AGENTS = (("worker", "workers"), ("member", "members"), ("volunteer", "volunteers"), ("trainee", "trainees"))
SCENES = (
    (
        "job",
        "jobs",
        ("wash", "cook", "paint", "drive", "sort", "sew", "weld", "mow", "bake", "pack", "clean", "repair"),
    ),
    ("shop", "shops", ("north", "south", "east", "west", "center", "harbor", "station", "airport", "mall", "campus")),
    ("task", "tasks", ("plan", "build", "test", "write", "sell", "check", "file", "train", "audit", "order", "design")),
    ("course", "courses", ("art", "music", "law", "logic", "drama", "physics", "history", "botany", "poetry", "latin")),
    ("ward", "wards", ("surgery", "nursery", "burns", "eyes", "heart", "spine", "kidney", "sleep", "stroke", "trauma")),
    ("route", "routes", ("red", "blue", "green", "white", "black", "brown", "pink", "gray", "amber", "violet")),
    ("booth", "booths", ("maps", "toys", "books", "games", "coins", "stamps", "plants", "tools", "shoes", "lamps")),
)
# Word of the goal, label, keys, kind.
LEAST = (
    ("cost", "cost", ("cost", "price", "wages"), MONEY),
    ("time", "time in hours", ("hours", "time", "effort"), AMOUNT),
    ("travel distance", "travel distance in km", ("distance", "km", "travel"), AMOUNT),
)
MOST = (
    ("score", "score", ("score", "skill", "rating"), AMOUNT),
    ("profit", "profit", ("profit", "gain", "value"), MONEY),
    ("preference", "preference in points", ("preference", "points", "wishes"), AMOUNT),
)


class Assignment(Family):
    name = "assignment"
    bucket = "assignment"
    note = (
        "An assignment pairs the members of one group with those of another. The model has one binary variable per "
        "pair, which is 1 when the two belong together, and the objective adds up what the chosen pairs cost or "
        "bring. One row per job says that exactly one person takes it. One row per person says exactly one job when "
        "the groups are of equal size, at most one when people are to spare; an equation there would make the model "
        "infeasible. A pair that is ruled out gets its variable fixed at 0, which is cleaner than a huge cost. "
        "Typical mistakes are to swap the two indices in the sums, to maximize a cost, or to write rows for one side "
        "only."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        tasks = size(difficulty, rng.randint(2, 3), rng.randint(4, 5), rng.randint(6, 8), rng.randint(14, 34))
        workers = tasks + (rng.randint(1, max(1, tasks // 3)) if chance(rng, 0.35) else 0)
        safe = set(zip(rng.sample(range(workers), tasks), range(tasks), strict=True))
        pairs = [(i, j) for i in range(workers) for j in range(tasks) if (i, j) not in safe]
        banned = rng.sample(pairs, size(difficulty, 1, 2, tasks, 2 * tasks))
        return {
            "value": matrix(rng, workers, tasks, *size(difficulty, (2, 29), (2, 40), (5, 99), (100, 999))),
            "sense": rng.choice(("min", "max")),
            "banned": [[i + 1, j + 1] for i, j in sorted(banned)]
            if chance(rng, size(difficulty, 15, 30, 40, 50) / 100)
            else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        value = data["value"]
        workers, tasks = range(len(value)), range(len(value[0]))
        x = [[model.add_variable(f"x{i}_{j}", "binary") for j in tasks] for i in workers]
        for i in workers:
            model.add_row(dict.fromkeys(x[i], 1), lb=float("-inf") if self.spare(data) else 1, ub=1)
        for j in tasks:
            model.add_row({x[i][j]: 1 for i in workers}, lb=1, ub=1)
        for i, j in data["banned"] or []:
            model.add_row({x[i - 1][j - 1]: 1}, lb=0, ub=0)
        model.set_objective(data["sense"], {x[i][j]: value[i][j] for i in workers for j in tasks})
        return model

    def spare(self, data: dict) -> bool:
        return len(data["value"]) > len(data["value"][0])

    def tell(self, data: dict, voice: Voice) -> Story:
        singular, plural, pool = voice.scene(SCENES)
        agent, agents = voice.scene(AGENTS)
        worker = Axis(agent, agents, voice.names(PEOPLE, len(data["value"])))
        task = Axis(singular, plural, voice.names(pool, len(data["value"][0])))
        total, label, keys, kind = voice.unit(LEAST if data["sense"] == "min" else MOST)
        facts = [Fact("c", data["value"], label, keys, (worker, task), f"{label} of {{}}", kind=kind)]
        rules = [self.rule(data, agent, singular, voice)]
        if data["banned"]:
            pair = Axis("forbidden pair", "forbidden pairs", tuple(map(letters, range(len(data["banned"])))))
            first, second = map(list, zip(*data["banned"], strict=True))
            whose = "in the forbidden pair"
            facts.append(
                Fact("p", first, f"number of the {agent} {whose}", (agent, "who", "first"), (pair,), kind=PLACE)
            )
            facts.append(
                Fact(
                    "q", second, f"number of the {singular} {whose}", (singular, "what", "second"), (pair,), kind=PLACE
                )
            )
            rules.append(
                voice.phrase(
                    (f"Both {agents} and {plural} are numbered from 1 in order.",),
                    (f"Number one is the first of the {agents}, likewise of the {plural}.",),
                )
            )
            usual = (
                f"A {agent} cannot take the {singular} of a forbidden pair.",
                "Forbidden pairs must not be matched.",
            )
            rules.append(voice.phrase(usual, (f"No forbidden pair of {agent} and {singular} may be chosen.",)))
        intro = (f"Assign {{{agents}}} to {{{plural}}}.", f"Match {{{agents}}} with {{{plural}}}.")
        if data["sense"] == "min":
            goal = (f"Minimize total {total}.", f"Find the lowest total {total}.")
        else:
            goal = (f"Maximize total {total}.", f"Find the highest total {total}.")
        lowest = "smallest" if data["sense"] == "min" else "largest"
        return Story(
            intro=voice.phrase(intro, (f"Find people for {{{plural}}} among {{{agents}}}.",)),
            facts=tuple(facts),
            rules=tuple(rules),
            goal=voice.phrase(goal, (f"The sum of the {total} over all pairs should be the {lowest} possible.",)),
            variables=f"one binary variable per {agent} and {singular}",
        )

    def rule(self, data: dict, agent: str, task: str, voice: Voice) -> str:
        many = "at most" if self.spare(data) else "exactly"
        usual = (
            f"Each {agent} takes {many} one {task}, each {task} gets exactly one {agent}.",
            f"Every {task} needs exactly one {agent}, and every {agent} gets {many} one {task}.",
        )
        share = f"no {agent} has two" if self.spare(data) else f"every {agent} has one and no more"
        return voice.phrase(usual, (f"One {agent} goes to every {task}, and {share}.",))

    def body(self, data: dict) -> list[str]:
        lines = [
            "x = [[m.add_binary_variable() for _ in r] for r in c]",
            "for r in x:",
            f"    m.add_linear_constraint(sum(r) {'<=' if self.spare(data) else '=='} 1)",
            "for r in zip(*x):",
            "    m.add_linear_constraint(sum(r) == 1)",
        ]
        if data["banned"]:
            lines += ["for i, j in zip(p, q):", "    m.add_linear_constraint(x[i - 1][j - 1] == 0)"]
        return [*lines, f"m.{data['sense']}imize(sum(i * j for r, q in zip(c, x) for i, j in zip(r, q)))"]

    def formulation(self, data: dict) -> list[str]:
        lines = [
            "x_ij = 1 if worker i takes task j, else 0",
            f"{data['sense']} sum_ij c_ij x_ij",
            f"sum_j x_ij {'<=' if self.spare(data) else '='} 1 for each worker i",
            "sum_i x_ij = 1 for each task j",
        ]
        return [*lines, "x_pq = 0 for each forbidden pair of worker p and task q"] if data["banned"] else lines


FAMILY = Assignment()
