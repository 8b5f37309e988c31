/** The data directory cannot be served from; the message is one line that says why and what to do. */
export class UnusableDirectory extends Error {
  override readonly name = 'UnusableDirectory';
}
