/** Formatting of numbers and parsing of time controls. */

/** Return a score with its sign. @param {number} value @param {number} digits */
export const signed = (value, digits) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);

/** Return a time such as 4:59, or 9.5 if less than ten seconds are left. @param {number} seconds */
export const clockText = seconds => seconds < 10 ? seconds.toFixed(1)
  : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/**
 * Convert a user's time control to the program's notation. Numbers without a unit are minutes, or seconds after a plus sign:
 * 5+3 is five minutes and three seconds a move, 10m is ten minutes for the game, 1:30 is a minute and a half. Other texts are
 * returned unchanged.
 * @param {string} text
 */
export function clockOf(text) {
  const plain = text.toLowerCase().replace(/\s+/g, ""), number = "(\\d+(?:\\.\\d+)?)";
  if (!plain) return "none";
  const game = plain.match(new RegExp(`^${number}(?:\\+${number})?$`));
  if (game) return `${game[1]}m+${game[2] ?? 0}s`;
  const watch = plain.match(/^(\d+):([0-5]\d)(?:\+(.+))?$/);
  if (watch) return `${60 * Number(watch[1]) + Number(watch[2])}s+${watch[3] ?? 0}`;
  return /^\d+(\.\d+)?(m|min|h)$/.test(plain) ? `${plain.replace("min", "m")}+0` : plain;
}
