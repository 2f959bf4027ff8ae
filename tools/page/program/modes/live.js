/** A live run, whose games, boards and report parts are sent by the server; docs/report.md describes the messages. */

import {at, drawing, element, nodeOf, tableRow} from "../dom.js";
import {drawDiscs} from "../board.js";
import {Game, squareOf} from "../game.js";
import {fillSeats, seat, tickSeats} from "../seats.js";
import {pauseAfter, socketTo} from "../server.js";
import {makeSortable, sortTable} from "../sort.js";
import {listedRows} from "../viewer.js";
import {ReplayMode} from "./replay.js";

const LATEST_MS = 4000, TICK_MS = 250, MOST_COMING = 8;

export class LiveMode extends ReplayMode {
  constructor() {
    super();
    /** The values from the server, by key. @type {Map<string, any>} */
    this.values = new Map();
    /** The small boards, by the numbers of their games. @type {Map<number, any>} */
    this.cards = new Map();
    this.page = null;
    this.lag = 0;
    this.attempts = 0;
    this.endedAt = 0;
    this.isAuto = !location.hash;  // whether the page, not the user, chooses the displayed game
    this.hasBegun = false;
  }

  enter() {
    at("all-games").addEventListener("click", () => this.chosen());
    document.addEventListener("keydown", () => this.chosen());
    addEventListener("hashchange", () => { this.chosen(); this.viewer.followAddress(); });
    setInterval(() => { this.tick(); this.goOn(); }, TICK_MS);
    this.connect();
  }

  chosen() { this.isAuto = false; }

  /* ---- the connection to the server ---- */

  connect() {
    const socket = socketTo("feed");
    socket.onmessage = event => {
      this.attempts = 0;
      at("line").hidden = true;
      this.receive(JSON.parse(event.data));
    };
    socket.onclose = () => {
      at("line").textContent = this.values.get("run")?.state === "over"
        ? "The server has ended. The run is over, and this page stays as it is."
        : "The server does not answer. This page continues when it does.";
      at("line").hidden = false;
      setTimeout(() => this.connect(), pauseAfter(this.attempts++) * (.5 + Math.random() / 2));
    };
  }

  /** @param {any} message */
  receive(message) {
    if (message.all && this.page !== null && this.page !== message.page) return location.reload();
    this.lag = message.now - Date.now() / 1000;
    const changed = new Set(message.all ? this.values.keys() : message.drop);
    if (message.all) { this.page = message.page; this.values.clear(); }
    for (const key of message.drop) this.values.delete(key);
    for (const [key, value] of Object.entries(message.set)) { this.values.set(key, value); changed.add(key); }
    for (const key of changed) {
      const [kind, name] = key.split("/");
      if (kind === "parts") this.showPart(name);
      else if (kind === "game" || kind === "ended") this.showGame(Number(name));
      else if (kind === "thought") this.showThought(Number(name));
    }
    if (changed.has("coming")) this.showComing();
    if (changed.has("run") || changed.has("coming")) this.showState();
    if (!this.hasBegun) this.showFirst();
  }

  /* ---- the report's parts ---- */

  /** Replace a part of the report, whose tables keep their sorting and scrolling. @param {string} name */
  showPart(name) {
    const part = at(`part-${name}`), before = [...part.querySelectorAll("table.sortable")];
    const sorted = new Map(before.map(table => [table.id, table.querySelector("th[aria-sort]")]));
    const scrolled = [...part.querySelectorAll(".wide")].map(one => [one.scrollLeft, one.scrollTop]);
    const body = nodeOf(this.values.get(`parts/${name}`) ?? "");
    part.replaceChildren(...(body ? body.childNodes : []));
    part.className = body?.className ?? "";
    makeSortable(part);
    for (const table of part.querySelectorAll("table.sortable")) {
      const head = sorted.get(table.id);
      if (!head) continue;
      sortTable(table, head.cellIndex);
      if (table.tHead.rows[0].cells[head.cellIndex].ariaSort !== head.ariaSort) sortTable(table, head.cellIndex);
    }
    part.querySelectorAll(".wide").forEach((one, place) => { [one.scrollLeft, one.scrollTop] = scrolled[place] ?? [0, 0]; });
  }

  showState() {
    const run = this.values.get("run"), boards = [...this.values.keys()].filter(key => key.startsWith("game/")).length;
    if (!run) return;
    const said = [run.planned === null ? `${run.played} games played` : `${run.played} of ${run.planned} games played`];
    if (run.state === "over") said.push("the run is over");
    else if (run.state === "interrupted") said.push("the run was interrupted; this page continues when it is resumed");
    else if (boards) said.push(`${boards} being played`);
    if (run.delay) said.push(`shown ${run.delay} s late`);
    if (at("state").textContent !== `${said.join(", ")}.`) at("state").textContent = `${said.join(", ")}.`;
    at("playing").hidden = !boards;
    at("all-games").hidden = !this.viewer.games.size;
    document.title = `${run.state === "playing" ? "● " : ""}${document.querySelector("h1")?.textContent}`;
  }

  showComing() {
    const coming = (this.values.get("coming") ?? []).filter(one => !this.values.has(`game/${one.number}`)).slice(0, MOST_COMING);
    at("coming").hidden = !coming.length;
    at("next").replaceChildren(...coming.map(one => tableRow([one.number, one.black, one.white, one.opening || "the start"], ["number"])));
  }

