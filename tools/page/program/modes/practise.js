/** Spaced repetition of problems, openings and the user's own errors; docs/web.md describes it. */

import {announce, at, download, onFile, say} from "../dom.js";
import {Game, PASS} from "../game.js";
import {playerName} from "../seats.js";
import {complain, request, requestJson} from "../server.js";
import {colourName, t} from "../words.js";
import {SearchedMode, gameOf, openingMoves} from "./searched.js";

const BOOK_MOVES = 16, GOOD_LOSS = 1, LEARNED_BOX = 3, ANSWER_MS = 400, MOST_FAILED = 1e12;

/**
 * @typedef {object} Question  A question and the state of the user's answers.
 * @property {string} key the key of its card.
 * @property {any} [problem] the problem or error that is asked: a position with the scores of its moves, if known.
 * @property {string[]} [moves] the moves so far, without passes, if the question is about an opening.
 * @property {number} tried the number of answers given.
 * @property {boolean} isOver
 * @property {Record<string, number>} [losses] the loss of each move, in discs.
 */

export class PractiseMode extends SearchedMode {
  /** @param {any} desk */
  constructor(desk) {
    super(desk, false);
    /** @type {Record<string, {box: number, due: number, right: number, wrong: number}>} */
    this.cards = {};
    /** @type {any[]} */
    this.problems = [];
    /** @type {any[]} */
    this.errors = [];
    this.kind = "problems";
    /** @type {Question | null} */
    this.asking = null;
    this.turn = 0;  // the number of the last request for a question; late answers to earlier requests are dropped
    /** The moves of the line to learn; null to learn the book. @type {string[] | null} */
    this.drilled = null;
    /** The game and the ply that the previous mode showed. @type {[Game, number] | null} */
    this.left = null;
    at("problems").onclick = () => this.choose("problems");
    at("drill").onclick = () => this.choose("openings");
    at("errors").onclick = () => this.choose("errors");
    at("drilled").onsubmit = event => { event.preventDefault(); this.startDrill(); };
    at("drilled-side").onchange = () => this.startDrill();
    at("solution").onclick = () => this.showSolution();
    at("next").onclick = () => this.ask();
    at("export").onclick = async () => {
      const answer = await request("progress");
      if (answer) download(await answer.blob(), "outflank-practice.json");
    };
    onFile("import", file => this.loadCards(file));
    onFile("own", async file => {
      const found = await requestJson("problems", file);
      if (!found) return;
      this.problems = found.problems;
      this.choose("problems");
      if (found.total > found.problems.length) complain(t("The first {0} of {1} problems are used.", found.problems.length, found.total));
    });
    onFile("games-of-errors", file => this.readErrors(file));
    at("errors-of").onchange = () => this.ask();
  }

  async enter() {
    const {viewer} = this;
    if (viewer.game) this.left = [viewer.game, viewer.ply];
    this.collectErrors([...viewer.games.values()]);
    await this.loadCards();
    if (this.desk.mode === this) this.choose(this.kind);
  }

  leave() {
    this.asking = null;
    this.turn++;
    if (this.left) this.viewer.load(...this.left);
    this.left = null;
  }

  address() { return "#practise"; }
  heading() { return ""; }
  /** Announce the question instead of the evaluation, which would reveal the answer. */
  speak() { announce(`${at("question").textContent} ${at("answer").textContent}`); }

  /* ---- cards ---- */

  /** @param {Blob} [body] a progress file to merge. */
  async loadCards(body) {
    const found = await requestJson("progress", body);
    if (!found) return;
    this.cards = found.cards;
    this.showDue();
  }

  /** @param {string} key */
  isDue(key) { return this.cards[key] !== undefined && this.cards[key].due <= Date.now() / 1000; }

  /** Show the numbers of due, answered and learned cards. */
  showDue() {
    const known = Object.keys(this.cards), due = known.filter(key => this.isDue(key)).length;
    const learned = known.filter(key => this.cards[key].box >= LEARNED_BOX).length;
    const next = Math.min(...known.map(key => this.cards[key].due)) - Date.now() / 1000;
    const first = !known.length ? t("Nothing answered yet: find the move on the board.")
      : due ? t("{0} to repeat now.", due) : t("Nothing to repeat now; the next one is due in {0}. New ones follow.", this.waitText(next));
    say("due", known.length ? `${first} ${t("{0} answered, {1} learned.", known.length, learned)}` : first);
  }
  /** @param {number} seconds */
  waitText(seconds) {
    if (seconds < 5400) return t("{0} min", Math.max(1, Math.round(seconds / 60)));
    return seconds < 129600 ? t("{0} h", Math.round(seconds / 3600)) : t("{0} days", Math.round(seconds / 86400));
  }

