export {
  concludeDrill,
  type DrillFindings,
  drillStanding,
  type OpenedTable,
  type RecordsTable,
  type ViewTable,
} from './conclude-drill.js';
export {
  drillEventTypes,
  type DrillFault,
  type DrillRecorded,
  drillStream,
} from './drill.events.js';
export { DrillsModule } from './drills.module.js';
export { RecordDrill, type RecordedDrill } from './record/record-drill.command.js';
