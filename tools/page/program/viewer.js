/** The viewer of a page: the list of games, and the displayed game with its moves, curve, facts and navigation. */

import {Board} from "./board.js";
import {at, dataOf, download, draw, element, fillList, say, tableRow} from "./dom.js";
import {Game, PASS, SQUARES, lossClass, squareOf} from "./game.js";
import {signed} from "./numbers.js";
import {playerName} from "./seats.js";
import {makeSortable} from "./sort.js";
import {colourName, scoreFor, t} from "./words.js";

const GRAPH = {width: 720, height: 202, left: 56, right: 708, top: 12, bottom: 172};
const PLAY_MS = 600, LONGEST_LINE = 12, ADDRESS_MS = 1000;
const WRITING = "TEXTAREA, SELECT, INPUT:not([type=checkbox], [type=radio], [type=range], [type=file])";

/** The rows of the list of games, in the current order. */
export const listedRows = () => /** @type {any[]} */ ([...document.querySelectorAll("#games tbody tr")]);
const numberOf = row => Number(row.dataset.number);

export class Viewer {
  /** @param {import("./modes/mode.js").Mode} mode the initial mode of the page. */
  constructor(mode) {
    this.mode = mode;
    /** @type {Map<number, Game>} */
    this.games = new Map();
    /** @type {any} */
    this.game = null;  // a Game; null until a game is shown
    this.ply = 0;
    /** @type {any} */
    this.timer = null;
    this.request = 0;
    /** @type {any[]} */
    this.items = [];  // the buttons of the displayed game's moves in the list of moves
    this.lettersTyped = "";
    this.hasLines = at("lines") !== null;
    this.board = new Board(at("board"), square => this.choose(square), square => this.describe(square));
    this.addressTimer = 0;
    this.addressWritten = 0;
  }

  /** Install the event handlers. The mode must be ready. */
  begin() {
    makeSortable(document);
    const buttons = {first: () => this.go(0), back: () => this.go(this.ply - 1), play: () => this.play(),
                     forward: () => this.go(this.ply + 1), last: () => this.go(this.game.moves.length)};
    for (const [id, act] of Object.entries(buttons)) at(id).onclick = () => this.game && act();
    at("ply").oninput = event => this.go(Number(event.target.value));
    at("graph").onclick = event => {
      const box = at("graph").getBoundingClientRect(), x = (event.clientX - box.left) / box.width * GRAPH.width;
      this.go(Math.round((x - GRAPH.left) / (GRAPH.right - GRAPH.left) * this.game.moves.length));
    };
    at("table").ontoggle = () => this.drawTable();
    at("view").onchange = () => this.drawScores();
    at("by-engine").onchange = at("by-ending").onchange = () => this.filter();
    if (this.hasLines) at("trunk").onclick = () => this.goHome();
    for (const button of /** @type {any} */ (document.querySelectorAll("#downloads button")))
      button.onclick = () => this.save(button.dataset.format, "all" in button.dataset);
    document.addEventListener("keydown", event => this.heedKey(event));
    document.addEventListener("click", event => this.heedClick(event));
    // A control that was used with the mouse loses the focus, so that keys reach the board.
    let isPointed = false;
    document.addEventListener("pointerdown", () => { isPointed = true; }, {capture: true});
    document.addEventListener("keydown", () => { isPointed = false; }, {capture: true});
    for (const [kind, controls] of [["change", "select, [type=checkbox]"], ["click", "button"]])
      document.addEventListener(kind, event => {
        const used = /** @type {any} */ (event.target).closest(controls);
        if (isPointed && used) used.blur();
      });
    this.filter();
    this.drawScores();
  }

  get position() { return this.game.positions[this.ply]; }
  get atEnd() { return this.ply === this.game.moves.length; }
  /** Return the side from whose point of view scores are shown, in a position with this side to move. @param {string} side */
  viewOf(side) { return at("view").value === "mover" ? side : "X"; }
  /** Return the text of a score for Black, converted to the chosen point of view. @param {number} score @param {string} side the side to move. @param {number} digits */
  shown(score, side, digits) { return signed(this.viewOf(side) === "O" ? 0 - score : score, digits); }

