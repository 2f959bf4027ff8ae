/** The board, which draws a position with marks. It reports squares that the user chooses by mouse, touch or keyboard. */

import {PASS, squareOf} from "./game.js";
import {announce, at, draw, element} from "./dom.js";
import {colourName, t} from "./words.js";

const CELL = 40, EDGE = 12, SIZE = 344, NUMBERED = 7;
const SIGNS = {n: "↑", ne: "↗", e: "→", se: "↘", s: "↓", sw: "↙", w: "←", nw: "↖"};
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

/** Draw the discs of a board. @param {any} felt an SVG drawing. @param {string} board @param {number} [last] the square played last. @param {boolean} [isTurned] */
export function drawDiscs(felt, board, last, isTurned = false) {
  const before = [...felt.querySelectorAll(".disc")].reduce((found, disc) => found.set(Number(disc.dataset.square), disc.dataset.side), new Map());
  const come = [...board].filter((side, square) => side !== "-" && !before.has(square)).length;
  const isMove = come === 1 && before.size > 0 && [...before.keys()].every(square => board[square] !== "-");  // only single moves are animated
  felt.replaceChildren();
  draw(felt, "rect", {width: SIZE, height: SIZE, class: "grid"});
  [...board].forEach((side, square) => {
    const [x, y] = cornerOf(square, isTurned), centre = {cx: x + CELL / 2, cy: y + CELL / 2};
    draw(felt, "rect", {x: x + .5, y: y + .5, width: CELL - 1, height: CELL - 1, class: "cell"});
    if (side !== "-") {
      const kind = !isMove || before.get(square) === side ? "disc" : before.has(square) ? "disc turns" : "disc comes";
      draw(felt, "circle", {...centre, r: 16, stroke: "#0004", class: kind, "data-square": square, "data-side": side, fill: side === "X" ? "var(--first)" : "var(--second)"});
    }
    if (square === last) draw(felt, "circle", {...centre, r: 4, fill: "#e2574c", stroke: "#fff"});
  });
}

/** Return the coordinates of a square's upper left corner. @param {number} square @param {boolean} isTurned */
export function cornerOf(square, isTurned) {
  const place = isTurned ? 63 - square : square;
  return [EDGE + place % 8 * CELL, EDGE + Math.floor(place / 8) * CELL];
}

