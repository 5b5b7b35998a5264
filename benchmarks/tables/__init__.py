"""How far drawn rows are from real ones, on public tables, beside published generators."""