  /** Record the first answer to a question. This answer decides when the question is asked again. @param {boolean} isRight */
  async grade(isRight) {
    const asking = /** @type {Question} */ (this.asking);
    if (asking.tried++) return;
    const card = await requestJson("progress/answer", {key: asking.key, right: isRight});
    if (!card) return;
    this.cards[asking.key] = card;
    this.showDue();
  }

  /* ---- questions ---- */

  /** @param {string} kind */
  choose(kind) {
    this.kind = kind;
    for (const [id, each] of [["problems", "problems"], ["drill", "openings"], ["errors", "errors"]]) at(id).ariaPressed = String(each === kind);
    at("drilled").hidden = kind !== "openings";
    at("erred").hidden = kind !== "errors";
    this.drilled = null;
    this.ask();
  }

  ask() {
    if (this.kind === "openings") return this.askOpening();
    return this.askProblem();
  }

  /** Ask a question about a position. @param {string} key @param {Game} game @param {string} question @param {any} more */
  put(key, game, question, more) {
    this.asking = {key, tried: 0, isOver: false, ...more};
    at("solution").hidden = false;
    at("solution").disabled = at("next").disabled = false;
    this.viewer.load(game);
    at("question").textContent = question;
    this.feedback("");
    announce(question);
  }

  /** @param {string} text @param {boolean} isRight */
  feedback(text, isRight = false) {
    at("answer").textContent = text;
    at("answer").className = isRight ? "right" : "";
    if (text) announce(text);
  }

  /** Return the loss of each move of the position, from the problem's scores or by a search. @returns {Promise<Record<string, number>>} */
  async losses() {
    const asking = /** @type {Question} */ (this.asking), scores = asking.problem?.scores ?? {}, best = Math.max(...Object.values(scores));
    if (!asking.losses && Object.keys(scores).length)
      asking.losses = Object.fromEntries(Object.entries(scores).map(([move, score]) => [move, best - score]));
    if (!asking.losses) {
      const {game} = this.viewer, found = await requestJson("losses", {rules: game.record.rules, position: this.viewer.position.toString()});
      if (!found) return {};
      asking.losses = found.losses;
    }
    return /** @type {Record<string, number>} */ (asking.losses);
  }

  /* ---- problems and errors: due ones come first, then new ones, then the ones that are due next ---- */

  keyOf(problem) { return `${this.kind === "errors" ? "error" : "problem"} ${problem.position}`; }

  async askProblem() {
    const turn = ++this.turn;
    if (this.kind === "problems" && !this.problems.length) this.problems = (await requestJson("problems"))?.problems ?? [];
    const player = at("errors-of").value;
    const listed = this.kind === "errors" ? this.errors.filter(one => !player || one.player === player) : this.problems;
    const rank = problem => this.isDue(this.keyOf(problem)) ? this.cards[this.keyOf(problem)].due - MOST_FAILED : this.cards[this.keyOf(problem)]?.due ?? -1;
    const others = listed.filter(problem => this.keyOf(problem) !== this.asking?.key);
    const problem = (others.length ? others : listed).reduce((best, one) => best && rank(best) <= rank(one) ? best : one, null);
    if (turn !== this.turn) return;
    if (!problem) return this.showNothing();
    const game = await gameOf({rules: problem.rules, position: problem.position});
    if (!game || turn !== this.turn) return;
    const mover = colourName(game.begins), wins = Object.values(problem.scores).filter(score => score > 0).length;
    const question = problem.played ? t("{0} to move: {1} was played, and lost {2} discs. Find a better move.", mover, problem.played, problem.lost)
      : t(wins === 1 ? "{0} to move: only one move wins." : "{0} to move: find the best move.", mover);
    this.put(this.keyOf(problem), game, question, {problem});
  }

  showNothing() {
    this.asking = null;
    at("question").textContent = t("No errors yet: open your games, or review a game first.");
    this.feedback("");
    at("solution").disabled = at("next").disabled = true;
  }

  /** Add the errors of reviewed games to the list. @param {Game[]} games */
  collectErrors(games) {
    for (const game of games) {
      if (!game.record.start || !game.isReviewed) continue;
      for (const turn of game.moves.keys()) {
        const position = game.positions[turn].toString();
        if (!game.fact("classes", turn) || turn < game.given || this.errors.some(one => one.position === position)) continue;
        this.errors.push({position, rules: game.record.rules, scores: {}, played: game.moves[turn], lost: game.fact("lost", turn),
                          player: playerName(game, game.mover(turn))});
      }
    }
    const names = [...new Set(this.errors.map(one => one.player))].sort(), chosen = at("errors-of").value;
    at("errors-of").replaceChildren(new Option(t("all players"), ""), ...names.map(name => new Option(name)));
    at("errors-of").value = names.includes(chosen) ? chosen : "";
  }

