/** The script of the pages of reports and reviews. */

import {at, dataOf} from "./dom.js";
import {Game} from "./game.js";
import {ReplayMode} from "./modes/replay.js";
import {Viewer} from "./viewer.js";

const mode = new ReplayMode(), viewer = new Viewer(mode);
mode.viewer = viewer;
for (const record of dataOf("replays")) viewer.games.set(record.number, new Game(record));
at("games").tBodies[0].append(...[...viewer.games.values()].map(game => viewer.rowOf(game)));
viewer.begin();
window.onhashchange = () => viewer.followAddress();
if (!viewer.followAddress() && viewer.games.size) viewer.show([...viewer.games.keys()][0]);