  /* ---- keys and clicks ---- */

  /** @param {any} event */
  heedKey(event) {
    if (!this.game || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(WRITING)) return;
    if (event.key === " " && event.target.closest("button, input, summary")) return;
    if (event.key.startsWith("Arrow") && event.target.closest("[type=radio], [type=range]")) return;
    // These keys navigate while the board is visible; otherwise they have the browser's usual meaning.
    const onBoard = {ArrowLeft: () => this.go(this.ply - 1), ArrowRight: () => this.go(this.ply + 1), Home: () => this.go(0),
                     End: () => this.go(this.game.moves.length), " ": () => this.play(), e: () => this.mode.speak()};
    const anywhere = {n: () => this.neighbour(1), p: () => this.neighbour(-1), Escape: () => this.hasLines && this.goHome()};
    if (event.key === "Enter" && event.target.dataset?.number) this.openGame(numberOf(event.target));
    else if (anywhere[event.key]) anywhere[event.key]();
    else if (onBoard[event.key] && this.inSight()) onBoard[event.key]();
    else return;
    event.preventDefault();
  }

  /** @param {any} event */
  heedClick(event) {
    const link = event.target.closest("[data-ply]"), row = event.target.closest("#games tbody tr");
    if (link && link.dataset.game) this.openGame(Number(link.dataset.game), Number(link.dataset.ply));
    else if (row) this.openGame(numberOf(row));
  }

  /** Handle the choice of a square on the board. @param {number} square */
  choose(square) { this.mode.square(square); }

  /** Return a description of a square for screen readers. @param {number} square */
  describe(square) {
    if (!this.game) return "";
    const disc = this.mode.boardShown()[square], name = SQUARES[square];
    const what = disc !== "-" ? colourName(disc) : t(this.mode.legal().some(move => squareOf(move) === square) ? "legal move" : "empty");
    const choice = this.mode.known().find(one => squareOf(one.move) === square);
    return `${name}, ${what}${choice ? `, ${this.scoreText(choice.score)}` : ""}`;
  }

  /** Whether the middle of the board is visible. */
  inSight() {
    const {top, bottom} = at("board").getBoundingClientRect(), middle = (top + bottom) / 2;
    return middle > 0 && middle < innerHeight;
  }
  reveal() { if (!this.inSight()) at("viewer").scrollIntoView({block: "start"}); }

  /* ---- the list of games ---- */

  /** Return the row of a game in the list. @param {Game} game */
  rowOf(game) {
    const {number, winner, result = "", remark, ending = "", fault, occasion} = game.record;
    const row = tableRow([number, "", "", result, remark ?? ending], ["number", "name", "name", "number", fault ? "bad" : ""]);
    row.tabIndex = 0;
    row.dataset.number = String(number);
    row.cells[3].dataset.key = String(game.record.margin ?? "");
    row.cells[4].title = remark ?? ending;
    ["X", "O"].forEach((side, each) => {
      const name = playerName(game, side), cell = row.cells[each + 1];
      cell.title = name;
      cell.append(winner === side ? element("b", {textContent: name}) : name);
    });
    if (occasion) row.cells[1].append(element("span", {className: "small", textContent: occasion, title: occasion}));
    row.classList.toggle("shown", this.game?.number === number);
    return row;
  }

  filter() {
    const player = at("by-engine").value, ending = at("by-ending").value, all = listedRows();
    let count = 0;
    for (const row of all) {
      const {black, white, ending: by} = /** @type {Game} */ (this.games.get(numberOf(row))).record;
      row.hidden = Boolean(player && player !== black && player !== white || ending && ending !== by);
      count += row.hidden ? 0 : 1;
    }
    at("count").textContent = `${count} of ${all.length}`;
  }

  /** Show the next or previous game of the sorted and filtered list. @param {number} step */
  neighbour(step) {
    const isShown = row => numberOf(row) === this.game.number, listed = listedRows().filter(row => !row.hidden || isShown(row));
    const row = listed[listed.findIndex(isShown) + step];
    if (!row) return;
    this.show(numberOf(row));
    this.revealRow(numberOf(row));
    this.reveal();
  }

