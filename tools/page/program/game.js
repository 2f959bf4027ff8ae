/**
 * The rules, positions and lines of a game. This module does not use the DOM, so unit tests can run it alone.
 *
 * @typedef {"X" | "O"} Side  X is Black and O is White, even if the rules give the colours other names.
 *
 * @typedef {object} Replay  A game as the server and the reports write it; `Replay` in tools/page/replay.py describes the fields.
 * @property {number} number
 * @property {string} start
 * @property {Side} begins
 * @property {string} turns
 * @property {string} [rules]
 * @property {boolean} [one_way]
 * @property {string} [black]
 * @property {string} [white]
 * @property {number} [black_rating]
 * @property {number} [white_rating]
 * @property {string} [ending]
 * @property {Side | ""} [winner]
 * @property {number | null} [margin]
 * @property {string} [result]
 * @property {boolean} [is_recorded]
 * @property {boolean} [fault]
 * @property {string} [detail]
 * @property {string} [comment]
 * @property {string} [occasion]
 * @property {string} [called]
 * @property {string} [remark]
 * @property {string} [clock]
 * @property {number} [given]
 * @property {(number | null)[]} [seconds]
 * @property {(number | null)[]} [values]
 * @property {(number | null)[]} [exact]
 * @property {boolean[]} [booked]
 * @property {number} [turned]
 * @property {[string, string][]} [colours]
 * @property {string} [play]
 * @property {boolean} [playing]
 * @property {(number | null)[]} [clocks]
 * @property {Side | null} [thinking]
 * @property {number} [since]
 *
 * @typedef {object} Choice  A legal move with its best line. The score is in discs for the mover.
 * @property {string} move
 * @property {number} score
 * @property {string[]} pv
 * @property {boolean} [isExact]
 */

export const SQUARES = [..."12345678"].flatMap(row => [..."abcdefgh"].map(file => file + row));
export const PASS = "pass";
/** @type {Record<string, [number, number]>} */
const STEPS = {n: [-1, 0], ne: [-1, 1], e: [0, 1], se: [1, 1], s: [1, 0], sw: [1, -1], w: [0, -1], nw: [-1, -1]};
/** The classes of errors, the worst class first, each with its minimum loss in discs. @type {[string, number][]} */
export const LOSSES = [["blunder", 12], ["mistake", 6], ["inaccuracy", 2]];

/** Return the other side. @param {string} side @returns {Side} */
export const otherThan = side => side === "X" ? "O" : "X";
/** Return the number of a move's square, 0 for a1; -1 for a pass. @param {string} move */
export const squareOf = move => SQUARES.indexOf(move.slice(0, 2));
/** Return the words of a text. @param {string} text */
export const wordsOf = text => text.split(" ").filter(word => word);
/** Return the class of a move by its loss in discs. @param {number} lost */
export const lossClass = lost => LOSSES.find(([, least]) => lost >= least)?.[0] ?? "good";

/** A board with the side to move; immutable. */
export class Position {
  /**
   * @param {string} board the 64 squares from a1 to h8: X, O or -.
   * @param {Side} side the side to move.
   * @param {boolean} oneWay whether a move turns discs in only one direction, which the mover chooses.
   */
  constructor(board, side, oneWay = false) {
    this.board = board;
    this.side = side;
    this.oneWay = oneWay;
    /** @type {string[] | null} */
    this._moves = null;
  }

  /** Return the discs that a move to this square can turn, by direction. @param {number} square @returns {Record<string, number[]>} */
  runs(square) {
    /** @type {Record<string, number[]>} */
    const found = {};
    if (this.board[square] !== "-") return found;
    for (const [way, [down, right]] of Object.entries(STEPS)) {
      const run = [];
      let row = Math.floor(square / 8) + down, file = square % 8 + right;
      for (; row >= 0 && row < 8 && file >= 0 && file < 8; row += down, file += right) {
        if (this.board[8 * row + file] !== otherThan(this.side)) break;
        run.push(8 * row + file);
      }
      const isClosed = row >= 0 && row < 8 && file >= 0 && file < 8 && this.board[8 * row + file] === this.side;
      if (run.length && isClosed) found[way] = run;
    }
    return found;
  }

