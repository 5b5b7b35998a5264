"""How fast circuits are learnt, how good they are, and where the time goes."""