  /** Show a game that the user chose, and scroll to the board. @param {number} number @param {number} [position] */
  openGame(number, position) {
    this.mode.chosen();
    this.show(number, position);
    this.revealRow(number);
    this.reveal();
  }

  /** Scroll the list of games, but not the page, until a game's row is visible. @param {number} number */
  revealRow(number) {
    const row = listedRows().find(each => numberOf(each) === number), list = at("list");
    if (!row || row.hidden) return;
    const {top, bottom} = row.getBoundingClientRect(), box = list.getBoundingClientRect();
    if (top < box.top + at("games").tHead.offsetHeight || bottom > box.bottom) list.scrollTop += (top + bottom - box.top - box.bottom) / 2;
  }

  /** Show a game after it has been loaded completely. @param {number} number @param {number} [position] */
  show(number, position) {
    const wanted = ++this.request, whole = this.mode.fetch(/** @type {Game} */ (this.games.get(number)));
    if (!(whole instanceof Promise)) return this.load(whole, position);
    whole.then(game => { if (game && wanted === this.request) this.load(game, position); });
  }

  /* ---- the game shown ---- */

  /** @param {Game} game @param {number} [position] */
  load(game, position) {
    this.stop();
    this.game = game;
    this.mode.opening(game);
    for (const row of listedRows()) row.classList.toggle("shown", numberOf(row) === game.number);
    this.drawHead();
    at("ply").max = game.moves.length;
    this.drawMoves();
    this.drawSlips();
    this.drawGraph();
    this.drawTable();
    this.go(position ?? this.mode.firstPly(game));
  }

  /** Show the title, occasion, detail and transcript. */
  drawHead() {
    const game = this.game, {called = "", occasion = "", detail = "", comment = "", fault} = game.record;
    const side = (kind, name) => [element("span", {className: `side ${kind}`}), ` ${name}`];
    const [black, white] = ["X", "O"].map(each => playerName(game, each));
    at("title").replaceChildren(this.mode.heading(game), ...side("first", black), " – ", ...side("second", white));
    at("called").textContent = called;
    at("occasion").textContent = occasion;
    at("detail").textContent = detail || comment;
    at("detail").className = fault ? "bad" : "soft";
    at("transcript").textContent = game.moves.filter(move => move !== PASS).join(game.moves.some(move => move.includes("/")) ? " " : "");
    for (const [id, name] of [["black-name", black], ["white-name", white]]) at(id).textContent = name;
  }

  /** Show the list of moves. Each variation is in brackets, after the move that it replaces. */
  drawMoves() {
    const game = this.game;
    const itemsOf = new Map();
    const item = (line, turn) => {
      const made = element("button", {textContent: line.moves[turn]});
      made.onclick = () => line === this.game ? this.go(turn + 1) : this.load(line, turn + 1);
      made.classList.toggle("opening", turn < line.given);
      const kind = line.error(turn);
      if (kind) {
        made.classList.add("slip", kind);
        made.title = t("{0} discs thrown away", line.slip(turn));
      }
      itemsOf.set(line, {...itemsOf.get(line), [turn]: made});
      return made;
    };
    /** @type {(line: Game, from: number) => any[]} */
    const listed = (line, from) => {
      const leaving = turn => line.variations.filter(each => each.left === turn).flatMap(bracketed);
      return [...line.moves.keys()].slice(from).flatMap(turn => [item(line, turn), ...leaving(turn)]).concat(leaving(line.moves.length));
    };
    const bracket = textContent => element("span", {className: "bracket", textContent});
    const bracketed = line => [bracket("("), ...listed(line, line.left), bracket(")")];
    at("moves").replaceChildren(...listed(game.root, 0));
    this.items = game.moves.map((_, turn) => {
      let line = game;
      while (line.trunk && turn < line.left) line = line.trunk;
      return itemsOf.get(line)[turn];
    });
  }

