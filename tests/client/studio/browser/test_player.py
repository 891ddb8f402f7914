"""player.js in a real browser: what was stopped stays silent."""

from typing import Any

from tests.client.studio.conftest import NewPage, Serve

SOURCES = """
async ({stopAtOnce, address}) => {
  const { Player, SoundError } = await import("/static/player.js");
  const create = AudioContext.prototype.createBufferSource;
  const started = [];
  AudioContext.prototype.createBufferSource = function () {
    const source = create.call(this);
    const start = source.start.bind(source);
    source.start = (when, from, length) => {
      started.push([from, length]);
      start(when, from, length);
    };
    return source;
  };
  const player = new Player();
  let problem = "";
  const playing = player.play(address).catch((error) => {
    problem = error instanceof SoundError ? error.message : `other: ${error}`;
  });
  if (stopAtOnce) {
    player.stop();
  }
  await playing;
  AudioContext.prototype.createBufferSource = create;
  return { started: started.length, problem };
}
"""
PIECE = """
async ({seconds, fromS, toS}) => {
  const { Player } = await import("/static/player.js");
  const player = new Player();
  const begun = performance.now();
  await player.playSamples(new Int16Array(16000 * seconds), 16000, { fromS, toS });
  return (performance.now() - begun) / 1000;
}
"""


def a_page(serve: Serve, new_page: NewPage) -> Any:
    page = new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{serve().url}/drills")
    page.mouse.click(5, 400)  # browsers play nothing before
    return page


def test_a_sound_stopped_while_it_is_fetched_is_not_played(serve: Serve, new_page: NewPage) -> None:
    page = a_page(serve, new_page)
    address = "/sound/drill/minimal-pairs-cash"
    played = page.evaluate(SOURCES, {"stopAtOnce": False, "address": address})
    assert played == {"started": 1, "problem": ""}
    stopped = page.evaluate(SOURCES, {"stopAtOnce": True, "address": address})
    assert stopped == {"started": 0, "problem": ""}


def test_a_sound_that_cannot_be_had_says_why(serve: Serve, new_page: NewPage) -> None:
    page = a_page(serve, new_page)
    failed = page.evaluate(SOURCES, {"stopAtOnce": False, "address": "/sound/drill/no-such"})
    assert failed["started"] == 0
    assert "no drill item 'no-such'" in failed["problem"]


def test_a_piece_is_played_from_and_to_its_moment(serve: Serve, new_page: NewPage) -> None:
    page = a_page(serve, new_page)
    rest_s = page.evaluate(PIECE, {"seconds": 60, "fromS": 59.7, "toS": None})
    assert 0.2 < rest_s < 20, "not the whole minute"
    piece_s = page.evaluate(PIECE, {"seconds": 60, "fromS": 1.0, "toS": 1.5})
    assert 0.4 < piece_s < 20
    outside_s = page.evaluate(PIECE, {"seconds": 1, "fromS": 5.0, "toS": 9.0})
    assert outside_s < 20
