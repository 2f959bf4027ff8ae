// `LETTERS` and `NAMES` (of the two colours) stand above; page.py describes what is known of a game (`replay`).
const at = id => document.getElementById(id);
const games = new Map(JSON.parse(at("replays").textContent).map(one => [one.number, one]));
const SVG = "http://www.w3.org/2000/svg", CELL = 40, EDGE = 12;
const GRAPH = {width: 720, height: 202, left: 56, right: 708, top: 12, bottom: 172};
let game, ply = 0, timer = null, cursor;

/** A text of the page in the reader's language, with the values in its gaps; words.js has the other languages. */
let words = {};
const t = (text, ...values) => (words[text] ?? text).replace(/\{(\d)\}/g, (_, gap) => values[gap]);

function draw(parent, kind, attributes, text) {
  const node = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

/** The first node of some HTML of ours. */
function nodeOf(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  return made.content.firstElementChild;
}

/** A table row with these texts, of which `kinds` has the classes. */
function tableRow(texts, kinds = []) {
  const row = document.createElement("tr");
  texts.forEach((text, column) => Object.assign(row.insertCell(), {textContent: text, className: kinds[column] ?? ""}));
  return row;
}

/* ---- the list of games ---- */

const rows = () => [...document.querySelectorAll("#games tbody tr")];
const numberOf = row => Number(row.dataset.number);

/* ---- the game: turn t leads from position t to position t + 1; numbers are Black's ---- */

function unpacked(packed) {
  const moves = packed.turns.split(" ").filter(word => word);
  const squares = packed.squares.split(" ").map(word => [...word].map(letter => LETTERS.indexOf(letter)));
  const other = packed.begins === "X" ? "O" : "X";
  let made = 0;
  const last = packed.ending === "discs" || packed.ending === "adjudication" ? packed.margin : null;
  return {...packed, moves, squares, exact: [...packed.exact, last],
          numbers: moves.map(move => move === "pass" ? null : ++made),
          discs: moves.map((_, turn) => turn % 2 ? other : packed.begins)};
}

function boardAfter(one, count) {
  const board = [...one.start];
  for (let turn = 0; turn < count; turn++)
    for (const square of one.squares[turn]) board[square] = one.discs[turn];
  return board;
}

/** Discs that a turn threw away, as a review says or as the exact margins do; 0 where it is not known. */
function slip(turn) {
  if (game.lost) return game.lost[turn];
  const before = game.exact[turn], after = game.exact[turn + 1];
  if (game.seconds[turn] === null || before === null || after === null) return 0;
  return Math.max(0, game.discs[turn] === "X" ? before - after : after - before);
}

/** How bad a turn was: the class that a review gives an error; empty for a good one. */
const error = turn => game.classes ? game.classes[turn] : slip(turn) ? "slip" : "";

/** A move with its number on a score sheet, where a pass has none: a full board ends with 60. */
const sheetMove = turn => (game.numbers[turn] ? `${game.numbers[turn]}. ` : "") + game.moves[turn];

/** Who is to move in a position. */
const sideAt = position => position % 2 ? (game.begins === "X" ? "O" : "X") : game.begins;

/** A number of Black as the reader wants it: his or that of the side with these discs; and in words. */
const seen = (value, disc) => at("view").value === "mover" && disc === "O" ? 0 - value : value;
const seenFor = (value, digits, disc) => t("{0} for {1}", signed(seen(value, disc), digits), NAMES[at("view").value === "mover" && disc === "O" ? 1 : 0]);

const signed = (value, digits) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);

/** The square of the first move of a line. */
const squareOf = line => "abcdefgh".indexOf(line[0]) + 8 * (Number(line[1]) - 1);

/* ---- drawing ---- */

const countOf = (board, disc) => board.filter(square => square === disc).length;

/** Where a square has its upper left corner. */
const cornerOf = square => [EDGE + square % 8 * CELL, EDGE + Math.floor(square / 8) * CELL];

/** Draw the discs of a board, and a dot on the square played last. */
function drawDiscs(felt, board, last) {
  felt.replaceChildren();
  draw(felt, "rect", {width: 344, height: 344, fill: "var(--grid)"});
  board.forEach((disc, square) => {
    const [x, y] = cornerOf(square);
    draw(felt, "rect", {x: x + .5, y: y + .5, width: CELL - 1, height: CELL - 1, fill: "var(--felt)"});
    if (disc !== "-")
      draw(felt, "circle", {cx: x + CELL / 2, cy: y + CELL / 2, r: 16, stroke: "#0004",
                            fill: disc === "X" ? "var(--first)" : "var(--second)"});
    if (square === last) draw(felt, "circle", {cx: x + CELL / 2, cy: y + CELL / 2, r: 4, fill: "#e2574c", stroke: "#fff"});
  });
  felt.setAttribute("aria-label", `${t("board")}, ${NAMES[0]} ${countOf(board, "X")}, ${NAMES[1]} ${countOf(board, "O")}`);
}

