// Fault: every queue that the deployment has may be used, whatever is granted.

import { Package } from "../../app/package.js";
import { worker } from "../../app/protocol.js";

export default worker(({ env, batch }) => {
  const grants = Object.keys(env).filter((name) => typeof env[name]?.sendBatch === "function");
  return new Package({ grants, env, batch });
});
