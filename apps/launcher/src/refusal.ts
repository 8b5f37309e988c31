/** The reason why the start cannot go on and what to do, in one line. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
