// Stands after play.js: problems and openings that come again, the failed ones sooner; docs/web.md describes both.
const BOOK_PLIES = 16, GOOD_LOSS = 1, LEARNED_BOX = 3;
let cards = {}, listed = [], kind = "problems", asking = null;

const dueNow = key => cards[key] !== undefined && cards[key].due <= Date.now() / 1000;
const keyOf = problem => `problem ${problem.position}`;

async function loadCards(body) {
  const answer = body ? await post("progress", body) : await fetch("progress").catch(() => null);
  if (!answer) return;
  if (!answer.ok) return complain(await answer.text());
  cards = (await answer.json()).cards;
  showDue();
}

function showDue() {
  const known = Object.keys(cards), due = known.filter(dueNow).length, learned = known.filter(key => cards[key].box >= LEARNED_BOX).length;
  at("due").textContent = t("{0} due, {1} learned, {2} seen", due, learned, known.length);
}

/** Show a position to be answered; `key` is that of its card. */
async function put(key, described, question, more) {
  const turn = ++changes;
  const made = await post("game", JSON.stringify({number: 1, ...described}));
  if (!made || turn !== changes) return;
  const one = await made.json();
  asking = {key, tried: 0, isOver: false, ...more};
  at("solution").hidden = false;
  take({games: [one], bad: []});
  at("question").textContent = question;
  feedback("");
}

function feedback(text, isRight = false) {
  at("answer").textContent = text;
  at("answer").className = isRight ? "right" : "";
}

/** The first answer to a question decides when it comes again. */
async function grade(isRight) {
  if (asking.tried++) return;
  const answer = await post("progress/answer", JSON.stringify({key: asking.key, right: isRight}));
  if (answer) { cards[asking.key] = await answer.json(); showDue(); }
}

/** The losses of all moves in the position asked about, from the problem or by a search. */
async function losses() {
  const scores = asking.problem?.scores ?? {}, best = Math.max(...Object.values(scores));
  if (!asking.losses && Object.keys(scores).length)
    asking.losses = Object.fromEntries(Object.entries(scores).map(([move, score]) => [move, best - score]));
  if (!asking.losses) {
    const answer = await post("losses", described(games.get(game.number)));
    asking.losses = answer ? (await answer.json()).losses : {};
  }
  return asking.losses;
}

/* ---- problems: the due ones first, then new ones, the easiest first ---- */

async function askProblem() {
  if (!listed.length) {
    const answer = await fetch("problems").catch(() => null);
    if (answer?.ok) listed = await answer.json();
  }
  const rank = problem => dueNow(keyOf(problem)) ? cards[keyOf(problem)].due - 1e12 : cards[keyOf(problem)]?.due ?? -1;
  const others = listed.filter(problem => keyOf(problem) !== asking?.key);
  const problem = (others.length ? others : listed).reduce((best, one) => best && rank(best) <= rank(one) ? best : one, null);
  if (!problem) return;
  const mover = NAMES[problem.position.endsWith("X") ? 0 : 1], wins = Object.values(problem.scores).filter(score => score > 0).length;
  await put(keyOf(problem), {rules: problem.rules, position: problem.position},
            t(wins === 1 ? "{0} to move: one move alone wins." : "{0} to move: find the best move.", mover), {problem});
}

/* ---- openings: the book or a line for one side, the other side's moves are asked for ---- */

const bookMoves = () => game.book?.[ply] ?? [];
const drillKey = moves => `opening ${moves.join("")}`;
let line = null;  // the moves to be learned; null for the book

function startDrill() {
  const text = openingMoves(at("drilled-line").value);
  line = text ? text.toLowerCase().match(/[a-h][1-8]/g) ?? [] : null;
  askOpening();
}

