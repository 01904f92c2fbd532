"""What a model holds and does, counted exactly: parts, architectures, and the conventions by which others count."""
