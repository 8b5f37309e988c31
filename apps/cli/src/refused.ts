/** An error for a command that was understood but not carried out. Each line says why and what to do. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}
