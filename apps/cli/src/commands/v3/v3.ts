import { Command } from 'commander';
import { notice } from './notice.js';
import { outreach } from './outreach.js';
import { readiness } from './readiness.js';
import { retire } from './retire.js';
import { status } from './status.js';

export const v3 = new Command('v3').description('how V3 ends');
for (const command of [status, outreach, readiness, notice, retire]) v3.addCommand(command);
