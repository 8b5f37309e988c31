export { type ActKind, actKinds, actOf, type ActRow } from './act.js';
export { projectActs } from './project.js';
export { firstRoleGranted } from './roles-granted.js';
export { type Act, type ActsPage, actsUpTo, type ActsWanted, listActs } from './query.js';
