/** `npm run bench`: measures. */
import { runBuilt } from './run-built.mjs';

runBuilt('bench/main.js');
