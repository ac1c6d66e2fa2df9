"""What each paper's tables and figures need, a package per paper: numbers here, words in the notebooks."""
