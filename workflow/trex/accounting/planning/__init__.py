"""What a layout asks of a cluster: memory of each rank, and the time of a step."""
