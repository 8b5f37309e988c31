/**
 * Places that `npm run check:prose` leaves alone, each with its reason.
 * @type {readonly { readonly file: string, readonly text: string, readonly why: string }[]}
 */
export const exceptions = [];
