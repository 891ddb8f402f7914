// The words of a transcript that have times, and the one of them that is being played.

const LINGER_S = 0.3;

/** Follows a recording through words, which are elements with data-start and data-end in seconds. */
export class SpokenWords {
  #words;
  #starts;
  #lit = null;

  /** @param {HTMLElement[]} words in the order in which they were said */
  constructor(words) {
    this.#words = words;
    this.#starts = words.map((word) => Number(word.dataset.start));
  }

  /** The word being said at a moment: the last one that has begun, if it has not long ended. */
  at(timeS) {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= timeS) low = middle + 1;
      else high = middle;
    }
    const word = this.#words[low - 1];
    return word && timeS <= Number(word.dataset.end ?? Infinity) + LINGER_S ? word : null;
  }

  /** Mark this word as the one being played; null: none is. */
  light(word) {
    if (word === this.#lit) return;
    this.#lit?.classList.remove("playing");
    word?.classList.add("playing");
    this.#lit = word;
  }
}
