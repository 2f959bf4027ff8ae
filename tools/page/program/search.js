// Stands after report.js and branch.js: their board is searched by the server; docs/analysis.md has the requests.
const DESK = JSON.parse(at("desk").textContent);
const SECONDS = 30, HINT_SECONDS = 2, CURVE_LEVEL = 6;
let mode = DESK.mode, socket = null, asked = 0, hinted = null, found = null, attempts = 0, changes = 0, explored = 0;

/* ---- games: the server reads, plays and writes them ---- */

function complain(sentence) {
  at("trouble").textContent = sentence;
  at("trouble").hidden = !sentence;
}

async function post(path, body) {
  const answer = await fetch(path, {method: "POST", body}).catch(() => null);
  if (answer?.ok) { complain(""); return answer; }
  complain(answer ? await answer.text() : t("The program has ended: start it again."));
  return null;
}

const moveList = one => one.turns.split(" ").filter(word => word);

/** What describes a game with these moves. */
const described = (one, moves = moveList(one)) => JSON.stringify({
  number: one.number, rules: one.rules, position: `${one.start} ${one.begins}`, moves: moves.join(" "),
  black: one.black, white: one.white,
});

/** Show games in place of all others. */
function take(listing) {
  if (listing.bad.length) complain(listing.bad.join("; "));
  if (!listing.games.length) return;
  games.clear();
  for (const one of listing.games) games.set(one.number, one);
  at("games").tBodies[0].replaceChildren(...listing.games.filter(one => one.row).map(one => nodeOf(one.row)));
  at("list").parentElement.hidden = listing.games.length === 1;
  at("list").closest(".games").classList.toggle("single", listing.games.length === 1);
  const options = (first, names) => [new Option(first, ""), ...[...new Set(names)].sort().map(name => new Option(name))];
  at("by-engine").replaceChildren(...options(t("all players"), listing.games.flatMap(one => [one.black, one.white])));
  at("by-ending").replaceChildren(...options(t("all endings"), listing.games.map(one => one.ending)));
  filter();
  const number = Number(new URLSearchParams(location.hash.slice(1)).get("game"));
  if (!games.has(number) || !follow()) show(listing.games[0].number);
}

async function read(content, name = "") {
  const answer = await post(`read?name=${encodeURIComponent(name)}`, content);
  if (answer) take(await answer.json());
}

/** A game is whole when its legal moves are known. */
withGame = async (number, use) => {
  const known = games.get(number);
  if (known.legal) return use(known);
  const answer = await post("game", described(known));
  if (!answer) return;
  const made = await answer.json(), count = moveList(made).length;
  const filled = values => [...values, ...Array(count - values.length).fill(null)];  // a pass may have been added
  const whole = {...made, seconds: filled(known.seconds), values: filled(known.values), exact: filled(known.exact)};
  for (const name of ["ending", "margin", "detail", "opening", "row"]) whole[name] = known[name];
  games.set(number, whole);
  use(whole);
};

/** The game with another line, which the server plays; a move after the last one makes the game longer. */
branched = async (place, line) => {
  const turn = ++changes, kept = game;
  const answer = await post("game", described(kept, [...kept.moves.slice(0, place), ...line]));
  if (!answer || turn !== changes) return null;
  const isLonger = place === kept.moves.length && !kept.trunk;
  const whole = {...await answer.json(), row: games.get(kept.number).row, ...isLonger ? {} : forked(place)};
  for (const name of ["seconds", "values"]) whole[name] = whole[name].map((value, each) => each < place ? kept[name][each] : value);
  const count = moveList(whole).length + 1;
  if (kept.review)
    for (const [name, nothing] of [["review", null], ["depths", ""]])
      whole[name] = Array.from({length: count}, (_, each) => each <= place ? kept[name][each] : nothing);
  games.set(kept.number, whole);
  return whole;
};

/* ---- the search ---- */

function connect() {
  socket = socketTo("analysis");
  socket.onopen = () => { attempts = 0; complain(""); search(); };
  socket.onmessage = event => heed(JSON.parse(event.data));
  socket.onclose = () => {
    complain(t("The program has ended: start it again."));
    setTimeout(connect, pauseAfter(attempts++));
  };
}

const send = request => { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request)); };
legalMoves = () => game?.legal?.[ply].split(" ").filter(word => word && word !== "pass") ?? [];

/** Whether the position shown is searched: each mode has a switch of its own, and a hint is a search of one position. */
const switches = {play: false, study: true, practise: false};
const isOn = () => !setting && (switches[mode] || hinted === ply);

