"""The two tables of formulas."""

import dataclasses
import json
import subprocess
import sys

import pandas as pd
import pytest

from trex.accounting import flops, models, parameters


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
    own, with_mtp = (row for row in totals.itertuples() if row.model == "miniature")
    assert (own.parameters, own.active_parameters) == (parameters.total(tiny), parameters.active(tiny))
    assert own.train_flops_per_token == flops.training(tiny, 40) / 40
    assert (with_mtp.convention, with_mtp.parameters) == (
        flops.CONVENTION_WITH_MTP,
        parameters.total(tiny) + parameters.mtp(tiny),
    )
    pro = totals[(totals.model == "deepseek-v4-pro") & (totals.sequence_length == 4096)].set_index("convention")
    assert pro.loc[flops.CONVENTION].parameters == 1_572_997_179_491
    assert pro.loc[flops.CONVENTION_WITH_MTP].parameters == 1_598_837_325_086


def test_components_add_up_to_the_totals(tables):
    totals, parts = tables
    plain = totals[totals.convention == flops.CONVENTION]
    for row in plain.itertuples():
        own = parts[(parts.model == row.model) & (parts.sequence_length == row.sequence_length)]
        assert own.parameters.sum() == row.parameters
        assert 3 * own.forward_flops_per_token.sum() == pytest.approx(row.train_flops_per_token)


def test_formulas_load_without_torch():
    code = "import sys, trex.accounting.models; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_component_without_flops_is_blank(tiny):
    rows = {row["component"]: row for row in models.component_rows("m", tiny, 8)}
    assert rows["embedding"]["forward_flops_per_token"] is None
    assert rows["window_attention"]["parameters"] is None


def test_a_model_without_the_mtp_block_has_one_row(tiny):
    (row,) = models.model_rows("m", dataclasses.replace(tiny, num_nextn_predict_layers=0), 40)
    assert row["convention"] == flops.CONVENTION