  /** Review the games of a file one by one, and begin to ask about errors as soon as one is found. @param {File} file */
  async readErrors(file) {
    const listing = await requestJson(`read?name=${encodeURIComponent(file.name)}`, file);
    if (!listing?.games.length) return complain(t("This file has no game."));
    for (const [number, record] of listing.games.entries()) {
      say("reviewing", t("Reviewing game {0} of {1}; {2} errors so far.", number + 1, listing.games.length, this.errors.length));
      const found = await requestJson("review", record);
      if (this.desk.mode !== this || this.kind !== "errors") break;
      if (!found) continue;
      this.collectErrors([new Game({...record, ...found})]);
      if (!this.asking?.problem?.played && this.errors.length) this.ask();
    }
    say("reviewing", t("{0} errors.", this.errors.length));
  }

  /* ---- openings: the user finds one side's moves in the book or in a given line ---- */

  async startDrill() {
    const text = at("drilled-line").value.trim(), moves = text ? await openingMoves(text, this.desk.data.usual) : "";
    if (moves === null) return;
    this.drilled = text ? moves.split(" ").filter(move => move && move !== PASS) : null;
    this.askOpening();
  }

  /** Begin a round at a due position that the user has failed, or at the start if there is no such position. */
  async askOpening() {
    const side = at("drilled-side").value, line = this.drilled, turn = ++this.turn;
    const failed = Object.keys(this.cards).filter(key => key.startsWith("opening ") && this.cards[key].box === 0 && this.isDue(key))
      .map(key => key.slice(8).match(/../g) ?? []).filter(moves => !line || moves.every((move, each) => move === line[each]));
    for (const moves of failed.sort((a, b) => a.length - b.length)) {
      const game = await gameOf({moves: moves.join(""), rules: this.desk.data.usual});
      if (turn !== this.turn) return;
      if (game?.final.side === side) return this.putOpening(moves);
    }
    await this.putOpening([]);
  }

  /** @param {string[]} moves */
  async putOpening(moves) {
    const side = at("drilled-side").value, turn = ++this.turn;
    const game = await gameOf({moves: moves.join(""), rules: this.desk.data.usual});
    if (!game || turn !== this.turn) return;
    const book = (await this.desk.about(game, game.moves.length))?.book ?? [];
    if (turn !== this.turn) return;
    this.put(`opening ${moves.join("")}`, game, t("You play {0}: find the move of the line.", colourName(side)), {moves, book});
    const asking = /** @type {any} */ (this.asking);
    if (this.drilled ? moves.length >= this.drilled.length : moves.length >= BOOK_MOVES || !book.length) {
      asking.isOver = at("solution").hidden = true;
      return this.feedback(t("This is the end of the line."), true);
    }
    if (game.final.side === side) return;
    const good = this.rightMoves(), move = good[Math.floor(Math.random() * good.length)];
    setTimeout(() => {
      if (this.asking !== asking) return;
      announce(t("{0} plays {1}.", colourName(game.final.side), move));
      this.putOpening([...moves, move]);
    }, ANSWER_MS);
  }

  /** Return the right moves: the move of the line, or the book moves that lose at most a disc. @returns {string[]} */
  rightMoves() {
    const {moves = [], book = []} = /** @type {any} */ (this.asking);
    if (this.drilled) return [this.drilled[moves.length]];
    const best = Math.max(...book.map(one => one.score));
    return book.filter(one => best - one.score <= GOOD_LOSS).map(one => one.move);
  }

  /* ---- answers ---- */

  /** @param {number} place @param {string[]} moves */
  line(place, [move]) { this.answer(move); }

  /** @param {string} move */
  async answer(move) {
    const asking = this.asking, {viewer} = this;
    if (!asking || asking.isOver || asking.moves && viewer.position.side !== at("drilled-side").value) return;
    const isSure = asking.moves !== undefined && this.rightMoves().includes(move);
    const lost = isSure ? 0 : (await this.losses())[move] ?? 0, isRight = asking.moves ? isSure : lost === 0;
    if (this.asking !== asking) return;
    await this.grade(isRight);
    if (isRight && asking.moves) return this.putOpening([...asking.moves, move]);
    const price = lost ? t("{0} loses {1} discs.", move, lost) : t("{0} loses nothing, but it is not the move of the line.", move);
    if (!isRight) return this.feedback(`${price} ${t("Try again.")}`);
    asking.isOver = at("solution").hidden = true;
    viewer.playLine(viewer.ply, [move]);
    this.feedback(t("Right: {0}.", move), true);
  }

  async showSolution() {
    const {asking} = this;
    if (!asking || asking.isOver) return;
    await this.grade(false);
    const best = asking.moves ? this.rightMoves() : [], all = best.length ? {} : await this.losses();
    this.feedback(t("The solution: {0}.", (best.length ? best : Object.keys(all).filter(move => all[move] === 0)).join(", ")));
  }
}

