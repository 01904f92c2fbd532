"""Farm planning: how much land to give to each crop, within land, water, labour and rotation."""

from random import Random

from trex.problems.family import MONEY, SHARE, Axis, Fact, Family, Story, chance, dot, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

GRAINS = ("wheat", "barley", "oats", "rye", "maize", "beans", "peas", "beets", "flax", "clover", "lentils", "rape")
GARDEN = ("carrots", "onions", "leeks", "kale", "squash", "peppers", "garlic", "spinach", "celery", "chard", "melons")
FLOWERS = ("roses", "tulips", "lilies", "asters", "irises", "poppies", "daisies", "peonies", "dahlias", "violets")
FIELDS = ("North", "South", "East", "West", "Mill", "Hill", "River", "Church", "Lower", "Upper", "Long", "Stone")
SEASONS = ("spring", "early summer", "high summer", "late summer", "autumn", "winter")
SCENES = (
    ("A farmer grows", GRAINS),
    ("A market gardener grows", GARDEN),
    ("A cooperative plants", GRAINS),
    ("A nursery raises", FLOWERS),
    ("An abbey tills its land for", GRAINS),
    ("A seed company multiplies", GARDEN),
    ("An estate plants", GRAINS),
    ("A school farm grows", GARDEN),
)


class FarmPlanning(Family):
    name = "farm_planning"
    bucket = "production_planning"
    note = (
        "A farm plan has a continuous variable for the land of each crop, or of each crop in each field when fields "
        "differ. Land is a row per field: an upper limit where land may lie fallow, an equation where all of it must "
        "be planted. Water is one row over all crops; labour is a row per season, since hours that are idle in winter "
        "do not help at harvest. Least and largest areas hold for a crop over all fields together. A rotation rule "
        "keeps each crop below a percentage of the whole land, so its right side is that share of a constant, or of "
        "the planted land, when the text says so. Typical mistakes: to add up the labour of all seasons, to apply an "
        "area limit field by field, and to mix up profit per area with profit per yield."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        crops = size(difficulty, rng.randint(2, 3), rng.randint(4, 5), rng.randint(6, 8), rng.randint(10, 12))
        fields = size(difficulty, 1, rng.choice((1, 2, 2)), rng.randint(3, 5), rng.randint(15, 30))
        seasons = size(difficulty, 1, rng.randint(1, 3), rng.randint(3, 4), rng.randint(4, 6))
        land = numbers(rng, fields, *size(difficulty, (10, 90), (15, 90), (10, 90), (20, 200)))
        parts = [rng.randint(1, 4) for _ in range(crops)]
        plan = [sum(land) * part / sum(parts) for part in parts]
        water = numbers(rng, crops, 1, size(difficulty, 9, 20, 40, 60))
        labour = matrix(rng, seasons, crops, 1, size(difficulty, 9, 12, 20, 25))
        slack = rng.uniform(0.85, 0.98)
        use_water = difficulty != "small" or chance(rng, 0.5)
        even = max(plan) / sum(land) * 100
        profit = [rng.randint(10, 40) + water[k] // 2 + sum(row[k] for row in labour) for k in range(crops)]
        return {
            "fields": land,
            "profit": profit if fields == 1 else [[max(1, v + rng.randint(-6, 6)) for v in profit] for _ in land],
            "water": water if use_water else None,
            "water_limit": int(dot(water, plan) * slack) + 1 if use_water else None,
            "labour": labour,
            "hours": [int(dot(row, plan) * slack) + 1 for row in labour],
            "least": [round(v * rng.uniform(0, 0.4)) for v in plan] if chance(rng, 0.4) else None,
            "most": [round(v * rng.uniform(1.2, 1.9)) + 1 for v in plan] if chance(rng, 0.3) else None,
            "share": min(95, round(even * rng.uniform(1.1, 1.5)) + 1) if chance(rng, 0.5) else None,
            "of_planted": chance(rng, 0.4),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        land, crops = data["fields"], range(len(data["labour"][0]))
        x = [[model.add_variable(f"x{f}_{k}") for k in crops] for f in range(len(land))]
        profit = [data["profit"]] if len(land) == 1 else data["profit"]

        def over_fields(coefficients: list) -> dict[int, float]:
            return {row[k]: coefficients[k] for row in x for k in crops}

        for row, area in zip(x, land, strict=True):
            model.add_row(dict.fromkeys(row, 1), ub=area)
        if data["water"]:
            model.add_row(over_fields(data["water"]), ub=data["water_limit"])
        for use, hours in zip(data["labour"], data["hours"], strict=True):
            model.add_row(over_fields(use), ub=hours)
        for k in crops:
            crop = dict.fromkeys([row[k] for row in x], 1.0)
            if data["least"]:
                model.add_row(crop, lb=data["least"][k])
            if data["most"]:
                model.add_row(crop, ub=data["most"][k])
            if data["share"] and data["of_planted"]:
                everything = over_fields([-data["share"] / 100] * len(crops))
                model.add_row(everything | dict.fromkeys(crop, 1 - data["share"] / 100), ub=0)
            elif data["share"]:
                model.add_row(crop, ub=data["share"] / 100 * sum(land))
        model.set_objective("max", {x[f][k]: profit[f][k] for f in range(len(land)) for k in crops})
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        lead, names = voice.scene(SCENES)
        area, areas = voice.unit((("hectare", "hectares"), ("acre", "acres")))
        crop = Axis("crop", "crops", voice.names(names, len(data["labour"][0])))
        several = len(data["fields"]) > 1
        field = Axis("field", "fields", tuple(f"{name} field" for name in voice.names(FIELDS, len(data["fields"]))))
        season = Axis("season", "seasons", SEASONS[: len(data["labour"])])
        where = " on {fields}" if several else ""
        return Story(
            intro=voice.phrase(
                (f"{lead} {{crops}}{where}.", f"{lead} {{crops}}{where} and divides the land among them."),
                (f"With the land of a year to divide, {lead[0].lower()}{lead[1:]} {{crops}}{where}.",),
            ),
            facts=facts(data, (crop, field if several else None, season), area, areas),
            rules=(area_rule(voice), *share_rule(data, voice)),
            goal=voice.phrase(
                ("Maximize the total profit of the crops.", "Find the most profitable use of the land."),
                ("What is the best total profit from the land?",),
            ),
            variables=f"the {areas} of each crop{' in each field' if several else ''}, continuous",
        )

    def body(self, data: dict) -> list[str]:
        several, labour = len(data["fields"]) > 1, len(data["labour"]) > 1
        if several:
            lines = [
                "x = [[m.add_variable(lb=0) for _ in r] for r in p]",
                "for r, v in zip(x, a):",
                "    m.add_linear_constraint(sum(r) <= v)",
                "t = [sum(r) for r in zip(*x)]",
            ]
        else:
            lines = ["t = [m.add_variable(lb=0) for _ in p]", "m.add_linear_constraint(sum(t) <= a)"]
        if data["water"]:
            lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(w, t)) <= b)")
        if labour:
            lines += ["for r, v in zip(h, k):", "    m.add_linear_constraint(sum(i * j for i, j in zip(r, t)) <= v)"]
        else:
            lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(h, t)) <= k)")
        whole = "sum(t)" if data["of_planted"] else "sum(a)" if several else "a"
        limits = [("v >= o", "o", "l")] if data["least"] else []
        limits += [("v <= q", "q", "u")] if data["most"] else []
        for row, name, of in limits:
            lines += [f"for v, {name} in zip(t, {of}):", f"    m.add_linear_constraint({row})"]
        if data["share"]:
            lines += ["for v in t:", f"    m.add_linear_constraint(v <= s / 100 * {whole})"]
        profit = "for r, q in zip(p, x) for i, j in zip(r, q)" if several else "for i, j in zip(p, t)"
        return [*lines, f"m.maximize(sum(i * j {profit}))"]

    def formulation(self, data: dict) -> list[str]:
        several, labour = len(data["fields"]) > 1, len(data["labour"]) > 1
        whole = "sum_c t_c" if data["of_planted"] else "sum_f a_f" if several else "a"
        lines = [
            "x_fc >= 0 land of crop c in field f; t_c = sum_f x_fc" if several else "t_c >= 0 land of crop c",
            "max sum_fc p_fc x_fc" if several else "max sum_c p_c t_c",
            "sum_c x_fc <= a_f for each field f" if several else "sum_c t_c <= a",
            "sum_c w_c t_c <= b" if data["water"] else "",
            "sum_c h_gc t_c <= k_g for each season g" if labour else "sum_c h_c t_c <= k",
            "t_c >= l_c for each c" if data["least"] else "",
            "t_c <= u_c for each c" if data["most"] else "",
            f"t_c <= s / 100 {whole} for each c" if data["share"] else "",
        ]
        return [line for line in lines if line]


