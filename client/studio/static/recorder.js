/** The microphone as 16 kHz mono, for every page that records. */

import { remember, remembered } from "./remembered.js";
import { request } from "./request.js";
import { Resampler } from "./resampler.js";

export const SAMPLE_RATE_HZ = 16000;

const FLOOR_DBFS = -120;
const LOST_AFTER_MS = 3000; // sound comes every 50 ms: a gap this long means that it is gone
const FLUSH_WITHIN_MS = 500;
const ASKING_AFTER_MS = 3000; // opening an allowed microphone takes a second at most
const DEVICE_KEY = "aloud.microphone";

/** The microphone cannot be used. `message` says what is wrong, `remedy` what to do about it. */
export class MicrophoneError extends Error {
  /**
   * @param {string} problem
   * @param {string} remedy
   */
  constructor(problem, remedy) {
    super(problem);
    this.name = "MicrophoneError";
    this.remedy = remedy;
  }
}

/** What to do while the browser waits for somebody to allow the microphone. */
export const ASKING =
  "The browser asks whether Aloud may use the microphone: choose “Allow” beside the page's " +
  "address. Only this machine hears it.";

/** What to do while a microphone that worked gives nothing but exact zeros. */
export const MUTED =
  "The microphone gives exact silence. If you are speaking, it is muted: by a key, a switch on its " +
  "cable, or the system.";

/** @returns {MicrophoneError} what to say of a microphone that gives nothing but exact zeros */
export function zerosError() {
  return new MicrophoneError(
    "The microphone gives no sound at all, only exact zeros.",
    document.documentElement.dataset.zerosRemedy ?? "",
  );
}

/**
 * @param {{deviceId: string, label: string}} device the microphone to use from now on: its name goes
 *   to the settings, and this browser remembers which of the same name it is
 */
export function rememberDevice({ deviceId, label }) {
  remember(DEVICE_KEY, deviceId);
  document.documentElement.dataset.microphone = label;
  request("/settings/microphone", { json: { value: label } }).catch(() => null);
}

/** @returns {Promise<string|null>} the device that the settings name, or that was chosen here */
async function chosenDevice() {
  const name = document.documentElement.dataset.microphone?.toLowerCase();
  const kept = remembered(DEVICE_KEY);
  const fits = ({ label }) => label.toLowerCase().includes(name);
  const named = name ? (await microphones()).filter(fits) : [];
  if (named.length === 0 || named.some(({ deviceId }) => deviceId === kept)) {
    return kept;
  }
  return named[0].deviceId;
}

function amplitudeDbfs(amplitude) {
  return amplitude > 0 ? Math.max(FLOOR_DBFS, 20 * Math.log10(amplitude)) : FLOOR_DBFS;
}

function explain(error) {
  const system = /system/i.test(error.message);
  switch (error.name) {
    case "NotAllowedError":
    case "SecurityError":
      return system
        ? new MicrophoneError(
            "The system does not let the browser use the microphone.",
            "Turn the browser on in the system's privacy settings for the microphone (macOS: " +
              "System Settings › Privacy & Security › Microphone; Windows: Settings › Privacy & " +
              "security › Microphone), then restart the browser.",
          )
        : new MicrophoneError(
            "This page is not allowed to use the microphone.",
            "Click the symbol to the left of the page's address, allow the microphone, and try " +
              "again. Only this machine hears it.",
          );
    case "NotFoundError":
    case "OverconstrainedError": // from WebKit without any: no constraint of ours is mandatory
      return new MicrophoneError(
        "No microphone was found.",
        "Plug one in, or turn it on in the system's sound settings, and try again.",
      );
    case "NotReadableError":
    case "AbortError":
      return new MicrophoneError(
        "The microphone cannot be opened.",
        "Close other programs that use it (calls, recorders), or choose another one in the " +
          "microphone check, and try again.",
      );
    default:
      return new MicrophoneError(
        `The microphone cannot be used (${error.message || error.name}).`,
        "Choose another one in the microphone check, or restart the browser.",
      );
  }
}

