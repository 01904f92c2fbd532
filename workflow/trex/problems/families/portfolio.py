"""Portfolio: how much of a budget to put into each asset, within limits on risk and on shares."""

from random import Random

from trex.problems.family import MONEY, SHARE, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

FUNDS = (
    "gold",
    "bonds",
    "shares",
    "timber",
    "copper",
    "oil",
    "grain",
    "housing",
    "railways",
    "loans",
    "hotels",
    "patents",
)
SCENES = (
    ("A pension fund", "asset", "assets"),
    ("An insurer", "security", "securities"),
    ("A charity", "investment", "investments"),
    ("A city treasury", "paper", "papers"),
    ("A university endowment", "holding", "holdings"),
    ("A family office", "fund", "funds"),
    ("A trade union", "title", "titles"),
    ("A private investor", "project", "projects"),
)
GROUPS = (
    "energy",
    "health",
    "transport",
    "media",
    "food",
    "water",
    "mining",
    "retail",
    "power",
    "steel",
    "travel",
    "tech",
)


class Portfolio(Family):
    name = "portfolio"
    bucket = "portfolio"
    note = (
        "A linear portfolio has one continuous variable per asset: the money put into it. The budget is a row, equal "
        "when all of it must be invested, an upper limit otherwise. An average risk is a quotient, but multiplied out "
        "it is linear: the sum of risk times money is at most the limit times the money invested. Shares work in the "
        "same way: the money of a sector is at most its percentage of the budget. The objective is the expected "
        "return in money, percentages divided by one hundred, or the risk when a return is prescribed. Typical "
        "mistakes: to compare a sum of money with a percentage, to forget the division by one hundred, to take the "
        "share of the money invested where the text speaks of the budget, and to bound the plain sum of the risks "
        "instead of the weighted one."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        assets = size(difficulty, rng.randint(2, 4), rng.randint(5, 8), rng.randint(20, 40), rng.randint(150, 300))
        risk = numbers(rng, assets, 1, size(difficulty, 9, 20, 40, 90))
        top = max(risk)
        gain = [round(2 + 10 * v / top + rng.uniform(0, 3), 0 if difficulty == "small" else 1) for v in risk]
        gain = [int(v) if v == int(v) else v for v in gain]
        grouped = difficulty != "small" and chance(rng, 0.7)
        groups = size(difficulty, 1, rng.randint(2, 3), rng.randint(4, 6), rng.randint(8, 12))
        cap = max(rng.randint(3, 8) * 10 if assets < 5 else rng.randint(2, 5) * 10, -(-130 // assets))
        cap = size(difficulty, cap, cap, rng.randint(6, 15), rng.randint(3, 8))
        order = rng.sample(range(1, assets + 1), assets)
        even = sum(risk) / assets
        lean = sorted(risk)
        least = sum(lean[: -(-100 // cap)]) / -(-100 // cap)
        return {
            "gain": gain,
            "risk": risk,
            "budget": size(
                difficulty, rng.randint(1, 9) * 10, rng.randint(5, 99) * 10, *[rng.randint(5, 90) * 100] * 2
            ),
            "all": chance(rng, 0.5),
            "goal": rng.choice(("gain", "gain", "risk")),
            "risk_limit": max(1 + int(least), round(least + (even - least) * rng.uniform(0.4, 0.9))),
            "target": round(sum(gain) / assets * rng.uniform(0.85, 1.0), 1),
            "cap": cap,
            "sectors": [sorted(order[g::groups]) for g in range(groups)] if grouped else None,
            "sector_cap": [min(95, 100 // groups + rng.randint(2, 6) * 5) for _ in range(groups)] if grouped else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        x = [model.add_variable(f"x{k}") for k in range(len(data["gain"]))]
        budget = data["budget"]
        model.add_row(dict.fromkeys(x, 1), lb=budget if data["all"] else float("-inf"), ub=budget)
        gain = {k: v / 100 for k, v in zip(x, data["gain"], strict=True)}
        risk = dict(zip(x, data["risk"], strict=True))
        if data["goal"] == "gain":
            model.add_row({k: v - data["risk_limit"] for k, v in risk.items()}, ub=0)
        else:
            model.add_row(gain, lb=data["target"] / 100 * budget)
        for k in x:
            model.add_row({k: 1}, ub=data["cap"] / 100 * budget)
        for group, limit in zip(data["sectors"] or [], data["sector_cap"] or [], strict=True):
            model.add_row({x[k - 1]: 1 for k in group}, ub=limit / 100 * budget)
        model.set_objective(*(("max", gain) if data["goal"] == "gain" else ("min", risk)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, singular, plural = voice.scene(SCENES)
        asset = Axis(singular, plural, voice.names(FUNDS, len(data["gain"])))
        facts = [
            Fact("p", data["gain"], "expected return", ("return", "yield", "gain", "rate"), (asset,), kind=SHARE),
            Fact("r", data["risk"], "risk score", ("risk", "score", "volatility"), (asset,)),
            Fact("b", data["budget"], "budget", ("budget", "money", "capital", "total"), kind=MONEY),
            Fact(
                "u",
                data["cap"],
                f"largest share of the budget in any one {singular}",
                ("cap", "share", "most"),
                kind=SHARE,
            ),
        ]
        if data["goal"] == "gain":
            facts.append(
                Fact("l", data["risk_limit"], "largest average risk score", ("limit", "risk_limit", "max_risk"))
            )
        else:
            label = "required return on the budget"
            facts.append(Fact("t", data["target"], label, ("target", "required", "min_return"), kind=SHARE))
        if data["sectors"]:
            sector = Axis("sector", "sectors", voice.names(GROUPS, len(data["sectors"])))
            label = f"numbers of the {plural} in the sector"
            facts.append(
                Fact("g", data["sectors"], label, ("sectors", "groups", "members"), (sector, asset), ragged=True)
            )
            label = "largest share of the budget in the sector"
            facts.append(Fact("s", data["sector_cap"], label, ("sector_cap", "shares", "caps"), (sector,), kind=SHARE))
        return Story(
            intro=voice.phrase(
                (f"{who} puts money into {{{plural}}}.", f"{who} divides a budget among {{{plural}}}."),
                (f"There is money of {who[0].lower()}{who[1:]} to place; on offer are {{{plural}}}.",),
            ),
            facts=tuple(facts),
            rules=rules(data, plural, voice),
            goal=goal(data, voice),
            variables=f"the money put into each {singular}, continuous",
        )

    def body(self, data: dict) -> list[str]:
        gain, risk = "sum(i / 100 * j for i, j in zip(p, x))", "sum(i * j for i, j in zip(r, x))"
        lines = [
            "x = [m.add_variable(lb=0) for _ in p]",
            f"m.add_linear_constraint(sum(x) {'==' if data['all'] else '<='} b)",
        ]
        if data["goal"] == "gain":
            lines.append(f"m.add_linear_constraint({risk} <= l * sum(x))")
        else:
            lines.append(f"m.add_linear_constraint({gain} >= t / 100 * b)")
        lines += ["for v in x:", "    m.add_linear_constraint(v <= u / 100 * b)"]
        if data["sectors"]:
            lines += ["for q, v in zip(g, s):", "    m.add_linear_constraint(sum(x[k - 1] for k in q) <= v / 100 * b)"]
        return [*lines, f"m.maximize({gain})" if data["goal"] == "gain" else f"m.minimize({risk})"]

    def formulation(self, data: dict) -> list[str]:
        gain = data["goal"] == "gain"
        return [
            "x_k >= 0 money put into k",
            "max sum_k p_k / 100 x_k" if gain else "min sum_k r_k x_k",
            f"sum_k x_k {'=' if data['all'] else '<='} b",
            "sum_k r_k x_k <= l sum_k x_k" if gain else "sum_k p_k / 100 x_k >= t / 100 b",
            "x_k <= u / 100 b for each k",
            *(["sum_(k in g_h) x_k <= s_h / 100 b for each sector h"] if data["sectors"] else []),
        ]


def rules(data: dict, plural: str, voice: Voice) -> tuple[str, ...]:
    if data["all"]:
        spent = voice.phrase(
            ("The whole budget is invested.", "All of the budget must be invested."), ("No money stays idle.",)
        )
    else:
        spent = voice.phrase(
            ("Part of the budget may stay uninvested.", "At most the budget is invested."),
            ("Money may be kept back.",),
        )
    found = [spent]
    if data["goal"] == "gain":
        found.append(
            voice.phrase(
                (
                    "The average risk score is that of the money invested, weighted by amount.",
                    "For the average risk score, weigh each score by the money invested, over all money invested.",
                ),
                ("By average risk we mean the mean over the money that is really invested.",),
            )
        )
    if data["sectors"]:
        found.append(
            voice.phrase(
                (f"The {plural} are numbered from 1.", f"Numbers of {plural} start at 1."),
                (f"Count {plural} from 1 on.",),
            )
        )
    return tuple(found)


def goal(data: dict, voice: Voice) -> str:
    if data["goal"] == "gain":
        return voice.phrase(
            ("Maximize the expected return in money.", "Find the largest total expected return."),
            ("How much money can one expect to earn at best?",),
        )
    return voice.phrase(
        (
            "Minimize the total risk, the sum of risk score times money invested.",
            "Find the least sum of money times risk score.",
        ),
        ("Choose so that money times risk score, added up, comes out smallest.",),
    )


FAMILY = Portfolio()
