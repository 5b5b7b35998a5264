"""How fast the library answers, beside a plain log-space loop and the machine's own limit."""
