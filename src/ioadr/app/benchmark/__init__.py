"""A benchmark as a person sees it: progress while it runs, files and one page when it is done."""
