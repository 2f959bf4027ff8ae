// Stands after report.js: all moves of a position with their scores, and moves that were not played, on its board.
const STEPS = {n: [-1, 0], ne: [-1, 1], e: [0, 1], se: [1, 1], s: [1, 0], sw: [1, -1], w: [0, -1], nw: [-1, -1]};
const NO_MOVE = "pass", LONGEST_LINE = 12, NUMBERED = 7, SQUARES = [..."12345678"].flatMap(line => [..."abcdefgh"].map(file => file + line));
const otherThan = disc => disc === "X" ? "O" : "X";

/* ---- the rules ---- */

/** The squares that a move turns: in every direction, or in the one that it names. */
function turnedBy(board, disc, move) {
  const [name, way] = move.split("/"), square = squareOf(name), found = [];
  if (board[square] !== "-") return found;
  for (const [down, right] of way ? [STEPS[way]] : Object.values(STEPS)) {
    const run = [];
    for (let line = Math.floor(square / 8) + down, file = square % 8 + right; ; line += down, file += right) {
      const here = line >= 0 && line < 8 && file >= 0 && file < 8 ? board[8 * line + file] : "-";
      if (here === disc) found.push(...run);
      if (here !== otherThan(disc)) break;
      run.push(8 * line + file);
    }
  }
  return found;
}

const movesOf = (board, disc) => SQUARES.filter(name => turnedBy(board, disc, name).length);

/** The legal moves of the position shown; where one may choose a direction, those that are known. */
let legalMoves = () => game.oneWay ? known().map(one => one.move) : movesOf(boardAfter(game, ply), sideAt(ply));

/* ---- beside the game ---- */

/** Where a branch leads back to, if the position shown is left for a move that was not played. */
const forked = place => ({trunk: game.trunk ?? games.get(game.number), left: Math.min(place, game.left ?? place)});

/** The game with another line from a position on, as report.js knows games; null if there is none. */
let branched = (place, line) => {
  const board = boardAfter(game, place), moves = game.moves.slice(0, place);
  const squares = game.squares.slice(0, place);
  const make = move => {
    const disc = moves.length % 2 ? otherThan(game.begins) : game.begins;
    const changed = move === NO_MOVE ? [] : [squareOf(move), ...turnedBy(board, disc, move)];
    for (const square of changed) board[square] = disc;
    moves.push(move);
    squares.push(changed);
  };
  line.forEach(make);
  const next = moves.length % 2 ? otherThan(game.begins) : game.begins;
  if (!movesOf(board, next).length && movesOf(board, otherThan(next)).length) make(NO_MOVE);
  const kept = (values, last, nothing, length) => values && Array.from({length}, (_, each) => each < last ? values[each] : nothing);
  const turns = moves.length;
  return {...games.get(game.number), ...forked(place), ending: "unfinished", turns: moves.join(" "),
          squares: squares.map(changed => changed.map(square => LETTERS[square]).join("")).join(" "),
          seconds: kept(game.seconds, place, null, turns), values: kept(game.values, place, null, turns),
          exact: kept(game.exact, place + 1, null, turns), lost: kept(game.lost, place, 0, turns),
          classes: kept(game.classes, place, "", turns), better: kept(game.better, place, "", turns),
          review: kept(game.review, place + 1, null, turns + 1), depths: kept(game.depths, place + 1, "", turns + 1),
          choices: kept(game.choices, place + 1, [], turns + 1)};
};

/** Show the position after a line; what was played there is kept, and a button leads back to it. */
async function playLine(place, line) {
  if (line.every((move, each) => game.moves[place + each] === move)) return go(place + line.length);
  stop();
  const whole = await branched(place, line);
  if (whole) load(whole, place + line.length);
}

/** Back to the game, where it was left. */
function goHome() {
  const {trunk, left} = game;
  if (!trunk) return;
  games.set(trunk.number, trunk);
  load(trunk, left);
}

/** A line as buttons, each of which shows the position after its move. */
steps = (place, line) => line.split(" ").flatMap((move, each, all) => {
  const button = document.createElement("button");
  button.className = "step";
  button.textContent = move;
  button.onclick = () => playLine(place, all.slice(0, each + 1));
  return [button, " "];
});

/* ---- the moves of the position shown ---- */

/** What a review knows of the moves, the best first: scores are the mover's. */
const reviewed = () => (game.choices?.[ply] ?? []).map(([line, score, isExact]) => {
  const pv = line.split(" ");
  return {move: pv[0], score: sideAt(ply) === "X" ? score : 0 - score, isExact: Boolean(isExact), pv};
});
let known = reviewed;
let note = () => t("{0} to move", NAMES[sideAt(ply) === "X" ? 0 : 1]) + (game.depths?.[ply] ? `, ${game.depths[ply]}` : "");

/** A score of the mover as the reader wants it. */
function scoreText(score) {
  const shown = seen(sideAt(ply) === "X" ? score : 0 - score, sideAt(ply));
  return signed(shown, Number.isInteger(score) ? 0 : 1);
}

