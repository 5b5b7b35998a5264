"""Conditions as text, such as ``age=30..40, sex=F``, for commands and the explorer."""

from softlearn.conditions.language import (
    Question,
    format_conditions,
    parse_conditions,
    parse_question,
)
from softlearn.conditions.phrases import LanguageError

__all__ = ["LanguageError", "Question", "format_conditions", "parse_conditions", "parse_question"]
