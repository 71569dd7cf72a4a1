// Fault: the program instance of the first event serves all later ones, with the
// grants, bindings and batch of that event.

import { Package } from "../../app/package.js";
import { worker } from "../../app/protocol.js";

let kept = null;

export default worker((surroundings) => (kept ??= new Package(surroundings)));
