/** The drill checked and recorded nothing. The message says why, in a sentence. */
export class DrillRefused extends Error {
  override readonly name = 'DrillRefused';
}
