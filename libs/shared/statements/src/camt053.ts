import { type Minor } from '#domain/kernel';
import { amountText, type Heading, type Line } from './heading.js';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';

/** Writes a bank to customer statement, version 8 (ISO 20022): one statement, written as its entries arrive. */
export async function* writeCamt053(
  heading: Heading,
  lines: AsyncIterable<Line>,
): AsyncGenerator<string, void, void> {
  const { accountNo, currency, begins, ends, isOver, after, upTo } = heading;
  const { openingMinor, closingMinor } = heading;
  const id = max(`${accountNo}-${base36(after)}-${base36(upTo)}`, 35);
  yield `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="${namespace}">
<BkToCstmrStmt>
<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${ends}</CreDtTm></GrpHdr>
<Stmt><Id>${id}</Id><CreDtTm>${ends}</CreDtTm><FrToDt><FrDtTm>${begins}</FrDtTm><ToDtTm>${ends}</ToDtTm></FrToDt>
<Acct><Id><Othr><Id>${max(accountNo, 34)}</Id></Othr></Id><Ccy>${currency}</Ccy>\
<Ownr><Nm>${max(heading.merchant, 140)}</Nm></Ownr>\
<Svcr><FinInstnId><Nm>${max(heading.service, 140)}</Nm></FinInstnId></Svcr></Acct>
${balance('OPBD', openingMinor, currency, begins)}
${balance(isOver ? 'CLBD' : 'ITBD', closingMinor, currency, ends)}
${summary(heading)}
`;
  for await (const line of lines) yield entry(line, currency);
  yield `<AddtlStmtInf>${max(`Entries behind position ${after} of the ledger, up to position ${upTo}; ${heading.mode} mode.${isOver ? '' : ' The last day is not over: its balance is an interim one.'}`, 500)}</AddtlStmtInf>
</Stmt>
</BkToCstmrStmt>
</Document>
`;
}

/** An id has at most 35 characters and contains both positions, because each pair is another statement. */
function base36(position: bigint): string {
  return position.toString(36);
}

function summary({ entries, creditsMinor, debitsMinor, currency }: Heading): string {
  const sum = (minor: Minor): string => `<Sum>${amountText(minor, currency)}</Sum>`;
  return `<TxsSummry><TtlNtries><NbOfNtries>${entries}</NbOfNtries></TtlNtries>\
<TtlCdtNtries>${sum(creditsMinor)}</TtlCdtNtries><TtlDbtNtries>${sum(debitsMinor)}</TtlDbtNtries></TxsSummry>`;
}

function balance(code: string, minor: Minor, currency: string, at: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(minor, currency)}\
<Dt><DtTm>${at}</DtTm></Dt></Bal>`;
}

/** The standard's amounts have no sign; an indicator beside them gives the direction. */
function amount(minor: Minor, currency: string): string {
  const absolute = minor < 0n ? -minor : minor;
  return `<Amt Ccy="${currency}">${amountText(absolute, currency)}</Amt>\
<CdtDbtInd>${minor < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
}

function entry(line: Line, currency: string): string {
  const { position, recordedAt, eventId, kind, reference, receipt, feeMinor } = line;
  const fee =
    feeMinor === null || feeMinor === 0n
      ? ''
      : `<Chrgs><TtlChrgsAndTaxAmt Ccy="${currency}">${amountText(feeMinor, currency)}</TtlChrgsAndTaxAmt></Chrgs>`;
  const clearing = receipt === null ? '' : `<ClrSysRef>${max(receipt, 35)}</ClrSysRef>`;
  // A reference may be longer than the standard allows. The remittance information contains it in full.
  const endToEnd = reference.length <= 35 ? escape(reference) : 'NOTPROVIDED';
  return `<Ntry><NtryRef>${position}</NtryRef>${amount(line.amountMinor, currency)}<Sts><Cd>BOOK</Cd></Sts>\
<BookgDt><DtTm>${recordedAt}</DtTm></BookgDt><ValDt><DtTm>${recordedAt}</DtTm></ValDt>\
<AcctSvcrRef>${eventId.replaceAll('-', '')}</AcctSvcrRef>\
<BkTxCd><Prtry><Cd>${kind.toUpperCase()}</Cd></Prtry></BkTxCd>${fee}\
<NtryDtls><TxDtls><Refs><EndToEndId>${endToEnd}</EndToEndId>${clearing}</Refs>\
<RmtInf><Ustrd>${max(reference, 140)}</Ustrd></RmtInf></TxDtls></NtryDtls>\
<AddtlNtryInf>${max(line.description, 500)}</AddtlNtryInf></Ntry>
`;
}

/** Returns escaped text of at most this many characters, and never an empty one, which the standard refuses. */
function max(text: string, length: number): string {
  return escape(Array.from(text).slice(0, length).join('')) || '-';
}

/** Characters that XML 1.0 does not allow. */
const unprintable = /[^\u0009\u000a\u000d\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escape(text: string): string {
  return text
    .replace(unprintable, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
