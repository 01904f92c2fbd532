"""Assignment: who does what, at the least cost or for the highest score."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, matrix, size
from trex.problems.ir import Model

WORKERS = ("Ann", "Bob", "Eve", "Max", "Tom", "Zoe", "Ida", "Leo")
SCENES = (
    ("job", "jobs", ("wash", "cook", "paint", "drive", "sort", "sew")),
    ("shop", "shops", ("north", "south", "east", "west", "center", "harbor")),
    ("task", "tasks", ("plan", "build", "test", "write", "sell", "check")),
    ("course", "courses", ("art", "music", "law", "logic", "drama", "physics")),
)


class Assignment(Family):
    name = "assignment"
    bucket = "assignment"

    def draw(self, rng: Random, difficulty: str) -> dict:
        tasks = size(difficulty, rng.randint(2, 3), 4, rng.randint(5, 6))
        spare = 1 if chance(rng, 0.35) else 0
        return {
            "value": matrix(rng, tasks + spare, tasks, 2, size(difficulty, 29, 19, 29)),
            "sense": rng.choice(("min", "max")),
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
        model.set_objective(data["sense"], {x[i][j]: value[i][j] for i in workers for j in tasks})
        return model

    def spare(self, data: dict) -> bool:
        return len(data["value"]) > len(data["value"][0])

    def tell(self, data: dict, rng: Random) -> Story:
        singular, plural, names = rng.choice(SCENES)
        worker = Axis("worker", "workers", tuple(rng.sample(WORKERS, len(data["value"]))))
        task = Axis(singular, plural, tuple(rng.sample(names, len(data["value"][0]))))
        if data["sense"] == "min":
            label, keys = rng.choice((("cost", ("cost", "price", "wages")), ("hours", ("hours", "time", "effort"))))
            goal = rng.choice((f"Minimize total {label}.", f"Find the lowest total {label}."))
        else:
            label, keys = rng.choice((("score", ("score", "skill", "rating")), ("profit", ("profit", "gain", "value"))))
            goal = rng.choice((f"Maximize total {label}.", f"Find the highest total {label}."))
        most = f"Each worker takes at most one {singular}, each {singular} gets exactly one worker."
        exact = f"Each worker takes exactly one {singular}, each {singular} gets exactly one worker."
        return Story(
            intro=rng.choice((f"Assign {{workers}} to {{{plural}}}.", f"Match {{workers}} with {{{plural}}}.")),
            facts=(Fact("c", data["value"], label, keys, (worker, task), f"{label} of {{}}"),),
            rules=(most if self.spare(data) else exact,),
            goal=goal,
            variables=f"one binary variable per worker and {singular}",
        )

    def body(self, data: dict) -> list[str]:
        return [
            "x = [[m.add_binary_variable() for _ in r] for r in c]",
            "for r in x:",
            f"    m.add_linear_constraint(sum(r) {'<=' if self.spare(data) else '=='} 1)",
            "for r in zip(*x):",
            "    m.add_linear_constraint(sum(r) == 1)",
            f"m.{data['sense']}imize(sum(i * j for r, q in zip(c, x) for i, j in zip(r, q)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        return [
            "x_ij = 1 if worker i takes task j, else 0",
            f"{data['sense']} sum_ij c_ij x_ij",
            f"sum_j x_ij {'<=' if self.spare(data) else '='} 1 for each worker i",
            "sum_i x_ij = 1 for each task j",
        ]


FAMILY = Assignment()
