"""Team formation: which candidates make a team that has all skills, at least cost or with the best weakest skill."""

import math
from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

# What is put together, a member, members.
SCENES = (
    ("a rescue team", "volunteer", "volunteers"),
    ("a film crew", "freelancer", "freelancers"),
    ("a project team", "engineer", "engineers"),
    ("a quiz team", "player", "players"),
    ("a research group", "scientist", "scientists"),
    ("a ship's crew", "sailor", "sailors"),
    ("a jury", "juror", "jurors"),
    ("a band", "musician", "musicians"),
    ("a field mission", "doctor", "doctors"),
)
PEOPLE = (
    "Ada", "Boris", "Clara", "David", "Elsa", "Franz", "Greta", "Hugo", "Ida", "Jan", "Karin", "Lars", "Maja", "Noah",
    "Oskar", "Paula", "Ralf", "Sonja", "Theo", "Uma", "Viktor", "Wanda", "Xenia", "Yusuf", "Zoe",
)  # fmt: skip
SKILLS = (
    "planning", "driving", "cooking", "first aid", "coding", "design", "music", "history", "law", "French", "climbing",
    "finance", "radio", "writing", "repair", "mapping",
)  # fmt: skip
LEVELS = ("points", "stars", "marks")


class TeamFormation(Family):
    name = "team_formation"
    bucket = "assignment"
    note = (
        "One binary for each candidate says whether he or she joins. If the team has to have certain skills, there is "
        "a row for each skill: the number of members who have it, or the sum of their levels, is at least what is "
        "needed, and the objective is the cost of the members. If the weakest skill of the team is to be as strong as "
        "possible, one more variable stands for it, lies below the team's sum in every skill and is maximized; then "
        "something must limit the team, its number of members, a budget or both. Typical mistakes: rows by candidate "
        "instead of by skill, a minimum that is bounded from the wrong side, a size that must be met exactly written "
        "as a limit, and a table whose rows and columns are exchanged."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        people = size(difficulty, rng.randint(3, 5), rng.randint(6, 9), rng.randint(22, 40), rng.randint(150, 190))
        skills = size(difficulty, 2, rng.randint(2, 4), rng.randint(4, 7), rng.randint(6, 9))
        goal = rng.choice(("cost", "weakest"))
        levels = goal == "weakest" or chance(rng, 0.5)
        top = size(difficulty, 9, 9, 20, 100)
        level = matrix(rng, people, skills, 0, top) if levels else matrix(rng, people, skills, 0, 1)
        team = rng.sample(range(people), size(difficulty, 2, rng.randint(2, 4), rng.randint(3, 5), rng.randint(4, 6)))
        total = [sum(level[i][s] for i in team) for s in range(skills)]
        cost = numbers(rng, people, *size(difficulty, (1, 20), (5, 60), (20, 99), (300, 2000)))
        budget = round(1.1 * sum(cost[i] for i in team)) if goal == "weakest" and chance(rng, 0.5) else None
        if not all(total):
            return self.draw(rng, difficulty)
        return {
            "level": level,
            "levels": levels,
            "goal": goal,
            "need": [max(1, round(t * rng.uniform(0.7, 1))) for t in total] if goal == "cost" else None,
            "cost": cost if goal == "cost" or budget else None,
            "budget": budget,
            "members": len(team) if goal == "weakest" or chance(rng, 0.3) else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        x = [model.add_variable(f"x{i}", "binary") for i in range(len(data["level"]))]
        weakest = {model.add_variable("weakest"): -1} if data["goal"] == "weakest" else {}
        for s, column in enumerate(zip(*data["level"], strict=True)):
            model.add_row(dict(zip(x, column, strict=True)) | weakest, lb=0 if weakest else data["need"][s])
        if data["members"]:
            model.add_row(dict.fromkeys(x, 1), lb=data["members"] if weakest else -math.inf, ub=data["members"])
        if data["budget"]:
            model.add_row(dict(zip(x, data["cost"], strict=True)), ub=data["budget"])
        if weakest:
            model.set_objective("max", dict.fromkeys(weakest, 1))
        else:
            model.set_objective("min", dict(zip(x, data["cost"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        team, one, many = voice.scene(SCENES)
        unit = voice.unit(LEVELS)
        person = Axis(one, many, voice.names(PEOPLE, len(data["level"])))
        skill = Axis("skill", "skills", voice.names(SKILLS, len(data["level"][0])))
        both = (person, skill)
        if data["levels"]:
            label, needed, row = f"skill level in {unit}", f"total level needed in {unit}", "level of {}"
        else:
            label, needed, row = (
                "skill table with 1 for a skill mastered and 0 otherwise",
                "number of members needed",
                "{}",
            )
        facts = [
            Fact("c", data["cost"], "cost", ("cost", "wage", "fee", "price"), (person,), kind=MONEY),
            Fact("a", data["level"], label, ("level", "skill", "ability", "rating"), both, row),
            Fact("d", data["need"], needed, ("need", "required", "demand", "least"), (skill,)),
            Fact("b", data["budget"], "budget", ("budget", "money", "funds"), kind=MONEY),
        ]
        exact = data["goal"] == "weakest"
        size_label = "number of members" if exact else "largest number of members"
        facts.append(Fact("k", data["members"], size_label, ("members", "size", "team", "count")))
        return Story(
            intro=voice.phrase(
                (
                    f"Choose members of {team} from {{{many}}}.",
                    f"For {team}, {{{many}}} have applied.",
                    f"Some of {{{many}}} are to form {team}.",
                ),
                (f"Candidates for {team} are {{{many}}}.",),
            ),
            facts=tuple(fact for fact in facts if fact.value is not None),
            rules=tuple(rules(data, voice)),
            goal=goal(data, voice),
            variables=f"a binary per {one}" + (", one continuous for the weakest skill" if exact else ""),
        )

    def body(self, data: dict) -> list[str]:
        lines = ["x = [m.add_binary_variable() for _ in a]"]
        if data["goal"] == "weakest":
            lines += ["t = m.add_variable(lb=0)", "for r in zip(*a):"]
            lines.append("    m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) >= t)")
            lines.append("m.add_linear_constraint(sum(x) == k)")
            if data["budget"]:
                lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(c, x)) <= b)")
            return [*lines, "m.maximize(t)"]
        lines.append("for r, v in zip(zip(*a), d):")
        lines.append("    m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) >= v)")
        if data["members"]:
            lines.append("m.add_linear_constraint(sum(x) <= k)")
        return [*lines, "m.minimize(sum(i * j for i, j in zip(c, x)))"]

    def formulation(self, data: dict) -> list[str]:
        if data["goal"] == "weakest":
            lines = ["x_i = 1 if i joins, else 0; t >= 0 total of the weakest skill", "max t"]
            lines += ["sum_i a_is x_i >= t for each skill s", "sum_i x_i = k"]
            return [*lines, "sum_i c_i x_i <= b"] if data["budget"] else lines
        lines = ["x_i = 1 if i joins, else 0", "min sum_i c_i x_i", "sum_i a_is x_i >= d_s for each skill s"]
        return [*lines, "sum_i x_i <= k"] if data["members"] else lines


def rules(data: dict, voice: Voice) -> list[str]:
    if data["goal"] == "weakest":
        usual = (
            "The strength of the team in a skill is the sum of its members' levels.",
            "In each skill, the levels of the members add up to the strength of the team.",
        )
        told = [
            voice.phrase(usual, ("What members can do in a skill adds up; their sum is the team's strength there.",))
        ]
        if data["budget"]:
            usual = (
                "The members' cost must stay within the budget.",
                "All members together may not cost more than the budget.",
            )
            told.append(voice.phrase(usual, ("The budget has to pay for everybody in the team.",)))
        return told
    if data["levels"]:
        usual = (
            "In each skill, the levels of the members must add up to the total needed or more.",
            "The sum of the members' levels has to reach the total needed in every skill.",
        )
        return [voice.phrase(usual, ("No skill may fall short of the total needed, all members taken together.",))]
    usual = (
        "Each skill needs at least that many members who have it.",
        "At least the number of members needed must have each skill.",
    )
    return [voice.phrase(usual, ("In no skill may there be fewer members who have it than are needed.",))]


def goal(data: dict, voice: Voice) -> str:
    if data["goal"] == "cost":
        return voice.phrase(
            ("Minimize the total cost of the members.", "Find the cheapest team."),
            ("Which team costs least?",),
        )
    return voice.phrase(
        (
            "Maximize the team's strength in its weakest skill.",
            "Make the least strength over all skills as large as possible.",
        ),
        ("Choose so that the team's poorest skill is as strong as it can be.",),
    )


FAMILY = TeamFormation()
