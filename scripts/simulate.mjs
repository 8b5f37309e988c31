/** `npm run simulate`: runs schedules of the simulation. */
import { runBuilt } from './run-built.mjs';

runBuilt('simulation/main.js');
