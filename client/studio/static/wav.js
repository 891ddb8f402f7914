const HEADER_BYTES = 44;

/**
 * @param {Int16Array} samples mono
 * @param {number} rateHz
 * @returns {Blob} a WAV file of them, for an <audio> element
 */
export function wavBlob(samples, rateHz) {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const text = (at, letters) =>
    [...letters].forEach((letter, i) => header.setUint8(at + i, letter.charCodeAt(0)));
  const bytes = samples.length * 2;
  text(0, "RIFF");
  header.setUint32(4, HEADER_BYTES - 8 + bytes, true);
  text(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rateHz, true);
  header.setUint32(28, rateHz * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  text(36, "data");
  header.setUint32(40, bytes, true);
  return new Blob([header, samples], { type: "audio/wav" });
}
