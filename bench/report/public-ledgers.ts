/** The section about public ledgers. They were measured by hand, because their servers are no packages of npm or Debian. */
export const publicLedgers = `## Public ledgers

Two public ledgers were measured on 2026-11-25 on a quiet machine with two processors (AMD EPYC), one after the other. They
ran on Postgres 18.4 with \`fsync\` and \`synchronous_commit\` on. After 5 s of warm-up, 64 requests were in flight for 20 s. The
load generator, a Go program that takes 0.3 ms a collection, ran on the same machine. After each run the sums in the ledger
agreed with the acknowledged requests.

| ledger and settings                                                                      | collections/s | ms of processor each            | p50 / p99, ms | the service is faster by |
| ---------------------------------------------------------------------------------------- | ------------- | ------------------------------- | ------------- | ------------------------ |
| Formance, main of 2026-08-18, defaults of its compose file, 10 merchants                   | 138           | 11.5 (server 3.5, Postgres 8.0) | 384 / 1,523   | 8.6                      |
| the same, 1,000 merchants                                                                | 133           | 12.3 (3.7, 8.6)                 | 395 / 1,528   | 8.9                      |
| the same, without its hash chain, 64 source and 64 fee accounts                          | 228           | 8.3 (2.6, 5.7)                  | 276 / 450     | 5.2                      |
| the same, without any optional feature, 64 source and 64 fee accounts                    | 278           | 6.9 (2.3, 4.6)                  | 226 / 376     | 4.3                      |
| Blnk 0.15.2, \`skip_queue\`, 10 merchants                                                  | 80            | 16.1 (6.1, 8.9, Redis 1.1)      | 646 / 3,003   | 14.8                     |
| the same, 64 source and 64 fee accounts, 1,000 merchants                                 | 125           | 15.0 (3.5, 11.0, 0.5)           | 498 / 880     | 9.5                      |
| this service, the whole lifecycle, before and after those runs                           | 1,182 · 1,203 | 1.41 · 1.38 in all              |               |                          |

- **Their work**: a collection is two requests, the intent and its confirmation, each with a reference and an idempotency
  key. Formance writes 15 rows and updates 4 in two transactions. By default each posting locks the row of \`world\`, the row
  of the fees account and the lock of the hash chain. Blnk inserts 8 rows, updates 8 and holds locks in Redis. Neither commits
  different requests together.
- **Left out of these runs**: signature, nonce, rail, lists, evidence and webhooks. The service’s figure contains all of
  them.
- **Only they offer**: any chart of accounts, several currencies at once, requests in bulk, and in
  Formance a language for transactions.`;
