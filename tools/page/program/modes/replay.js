/** The mode of reports and reviews, whose pages contain all games. */

import {gameFiles} from "../viewer.js";
import {Mode} from "./mode.js";

export class ReplayMode extends Mode {
  /** Return whether the displayed game is live and at its last position, so that each new move will be displayed. */
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
