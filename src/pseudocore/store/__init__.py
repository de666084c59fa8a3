"""What is kept on disk: tensors, configuration values, and the folder of a run. Never a pickle."""
