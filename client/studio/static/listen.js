// Buttons that play a sound: <button data-sound="/sound/term?term=RoCE">. One sound at a time.

let player = null;
let pressed = null;

/** Play the sound of an address, or a piece of it; resolves when it has ended or was stopped. */
export async function play(address, { from = 0, to = Infinity } = {}) {
  stop();
  const audio = new Audio(address);
  player = audio;
  await new Promise((ended, failed) => {
    audio.onended = audio.onpause = ended;
    audio.onerror = () => failed(new Error("the sound could not be played"));
    audio.ontimeupdate = () => {
      if (audio.currentTime >= to) audio.pause();
    };
    audio.onloadedmetadata = () => {
      audio.currentTime = from;
      audio.play().catch(failed);
    };
  });
}

/** End what is being played. */
export function stop() {
  player?.pause();
  player = null;
}

async function press(button) {
  if (pressed === button) {
    stop();
    return;
  }
  pressed = button;
  button.setAttribute("aria-pressed", "true");
  try {
    await play(button.dataset.sound, {
      from: Number(button.dataset.from ?? 0),
      to: Number(button.dataset.to ?? Infinity),
    });
  } catch {
    await explain(button);
  } finally {
    button.setAttribute("aria-pressed", "false");
    if (pressed === button) pressed = null;
  }
}

async function explain(button) {
  const status = document.querySelector("[data-sound-status]");
  if (!status) return;
  const answer = await fetch(button.dataset.sound).catch(() => null);
  const problem = answer && !answer.ok ? await answer.json().catch(() => null) : null;
  status.textContent = problem?.detail ?? "The sound could not be played.";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-sound]");
  if (button) press(button);
});
