/** The panel around a microphone: state, buttons, level, clock and problem. One on a page. */

import { Waveform } from "./waveform.js";

const FLOOR_DBFS = -60;
const TOO_LOUD_DBFS = -1;
const TOO_LOUD_SHOWN_MS = 1500;

/**
 * One state of a panel. The main button can be pressed where the panel is idle or listens.
 * @typedef {object} State
 * @property {string} status what the status line says
 * @property {string} [primary] label of the main button; the label of "ready" where left out
 * @property {boolean} [idle] nothing is under way
 * @property {boolean} [listens] the level is shown
 * @property {boolean} [keepsProblem] a problem that is shown stays
 * @property {string[]} [shows] parts that are hidden in the states that do not name them
 */

export class RecorderPanel {
  #root;
  #states;
  #switched;
  #waveform;
  #loudUntilMs = 0;

  /**
   * @param {HTMLElement} root carries the state in `data-state`
   * @param {Record<string, State>} states one of them is "ready"
   */
  constructor(root, states) {
    this.#root = root;
    this.#states = states;
    this.#switched = new Set(Object.values(states).flatMap((each) => each.shows ?? []));
    const canvas = this.part("wave");
    this.#waveform = canvas && new Waveform(canvas);
  }

  /** The element that the page marks with `data-NAME`. */
  part(name) {
    return document.querySelector(`[data-${name}]`);
  }

  get state() {
    return this.#root.dataset.state;
  }

  is(...states) {
    return states.includes(this.state);
  }

  get isIdle() {
    return Boolean(this.#states[this.state]?.idle);
  }

  /** Go to a state; `status` replaces what its status line says. */
  enter(next, status = this.#states[next].status) {
    const { idle, listens, keepsProblem, shows = [], primary } = this.#states[next];
    this.#root.dataset.state = next;
    this.#root.inert = false; // a click before the page's script would do nothing
    this.say(status);
    this.part("primary-label").textContent = primary ?? this.#states.ready.primary;
    this.part("primary").disabled = !idle && !listens;
    for (const name of this.#switched) {
      this.part(name).hidden = !shows.includes(name);
    }
    if (!listens) {
      this.part("level").value = FLOOR_DBFS;
      this.part("level-word").textContent = "";
    }
    if (!keepsProblem) {
      this.part("problem").hidden = true;
    }
    if (document.activeElement?.closest("[hidden], :disabled")) {
      this.part("primary").focus();
    }
  }

  /** @param {string} status what the status line says until the next state */
  say(status) {
    this.part("status").textContent = status;
  }

  /**
   * @param {{peakDbfs: number}} level
   * @param {boolean} recorded whether it is recorded, not only heard
   */
  showLevel({ peakDbfs }, recorded) {
    const now = performance.now();
    if (peakDbfs > TOO_LOUD_DBFS) {
      this.#loudUntilMs = now + TOO_LOUD_SHOWN_MS;
    }
    this.part("level").value = Math.max(FLOOR_DBFS, peakDbfs);
    this.part("level-word").textContent = now < this.#loudUntilMs ? "too loud" : "";
    this.#waveform?.add(peakDbfs, recorded);
  }

  clearWaveform() {
    this.#waveform?.clear();
  }

  /**
   * Say what went wrong. Where the page does not announce it by itself, it takes the focus.
   * @param {{message?: string, detail?: string, remedy?: string}} problem an error or a `Problem`
   */
  showProblem({ message, detail = message, remedy = "" }) {
    this.part("problem-detail").textContent = `${detail[0].toUpperCase()}${detail.slice(1)}`;
    this.part("problem-remedy").textContent = remedy;
    this.part("problem-remedy").hidden = !remedy;
    this.part("problem").hidden = false;
    this.part("problem").scrollIntoView({ block: "nearest" }); // the buttons may stand in front
    if (this.part("problem").hasAttribute("tabindex")) {
      this.part("problem").focus();
    }
  }
}
