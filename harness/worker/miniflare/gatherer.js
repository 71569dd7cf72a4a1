// Puts scenarios that come in at about the same time into one Miniflare: its
// start takes longer than most scenarios do, and their queues do not meet.

import { Group } from "./group.js";

/** How long nobody must have come before a group starts, in milliseconds. */
const QUIET = 150;

/** How long the first one waits at most, in milliseconds. */
const LONGEST = 1000;

/** Scenarios of a group at most: with 126 of them in one process workerd was seen to
 * abort, for a reason that is not known. */
const MOST = 24;

/** Groups at a time: with many more, nothing happens when it should. */
const GROUPS = 2;

export class Gatherer {
  #tools;
  #waiting = [];
  #since = 0;
  #timer;
  #running = 0;

  /** `tools` are Miniflare's classes and the token. */
  constructor(tools) {
    this.#tools = tools;
  }

  /** What was seen of `scenario`. */
  play(scenario) {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#since = Date.now();
      this.#waiting.push({ scenario, resolve, reject });
      clearTimeout(this.#timer);
      const left = this.#since + LONGEST - Date.now();
      this.#timer = setTimeout(() => this.#start(), Math.max(0, Math.min(QUIET, left)));
    });
  }

  /** Starts as many groups as there may be. Those that take long come first, and
   * with each other. */
  #start() {
    this.#waiting.sort((one, other) => other.scenario.until - one.scenario.until);
    while (this.#running < GROUPS && this.#waiting.length > 0) {
      const members = this.#waiting.splice(0, MOST);
      this.#running += 1;
      this.#run(members).then(() => {
        this.#running -= 1;
        this.#start();
      });
    }
  }

  async #run(members) {
    let group;
    try {
      group = await Group.start(members.map((member) => member.scenario), this.#tools);
      const played = members.map(({ resolve, reject }, at) => group.play(at).then(resolve, reject));
      await Promise.allSettled(played);
      await group.end();
    } catch (error) {
      // Those that have their answer already do not hear of it.
      for (const member of members) member.reject(error);
    }
  }
}
