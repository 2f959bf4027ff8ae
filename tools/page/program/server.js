/** The page's server: what is asked for over HTTP and over sockets, and what is said of its failures. */

import {at} from "./dom.js";
import {t} from "./words.js";

/** Return a socket of this page's server. @param {string} name */
export const socketTo = name => new WebSocket(new URL(name, location.href).href.replace(/^http/, "ws"));

/** Return the milliseconds to wait after so many attempts to connect. @param {number} attempts */
export const pauseAfter = attempts => Math.min(5000, 250 * 2 ** attempts);

/** The sentences about what failed: one of the last action, which stays until the next one, and one of the connection. */
const failed = {action: "", connection: ""};

function show() {
  const sentences = [failed.connection, failed.action].filter(sentence => sentence).join(" ");
  if (at("trouble").textContent !== sentences) at("trouble").textContent = sentences;
  at("trouble").hidden = !sentences;
}

/** Say that an action failed, or, with an empty sentence, that nothing failed. @param {string} sentence */
export function complain(sentence) {
  failed.action = sentence;
  show();
}

/** Say what is wrong with the connection; an empty sentence if nothing is. @param {string} sentence */
export function connectionFails(sentence) {
  failed.connection = sentence;
  show();
}

/** Clear the sentence about the last action whenever the reader begins another one. */
export function clearOnAction() {
  const clear = event => { if (!(event.type === "keydown" && ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key))) complain(""); };
  for (const kind of ["click", "keydown", "submit", "change", "drop", "paste"]) document.addEventListener(kind, clear, {capture: true});
}

/**
 * Send something, or ask for something if there is no body. Returns the answer; null if it failed, which is said.
 * @param {string} path
 * @param {any} [body] a text, a file, or an object to be sent as JSON.
 */
export async function request(path, body) {
  const isPlain = body === undefined || typeof body === "string" || body instanceof Blob;
  const how = body === undefined ? {} : {method: "POST", body: isPlain ? body : JSON.stringify(body)};
  const answer = await fetch(path, how).catch(() => null);
  if (answer?.ok) return answer;
  complain(answer ? await answer.text() : t("The program has ended: start it again."));
  return null;
}

/** Like `request`, for an answer in JSON. @param {string} path @param {any} [body] */
export async function requestJson(path, body) {
  const answer = await request(path, body);
  return answer && answer.json();
}

/** Say why a socket was closed that never opened: the program has ended, or something between lets no socket through. */
export async function explainClosedSocket() {
  const answer = await fetch("first", {method: "HEAD"}).catch(() => null);
  connectionFails(t(answer ? "No WebSocket gets through to the program: a proxy or the browser stops it. Games and scores need one."
    : "The program has ended: start it again."));
}
