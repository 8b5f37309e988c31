/** What can be an account number at all (COL-2); nobody is asked about anything else. */
export const accountNoPattern = /^[0-9]{1,32}$/;
