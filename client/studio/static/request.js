/** Requests to the studio, which answers in JSON. */

/** The studio refused, or does not answer. `message` says what is wrong, `remedy` what to do. */
export class RequestError extends Error {
  /**
   * @param {string} problem
   * @param {string} [remedy]
   * @param {number} [status] of HTTP; 0: no answer came
   */
  constructor(problem, remedy = "", status = 0) {
    super(problem);
    this.name = "RequestError";
    this.remedy = remedy;
    this.status = status;
  }
}

/** @returns {RequestError} what to say where no answer comes */
export function noAnswer() {
  return new RequestError(
    "The studio does not answer.",
    "Was it closed in the terminal? Start it again with: aloud",
  );
}

/**
 * @param {string} address
 * @param {object} [options]
 * @param {boolean} [options.post] POST; implied by `json` and `samples`
 * @param {object} [options.json] what to send
 * @param {Int16Array|Blob} [options.samples] what to send
 * @param {number} [options.withinMs] how long to wait for the answer
 * @returns {Promise<any>} the answer; `null` where it is empty
 * @throws {RequestError}
 */
export async function request(address, { post = false, json, samples, withinMs } = {}) {
  const headers = { Accept: "application/json" };
  if (json || samples) {
    headers["Content-Type"] = json ? "application/json" : "application/octet-stream";
  }
  let answer;
  try {
    answer = await fetch(address, {
      method: post || json || samples ? "POST" : "GET",
      headers,
      body: json ? JSON.stringify(json) : samples,
      keepalive: Boolean(json), // what was chosen is stored, also where the page is left at once
      signal: withinMs ? AbortSignal.timeout(withinMs) : undefined,
    });
    if (answer.ok) {
      return answer.status === 204 ? null : await answer.json();
    }
  } catch {
    throw noAnswer();
  }
  const problem = await answer.json().catch(() => null);
  throw new RequestError(problem?.detail ?? "That did not work.", "", answer.status);
}
