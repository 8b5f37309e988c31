/** Where V3 is served: its documented place, and that of old base URLs. */
export const prefixes = ['api/v3', 'v3'];
