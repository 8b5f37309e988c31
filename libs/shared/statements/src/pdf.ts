import { once } from 'node:events';
import { createRequire } from 'node:module';
import { PassThrough, type Readable } from 'node:stream';
import { amountText, type Heading, type Line } from './heading.js';

const require = createRequire(import.meta.url);
type Weight = 'regular' | 'bold';
/**
 * Every PDF reader has these fonts, and their metrics are a table. Shaping each line with an embedded font costs fifty
 * times as much.
 */
const plain = { regular: 'Helvetica', bold: 'Helvetica-Bold' } as const;
/** Fonts for all other text, with Latin, Greek, Cyrillic and more. */
const wide = {
  regular: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
} as const;
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Coordinates on an A4 page, in points. */
const page = { left: 36, right: 559, top: 36, rows: 150, bottom: 790, footer: 805 } as const;
const rowHeight = 14;
const textSize = 7;

/** The right edge of each column, or the left edge of texts: numbers are right-aligned. */
const columns = {
  date: { left: page.left, width: 52 },
  description: { left: 92, width: 170 },
  receipt: { left: 266, width: 62 },
  gross: { right: 386 },
  fee: { right: 434 },
  amount: { right: 496 },
  balance: { right: page.right },
} as const;

/** Writes A4 with numbered pages, one page in memory at a time. The same heading and lines give the same bytes. */
export function writePdf(heading: Heading, lines: AsyncIterable<Line>): Readable {
  const out = new PassThrough();
  write(heading, lines, out).catch((error: unknown) => {
    out.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return out;
}

async function write(
  heading: Heading,
  lines: AsyncIterable<Line>,
  out: PassThrough,
): Promise<void> {
  // The import takes a tenth of a second, so only a process that writes a PDF does it.
  const { default: PDFDocument } = await import('pdfkit');
  const at = new Date(heading.ends);
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    // The cache would keep the layout of every word of every page.
    fontLayoutCache: false,
    // The document's time is the statement's, and so is its id, which is derived from it.
    info: {
      Title: `Statement of account ${heading.accountNo}`,
      Author: heading.service,
      Producer: heading.service,
      Creator: heading.service,
      CreationDate: at,
      ModDate: at,
    },
  });
  document.registerFont('wide-regular', wide.regular).registerFont('wide-bold', wide.bold);
  document.pipe(out);
  await new Sheet(document, heading).fill(lines, out);
  document.end();
}

class Sheet {
  private y = 0;
  private number = 0;

  constructor(
    private readonly document: PDFKit.PDFDocument,
    private readonly heading: Heading,
  ) {}

  async fill(lines: AsyncIterable<Line>, out: PassThrough): Promise<void> {
    const { from, to, isOver, openingMinor, closingMinor } = this.heading;
    this.turn();
    this.balanceRow(from, 'Opening balance', openingMinor);
    for await (const line of lines) {
      if (this.isFull) {
        this.turn();
        // The reader of the pages sets the pace.
        if (out.writableNeedDrain) await once(out, 'drain');
      }
      this.row(line);
    }
    if (this.isFull) this.turn();
    this.balanceRow(to, isOver ? 'Closing balance' : 'Balance so far', closingMinor);
  }

  private get isFull(): boolean {
    return this.y + rowHeight > page.bottom;
  }

  private turn(): void {
    this.number += 1;
    this.document.addPage();
    this.head();
    this.foot();
    this.y = page.rows;
  }

