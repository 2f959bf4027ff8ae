/** The program of pages without a board: tables that are sorted. */

import {makeSortable} from "./sort.js";

makeSortable(document);
