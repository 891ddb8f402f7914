/**
 * Runs on the browser's audio thread: mixes to mono, gathers about 50 ms, passes it on.
 *
 * It does nothing else, because whatever is late here is lost; and it imports nothing, because not
 * every browser lets an AudioWorklet do that.
 */

const BLOCK_S = 0.05;

class RecorderProcessor extends AudioWorkletProcessor {
  constructor() {
    super();
    this.block = new Float32Array(Math.round((sampleRate * BLOCK_S) / 128) * 128);
    this.filled = 0;
    this.port.onmessage = () => this.flush();
  }

  /** Passes on what has been gathered, and says that this was all. */
  flush() {
    const rest = this.block.slice(0, this.filled);
    this.filled = 0;
    this.port.postMessage({ samples: rest, flushed: true });
  }

  process(inputs) {
    const channels = inputs[0];
    if (channels.length === 0) {
      return true; // the source has ended or not begun
    }
    const frames = channels[0].length;
    for (let i = 0; i < frames; i += 1) {
      let sum = 0;
      for (const channel of channels) {
        sum += channel[i];
      }
      this.block[this.filled] = sum / channels.length;
      this.filled += 1;
      if (this.filled === this.block.length) {
        const full = this.block;
        this.block = new Float32Array(full.length);
        this.filled = 0;
        this.port.postMessage({ samples: full, flushed: false }, [full.buffer]);
      }
    }
    return true;
  }
}

registerProcessor("aloud-recorder", RecorderProcessor);
