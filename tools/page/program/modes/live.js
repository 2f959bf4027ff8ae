// Stands after report.js and seats.js, whose games, board and list it feeds with what the server says; docs/live.md has the messages.
const LATEST = 4000;  // ms
const values = new Map(), cards = new Map();
let page = null, lag = 0, attempts = 0, asked = 0, endedAt = 0, isAuto = !location.hash;

/* ---- the line to the server ---- */

function connect() {
  const socket = socketTo("feed");
  socket.onmessage = event => {
    attempts = 0;
    at("line").hidden = true;
    receive(JSON.parse(event.data));
  };
  socket.onclose = () => {
    at("line").textContent = values.get("run")?.state === "over"
      ? "The server has ended. The run is over, and this page stays as it is."
      : "The server does not answer. This page goes on by itself when it does.";
    at("line").hidden = false;
    setTimeout(connect, pauseAfter(attempts++) * (.5 + Math.random() / 2));
  };
}

function receive(message) {
  if (message.all && page !== null && page !== message.page) return location.reload();
  lag = message.now - Date.now() / 1000;
  const changed = new Set(message.all ? values.keys() : message.drop);
  if (message.all) { page = message.page; values.clear(); }
  for (const key of message.drop) values.delete(key);
  for (const [key, value] of Object.entries(message.set)) { values.set(key, value); changed.add(key); }
  for (const key of changed) {
    const [kind, name] = key.split("/");
    if (kind === "parts") showPart(name);
    else if (kind === "game" || kind === "ended") showGame(Number(name));
    else if (kind === "thought") showThought(Number(name));
  }
  if (changed.has("coming")) showComing();
  if (changed.has("run") || changed.has("coming")) showState();
  if (!follow.done) followFirst();
}

/* ---- the report's parts ---- */

/** Put a part in place of what stood there; tables stay sorted and scrolled as they were. */
function showPart(name) {
  const part = at(`part-${name}`), before = [...part.querySelectorAll("table.sortable")];
  const sorted = new Map(before.map(table => [table.id, table.querySelector("th[aria-sort]")]));
  const scrolled = [...part.querySelectorAll(".wide")].map(one => [one.scrollLeft, one.scrollTop]);
  const body = nodeOf(values.get(`parts/${name}`) ?? "");
  part.replaceChildren(...(body ? body.childNodes : []));
  part.className = body?.className ?? "";
  makeSortable(part);
  for (const table of part.querySelectorAll("table.sortable")) {
    const head = sorted.get(table.id);
    if (!head) continue;
    sortTable(table, head.cellIndex);
    if (table.tHead.rows[0].cells[head.cellIndex].ariaSort !== head.ariaSort) sortTable(table, head.cellIndex);
  }
  part.querySelectorAll(".wide").forEach((one, place) => { [one.scrollLeft, one.scrollTop] = scrolled[place] ?? [0, 0]; });
}

function showState() {
  const run = values.get("run"), boards = [...values.keys()].filter(key => key.startsWith("game/")).length;
  if (!run) return;
  const said = [run.planned === null ? `${run.played} games played` : `${run.played} of ${run.planned} games played`];
  if (run.state === "over") said.push("the run is over");
  else if (run.state === "interrupted") said.push("the run was interrupted; this page goes on when it is resumed");
  else if (boards) said.push(`${boards} being played`);
  if (run.delay) said.push(`shown ${run.delay} s late`);
  if (at("state").textContent !== `${said.join(", ")}.`) at("state").textContent = `${said.join(", ")}.`;
  at("playing").hidden = !boards;
  at("all-games").hidden = !games.size;
  document.title = `${run.state === "playing" ? "● " : ""}${document.querySelector("h1").textContent}`;
}

function showComing() {
  const coming = (values.get("coming") ?? []).filter(one => !values.has(`game/${one.number}`)).slice(0, 8);
  at("coming").hidden = !coming.length;
  at("next").replaceChildren(...coming.map(one => tableRow([one.number, one.black, one.white, one.opening || "the start"], ["number"])));
}

/* ---- games: those being played whole, those that have ended by their heads until somebody wants to see them ---- */

function showGame(number) {
  const playing = values.get(`game/${number}`), ended = values.get(`ended/${number}`), known = games.get(number);
  if (playing) games.set(number, playing);
  else if (ended && (!known || known.playing || known.row !== ended.row)) games.set(number, ended);
  else if (!ended) games.delete(number);
  showRow(number);
  showCard(number);
  if (game?.number === number) refresh(known);
  filter();
}

