"""The no-skill sources of responses to own suites: their names, and what each shows. They are no models."""

NEAREST, SLOTS, SHUFFLED = "nearest_example", "slot_filler", "shuffled_numbers"
# One sentence each, as the report has it.
FLOORS = {
    NEAREST: "the answer of the training sample whose prompt is most like the item's, copied",
    SLOTS: "the answer of such a sample as a template, its numbers and data-file keys replaced by those of the item's "
    "prompt that stand in the same places",
    SHUFFLED: "the item's own right answer with its numbers in another order: no model's skill, but what a model that "
    "knew everything but the numbers would get",
}
