/**
 * Says a text with a voice of the browser, on pages that have no voice of their own:
 * <button type="button" data-say="the text" hidden>.
 *
 * Only English voices on this machine: others send the text to somebody's server. Where there is
 * none, the buttons stay hidden. Whatever else sounds on the page stops, and the other way round.
 */

const speech = window.speechSynthesis;
/** What is being said: its button and its utterance. */
let now = null;

function voice() {
  // Android writes en_US
  return speech.getVoices().find((each) => each.localService && /^en\b/i.test(each.lang.replace("_", "-")));
}

function offer() {
  const isSilent = !voice();
  for (const button of document.querySelectorAll("button[data-say]")) button.hidden = isSilent;
}

function stop() {
  now?.button.removeAttribute("aria-pressed");
  now = null;
  speech.cancel();
}

function say(button) {
  const isPressed = now?.button === button;
  stop();
  if (isPressed) return;
  for (const audio of document.querySelectorAll("audio")) audio.pause();
  const utterance = new SpeechSynthesisUtterance(button.dataset.say);
  utterance.voice = voice();
  utterance.lang = utterance.voice.lang;
  utterance.onend = utterance.onerror = () => {
    if (now?.utterance === utterance) stop(); // not where the next one is being said already
  };
  now = { button, utterance };
  button.setAttribute("aria-pressed", "true");
  speech.speak(utterance);
}

if (speech) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-say]");
    if (button) say(button);
  });
  document.addEventListener("play", stop, true); // a media element's event does not bubble
  document.addEventListener("renewed", offer);
  addEventListener("pagehide", stop);
  speech.addEventListener?.("voiceschanged", offer); // Chromium has its voices later
  offer();
}
