/** The interface of a page's modes, which the viewer calls. Each mode overrides the methods that it needs. */

import {t, colourName} from "../words.js";

/** @typedef {import("../game.js").Game} Game */

export class Mode {
  /** @type {any} */
  viewer = null;

  /** Called when the mode begins. */
  enter() {}
  /** Called when the mode ends, before another mode begins. */
  leave() {}

  /** Handle the choice of a square on the board. @param {number} square */
  square(square) {
    const {viewer} = this, moves = viewer.position.movesAt(square), {ply} = viewer;
    if (moves.length > 1 && this.mayMove()) viewer.board.askDirection(moves, move => this.line(ply, [move]));
    else if (moves.length) this.line(ply, [moves[0]]);
  }
  /** Whether a move may be made in the displayed position. */
  mayMove() { return true; }
  /** Handle the user's choice of a move or a line. @param {number} place the position at which the line begins. @param {string[]} moves */
  line(place, moves) { this.viewer.playLine(place, moves); }
  /** Return the facts to show about a turn, as texts or lists of nodes. @param {number} turn */
  facts(turn) { return this.viewer.turnFacts(turn); }

  /** Called when another position is shown. */
  shown() {}
  /** Called before a game is shown. @param {Game} game */
  opening(game) {}
  /** Called when the user has chosen a game. */
  chosen() {}
  /** Return the complete game, or a promise of the game; null if the game can't be loaded. @param {Game} game @returns {Game | Promise<Game | null>} */
  fetch(game) { return game; }

  /** Return the board to draw. */
  boardShown() { return this.viewer.position.board; }
  /** Return the legal moves to mark. @returns {string[]} */
  legal() { return this.viewer.position.moves; }
  /** Return the moves with known scores, best first. @returns {import("../game.js").Choice[]} */
  known() { return this.viewer.reviewed(); }
  /** Return a text about the side to move and the certainty of the scores. */
  note() {
    const depth = this.viewer.game.fact("depths", this.viewer.ply);
    return t("{0} to move", colourName(this.viewer.position.side)) + (depth ? `, ${depth}` : "");
  }
  /** Announce the evaluation of the position to screen readers. */
  speak() {}

  /** Return the position that is shown when the game is opened. @param {Game} game */
  firstPly(game) { return game.record.turned ?? game.moves.length; }
  /** Return the text before the players' names in the title. @param {Game} game */
  heading(game) { return `${t("Game")} ${game.number}: `; }
  /** Return the URL fragment of the displayed position; empty if the mode has no addresses. */
  address() { return ""; }
  /** Return a file with the displayed game, or with all games. @param {string} format @param {boolean} all @returns {Promise<string>} */
  async fileText(format, all) { return ""; }
}