async function openStream(deviceId) {
  if (!navigator.mediaDevices?.getUserMedia || typeof AudioWorkletNode === "undefined") {
    throw new MicrophoneError(
      "This page cannot use a microphone in this browser.",
      "Open the studio at the address that Aloud printed (it begins with http://127.0.0.1), in a " +
        "current Firefox, Chrome, Edge or Safari.",
    );
  }
  // The sound as it is: noise suppression and echo cancellation change how words sound, and a
  // gain that moves hides that the microphone is too quiet.
  const plain = {
    channelCount: { ideal: 1 },
    echoCancellation: false,
    noiseSuppression: false,
    autoGainControl: false,
  };
  if (deviceId) {
    try {
      const audio = { ...plain, deviceId: { exact: deviceId } };
      return await navigator.mediaDevices.getUserMedia({ audio });
    } catch (error) {
      if (error.name !== "OverconstrainedError" && error.name !== "NotFoundError") {
        throw error;
      } // the chosen one is unplugged: the system's own choice then, whose name the page shows
    }
  }
  return navigator.mediaDevices.getUserMedia({ audio: plain });
}

/** @returns {Promise<{deviceId: string, label: string}[]>} named once the microphone is allowed */
export async function microphones() {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices
    .filter((device) => device.kind === "audioinput" && device.deviceId)
    .map(({ deviceId, label }) => ({ deviceId, label }));
}

/** An open microphone. Make one with `Microphone.open`. */
export class Microphone {
  #stream;
  #context;
  #node;
  #resampler;
  #options;
  #watch;
  #source;
  #switching = false;
  #paused = false;
  #closed = false;
  #closing;
  #zeros = true;
  #zerosS = 0;
  #lastBlockMs = performance.now();
  #onFlushed = () => {};

  /**
   * @param {object} [options]
   * @param {string} [options.deviceId] which; without it the remembered one, or the system's choice
   * @param {(samples: Int16Array) => void} [options.onSamples] takes blocks of about 50 ms at
   *   16 kHz, mono; none while paused
   * @param {(level: {peakDbfs: number, rmsDbfs: number, zeros: boolean, zerosS: number}) => void}
   *   [options.onLevel] takes about 20 levels a second, also while paused; `zeros`: every sample
   *   since the microphone was opened was exactly zero; `zerosS`: for how long each was
   * @param {() => void} [options.onAsking] called when nobody has answered the browser's question
   *   about the microphone for a few seconds
   * @param {(label: string) => void} [options.onSwitch] called when the microphone was gone and
   *   another one has taken over; takes that one's name
   * @param {(error: MicrophoneError) => void} [options.onEnd] called when the microphone is gone,
   *   and no other one is there
   * @returns {Promise<Microphone>}
   * @throws {MicrophoneError}
   */
  static async open({ deviceId, onSamples, onLevel, onSwitch, onEnd, onAsking } = {}) {
    let stream;
    const unanswered = setTimeout(() => onAsking?.(), ASKING_AFTER_MS);
    try {
      stream = await openStream(deviceId ?? (await chosenDevice()));
      clearTimeout(unanswered);
      const context = new AudioContext();
      try {
        await context.audioWorklet.addModule(new URL("./recorder-worklet.js", import.meta.url));
        // Not awaited: without a key or click before it, some browsers never answer.
        context.resume();
        return new Microphone(stream, context, { onSamples, onLevel, onSwitch, onEnd });
      } catch (error) {
        await context.close();
        throw error;
      }
    } catch (error) {
      clearTimeout(unanswered);
      stream?.getTracks().forEach((track) => track.stop());
      throw error instanceof MicrophoneError ? error : explain(error);
    }
  }

  /** Use `Microphone.open`. */
  constructor(stream, context, options) {
    this.#context = context;
    this.#options = options;
    this.#resampler = new Resampler(context.sampleRate, SAMPLE_RATE_HZ);
    this.#node = new AudioWorkletNode(context, "aloud-recorder");
    this.#node.port.onmessage = ({ data }) => this.#takeIn(data);
    this.#node.connect(context.destination); // silent; a node that leads nowhere may be left out
    this.#listenTo(stream);
    this.#watch = setInterval(() => this.#look(), 1000);
  }

