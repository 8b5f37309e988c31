/** Closes an exhaustive switch: the compiler objects where a case is missing, and so does the run. */
export function assertNever(value: never): never {
  throw new TypeError(`unhandled case: ${JSON.stringify(value)}`);
}
