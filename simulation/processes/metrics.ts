import { Metrics } from '#infra/runtime';

/** Nobody reads them here, and making them costs more than a schedule: one for all processes of all schedules. */
export const metrics = new Metrics();
