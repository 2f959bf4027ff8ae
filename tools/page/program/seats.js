// Stands after report.js: sockets, and the two sides of a game that is being played, with names, clocks and what they think of it.

/** A socket of this page's server. */
const socketTo = name => new WebSocket(new URL(name, location.href).href.replace(/^http/, "ws"));

/** Milliseconds to wait after so many attempts to connect. */
const pauseAfter = attempts => Math.min(5000, 250 * 2 ** attempts);

/** Who plays a colour, with clock, value and principal variation. */
function seat(kind) {
  const row = document.createElement("span");
  row.className = "seat";
  row.innerHTML = `<span class="who"><span class="side ${kind}"></span> <span class="name"></span></span><span class="clock"></span>` +
    `<span class="thought"><span class="worth"></span> <span class="pv"></span></span>`;
  return row;
}

/** The last value that a side has said in discs for Black, and the depth of its search if that goes on. */
function worth(one, thoughts, disc) {
  const thought = thoughts[disc], turns = unpacked(one).discs;
  const last = one.values.findLastIndex((value, turn) => value !== null && turns[turn] === disc);
  if (thought && thought.value !== null && thought.ply > last) return signed(thought.value, 2) + (thought.depth ? ` d${thought.depth}` : "");
  return last < 0 ? "" : signed(one.values[last], 2);
}

function fillSeats(box, one, thoughts) {
  const seats = box.querySelectorAll(".seat");
  for (const row of seats) {
    const disc = row.querySelector(".side").classList.contains("first") ? "X" : "O";
    row.querySelector(".name").textContent = disc === "X" ? one.black : one.white;
    row.querySelector(".worth").textContent = worth(one, thoughts, disc) || "\u00a0";
    row.querySelector(".pv").textContent = thoughts[disc]?.pv ?? "";
    row.classList.toggle("moves", one.thinking === disc);
  }
}

/** Both sides above the board, if the game shown is being played. */
function showPlayers(one, thoughts = {}) {
  const box = at("seats");
  box.hidden = !one?.playing;
  if (!one?.playing) return;
  if (!box.children.length) box.append(seat("first"), seat("second"));
  fillSeats(box, one, thoughts);
}

const clockText = seconds => seconds < 10 ? seconds.toFixed(1)
  : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** Clocks run here between two messages; `now` is the server's time. */
function tickSeats(box, one, now) {
  for (const row of box.querySelectorAll(".seat")) {
    const isFirst = row.querySelector(".side").classList.contains("first"), left = one.clocks[isFirst ? 0 : 1];
    const spent = one.thinking === (isFirst ? "X" : "O") ? Math.max(0, now - one.since) : 0;
    row.querySelector(".clock").textContent = left === null ? (spent ? clockText(spent) : "") : clockText(Math.max(0, left - spent));
  }
}
