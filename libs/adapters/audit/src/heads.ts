import {
  auditStream,
  type DayHead,
  sealedType,
  headText,
  type SealedHead,
  type StoredRecord,
  toSize,
} from '#domain/audit';
import { type Instant } from '#domain/kernel';
import { dayAfter, dayAt, endOfDay } from '#infra/runtime';
import { fingerprintOf, verifyHead } from '#shared/signing';
import { type CheckedTree } from './checked-tree.js';
import { type Fault } from './fault.js';
import { type AuditState } from './tiles.js';

/** A key that may have signed heads. */
export interface TrustedKey {
  /** Its fingerprint. */
  readonly keyId: string;
  /** YYYY-MM-DD, the date of the last head that it may have signed. If undefined, it may have signed any later one, too. */
  readonly lastDay?: string;
}

/** A head that was kept outside the service. */
export type ArchivedHead = Pick<SealedHead, 'head'>;

/** The times by which days must be sealed (AUD-17). */
export interface DueDays {
  readonly timezone: string;
  readonly nowMs: number;
  /** The time from a day's end to its sealing. */
  readonly marginMs: number;
}

export interface HeadTerms {
  readonly trustedKeys?: readonly TrustedKey[];
  readonly archivedHeads?: readonly ArchivedHead[];
  readonly days: DueDays;
}

const never = '9999-12-31T23:59:59.999Z' as Instant;

/** A worker that was down, or a long day, delays sealing. */
const lateMs = 3_600_000;

/** The heads in order. Each is compared when the trees have reached its sizes. */
export class HeadsToMeet {
  readonly #byId: ReadonlyMap<string, SealedHead>;
  readonly #kept: ArchivedHead[];
  #firstDay: string | undefined;
  #next = 0;
  #end: { readonly of: number; readonly at: Instant } | undefined;

  constructor(
    private readonly heads: readonly SealedHead[],
    private readonly terms: HeadTerms,
    private readonly onFault: (fault: Fault) => void,
  ) {
    this.#byId = new Map(heads.map((sealed) => [sealed.id, sealed]));
    const size = ({ head }: ArchivedHead): number => toSize(head.historySize);
    this.#kept = (terms.archivedHeads ?? []).toSorted((one, other) => size(one) - size(other));
  }

  checkSignatures(): void {
    // Keys in the order of first use: after a key is replaced, only the new one may sign.
    const keyIds: string[] = [];
    for (const [index, sealed] of this.heads.entries()) {
      const { head, publicKey, signature } = sealed;
      const before = this.heads[index - 1]?.head;
      if (before && head.date !== dayAfterOr(before.date))
        this.#fault(sealed, `it follows ${before.date}: a day between them is missing`);
      if (fingerprintOf(publicKey) !== head.keyId)
        this.#fault(sealed, 'its key is not the one whose fingerprint it names');
      this.#checkTrust(sealed);
      if (!keyIds.includes(head.keyId)) keyIds.push(head.keyId);
      if (head.keyId !== keyIds.at(-1))
        this.#fault(sealed, 'its key had been replaced by another one before');
      if (!verifyHead(publicKey, headText(head), signature))
        this.#fault(sealed, 'its signature does not verify');
    }
  }

