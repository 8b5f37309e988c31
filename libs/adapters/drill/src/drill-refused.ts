/** Nothing was checked or recorded; the message says why, in a sentence. */
export class DrillRefused extends Error {
  override readonly name = 'DrillRefused';
}
