interface Rows<Row> {
  readonly rows: readonly Row[];
}

/** The places of the pages that have rows from the first to the last row in view. */
export function pagesInView(
  pages: readonly Rows<unknown>[],
  [first, last]: readonly [first: number, last: number],
): readonly number[] {
  const found: number[] = [];
  let begin = 0;
  for (const [index, { rows }] of pages.entries()) {
    const end = begin + rows.length;
    if (begin <= last && first < end) found.push(index);
    begin = end;
  }
  return found;
}

/** The rows of all pages. A row that is on two of them counts on the first. */
export function uniqueRows<Row>(pages: readonly Rows<Row>[], keyOf: (row: Row) => string): readonly Row[] {
  const known = new Set<string>();
  return pages.flatMap(({ rows }) =>
    rows.filter((row) => {
      const key = keyOf(row);
      const isNew = !known.has(key);
      known.add(key);
      return isNew;
    }),
  );
}
