/** The script of `outflank web`: its three modes, the games that they share, searches, and the page's address. */

import {announce, at, dataOf, lasting, ofTab} from "./dom.js";
import {Game} from "./game.js";
import {Look} from "./look.js";
import {PlayMode} from "./modes/play.js";
import {PractiseMode} from "./modes/practise.js";
import {gameOf} from "./modes/searched.js";
import {StudyMode} from "./modes/study.js";
import {Search} from "./search.js";
import {clearOnAction, complain, requestJson} from "./server.js";
import {translate} from "./translations.js";
import {Viewer} from "./viewer.js";
import {t} from "./words.js";

const ABOUT_MS = 60, MOST_ABOUT = 500;
const LINKED = ["black", "white", "title", "event", "place", "date", "clock"];  // the text fields of a game that a link contains

class Desk {
  constructor() {
    this.data = dataOf("desk");
    this.modes = {play: new PlayMode(this), study: new StudyMode(this), practise: new PractiseMode(this)};
    /** @type {any} */
    this.mode = this.modes[this.data.mode];
    this.viewer = new Viewer(this.mode);
    for (const mode of Object.values(this.modes)) mode.viewer = this.viewer;
    this.search = new Search(() => this.heedFound(), (turn, score, certainty) => this.noteValue(turn, score, certainty), () => this.follow());
    /** The ply for which a hint was requested. @type {number | null} */
    this.hinted = null;
    this.isAsked = false;  // whether to announce the hint to screen readers
    /** The server's facts about positions, by the rules, start position and moves as JSON. @type {Map<string, any>} */
    this.known = new Map();
    this.aboutTimer = 0;
    this.look = new Look(() => this.applyLook());
    this.viewer.board.isTurned = this.look.isTurned;
  }

  /* ---- modes ---- */

  get modeName() { return Object.entries(this.modes).find(([, mode]) => mode === this.mode)?.[0]; }

  /** @param {string} name */
  enter(name) {
    const next = this.modes[name];
    if (next !== this.mode) this.mode.leave();
    this.mode = this.viewer.mode = next;
    this.hinted = null;
    document.body.dataset.mode = name;
    for (const tab of /** @type {any} */ (document.querySelectorAll("[role=tab]"))) {
      tab.ariaSelected = String(tab.dataset.mode === name);
      tab.tabIndex = tab.dataset.mode === name ? 0 : -1;
    }
    document.body.classList.remove("waiting");
    this.showSwitch();
    next.enter();
    if (this.viewer.game) this.viewer.go(this.viewer.ply);
  }

  /* ---- games ---- */

  /** List the games that the server has read, and show the first one. @param {any} listing @param {boolean} replaces whether these games replace the listed games. */
  take(listing, replaces = false) {
    const sentences = [...listing.bad ?? []];
    if (listing.total > listing.games.length) sentences.unshift(t("The first {0} of {1} games are shown.", listing.games.length, listing.total));
    for (const {warning} of listing.games) if (warning) sentences.push(warning);
    if (sentences.length) complain(sentences.slice(0, 10).join("; "));
    if (!listing.games.length) return;
    const {games} = this.viewer;
    if (replaces || [...games.values()].every(game => this.isBlank(game))) games.clear();
    const first = Math.max(0, ...games.keys());
    for (const record of listing.games) {
      record.number += first;
      const game = new Game(record);
      if (game.isOpen) game.passIfForced();
      games.set(game.number, game);
    }
    this.listGames();
    this.viewer.show(listing.games[0].number);
  }

  /** Show a game that was created on this page. @param {Game} game */
  takeGame(game) {
    const {games} = this.viewer, known = [...games.values()].find(each => each.record.play && each.record.play === game.record.play);
    if ([...games.values()].every(each => this.isBlank(each))) games.clear();
    game.record.number = known?.number ?? Math.max(0, ...games.keys()) + 1;
    games.set(game.number, game);
    this.listGames();
    this.viewer.load(game);
  }

  /** Whether a game contains no data and may therefore be removed from the list. @param {Game} game */
  isBlank(game) { return !game.moves.length && !game.record.black && !game.record.white && !game.record.comment && !game.variations.length; }

  listGames() {
    const games = [...this.viewer.games.values()], options = (first, names) => [new Option(first, ""), ...[...new Set(names)].sort().map(name => new Option(name))];
    at("games").tBodies[0].replaceChildren(...games.map(game => this.viewer.rowOf(game)));
    at("list").parentElement.hidden = games.length === 1;
    at("list").closest(".games").classList.toggle("single", games.length === 1);
    at("by-engine").replaceChildren(...options(t("all players"), games.flatMap(({record}) => [record.black ?? "", record.white ?? ""]).filter(name => name)));
    at("by-ending").replaceChildren(...options(t("all endings"), games.map(({record}) => record.ending ?? "").filter(ending => ending)));
    this.viewer.filter();
  }

