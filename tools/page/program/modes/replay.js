/** A report or a review: all games are in the page. */

import {gameFiles} from "../viewer.js";
import {Mode} from "./mode.js";

export class ReplayMode extends Mode {
  /** Whether the newest position of a game that is being played is shown: its next move will be shown too. */
  isFollowed() { return Boolean(this.viewer.game.record.playing) && this.viewer.atEnd; }

  address() {
    const {game, ply} = this.viewer;
    return game.trunk ? "" : `#game=${game.number}${this.isFollowed() ? "" : `&ply=${ply}`}`;
  }

  /** @param {string} format @param {boolean} all */
  async fileText(format, all) {
    const files = await gameFiles(format), {games, game} = this.viewer;
    return all ? files.join("") : files[[...games.keys()].indexOf(game.number)];
  }
}
