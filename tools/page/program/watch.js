/** The script of the live page of a run. */

import {LiveMode} from "./modes/live.js";
import {Viewer} from "./viewer.js";

const mode = new LiveMode(), viewer = new Viewer(mode);
mode.viewer = viewer;
viewer.begin();
mode.enter();
