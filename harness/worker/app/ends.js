// The ways in which a call of the package does not return.

/** A 豫言 exception (豫言异常): the calling program may catch it. */
export class PackageException extends Error {
  name = "PackageException";
}

/** The host ends the event (中止): nothing can catch it. */
export class HostAbort extends Error {
  name = "HostAbort";
}
