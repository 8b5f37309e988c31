/** A difference that the check found, and its place. */
export interface Fault {
  /** The log, the heads, or the name of a table. */
  readonly in:
    'events' | 'heads' | 'ledger_entries' | 'ledger_sections' | 'balances' | 'audit_tiles';
  readonly stream?: string;
  readonly eventId?: string;
  readonly position?: string;
  /** Date of a head. */
  readonly date?: string;
  readonly tells: string;
}