  /* ---- games: the moves of a live game are always known; the moves of a finished game are loaded when the game is shown ---- */

  /** @param {number} number */
  showGame(number) {
    const {games, game} = this.viewer, playing = this.values.get(`game/${number}`), ended = this.values.get(`ended/${number}`), known = games.get(number);
    if (playing) games.set(number, new Game(playing));
    else if (ended && (!known || known.record.playing || JSON.stringify(known.head) !== JSON.stringify(ended))) {
      games.set(number, Object.assign(new Game(ended), {head: ended}));
    } else if (!ended) games.delete(number);
    this.showRow(number);
    this.showCard(number);
    if (game?.number === number) this.refresh(known);
    this.viewer.filter();
  }

  /** Add or update a game's row in the list, newest game first. @param {number} number */
  showRow(number) {
    const game = this.viewer.games.get(number), old = document.querySelector(`#games tr[data-number="${number}"]`);
    if (!game) return old?.remove();
    const row = this.viewer.rowOf(game);
    if (old) return old.innerHTML === row.innerHTML || old.replaceWith(row);
    const next = listedRows().find(other => Number(other.dataset.number) < number);
    if (next) next.before(row); else at("games").tBodies[0].append(row);
  }

  /** Update the displayed game. If its last position was shown, show the new last position; otherwise keep the position. @param {any} known */
  refresh(known) {
    const {viewer} = this, game = viewer.games.get(viewer.game.number), place = this.isFollowed() ? undefined : viewer.ply;
    if (!game) return;
    if (game.record.start) return viewer.load(game, place);
    this.endedAt = Date.now();
    if (known?.record.playing) viewer.show(game.number, place);
  }

  /** Show a live game some time after the displayed game has ended, unless the user has chosen a game. */
  goOn() {
    const {viewer} = this;
    if (!this.isAuto || !viewer.game || viewer.game.record.playing || Date.now() < this.endedAt + LATEST_MS) return;
    const next = [...viewer.games.values()].find(one => one.record.playing);
    if (next) viewer.load(next);
  }

  showFirst() {
    const all = [...this.viewer.games.values()], first = all.find(one => one.record.playing) ?? all.at(-1);
    if (!first) return;
    this.hasBegun = true;
    const isAuto = this.isAuto;
    if (!this.viewer.followAddress()) this.viewer.show(first.number);
    this.isAuto = isAuto;
  }

  /** @param {Game} game */
  fetch(game) {
    return game.record.start ? game : this.fetchWhole(game);
  }
  /** @param {Game} head */
  async fetchWhole(head) {
    const answer = await fetch(`games/${head.number}.json`).catch(() => null);
    if (!answer?.ok) return null;
    const whole = Object.assign(new Game(await answer.json()), {head: head.record});
    if (this.viewer.games.has(head.number)) this.viewer.games.set(head.number, whole);
    return whole;
  }

  /** @param {string} format @param {boolean} all */
  async fileText(format, all) {
    return (await fetch(all ? `games.${format}` : `games/${this.viewer.game.number}.${format}`)).text();
  }

  /* ---- boards of games that are being played ---- */

  /** @param {number} number */
  showCard(number) {
    const game = this.viewer.games.get(number);
    if (!game?.record.playing) {
      this.cards.get(number)?.remove();
      this.cards.delete(number);
      return;
    }
    if (!this.cards.has(number)) {
      const card = element("button", {className: "card"});
      card.append(element("span", {className: "hidden"}), seat("O"), drawing("11 11 322 322"), seat("X"));
      card.onclick = () => this.viewer.openGame(number);
      this.cards.set(number, card);
      const next = [...this.cards].filter(([other]) => other > number).sort(([a], [b]) => a - b)[0];
      if (next) next[1].before(card); else at("boards").append(card);
    }
    const card = this.cards.get(number), last = game.moves.at(-1);
    drawDiscs(card.querySelector("svg"), game.final.board, last === undefined ? undefined : squareOf(last));
    card.querySelector(".hidden").textContent = `Game ${number}, ${game.final.discs} after ${game.moves.length} turns`;
    this.showThought(number);
  }

  /** @param {number} number */
  showThought(number) {
    const game = this.viewer.games.get(number), card = this.cards.get(number);
    if (!card || !game?.record.playing) return;
    fillSeats(card, game, this.values.get(`thought/${number}`) ?? {});
    if (this.viewer.game?.number === number) this.showSeats();
    this.tick();
  }

  /** Show players, clocks and thoughts of the displayed game above the large board. */
  showSeats() {
    const box = at("seats"), game = this.viewer.games.get(this.viewer.game.number);
    box.hidden = !game?.record.playing;
    if (!game?.record.playing) return;
    if (!box.children.length) box.append(seat("X"), seat("O"));
    fillSeats(box, game, this.values.get(`thought/${game.number}`) ?? {});
  }

  shown() {
    this.showSeats();
    this.tick();
  }

  /** Update the clocks in the time between two messages. */
  tick() {
    const now = Date.now() / 1000 + this.lag, boxes = [...this.cards.entries()];
    if (this.viewer.game?.record.playing) boxes.push([this.viewer.game.number, at("seats")]);
    for (const [number, box] of boxes) {
      const game = this.viewer.games.get(number);
      if (game?.record.playing) tickSeats(box, game, now);
    }
  }
}