  /** Return the discs that a move turns; an empty list for a pass and for an illegal move. @param {string} move */
  turned(move) {
    if (move === PASS) return [];
    const [name, way] = move.split("/"), runs = this.runs(squareOf(name));
    if (way) return runs[way] ?? [];
    return this.oneWay && Object.keys(runs).length > 1 ? [] : Object.values(runs).flat();
  }

  /** Return the legal moves on a square: at most one, or one for each direction if the mover chooses the direction. @param {number} square */
  movesAt(square) {
    const ways = Object.keys(this.runs(square));
    if (this.oneWay && ways.length > 1) return ways.sort().map(way => `${SQUARES[square]}/${way}`);
    return ways.length ? [SQUARES[square]] : [];
  }

  /** All legal moves from a1 to h8, without a pass. */
  get moves() {
    this._moves ??= SQUARES.flatMap((_, square) => this.movesAt(square));
    return this._moves;
  }

  get mustPass() { return !this.moves.length && !this.isOver; }
  get isOver() { return !this.moves.length && !this.withSide(otherThan(this.side)).moves.length; }

  /** @param {Side} side */
  withSide(side) { return new Position(this.board, side, this.oneWay); }

  /** Return the position after a legal move. Throws if the move is illegal. @param {string} move */
  play(move) {
    if (move === PASS) {
      if (!this.mustPass) throw new RangeError("a pass is legal only for a side without a move");
      return this.withSide(otherThan(this.side));
    }
    const changed = this.turned(move), squares = [...this.board];
    if (!changed.length) throw new RangeError(`${move} is not a legal move`);
    for (const square of [squareOf(move), ...changed]) squares[square] = this.side;
    return new Position(squares.join(""), otherThan(this.side), this.oneWay);
  }

  /** @param {string} side */
  count(side) { return [...this.board].filter(disc => disc === side).length; }
  /** The discs of both sides, such as 40-24. */
  get discs() { return `${this.count("X")}-${this.count("O")}`; }
  toString() { return `${this.board} ${this.side}`; }
}

// The columns with a value for each turn, and the columns with a value for each position. Each column has a default for unknown facts.
/** @type {Record<string, any>} */
const TURN_COLUMNS = {seconds: null, values: null, booked: null, comments: "", faults: 0, instead: "", implied: false, lost: 0, classes: "", better: "", choices: null};
/** @type {Record<string, any>} */
const POSITION_COLUMNS = {exact: null, review: null, depths: ""};
// The fields of a record that become invalid if the moves are changed.
const ENDING = ["ending", "winner", "margin", "result", "is_recorded", "fault", "detail", "play"];

/**
 * A line of moves from a start position, with facts about each turn and position.
 *
 * Turn t leads from position t to position t + 1. Scores are for Black. A variation is a game that leaves another game, its
 * trunk, at a position. The variation contains the trunk's turns up to this position.
 */
export class Game {
  /**
   * @param {Replay} record the game as it was read.
   * @param {Game | null} trunk the game that this game is a variation of; null if this game is not a variation.
   * @param {number} left the position at which this game leaves the trunk.
   */
  constructor(record, trunk = null, left = 0) {
    this.record = record;
    this.trunk = trunk;
    this.left = left;
    /** The variations that leave this game. @type {Game[]} */
    this.variations = [];
    /** @type {string[] | null} */
    this._moves = null;
    /** @type {Position[]} */
    this._positions = [];
    /** @type {Record<string, any[]>} */
    this._columns = {};
  }

