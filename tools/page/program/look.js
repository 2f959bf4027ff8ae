/** The user's settings for the look and sound of the board. */

import {at, lasting} from "./dom.js";

const DEFAULTS = {felt: "green", turned: "", still: "", sound: ""};

export class Look {
  /** @param {() => void} onChange called after a change, to redraw the board. */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Record<string, string>} */
    this.chosen = {};
    /** @type {AudioContext | null} */
    this.audio = null;
    for (const [name, usual] of Object.entries(DEFAULTS)) {
      this.chosen[name] = lasting.get(name) ?? usual;
      const input = at(`look-${name}`);
      if (name === "felt") input.value = this.chosen[name]; else input.checked = Boolean(this.chosen[name]);
      input.onchange = () => this.set(name, name === "felt" ? input.value : input.checked ? "yes" : "");
    }
    this.apply();
  }

  /** @param {string} name @param {string} value */
  set(name, value) {
    this.chosen[name] = value;
    lasting.set(name, value);
    this.apply();
    this.onChange();
  }

  apply() {
    document.documentElement.dataset.felt = this.chosen.felt;
    document.documentElement.classList.toggle("still", Boolean(this.chosen.still));
  }

  get isTurned() { return Boolean(this.chosen.turned); }

  /** Play the sound of a placed disc, if sounds are switched on. */
  tap() {
    if (!this.chosen.sound || !window.AudioContext) return;
    this.audio ??= new AudioContext();
    const {audio} = this, now = audio.currentTime, tone = audio.createOscillator(), gain = audio.createGain();
    tone.type = "triangle";
    tone.frequency.setValueAtTime(420, now);
    tone.frequency.exponentialRampToValueAtTime(140, now + .07);
    gain.gain.setValueAtTime(.25, now);
    gain.gain.exponentialRampToValueAtTime(.001, now + .09);
    tone.connect(gain).connect(audio.destination);
    tone.start(now);
    tone.stop(now + .1);
  }
}
