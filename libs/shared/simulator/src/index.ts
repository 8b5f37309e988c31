export { minorFromShillings, shillingsFromMinor } from './amount.js';
export { Callbacks, type Delivery } from './callbacks.js';
export { csvRow } from './csv.js';
export { breakOff, HeldAnswers } from './held-answers.js';
export { Journal, type Recorder } from './journal.js';
export { Receipts } from './receipts.js';
export { runSimulator, type RunningParts, type Surroundings } from './run-simulator.js';
export { type CommonSettings, type ReadSettings, SettingsReader } from './settings-reader.js';
export { SplitMap } from './split-map.js';