  /** What the system calls the microphone in use. */
  get label() {
    return this.#stream.getAudioTracks()[0]?.label || "microphone";
  }

  /** Which it is, for `rememberDevice`. */
  get deviceId() {
    return this.#stream.getAudioTracks()[0]?.getSettings().deviceId ?? "";
  }

  get paused() {
    return this.#paused;
  }

  /** Pass on no samples until `resume`; levels continue. */
  pause() {
    this.#paused = true;
  }

  resume() {
    this.#resampler.reset();
    this.#paused = false;
  }

  /** Pass on the last samples and give the microphone back. */
  close() {
    this.#closing ??= this.#flush().then(() => this.#release());
    return this.#closing;
  }

  #listenTo(stream) {
    const source = this.#context.createMediaStreamSource(stream);
    this.#source?.disconnect();
    source.connect(this.#node);
    this.#source = source;
    this.#stream = stream;
    const [track] = stream.getAudioTracks();
    track.addEventListener("ended", () => this.#lose(stream));
  }

  async #flush() {
    await new Promise((resolve) => {
      this.#onFlushed = resolve;
      this.#node.port.postMessage("flush");
      setTimeout(resolve, FLUSH_WITHIN_MS); // a context that hangs must not keep the page waiting
    });
    if (!this.#paused) {
      this.#pass(this.#resampler.flush());
    }
  }

  async #release() {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    clearInterval(this.#watch);
    this.#stream.getTracks().forEach((track) => track.stop());
    this.#node.disconnect();
    await this.#context.close();
  }

  #takeIn({ samples, flushed }) {
    if (this.#closed) {
      return;
    }
    this.#lastBlockMs = performance.now();
    if (samples.length > 0) {
      this.#measure(samples);
      if (!this.#paused) {
        this.#pass(this.#resampler.push(samples));
      }
    }
    if (flushed) {
      this.#onFlushed();
    }
  }

  #measure(samples) {
    let peak = 0;
    let power = 0;
    for (const sample of samples) {
      peak = Math.max(peak, Math.abs(sample));
      power += sample * sample;
    }
    this.#zeros = this.#zeros && peak === 0;
    this.#zerosS = peak === 0 ? this.#zerosS + samples.length / this.#context.sampleRate : 0;
    this.#options.onLevel?.({
      peakDbfs: amplitudeDbfs(peak),
      rmsDbfs: amplitudeDbfs(Math.sqrt(power / samples.length)),
      zeros: this.#zeros,
      zerosS: this.#zerosS,
    });
  }

  #pass(samples) {
    if (samples.length === 0) {
      return;
    }
    const pcm = new Int16Array(samples.length);
    for (let i = 0; i < samples.length; i += 1) {
      pcm[i] = Math.max(-32768, Math.min(32767, Math.round(samples[i] * 32768)));
    }
    this.#options.onSamples?.(pcm);
  }

  #look() {
    if (this.#context.state === "suspended") {
      this.#context.resume(); // e.g. started before the first click or key
    }
    if (performance.now() - this.#lastBlockMs > LOST_AFTER_MS) {
      this.#lose(this.#stream);
    }
  }

  /** Goes on with the system's own choice where this stream has ended, or ends. */
  async #lose(stream) {
    if (this.#closed || this.#switching || stream !== this.#stream) {
      return;
    }
    this.#switching = true;
    const goesOn = stream.active ? false : await this.#switch();
    this.#switching = false;
    if (this.#closed) {
      return;
    }
    if (goesOn) {
      this.#options.onSwitch?.(this.label);
      return;
    }
    await this.#release();
    this.#options.onEnd?.(
      new MicrophoneError(
        "The microphone was disconnected.",
        "Plug it in again, or choose another one in the microphone check, and try again.",
      ),
    );
  }

  /** @returns {Promise<boolean>} whether another microphone has taken over */
  async #switch() {
    let stream;
    try {
      stream = await openStream(null);
      if (!this.#closed) {
        this.#listenTo(stream); // some browsers refuse one of another rate
        this.#lastBlockMs = performance.now();
        return true;
      }
    } catch {
      // there is none, or it cannot be used: the recording ends
    }
    stream?.getTracks().forEach((track) => track.stop());
    return false;
  }
}
