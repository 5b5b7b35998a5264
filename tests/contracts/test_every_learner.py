"""What every learner promises; a new learner of the registry is found by itself.

A learner is asked for what its entry says: on tables that it takes, and what it promises of them.
The toy learner of the tests keeps the same contract, though it takes little.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit_examples import must_equal
from learn import toy_learner
from learn.table_examples import learn, mixture, schema_of, small, tables, with_gaps
from softlearn.circuit import save_circuit, violations
from softlearn.circuit.determinism import is_deterministic
from softlearn.cli.learning import LearningCommand
from softlearn.errors import SoftlearnError
from softlearn.estimators.circuit_estimator import CircuitEstimator
from softlearn.estimators.from_registry import estimator_of
from softlearn.learn import LEARNERS, Block, Engine
from softlearn.learn.parameters import parameters_of
from softlearn.learners import LEARNER_FILES
from softlearn.query import Evidence, log_likelihood

ENTRIES = [*LEARNERS.values(), toy_learner.ENTRY]
every_learner = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)

KIND_OF = {
    "b": "boolean",
    "n": "numeric",
    "3": "categorical",
    "2": "categorical",
    "9": "categorical",
}


def taken(entry, kinds="bn3nbb2n"):
    """The columns that the learner takes."""
    return "".join(kind for kind in kinds if KIND_OF[kind] in entry.takes.kinds)


def tables_for(entry):
    letters = "".join(k for k in "bn1239" if KIND_OF.get(k, "categorical") in entry.takes.kinds)
    return tables(kinds=letters, gaps=entry.takes.missing)


def must_be_sound(circuit, values):
    assert violations(circuit) == []
    assert np.isfinite(circuit.params).all()
    assert np.isfinite(log_likelihood(circuit, Evidence(values))).all()


# What it says of itself


def test_the_list_of_files_has_the_names_of_the_entries():
    assert [entry.estimator for entry in LEARNERS.values()] == list(LEARNER_FILES)


@every_learner
def test_it_is_described(entry):
    for text in (entry.summary, entry.description, entry.advice, entry.reference):
        assert text.endswith(".")
    assert "\n" not in entry.summary
    assert entry.estimator.isidentifier()
    assert entry.example.count(">>>") > 1


@every_learner
def test_its_config_is_frozen_and_complete(entry):
    assert entry.config() == entry.config()
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(entry.config(), next(iter(entry.parameters)), None)


@every_learner
def test_every_parameter_is_explained_and_its_values_are_allowed(entry):
    for name, one in entry.parameters.items():
        assert one.help.endswith("."), name
        assert getattr(entry.config(), name) == one.default, name
        assert all(one.rule.holds(value) for value in (one.default, *one.grid)), name
        assert one.only_if is None or one.only_if[0] in entry.parameters


@every_learner
def test_rules_agree_with_the_types_of_the_config(entry):
    hints = typing.get_type_hints(entry.config)
    scope = {"Literal": typing.Literal, "Mapping": Mapping}
    for name, one in entry.parameters.items():
        if one.rule.form == "word" and hints[name] in (str, str | None):
            continue  # a config may leave the words to the rule
        if one.rule.form == "folder":
            continue  # any kind of path is read, and kept as a Path
        assert eval(one.rule.annotation, scope) == hints[name], name


@every_learner
def test_its_parameters_are_none_that_all_learners_or_commands_have(entry):
    shared = {
        *parameters_of(CircuitEstimator),
        *(f.name for f in dataclasses.fields(LearningCommand)),
    }
    assert not shared & set(entry.parameters)


@every_learner
def test_its_estimator_has_its_parameters_and_defaults(entry):
    estimator = estimator_of(entry)
    signature = inspect.signature(estimator).parameters
    names = [*entry.parameters, *parameters_of(CircuitEstimator)]
    assert list(signature) == names
    assert estimator.__name__ == entry.estimator
    for name, one in entry.parameters.items():
        assert signature[name].default == one.default
        assert signature[name].annotation == one.rule.annotation
    told = inspect.getdoc(estimator)
    assert [name for name in names if f"\n{name} : " not in told] == []


# What it makes of rows


@every_learner
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_circuit_is_sound_on_any_table_that_it_takes(entry, data):
    values, schema = data.draw(tables_for(entry))
    must_be_sound(learn(entry, values, schema, **small(entry)), values)


@every_learner
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_missing_cells_are_learnt_from_or_refused(entry, share):
    kinds = taken(entry)
    values = with_gaps(mixture(kinds, 400), share)
    if entry.takes.missing:
        values[:, :5] = np.nan
        must_be_sound(learn(entry, values, schema_of(kinds)), values)
    else:
        with pytest.raises(SoftlearnError, match=f"^{entry.label} does not accept missing cells"):
            learn(entry, values, schema_of(kinds))


@every_learner
def test_columns_of_every_kind_are_learnt_from_or_refused(entry):
    for kind in "bn3":
        values = mixture(kind, 50)
        if KIND_OF[kind] in entry.takes.kinds:
            must_be_sound(learn(entry, values, schema_of(kind)), values)
        else:
            with pytest.raises(SoftlearnError, match=f"column 'c0' is {KIND_OF[kind]}"):
                learn(entry, values, schema_of(kind))


@every_learner
def test_two_rows_are_enough(entry):
    values = mixture(taken(entry), 2)
    must_be_sound(learn(entry, values, schema_of(taken(entry))), values)


@every_learner
def test_rows_that_are_all_alike_are_learnt(entry):
    values = np.repeat(mixture(taken(entry), 1), 100, axis=1)
    must_be_sound(learn(entry, values, schema_of(taken(entry))), values)


def bytes_of(circuit, folder):
    save_circuit(folder / "model.safetensors", circuit)
    return (folder / "model.safetensors").read_bytes()


@every_learner
def test_same_seed_same_file_for_any_number_of_jobs(entry, tmp_path):
    kinds = taken(entry)
    values = mixture(kinds, 600, n_groups=9)
    found = {
        bytes_of(learn(entry, values, schema_of(kinds), seed=7, n_jobs=n_jobs), tmp_path)
        for n_jobs in (1, 1, 2, 8)
    }
    assert len(found) == 1


@every_learner
@given(data=st.data(), seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_order_of_rows_does_not_matter(entry, data, seed):
    values, schema = data.draw(tables_for(entry))
    order = np.random.default_rng(seed).permutation(values.shape[1])
    size = small(entry)
    must_equal(learn(entry, values, schema, **size), learn(entry, values[:, order], schema, **size))


@every_learner
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_cutting_into_blocks_does_not_matter(entry, data):
    values, schema = data.draw(tables_for(entry))
    cut = st.integers(0, values.shape[1])
    cuts = tuple(sorted(data.draw(st.lists(cut, min_size=1, max_size=7))))
    size = small(entry)
    in_blocks = learn(entry, values, schema, cuts=cuts, **size)
    must_equal(learn(entry, values, schema, **size), in_blocks)


@every_learner
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_a_weight_counts_like_so_many_rows(entry, data):
    values, schema = data.draw(tables_for(entry))
    n_rows, most = values.shape[1], 3 if entry.takes.weights else 1
    counts = data.draw(
        st.lists(st.integers(0, most), min_size=n_rows, max_size=n_rows).filter(
            lambda c: np.count_nonzero(c) > 1
        )
    )
    size = small(entry)
    weighted = learn(entry, values, schema, weights=np.array(counts, float), **size)
    must_equal(weighted, learn(entry, np.repeat(values, counts, axis=1), schema, **size))


@every_learner
def test_one_row_of_weight_two_is_two_rows_or_refused(entry):
    kinds = taken(entry, "bn")
    values, weights = mixture(kinds, 1), np.array([2.0])
    if entry.takes.weights:
        two_rows = learn(entry, np.repeat(values, 2, axis=1), schema_of(kinds))
        must_equal(learn(entry, values, schema_of(kinds), weights=weights), two_rows)
    else:
        with pytest.raises(
            SoftlearnError, match=f"^{entry.label} accepts only the weights 0 and 1"
        ):
            learn(entry, values, schema_of(kinds), weights=weights)


@every_learner
def test_a_table_is_left_as_it_was(entry):
    kinds = taken(entry)
    values = with_gaps(mixture(kinds, 200), 0.1 if entry.takes.missing else 0.0)
    before, weights = values.copy(), np.ones(200)
    values.flags.writeable = weights.flags.writeable = False
    learn(entry, values, schema_of(kinds), weights=weights)
    assert np.array_equal(values, before, equal_nan=True)


@every_learner
def test_it_reports_how_far_it_is(entry):
    seen, kinds = [], taken(entry)
    engine = Engine(watch=lambda progress: seen.append(progress.share))
    block, seed = Block(mixture(kinds, 300), np.ones(300)), np.random.SeedSequence(1)
    entry.learn([block], schema_of(kinds), entry.config(), seed, engine)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0, abs=0.01)


# What it promises


@every_learner
def test_a_tree_is_a_tree(entry):
    circuit = learn(entry, mixture(taken(entry), 400), schema_of(taken(entry)))
    n_parents = np.bincount(circuit.child, minlength=circuit.n_nodes)
    is_tree = n_parents.max() == 1
    assert is_tree or entry.promises.structure == "graph"


@every_learner
def test_deterministic_circuits_are_deterministic(entry):
    discrete = taken(entry, "b3bb29b")
    circuit = learn(entry, mixture(discrete, 400), schema_of(discrete))
    assert is_deterministic(circuit) or not entry.promises.deterministic


@every_learner
def test_smooth_leaves_hold_every_cell_possible_that_was_seen(entry):
    """Columns are shuffled, each by itself: their cells were all seen, most rows never."""
    kinds, rng = taken(entry), np.random.default_rng(0)
    values = mixture(kinds, 400)
    strange = np.stack([rng.permutation(cells) for cells in values])
    scores = log_likelihood(learn(entry, values, schema_of(kinds)), Evidence(strange))
    assert np.isfinite(scores).all() or not entry.promises.smooth_leaves


# What it refuses


@every_learner
@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_bad_weights_are_refused(entry, bad):
    kinds, weights = taken(entry, "bn"), np.array([1.0, 1.0, bad, 1.0, 1.0])
    with pytest.raises(SoftlearnError, match="finite and not negative"):
        learn(entry, mixture(kinds, 5), schema_of(kinds), weights=weights)


@every_learner
def test_weights_that_are_all_zero_are_refused(entry):
    kinds = taken(entry, "bn")
    with pytest.raises(SoftlearnError, match="two rows of positive weight"):
        learn(entry, mixture(kinds, 5), schema_of(kinds), weights=np.zeros(5))


@every_learner
@pytest.mark.parametrize("n_weights", [4, 6])
def test_every_row_needs_a_weight(entry, n_weights):
    kinds = taken(entry, "bn")
    with pytest.raises(SoftlearnError, match="5 rows need as many weights"):
        learn(entry, mixture(kinds, 5), schema_of(kinds), weights=np.ones(n_weights))


@every_learner
@pytest.mark.parametrize("n_rows", [0, 1])
def test_fewer_than_two_rows_are_refused(entry, n_rows):
    kinds = taken(entry, "bn")
    with pytest.raises(SoftlearnError, match="at least two rows"):
        learn(entry, mixture(kinds, 2)[:, :n_rows], schema_of(kinds))


@every_learner
def test_no_block_at_all_is_refused(entry):
    kinds, seed = taken(entry, "bn"), np.random.SeedSequence(0)
    with pytest.raises(SoftlearnError, match="at least two rows"):
        entry.learn([], schema_of(kinds), entry.config(), seed, Engine())


@every_learner
@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_numbers_are_refused(entry, bad):
    values = mixture("nn", 50)
    values[0, 7] = bad
    with pytest.raises(SoftlearnError, match=r"infinite|is numeric"):
        learn(entry, values, schema_of("nn"))


@every_learner
@pytest.mark.parametrize("bad", [-1.0, 3.0, 0.5])
def test_codes_that_are_no_levels_are_refused(entry, bad):
    kinds = taken(entry, "3n")
    values = mixture(kinds, 50)
    values[0, 7] = bad
    with pytest.raises(SoftlearnError, match="whole numbers from 0 to 2"):
        learn(entry, values, schema_of(kinds))