  /** Show the errors of the game as buttons that lead to the errors. */
  drawSlips() {
    const game = this.game, turns = [...game.moves.keys()].filter(turn => game.error(turn));
    at("slips").hidden = !turns.length;
    at("slips").replaceChildren(`${t("Discs thrown away")}: `, ...turns.map(turn => {
      const button = element("button", {textContent: `${game.sheetMove(turn)}: ${game.slip(turn)}`});
      button.onclick = () => this.go(turn + 1);
      return button;
    }));
  }

  /** Fill the table of moves, which is meant for screen readers, if the table is open. */
  drawTable() {
    if (!at("table").open || !this.game) return;
    const game = this.game, number = (value, turn, digits) => value === null ? "" : this.shown(value, game.mover(turn), digits);
    at("turns").tBodies[0].replaceChildren(...game.moves.map((move, turn) => {
      const texts = [game.sheetNumber(turn) ?? "", playerName(game, game.mover(turn)), move, game.fact("seconds", turn)?.toFixed(3) ?? "",
                     number(game.fact("values", turn), turn, 2), number(game.fact("exact", turn), turn, 0)];
      return tableRow(texts, ["number", "", "", "number", "number", "number"]);
    }));
  }

  /** Redraw all scores after a change between Black's and the mover's point of view. */
  drawScores() {
    for (const cell of /** @type {any} */ (document.querySelectorAll("[data-score]")))
      cell.textContent = this.shown(Number(cell.dataset.score), cell.dataset.side, cell.dataset.score % 1 ? 1 : 0);
    if (!this.game) return;
    this.drawTable();
    this.go(this.ply);
  }

  /* ---- the position shown ---- */

  /** Show a position of the game. @param {number} to */
  go(to) {
    this.ply = Math.max(0, Math.min(this.game.moves.length, Math.round(to) || 0));
    this.mode.shown();
    this.draw();
    this.items.forEach((item, turn) => {
      item?.classList.toggle("now", turn === this.ply - 1);
      if (turn === this.ply - 1) item?.setAttribute("aria-current", "true"); else item?.removeAttribute("aria-current");
    });
    this.planAddress();
  }

  /** Draw the displayed position and everything that depends on it. */
  draw() {
    const game = this.game, ply = this.ply, last = ply ? squareOf(game.moves[ply - 1]) : -1;
    this.board.show(this.mode.boardShown(), last < 0 ? undefined : last);
    const better = ply ? game.fact("better", ply - 1) : "";
    if (better) this.board.markBetter(better);
    say("status", this.position.discs);
    this.drawFacts();
    at("ply").value = ply;
    at("ply").setAttribute("aria-valuetext", ply ? game.sheetMove(ply - 1) : t("The start."));
    for (const end of ["x1", "x2"]) at("graph").querySelector(".cursor")?.setAttribute(end, this.across(ply));
    if (this.hasLines) this.showMoves();
  }

  /** Show the facts about the last turn, and the position's exact or reviewed score. */
  drawFacts() {
    const game = this.game, ply = this.ply, side = this.position.side;
    const said = ply ? this.mode.facts(ply - 1) : [t("The start.")], exact = game.fact("exact", ply), reviewed = game.fact("review", ply);
    if (exact !== null) said.push(t("exact {0}", scoreFor(exact, 0, this.viewOf(side))));
    else if (typeof reviewed === "number") said.push(t("reviewed {0}", `${scoreFor(reviewed, 0, this.viewOf(side))}, ${game.fact("depths", ply)}`));
    fillList(at("facts"), said);
  }

  /** Return the facts about a turn in sentences. @param {number} turn */
  turnFacts(turn) {
    const game = this.game, mover = playerName(game, game.mover(turn)), side = this.viewOf(game.mover(turn));
    const seconds = game.fact("seconds", turn), value = game.fact("values", turn), lost = game.slip(turn), better = game.fact("better", turn);
    const by = turn < game.given ? t("opening") : (seconds === null ? mover : t("{0} in {1} s", mover, seconds.toFixed(3))) +
      (game.fact("booked", turn) ? `, ${t("from its book")}` : "");
    /** @type {any[]} */
    const said = [`${game.sheetMove(turn)}, ${by}`];
    if (value !== null) said.push(t("{0} judged {1}", mover, scoreFor(value, 2, side)));
    if (better) said.push([t("{0}, {1} discs lost; better", t(game.error(turn)), lost) + " ", ...this.steps(turn, better)]);
    else if (lost && !game.isReviewed) said.push(t("{0} discs thrown away", lost));
    if (game.fact("comments", turn)) said.push(game.fact("comments", turn));
    return said;
  }

