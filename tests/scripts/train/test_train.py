"""Learning on from a network that was trained before."""

import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch, the product does not")

from scripts.train.network import PhoneNet  # noqa: E402
from scripts.train.train import between, keep_norms  # noqa: E402


def test_a_network_between_two_has_weights_between_theirs() -> None:
    torch.manual_seed(5)
    one, other = PhoneNet(8), PhoneNet(8)

    mixed = between(one, other, 0.25)

    wanted = 0.75 * one.head.weight + 0.25 * other.head.weight
    torch.testing.assert_close(mixed.head.weight, wanted)
    assert not torch.equal(one.head.weight, wanted)


def test_normalizations_that_are_kept_take_no_notice_of_the_batch() -> None:
    torch.manual_seed(5)
    net = PhoneNet(8, dropout=0.0).eval()
    mel = torch.randn(2, 80, 40)
    before = net(mel)

    net.train()
    keep_norms(net)

    torch.testing.assert_close(net(mel), before)
    assert torch.equal(net.norm.running_mean, torch.zeros(8))
