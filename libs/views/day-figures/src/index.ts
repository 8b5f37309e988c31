export { projectDayFigures } from './project.js';
export {
  type DayFigure,
  type Figure,
  type FigureDays,
  type Figures,
  type FiguresAsked,
  type Outcomes,
  outcomesOf,
  readFigures,
  readPlatformFigures,
  type ReasonFigure,
} from './query.js';
export { type CurrencyTotal, type FilterTotal, readFilterTotal, type TotalAsked } from './total.js';
