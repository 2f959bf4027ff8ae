/** The base class of the three modes of `outflank web`. It shows search scores, the book and the archive, and sets the address. */

import {announce, at, say, tableRow} from "../dom.js";
import {Game, PASS} from "../game.js";
import {signed} from "../numbers.js";
import {playerName} from "../seats.js";
import {requestJson} from "../server.js";
import {colourName, t, useColours} from "../words.js";
import {Mode} from "./mode.js";

export class SearchedMode extends Mode {
  /** @param {any} desk the page. @param {boolean} isSearched whether positions are searched by default. */
  constructor(desk, isSearched) {
    super();
    this.desk = desk;
    this.isSearched = isSearched;
    /** The previously displayed game and position. @type {{game: Game, ply: number} | null} */
    this.before = null;
  }

  get search() { return this.desk.search; }

  /** @param {Game} game */
  opening(game) {
    useColours(game.record.colours ?? []);
    const names = ["X", "O"].map(side => playerName(game, side)), isNamed = game.record.black || game.record.white;
    document.title = isNamed ? `${names.join(" – ")} · Outflank` : game.record.called ? `${game.record.called} · Outflank` : "Outflank";
  }

  /** Return the turning point of a game, if known. Otherwise return 0 for a game that has players or a result and was not played on this server, and the last ply for any other game. @param {Game} game */
  firstPly(game) {
    const {black, white, is_recorded, turned, play} = game.record;
    return turned ?? (!play && (black || white || is_recorded) ? 0 : game.moves.length);
  }

  shown() {
    const {game, ply} = this.viewer;
    if (this.before && this.before.game.root === game.root && ply === this.before.ply + 1) this.desk.look.tap();
    this.before = {game, ply};
    this.desk.follow();
    at("link").hidden = true;
  }

  known() {
    const {found} = this.search;
    if (found) return found.lines.map(line => ({...line, isExact: found.exact}));
    return this.desk.isOn ? this.viewer.reviewed() : [];
  }

  note() {
    const {position} = this.viewer, {found} = this.search, mover = t("{0} to move", colourName(position.side));
    if (!position.moves.length) return t(position.isOver ? "the game is over" : "pass");
    if (!found) return this.desk.isOn ? mover : t("{0}, analysis off", mover);
    const sure = found.exact ? t("exact") : t("depth {0}", found.depth) + (found.selectivity < 100 ? ` (${found.selectivity} %)` : "");
    return t("{0}, {1}, {2} nodes", mover, sure, Math.round(found.nodes).toLocaleString("en"));
  }

  /** Return the evaluation as a text for screen readers. */
  evaluation() {
    const [best] = this.known();
    if (!best) return "";
    return t("Best: {0}, {1}. {2}.", best.move, this.viewer.scoreText(best.score), this.note());
  }
  speak() {
    if (this.evaluation()) return announce(this.evaluation());
    this.desk.hint(true);
  }

  /** Return a turn as a text for screen readers. @param {Game} game @param {number} turn */
  turnText(game, turn) {
    const side = colourName(game.mover(turn));
    return game.moves[turn] === PASS ? t("{0} has no move and passes.", side) : t("{0} plays {1}.", side, game.moves[turn].replace("/", " "));
  }

  heading(game) { return this.viewer.games.size > 1 ? `${t("Game")} ${game.number}: ` : ""; }
  address() { return this.desk.linked(); }

  /** Show the book moves, the opening and the archive's games of the displayed position. @param {any} about */
  tell(about) {
    const book = about?.book ?? [];
    say("book", book.length ? `${t("Book")}: ${book.map(one => `${one.move} ${this.viewer.scoreText(one.score)}`).join(", ")}` : "");
    if (about) say("called", about.called);
    if (!at("played") || !about?.archive) return;
    const {games, moves} = about.archive;
    say("reached", games ? games === 1 ? t("1 game in the archive") : t("{0} games in the archive", games.toLocaleString("en")) : t("No game in the archive"));
    at("played").hidden = !moves.length;
    at("played").tBodies[0].replaceChildren(...moves.map(move => this.playedRow(move)));
  }

  /** Return the table row of a move that was played in games of the archive. @param {any} move */
  playedRow(move) {
    const decided = move.won + move.drawn + move.lost, share = part => decided ? `${Math.round(100 * part / decided)} %` : "";
    const numbers = [move.games.toLocaleString("en"), share(move.won), share(move.drawn), share(move.lost), move.mean === null ? "" : signed(move.mean, 1)];
    const who = [move.strongest.join(", "), ...(move.opening ? [`(${move.opening})`] : [])].join(" ");
    const row = tableRow(["", ...numbers, [...new Set(move.years ?? [])].join("–"), who], ["", ...numbers.map(() => "number"), "", "who"]);
    row.cells[0].append(this.viewer.steps(this.viewer.ply, move.move)[0]);
    return row;
  }
}

/** Return the moves of an opening, given by its name or its moves. If the text is neither, show an error and return null. @param {string} text @param {string} rules */
export async function openingMoves(text, rules) {
  const found = await requestJson("opening", {text, rules});
  return found && found.moves;
}

/** Return the game that the server builds from a description. @param {any} described */
export async function gameOf(described) {
  const record = await requestJson("game", described);
  return record && new Game(record);
}

