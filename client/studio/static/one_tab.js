/** Of several tabs with one page, the one that has it: the first, or the one that was used last. */

export class OneTab {
  #name;
  #onLost;
  #has = false;
  #settled;

  /**
   * @param {string} name the same in all of these tabs
   * @param {() => void} onLost called when another tab has taken over
   */
  constructor(name, onLost) {
    this.#name = name;
    this.#onLost = onLost;
    this.#settled = new Promise((settle) => {
      const free = (lock) => {
        const kept = lock ? this.#keep() : null;
        settle();
        return kept;
      };
      this.#ask({ ifAvailable: true }, free).then(() => {
        settle();
        this.#wait();
      });
    });
  }

  /** @returns {Promise<boolean>} whether this tab has it */
  async isThis() {
    await this.#settled;
    return this.#has;
  }

  /** Takes over from whichever tab has it. */
  take() {
    if (!this.#has) {
      this.#ask({ steal: true }).then(() => this.#wait());
    }
  }

  /** Has it once no other tab does. */
  #wait() {
    this.#ask({}).then(() => this.#wait());
  }

  /** Ends when another tab has taken it, or it could not be had. */
  async #ask(options, granted = () => this.#keep()) {
    if (!navigator.locks) {
      this.#has = true; // an old browser: each tab for itself
      return new Promise(() => {});
    }
    await navigator.locks.request(this.#name, options, granted).catch(() => null);
    if (this.#has) {
      this.#has = false;
      this.#onLost();
    }
  }

  /** Until the page is gone, or another tab takes it. */
  #keep() {
    this.#has = true;
    return new Promise(() => {});
  }
}
