"""The peak is the best median per dtype; every repetition is kept."""

from trex.accounting import peak


def test_best_median_per_dtype():
    records = [
        {"dtype": "float32", "median_tflops": 0.2},
        {"dtype": "bfloat16", "median_tflops": 0.4},
        {"dtype": "float32", "median_tflops": 0.3},
    ]
    assert peak.peaks(records) == {"float32": 0.3, "bfloat16": 0.4}


def test_all_repetitions_of_all_shapes_are_kept(monkeypatch):
    monkeypatch.setattr(peak, "SHAPES", ((64, 32, 16), (8, 8, 8)))
    monkeypatch.setattr(peak, "MEASURED_SECONDS", 0.001)
    records = peak.measure(3)
    assert [(record["dtype"], record["shape"]) for record in records] == [
        ("float32", [64, 32, 16]),
        ("float32", [8, 8, 8]),
        ("bfloat16", [64, 32, 16]),
        ("bfloat16", [8, 8, 8]),
    ]
    assert all(len(record["tflops"]) == 3 and min(record["tflops"]) > 0 for record in records)
    assert all(sorted(record["tflops"])[1] == record["median_tflops"] for record in records)


def test_the_shape_of_the_miniatures_feed_forward_is_measured():
    assert (4096, 384, 1152) in peak.SHAPES