/** Search the position shown, and no other any more. */
function search() {
  found = null;
  if (hinted !== ply) hinted = null;
  document.body.classList.toggle("searching", isOn());
  document.body.classList.toggle("analysing", switches[mode]);
  showFound();
  send({id: "end", action: "terminate_all"});
  if (!isOn() || !game?.legal) return;
  const about = {rules: game.rules, position: `${game.start} ${game.begins}`, moves: game.moves.join(" ")};
  const count = legalMoves().length;
  asked++;
  if (count) send({...about, id: `live ${asked}`, turns: [ply], multipv: count, time: switches[mode] ? SECONDS : HINT_SECONDS, report_every: 0.2, priority: 1, yields: true});
  const missing = game.lost ? [] : [...Array(game.moves.length + 1).keys()].filter(turn => typeof game.review?.[turn] !== "number");
  if (switches[mode] && game.moves.length && missing.length) send({...about, id: `curve ${asked}`, turns: missing, level: CURVE_LEVEL});
}

function heed(answer) {
  const [kind, number] = String(answer.id).split(" ");
  if (Number(number) !== asked || answer.kind === "error" || answer.stopped && !answer.lines?.length) return;
  if (kind === "live" && answer.turn === ply && !(answer.depth < found?.depth)) { found = answer; showFound(); }
  if (kind === "curve" && answer.kind === "result") noteValue(answer);
}

/** A point of the game's curve. */
function noteValue(answer) {
  const count = game.moves.length + 1, sign = answer.position.endsWith("X") ? 1 : -1;
  game.review ??= Array(count).fill(null);
  game.depths ??= Array(count).fill("");
  game.review[answer.turn] = sign * answer.score;
  game.depths[answer.turn] = answer.exact ? "exact" : `depth ${answer.depth}`;
  Object.assign(games.get(game.number), {review: game.review, depths: game.depths});
  drawGraph();
  for (const end of ["x1", "x2"]) cursor.setAttribute(end, across(ply));
  items(at("facts"), facts());
}

/** Scores on the squares, the best lines, the book. */
function showFound() {
  if (!game) return;
  showMoves();
  const book = game.book?.[ply] ?? [];
  at("book").textContent = book.length ? `${t("Book")}: ${book.map(one => `${one.move} ${scoreText(one.score)}`).join(", ")}` : "";
}

known = () => found?.lines.map(line => ({...line, isExact: found.exact})) ?? (isOn() ? reviewed() : []);
note = legal => game.legal ? depthText(legal) : "";

/** The games of the archive that reached the position shown, if there is an archive. */
async function explore() {
  if (!at("played") || !game?.legal) return;
  const turn = ++explored;
  const answer = await fetch("archive", {method: "POST", body: described(game, game.moves.slice(0, ply))}).catch(() => null);
  if (turn !== explored || !answer) return;
  if (!answer.ok) return complain(await answer.text());
  const table = await answer.json();
  at("reached").textContent = table.games ? table.games === 1 ? t("1 game of the archive") : t("{0} games of the archive", table.games.toLocaleString("en")) : t("No game of the archive");
  at("played").hidden = !table.moves.length;
  at("played").tBodies[0].replaceChildren(...table.moves.map(playedRow));
}

function playedRow(move) {
  const known = move.won + move.drawn + move.lost, share = part => known ? `${Math.round(100 * part / known)} %` : "";
  const numbers = [move.games.toLocaleString("en"), share(move.won), share(move.drawn), share(move.lost), move.mean === null ? "" : signed(move.mean, 1)];
  const who = [move.strongest.join(", "), ...(move.opening ? [`(${move.opening})`] : [])].join(" ");
  const row = tableRow(["", ...numbers, [...new Set(move.years ?? [])].join("–"), who], ["", ...numbers.map(() => "number"), "", "who"]);
  row.cells[0].append(steps(ply, move.move)[0]);
  return row;
}

function depthText(legal) {
  if (!legal.length) return t(game.legal[ply] ? "pass" : "the game is over");
  const mover = t("{0} to move", NAMES[sideAt(ply) === "X" ? 0 : 1]);
  if (!found) return isOn() ? mover : t("{0}, analysis off", mover);
  const sure = found.exact ? t("exact") : t("depth {0}", found.depth) + (found.selectivity < 100 ? ` (${found.selectivity} %)` : "");
  return t("{0}, {1}, {2} nodes", mover, sure, Math.round(found.nodes).toLocaleString("en"));
}

/* ---- what report.js does, with a search; buttons, files, keys ---- */

const goBefore = go;
go = to => { goBefore(to); search(); explore(); at("link").hidden = true; };
const loadBefore = load;
load = (packed, position) => {
  packed.colours.forEach(([name, fill], colour) => {
    NAMES[colour] = t(name);
    document.documentElement.style.setProperty(colour ? "--second" : "--first", fill);
  });
  const [black, white] = [packed.black, packed.white].map(name => packed.colours.some(([colour]) => colour === name) ? t(name) : name);
  loadBefore({...packed, black, white}, position);
  drawJudged();
};

async function save(form) {
  const played = game.play ? `&play=${game.play}` : "";
  const answer = await post(`save?format=${form}${played}`, described(games.get(game.number)));
  if (!answer) return;
  download(await answer.blob(), answer.headers.get("content-disposition").split('"')[1]);
}