/** Begin a round: at a failed position that is due, else at the start. */
async function askOpening() {
  const side = at("drilled-side").value, failed = Object.keys(cards).filter(key => key.startsWith("opening ") && cards[key].box === 0 && dueNow(key))
    .map(key => key.slice(8).match(/../g) ?? []).filter(moves => moves.length % 2 === (side === "X" ? 0 : 1))
    .filter(moves => !line || moves.every((move, each) => move === line[each]));
  await putOpening(failed.sort((a, b) => a.length - b.length)[0] ?? []);
}

async function putOpening(moves) {
  const side = at("drilled-side").value, mover = NAMES[side === "X" ? 0 : 1];
  await put(drillKey(moves), {moves: moves.join("")}, t("You play {0}: find the move of the line.", mover), {moves});
  const isEnd = line ? moves.length >= line.length : moves.length >= BOOK_PLIES || !bookMoves().length;
  if (isEnd) {
    asking.isOver = at("solution").hidden = true;
    return feedback(t("This is the end of the line."), true);
  }
  if (sideAt(ply) === side) return;
  const best = Math.max(...bookMoves().map(one => one.score)), good = bookMoves().filter(one => best - one.score <= GOOD_LOSS);
  const move = line ? line[moves.length] : good[Math.floor(Math.random() * good.length)].move;
  setTimeout(() => { if (mode === "practise" && asking?.moves === moves) putOpening([...moves, move]); }, 400);
}

/** The moves that count as right: of a line its own, of the book those that lose at most a disc. */
function rightMoves() {
  if (line) return [line[ply]];
  const best = Math.max(...bookMoves().map(one => one.score));
  return bookMoves().filter(one => best - one.score <= GOOD_LOSS).map(one => one.move);
}

async function answerWith(move) {
  const now = asking;
  if (!now || now.isOver || now.moves && sideAt(ply) !== at("drilled-side").value) return;
  const isOpening = Boolean(now.moves), isSure = isOpening && rightMoves().includes(move);
  const lost = isSure ? 0 : (await losses())[move] ?? 0, isRight = isOpening ? isSure : lost === 0;
  if (asking !== now) return;
  await grade(isRight);
  if (isRight && isOpening) return putOpening([...now.moves, move]);
  const price = lost ? t("{0} loses {1} discs.", move, lost) : t("{0} loses nothing, but it is not the move of the line.", move);
  if (!isRight) return feedback(`${price} ${t("Try again.")}`);
  now.isOver = at("solution").hidden = true;
  await playFreely(ply, [move]);
  feedback(t("Right: {0}.", move), true);
}

async function showSolution() {
  if (!asking || asking.isOver) return;
  await grade(false);
  const all = await losses(), best = asking.moves ? rightMoves() : Object.keys(all).filter(move => all[move] === 0);
  feedback(t("The solution: {0}.", best.join(", ")));
}

const playSeated = playLine;
playLine = (place, moves) => mode === "practise" ? answerWith(moves[0]) : playSeated(place, moves);

function choosePractice(chosen) {
  kind = chosen;
  asking = null;
  for (const name of ["problems", "drill"]) at(name).ariaPressed = String(name === kind);
  at("drilled").hidden = kind !== "drill";
  if (kind === "problems") askProblem(); else startDrill();
}

at("problems").onclick = () => choosePractice("problems");
at("drill").onclick = () => choosePractice("drill");
at("drilled").onsubmit = event => { event.preventDefault(); startDrill(); };
at("drilled-side").onchange = startDrill;
at("solution").onclick = showSolution;
at("next").onclick = () => kind === "problems" ? askProblem() : askOpening();
at("export").onclick = async () => {
  const answer = await fetch("progress").catch(() => null);
  if (answer?.ok) download(await answer.blob(), "outflank-practice.json");
};
at("import").onchange = event => { if (event.target.files[0]) loadCards(event.target.files[0]); event.target.value = ""; };
at("own").onchange = async event => {
  const answer = event.target.files[0] && await post("problems", event.target.files[0]);
  event.target.value = "";
  if (answer) { listed = await answer.json(); choosePractice("problems"); }
};
arrive.practise = async () => { await loadCards(); if (mode === "practise") choosePractice(kind); };
leave.practise = () => { asking = null; };
