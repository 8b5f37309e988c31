import { iconStyle } from '../icons.js';
import { base } from './base.js';
import { chartStyle } from './charts.js';
import { components } from './components.js';
import { desk } from './desk.js';
import { developer } from './developer.js';
import { lists } from './lists.js';
import { shell } from './shell.js';
import { tokens } from './tokens.js';

/** The portal's style. A later layer wins over an earlier one, whatever the selectors. */
export const style = `@layer tokens,base,components,pages;
@layer tokens{${tokens}}
@layer base{${base}}
@layer components{${components}${iconStyle}}
@layer pages{${shell}${chartStyle}${lists}${desk}${developer}}`.replaceAll('\n', '');
