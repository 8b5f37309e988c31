/**
 * Returns the payouts of a CSV file. Its first row names the columns reference, phone and amount; amounts are in
 * shillings.
 */
export function payoutsFrom(text: string) {
  const [head = [], ...rows] = readCsv(text);
  const names = head.map((name) => name.trim().toLowerCase());
  const [reference, phone, amount] = ['reference', 'phone', 'amount'].map((name) => {
    if (names.filter((each) => each === name).length !== 1)
      throw new Error(`the first row must name one column ${name}`);
    return names.indexOf(name);
  }) as [number, number, number];
  return rows.map((cells, index) => {
    const row = `row ${index + 2}`;
    // With an extra comma, an amount would be read as a phone number, or only its last part as the amount.
    if (cells.length !== names.length)
      throw new Error(`${row} has ${cells.length} cells, not ${names.length}`);
    const cell = (column: number) => (cells[column] ?? '').trim();
    return {
      reference: cell(reference),
      phone: cell(phone),
      amount_minor: minorFrom(cell(amount), row),
    };
  });
}

type Item = ReturnType<typeof payoutsFrom>[number];

/** Returns the count and the sum of a file's payouts, which an approval repeats. */
export function sumsOf(items: readonly Pick<Item, 'amount_minor'>[]) {
  const amount_minor = items.reduce((sum, item) => sum + item.amount_minor, 0n);
  return { count: items.length, amount_minor };
}

/** Returns the payouts that only the batch has, that only the file has, or that have another amount. */
export function differencesFrom(
  items: readonly Pick<Item, 'reference' | 'amount_minor'>[],
  asked: readonly Pick<Item, 'reference' | 'amount_minor'>[],
): string[] {
  const own = new Map(items.map(({ reference, amount_minor }) => [reference, amount_minor]));
  const wrong = asked.flatMap(({ reference, amount_minor }) => {
    const expected = own.get(reference);
    own.delete(reference);
    if (expected === undefined) return [`${reference} is not in the file`];
    return expected === amount_minor ? [] : [`${reference} is ${amount_minor}, not ${expected}`];
  });
  return [...wrong, ...[...own.keys()].map((reference) => `${reference} is not in the batch`)];
}

/**
 * Returns rows of cells by RFC 4180: a cell in quotes may contain commas, line breaks and, doubled, quotes. Blank lines
 * are left out.
 * @throws if a quote is at another place, or has no end
 */
export function readCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, '');
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const rows: string[][] = [[]];
  for (;;) {
    const match = cell.exec(source);
    if (!match) throw new Error(`row ${rows.length} has a quote or a line break that is none`);
    const [, quoted, plain = '', end] = match;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '') return rows.filter(([first, ...others]) => first !== '' || others.length > 0);
    if (end !== ',') rows.push([]);
  }
}

/**
 * Reads an amount from its text, never through floating point: 1200.5 is 120050. A comma may mean two things, so it is
 * refused.
 */
function minorFrom(amount: string, row: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
  if (whole === undefined) throw new Error(`${row}: ${amount} is no amount`);
  return BigInt(whole + fraction.padEnd(2, '0'));
}
