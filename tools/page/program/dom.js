/** Helpers for DOM elements, SVG drawings, live regions, downloads and browser storage. */

const SVG = "http://www.w3.org/2000/svg", MOST_SPOKEN = 6;

/** Return the element with this id. @param {string} id @returns {any} */
export const at = id => document.getElementById(id);

/** Append an SVG element to another. @param {any} parent @param {string} kind @param {Record<string, any>} attributes @param {string} [text] */
export function draw(parent, kind, attributes, text) {
  const node = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

/** Return an empty SVG drawing. @param {string} viewBox */
export function drawing(viewBox) {
  const felt = document.createElementNS(SVG, "svg");
  felt.setAttribute("viewBox", viewBox);
  return felt;
}

/** Return an element with a class and a text. @param {string} kind @param {Record<string, any>} properties @returns {any} */
export const element = (kind, properties = {}) => Object.assign(document.createElement(kind), properties);

/** Return the first node of trusted HTML. @param {string} html @returns {any} */
export function nodeOf(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  return made.content.firstElementChild;
}

/** Return a table row with these texts and classes. @param {any[]} texts @param {string[]} kinds */
export function tableRow(texts, kinds = []) {
  const row = document.createElement("tr");
  texts.forEach((text, column) => Object.assign(row.insertCell(), {textContent: text, className: kinds[column] ?? ""}));
  return row;
}

/** Fill a list with texts or with lists of nodes. @param {any} list @param {any[]} texts */
export function fillList(list, texts) {
  list.replaceChildren(...texts.map(text => {
    const item = document.createElement("li");
    item.append(...[text].flat());
    return item;
  }));
}

/** Set an element's text if the text differs; screen readers read a live region again at every change. @param {string} id @param {string} text */
export function say(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text;
}

/** Announce a text to screen readers through the page's live region. @param {string} text */
export function announce(text) {
  if (!text) return;
  at("spoken").append(element("p", {textContent: text}));
  while (at("spoken").children.length > MOST_SPOKEN) at("spoken").firstChild.remove();
}

/** Call a function with each file that the user chooses in an input. The same file can be chosen again. @param {string} id @param {(file: File) => any} act */
export function onFile(id, act) {
  at(id).onchange = event => {
    if (event.target.files[0]) act(event.target.files[0]);
    event.target.value = "";
  };
}

/** Download a file. @param {Blob} content @param {string} name */
export function download(content, name) {
  const link = element("a", {href: URL.createObjectURL(content), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Return the JSON data in the page's element with this id. @param {string} id @returns {any} */
export const dataOf = id => JSON.parse(at(id)?.textContent ?? "null");

/**
 * The browser's storage. If the browser forbids storage, nothing is stored and no error is raised.
 */
export class Memory {
  /** @param {"localStorage" | "sessionStorage"} kind */
  constructor(kind) { this.kind = kind; }
  /** @param {string} name @returns {string | null} */
  get(name) {
    try { return window[this.kind].getItem(name); } catch { return null; }
  }
  /** Store a value, and return whether this succeeded. @param {string} name @param {string} value */
  set(name, value) {
    try { window[this.kind].setItem(name, value); return true; } catch { return false; }
  }
}
export const lasting = new Memory("localStorage"), ofTab = new Memory("sessionStorage");
