export { amountText, type Heading, type Line } from './heading.js';
export { writeCamt053 } from './camt053.js';
export { csvRow, csvText, writeCsv } from './csv.js';
export { writePdf } from './pdf.js';
