"use strict";
// Stands after report.js.
