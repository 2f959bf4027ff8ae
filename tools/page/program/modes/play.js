// Stands after analysis.js and seats.js: games that the server referees, between people and engines; docs/web.md says how.
const FORMS = {black: at("black"), white: at("white")};
let table = null, match = null, lag = 0, tries = 0, clicked = null;

/* ---- the line to the referee ---- */

/** Send a request to the referee, over a new connection if there is none. */
function ask(request) {
  if (table?.readyState === WebSocket.OPEN) return table.send(JSON.stringify(request));
  if (table) return table.addEventListener("open", () => table.send(JSON.stringify(request)));
  table = socketTo("play");
  table.onopen = () => { tries = 0; complain(""); table.send(JSON.stringify(request)); };
  table.onmessage = event => receive(JSON.parse(event.data));
  table.onclose = () => {
    table = null;
    if (match?.playing) setTimeout(() => ask({do: "attach", game: match.play}), pauseAfter(tries++));
  };
}

/** A new state of the game; the newest position is shown if the one before it was. */
function receive(state) {
  if (state.error) {
    clicked = null;
    complain(state.error);
    if (!match) enter("play");
    return;
  }
  const isShown = game?.play === state.play && !game.trunk, isNew = match?.play !== state.play;
  const place = isShown && ply < game.moves.length ? ply : undefined;
  lag = state.now - Date.now() / 1000;
  match = state;
  complain("");
  if (clicked && match.thinking) {
    if (isMine()) ask({do: "move", move: clicked});
    clicked = null;
  }
  if (!isNew && !isShown) return showMatch();
  if (isNew) {
    take({games: [state], bad: []});
    if (mode !== "play") enter("play");
  } else {
    games.set(state.number, {...games.get(state.number), ...state});
    load(games.get(state.number), place);
  }
  showMatch();
}

/* ---- what is going on ---- */

const isMine = () => Boolean(match?.playing && match.thinking && match.people.includes(match.thinking === "O"));
const isSeated = () => mode === "play" && match !== null && game?.play === match.play && !game.trunk;
const colourOf = isWhite => NAMES[isWhite ? 1 : 0];

function verdict() {
  if (!match) return "";
  if (match.trouble) return match.trouble;
  if (!match.playing) {
    if (match.ending === "discs") {
      const discs = boardAfter(unpacked(match), unpacked(match).moves.length);
      const count = `${countOf(discs, "X")}-${countOf(discs, "O")}`;
      return match.winner === null ? t("A draw, {0}.", count) : t("{0} wins by {1}, {2}.", colourOf(match.winner), Math.abs(match.margin), count);
    }
    return `${t("{0} wins: {1}.", colourOf(match.winner), t(match.ending))} ${match.detail}`;
  }
  if (match.paused) return t("The game is paused.");
  const words = unpacked(match).moves, side = sideAt(words.length) === "O";
  const passed = words.at(-1) === "pass" ? `${t("{0} has no move and passes.", colourOf(!side))} ` : "";
  if (!match.people.includes(side)) return passed + t("{0} thinks …", side ? match.white : match.black);
  return passed + (match.people.length > 1 ? t("{0} to move", colourOf(side)) : t("Your move: you play {0}.", colourOf(side)));
}

function showMatch() {
  const isOver = match !== null && !match.playing, people = match?.people.length ?? 0;
  at("players").hidden = match !== null && !isOver;
  at("acts").hidden = match === null;
  const text = verdict();
  if (at("verdict").textContent !== text) at("verdict").textContent = text;
  at("verdict").className = match?.fault || match?.trouble ? "bad" : "";
  showPlayers(match && {...match, playing: true});
  at("pause").hidden = isOver || people > 0 && !match?.paused;
  at("pause").textContent = t(match?.paused ? "Go on" : "Pause");
  at("hint").hidden = at("resign").hidden = isOver || !people;
  at("judge").hidden = !isOver || !match.turns;
  at("again").hidden = isOver;
  document.body.classList.toggle("waiting", isSeated() && !isOver && !isMine());
  tickMatch();
}

function tickMatch() {
  if (match && !at("seats").hidden) tickSeats(at("seats"), match.playing ? match : {...match, thinking: null}, Date.now() / 1000 + lag);
}
setInterval(tickMatch, 200);

/* ---- moves and buttons ---- */