  /** The moves, including passes. The first access replays the record. */
  get moves() {
    if (this._moves === null) this._unpack();
    return /** @type {string[]} */ (this._moves);
  }
  get positions() { this.moves; return this._positions; }

  _unpack() {
    const {start, begins, one_way = false} = this.record;
    this._moves = wordsOf(this.record.turns);
    this._positions = [new Position(start, begins, one_way)];
    for (const move of this._moves) this._positions.push(/** @type {Position} */ (this._positions.at(-1)).play(move));
    const fill = (columns, length) => {
      for (const [name, nothing] of Object.entries(columns)) {
        const known = this.record[name];
        if (known) this._columns[name] = Array.from({length}, (_, each) => known[each] ?? nothing);
      }
    };
    fill(TURN_COLUMNS, this._moves.length);
    fill(POSITION_COLUMNS, this._moves.length + 1);
    // If the discs decided the game, the score of the final position is exact.
    if (["discs", "adjudication"].includes(this.record.ending ?? "") && !this.trunk) this.note("exact", this._moves.length, this.record.margin ?? null);
  }

  /** Return a fact about a turn or position, or the column's default if the fact is unknown. @param {string} name @param {number} place */
  fact(name, place) {
    this.moves;
    return this._columns[name]?.[place] ?? {...TURN_COLUMNS, ...POSITION_COLUMNS}[name];
  }
  /** Whether the game has a value in this column. @param {string} name */
  has(name) { this.moves; return name in this._columns; }
  /** A whole column. @param {string} name @returns {any[]} */
  column(name) {
    const length = this.moves.length + (name in POSITION_COLUMNS ? 1 : 0);
    return Array.from({length}, (_, place) => this.fact(name, place));
  }
  /** Store a value for a turn or position. @param {string} name @param {number} place @param {any} value */
  note(name, place, value) {
    this._columns[name] ??= this.column(name);
    this._columns[name][place] = value;
  }

  get number() { return this.record.number; }
  get first() { return this.positions[0]; }
  get final() { return /** @type {Position} */ (this.positions.at(-1)); }
  get begins() { return this.record.begins; }
  get given() { return this.record.given ?? 0; }
  /** Whether the game was reviewed. */
  get isReviewed() { return this.has("lost"); }
  /** The game from which all variations branch. @returns {Game} */
  get root() { return this.trunk ? this.trunk.root : this; }

  /** Whether the moves differ from the record's moves. */
  get isChanged() { return this.trunk !== null || this.moves.join(" ") !== this.record.turns; }

  /** Return the side that made a turn. @param {number} turn @returns {Side} */
  mover(turn) { return this.positions[turn].side; }

  /** Return the number of a turn on a score sheet; null for a pass, which is not numbered. @param {number} turn */
  sheetNumber(turn) {
    return this.moves[turn] === PASS ? null : this.moves.slice(0, turn + 1).filter(move => move !== PASS).length;
  }
  /** @param {number} turn */
  sheetMove(turn) {
    const number = this.sheetNumber(turn);
    return (number ? `${number}. ` : "") + this.moves[turn];
  }

  /**
   * Return the discs that a turn lost according to the review. Without a review, use the exact margins; return 0 if these margins are unknown.
   * @param {number} turn
   */
  slip(turn) {
    if (this.isReviewed) return this.fact("lost", turn);
    const before = this.fact("exact", turn), after = this.fact("exact", turn + 1);
    if (this.fact("seconds", turn) === null || before === null || after === null) return 0;
    return Math.max(0, this.mover(turn) === "X" ? before - after : after - before);
  }
  /** Return the class of a turn's error; empty if the turn is not an error. @param {number} turn */
  error(turn) { return this.isReviewed ? this.fact("classes", turn) : this.slip(turn) ? "slip" : ""; }

