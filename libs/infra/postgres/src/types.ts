import pg from 'pg';

/** Types of pg's catalogue whose values the driver would otherwise give as text, or in local time. */
const int8 = 20;
const int8Array = 1016;
const date = 1082;

type Parser = (text: string) => unknown;

const parsers = new Map<number, Parser>([
  [int8, BigInt],
  [
    int8Array,
    (text) =>
      text === '{}'
        ? []
        : text
            .slice(1, -1)
            .split(',')
            .map((item) => (item === 'NULL' ? null : BigInt(item))),
  ],
  // The driver makes a Date at local midnight of it, which is another day elsewhere.
  [date, (text) => text],
]);

/** int8 is bigint, numeric and date stay text, timestamptz is Date, bytea is Buffer, json is parsed. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text') =>
    parsers.get(oid) ?? (pg.types.getTypeParser(oid, format) as Parser)) as never,
};