  /** Open a file or a text. The games of a file replace the list. @param {any} content @param {string} name */
  async read(content, name = "") {
    complain("");
    const listing = await requestJson(`read?name=${encodeURIComponent(name)}`, content);
    if (listing) this.take(listing, name !== "");
  }

  /** Begin a new game. @param {any} described */
  async startGame(described) {
    const game = await gameOf(described);
    if (game) this.take({games: [game.record]});
  }

  /* ---- searches ---- */

  /** Whether to search the displayed position: the mode's search is on or a hint was requested, and no position is being set up. */
  get isOn() { return !this.modes.study.setting && (this.mode.isSearched || this.hinted === this.viewer.ply); }

  /** Request facts about the displayed position, and search it if searching is on. */
  follow() {
    const {viewer, mode} = this;
    if (this.hinted !== viewer.ply) this.hinted = null;
    document.body.classList.toggle("searching", this.isOn);
    document.body.classList.toggle("analysing", mode.isSearched);
    if (!this.isOn || !viewer.game) this.search.stop();
    else this.search.ask(viewer.game, viewer.ply, mode.isSearched);
    clearTimeout(this.aboutTimer);
    if (viewer.game) this.aboutTimer = setTimeout(() => this.tell(), ABOUT_MS);
  }

  refresh() {
    this.follow();
    if (this.viewer.game) this.viewer.draw();
  }

  heedFound() {
    if (!this.viewer.game) return;
    this.viewer.showMoves();
    if (this.isAsked && this.search.found.kind === "result") {
      this.isAsked = false;
      announce(this.mode.evaluation());
    }
  }

  /** @param {number} turn @param {number} score @param {string} certainty */
  noteValue(turn, score, certainty) {
    const {game} = this.viewer;
    game.note("review", turn, score);
    game.note("depths", turn, certainty);
    this.viewer.drawGraph();
    this.viewer.drawFacts();
  }

  /** Search the displayed position briefly, for a hint. @param {boolean} isAsked whether to announce the result. */
  hint(isAsked) {
    this.isAsked = isAsked;
    this.hinted = this.viewer.ply;
    this.refresh();
  }

  showSwitch() {
    at("engine").ariaPressed = String(this.mode.isSearched);
    at("engine").textContent = t(this.mode.isSearched ? "Analysis on" : "Analysis off");
  }

  /** Return the server's facts about a position: book moves, opening, games of the archive. @param {Game} game @param {number} ply */
  async about(game, ply) {
    const described = {rules: game.record.rules, position: game.first.toString(), moves: game.moves.slice(0, ply).join(" ")}, key = JSON.stringify(described);
    if (!this.known.has(key)) {
      const found = await requestJson("about", described);
      if (!found) return null;
      if (this.known.size > MOST_ABOUT) this.known.clear();
      this.known.set(key, found);
    }
    return this.known.get(key);
  }

  async tell() {
    const {game, ply} = this.viewer, found = await this.about(game, ply);
    if (game === this.viewer.game && ply === this.viewer.ply) this.mode.tell(found);
  }

  /* ---- look ---- */

  applyLook() {
    this.viewer.board.isTurned = this.look.isTurned;
    if (this.viewer.game) this.viewer.draw();
  }

  /* ---- the address, and the state that survives a reload ---- */

  /** Return the displayed game and position as a URL fragment that every page of `outflank web` can open. Default rules and boards are left out. */
  linkOfGame() {
    const {game, ply} = this.viewer, {record} = game;
    /** @type {Record<string, string>} */
    const fields = {moves: game.moves.join(game.first.oneWay ? " " : ""), ply: String(ply)};
    if (record.rules !== this.data.usual) fields.rules = record.rules;
    if (game.first.toString() !== this.data.start) fields.position = game.first.toString();
    for (const name of LINKED) if (record[name]) fields[name] = record[name];
    if (record.is_recorded && !game.isChanged)
      for (const name of ["ending", "winner", "margin"]) if (record[name] !== undefined && record[name] !== null) fields[name] = String(record[name]);
    return `#${new URLSearchParams(fields)}`;
  }

  /** The id of the game that the server referees; null unless the play mode displays this game. */
  get played() {
    const {game} = this.viewer, {state} = this.modes.play;
    return this.mode === this.modes.play && state && game?.root.record.play === state.play ? state.play : null;
  }

  /** Return the URL fragment of the displayed game and position. */
  linked() {
    const {game, ply, games} = this.viewer;
    if (this.played !== null) return `#play=${this.played}`;
    const place = games.size > 1 && !game.trunk ? `#game=${game.number}&ply=${ply}` : this.linkOfGame();
    if (this.mode !== this.modes.play) return place;
    return this.isBlank(game) && games.size === 1 ? "#play" : place.replace("#", "#play=&");
  }

