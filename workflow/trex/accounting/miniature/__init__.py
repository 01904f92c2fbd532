"""One process of this machine: what a training step of the miniature takes, predicted and measured."""