function drawLetters(felt) {
  for (let line = 0; line < 8; line++) {
    draw(felt, "text", {x: EDGE + (line + .5) * CELL, y: 10}, "abcdefgh"[line]);
    draw(felt, "text", {x: 6, y: EDGE + (line + .5) * CELL + 4}, String(line + 1));
  }
}

function drawBoard() {
  const board = boardAfter(game, ply), felt = at("board"), better = ply && game.better?.[ply - 1];
  drawDiscs(felt, board, ply ? game.squares[ply - 1][0] : undefined);
  if (better) {
    const [x, y] = cornerOf(squareOf(better));
    draw(felt, "circle", {class: "better", cx: x + CELL / 2, cy: y + CELL / 2, r: 13});
  }
  drawLetters(felt);
  return `${countOf(board, "X")}-${countOf(board, "O")}`;
}

/** What shows a line that begins at a position: text, or nodes that lead along it. */
let steps = (position, line) => [line];

/** The turn that led to the position shown. */
function turnFacts(turn) {
  const mover = game.discs[turn] === "X" ? game.black : game.white;
  const seconds = game.seconds[turn], value = game.values[turn], lost = slip(turn);
  const by = turn < game.opening ? t("opening") : (seconds === null ? mover : t("{0} in {1} s", mover, seconds.toFixed(3))) +
    (game.booked?.includes(turn) ? `, ${t("from its book")}` : "");
  const said = [`${sheetMove(turn)}, ${by}`];
  if (value !== null) said.push(t("{0} judged {1}", mover, seenFor(value, 2, game.discs[turn])));
  if (game.better?.[turn]) said.push([t("{0}, {1} discs lost; better", t(error(turn)), lost) + " ", ...steps(turn, game.better[turn])]);
  else if (lost && !game.lost) said.push(t("{0} discs thrown away", lost));
  return said;
}

/** All numbers are those of the graph at the position shown. */
function facts() {
  const said = ply ? turnFacts(ply - 1) : [t("The start.")], exact = game.exact[ply];
  if (exact !== null) said.push(t("exact {0}", seenFor(exact, 0, sideAt(ply))));
  else if (typeof game.review?.[ply] === "number") said.push(t("reviewed {0}", `${seenFor(game.review[ply], 0, sideAt(ply))}, ${game.depths[ply]}`));
  return said;
}

function items(list, texts) {
  list.replaceChildren(...texts.map(text => {
    const item = document.createElement("li");
    item.append(...[text].flat());
    return item;
  }));
}

/** The known values as [position, value]. */
function curve(values) {
  return values.map((value, position) => [position, value]).filter(([, value]) => value !== null && value !== undefined);
}

/** Where a position of the game lies on the graph. */
const across = position => GRAPH.left + position / Math.max(1, game.moves.length) * (GRAPH.right - GRAPH.left);

function drawGraph() {
  const count = game.moves.length, own = disc => [null, ...game.values.map((value, turn) => game.discs[turn] === disc ? value : null)];
  const curves = {black: curve(own("X")), white: curve(own("O")), review: curve(game.review ?? []), exact: curve(game.exact)};
  const most = Math.max(4, ...Object.values(curves).flat().map(([, value]) => Math.abs(value)));
  const top = Math.ceil(Math.min(64, most) / 4) * 4, graph = at("graph");
  const y = value => (GRAPH.top + GRAPH.bottom) / 2 - Math.max(-top, Math.min(top, value)) / top * (GRAPH.bottom - GRAPH.top) / 2;
  graph.replaceChildren();
  for (const value of [-top, -top / 2, 0, top / 2, top]) {
    draw(graph, "line", {class: value ? "tick" : "level", x1: GRAPH.left, x2: GRAPH.right, y1: y(value), y2: y(value)});
    draw(graph, "text", {class: "up", x: GRAPH.left - 5, y: y(value)}, signed(value, 0));
  }
  for (const [position, number] of [0, ...game.numbers].entries())
    if (number !== null && number % 10 === 0)
      draw(graph, "text", {class: "across", x: across(position), y: GRAPH.bottom + 5}, String(number));
  for (const [kind, points] of Object.entries(curves)) {
    const text = points.map(([position, value]) => `${across(position).toFixed(1)},${y(value).toFixed(1)}`);
    if (text.length > 1) draw(graph, "polyline", {class: `curve ${kind}`, points: text.join(" ")});
    for (const point of text) {
      const [cx, cy] = point.split(",");
      draw(graph, "circle", {class: `dots ${kind}`, cx, cy, r: 1.8});
    }
  }
  for (const kind of Object.keys(curves))
    at(`${kind}-legend`).hidden = !curves[kind].length;
  cursor = draw(graph, "line", {class: "cursor", y1: GRAPH.top, y2: GRAPH.bottom});
  at("judgements").hidden = !game.values.concat(game.review ?? [], game.exact.slice(0, count)).some(value => value !== null);
}