/** The discs that a review allows a move to lose before it is called so. */
const LOSSES = [["blunder", 12], ["mistake", 6], ["inaccuracy", 2]];
const lossClass = lost => LOSSES.find(([, least]) => lost >= least)?.[0] ?? "good";

/** Scores on the squares in the colour of their loss, proven ones underlined; the best line; all moves with their lines. */
function showMoves() {
  const felt = at("board"), lines = known(), legal = legalMoves().filter(move => move !== NO_MOVE);
  felt.querySelectorAll(".score-mark, .legal, .worth-mark, .step-mark").forEach(mark => mark.remove());
  const scored = new Map(lines.map(line => [line.move, line]));
  for (const move of legal) {
    const [x, y] = cornerOf(squareOf(move)).map(edge => edge + CELL / 2);
    const line = scored.get(move);
    if (!line) { draw(felt, "circle", {class: "legal", cx: x, cy: y, r: 3.5}); continue; }
    const kind = line.score === lines[0].score ? "best" : lossClass(lines[0].score - line.score);
    draw(felt, "circle", {class: `worth-mark ${kind}`, cx: x, cy: y, r: 15});
    draw(felt, "text", {class: `score-mark ${kind}${line.isExact ?? line.exact ? " exact" : ""}`, x, y: y + 4.5}, scoreText(line.score));
  }
  if (at("lined")?.checked) drawLine(lines[0]?.pv ?? []);
  listMoves([...lines, ...legal.filter(move => !scored.has(move)).map(move => ({move}))]);
  at("depth").textContent = game ? note(legal) : "";
  at("trunk").hidden = !game?.trunk;
}

/** The moves of the best line, numbered on their squares. */
function drawLine(pv) {
  const numbered = pv.slice(0, NUMBERED).map((move, each) => [move, each + 1]).filter(([move]) => move !== NO_MOVE);
  for (const [move, number] of numbered) {
    const [x, y] = cornerOf(squareOf(move));
    draw(at("board"), "text", {class: "step-mark", x: x + 7, y: y + 10}, String(number));
  }
}

/** All legal moves, the best first, each a button that plays it. */
function listMoves(lines) {
  const rows = [...at("lines").tBodies[0].rows], focused = rows.findIndex(row => row.contains(document.activeElement));
  const place = ply;
  at("lines").tBodies[0].replaceChildren(...lines.map(line => {
    const [first, , ...rest] = steps(place, (line.pv?.slice(0, LONGEST_LINE) ?? [line.move]).join(" "));
    const score = line.score === undefined ? "" : (lines[0].isExact && !line.isExact ? "~" : "") + scoreText(line.score);
    const row = tableRow(["", score, ""], ["", "number", "line"]);
    row.cells[0].append(first);
    row.cells[2].append(...rest);
    row.classList.toggle("played", line.move === game.moves[place]);
    return row;
  }));
  at("lines").tBodies[0].rows[focused]?.querySelector("button").focus();
}

const goPlain = go;
go = to => { goPlain(to); showMoves(); point(); };
at("trunk").onclick = goHome;
/** What a click on a square does, or the enter key. */
let press = square => {
  const move = legalMoves().find(word => word.startsWith(SQUARES[square]));
  if (move) playLine(ply, [move]);
};
at("board").onclick = event => {
  const box = at("board").getBoundingClientRect(), scale = 344 / box.width;
  const [file, line] = [event.clientX - box.left, event.clientY - box.top].map(way => Math.floor((way * scale - EDGE) / CELL));
  if (file >= 0 && file < 8 && line >= 0 && line < 8) press(8 * line + file);
};
at("board").onmousedown = event => event.preventDefault();  // only the keyboard puts the focus on the board

/* ---- the board by keyboard: arrow keys lead from square to square, each is named, enter plays ---- */

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
let under = 27;
let boardShown = () => boardAfter(game, ply);
function point() {
  const felt = at("board"), disc = boardShown()[under], name = SQUARES[under];
  felt.querySelector(".under")?.remove();
  if (document.activeElement !== felt) return;
  const [x, y] = cornerOf(under);
  draw(felt, "rect", {class: "under", x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4, rx: 4});
  const what = disc === "-" ? t(legalMoves().some(move => move.startsWith(name)) ? "legal move" : "empty") : NAMES[disc === "X" ? 0 : 1];
  const line = known().find(one => one.move === name);
  at("spoken").textContent = `${name}, ${what}${line ? `, ${scoreText(line.score)}` : ""}`;
}
at("board").onfocus = at("board").onblur = point;
at("board").onkeydown = event => {
  const way = ARROWS[event.key];
  if (way) under = Math.max(0, Math.min(7, under % 8 + way[0])) + 8 * Math.max(0, Math.min(7, Math.floor(under / 8) + way[1]));
  else if (event.key === "Enter" || event.key === " ") press(under);
  else return;
  event.preventDefault();
  event.stopPropagation();
  point();
};
KEYS.Escape = goHome;
if (game) go(ply);
