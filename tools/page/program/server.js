/** Requests to the page's server by HTTP and WebSocket, and the display of errors. */

import {at} from "./dom.js";
import {t} from "./words.js";

/** Open a WebSocket to this page's server. @param {string} name */
export const socketTo = name => new WebSocket(new URL(name, location.href).href.replace(/^http/, "ws"));

/** Return the time to wait, in milliseconds, after a number of failed attempts to connect. @param {number} attempts */
export const pauseAfter = attempts => Math.min(5000, 250 * 2 ** attempts);

/** The error messages that are shown: one for the last action, and one for the connection. The next action clears the first one. */
const failed = {action: "", connection: ""};

function show() {
  const sentences = [failed.connection, failed.action].filter(sentence => sentence).join(" ");
  if (at("trouble").textContent !== sentences) at("trouble").textContent = sentences;
  at("trouble").hidden = !sentences;
}

/** Show an error of an action; an empty sentence clears it. @param {string} sentence */
export function complain(sentence) {
  failed.action = sentence;
  show();
}

/** Show an error of the connection; an empty sentence clears it. @param {string} sentence */
export function connectionFails(sentence) {
  failed.connection = sentence;
  show();
}

/** Clear the error of the last action whenever the user begins another action. */
export function clearOnAction() {
  const clear = event => { if (!(event.type === "keydown" && ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key))) complain(""); };
  for (const kind of ["click", "keydown", "submit", "change", "drop", "paste"]) document.addEventListener(kind, clear, {capture: true});
}

/**
 * Send a POST request with a body, or a GET request without one. Return the answer. On failure, show the error and return null.
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

/** Send a request like `request`, and decode the JSON answer. @param {string} path @param {any} [body] */
export async function requestJson(path, body) {
  const answer = await request(path, body);
  return answer && answer.json();
}

/** Show why a socket was closed: the program has ended, or a proxy blocks WebSockets. */
export async function explainClosedSocket() {
  const answer = await fetch("first", {method: "HEAD"}).catch(() => null);
  connectionFails(t(answer ? "No WebSocket reaches the program: a proxy or the browser blocks it. Games and scores need one."
    : "The program has ended: start it again."));
}
