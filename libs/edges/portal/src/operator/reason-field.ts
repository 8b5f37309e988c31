import { type Html } from '#shared/html';
import { field } from '../page/parts.js';
import { type PageContext } from './page-context.js';

/**
 * The required field of a reason that the log keeps.
 * @param own its name, and what a refused form holds
 */
export function reasonField(
  own: Pick<Parameters<typeof field>[0], 'name' | 'id' | 'value' | 'error' | 'autocomplete'>,
  { fields }: PageContext['texts'],
): Html {
  return field({
    ...own,
    label: fields.reason,
    hint: fields.reasonHint,
    type: 'textarea',
    isRequired: true,
    maxLength: 500,
  });
}
