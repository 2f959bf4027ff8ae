/** Searches of the displayed position over a WebSocket; docs/analysis.md describes the requests. */

import {connectionFails, explainClosedSocket, pauseAfter, socketTo} from "./server.js";

const SECONDS = 30, HINT_SECONDS = 2, CURVE_LEVEL = 6, REPORT_SECONDS = 0.2;

export class Search {
  /**
   * @param {() => void} onFound called when a result that is at least as deep as the previous one has arrived.
   * @param {(turn: number, score: number, certainty: string) => void} onValue called with each point of the game's curve, whose score is in discs for Black.
   * @param {() => void} onReady called when the socket is open.
   */
  constructor(onFound, onValue, onReady) {
    this.onFound = onFound;
    this.onValue = onValue;
    this.onReady = onReady;
    /** The deepest result so far of the current request. @type {any} */
    this.found = null;
    this.question = 0;
    this.attempts = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.ply = 0;
  }

  connect() {
    const socket = socketTo("analysis");
    this.socket = socket;
    socket.onopen = () => {
      this.attempts = 0;
      connectionFails("");
      this.onReady();
    };
    socket.onmessage = event => this.heed(JSON.parse(event.data));
    socket.onclose = () => {
      explainClosedSocket();
      setTimeout(() => this.connect(), pauseAfter(this.attempts++));
    };
  }

  /** @param {any} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Stop all searches. Answers that arrive later are dropped because of their old request number. */
  stop() {
    this.question++;
    this.found = null;
    this.send({id: "end", action: "terminate_all"});
  }

  /**
   * Search a position of a game, after stopping all other searches.
   * @param {import("./game.js").Game} game
   * @param {number} ply
   * @param {boolean} isLong true to search for a long time and to fill the game's curve; false to search briefly for a hint.
   */
  ask(game, ply, isLong) {
    this.stop();
    this.ply = ply;
    const about = {rules: game.record.rules, position: game.first.toString(), moves: game.moves.join(" ")}, count = game.positions[ply].moves.length;
    if (count)
      this.send({...about, id: `live ${this.question}`, turns: [ply], multipv: count, time: isLong ? SECONDS : HINT_SECONDS, report_every: REPORT_SECONDS, priority: 1, yields: true});
    const missing = game.isReviewed ? [] : [...game.positions.keys()].filter(turn => typeof game.fact("review", turn) !== "number");
    if (isLong && game.moves.length && missing.length) this.send({...about, id: `curve ${this.question}`, turns: missing, level: CURVE_LEVEL});
  }

  /** @param {any} answer */
  heed(answer) {
    const [kind, number] = String(answer.id).split(" ");
    if (Number(number) !== this.question || answer.kind === "error" || answer.stopped && !answer.lines?.length) return;
    if (kind === "live" && answer.turn === this.ply && !(answer.depth < this.found?.depth)) {
      this.found = answer;
      this.onFound();
    }
    if (kind === "curve" && answer.kind === "result")
      this.onValue(answer.turn, answer.position.endsWith("X") ? answer.score : 0 - answer.score, answer.exact ? "exact" : `depth ${answer.depth}`);
  }
}
