/** Games that the server referees, between people and engines; docs/web.md describes them. */

import {announce, at, say} from "../dom.js";
import {Game} from "../game.js";
import {clockOf} from "../numbers.js";
import {fillSeats, playerName, seat, tickSeats} from "../seats.js";
import {complain, connectionFails, explainClosedSocket, pauseAfter, socketTo} from "../server.js";
import {colourName, t} from "../words.js";
import {SearchedMode, openingMoves} from "./searched.js";

const TICK_MS = 200, SIDES = {black: "X", white: "O"};

export class PlayMode extends SearchedMode {
  /** @param {any} desk */
  constructor(desk) {
    super(desk, false);
    /** @type {WebSocket | null} */
    this.socket = null;
    /** The server's game; null while the form is shown, and until a complete game has been received. @type {Game | null} */
    this.game = null;
    this.lag = 0;
    this.attempts = 0;
    /** The move that the user clicked to start the game; null as soon as the server's game accepts moves. @type {string | null} */
    this.clicked = null;
    at("players").onchange = () => this.showForm();
    at("players").onsubmit = event => { event.preventDefault(); this.start(); };
    at("take-back").onclick = () => this.ask({do: "take_back"});
    at("resign").onclick = () => this.ask({do: "resign"});
    at("pause").onclick = () => this.ask({do: this.state.paused ? "resume" : "pause"});
    at("hint").onclick = () => { this.viewer.go(this.viewer.game.moves.length); desk.hint(false); };
    at("again").onclick = () => this.setAside();
    at("judge").onclick = () => { desk.enter("study"); this.viewer.go(this.viewer.game.moves.length); at("review").click(); };
    at("play-on").onclick = () => {
      at("start").value = "shown";
      this.setAside();
      desk.enter("play");
      at("players").querySelector(".main").focus();
    };
    setInterval(() => this.tick(), TICK_MS);
  }

  enter() {
    this.showForm();
    this.showState();
    if (this.game && this.viewer.game?.root !== this.game) this.desk.takeGame(this.game);
  }

  /* ---- the connection to the referee ---- */

