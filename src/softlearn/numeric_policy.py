"""All tolerances, floors and smoothing defaults, each with its reason."""

from __future__ import annotations

from typing import Final

import numpy as np

# Probabilities we normalise ourselves add to 1 within about 1e-12 even over ten thousand levels;
# a thousand times that forgives decimals typed by hand, and still refuses a lost digit.
NORMALISATION_TOLERANCE: Final = 1e-9
# Beyond it a sum of probabilities in a loaded file is not off by rounding, and is made 1: what is
# off in each of ten thousand nodes adds up to less than the tolerance.
SUM_ROUNDING: Final = 1e-13

# Pseudo-count of the levels of a column, or of every level or bin: the largest value of the
# paper's grid {0.1, 0.01, 1e-6}. A level that a leaf has not seen stays possible, and a hundred
# rows outweigh it.
LAPLACE_SMOOTHING: Final = 0.1
# How many rows the column as a whole counts for in a leaf over its cells: enough that every value
# stays possible, little enough that it is hardly ever drawn.
SCALE_SMOOTHING: Final = 0.01
# How many of the rows in a leaf's coarse bins count as spread by its normal distribution. Of 30, 40
# and 60, fewer make drawn rows harder to tell from real ones, and more keep the held-out score.
ROWS_OF_THE_NORMAL: Final = 40.0
# How many pairs of independent columns a node may take for dependent by chance, and the level of
# a single test however few pairs there are. With a fixed level a node of 400 columns has hundreds
# of such pairs, and never falls apart.
CHANCE_LINKS: Final = 2.0
MOST_SIGNIFICANCE: Final = 0.1
# The level times the weight of a node's rows, at most: from a hundred rows on, tests get stricter
# with every row. Many rows find dependence that is too weak to be worth a split: with a level of
# 0.1 a table of 200,000 rows has six times the nodes, and scores 0.01 nats more per row.
LEVEL_TIMES_ROWS: Final = 10.0
# Clusters at a time: two, as in the paper. Four make drawn rows of large tables harder to tell from
# real ones (C2ST-XGB of adult 0.91 instead of 0.87, magic 0.87 and 0.84), and cost 0.1 to 0.3 nats
# per unseen row of adult, shoppers and magic.
CLUSTERS: Final = 2

# Fewer rows are not split if trees tell what is left: a tree of them says more than their parts.
ROWS_OF_A_TREE: Final = 200

# A Gaussian leaf on equal values would be a point of infinite density. The floor is in the column's
# own units: a thousandth of a standardised column; learners scale it by the column's spread.
DEVIATION_FLOOR: Final = 1e-3

# Below the smallest normal number the reciprocal of a deviation overflows.
SMALLEST_DEVIATION: Final = float(np.finfo(np.float64).tiny)

# Generators return multiples of 2**-53. A uniform of exactly 0 would draw −inf from an unbounded
# leaf; half a step above 0 is the mirror image of the largest uniform, half a step below 1.
SMALLEST_UNIFORM: Final = 2.0**-54

# Evidence far out is refused if rounding may move a posterior by more than this: what is left has
# six digits.
TELLABLE: Final = 1e-6

# Parabolas of a log-density up to this sharp, and as flat, keep their squares within float64.
SHARPEST: Final = 1e200
# k-means ends when the squared error a unit of weight and column falls by less than this.
KMEANS_TOLERANCE: Final = 1e-6
# EM ends when the mean log-likelihood grows by less than this share of itself.
EM_TOLERANCE: Final = 1e-5
# No level of a mixture component is certain or impossible, so that no row is lost to all of them.
MIXTURE_PROBABILITY_FLOOR: Final = 1e-6
# Smallest standard deviation of a Gaussian leaf, as a share of its column's.
RELATIVE_DEVIATION_FLOOR: Final = 0.01
# EM starts from k-means with this share of each row in its own cluster, so that no row is stuck.
# Of 0.7, 0.9, 0.99 and 1 on the binary sets: the softer, the worse on msnbc (-6.110 to -6.043) and
# pumsb_star; with 1 nltcs loses.
MIXTURE_START: Final = 0.99
# Smallest standard deviation of a mixture component, as a share of the column's.
MIXTURE_DEVIATION_FLOOR: Final = 0.05
# A row that keeps less than this share of its own weight in a node is left out of it.
NEGLIGIBLE_WEIGHT: Final = 1e-3
# With EM, tests and clusters look at rows that keep this many times as much; leaves count all. Ten
# on fourteen tables: about half the time with numbers, and no score changes by more than seeds
# change it. With k-means, whose memberships are flatter, plants and audio would lose 0.03 nats.
CORE_TIMES: Final = 10.0
# Pseudo-counts to choose from when they are tuned: the paper's grid.
SMOOTHING_GRID: Final = (0.1, 0.01, 1e-6)
# Numbers that differ by less than this share of their size are equal but for rounding.
ROUNDING: Final = 1e-12
# A number lies on a grid if it is off by less than this share of a step.
ON_GRID: Final = 1e-9
# Typed steps, such as 0.1, are off by rounding times the number of steps.
STEP_TOLERANCE: Final = 1e-6
# How far from the only value of a column another one may well lie, in sizes of the value: ten times
# as much is a slip of the decimal point.
REACH_OF_A_LONE_VALUE: Final = 10.0
# What lies beyond the last value of a column on one side, at least: nobody draws it, and however
# many rows were all the same, another value keeps a price.
LEAST_BEYOND: Final = 1e-9
# Below this a probability is as good as zero: its normal score would be infinite.
SMALLEST_PROBABILITY: Final = 1e-300
# How far apart two humps of a column are moved, in normal scores: a leaf of one of them does not
# reach the other, and clusters see them apart.
BETWEEN_HUMPS: Final = 3.0
# How far out normal scores tell cells apart. Beyond, leaves keep the column's own tail: bent
# further, cells that no row has reached would rule means and variances.
FURTHEST_TAIL: Final = 1e-7
# What lies beyond a bound that all values keep, but nobody promised: no draw comes there, and a
# value that does costs 28 nats and not all of them.
BEYOND_BOUND: Final = 1e-12
# The share of rows that parameter learning stops by: enough to tell when it overfits.
HELD_OUT_SHARE: Final = 0.1
# Pseudo-rows of every sum in parameter learning, shared alike by its branches.
SUM_SMOOTHING: Final = 0.1
# Weights that are not counts are whole multiples of this part of a mean row: sums of up to 2**29
# rows are then exact, whatever their order, and none is off by more than a thirty-millionth.
PARTS_OF_A_ROW: Final = 2.0**24
# The nats per row that one change of a circuit may lose when it is made smaller: the search for how
# much may go begins here, below what any score shows.
SMALLEST_CHANGE: Final = 1e-10
# The probability that a part of a circuit is used which never is, so that parts can be averaged.
UNUSED: Final = 1e-12
