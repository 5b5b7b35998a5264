"""What every leaf family promises; a new family is found by itself and needs one Example below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import scaled_examples
from softlearn.circuit import cells_of
from softlearn.errors import SoftlearnError
from softlearn.leaf import FAMILIES, Interval, LeafOptions, Listed, Members, family_named
from softlearn.leaf.pooling import entropy
from softlearn.leaf.pooling import pooled as pooled_leaf

FALSE_ALARM = 1e-6
SEED = 20240117
MAX_LEVELS = 5
EDGES = np.array([-2.0, -1.5, 0.25, 3.0])

reals = st.floats(-20.0, 20.0, allow_subnormal=False)
uniforms = st.floats(0.0, 1.0, exclude_max=True, allow_subnormal=False)


@st.composite
def probabilities(draw, size):
    """A distribution that may hold zeros, also at its ends."""
    mass = draw(st.lists(st.sampled_from([0.0, 0.01, 0.3, 1.0, 2.5]), min_size=size, max_size=size))
    mass[draw(st.integers(0, size - 1))] += 1.0
    return np.array(mass) / np.sum(mass)


@st.composite
def categorical_params(draw):
    return draw(probabilities(draw(st.integers(1, MAX_LEVELS))))


@st.composite
def gaussian_params(draw):
    return np.array([draw(reals), draw(st.floats(0.01, 30.0))])


@st.composite
def histogram_params(draw):
    widths = draw(st.lists(st.floats(0.01, 10.0), min_size=1, max_size=5))
    edges = draw(reals) + np.concatenate([[0.0], np.cumsum(widths)])
    return np.concatenate([edges, draw(probabilities(len(widths)))])


@st.composite
def members(draw, params):
    mask = draw(st.lists(st.booleans(), min_size=params.size, max_size=params.size))
    mask[draw(st.integers(0, params.size - 1))] = True
    return Members(np.array(mask))


@st.composite
def intervals(draw, params):
    lo, hi = sorted([draw(reals), draw(reals)])
    lo, hi = draw(st.sampled_from([(lo, hi), (-np.inf, hi), (lo, np.inf), (-np.inf, np.inf)]))
    return Interval(np.array(lo), np.array(hi))


def gaussian_panels(params):
    return np.linspace(params[0] - 14.0 * params[1], params[0] + 14.0 * params[1], 29)


def histogram_panels(params):
    return params[: (params.size + 1) // 2]


@dataclass(frozen=True)
class Example:
    """How to make leaves, regions and data of one family, and how to break its parameters."""

    params: st.SearchStrategy[Any]
    regions: Callable[[Any], st.SearchStrategy[Any]]
    values: st.SearchStrategy[float]
    defects: list[tuple[list[float], str]]
    sound: list[float]
    n_levels: int = 0
    panels: Callable[[Any], Any] | None = None  # where a continuous density is smooth
    given: dict[str, Any] = field(default_factory=dict)  # what summarise needs besides the rows
    most_orders: int = 6  # of moments


NAN, INF = np.nan, np.inf
EXAMPLES = {
    "categorical": Example(
        params=categorical_params(),
        regions=members,
        values=st.integers(0, 2).map(float),
        given={"n_levels": 3},
        n_levels=3,
        sound=[0.2, 0.3, 0.5],
        defects=[
            ([0.2, NAN, 0.5], "finite"),
            ([0.2, -INF, INF], "finite"),
            ([-0.2, 0.7, 0.5], "negative"),
            ([1.3, 0.7, 0.0], "add to 2, not 1"),
            ([0.5, 0.5], "2 parameters where the column has 3 levels"),
        ],
    ),
    "gaussian": Example(
        params=gaussian_params(),
        regions=intervals,
        values=reals,
        panels=gaussian_panels,
        sound=[0.0, 1.0],
        defects=[
            ([NAN, 1.0], "finite"),
            ([0.0, INF], "finite"),
            ([0.0, 0.0], "deviation 0 is not"),
            ([0.0, -1.0], "deviation -1 is not"),
            ([0.0, 1.0, 2.0], "3 parameters where"),
        ],
    ),
    "histogram": Example(
        params=histogram_params(),
        regions=intervals,
        values=st.floats(EDGES[0], EDGES[-1]),
        given={"edges": EDGES},
        panels=histogram_panels,
        sound=[0.0, 1.0, 3.0, 0.25, 0.75],
        defects=[
            ([0.0, 1.0, NAN, 0.25, 0.75], "finite"),
            ([INF, INF, 3.0, INF, -INF], "finite"),
            ([0.0, 1.0, 1.0, 0.25, 0.75], "strictly increasing"),
            ([0.0, 2.0, 1.0, 0.25, 0.75], "strictly increasing"),
            ([0.0, 1.0, 3.0, -0.25, 1.25], "negative"),
            ([0.0, 1.0, 3.0, 0.25, 0.5], "add to 0.75, not 1"),
            ([0.0, 1.0, 0.5, 0.5], "4 parameters where"),
        ],
    ),
}


def scaled_example(column) -> Example:
    return Example(
        params=scaled_examples.params(column),
        regions=lambda _: scaled_examples.regions(column),
        values=st.sampled_from(scaled_examples.values(column)),
        sound=scaled_examples.sound(column),
        defects=scaled_examples.defects(column),
        most_orders=2,
    )


SCALED_EXAMPLES = {column: scaled_example(column) for column in scaled_examples.COLUMNS}


def bound_families():
    """Every family, bound to each of the columns with a scale if it needs one."""
    for each in FAMILIES:
        if not is_scaled(each):
            yield pytest.param(each, id=each.name)
            continue
        for column in scaled_examples.COLUMNS:
            yield pytest.param(each.on(cells_of(column)), id=f"{each.name} {column.name}")


def is_scaled(family):
    return family.name == "scaled"


@pytest.fixture(params=bound_families())
def family(request):
    return request.param


def example_of(family) -> Example:
    if is_scaled(family):
        return SCALED_EXAMPLES[scaled_examples.column_of(family)]
    if family.name not in EXAMPLES:
        pytest.fail(f"family {family.name!r} has no Example in {__file__}: add one")
    return EXAMPLES[family.name]


def atoms(family, params, region=None):
    """Points and weights whose weighted sum is the integral over the region."""
    if family.discrete:
        codes = np.arange(params.size, dtype=float)
        return (codes, np.ones(params.size)) if region is None else (codes, region.mask * 1.0)
    if is_scaled(family):
        return scaled_examples.points(scaled_examples.column_of(family), region)
    edges = example_of(family).panels(params)
    if region is not None:
        cuts = np.clip([region.lo, region.hi], edges[0], edges[-1])
        edges = np.unique(np.concatenate([np.clip(edges, *cuts), cuts]))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(edges)[:, None]
    points = edges[:-1, None] + half * (1.0 + nodes)
    return points.ravel(), (half * weights).ravel()


def holds(region, x):
    if isinstance(region, Members):
        return bool(region.mask[int(x)])
    if isinstance(region, Listed):
        return x in region.values
    return region.lo <= x <= region.hi


@st.composite
def leaves(draw, family):
    params = draw(example_of(family).params)
    return params, draw(example_of(family).regions(params))


@st.composite
def rows(draw, family):
    cells = st.tuples(example_of(family).values, st.sampled_from([0.0, 0.3, 1.0, 2.0]))
    table = np.array(draw(st.lists(cells, min_size=1, max_size=12))).reshape(-1, 2)
    table[0, 1] = 1.0
    return table[:, 0], table[:, 1]


def learn(family, values, weights):
    stats = family.summarise(values, weights, **example_of(family).given)
    return family.finish(stats, LeafOptions(smoothing=0.1, deviation_floor=1e-3))


def equal(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


quick = settings(max_examples=60, deadline=None, derandomize=True)


def over(strategy):
    """Run the test on what the strategy makes for its family."""

    def decorate(test):
        def run(family):
            @quick
            @given(strategy(family))
            def inner(made):
                test(family, made)

            inner()

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run

    return decorate


def test_names_and_order_are_what_files_hold():
    names = [family.name for family in FAMILIES]
    assert names[:4] == ["categorical", "gaussian", "histogram", "scaled"]
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)


def test_a_family_is_found_by_name(family):
    assert family_named(family.name) in FAMILIES
    assert family_named(family.name).name == family.name


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(SoftlearnError, match=r"no leaf family 'beta' \(known: categorical, "):
        family_named("beta")


@over(leaves)
def test_density_adds_to_one(family, made):
    params, _ = made
    points, weights = atoms(family, params)
    total = np.exp(family.log_density(params, points)) @ weights
    assert total == pytest.approx(1.0, abs=1e-12)


@over(leaves)
def test_mass_is_the_integral_of_the_density(family, made):
    params, region = made
    points, weights = atoms(family, params, region)
    integral = np.exp(family.log_density(params, points)) @ weights
    assert np.exp(family.log_mass(params, region)) == pytest.approx(integral, rel=1e-10, abs=1e-14)


@over(leaves)
def test_a_region_and_its_complement_add_to_one(family, made):
    params, region = made
    if family.discrete:
        rest = [Members(~region.mask)]
    elif is_scaled(family):
        column = scaled_examples.column_of(family)
        if isinstance(region, Listed) and not column.scale.step:
            return  # the rest of the line is no list
        rest = scaled_examples.rest_of(column, region)
    else:
        rest = [Interval(-INF, region.lo), Interval(region.hi, INF)]
    total = sum(np.exp(family.log_mass(params, part)) for part in [region, *rest])
    assert total == pytest.approx(1.0, abs=1e-12)


@over(lambda family: st.tuples(leaves(family), uniforms))
def test_draws_lie_in_the_region_and_are_possible(family, made):
    (params, region), uniform = made
    if np.isneginf(family.log_mass(params, region)):
        family.draw(params, np.array(uniform), region)  # unspecified, but no crash
        return
    x = family.draw(params, np.array(uniform), region)
    assert np.isfinite(x) or (isinstance(region, Listed) and x in region.values)
    assert holds(region, x)
    assert family.log_density(params, x) > -INF


@over(lambda family: st.tuples(leaves(family), uniforms))
def test_a_draw_inverts_the_distribution_function(family, made):
    (params, region), uniform = made
    total = np.exp(family.log_mass(params, region))
    if total < 1e-9:
        return
    x = family.draw(params, np.array(uniform), region)
    if family.discrete or is_scaled(family):
        if family.discrete:
            levels = np.arange(params.size)
            parts = [Members(region.mask & ranks) for ranks in (levels < x, levels <= x)]
        else:
            parts = scaled_examples.up_to(scaled_examples.column_of(family), region, x)
        before, upto = (np.exp(family.log_mass(params, part)) for part in parts)
        assert before - 1e-12 <= uniform * total <= upto + 1e-12
    else:
        below = np.exp(family.log_mass(params, Interval(region.lo, x)))
        assert below / total == pytest.approx(uniform, abs=1e-9)


def test_draws_have_the_right_frequencies(family):
    """Chi-square over 20 cells of equal mass, or over the levels; seed fixed."""
    params = np.array(example_of(family).sound)
    drawn = family.draw(params, np.random.default_rng(SEED).random(20_000))
    if family.discrete:
        observed, expected = np.bincount(drawn.astype(int), minlength=params.size), params * 20_000
    elif is_scaled(family):
        column = scaled_examples.column_of(family)
        observed, p = scaled_examples.counts_and_probabilities(column, params, drawn)
        assert observed.sum() == drawn.size
        expected = p * 20_000
    else:
        below = np.exp(family.log_mass(params, Interval(np.full(drawn.shape, -INF), drawn)))
        observed = np.bincount((below * 20).astype(int).clip(0, 19), minlength=20)
        expected = np.full(20, 1000.0)
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert chi2.sf(statistic, expected.size - 1) > FALSE_ALARM, f"seed {SEED}"


@over(leaves)
def test_no_point_of_the_region_is_denser_than_its_mode(family, made):
    params, region = made
    mode = family.mode(params, region)
    if is_scaled(family) and not family.cells.inside(region).share.any():
        return  # no value of the column lies in the region
    assert holds(region, mode)
    points = atoms(family, params, region)[0]
    inside = np.array([x for x in points if holds(region, x)])
    assert (family.log_density(params, inside) <= family.log_density(params, mode) + 1e-12).all()


@over(leaves)
def test_the_mode_without_a_region_is_the_densest_point(family, made):
    params, _ = made
    best = family.log_density(params, family.mode(params))
    assert (family.log_density(params, atoms(family, params)[0]) <= best + 1e-12).all()


@over(
    lambda family: st.tuples(leaves(family), st.integers(0, example_of(family).most_orders), reals)
)
def test_moments_are_integrals(family, made):
    (params, region), order, shift = made
    for part in (None, region):
        points, weights = atoms(family, params, part)
        points, weights = points[np.isfinite(points)], weights[np.isfinite(points)]  # not missing
        terms = np.exp(family.log_density(params, points)) * weights * (points - shift) ** order
        moment = family.moment(params, order, shift, part)
        scale = np.abs(terms).sum()
        assert moment == pytest.approx(terms.sum(), rel=1e-10, abs=1e-10 * scale + 1e-300)


@over(leaves)
def test_nothing_lies_outside_the_support(family, made):
    params, _ = made
    support = family.support(params)
    if family.discrete:
        assert family.log_mass(params, Members(~support)) == -INF
        assert (family.log_density(params, np.flatnonzero(support).astype(float)) > -INF).all()
    elif is_scaled(family):
        column = scaled_examples.column_of(family)
        beyond = [x for x in scaled_examples.values(column) if not holds(Interval(*support), x)]
        assert np.isneginf(family.log_density(params, np.array([*beyond, -1e9, 1e9]))).all()
        ends = family.log_density(params, np.array(support))
        assert np.isfinite(ends).all()
    else:
        assert family.log_mass(params, Interval(*support)) == pytest.approx(0.0, abs=1e-12)
        assert family.log_mass(params, Interval(-INF, support.lo)) == -INF
        assert family.log_mass(params, Interval(support.hi, INF)) == -INF


def test_an_empty_region_has_no_mass(family):
    params = np.array(example_of(family).sound)
    empty = Members(np.zeros(params.size, bool)) if family.discrete else Interval(1.0, 0.0)
    assert family.log_mass(params, empty) == -INF
    assert family.moment(params, 2, 0.5, empty) == 0.0
    family.draw(params, np.array([0.0, 0.5]), empty)
    family.mode(params, empty)


def test_a_region_of_the_other_kind_is_refused(family):
    params = np.array(example_of(family).sound)
    other = Interval(0.0, 1.0) if family.discrete else Members(np.array([True]))
    with pytest.raises(TypeError, match=r"a .*leaf (over a scale )?takes"):
        family.log_mass(params, other)


def test_an_unobserved_value_stays_unobserved(family):
    params = np.array(example_of(family).sound)
    answer = family.log_density(params, np.array([NAN, 0.0]))
    assert np.isnan(answer).tolist() == [True, False]


@over(lambda family: st.tuples(rows(family), st.integers(0, 12)))
def test_blocks_do_not_matter(family, made):
    (values, weights), cut = made
    given = example_of(family).given
    parts = [
        family.summarise(values[s], weights[s], **given) for s in (slice(cut), slice(cut, None))
    ]
    merged = family.finish(family.merge(*parts), LeafOptions())
    whole = family.finish(family.summarise(values, weights, **given), LeafOptions())
    equal(merged, whole)


@over(rows)
def test_weight_zero_is_absence(family, made):
    values, weights = made
    kept = weights > 0.0
    equal(learn(family, values, weights), learn(family, values[kept], weights[kept]))


def test_a_row_of_weight_zero_may_hold_anything(family):
    values, weights = np.array([0.0, INF, -99.5, 0.0]), np.array([1.0, 0.0, 0.0, 1.0])
    equal(learn(family, values, weights), learn(family, values[[0, 3]], weights[[0, 3]]))


@over(rows)
def test_unobserved_values_are_skipped(family, made):
    values, weights = made
    holes, ones = np.full(3, NAN), np.ones(3)
    padded = learn(family, np.r_[holes, values], np.r_[ones, weights])
    equal(padded, learn(family, values, weights))


@over(rows)
def test_weight_two_is_the_row_twice(family, made):
    """All parameters, but for the Gaussian deviation, where the paper's correction rules.

    Bins of a scale, too, are drawn to a normal distribution of that deviation.
    """
    values, weights = made
    doubled = learn(family, values, 2.0 * weights)
    twice = learn(family, np.r_[values, values], np.r_[weights, weights])
    stop = {"gaussian": 1, "scaled": -1}.get(family.name)
    if is_scaled(family) and family.cells.n_bins > 1:
        stop = scaled_examples.n_atoms(scaled_examples.column_of(family))
        assert doubled[stop:-3].sum() == pytest.approx(twice[stop:-3].sum())
    equal(doubled[:stop], twice[:stop])


@over(rows)
def test_what_is_learnt_is_sound(family, made):
    params = learn(family, *made)
    assert family.violations(params[None, :], example_of(family).n_levels) == []
    assert 0 <= family.parameter_count(params.size) <= params.size


def test_nothing_observed_is_a_clear_error(family):
    nothing = family.summarise(np.array([NAN]), np.array([1.0]), **example_of(family).given)
    with pytest.raises(SoftlearnError, match=f"no observed value for a {family.name} leaf"):
        family.finish(nothing, LeafOptions(smoothing=0.0))


@pytest.mark.parametrize("weight", [-1.0, NAN, INF])
def test_weights_that_are_no_masses_are_refused(family, weight):
    with pytest.raises(SoftlearnError, match="weights must be finite"):
        family.summarise(np.zeros(1), np.array([weight]), **example_of(family).given)


@pytest.mark.parametrize("value", [-INF, INF])
def test_infinite_values_are_refused(family, value):
    if is_scaled(family) and family.cells.has_missing and value > 0.0:
        pytest.skip("infinity is a missing cell, which is modelled")
    with pytest.raises(SoftlearnError, match="infinite values"):
        family.summarise(np.array([value]), np.ones(1), **example_of(family).given)


def test_sound_parameters_have_no_violations(family):
    example = example_of(family)
    assert family.violations(np.tile(example.sound, (3, 1)), example.n_levels) == []


def test_every_defect_is_named_at_its_leaf(family):
    example = example_of(family)
    for defect, reason in example.defects:
        same_size = len(defect) == len(example.sound)
        params = np.array([example.sound, defect] if same_size else [defect, defect])
        found = family.violations(params, example.n_levels)
        assert any(leaf == 1 and reason in text for leaf, text in found), (defect, found)
        assert {leaf for leaf, _ in found} == ({1} if same_size else {0, 1})


@pytest.mark.parametrize(
    ("lead", "rest", "answer"),
    [
        ((4, 1), (1, 3), (4, 3)),
        ((4,), (4,), (4,)),
        ((), (3,), (3,)),
        ((), (), ()),
        ((4,), (), (4,)),
    ],
)
def test_arguments_broadcast(family, lead, rest, answer):
    sound = np.array(example_of(family).sound)
    params = np.broadcast_to(sound, (*lead, sound.size)).copy()
    values = np.full(rest, 0.4)
    if family.discrete:
        region = Members(np.ones((*rest, sound.size), bool))
    else:
        region = Interval(values - 1.0, values + 1.0)
    shapes = {
        "log_density": family.log_density(params, values).shape,
        "log_mass": family.log_mass(params, region).shape,
        "draw": family.draw(params, values).shape,
        "draw in a region": family.draw(params, values, region).shape,
        "mode in a region": family.mode(params, region).shape,
        "moment": family.moment(params, 2, values).shape,
        "moment in a region": family.moment(params, 2, values, region).shape,
        "mass as a moment": family.moment(params, 0, values, region).shape,
    }
    assert shapes == dict.fromkeys(shapes, answer)
    assert family.mode(params).shape == lead
    assert family.moment(params, 1).shape == lead


def test_leaves_of_a_tile_answer_as_they_do_alone(family):
    example = example_of(family)
    rng = np.random.default_rng(SEED)
    blank = np.zeros(200)
    stats = [
        family.finish(
            family.summarise(blank, rng.random(200), **example.given),
            LeafOptions(smoothing=smoothing, deviation_floor=1.0 + smoothing),
        )
        for smoothing in (0.1, 5.0, 50.0)
    ]
    params, x = np.array(stats), np.array([0.0, 1.0, 2.0, 0.5, -7.0])
    tile = family.log_density(params[:, None, :], x[None, :])
    alone = [[family.log_density(leaf, np.array(value)) for value in x] for leaf in params]
    np.testing.assert_array_equal(tile, alone)
    assert len(np.unique(tile[:, 0])) == 3


def together(some):
    """The statistics of many leaves as one, with leaves in the first axis; edges are shared."""
    first = some[0]
    if not hasattr(first, "_fields"):
        return np.stack(some)
    fields = zip(first._fields, *some, strict=True)
    return type(first)(*(own[0] if name == "edges" else together(own) for name, *own in fields))


@over(lambda family: st.lists(rows(family), min_size=1, max_size=5))
def test_many_leaves_are_finished_as_one_by_one(family, made):
    options = LeafOptions(smoothing=0.1, deviation_floor=1e-3)
    some = [family.summarise(*block, **example_of(family).given) for block in made]
    found = family.finish(together(some), options)
    np.testing.assert_allclose(found, [family.finish(one, options) for one in some], rtol=1e-14)


def test_many_leaves_need_a_value_each(family):
    given_too = example_of(family).given
    blank = np.full(3, NAN)
    some = [family.summarise(x, np.ones(3), **given_too) for x in (np.zeros(3), blank)]
    options = LeafOptions(smoothing=0.0, deviation_floor=1e-3)
    with pytest.raises(SoftlearnError, match="no observed value"):
        family.finish(together(some), options)


several = st.lists(st.sampled_from([0.5, 1.0, 7.0]), min_size=5, max_size=5).map(np.array)


@over(lambda family: st.tuples(st.lists(rows(family), min_size=5, max_size=5), several))
def test_a_pooled_leaf_is_sound_and_one_alone_stays(family, made):
    blocks, mass = made
    params = np.array([learn(family, *block) for block in blocks])
    pooled = pooled_leaf(family, params, mass, np.array([0, 1, 1, 2, 2]))
    assert family.violations(pooled, example_of(family).n_levels) == []
    equal(pooled[0], params[0])
    alike = pooled_leaf(family, np.stack([params[0]] * 3), mass[:3], np.zeros(3, int))
    equal(alike[0], params[0])


@over(lambda family: st.tuples(st.lists(rows(family), min_size=5, max_size=5), several))
def test_what_pooling_loses_is_a_difference_of_entropies(family, made):
    """Of a scaled leaf it is an estimate: its normal scores are bent to no exact mean."""
    blocks, mass = made
    params = np.array([learn(family, *block) for block in blocks])
    (pooled,) = pooled_leaf(family, params, mass, np.zeros(5, int))
    lost = mass.sum() * entropy(family, pooled) - mass @ entropy(family, params)
    if is_scaled(family):
        assert lost > -0.2 * mass.sum()
        return
    divergence = 0.0
    for own, weight in zip(params, mass, strict=True):
        x, step = atoms(family, own)
        log_own, log_pooled = family.log_density(own, x), family.log_density(pooled, x)
        here = step * np.exp(log_own) > 0.0
        share = (step * np.exp(log_own))[here]
        divergence += weight * share @ (log_own - log_pooled)[here]
    assert lost == pytest.approx(divergence, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("bad", [-0.1, NAN, INF])
def test_options_refuse_a_negative_smoothing(bad):
    with pytest.raises(SoftlearnError, match="smoothing"):
        LeafOptions(smoothing=bad)


@pytest.mark.parametrize("bad", [0.0, -1.0, NAN, INF])
def test_options_refuse_a_floor_that_is_no_deviation(bad):
    with pytest.raises(SoftlearnError, match="deviation_floor"):
        LeafOptions(deviation_floor=bad)
