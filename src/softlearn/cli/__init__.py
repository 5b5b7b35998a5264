"""The command line: parses, calls and prints, and computes nothing itself."""
