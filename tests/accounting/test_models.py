"""The two tables of formulas."""

import dataclasses
import json
import subprocess
import sys

import pandas as pd
import pytest

from trex.accounting import models
from trex.accounting.counting import part
from trex.accounting.counting.conventions import EXACT, EXACT_WITH_MTP, applicable
from trex.accounting.counting.published import SHAPES
from trex.accounting.counting.read import architecture, of


@pytest.fixture
def tables(tmp_path, tiny):
    (tmp_path / "config.json").write_text(json.dumps({"model": tiny.to_dict()}))
    command = [sys.executable, "-m", "trex.accounting.models", "--model-config", str(tmp_path / "config.json")]
    command += ["--sequence-length", "40", "--out", str(tmp_path / "models.csv")]
    done = subprocess.run([*command, "--components", str(tmp_path / "components.csv")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pd.read_csv(tmp_path / "models.csv"), pd.read_csv(tmp_path / "components.csv")


def test_models(tables, tiny):
    totals, _ = tables
    assert totals.columns.tolist() == [
        "model",
        "convention",
        "sequence_length",
        "parameters",
        "active_parameters",
        "train_flops_per_token",
    ]
    parts = of("miniature", tiny, "here").parts(40)
    own = totals[totals.model == "miniature"].set_index("convention")
    assert own.index[0] == EXACT
    assert own.loc[EXACT].parameters == part.parameters(part.main(parts))
    assert own.loc[EXACT].active_parameters == part.active_parameters(part.main(parts))
    assert own.loc[EXACT].train_flops_per_token == part.training_flops(part.main(parts)) / 40
    assert own.loc[EXACT_WITH_MTP].parameters == part.parameters(parts)
    pro = totals[(totals.model == "v4-pro") & (totals.sequence_length == 4096)].set_index("convention")
    assert pro.loc[EXACT].parameters == 1_572_997_179_491
    assert pro.loc[EXACT_WITH_MTP].parameters == 1_598_837_325_086
    assert round(pro.loc["megatron_mtp"].train_flops_per_token / 1e9, 3) == 322.555


def test_each_model_and_each_convention_that_fits_it(tables):
    totals, _ = tables
    published = totals[totals.model != "miniature"]
    assert set(published.model) == set(SHAPES)
    for (model, _), rows in published.groupby(["model", "sequence_length"]):
        assert rows.convention.tolist() == [convention.name for convention in applicable(architecture(model))]


def test_components_add_up_to_the_totals(tables):
    totals, parts = tables
    for row in totals[totals.convention == EXACT].itertuples():
        own = parts[(parts.model == row.model) & (parts.sequence_length == row.sequence_length)]
        assert own.parameters.sum() == row.parameters
        assert 3 * own.forward_flops_per_token.sum() == pytest.approx(row.train_flops_per_token)


def test_formulas_load_without_torch():
    code = "import sys, trex.accounting.models; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_component_without_flops_is_blank(tiny):
    rows = {row["component"]: row for row in models.component_rows(of("m", tiny, "here"), 8)}
    assert rows["embedding"]["forward_flops_per_token"] is None
    assert rows["window_attention"]["parameters"] is None


def test_a_model_without_the_mtp_block_has_no_such_row(tiny):
    rows = models.total_rows(of("m", dataclasses.replace(tiny, num_nextn_predict_layers=0), "here"), 40)
    assert {row["parameters"] for row in rows} == {rows[0]["parameters"]}
    assert not any("mtp" in row["convention"] for row in rows)
