"""The exported graph must score as the trained networks do."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch, the product does not")
pytest.importorskip("onnx", reason="so does writing ONNX, after PyTorch")

from scripts.train.eight_bit import eight_bits, networks  # noqa: E402
from scripts.train.network import PhoneNet  # noqa: E402
from scripts.train.restore import restored  # noqa: E402
from scripts.train.train import emissions  # noqa: E402


def test_weights_keep_their_size_in_eight_bits() -> None:
    weights = np.array([[0.5, -200.0], [-0.25, 100.0]], np.float32)

    small, scale = eight_bits(weights)

    assert small.dtype == np.int8
    assert np.abs(small).max(axis=0).tolist() == [127, 127]
    np.testing.assert_allclose(small * scale, weights, rtol=0.01)


def test_any_two_products_in_a_row_fit_where_they_have_to() -> None:
    weights = np.random.default_rng(4).normal(0.3, 0.2, (400, 60)).astype(np.float32)

    small, scale = eight_bits(weights, pairs_fit=True)

    pairs = small.astype(np.int64).reshape(200, 2, 60)
    most = np.maximum(pairs, 0).sum(axis=1).max(), np.minimum(pairs, 0).sum(axis=1).min()
    assert 120 <= most[0] <= 128
    assert -128 <= most[1] < 0
    np.testing.assert_allclose(small * scale, weights, atol=scale.max() * 0.51)
    assert eight_bits(-weights, pairs_fit=True)[0].min() >= -128


@pytest.mark.parametrize("frames", [9, 200, 301])
def test_the_graph_gives_the_mean_of_the_networks_scores(frames: int) -> None:
    import onnxruntime

    torch.manual_seed(4)
    trained = []
    for width in (48, 32):
        net = PhoneNet(width).eval()
        for name, value in net.named_buffers():  # as after training: not 0 and 1
            if value.is_floating_point():
                value.copy_(torch.rand_like(value) * (1.5 if "var" in name else 0.3) + 0.2)
        trained.append((net, torch.randn(40)))
    model = networks(
        [({n: v.numpy() for n, v in net.state_dict().items()}, p.numpy()) for net, p in trained]
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    mel = torch.randn(1, 80, frames) * 0.3

    (scores,) = session.run(None, {"mel": mel.numpy()})

    with torch.no_grad():
        wanted = torch.stack([emissions(net(mel), prior) for net, prior in trained]).mean(0)
    assert scores.shape == wanted.shape
    assert np.abs(scores - wanted.numpy()).mean() < 0.02


def test_what_is_shipped_can_be_trained_on() -> None:
    torch.manual_seed(4)
    trained = []
    for width in (48, 72):
        net = PhoneNet(width).eval()
        for name, value in net.named_buffers():
            if value.is_floating_point():
                value.copy_(torch.rand_like(value) * (1.5 if "var" in name else 0.3) + 0.2)
        trained.append((net, torch.randn(40)))
    model = networks(
        [({n: v.numpy() for n, v in net.state_dict().items()}, p.numpy()) for net, p in trained]
    )
    mel = torch.randn(1, 80, 120) * 0.3

    back = list(restored(model))

    assert len(back) == 2
    for (net, prior), (weights, log_prior) in zip(trained, back, strict=True):
        again = PhoneNet(weights["head.weight"].shape[1]).eval()
        again.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
        with torch.no_grad():
            wanted = emissions(net(mel), prior)
            got = emissions(again(mel), torch.tensor(log_prior))
        assert (got - wanted).abs().mean() < 0.02
