export { projectDayFigures } from './project.js';
