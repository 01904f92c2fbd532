"""Text from problems: documents, samples and suites; leakage tests; general text; tokenizer; packing."""
