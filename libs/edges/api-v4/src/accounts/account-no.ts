/** What can be an account number at all (contract/decisions.md §3); nobody is asked about anything else. */
export const accountNoPattern = /^[0-9]{1,32}$/;
