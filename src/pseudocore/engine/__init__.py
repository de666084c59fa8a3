"""Units of work: each fills a run's folder, can be stopped anywhere, and goes on from there."""
