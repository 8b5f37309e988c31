/** Most credentials on a page. No merchant has more, apart from the oldest revoked ones, which are left out. */
export const maxCredentials = 50;
