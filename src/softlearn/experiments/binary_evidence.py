"""Compare the results on the binary sets with the paper's: which split it reports, and counts."""

from __future__ import annotations

from statistics import fmean
from typing import Final

from softlearn.experiments.binary_scores import Scores, Split, better_means
from softlearn.experiments.cell import CLUSTERINGS, NAMES, SYSTEMS
from softlearn.experiments.document import Table
from softlearn.experiments.published import better_of_two, comparison, detail
from softlearn.experiments.summaries import tally

_REACHED_WITHIN: Final = {"learnspn": 3.0, "softlearn": 1.0}  # of the paper's deviations


def whose_split(scores: Scores) -> str:
    """Return, in words, how near the paper's LearnSPN is to each of our two splits."""
    compared = [
        (key[0], detail()[key].ll, score.valid.mean, score.test.mean)
        for key, score in scores.items()
        if key[1] == "learnspn"
    ]
    claim = (
        "**The paper's columns for LearnSPN (Correia) and SoftLearn on the binary sets are "
        "figures of the validation split**; those of all other systems, which it quotes, are of "
        "the test split."
    )
    if not compared:
        return claim
    off_valid = fmean(abs(valid / paper - 1.0) for _, paper, valid, _ in compared)
    off_test = fmean(abs(test / paper - 1.0) for _, paper, _, test in compared)
    nearer = sum(abs(valid - paper) < abs(test - paper) for _, paper, valid, test in compared)
    name, paper, valid, test = max(compared, key=lambda one: abs(one[2] - one[3]) / abs(one[1]))
    return (
        f"{claim} Our LearnSPN with the paper's choices differs from the paper's figure by "
        f"{off_valid:.2%} on average on the validation split, and by {off_test:.2%} on the test "
        f"split; it is nearer on the validation split in {nearer} of {len(compared)} cases. The "
        f"splits differ most on {name}: paper {paper:.2f}, ours {valid:.2f} valid and {test:.2f} "
        "test. So the paper's own columns are compared on valid, and everybody else's on test."
    )


def counts(scores: Scores) -> Table:
    """Return wins and losses, and how often a system reaches what the paper reports."""
    lines = [*_wins(scores), *_reached(scores)]
    return Table(
        "Counts",
        ["what", "ours", "the paper"],
        lines,
        "A win is a higher mean, a tie one that agrees to three decimals, as the paper counts. "
        "Reached: our mean on the validation split is at least the paper's less so many of the "
        "paper's standard deviations.",
    )


def _wins(scores: Scores) -> list[tuple[str, str, str]]:
    splits: tuple[Split, ...] = ("valid", "test")
    own = {
        (system, split): better_means(scores, system, split)
        for system in SYSTEMS
        for split in splits
    }
    paper = {
        name: {dataset: row[name] for dataset, row in comparison().items()}
        for name in ("softlearn", "learnspn_correia", "learnspn_gens", "cnet")
    }
    both = {
        dataset: max(row["learnspn_correia"], row["learnspn_gens"])
        for dataset, row in comparison().items()
    }
    against = str(tally(paper["softlearn"], paper["learnspn_correia"]))
    lines = [
        (
            f"SoftLearn better than LearnSPN on {split}",
            str(tally(own["softlearn", split], own["learnspn", split])),
            against if split == "valid" else "–",
        )
        for split in splits
    ]
    ours_or_gens = {
        dataset: max(value, paper["learnspn_gens"][dataset])
        for dataset, value in own["learnspn", "test"].items()
    }
    return [
        *lines,
        (
            "SoftLearn better than both LearnSPN and LearnSPN (Gens, as published) on test",
            str(tally(own["softlearn", "test"], ours_or_gens)),
            f"{tally(paper['softlearn'], both)}, splits mixed",
        ),
        (
            "SoftLearn better than CNET (as published) on test",
            str(tally(own["softlearn", "test"], paper["cnet"])),
            f"{tally(paper['softlearn'], paper['cnet'])}, splits mixed",
        ),
    ]


def _reached(scores: Scores) -> list[tuple[str, str, str]]:
    lines = []
    for system in SYSTEMS:
        within = _REACHED_WITHIN[system]
        for clustering in CLUSTERINGS:
            own = {key: one for key, one in scores.items() if key[1:] == (system, clustering)}
            reached = sum(
                one.valid.mean >= detail()[key].ll - within * detail()[key].sd
                for key, one in own.items()
            )
            what = f"{NAMES[system]}, {NAMES[clustering]}: paper less {within:g} sd reached"
            lines.append((what, f"{reached} of {len(own)}", "–"))
    means = better_means(scores, "softlearn", "valid")
    reached = sum(mean >= better_of_two(dataset, "softlearn") for dataset, mean in means.items())
    what = "SoftLearn, better of EM and k-means: at least the paper's better of two"
    return [*lines, (what, f"{reached} of {len(means)}", "–")]
