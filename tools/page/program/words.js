/** Translated texts, and the names of the colours. */

import {signed} from "./numbers.js";

/** @type {{words: Record<string, string>, names: Record<string, string>}} */
const chosen = {words: {}, names: {X: document.body.dataset.black ?? "Black", O: document.body.dataset.white ?? "White"}};

/** Set the translations to use. @param {Record<string, string>} words */
export function useWords(words) { chosen.words = words; }

/** Return a text in the user's language. The values replace {0}, {1} and so on. @param {string} text @param {...any} values */
export const t = (text, ...values) => (chosen.words[text] ?? text).replace(/\{(\d)\}/g, (_, gap) => values[gap]);

/** Return the name of a side's colour under the rules of the displayed game. @param {string} side */
export const colourName = side => t(chosen.names[side]);

/** Set the colours that a game's rules define. @param {[string, string][]} colours the names of Black and White, and the fill of their discs. */
export function useColours(colours) {
  colours.forEach(([name, fill], each) => {
    chosen.names[each ? "O" : "X"] = name;
    document.documentElement.style.setProperty(each ? "--second" : "--first", fill);
  });
}

/** Return the text of a score, such as "+2.00 for Black". @param {number} score the score for Black. @param {number} digits @param {string} side the side from whose point of view the score is shown. */
export const scoreFor = (score, digits, side) => t("{0} for {1}", signed(side === "O" ? 0 - score : score, digits), colourName(side));
