"""The strict world of the tests; its presence also puts this folder on the import path."""
