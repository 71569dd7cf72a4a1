// Fault: after a normal end the host acknowledges the whole batch itself.

import { Package } from "../../app/package.js";
import { worker } from "../../app/protocol.js";

const app = worker((surroundings) => new Package(surroundings));

export default {
  ...app,
  async queue(batch, env) {
    await app.queue(batch, env);
    batch.ackAll();
  },
};
