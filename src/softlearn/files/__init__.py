"""Tables in files: CSV and TSV, also gzipped, Parquet and Feather, in batches of rows."""

from softlearn.files.finding import find_files, names_several
from softlearn.files.opening import STANDARD_INPUT, open_table
from softlearn.files.reading_text import MISSING_WORDS
from softlearn.files.source import Batch, TableSource
from softlearn.files.writing import EXTENSIONS, TableWriter, is_text_file, write_csv

__all__ = [
    "EXTENSIONS",
    "MISSING_WORDS",
    "STANDARD_INPUT",
    "Batch",
    "TableSource",
    "TableWriter",
    "find_files",
    "is_text_file",
    "names_several",
    "open_table",
    "write_csv",
]
