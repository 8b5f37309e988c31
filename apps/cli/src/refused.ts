/** The command was understood and not carried out; each line says why and what to do. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}
