/** The mode for studying games: open, extend, search, review and save games, or set up positions by clicks. */

import {announce, at, download, element, onFile, tableRow} from "../dom.js";
import {LOSSES} from "../game.js";
import {playerName} from "../seats.js";
import {complain, request} from "../server.js";
import {t} from "../words.js";
import {SearchedMode, gameOf} from "./searched.js";

const NEXT_DISC = {"-": "X", X: "O", O: "-"};

export class StudyMode extends SearchedMode {
  /** @param {any} desk */
  constructor(desk) {
    super(desk, true);
    /** The board of a position setup in progress; null otherwise. @type {string | null} */
    this.setting = null;
    at("fresh").onclick = () => desk.startGame({rules: this.viewer.game.record.rules});
    onFile("open", file => desk.read(file, file.name));
    at("paste").onclick = () => { at("pasting").hidden = !at("pasting").hidden; at("text").focus(); };
    at("take").onclick = () => { desk.read(at("text").value); at("pasting").hidden = true; };
    at("save").onchange = event => {
      if (event.target.value) this.save(event.target.value);
      event.target.value = "";
    };
    at("review").onclick = () => this.review();
    at("set-up").onclick = () => this.setUp(this.setting ? null : this.viewer.position.board);
    at("empty").onclick = () => this.setUp("-".repeat(64));
    at("set").onclick = () => this.endSetting();
    at("share").onclick = () => this.share();
  }

  leave() { this.setUp(null); }

  /* ---- setup of positions ---- */

  boardShown() { return this.setting ?? super.boardShown(); }
  legal() { return this.setting ? [] : super.legal(); }
  known() { return this.setting ? [] : super.known(); }

  /** @param {number} square */
  square(square) {
    if (!this.setting) return super.square(square);
    this.setUp(this.setting.slice(0, square) + NEXT_DISC[this.setting[square]] + this.setting.slice(square + 1));
    this.viewer.board.speak();
  }

  /** Start or continue the setup of a position with this board; end the setup if the board is null. @param {string | null} board */
  setUp(board) {
    if (board && !this.setting) /** @type {any} */ (document.querySelector(`[name=mover][value=${this.viewer.position.side}]`)).checked = true;
    const changes = board !== this.setting;
    this.setting = board;
    at("setting").hidden = !board;
    if (changes && this.viewer.game) this.viewer.go(this.viewer.ply);
  }

  async endSetting() {
    const side = /** @type {any} */ (document.querySelector("[name=mover]:checked")).value, position = `${this.setting} ${side}`;
    if (position === this.viewer.position.toString()) return this.setUp(null);
    const made = await gameOf({rules: this.viewer.game.record.rules, position});
    if (!made) return;
    this.setUp(null);
    this.desk.take({games: [made.record]});
  }

  /* ---- files, links, reviews ---- */

  /** @param {string} form */
  async save(form) {
    const {game} = this.viewer, played = game.record.play && !game.isChanged ? `&play=${game.record.play}` : "";
    const answer = await request(`save?format=${form}${played}`, game.toRecord());
    if (!answer) return;
    complain(decodeURIComponent(answer.headers.get("x-left-out") ?? ""));
    download(await answer.blob(), answer.headers.get("content-disposition")?.split('"')[1] ?? `game.${form}`);
  }

  async share() {
    const link = at("link");
    link.value = new URL(this.desk.linkOfGame(), location.href).href;
    link.hidden = false;
    link.select();
    const {game} = this.viewer, {record} = game;
    const left = [["times", game.has("seconds")], ["evaluations", game.has("values")], ["comments", record.comment || game.has("comments")],
                  ["ratings", record.black_rating || record.white_rating], ["variations", game.root.variations.length]];
    const named = left.filter(([, has]) => has).map(([name]) => t(String(name)));
    if (named.length) complain(t("The link leaves out: {0}.", named.join(", ")));
    await navigator.clipboard?.writeText(link.value).catch(() => null);
  }

  async review() {
    const button = at("review"), {game} = this.viewer;
    button.disabled = true;
    button.textContent = t("Reviewing …");
    const answer = await request("review", game.toRecord());
    button.disabled = false;
    button.textContent = t("Review");
    if (!answer) return;
    const found = await answer.json();
    if (found.turns !== game.moves.join(" ")) return;  // the game was changed during the review
    for (const name of ["exact", "review", "depths", "lost", "classes", "better", "choices"])
      if (found[name]) found[name].forEach((value, place) => game.note(name, place, value));
    game.record.turned = found.turned;
    announce(this.totals(game).map(([name, share]) => t("{0}: accuracy {1}.", name, share)).join(" "));
    if (this.viewer.game === game) this.viewer.load(game, this.viewer.ply);
  }

  /** @param {any} game */
  opening(game) {
    super.opening(game);
    this.drawJudged(game);
  }

  /** Return each side's name, accuracy, number of errors by class and discs lost. Forced and given moves do not count. @param {any} game */
  totals(game) {
    return ["X", "O"].map(side => {
      const turns = [...game.moves.keys()].filter(turn => game.mover(turn) === side && turn >= game.given && game.positions[turn].moves.length > 1);
      const counts = LOSSES.map(([name]) => turns.filter(turn => game.fact("classes", turn) === name).length).reverse();
      const good = turns.length - counts.reduce((sum, count) => sum + count, 0);
      const share = turns.length ? `${Math.round(100 * good / turns.length)} %` : "–";
      return [playerName(game, side), share, ...counts, turns.reduce((sum, turn) => sum + game.fact("lost", turn), 0)];
    });
  }

  /** @param {any} game */
  drawJudged(game) {
    at("judged").hidden = !game.isReviewed || game.trunk !== null;
    if (at("judged").hidden) return;
    const heads = ["", "accuracy", ...LOSSES.map(([name]) => name).reverse(), "discs lost"];
    const sheet = element("table"), head = sheet.createTHead().insertRow();
    for (const text of heads) head.append(element("th", {textContent: text && t(text), className: text && "number", scope: "col"}));
    sheet.createTBody().append(...this.totals(game).map(cells => tableRow(cells, cells.map((_, column) => column ? "number" : "name"))));
    at("judged").replaceChildren(sheet);
    if (game.given) at("judged").append(element("p", {className: "soft", textContent: t("Given: {0} moves, for which nobody is blamed.", game.given)}));
  }
}

