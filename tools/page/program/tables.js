/** The script of pages without a board, which makes tables sortable. */

import {makeSortable} from "./sort.js";

makeSortable(document);
