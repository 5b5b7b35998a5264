"""All tolerances, floors and smoothing defaults, each with its reason."""

from __future__ import annotations

from typing import Final

import numpy as np

# Probabilities normalised by the library add to 1 within about 1e-12, even over ten thousand
# levels; a thousand times that accepts decimals typed by hand, but not a lost digit.
NORMALISATION_TOLERANCE: Final = 1e-9
# Probabilities in a loaded file whose sum differs from 1 by more than this are normalised again.
# Smaller errors are due to rounding; over ten thousand nodes they add to less than the tolerance.
SUM_ROUNDING: Final = 1e-13

# Pseudo-count of the levels of a column, or of every level or bin: the largest value of the
# paper's grid {0.1, 0.01, 1e-6}. Levels that a leaf has not seen stay possible, and a hundred
# rows outweigh them.
LAPLACE_SMOOTHING: Final = 0.1
# Pseudo-rows of the whole column in a leaf over its cells: enough that every value stays possible,
# so few that such values are hardly ever drawn.
SCALE_SMOOTHING: Final = 0.01
# Pseudo-rows in a leaf's coarse bins that follow its normal distribution. Of 30, 40 and 60, fewer
# make drawn rows harder to tell from real ones, and more preserve the held-out score.
ROWS_OF_THE_NORMAL: Final = 40.0
# How many pairs of independent columns per node may be linked by chance, and the highest level of
# a single test. With a fixed level, a node of 400 columns has hundreds of pairs linked by chance,
# and its columns are never split. Tables of more rows have more nodes, so more pairs in all: on
# adult, shoppers and magic two pairs would lose 0.03 to 0.07 nats, on vowel with its 800 rows half
# a pair would lose 0.5. Where all columns have two levels, a needless split costs few parameters,
# and two are better for any number of rows: half a pair would lose 0.06 nats on plants and audio.
# Where more pairs may be linked, the highest level is lower in proportion: in small tables all
# nodes have few rows, and a level of 0.5 would divide most of them by chance.
CHANCE_LINKS: Final = 0.5
MOST_CHANCE_LINKS: Final = 2.0
CHANCE_LINKS_TIMES_ROWS: Final = 1024.0
MOST_SIGNIFICANCE: Final = 0.5
# The maximum of the level times the weight of a node's rows, which makes tests of many rows
# stricter. With many rows, even dependence too weak to be worth a split is significant:
# with a level of 0.1 a table of 200,000 rows has six times the nodes, and scores 0.01 nats more
# per row.
LEVEL_TIMES_ROWS: Final = 10.0
# Clusters per split: two, as in the paper. Four make drawn rows of large tables harder to tell from
# real ones (C2ST-XGB of adult 0.88 instead of 0.86, magic 0.86 and 0.84), and cost 0.05 to 0.11
# nats per unseen row of adult, shoppers and magic; beijing gains 0.03.
CLUSTERS: Final = 2

# Nodes with fewer rows are not split if leaves may be trees: a tree models such rows better.
ROWS_OF_A_TREE: Final = 200

# A Gaussian leaf of equal values would have infinite density. The floor is in the column's units:
# a thousandth of the deviation of a standardised column; learners scale it by the column's spread.
DEVIATION_FLOOR: Final = 1e-3

# Below the smallest normal number the reciprocal of a deviation overflows.
SMALLEST_DEVIATION: Final = float(np.finfo(np.float64).tiny)

# Generators return multiples of 2**-53. A uniform of exactly 0 would draw −inf from an unbounded
# leaf; half a step above 0 is the mirror image of the largest uniform, half a step below 1.
SMALLEST_UNIFORM: Final = 2.0**-54

# Evidence far out in the tails is rejected if rounding could change a posterior by more than this,
# so that answers have six correct digits.
TELLABLE: Final = 1e-6

# Parabolas of log-densities up to this curvature, or its reciprocal, do not overflow float64.
SHARPEST: Final = 1e200
# k-means ends when the squared error per unit of weight and column falls by less than this.
KMEANS_TOLERANCE: Final = 1e-6
# EM ends when the mean log-likelihood grows by less than this share of itself.
EM_TOLERANCE: Final = 1e-5
# No level of a mixture component is certain or impossible, so that every row is possible in one.
MIXTURE_PROBABILITY_FLOOR: Final = 1e-6
# Smallest standard deviation of a Gaussian leaf, as a share of its column's.
RELATIVE_DEVIATION_FLOOR: Final = 0.01
# EM starts from k-means with this membership of each row in its cluster, so that rows can still
# change clusters. Of 0.7, 0.9, 0.99 and 1 on the binary sets, lower values are worse on msnbc
# (-6.110 to -6.043) and pumsb_star, and 1 is worse on nltcs.
MIXTURE_START: Final = 0.99
# Smallest standard deviation of a mixture component, as a share of the column's.
MIXTURE_DEVIATION_FLOOR: Final = 0.05
# Rows with less than this share of their original weight in a node are left out of it.
NEGLIGIBLE_WEIGHT: Final = 1e-3
# With EM, tests and clustering use rows with at least this many times that share; leaves use all.
# With ten, tables with numbers take about half the time, and on fourteen tables no score changes
# by more than between seeds. With k-means, whose memberships are flatter, plants and audio would
# lose 0.03 nats.
CORE_TIMES: Final = 10.0
# The grid of pseudo-counts for tuning: that of the paper.
SMOOTHING_GRID: Final = (0.1, 0.01, 1e-6)
# Numbers whose relative difference is less than this are equal up to rounding.
ROUNDING: Final = 1e-12
# A number is on a grid if it deviates by less than this share of a step.
ON_GRID: Final = 1e-9
# The rounding error of typed steps, such as 0.1, is multiplied by the number of steps.
STEP_TOLERANCE: Final = 1e-6
# How far other values may plausibly be from the only value of a column, in multiples of it: a
# factor of ten is a misplaced decimal point.
REACH_OF_A_LONE_VALUE: Final = 10.0
# The least probability beyond the last value of a column on one side: such values are practically
# never drawn, but have a finite score even if all rows of the table are equal.
LEAST_BEYOND: Final = 1e-9
# Smaller probabilities count as zero: their normal score would be infinite.
SMALLEST_PROBABILITY: Final = 1e-300
# The distance added between two humps of a column, in normal scores: leaves over one hump give
# almost no mass to the other, and clustering separates them.
BETWEEN_HUMPS: Final = 3.0
# The tail probability up to which normal scores distinguish cells. Beyond, leaves keep the shape of
# the column's own tail; otherwise cells without rows would dominate means and variances.
FURTHEST_TAIL: Final = 1e-7
# The probability beyond a bound that all values of the table keep but no schema states: no draw is
# there, and a value there costs 28 nats instead of being impossible.
BEYOND_BOUND: Final = 1e-12
# The share of rows held out for early stopping of parameter learning: enough to see overfitting.
HELD_OUT_SHARE: Final = 0.1
# Pseudo-rows of every sum in parameter learning, shared equally by its branches.
SUM_SMOOTHING: Final = 0.1
# Weights that are not counts are rounded to multiples of the mean weight divided by this: sums of
# up to 2**29 rows are then exact in any order, and no weight is off by more than 1 in 30 million.
PARTS_OF_A_ROW: Final = 2.0**24
# The loss in nats per row that one change may cause when a circuit is compressed: the search for
# the allowed loss starts here, below the precision of printed scores.
SMALLEST_CHANGE: Final = 1e-10
# The probability assigned to parts of a circuit that are never used, so that they can be averaged.
UNUSED: Final = 1e-12