/** What the review says of both sides: moves by class, discs lost; forced and given moves do not count. */
function drawJudged() {
  at("judged").hidden = !game?.classes || !game.legal || Boolean(game.trunk);
  if (at("judged").hidden) return;
  const heads = ["", "accuracy", ...LOSSES.map(([name]) => name).reverse(), "discs lost"];
  const rows = ["X", "O"].map(disc => {
    const turns = game.moves.map((_, turn) => turn).filter(turn =>
      game.discs[turn] === disc && turn >= game.opening && game.legal[turn].includes(" "));
    const counts = LOSSES.map(([name]) => turns.filter(turn => game.classes[turn] === name).length).reverse();
    const good = turns.length - counts.reduce((sum, count) => sum + count, 0);
    const share = turns.length ? `${Math.round(100 * good / turns.length)} %` : "–";
    return [disc === "X" ? game.black : game.white, share, ...counts, turns.reduce((sum, turn) => sum + game.lost[turn], 0)];
  });
  const sheet = document.createElement("table"), head = sheet.createTHead().insertRow();
  for (const text of heads) head.append(Object.assign(document.createElement("th"), {textContent: text && t(text), className: text && "number"}));
  sheet.createTBody().append(...rows.map(cells => tableRow(cells, cells.map((_, column) => column ? "number" : "name"))));
  at("judged").replaceChildren(sheet);
}

async function review() {
  const button = at("review"), kept = games.get(game.number), place = ply;
  button.disabled = true;
  button.textContent = t("Reviewing …");
  const answer = await post("review", described(kept));
  button.disabled = false;
  button.textContent = t("Review");
  if (!answer || games.get(kept.number) !== kept) return;
  games.set(kept.number, {...kept, ...await answer.json(), play: null, playing: false, row: kept.row, black: kept.black, white: kept.white});
  load(games.get(kept.number), place);
}

at("fresh").onclick = () => read("");
at("open").onchange = event => {
  const file = event.target.files[0];
  if (file) read(file, file.name);
  event.target.value = "";
};
at("paste").onclick = () => { at("pasting").hidden = !at("pasting").hidden; at("text").focus(); };
at("take").onclick = () => { read(at("text").value); at("pasting").hidden = true; };
at("save").onchange = event => {
  if (event.target.value) save(event.target.value);
  event.target.value = "";
};
at("review").onclick = review;
function showSwitch() {
  at("engine").ariaPressed = String(switches[mode]);
  at("engine").textContent = t(switches[mode] ? "Analysis on" : "Analysis off");
}
at("engine").onclick = () => { switches[mode] = !switches[mode]; showSwitch(); search(); };
at("lined").onchange = showFound;
document.addEventListener("paste", event => {
  if (!["TEXTAREA", "INPUT"].includes(event.target.tagName)) { enter("study"); read(event.clipboardData.getData("text")); }
});
document.addEventListener("dragover", event => event.preventDefault());
document.addEventListener("drop", event => {
  event.preventDefault();
  const file = event.dataTransfer.files[0];
  enter("study");
  if (file) read(file, file.name); else read(event.dataTransfer.getData("text"));
});

/* ---- the three modes of the page, and its address ---- */

const leave = {}, arrive = {};  // what a mode does when it is left and entered

function enter(wanted) {
  if (wanted !== mode) leave[mode]?.();
  mode = wanted;
  hinted = null;
  document.body.dataset.mode = mode;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.ariaSelected = String(tab.dataset.mode === mode);
    tab.tabIndex = tab.dataset.mode === mode ? 0 : -1;
  }
  document.body.classList.remove("waiting");
  showSwitch();
  arrive[mode]?.();
  if (game) go(ply);
}
for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.onclick = () => enter(tab.dataset.mode);
  tab.onkeydown = event => {
    const next = {ArrowLeft: tab.previousElementSibling, ArrowRight: tab.nextElementSibling}[event.key];
    if (!next) return;
    event.stopPropagation();
    next.click();
    next.focus();
  };
}

/** The game shown as a fragment that any page of this program reads: rules and board where they are not the usual ones. */
function linked() {
  const fields = {moves: game.moves.join(game.oneWay ? " " : ""), ply};
  if (game.rules !== DESK.usual) fields.rules = game.rules;
  if (`${game.start} ${game.begins}` !== DESK.start) fields.position = `${game.start} ${game.begins}`;
  return `#${new URLSearchParams(fields)}`;
}
const addressOfGame = address;
address = () => {
  if (mode === "practise") return "#practise";
  if (game.play && !game.trunk) return `#play=${game.play}`;
  return games.size > 1 ? addressOfGame() : linked();
};
heading = () => games.size > 1 ? `${t("Game")} ${game.number}: ` : "";

/** Show the game of a link; false if the address has none. */
async function followLink(wanted) {
  if (!wanted.has("moves") && !wanted.has("position")) return false;
  const answer = await post("game", JSON.stringify({number: 1, ...Object.fromEntries(wanted)}));
  if (!answer) return false;
  const one = await answer.json();
  take({games: [one], bad: []});
  if (wanted.has("ply")) go(Number(wanted.get("ply")));
  return true;
}