def facts(data: dict, axes: tuple[Axis, Axis | None, Axis], area: str, areas: str) -> tuple[Fact, ...]:
    crop, field, season = axes
    by_field = (field, crop) if field else (crop,)
    label = f"profit per {area}"
    land = data["fields"] if field else data["fields"][0]
    found = [
        Fact("p", data["profit"], label, ("profit", "margin", "gain"), by_field, f"{label}, {{}}", kind=MONEY),
        Fact("a", land, f"land in {areas}", ("land", "area", "size"), by_field[:-1]),
    ]
    if data["water"]:
        found.append(Fact("w", data["water"], f"water per {area}", ("water", "irrigation", "use"), (crop,)))
        found.append(Fact("b", data["water_limit"], "water available", ("water_limit", "supply", "reservoir")))
    keys, label = ("labour", "hours_per_area", "work"), f"hours of work per {area}"
    if len(data["labour"]) > 1:
        found.append(Fact("h", data["labour"], label, keys, (season, crop), f"{label}, {{}}"))
        found.append(Fact("k", data["hours"], "hours of work available", ("hours", "staff", "time"), (season,)))
    else:
        found.append(Fact("h", data["labour"][0], label, keys, (crop,)))
        found.append(Fact("k", data["hours"][0], "hours of work available", ("hours", "staff", "time")))
    if data["least"]:
        found.append(Fact("l", data["least"], f"least area in {areas}", ("least", "minimum", "contract"), (crop,)))
    if data["most"]:
        found.append(Fact("u", data["most"], f"largest area in {areas}", ("most", "maximum", "market"), (crop,)))
    if data["share"]:
        label = f"largest share of any one crop in the {'planted' if data['of_planted'] else 'whole'} land"
        found.append(Fact("s", data["share"], label, ("share", "rotation", "cap"), kind=SHARE))
    return tuple(found)


def area_rule(voice: Voice) -> str:
    return voice.phrase(
        ("Land may lie fallow.", "Not all of the land has to be planted."), ("Some land can be left unused.",)
    )


def share_rule(data: dict, voice: Voice) -> tuple[str, ...]:
    if not data["share"]:
        return ()
    if data["of_planted"]:
        usual = ("For the rotation, shares refer to the land that is planted.", "Shares count planted land only.")
        return (voice.phrase(usual, ("What lies fallow is left out of the base of the share.",)),)
    usual = ("For the rotation, shares refer to all the land, planted or not.", "Shares count fallow land as well.")
    return (voice.phrase(usual, ("The base of the share is all land there is, used or unused.",)),)


FAMILY = FarmPlanning()
