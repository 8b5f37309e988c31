/** Something that is not as it was, and where. */
export interface Fault {
  /** Of the log, of the heads, or of a table. */
  readonly in:
    'events' | 'heads' | 'ledger_entries' | 'ledger_sections' | 'balances' | 'audit_tiles';
  readonly stream?: string;
  readonly eventId?: string;
  readonly position?: string;
  /** Of a head. */
  readonly date?: string;
  readonly tells: string;
}
