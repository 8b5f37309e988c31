export { type OpenedV3Link, type V3Caller, V3Gate } from './v3-gate.js';
export { V3GateModule } from './v3-gate.module.js';
export { V3GateOptions } from './v3-gate.options.js';