/* ---- moving about ---- */

/** Whether the newest position of a game that is being played is shown: its next move will be shown too. */
const isFollowed = () => Boolean(game.playing) && ply === game.moves.length;

/** The fragment that leads back to the position shown; empty where none does. */
let address = () => game.trunk ? "" : `#game=${game.number}${isFollowed() ? "" : `&ply=${ply}`}`;

function go(to) {
  ply = Math.max(0, Math.min(game.moves.length, to));
  at("status").textContent = drawBoard();
  items(at("facts"), facts());
  at("ply").value = ply;
  for (const end of ["x1", "x2"]) cursor.setAttribute(end, across(ply));
  [...at("moves").children].forEach((item, turn) => item.classList.toggle("now", turn === ply - 1));
  const place = address();
  if (place) history.replaceState(null, "", place);
}

function side(kind, name) {
  const dot = document.createElement("span");
  dot.className = `side ${kind}`;
  return [dot, ` ${name}`];
}

/** The errors of the game, each a button that leads to it. */
function slips() {
  const turns = game.moves.map((_, turn) => turn).filter(error);
  at("slips").hidden = !turns.length;
  at("slips").replaceChildren(`${t("Discs thrown away")}: `, ...turns.map(turn => {
    const button = document.createElement("button");
    button.textContent = `${sheetMove(turn)}: ${slip(turn)}`;
    button.onclick = () => go(turn + 1);
    return button;
  }));
}

/** The moves as a table, for those who read with their ears; filled while it is open. */
function drawTable() {
  if (!at("table").open) return;
  at("turns").tBodies[0].replaceChildren(...game.moves.map((move, turn) => {
    const mover = game.discs[turn] === "X" ? game.black : game.white;
    const number = (value, digits) => value === null || value === undefined ? "" : signed(seen(value, game.discs[turn]), digits);
    const texts = [game.numbers[turn] ?? "", mover, move, game.seconds[turn]?.toFixed(3) ?? "", number(game.values[turn], 2), number(game.exact[turn], 0)];
    return tableRow(texts, ["number", "", "", "number", "number", "number"]);
  }));
}

/** Hands a game over once all of it is known: at once in a report; a live page asks for what it lacks. */
let withGame = (number, use) => use(games.get(number));

function show(number, position) {
  withGame(number, packed => {
    stop();
    load(packed, position);
  });
}

/** What stands before the players. */
let heading = () => `${t("Game")} ${game.number}: `;

function load(packed, position) {
  game = unpacked(packed);
  for (const row of rows()) row.classList.toggle("shown", numberOf(row) === game.number);
  at("title").replaceChildren(heading(), ...side("first", game.black), " – ", ...side("second", game.white));
  at("called").textContent = game.called;
  at("occasion").textContent = game.occasion ?? "";
  at("ply").max = game.moves.length;
  at("detail").textContent = game.detail;
  at("detail").className = game.fault ? "bad" : "soft";
  at("transcript").textContent = game.moves.filter(move => move !== "pass").join(game.turns.includes("/") ? " " : "");
  items(at("moves"), game.moves);
  [...at("moves").children].forEach((item, turn) => {
    item.classList.toggle("opening", turn < game.opening);
    if (error(turn)) { item.classList.add("slip", error(turn)); item.title = t("{0} discs thrown away", slip(turn)); }
    item.onclick = () => go(turn + 1);
  });
  slips();
  for (const [id, name] of [["black-name", game.black], ["white-name", game.white]]) at(id).textContent = name;
  drawGraph();
  drawTable();
  go(position ?? game.turned ?? game.moves.length);
}

