"""What a run costs the machine: parameters, training FLOPs, the measured peak and the MFU of training recipes."""
