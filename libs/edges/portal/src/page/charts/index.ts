export { amounts, type Chart, counts, type Series, type Tone } from './chart.js';
export { columnChart, countChart } from './columns.js';
export { lineChart } from './line.js';
export { rankingChart } from './ranking.js';
export { sparkColumns, sparkline } from './spark.js';
