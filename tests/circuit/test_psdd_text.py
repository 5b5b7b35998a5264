"""PSDDs as text: what is written comes back, and what is wrong is named with its line."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.table_examples import learn, mixture, schema_of, tables
from softlearn import Categorical, Model, load
from softlearn.circuit import flatten, load_circuit, save_circuit
from softlearn.circuit.determinism import is_deterministic
from softlearn.circuit.psdd_text import read_psdd, read_vtree
from softlearn.circuit.psdd_write import psdd_texts
from softlearn.errors import ModelFileError, SoftlearnError
from softlearn.query import Evidence, log_likelihood
from softlearn.table.schema import Column, Schema

# Written by hand: P(1) = 0.2; 2 is 1 if 1 is, and else 1 with probability 0.5; 3 is 1 with 0.25.
VTREE = """c by hand
vtree 5
L 0 1
L 1 2
I 2 0 1
L 3 3
I 4 2 3
"""
PSDD = """c by hand
psdd 7
L 0 0 1
L 1 0 -1
L 2 1 2
T 3 1 2 -0.6931471805599453
D 4 2 2 0 2 -1.6094379124341003 1 3 -0.2231435513142097
T 5 3 3 -1.3862943611198906
D 6 4 1 4 5 0
"""
ONE_COLUMN = json.dumps(Schema((Column("a", "boolean"),), "numpy").to_dict())


def worlds(n):
    return np.array(list(product((0.0, 1.0), repeat=n))).T


def test_a_file_written_by_hand_says_what_it_means():
    circuit = read_psdd(PSDD, read_vtree(VTREE))
    assert list(circuit.schema.names) == ["1", "2", "3"]
    assert is_deterministic(circuit)
    found = dict(
        zip(
            product((0, 1), repeat=3),
            np.exp(log_likelihood(circuit, Evidence(worlds(3)))),
            strict=True,
        )
    )
    for (a, b, c), value in found.items():
        of_b = float(b) if a else 0.5
        assert value == pytest.approx((0.2 if a else 0.8) * of_b * (0.25 if c else 0.75))


def came_back(circuit):
    psdd, vtree = psdd_texts(circuit)
    return read_psdd(psdd, read_vtree(vtree))


@given(values_and_schema=tables(kinds="b2", gaps=False), min_gain=st.sampled_from([0.05, 0.5]))
@settings(max_examples=40, deadline=None)
def test_a_learnt_circuit_comes_back_and_answers_the_same(values_and_schema, min_gain):
    values, schema = values_and_schema
    circuit = learn("learnpsdd", values, schema, min_gain=min_gain, min_rows=2)
    again = came_back(circuit)
    assert again.schema == schema
    assert is_deterministic(again)
    every = Evidence(worlds(len(schema)))
    assert log_likelihood(again, every) == pytest.approx(log_likelihood(circuit, every), abs=1e-12)


@given(values_and_schema=tables(kinds="b2", gaps=False))
@settings(max_examples=30, deadline=None)
def test_trees_of_columns_are_psdds_too(values_and_schema):
    values, schema = values_and_schema
    circuit = learn("chowliutree", values, schema)
    every = Evidence(worlds(len(schema)))
    assert log_likelihood(came_back(circuit), every) == pytest.approx(
        log_likelihood(circuit, every), abs=1e-12
    )


def test_writing_again_changes_neither_the_tree_nor_the_size():
    circuit = learn("learnpsdd", mixture("bbbbbb", 500), schema_of("bbbbbb"), min_gain=0.1)
    psdd, vtree = psdd_texts(circuit)
    again = psdd_texts(came_back(circuit))
    assert again[1] == vtree
    assert again[0].count("\n") == psdd.count("\n")


@pytest.mark.parametrize("low", [1e-12, 1e-300, 0.5, 1.0 - 2.0**-53])
def test_small_probabilities_of_either_level_keep_their_digits(low):
    circuit = flatten(Categorical("a", {0: low, 1: 1.0 - low}) * Categorical("b", {0: 0.5, 1: 0.5}))
    assert came_back(circuit).params.tolist() == pytest.approx(circuit.params.tolist(), rel=1e-14)


def test_models_are_saved_and_loaded_by_their_suffix(tmp_path):
    levels = Column("answer", "categorical", ("no", "yes")), Column("other one", "boolean")
    circuit = learn("learnpsdd", mixture("22", 300), Schema(levels, "pandas"))
    path = tmp_path / "model.psdd"
    Model(circuit).save(path)
    assert path.with_suffix(".vtree").read_text().startswith("c vtree")
    again = load(path)
    assert again.schema == circuit.schema
    asked = {"answer": "yes"}
    assert again.probability(asked) == pytest.approx(Model(circuit).probability(asked), abs=1e-12)


def test_a_circuit_whose_right_parts_exclude_each_other_is_turned_round():
    def pair(b, share):
        return Categorical("a", {0: share, 1: 1 - share}) * Categorical("b", {0: 1 - b, 1: b})

    circuit = flatten(0.3 * pair(0, 0.1) + 0.7 * pair(1, 0.6))
    again = came_back(circuit)
    assert log_likelihood(again, Evidence(worlds(2))) == pytest.approx(
        log_likelihood(circuit, Evidence(worlds(2))), abs=1e-12
    )
    *_, first, second, cut = psdd_texts(circuit)[1].splitlines()
    leaf_of = {int(line.split()[2]): line.split()[1] for line in (first, second)}
    assert cut == f"I 2 {leaf_of[2]} {leaf_of[1]}"  # b is left


@pytest.mark.parametrize(
    ("kinds", "learner", "choices", "why"),
    [
        ("b3", "learnpsdd", {}, "column 'c1' is categorical with 3 levels"),
        ("bn", "chowliutree", {}, "column 'c1' is numeric"),
        ("bbbb", "learnpsdd", {"n_members": 3, "min_gain": 0.01}, "possible at the same time"),
        ("bbbbbb", "cutsetnetwork", {"penalty": 0.0, "min_rows": 50}, "in different ways"),
    ],
)
def test_what_is_no_psdd_is_not_written(kinds, learner, choices, why, tmp_path):
    circuit = learn(learner, mixture(kinds, 600, n_groups=9), schema_of(kinds), **choices)
    with pytest.raises(SoftlearnError, match=why):
        save_circuit(tmp_path / "model.psdd", circuit)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("psdd 7", "psdd 8", "holds 7 nodes, and its line 'psdd' says 8"),
        ("psdd 7", "sdd 7", "line 2: the first line that is no comment says 'psdd'"),
        ("psdd 7\n", "", "line 2: the first line"),
        ("L 0 0 1", "L 0 0 2", "line 3: node 0 of the tree of columns is not variable 2"),
        ("L 0 0 1", "L 0 0 0", "line 3: node 0 of the tree of columns is not variable 0"),
        ("L 0 0 1", "L 0 0", "line 3: 4 words are expected, not 3"),
        ("L 0 0 1", "L 0", "line 3: it ends after 2 words"),
        ("L 0 0 1", "X 0 0 1", "line 3: a line begins with c, L, T or D, not 'X'"),
        ("L 0 0 1", "L 0 0 1.5", "line 3: '1.5' is not a whole number"),
        ("L 0 0 1", "L 0 0 1_0", "line 3: '1_0' is not a whole number"),
        ("L 1 0 -1", "L 0 0 -1", "line 4: there is a node 0 already"),
        ("L 0 0 1", "L 0 9 1", "line 3: the tree of columns has no node 9"),
        ("T 3 1 2 -0.69", "T 3 1 2 0.69", "line 6: a probability is at most 1"),
        ("T 3 1 2 -0.69", "T 3 1 2 nan-0.69", "line 6: 'nan-0.6931471805599453' is not"),
        ("D 4 2 2", "D 4 0 2", "line 7: node 0 of the tree of columns is a leaf"),
        ("D 4 2 2", "D 4 2 3", "line 7: 13 words are expected, not 10"),
        ("D 4 2 2", "D 4 2 -1", "line 7: 1 words are expected, not 10"),
        ("0 2 -1.609", "2 0 -1.609", "line 7: node 2 is not at node 0 of the tree"),
        ("0 2 -1.609", "8 2 -1.609", "line 7: node 8 is not at node 0 of the tree"),
        ("0 2 -1.609", "0 2 -2.609", "line 7: its probabilities add to 0.87"),
        ("D 6 4 1 4 5 0\n", "", "holds 6 nodes"),
        ("c by hand", "c columns {", "comment about the columns is damaged"),
        ("c by hand", "c columns []", "comment about the columns is damaged"),
        ("c by hand", f"c columns {ONE_COLUMN}", "must describe 3 of two levels"),
    ],
)
def test_a_circuit_that_is_wrong_is_refused_with_its_line(old, new, why):
    assert old in PSDD
    with pytest.raises(ModelFileError, match=why):
        read_psdd(PSDD.replace(old, new), read_vtree(VTREE))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("vtree 5", "vtree 4", "holds 5 nodes"),
        ("L 1 2", "L 1 1", "line 4: variables count from 1, and each has one leaf"),
        ("L 1 2", "L 0 2", "line 4: there is a node 0 already"),
        ("L 1 2", "L 1 4", "its variables are not those from 1 to 3"),
        ("I 2 0 1", "I 2 0 0", "line 5: part 0 is not a node before this line, or used twice"),
        ("I 2 0 1", "I 2 0 4", "line 5: part 4"),
        ("I 4 2 3", "L 4 4", "its nodes are not one tree"),
        ("I 2 0 1", "J 2 0 1", "line 5: a line begins with c, L or I"),
        ("I 2 0 1", "I 2 0", "line 5: 4 words are expected, not 3"),
    ],
)
def test_a_tree_that_is_wrong_is_refused_with_its_line(old, new, why):
    with pytest.raises(ModelFileError, match=why):
        read_vtree(VTREE.replace(old, new))


@pytest.mark.parametrize("text", ["", "c nothing\n", "vtree 0\n", "\x00\x01"])
def test_an_empty_tree_is_refused(text):
    with pytest.raises(ModelFileError):
        read_vtree(text)


def test_files_that_are_missing_or_no_text_are_refused(tmp_path):
    (tmp_path / "a.psdd").write_text(PSDD)
    with pytest.raises(ModelFileError, match=r"a.vtree beside it: there is no such file"):
        load_circuit(tmp_path / "a.psdd")
    (tmp_path / "a.vtree").write_bytes(b"\xff\xfe")
    with pytest.raises(ModelFileError, match=r"a.vtree beside it: it is not a text file"):
        load_circuit(tmp_path / "a.psdd")
    (tmp_path / "a.vtree").write_text(VTREE)
    assert load_circuit(tmp_path / "a.psdd").n_nodes > 5


@given(place=st.integers(0, len(PSDD) - 1), letter=st.sampled_from("0179-. LTDc\nx"))
@settings(max_examples=300, deadline=None)
def test_a_changed_letter_gives_a_sound_circuit_or_a_clear_error(place, letter):
    try:
        circuit = read_psdd(PSDD[:place] + letter + PSDD[place + 1 :], read_vtree(VTREE))
    except SoftlearnError:
        return
    every = np.exp(log_likelihood(circuit, Evidence(worlds(3))))
    assert every.sum() == pytest.approx(1.0, abs=1e-5)