  /** Send a request to the referee, over a new connection if there is none. @param {any} message */
  ask(message) {
    if (this.socket?.readyState === WebSocket.OPEN) return this.socket.send(JSON.stringify(message));
    if (this.socket) return this.socket.addEventListener("open", () => this.socket?.send(JSON.stringify(message)));
    const socket = socketTo("play");
    this.socket = socket;
    let isOpen = false;
    socket.onopen = () => {
      isOpen = true;
      this.attempts = 0;
      connectionFails("");
      socket.send(JSON.stringify(message));
    };
    socket.onmessage = event => { if (this.socket === socket) this.receive(JSON.parse(event.data)); };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (!isOpen) explainClosedSocket();
      if (this.state?.playing) setTimeout(() => this.ask({do: "attach", game: this.state.play}), pauseAfter(this.attempts++));
    };
  }

  /** Apply a new state of the game with its new turns. If the last position was shown, show the new last position. @param {any} message */
  receive({error, game: record, from, turns, ...state}) {
    if (error) {
      this.clicked = null;
      complain(error);
      if (!this.state) this.desk.enter("play");
      return;
    }
    const isNew = this.state?.play !== state.play, {viewer} = this;
    const isShown = !isNew && viewer.game?.root === this.game, wasAtEnd = isShown && viewer.game === this.game && viewer.atEnd;
    const before = this.game?.moves.length ?? 0;
    this.lag = state.now - Date.now() / 1000;
    if (record) {
      const again = !isNew && this.game;
      this.game = new Game(record);
      if (again) this.game.variations = again.variations;
    }
    if (!this.game) return;
    if (from < this.game.moves.length) this.game.cut(from);
    for (const {move, ...facts} of turns) this.game.play(move, facts);
    Object.assign(this.game.record, state, {turns: this.game.moves.join(" ")});
    if (!isNew && state.is_recorded) {
      this.game.record.result = state.ending === "discs" ? this.game.final.discs : state.winner ? t("{0} wins", colourName(state.winner)) : "";
      this.desk.listGames();
    }
    this.announce(before, isNew);
    if (this.clicked && state.thinking) {
      if (this.isMine) this.ask({do: "move", move: this.clicked});
      this.clicked = null;
    }
    if (isNew) {
      if (this.desk.mode !== this) this.desk.enter("play");
      this.desk.takeGame(this.game);
    } else if (isShown && (record || turns.length || from < before)) {
      viewer.games.set(this.game.number, this.game);
      viewer.load(wasAtEnd || viewer.game !== this.game && !viewer.game.trunk ? this.game : viewer.game, wasAtEnd ? this.game.moves.length : viewer.ply);
    }
    this.showState();
  }

  /** Announce moves that the user did not make, and the state of the game. @param {number} before the previous number of turns. @param {boolean} isNew */
  announce(before, isNew) {
    const game = /** @type {Game} */ (this.game), turns = isNew ? [] : [...game.moves.keys()].slice(before);
    const said = turns.filter(turn => game.moves[turn] === "pass" || !this.state.people.includes(game.mover(turn)) || this.state.people.length > 1);
    const text = [...said.map(turn => this.turnText(game, turn)), turns.length || isNew || !this.state.playing ? this.verdict() : ""].join(" ").trim();
    announce(text);
  }

  /* ---- the state of the game ---- */

  /** The record of the server's game, with the state that the server has sent. @type {any} */
  get state() { return this.game && this.game.record; }
  get isMine() { return Boolean(this.state?.playing && this.state.thinking && this.state.people.includes(this.state.thinking)); }
  /** Whether the displayed game is the server's game, not a variation. */
  get isSeated() { return this.state !== null && this.viewer.game === this.game && this.desk.mode === this; }

  verdict() {
    const {state, game} = this;
    if (!game) return "";
    if (state.trouble) return state.trouble;
    if (!state.playing) {
      if (state.ending === "discs") {
        const count = game.final.discs;
        return state.winner ? t("{0} wins by {1}, {2}.", colourName(state.winner), Math.abs(state.margin), count) : t("A draw, {0}.", count);
      }
      return `${t("{0} wins: {1}.", colourName(state.winner), t(state.ending))} ${state.detail}`;
    }
    if (state.paused) return t("The game is paused.");
    const {side} = game.final, isPass = game.moves.at(-1) === "pass";
    const passed = isPass ? `${t("{0} has no move and passes.", colourName(game.mover(game.moves.length - 1)))} ` : "";
    if (!state.people.includes(side)) return passed + t("{0} thinks …", playerName(game, side));
    return passed + (state.people.length > 1 ? t("{0} to move", colourName(side)) : t("Your move: you play {0}.", colourName(side)));
  }

  showState() {
    const {state} = this, isOver = state !== null && !state.playing, people = state?.people.length ?? 0;
    at("players").hidden = state !== null && !isOver;
    at("acts").hidden = state === null;
    say("verdict", this.verdict());
    at("verdict").className = state?.fault || state?.trouble ? "bad" : "";
    this.showSeats();
    at("pause").hidden = isOver;
    at("pause").textContent = t(state?.paused ? "Resume" : "Pause");
    at("hint").hidden = at("resign").hidden = isOver || !people;
    at("judge").hidden = !isOver || !this.game?.moves.length;
    at("again").hidden = isOver;
    document.body.classList.toggle("waiting", this.isSeated && !isOver && !this.isMine);
    this.tick();
  }

  showSeats() {
    const box = at("seats");
    box.hidden = !this.game;
    if (!this.game) return;
    if (!box.children.length) box.append(seat("X"), seat("O"));
    fillSeats(box, this.game, {}, this.viewer.game?.root === this.game ? this.viewer.position : this.game.final);
  }

  tick() {
    if (this.game && !at("seats").hidden) tickSeats(at("seats"), this.game, Date.now() / 1000 + this.lag);
  }

  shown() {
    super.shown();
    this.showSeats();
    document.body.classList.toggle("waiting", this.isSeated && this.state.playing && !this.isMine);
  }

  /* ---- moves ---- */

  /** Return the facts about a turn. During the user's own game, they contain scores only while the analysis is on. @param {number} turn */
  facts(turn) {
    const all = super.facts(turn);
    return this.isSeated && this.state.playing && !this.desk.isOn ? all.slice(0, 1) : all;
  }

  mayMove() { return !this.isSeated || !this.state.playing || this.isMine && this.viewer.atEnd; }

  /** @param {number} place @param {string[]} moves */
  line(place, moves) {
    if (!this.state) {  // a click on the board starts a game from the displayed position with the form's other settings
      at("start").value = this.viewer.position.toString() === this.desk.data.start ? "usual" : "shown";
      this.showForm();
      this.clicked = moves[0];
      return this.start();
    }
    if (!this.isSeated || !this.state.playing) return super.line(place, moves);
    if (place !== this.game?.moves.length) return complain(t("This is an earlier position of the game: take back moves, or go to the end."));
    if (this.isMine) this.ask({do: "move", move: moves[0]});
  }

  /* ---- the form ---- */

  showForm() {
    for (const name of Object.keys(SIDES)) {
      const select = at(name), limits = this.desk.data.scales[select.value], input = at(`${name}-strength`);
      input.hidden = !limits;
      if (limits) [input.min, input.max] = limits;
      const isFit = limits && input.value !== "" && Number(input.value) >= limits[0] && Number(input.value) <= limits[1] && input.dataset.scale === select.value;
      if (limits && !isFit) input.value = limits[2];
      input.dataset.scale = select.value;
    }
    at("opening").hidden = at("start").value !== "opening";
  }

  /** Start a game with the settings of the form. */
  async start() {
    const {game, ply} = this.viewer, start = at("start").value;
    /** @type {any} */
    const message = {do: "new", time: clockOf(at("clock").value), rules: at("rules").value};
    for (const name of Object.keys(SIDES)) message[name] = {who: at(name).value, strength: Number(at(`${name}-strength`).value)};
    if (start === "shown" && game) Object.assign(message, {rules: game.record.rules, position: game.first.toString(), moves: game.moves.slice(0, ply).join(" ")});
    if (start === "opening") {
      message.moves = await openingMoves(at("opening").value, message.rules);
      if (message.moves === null) { this.clicked = null; return; }
    }
    this.ask(message);
  }

  /** Show the form. A game in progress is paused; the address of the game leads back to the game. */
  setAside() {
    if (this.state?.playing && !this.state.paused) this.ask({do: "pause"});
    this.socket?.close();
    this.socket = null;
    this.game = null;
    this.showForm();
    this.showState();
  }
}
