import xml.etree.ElementTree as ET
from base64 import b64decode

import pytest

from experiments.test_binary import as_published
from experiments.tiny_cells import row
from softlearn.errors import SoftlearnError
from softlearn.experiments import EXPERIMENTS, Choices, reproduce, write_report
from softlearn.experiments.ledger import Ledger
from softlearn.experiments.web_page import inline


@pytest.fixture
def folder(tmp_path):
    for name, rows in {
        "binary": as_published(sets=["nltcs", "dna"]),
        "grid-quick": [row("nltcs", valid=-1.0, test=-2.0, max_rows=1000)],
    }.items():
        for one in rows:
            Ledger(tmp_path / f"{name}.jsonl").append(one)
    reproduce(EXPERIMENTS["badcluster"], Choices(), tmp_path)
    return tmp_path


def test_the_page_is_well_formed_and_whole_in_itself(folder):
    page, _ = write_report(folder)
    tree = ET.fromstring(page.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>\n"))
    titles = [heading.text for heading in tree.iter("h2")]
    assert titles[:2] == ["Binary data sets", "A bad split"]
    assert titles[2].endswith("(quick)")
    pictures = [image.attrib["src"] for image in tree.iter("img")]
    assert len(pictures) == 2
    for source in pictures:
        head, _, data = source.partition(",")
        assert head == "data:image/png;base64"
        assert b64decode(data).startswith(b"\x89PNG")
    targets = {link.attrib["href"][1:] for link in tree.iter("a")}
    assert targets == {part.attrib["id"] for part in tree.iter("section")}


def test_all_lines_of_a_table_have_as_many_cells(folder):
    page, text = write_report(folder)
    tree = ET.fromstring(page.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>\n"))
    for table in tree.iter("table"):
        assert len({len(line) for line in table.iter("tr")}) == 1
    for part in text.read_text(encoding="utf-8").split("\n\n"):
        if part.startswith("|"):
            assert len({line.count("|") for line in part.splitlines()}) == 1


def test_the_text_links_pictures_that_are_there_and_names_commands(folder):
    _, text = write_report(folder)
    content = text.read_text(encoding="utf-8")
    assert text == folder.parent / f"{folder.name}.md"
    assert f"({folder.name}/badcluster.png)" in content
    assert (text.parent / folder.name / "badcluster.png").stat().st_size > 0
    assert "`softlearn reproduce binary`" in content
    assert "`softlearn reproduce grid --quick`" in content


def test_a_folder_without_rows_has_no_report(tmp_path):
    with pytest.raises(SoftlearnError, match="holds no rows to report"):
        write_report(tmp_path)


def test_marks_become_tags_and_signs_stay_signs():
    assert inline("**a < b** and `x * y`, *so*") == (
        "<strong>a &lt; b</strong> and <code>x * y</code>, <em>so</em>"
    )
    assert inline("CNET \\* and HCLT \\*") == "CNET * and HCLT *"