  private head(): void {
    const { heading } = this;
    const { merchant, accountNo, currency, mode, after, upTo } = heading;
    const { from, to, timezone, isOver, ends } = heading;
    this.text(heading.service, page.left, page.top, { font: 'bold', size: 9 });
    this.text('Statement of account', page.left, 52, { font: 'bold', size: 14 });
    const told = [
      merchant,
      `Account ${accountNo}, ${currency}${mode === 'demo' ? ' (demo: no real money)' : ''}`,
      `${from} to ${to}, ${timezone}${isOver ? '' : `: not over, as of ${ends}`}`,
      `Entries behind position ${after} of the ledger, up to position ${upTo}`,
    ];
    for (const [index, line] of told.entries())
      this.text(line, page.left, 74 + index * 12, { size: 8, width: page.right - page.left });
    this.right(`Opening ${this.amount(heading.openingMinor)}`, page.right, 74, { size: 8 });
    this.right(`Credits ${this.amount(heading.creditsMinor)}`, page.right, 86, { size: 8 });
    this.right(`Debits ${this.amount(heading.debitsMinor)}`, page.right, 98, { size: 8 });
    this.right(
      `${isOver ? 'Closing' : 'So far'} ${this.amount(heading.closingMinor)}`,
      page.right,
      110,
      { size: 8 },
    );
    const y = page.rows - 16;
    this.text('Date', columns.date.left, y, { font: 'bold' });
    this.text('Description', columns.description.left, y, { font: 'bold' });
    this.text('Receipt', columns.receipt.left, y, { font: 'bold' });
    for (const name of ['gross', 'fee', 'amount', 'balance'] as const)
      this.right(name.charAt(0).toUpperCase() + name.slice(1), columns[name].right, y, {
        font: 'bold',
      });
    this.document
      .moveTo(page.left, page.rows - 4)
      .lineTo(page.right, page.rows - 4)
      .lineWidth(0.5)
      .stroke();
  }

  private foot(): void {
    this.text(`As of position ${this.heading.upTo}`, page.left, page.footer, {});
    this.right(`Page ${this.number}`, page.right, page.footer);
  }

  private row(line: Line): void {
    const { y } = this;
    this.text(line.day, columns.date.left, y, columns.date);
    this.text(line.description, columns.description.left, y, columns.description);
    this.text(line.receipt ?? '', columns.receipt.left, y, columns.receipt);
    if (line.grossMinor !== null) this.right(this.amount(line.grossMinor), columns.gross.right, y);
    if (line.feeMinor !== null) this.right(this.amount(line.feeMinor), columns.fee.right, y);
    this.right(this.amount(line.amountMinor), columns.amount.right, y);
    this.right(this.amount(line.balanceMinor), columns.balance.right, y);
    this.y += rowHeight;
  }

  private balanceRow(day: string, name: string, minor: bigint): void {
    this.text(day, columns.date.left, this.y, { font: 'bold' });
    this.text(name, columns.description.left, this.y, { font: 'bold' });
    this.right(this.amount(minor), columns.balance.right, this.y, { font: 'bold' });
    this.y += rowHeight;
  }

  private amount(minor: bigint): string {
    return amountText(minor, this.heading.currency);
  }

  private text(
    text: string,
    x: number,
    y: number,
    { font = 'regular', size = textSize, width }: { font?: Weight; size?: number; width?: number },
  ): void {
    this.use(text, font, size);
    const shown = width === undefined ? text : this.cut(text, width);
    this.document.text(shown, x, y, { lineBreak: false });
  }

  private right(
    text: string,
    right: number,
    y: number,
    { font = 'regular', size = textSize }: { font?: Weight; size?: number } = {},
  ): void {
    this.use(text, font, size);
    this.document.text(text, right - this.document.widthOfString(text), y, { lineBreak: false });
  }

  private use(text: string, weight: Weight, size: number): void {
    this.document.font(isPlain(text) ? plain[weight] : `wide-${weight}`).fontSize(size);
  }

  /** Cuts text that does not fit, and adds an ellipsis. */
  private cut(text: string, width: number): string {
    if (this.document.widthOfString(text) <= width) return text;
    const characters = Array.from(text);
    // Three dots, which every font has.
    const start = (length: number): string => `${characters.slice(0, length).join('')}...`;
    let [fits, tooLong] = [0, characters.length];
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2);
      if (this.document.widthOfString(start(middle)) <= width) fits = middle;
      else tooLong = middle;
    }
    return start(fits);
  }
}