/** The large board of a page. */
export class Board {
  /**
   * @param {any} felt the SVG drawing.
   * @param {(square: number) => void} onSquare called with the square that the user has chosen.
   * @param {(square: number) => string} nameSquare returns a description of a square for screen readers.
   */
  constructor(felt, onSquare, nameSquare) {
    this.felt = felt;
    this.nameSquare = nameSquare;
    this.under = 27;  // the square selected by the keyboard
    this.isTurned = false;
    if (felt.getAttribute("role") === "img") return;  // in the report of a run, squares can't be chosen
    felt.onclick = event => {
      const square = this.squareAt(event);
      if (square !== null) onSquare(square);
    };
    felt.onmousedown = event => event.preventDefault();  // only the keyboard may focus the board
    felt.onfocus = () => { this.point(); this.speak(); };
    felt.onblur = () => this.point();
    felt.onkeydown = event => {
      const way = ARROWS[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (way) this.move(way);
      else if (event.key === "Enter" || event.key === " ") onSquare(this.under);
      else return;
      event.preventDefault();
      event.stopPropagation();
      this.point();
      if (way) this.speak();
    };
  }

  /** @param {any} event */
  squareAt(event) {
    const box = this.felt.getBoundingClientRect(), scale = SIZE / box.width;
    const [file, row] = [event.clientX - box.left, event.clientY - box.top].map(way => Math.floor((way * scale - EDGE) / CELL));
    if (file < 0 || file > 7 || row < 0 || row > 7) return null;
    return this.isTurned ? 63 - (8 * row + file) : 8 * row + file;
  }

  /** @param {number[]} way */
  move(way) {
    const sign = this.isTurned ? -1 : 1, file = this.under % 8 + sign * way[0], row = Math.floor(this.under / 8) + sign * way[1];
    this.under = Math.max(0, Math.min(7, file)) + 8 * Math.max(0, Math.min(7, row));
  }

  /** Draw a board without marks. @param {string} board @param {number} [last] the square played last. */
  show(board, last) {
    drawDiscs(this.felt, board, last, this.isTurned);
    for (let line = 0; line < 8; line++) {
      const place = this.isTurned ? 7 - line : line;
      draw(this.felt, "text", {x: EDGE + (place + .5) * CELL, y: 10}, "abcdefgh"[line]);
      draw(this.felt, "text", {x: 6, y: EDGE + (place + .5) * CELL + 4}, String(line + 1));
    }
    const count = side => [...board].filter(disc => disc === side).length;
    this.felt.setAttribute("aria-label", `${t("board")}, ${colourName("X")} ${count("X")}, ${colourName("O")} ${count("O")}`);
    this.point();
  }

  /** @param {string} move @returns {[number, number]} the centre of the move's square. */
  middle(move) {
    const [x, y] = cornerOf(squareOf(move), this.isTurned);
    return [x + CELL / 2, y + CELL / 2];
  }

  /** Mark a move that is better than the move played. @param {string} move */
  markBetter(move) {
    const [cx, cy] = this.middle(move);
    draw(this.felt, "circle", {class: "better", cx, cy, r: 13});
  }

  /**
   * Mark the legal moves with dots or scores. The colour of a score shows the loss of the move; proven scores are underlined.
   * @param {{move: string, kind?: string, text?: string, isExact?: boolean}[]} marks the marks. If a square has several moves, the best move comes first.
   */
  markMoves(marks) {
    this.felt.querySelectorAll(".score-mark, .legal, .worth-mark, .step-mark, .arrow").forEach(mark => mark.remove());
    const seen = new Set();
    for (const {move, kind, text, isExact} of marks) {
      if (seen.has(squareOf(move))) continue;
      seen.add(squareOf(move));
      const [x, y] = this.middle(move);
      if (text === undefined) { draw(this.felt, "circle", {class: "legal", cx: x, cy: y, r: 3.5}); continue; }
      draw(this.felt, "circle", {class: `worth-mark ${kind}`, cx: x, cy: y, r: 15});
      draw(this.felt, "text", {class: `score-mark ${kind}${isExact ? " exact" : ""}`, x, y: y + 4.5}, text);
    }
  }

  /** Draw a line of moves, with numbers on their squares and arrows from each move to the next. @param {string[]} pv */
  markLine(pv) {
    const shown = pv.slice(0, NUMBERED).map((move, each) => ({move, number: each + 1})).filter(one => one.move !== PASS);
    shown.forEach(({move, number}, each) => {
      const [x, y] = this.middle(move);
      if (each && each < 4) this.markArrow(this.middle(shown[each - 1].move), [x, y]);
      draw(this.felt, "text", {class: "step-mark", x: x + 7, y: y + 10}, String(number));
    });
  }

  /** @param {[number, number]} from @param {[number, number]} to */
  markArrow([x1, y1], [x2, y2]) {
    const length = Math.hypot(x2 - x1, y2 - y1), [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [x, y] = [x2 - 9 * dx, y2 - 9 * dy], wing = [-dy * 4, dx * 4];
    draw(this.felt, "path", {class: "arrow", d: `M${x1 + 9 * dx},${y1 + 9 * dy}L${x},${y}M${x - 6 * dx + wing[0]},${y - 6 * dy + wing[1]}L${x},${y}L${x - 6 * dx - wing[0]},${y - 6 * dy - wing[1]}`});
  }

  /** Highlight the square selected by the keyboard. */
  point() {
    this.felt.querySelector(".under")?.remove();
    if (document.activeElement !== this.felt) return;
    const [x, y] = cornerOf(this.under, this.isTurned);
    draw(this.felt, "rect", {class: "under", x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4, rx: 4});
  }

  /**
   * Ask the user to choose between moves on the same square that turn discs in different directions.
   * @param {string[]} moves such as f6/n and f6/nw.
   * @param {(move: string) => void} choose called with the chosen move; it is not called if the user dismisses the box.
   */
  askDirection(moves, choose) {
    const box = at("directions"), [name] = moves[0].split("/");
    const close = () => { box.hidden = true; box.onkeydown = box.onfocusout = null; };
    const buttons = moves.map(move => {
      const way = move.split("/")[1], button = element("button", {textContent: `${SIGNS[way]} ${way}`, ariaLabel: `${name} ${way}`});
      button.onclick = () => { close(); choose(move); };
      return button;
    });
    box.replaceChildren(element("span", {textContent: t("In which direction does {0} turn discs?", name)}), ...buttons);
    box.ariaLabel = box.firstChild.textContent;
    box.style.top = squareOf(name) < 32 ? "80%" : "20%";  // the box must not cover the discs that the moves turn
    box.hidden = false;
    box.onkeydown = event => {
      const next = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (event.key === "Escape") { close(); this.felt.focus(); }
      else if (next) buttons.at((buttons.indexOf(document.activeElement) + next) % buttons.length).focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    box.onfocusout = event => { if (!box.contains(event.relatedTarget)) close(); };
    buttons[0].focus();
  }

  /** Announce the square selected by the keyboard. */
  speak() { announce(this.nameSquare(this.under)); }
}