  /** Return a line as buttons that lead to the position after each move. @param {number} place @param {string} line */
  steps(place, line) {
    if (!this.hasLines) return [line];
    return line.split(" ").flatMap((move, each, all) => {
      const button = element("button", {className: "step", textContent: move});
      button.onclick = () => this.mode.line(place, all.slice(0, each + 1));
      return [button, " "];
    });
  }

  /** Show the position after a line in the displayed game. Moves that the game does not contain extend it or start a variation. @param {number} place @param {string[]} line */
  playLine(place, line) {
    const [game, ply] = this.game.follow(place, line);
    if (game === this.game && ply <= this.items.length) return this.go(ply);
    this.load(game, ply);
  }

  /** Return from a variation to the root game, at the position where the variation begins. */
  goHome() {
    if (this.game?.trunk) this.load(this.game.root, this.game.left);
  }

  /* ---- the moves of the position shown ---- */

  /** Return the text of a score for the mover, converted to the chosen point of view. @param {number} score */
  scoreText(score) {
    const side = this.position.side;
    return this.shown(side === "X" ? score : 0 - score, side, Number.isInteger(score) ? 0 : 1);
  }

  /** Return the review's moves for the displayed position, best first, with scores for the mover. @returns {import("./game.js").Choice[]} */
  reviewed() {
    return (this.game.fact("choices", this.ply) ?? []).map(([line, score, isExact]) => {
      const pv = line.split(" ");
      return {move: pv[0], score: this.position.side === "X" ? score : 0 - score, isExact: Boolean(isExact), pv};
    });
  }

  /** Show scores on the squares, the best line, and the list of all moves with their lines. */
  showMoves() {
    const choices = this.mode.known(), legal = this.mode.legal(), scored = new Map(choices.map(one => [one.move, one]));
    const unscored = legal.filter(move => !scored.has(move));
    const classOf = one => one.score === choices[0].score ? "best" : lossClass(choices[0].score - one.score);
    this.board.markMoves([...choices.map(one => ({...one, kind: classOf(one), text: this.scoreText(one.score)})), ...unscored.map(move => ({move}))]);
    if (at("lined")?.checked) this.board.markLine(choices[0]?.pv ?? []);
    const rows = [...at("lines").tBodies[0].rows], focused = rows.findIndex(row => row.contains(document.activeElement)), place = this.ply;
    at("lines").tBodies[0].replaceChildren(...[...choices, ...unscored.map(move => ({move, pv: [move], score: undefined, isExact: false}))].map(line => {
      const [first, , ...rest] = this.steps(place, line.pv.slice(0, LONGEST_LINE).join(" "));
      const score = line.score === undefined ? "" : (choices[0].isExact && !line.isExact ? "~" : "") + this.scoreText(line.score);
      const row = tableRow(["", score, ""], ["", "number", "line"]);
      row.cells[0].append(first);
      row.cells[2].append(...rest);
      row.classList.toggle("played", line.move === this.game.moves[place]);
      return row;
    }));
    if (focused >= 0) at("lines").tBodies[0].rows[focused]?.querySelector("button").focus();
    say("depth", this.mode.note());
    at("trunk").hidden = !this.game?.trunk;
  }

  /* ---- the curve ---- */

  /** Return the horizontal coordinate of a position on the graph. @param {number} position */
  across(position) { return GRAPH.left + position / Math.max(1, this.game.moves.length) * (GRAPH.right - GRAPH.left); }

