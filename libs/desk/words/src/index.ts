export { causes } from './causes.js';
export { confirmCommand, resolveCommand } from './commands.js';
export { meanings } from './meanings.js';
export { next } from './next.js';
export { commandFor } from './platform-commands.js';
export { correctionRefusals, decisionRefusals, endCorrectionRefusals } from './refusals.js';
export { missedNextStep, nextStep } from './steps.js';
export { todos } from './todos.js';