  /** Save the games, so that they survive a reload of this tab. The address may be up to a second older than the saved games. */
  keep() {
    const shown = this.modes.practise.left ?? [this.viewer.game, this.viewer.ply];
    if (!shown[0]) return;
    const games = [...this.viewer.games.values()].map(game => ({record: game.toRecord(), lines: game.lines().slice(1).map(line => line.moves)}));
    ofTab.set("games", JSON.stringify({games, number: shown[0].number, moves: shown[0].moves, ply: shown[1], hash: location.hash, mode: this.modeName, play: this.played}));
  }

  /** Restore the games after a reload. Return the data that `keep` has saved, or null if no data were saved for this address. */
  restore() {
    const [navigation] = /** @type {any[]} */ (performance.getEntriesByType("navigation")), kept = JSON.parse(ofTab.get("games") ?? "null");
    if (navigation?.type === "navigate" || !kept || kept.hash !== location.hash) return null;
    const {games} = this.viewer;
    for (const {record, lines} of kept.games) {
      const game = new Game(record);
      games.set(game.number, game);
      for (const line of lines) game.follow(0, line);
    }
    this.listGames();
    if (kept.mode !== this.modeName) this.enter(kept.mode);
    const game = /** @type {Game} */ (games.get(kept.number));
    this.viewer.load(...game.follow(0, kept.moves));
    this.viewer.go(kept.ply);
    return kept;
  }

  /** Show the game of a link up to its first illegal move. @param {URLSearchParams} wanted */
  async followLink(wanted) {
    const record = await requestJson("game", Object.fromEntries(wanted));
    if (!record) return false;
    this.take({games: [record]});
    const ply = Number(wanted.get("ply"));
    if (wanted.has("ply") && !(Number.isInteger(ply) && ply >= 0)) complain(t("The link names no position: ply={0}.", wanted.get("ply")));
    else if (wanted.has("ply")) this.viewer.go(ply);
    return true;
  }

  /** Show the games saved before a reload; without these, the game that the address names; without either, the games of the command line. */
  async open() {
    const wanted = new URLSearchParams(location.hash.slice(1)), hasGame = wanted.has("moves") || wanted.has("position");
    this.enter(wanted.has("play") ? "play" : wanted.has("practise") ? "practise" : hasGame || wanted.has("game") ? "study" : this.data.mode);
    const isFirst = !this.viewer.game, kept = isFirst ? this.restore() : null;
    if (!kept && !(hasGame && await this.followLink(wanted))) {
      if (isFirst) this.take(await requestJson("first"));
      if (wanted.has("game") && !this.viewer.followAddress()) complain(t("Game {0} is no longer in the list.", wanted.get("game")));
    }
    const play = wanted.get("play") || kept?.play;
    if (play) this.modes.play.ask({do: "attach", game: play});
  }

  begin() {
    clearOnAction();
    this.viewer.begin();
    this.search.connect();
    for (const tab of /** @type {any} */ (document.querySelectorAll("[role=tab]"))) {
      tab.onclick = () => this.enter(tab.dataset.mode);
      tab.onkeydown = event => {
        const next = {ArrowLeft: tab.previousElementSibling, ArrowRight: tab.nextElementSibling}[event.key];
        if (!next) return;
        event.stopPropagation();
        next.click();
        next.focus();
      };
    }
    at("engine").onclick = () => { this.mode.isSearched = !this.mode.isSearched; this.showSwitch(); this.refresh(); };
    at("lined").onchange = () => this.viewer.draw();
    at("language").onchange = event => { lasting.set("language", event.target.value); location.reload(); };
    this.heedFiles();
    // A reload loads the address that was current when the reload began. If the address changed after that, `keep` would save another hash, and `restore` would refuse the saved games.
    addEventListener("beforeunload", () => this.viewer.cancelAddress());
    addEventListener("pagehide", () => this.keep());
    addEventListener("hashchange", () => this.open());
    this.open();
  }

  /** Open texts and files that are pasted or dropped anywhere on the page. */
  heedFiles() {
    const take = data => {
      const file = data.files[0], text = data.getData("text");
      if (file && !file.type.startsWith("image/")) this.read(file, file.name);
      else if (text.trim()) this.read(text);
      else return complain(t("That is not text: paste moves, a board or a game, or drop a file of games."));
      this.enter("study");
    };
    document.addEventListener("paste", event => {
      if (!/** @type {any} */ (event.target).closest("textarea, input")) take(event.clipboardData);
    });
    document.addEventListener("dragover", event => event.preventDefault());
    document.addEventListener("drop", event => {
      event.preventDefault();
      take(event.dataTransfer);
    });
  }
}

translate();
const desk = new Desk();
desk.begin();
