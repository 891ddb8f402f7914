/** Choices that this browser remembers; where its storage is off, they hold for one page. */

/** @returns {string|null} `null`: nothing was chosen */
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // storage is off
  }
}
