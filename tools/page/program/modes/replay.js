/** The mode of reports and reviews, whose pages contain all games. */

import {gameFiles} from "../viewer.js";
import {Mode} from "./mode.js";

export class ReplayMode extends Mode {
  /** Whether the last position of a live game is shown, so that its next move will be shown too. */
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