  drawGraph() {
    const game = this.game, graph = at("graph"), known = values => [...values.entries()].filter(([, value]) => value !== null);
    const own = side => [null, ...game.column("values").map((value, turn) => game.mover(turn) === side ? value : null)];
    const curves = {black: known(own("X")), white: known(own("O")), review: known(game.column("review")), exact: known(game.column("exact"))};
    const most = Math.max(4, ...Object.values(curves).flat().map(([, value]) => Math.abs(value)));
    const top = Math.ceil(Math.min(64, most) / 4) * 4;
    const y = value => (GRAPH.top + GRAPH.bottom) / 2 - Math.max(-top, Math.min(top, value)) / top * (GRAPH.bottom - GRAPH.top) / 2;
    graph.replaceChildren();
    for (const value of [-top, -top / 2, 0, top / 2, top]) {
      draw(graph, "line", {class: value ? "tick" : "level", x1: GRAPH.left, x2: GRAPH.right, y1: y(value), y2: y(value)});
      draw(graph, "text", {class: "up", x: GRAPH.left - 5, y: y(value)}, signed(value, 0));
    }
    for (let turn = -1; turn < game.moves.length; turn++) {
      const number = turn < 0 ? 0 : game.sheetNumber(turn);
      if (number !== null && number % 10 === 0) draw(graph, "text", {class: "across", x: this.across(turn + 1), y: GRAPH.bottom + 5}, String(number));
    }
    for (const [kind, points] of Object.entries(curves)) {
      const text = points.map(([position, value]) => `${this.across(position).toFixed(1)},${y(value).toFixed(1)}`);
      if (text.length > 1) draw(graph, "polyline", {class: `curve ${kind}`, points: text.join(" ")});
      for (const point of text) {
        const [cx, cy] = point.split(",");
        draw(graph, "circle", {class: `dots ${kind}`, cx, cy, r: 1.8});
      }
      at(`${kind}-legend`).hidden = !points.length;
    }
    draw(graph, "line", {class: "cursor", x1: this.across(this.ply), x2: this.across(this.ply), y1: GRAPH.top, y2: GRAPH.bottom});
    const count = game.moves.length;
    at("judgements").hidden = ![...game.column("values"), ...game.column("review"), ...game.column("exact").slice(0, count)].some(value => value !== null);
  }

  /* ---- automatic replay ---- */

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    at("play").textContent = "▶";
  }
  play() {
    if (this.timer) return this.stop();
    if (this.atEnd) this.go(0);
    at("play").textContent = "❚❚";
    this.timer = setInterval(() => {
      this.go(this.ply + 1);
      if (this.atEnd) this.stop();
    }, PLAY_MS);
  }

  /* ---- the address, which is written at most once a second, since browsers limit the rate of changes ---- */

  planAddress() {
    if (this.addressTimer) return;
    const wait = this.addressWritten + ADDRESS_MS - Date.now();
    if (wait <= 0) return this.writeAddress();
    this.addressTimer = setTimeout(() => this.writeAddress(), wait);
  }
  writeAddress() {
    this.cancelAddress();
    const place = this.game && this.mode.address();
    if (!place || location.hash === place) return;
    this.addressWritten = Date.now();
    try { history.replaceState(null, "", place); } catch { /* The browser limits the rate of changes. The page works without this change. */ }
  }

  /** Drop a planned write of the address. */
  cancelAddress() {
    clearTimeout(this.addressTimer);
    this.addressTimer = 0;
  }

  /** Show the game that the address names. Return whether the address names a game of the list. */
  followAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1)), number = Number(wanted.get("game"));
    if (!this.games.has(number)) return false;
    const ply = Number(wanted.get("ply"));
    this.openGame(number, wanted.has("ply") && Number.isInteger(ply) ? ply : undefined);
    return true;
  }

  /* ---- files ---- */

  /** Download the displayed game, or all games, in a file format. @param {string} format @param {boolean} all */
  async save(format, all) {
    const content = new Blob([await this.mode.fileText(format, all)], {type: "text/plain"});
    download(content, all ? `games.${format}` : `game-${this.game.number}.${format}`);
  }
}

/** Return the texts of the files of a report's games, as `outflank export` writes them. @param {string} format @returns {Promise<string[]>} */
export async function gameFiles(format) {
  const packed = Uint8Array.from(atob(dataOf("files")[format]), letter => letter.charCodeAt(0));
  const whole = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(whole).text());
}
