/** Draws the loudness of the last seconds, the newest at the right. */

const BAR_PX = 3;
const GAP_PX = 2;
const FLOOR_DBFS = -60;
const CURVE = 1.5; // speech fills the middle of the scale, its peaks the rest
const PAUSED_ALPHA = 0.3;

export class Waveform {
  #canvas;
  #bars = [];

  /** @param {HTMLCanvasElement} canvas it is drawn in its own text color */
  constructor(canvas) {
    this.#canvas = canvas;
    new ResizeObserver(() => this.#draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  clear() {
    this.#bars = [];
    this.#draw();
  }

  /**
   * @param {number} peakDbfs
   * @param {boolean} recorded whether it is recorded, not only heard
   */
  add(peakDbfs, recorded) {
    this.#bars.push({ share: Math.max(0, 1 - peakDbfs / FLOOR_DBFS) ** CURVE, recorded });
    this.#draw();
  }

  #draw() {
    const canvas = this.#canvas;
    const { clientWidth: width, clientHeight: height } = canvas;
    const density = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    const drawing = canvas.getContext("2d");
    drawing.scale(density, density);
    drawing.fillStyle = getComputedStyle(canvas).color;
    const step = BAR_PX + GAP_PX;
    this.#bars = this.#bars.slice(-Math.ceil(width / step));
    this.#bars.forEach(({ share, recorded }, index) => {
      const x = width - (this.#bars.length - index) * step;
      const tall = Math.max(2, share * (height - 8));
      drawing.globalAlpha = recorded ? 1 : PAUSED_ALPHA;
      drawing.beginPath();
      drawing.roundRect(x, (height - tall) / 2, BAR_PX, tall, BAR_PX / 2);
      drawing.fill();
    });
  }
}
