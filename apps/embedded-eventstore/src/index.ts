/** The parts that the benchmark and the tests of the simulation use without a server. */
export { decideAppend } from './store/decide-append.js';
export { GroupWriter } from './store/group-writer.js';
export { openStore } from './store/open-store.js';
export { JSON_CONTENT } from './store/stream-metadata.js';
