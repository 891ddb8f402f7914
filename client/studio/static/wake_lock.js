// Keeps the screen on while somebody speaks.

let lock = null;

/** Ask for the screen to stay on; where that is refused, nothing else changes. */
export async function keepAwake() {
  try {
    lock = await navigator.wakeLock?.request("screen");
  } catch {
    lock = null; // e.g. low battery: the screen may go dark, the recording continues
  }
}

/** The screen may go dark again. */
export function letSleep() {
  lock?.release();
  lock = null;
}