  #checkTrust(sealed: SealedHead): void {
    const { trustedKeys } = this.terms;
    const { keyId, date } = sealed.head;
    const trusted = trustedKeys?.find((key) => key.keyId === keyId);
    if (trustedKeys && !trusted) this.#fault(sealed, 'its key is none of the trusted ones');
    if (trusted?.lastDay !== undefined && date > trusted.lastDay)
      this.#fault(sealed, `its key is trusted up to ${trusted.lastDay} alone`);
  }

  /** Checks that the service still has each archived head. */
  checkKept(): void {
    const texts = new Set(this.heads.map(({ head }) => headText(head)));
    for (const { head } of this.#kept)
      if (!texts.has(headText(head)))
        this.#keptFault(head, 'it is not among the heads: they were taken out or signed anew');
  }

  /** @param record a record of the part of the log that existed when the heads were read */
  checkListed(record: StoredRecord): void {
    this.#firstDay ??= dayAt(Date.parse(record.recordedAt), this.terms.days.timezone);
    if (record.type !== sealedType) return;
    const sealed = this.#byId.get(record.id);
    if (sealed && record.recordedAt < (endOf(sealed) ?? ''))
      this.#fault(sealed, `it was recorded at ${record.recordedAt}, before its day was over`);
    if (!sealed)
      this.onFault({
        in: 'heads',
        stream: record.stream,
        eventId: record.id,
        position: String(record.position),
        tells: 'the log holds it, its stream hides it',
      });
  }

  /** Checks that the tiles reach as far as the heads. */
  checkTiles({ events, postings }: AuditState): void {
    const last = this.heads.at(-1)?.head;
    if (sizeOr(last?.historySize, 0) > events || sizeOr(last?.treeSize, 0) > postings)
      this.onFault({
        in: 'audit_tiles',
        tells: 'the trees end before the last head: audit seal makes them again',
      });
  }

  /** Checks that no event of a sealed day's part of the log was recorded after that day. */
  checkTime(record: StoredRecord, index: number): void {
    const sealed = this.heads[this.#next];
    if (!sealed || index >= sizeOr(sealed.head.historySize, 0)) return;
    if (this.#end?.of !== this.#next) this.#end = { of: this.#next, at: endOf(sealed) ?? never };
    if (record.recordedAt >= this.#end.at)
      this.onFault({
        in: 'events',
        stream: record.stream,
        eventId: record.id,
        position: String(record.position),
        date: sealed.head.date,
        tells: `it was recorded after ${sealed.head.date}, whose head holds it`,
      });
  }

  meet(history: CheckedTree, postings: CheckedTree): void {
    for (
      let sealed = this.heads[this.#next];
      sealed && sizeOr(sealed.head.historySize, -1) <= history.size;
      sealed = this.heads[this.#next]
    ) {
      this.#next += 1;
      const { historySize, historyRoot, treeSize, root } = sealed.head;
      if (sizeOr(historySize, -1) !== history.size || historyRoot !== history.root())
        this.#fault(sealed, 'the events up to it are not those that it sealed');
      if (sizeOr(treeSize, -1) !== postings.size || root !== postings.root())
        this.#fault(sealed, 'the postings up to it are not those that it sealed');
    }
    for (
      let [kept] = this.#kept;
      kept && toSize(kept.head.historySize) <= history.size;
      [kept] = this.#kept
    ) {
      this.#kept.shift();
      const { head } = kept;
      if (toSize(head.historySize) !== history.size || head.historyRoot !== history.root())
        this.#keptFault(head, 'the events up to it are not those that it sealed');
      if (toSize(head.treeSize) !== postings.size || head.root !== postings.root())
        this.#keptFault(head, 'the postings up to it are not those that it sealed');
    }
  }

  finish(size: number): void {
    for (const sealed of this.heads.slice(this.#next))
      this.#fault(
        sealed,
        `it sealed ${sealed.head.historySize} events; the log has ${size} altogether`,
      );
    for (const { head } of this.#kept)
      this.#keptFault(head, `it sealed ${head.historySize} events; the log has ${size} altogether`);
    this.#checkDue();
  }

  /** Checks that each day that ended long ago has a head. If somebody removes a head, all that follow it are missing, too. */
  #checkDue(): void {
    const { nowMs, marginMs, timezone } = this.terms.days;
    const last = this.heads.at(-1)?.head.date;
    const date = last === undefined ? this.#firstDay : dayAfterOr(last);
    if (!date || nowMs < Date.parse(endOfDay(date, timezone)) + marginMs + lateMs) return;
    this.onFault({
      in: 'heads',
      stream: auditStream,
      date,
      tells: 'the day is over and neither it nor a later one is sealed: run audit seal',
    });
  }

  #keptFault({ date }: DayHead, tells: string): void {
    this.onFault({ in: 'heads', date, tells: `a kept head: ${tells}` });
  }

  #fault({ id, head }: SealedHead, tells: string): void {
    this.onFault({ in: 'heads', stream: auditStream, eventId: id, date: head.date, tells });
  }
}

export function sizeOr(digits: string | undefined, otherwise: number): number {
  try {
    return digits === undefined ? otherwise : toSize(digits);
  } catch {
    return otherwise;
  }
}

function dayAfterOr(date: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date)) ? dayAfter(date) : '';
}

/** Undefined if the head's date or zone is damaged; the signature check reports that head. */
function endOf({ head }: SealedHead): Instant | undefined {
  try {
    return endOfDay(head.date, head.timezone);
  } catch {
    return undefined;
  }
}