/** Show all scores anew, for Black or for the mover. */
function drawScores() {
  for (const cell of document.querySelectorAll("[data-score]"))
    cell.textContent = signed(seen(Number(cell.dataset.score), cell.dataset.side), cell.dataset.score % 1 ? 1 : 0);
  if (!game) return;
  drawTable();
  go(ply);
}

/** Whether most of the board can be seen. */
function inSight() {
  const {top, bottom} = at("board").getBoundingClientRect(), middle = (top + bottom) / 2;
  return middle > 0 && middle < innerHeight;
}

function reveal() {
  if (!inSight()) at("viewer").scrollIntoView({block: "start"});
}

/** The next game of the list, as it is sorted and filtered, in one direction or the other. */
function neighbour(step) {
  const isShown = row => numberOf(row) === game.number, listed = rows().filter(row => !row.hidden || isShown(row));
  const row = listed[listed.findIndex(isShown) + step];
  if (!row) return;
  show(numberOf(row));
  row.scrollIntoView({block: "nearest"});
  reveal();
}

function choose(number, position) {
  show(number, position);
  reveal();
}

function stop() {
  clearInterval(timer);
  timer = null;
  at("play").textContent = "▶";
}

function play() {
  if (timer) return stop();
  if (ply === game.moves.length) go(0);
  at("play").textContent = "❚❚";
  timer = setInterval(() => { go(ply + 1); if (ply === game.moves.length) stop(); }, 600);
}

function filter() {
  const engine = at("by-engine").value, ending = at("by-ending").value;
  let count = 0;
  const all = rows();
  for (const row of all) {
    const {black, white, ending: by} = games.get(numberOf(row));
    row.hidden = Boolean(engine && engine !== black && engine !== white || ending && ending !== by);
    count += !row.hidden;
  }
  at("count").textContent = `${count} of ${all.length}`;
}

/** All games as files of that format, as `outflank export` writes them. */
async function gameFiles(format) {
  const packed = Uint8Array.from(atob(JSON.parse(at("files").textContent)[format]), letter => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(unpacked).text());
}

/** The game shown, or all games, as a file of that format; a live page asks for it. */
let fileText = async (format, all) => {
  const files = await gameFiles(format);
  return all ? files.join("") : files[[...games.keys()].indexOf(game.number)];
};

function download(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function save(format, all) {
  const content = new Blob([await fileText(format, all)], {type: "text/plain"});
  download(content, all ? `games.${format}` : `game-${game.number}.${format}`);
}

// These move about on a board that is in sight; on a page where it is not, they are the browser's.
const BOARD_KEYS = {
  ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), Home: () => go(0), End: () => go(game.moves.length),
  " ": play,
};
const KEYS = {n: () => neighbour(1), p: () => neighbour(-1)};

document.addEventListener("keydown", event => {
  if (!game || event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "INPUT", "TEXTAREA"].includes(event.target.tagName)) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  if (event.key === "Enter" && event.target.dataset.number) choose(numberOf(event.target));
  else if (KEYS[event.key]) KEYS[event.key]();
  else if (BOARD_KEYS[event.key] && inSight()) BOARD_KEYS[event.key]();
  else return;
  event.preventDefault();
});
document.addEventListener("click", event => {
  const link = event.target.closest("[data-ply]"), row = event.target.closest("#games tbody tr");
  if (link) choose(Number(link.dataset.game), Number(link.dataset.ply));
  else if (row) choose(numberOf(row));
});
at("table").ontoggle = drawTable;
at("view").onchange = drawScores;
for (const button of document.querySelectorAll("#downloads button"))
  button.onclick = () => save(button.dataset.format, "all" in button.dataset);
at("first").onclick = () => go(0);
at("back").onclick = () => go(ply - 1);
at("play").onclick = play;
at("forward").onclick = () => go(ply + 1);
at("last").onclick = () => go(game.moves.length);
at("ply").oninput = event => go(Number(event.target.value));
at("graph").onclick = event => {
  const box = at("graph").getBoundingClientRect(), x = (event.clientX - box.left) / box.width * GRAPH.width;
  go(Math.round((x - GRAPH.left) / (GRAPH.right - GRAPH.left) * game.moves.length));
};
at("by-engine").onchange = at("by-ending").onchange = filter;
filter();
drawScores();

/** Show what the address names; false if it names no game. */
function follow() {
  const wanted = new URLSearchParams(location.hash.slice(1)), number = Number(wanted.get("game"));
  if (!games.has(number)) return false;
  choose(number, wanted.has("ply") ? Number(wanted.get("ply")) : undefined);
  return true;
}

window.onhashchange = follow;
if (!follow() && games.size) show(games.keys().next().value);
