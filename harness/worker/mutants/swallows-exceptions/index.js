// Fault: an exception that nothing caught does not reach the platform, so the batch
// counts as done.

import { Package } from "../../app/package.js";
import { worker } from "../../app/protocol.js";

const app = worker((surroundings) => new Package(surroundings));

export default {
  ...app,
  async queue(batch, env) {
    try {
      await app.queue(batch, env);
    } catch {
      // Here the failure ends.
    }
  },
};
