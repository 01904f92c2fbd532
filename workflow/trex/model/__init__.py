"""The DeepSeek-V4 miniature, one file a component; generation; checkpoints."""
