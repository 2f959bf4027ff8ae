/** The script of the live page of a run. */

import {LiveMode} from "./modes/live.js";
import {Viewer} from "./viewer.js";

const mode = new LiveMode(), viewer = new Viewer(mode);
mode.viewer = viewer;
viewer.begin();
for (const button of /** @type {any} */ (document.querySelectorAll("#downloads button")))
  button.onclick = () => viewer.save(button.dataset.format, "all" in button.dataset);
mode.enter();