/** What an engine thinks of a game being played is shown with the analysis alone. */
const allFacts = turnFacts;
turnFacts = turn => isSeated() && match.playing && !isOn() ? allFacts(turn).slice(0, 1) : allFacts(turn);

const playFreely = playLine;
playLine = async (place, line) => {
  if (mode === "play" && !match) {  // a click on the board begins a game with what the form says
    clicked = line[0];
    return at("players").requestSubmit();
  }
  if (!isSeated() || !match.playing) return playFreely(place, line);
  if (place !== game.moves.length) return complain(t("This is an earlier position of the game: take back, or go to its end."));
  if (isMine()) ask({do: "move", move: line[0]});
};

function showForm() {
  for (const [name, select] of Object.entries(FORMS)) {
    const limits = DESK.scales[select.value], input = at(`${name}-strength`);
    input.hidden = !limits;
    if (limits) [input.min, input.max] = limits;
    if (limits && !(input.value >= limits[0] && input.value <= limits[1] && input.dataset.scale === select.value)) input.value = limits[2];
    input.dataset.scale = select.value;
  }
  at("opening").hidden = at("start").value !== "opening";
}

/** The moves of an opening by its name, or the text itself. */
const openingMoves = text => DESK.openings.find(([name]) => name.toLowerCase() === text.trim().toLowerCase())?.[1] ?? text.trim();

at("players").onchange = showForm;
at("players").onsubmit = event => {
  event.preventDefault();
  const request = {do: "new", time: at("clock").value, rules: at("rules").value, players: {}};
  for (const name of ["black", "white"]) request.players[name] = {who: FORMS[name].value, strength: Number(at(`${name}-strength`).value)};
  if (at("start").value === "shown" && game) Object.assign(request, {rules: game.rules, position: `${game.start} ${game.begins}`, moves: game.moves.slice(0, ply).join(" ")});
  if (at("start").value === "opening") request.moves = openingMoves(at("opening").value);
  ask(request);
};
at("take-back").onclick = () => ask({do: "take_back"});
at("resign").onclick = () => ask({do: "resign"});
at("pause").onclick = () => ask({do: match.paused ? "resume" : "pause"});
at("hint").onclick = () => { go(game.moves.length); hinted = ply; search(); };
at("again").onclick = () => { if (match?.playing && !match.paused) ask({do: "pause"}); match = null; showMatch(); };
at("judge").onclick = () => { enter("study"); go(game.moves.length); at("review").click(); };
at("play-on").onclick = () => { at("start").value = "shown"; showForm(); match = null; enter("play"); at("players").querySelector(".main").focus(); };
arrive.play = () => { showForm(); showMatch(); if (match && game?.play !== match.play) { take({games: [match], bad: []}); } };

/* ---- set up a position by clicks, and a link to the position shown ---- */

let setting = null;
const nextDisc = {"-": "X", X: "O", O: "-"};
function showSetting(board) {
  setting = board;
  at("setting").hidden = !board;
  if (!board) return game && go(ply);
  search();
  drawDiscs(at("board"), board);
  drawLetters(at("board"));
  point();
}
const boardPlayed = boardShown;
boardShown = () => setting ?? boardPlayed();
const pressFreely = press;
press = square => {
  if (!setting) return pressFreely(square);
  setting[square] = nextDisc[setting[square]];
  showSetting(setting);
};
at("set-up").onclick = () => showSetting(setting ? null : boardAfter(game, ply));
at("empty").onclick = () => showSetting(Array(64).fill("-"));
at("set").onclick = () => {
  const board = `${setting.join("")} ${document.querySelector("[name=mover]:checked").value}`;
  showSetting(null);
  read(board);
};
leave.study = () => showSetting(null);
at("share").onclick = async () => {
  const link = at("link");
  link.value = new URL(linked(), location.href).href;
  link.hidden = false;
  link.select();
  await navigator.clipboard?.writeText(link.value).catch(() => null);
};

/* ---- the page opens: the game of its address, or those of the command line ---- */

async function open() {
  const wanted = new URLSearchParams(location.hash.slice(1)), list = await (await fetch("first")).json();
  if (!socket) connect();
  enter(wanted.has("play") ? "play" : wanted.has("practise") ? "practise" : wanted.has("moves") ? "study" : DESK.mode);
  if (mode === "study" && await followLink(wanted)) return;
  take(list);
  if (wanted.has("play")) ask({do: "attach", game: wanted.get("play")});
}
window.onhashchange = open;
open();
