// The server's endpoints; every answer is its JSON document, every refusal an ApiError.

const RETRIES = 4;

export class ApiError extends Error {
  constructor(message, status, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const headers = { "Content-Type": "application/json" };

/** The token a server may ask for; it comes with the link as ?token=… and stays in this tab. */
export function setToken(token) {
  if (token) sessionStorage.setItem("nardy-token", token);
  const known = sessionStorage.getItem("nardy-token");
  if (known) headers.Authorization = `Bearer ${known}`;
}

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

async function call(method, path, body, { signal, text = false, extra } = {}) {
  for (let attempt = 0; ; attempt++) {
    let answer;
    try {
      answer = await fetch(path, {
        method, signal, headers: { ...headers, ...extra },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError("", 0, "unreachable");
    }
    if (answer.ok) return text ? answer.text() : answer.json();
    let told = {};
    try {
      told = await answer.json();
    } catch { /* not one of our own answers */ }
    // What took too long once does so again.
    if (answer.status === 503 && told.code !== "too_long" && attempt < RETRIES) {
      await pause(Number(answer.headers.get("Retry-After")) || 1);
      continue;
    }
    throw new ApiError(told.message ?? answer.statusText, answer.status, told.code ?? "");
  }
}

const post = (path, body, options) => call("POST", path, body, options);

export const info = () => call("GET", "v1/info");
export const convert = (position, lang) => post("v1/convert", { position, lang });
export const legal = (position) => post("v1/legal", { position, sequences: true });
export const why = (position, played, step) => post("v1/why", { position, played, step });
export const moves = (position, level, options) => post("v1/moves", { position, level }, options);
export const evaluate = (position, level, options) => post("v1/evaluate", { position, level }, options);
export const cube = (position, level, options) => post("v1/cube", { position, level }, options);
export const rolls = (position, level, options) => post("v1/rolls", { position, level }, options);
export const diagram = (asked, options) => post("v1/diagram", asked, { ...options, text: true });

// ---- jobs

export const startRollout = (asked) => post("v1/jobs", { kind: "rollout", ...asked });
export const stopJob = (id) => call("POST", `v1/jobs/${id}/cancel`);

/** {state, fraction, result, error, created, ended}: how far a job has come. */
export const job = (id, options) => call("GET", `v1/jobs/${id}`, undefined, options);
