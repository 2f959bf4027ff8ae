/** The rows for the two sides of a game, with names, disc counts, clocks and engine thoughts. */

import {element} from "./dom.js";
import {Game} from "./game.js";
import {clockText, signed} from "./numbers.js";
import {colourName} from "./words.js";

/** Return the name of a side's player, or the name of the side's colour if the player has no name. @param {Game} game @param {string} side */
export const playerName = (game, side) => (side === "X" ? game.record.black : game.record.white) || colourName(side);

/** Return an empty row for a side. @param {string} side */
export function seat(side) {
  const row = element("span", {className: "seat"});
  row.dataset.side = side;
  row.innerHTML = `<span class="who"><span class="side ${side === "X" ? "first" : "second"}"></span> <span class="name"></span></span>` +
    `<span class="discs"></span><span class="clock"></span><span class="thought"><span class="worth"></span> <span class="pv"></span></span>`;
  return row;
}

/** Return a side's last score in discs for Black. If the score comes from the current search, a slash and the depth are appended. @param {Game} game @param {any} thought @param {string} side */
function worth(game, thought, side) {
  const last = game.column("values").findLastIndex((value, turn) => value !== null && game.mover(turn) === side);
  if (thought && thought.value !== null && thought.ply > last) return signed(thought.value, 2) + (thought.depth ? `/${thought.depth}` : "");
  return last < 0 ? "" : signed(game.fact("values", last), 2);
}

/**
 * Fill the two rows of a box with facts about a game.
 * @param {any} box
 * @param {Game} game
 * @param {Record<string, any>} thoughts the last report of each engine, by its side.
 * @param {import("./game.js").Position} position the position whose discs are counted.
 */
export function fillSeats(box, game, thoughts, position = game.final) {
  for (const row of box.querySelectorAll(".seat")) {
    const side = row.dataset.side;
    row.querySelector(".name").textContent = playerName(game, side);
    row.querySelector(".discs").textContent = position.count(side);
    row.querySelector(".worth").textContent = worth(game, thoughts[side], side) || "\u00a0";
    row.querySelector(".pv").textContent = thoughts[side]?.pv ?? "";
    row.classList.toggle("moves", game.record.thinking === side);
  }
}

/** Update the clocks of a box in the time between two messages. @param {any} box @param {Game} game @param {number} now the server's time, in seconds since 1970. */
export function tickSeats(box, game, now) {
  const {clocks = [null, null], thinking = null, since = 0} = game.record;
  for (const row of box.querySelectorAll(".seat")) {
    const left = clocks[row.dataset.side === "X" ? 0 : 1];
    const spent = thinking === row.dataset.side ? Math.max(0, now - since) : 0;
    row.querySelector(".clock").textContent = left === null ? (spent ? clockText(spent) : "") : clockText(Math.max(0, left - spent));
  }
}
