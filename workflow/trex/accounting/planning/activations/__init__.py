"""What a forward pass leaves in memory for its backward pass, derived operator by operator from the architecture."""
