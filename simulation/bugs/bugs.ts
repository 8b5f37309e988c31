import { appendingBugs } from './appending.js';
import { askingBugs } from './asking.js';
import { batchingBugs } from './batching.js';
import { type Bug } from './bug.js';
import { decidingBugs } from './deciding.js';
import { enquiringBugs } from './enquiring.js';
import { payingBugs } from './paying.js';
import { projectingBugs } from './projecting.js';
import { recordingBugs } from './recording.js';
import { rulingBugs } from './ruling.js';
import { takingOverBugs } from './taking-over.js';

/** All planted bugs. They exist only here: the service's own code has no switch for them. */
export const bugs: readonly Bug[] = [
  ...appendingBugs,
  ...askingBugs,
  ...batchingBugs,
  ...decidingBugs,
  ...enquiringBugs,
  ...payingBugs,
  ...projectingBugs,
  ...recordingBugs,
  ...rulingBugs,
  ...takingOverBugs,
];
