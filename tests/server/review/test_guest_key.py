"""A guest is known by the key that ids are made with, and by nothing else."""

from server.review.models import Author, GuestKey


def test_an_id_tells_who_made_it_to_the_maker_only() -> None:
    one, other = GuestKey.new(), GuestKey.new()
    made = [one.new_id() for _ in range(50)]
    assert len(set(made)) == 50
    assert all(one.made(each) for each in made)
    assert not any(other.made(each) for each in made)
    assert GuestKey(one.secret).made(made[0])


def test_an_id_that_was_changed_is_nobodys() -> None:
    key = GuestKey.new()
    made = key.new_id()
    digit = "0" if made[3] != "0" else "1"
    for wrong in (made[:3] + digit + made[4:], made[16:] + made[:16], "", "0" * 32, "é" * 32):
        assert not key.made(wrong)


def test_the_key_is_not_told_by_its_representation() -> None:
    key = GuestKey.new()
    assert key.secret not in repr(key) + repr(Author(guest_name="Who", key=key))


def test_what_an_account_wrote_is_no_guests_and_the_other_way_round() -> None:
    key = GuestKey.new()
    guest, coach, file = Author(guest_name="Who", key=key), Author(7), Author(guest_name="Who")
    made = key.new_id()
    assert guest.wrote(None, made)
    assert not guest.wrote(7, made)
    assert coach.wrote(7, made)
    assert not coach.wrote(None, made)
    assert not file.wrote(None, made)
