"""Units of work: they fill a run's folder, can be stopped anywhere, and continue where they stopped."""