/** The newest game stands first in the list. */
function showRow(number) {
  const one = games.get(number), old = document.querySelector(`#games tr[data-number="${number}"]`);
  if (old && one && old.dataset.html === one.row) return;
  if (!one) return old?.remove();
  const row = nodeOf(one.row);
  row.dataset.html = one.row;
  row.classList.toggle("shown", game?.number === number);
  if (old) return old.replaceWith(row);
  const next = rows().find(other => numberOf(other) < number);
  if (next) next.before(row); else at("games").tBodies[0].append(row);
}

/** The game shown has changed: follow it where its newest position was shown, else stay at the position. */
function refresh(known) {
  const one = games.get(game.number), place = isFollowed() ? undefined : ply;
  if (!one) return;
  if (one.start) return load(one, place);
  endedAt = Date.now();
  if (known?.playing) withGame(game.number, whole => load(whole, place));
}

/** Some time after a game has ended, go on to one that is being played, unless the viewer has chosen. */
function goOn() {
  if (!isAuto || !game || game.playing || Date.now() < endedAt + LATEST) return;
  const next = [...games.values()].find(one => one.playing);
  if (next) load(next);
}

function followFirst() {
  const first = [...games.values()].find(one => one.playing) ?? [...games.values()].at(-1);
  if (!first) return;
  follow.done = true;
  if (!follow()) show(first.number);
}

withGame = async (number, use) => {
  const turn = ++asked, known = games.get(number);
  if (known?.start) return use(known);
  const answer = await fetch(`games/${number}.json`).catch(() => null);
  if (!answer?.ok || turn !== asked) return;
  const whole = {...known, ...await answer.json()};
  if (games.has(number)) games.set(number, whole);
  use(whole);
};

fileText = async (format, all) => (await fetch(all ? `games.${format}` : `games/${game.number}.${format}`)).text();

/* ---- boards of games that are being played ---- */

function showCard(number) {
  const one = games.get(number);
  if (!one?.playing) {
    cards.get(number)?.remove();
    cards.delete(number);
    return;
  }
  if (!cards.has(number)) {
    const card = document.createElement("button"), felt = document.createElementNS(SVG, "svg");
    card.className = "card";
    felt.setAttribute("viewBox", "11 11 322 322");
    card.append(seat("second"), felt, seat("first"));
    card.onclick = () => { isAuto = false; choose(number); };
    cards.set(number, card);
    const next = [...cards].filter(([other]) => other > number).sort(([a], [b]) => a - b)[0];
    if (next) next[1].before(card); else at("boards").append(card);
  }
  const card = cards.get(number), whole = unpacked(one), board = boardAfter(whole, whole.moves.length);
  drawDiscs(card.querySelector("svg"), board, whole.squares.at(-1)?.[0]);
  card.ariaLabel = `Game ${number}: ${one.black} against ${one.white}, ${countOf(board, "X")}-${countOf(board, "O")} after ${whole.moves.length} turns`;
  showThought(number);
}

function showThought(number) {
  const one = games.get(number), card = cards.get(number), thoughts = values.get(`thought/${number}`) ?? {};
  if (!card || !one?.playing) return;
  fillSeats(card, one, thoughts);
  if (game?.number === number) showSeats();
  tick();
}

/** Above the large board, the same. */
const showSeats = () => showPlayers(games.get(game.number), values.get(`thought/${game.number}`) ?? {});

/** Clocks run here between two messages. */
function tick() {
  const now = Date.now() / 1000 + lag, boxes = [...cards.entries()];
  if (game?.playing) boxes.push([game.number, at("seats")]);
  for (const [number, box] of boxes) {
    const one = games.get(number);
    if (!one?.playing) continue;
    tickSeats(box, one, now);
  }
}

const showBefore = load;
load = (packed, position) => {
  showBefore(packed, position);
  showSeats();
  tick();
};

const chosen = () => { isAuto = false; };
at("all-games").addEventListener("click", chosen);
addEventListener("hashchange", chosen);
document.addEventListener("keydown", event => { if (KEYS[event.key] || BOARD_KEYS[event.key]) chosen(); });
setInterval(() => { tick(); goOn(); }, 250);
connect();
