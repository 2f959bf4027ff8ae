/** What a page does with its board: the methods that the viewer calls. A mode overrides those in which it differs. */

import {t, colourName} from "../words.js";

/** @typedef {import("../game.js").Game} Game */

export class Mode {
  /** @type {any} */
  viewer = null;

  /** The mode begins. */
  enter() {}
  /** The mode ends; another one begins. */
  leave() {}

  /** A square of the board was chosen. @param {number} square */
  square(square) {
    const {viewer} = this, moves = viewer.position.movesAt(square), {ply} = viewer;
    if (moves.length > 1 && this.mayMove()) viewer.board.askDirection(moves, move => this.line(ply, [move]));
    else if (moves.length) this.line(ply, [moves[0]]);
  }
  /** Whether a move may be made in the position shown. */
  mayMove() { return true; }
  /** A line was chosen, such as a better one. @param {number} place the position at which it begins. @param {string[]} moves */
  line(place, moves) { this.viewer.playLine(place, moves); }
  /** Return what is said about a turn: texts, or lists of nodes. @param {number} turn */
  facts(turn) { return this.viewer.turnFacts(turn); }

  /** Another position is shown. */
  shown() {}
  /** A game is about to be shown. @param {Game} game */
  opening(game) {}
  /** The reader has chosen a game. */
  chosen() {}
  /** Return all of a game, now or later; null if it can't be had. @param {Game} game @returns {Game | Promise<Game | null>} */
  fetch(game) { return game; }

  /** Return the board that is drawn. */
  boardShown() { return this.viewer.position.board; }
  /** Return the legal moves that are marked. @returns {string[]} */
  legal() { return this.viewer.position.moves; }
  /** Return the moves whose scores are known, the best first. @returns {import("../game.js").Choice[]} */
  known() { return this.viewer.reviewed(); }
  /** Return who is to move and how sure the scores are. */
  note() {
    const depth = this.viewer.game.fact("depths", this.viewer.ply);
    return t("{0} to move", colourName(this.viewer.position.side)) + (depth ? `, ${depth}` : "");
  }
  /** Say the evaluation of the position aloud. */
  speak() {}

  /** Return the position that is shown first. @param {Game} game */
  firstPly(game) { return game.record.turned ?? game.moves.length; }
  /** Return what stands before the players. @param {Game} game */
  heading(game) { return `${t("Game")} ${game.number}: `; }
  /** Return the fragment that leads back to the position shown; empty where none does. */
  address() { return ""; }
  /** Return a file of the game shown, or of all games. @param {string} format @param {boolean} all @returns {Promise<string>} */
  async fileText(format, all) { return ""; }
}
