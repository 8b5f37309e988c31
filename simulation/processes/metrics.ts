import { Metrics } from '#infra/runtime';

/**
 * One instance for all processes of all schedules: the metrics are never read here, and making them costs more than a
 * schedule.
 */
export const metrics = new Metrics();
