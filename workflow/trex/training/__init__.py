"""Full-parameter training of the four arms: data, optimizers, loss, the loop."""
