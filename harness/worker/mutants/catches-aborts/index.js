// Fault: the end that the host puts to an event is an exception that the program
// can catch.

import { HostAbort, PackageException } from "../../app/ends.js";
import { Package } from "../../app/package.js";
import { worker } from "../../app/protocol.js";

const FUNCTIONS = ["send", "sendBatch", "readBatch", "ack", "retry"];

export default worker((surroundings) => {
  const program = new Package(surroundings);
  return Object.fromEntries(FUNCTIONS.map((name) => [name, catching(program, name)]));
});

function catching(program, name) {
  return async (...args) => {
    try {
      return await program[name](...args);
    } catch (error) {
      throw error instanceof HostAbort ? new PackageException(error.message) : error;
    }
  };
}