  /** Append a legal move. @param {string} move @param {Record<string, any>} facts the move's values by column. */
  play(move, facts = {}) {
    const turn = this.moves.length;
    this._positions.push(this.final.play(move));
    this.moves.push(move);
    for (const name of Object.keys(this._columns)) this._columns[name].push({...TURN_COLUMNS, ...POSITION_COLUMNS}[name]);
    for (const [name, value] of Object.entries(facts)) if (value !== null) this.note(name, turn, value);
  }
  passIfForced() { while (this.final.mustPass) this.play(PASS); }

  /** Remove all turns after a position. @param {number} length */
  cut(length) {
    this.moves.length = length;
    this._positions.length = length + 1;
    for (const [name, column] of Object.entries(this._columns)) column.length = length + (name in POSITION_COLUMNS ? 1 : 0);
    this.variations = this.variations.filter(each => each.left <= length);
  }

  /**
   * Follow a line through this game and its variations, and return the game and the position at the end of the line. A move
   * that none of these games contains extends an unfinished game or starts a new variation.
   * @param {number} place the position at which the line begins.
   * @param {string[]} line
   * @returns {[Game, number]}
   */
  follow(place, line) {
    /** @type {Game} */
    let game = this;
    for (const move of line) {
      if (move !== PASS && game.positions[place].mustPass) [game, place] = game.follow(place, [PASS]);
      const known = game.moves[place] === move ? game
        : game.lines().find(each => each.left <= place && each.moves[place] === move && each.sharesUpTo(game, place));
      if (known) game = known;
      else {
        game.positions[place].play(move);  // throws for an illegal move, before anything is changed
        if (place < game.moves.length || !game.isOpen) game = game.branch(place);
        game.play(move);
        game.passIfForced();
      }
      place++;
    }
    if (game.positions[place].mustPass && game.moves[place] === PASS) place++;
    return [game, place];
  }

  /** Whether a move at the end of the game extends the game. If the result is recorded, the move starts a variation instead. */
  get isOpen() { return this.trunk !== null || !this.record.is_recorded; }

  /** This game's root and all its variations. @returns {Game[]} */
  lines() {
    /** @type {(one: Game) => Game[]} */
    const all = one => [one, ...one.variations.flatMap(all)];
    return all(this.root);
  }
  /** @param {Game} other @param {number} place */
  sharesUpTo(other, place) { return this.moves.slice(0, place).join() === other.moves.slice(0, place).join(); }

  /** Return a new variation that leaves this game. @param {number} place */
  branch(place) {
    // If the position also belongs to the trunk, the new variation leaves the trunk instead of this game.
    /** @type {Game} */
    let trunk = this;
    while (trunk.trunk && place <= trunk.left) trunk = trunk.trunk;
    const {turned, remark, exact, ...record} = this.record;
    for (const name of ENDING) delete record[name];
    const made = new Game({...record, exact: exact?.slice(0, place + 1), turns: this.moves.slice(0, place).join(" "), comment: ""}, trunk, place);
    made._moves = this.moves.slice(0, place);
    made._positions = this.positions.slice(0, place + 1);
    for (const name of Object.keys(this._columns)) made._columns[name] = this._columns[name].slice(0, place + (name in POSITION_COLUMNS ? 1 : 0));
    trunk.variations.push(made);
    return made;
  }

  /** Return the game as data for the server. If the game was changed, facts that have become invalid are left out. @returns {Replay} */
  toRecord() {
    /** @type {Record<string, any>} */
    const facts = {...this.record, turns: this.moves.join(" ")};
    for (const name of [...Object.keys(TURN_COLUMNS), ...Object.keys(POSITION_COLUMNS)]) if (this.has(name)) facts[name] = this.column(name);
    // Exact margins from a review or from the result are not part of the record.
    if (this.record.exact) facts.exact = Array.from({length: this.moves.length + 1}, (_, place) => this.record.exact?.[place] ?? null);
    else delete facts.exact;
    if (this.isChanged) for (const name of [...ENDING, "comment", "remark"]) delete facts[name];
    return /** @type {Replay} */ (facts);
  }
}
