"""What a report leaves in a folder is whole or not there, and an obstacle is named."""

import os

import numpy as np
import pytest

from pseudocore.errors import UserError
from pseudocore.report.figure import save_learning_curves
from pseudocore.report.page import write_page
from pseudocore.report.pictures import grid, save_png


@pytest.fixture(params=["page", "picture", "curves"])
def write(request, story):
    picture = grid(np.zeros((1, 2, 2, 1), np.float32), np.array([0]), 4)
    return {
        "page": lambda path: write_page(path, story()),
        "picture": lambda path: save_png(path, picture),
        "curves": lambda path: save_learning_curves(path, {}),
    }[request.param]


def test_a_folder_in_place_of_the_file_is_named(write, tmp_path):
    (tmp_path / "told").mkdir()
    with pytest.raises(UserError, match=r"told is in the way.*another --out"):
        write(tmp_path / "told")
    assert os.listdir(tmp_path) == ["told"]


def test_a_write_that_is_interrupted_keeps_the_old_file(write, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    (tmp_path / "told").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "told")
    assert (tmp_path / "told").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["told"]
