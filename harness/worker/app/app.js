// The trial app (试验应用): the plain JavaScript package behind the protocol.

import { Package } from "./package.js";
import { worker } from "./protocol.js";

export default worker((surroundings) => new Package(surroundings));
