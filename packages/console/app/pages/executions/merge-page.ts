/** A part of a list, or all of it that is known. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/**
 * Replaces the part of the list that a page shows, which begins after `after`, or at the start
 * without it.
 */
export function mergePage<Row extends { readonly id: string }>(
  { hasMore, rows }: ListPage<Row>,
  page: ListPage<Row>,
  after: string,
): ListPage<Row> {
  const start = after === '' ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  const last = page.rows.at(-1)?.id;
  const end = rows.findIndex(({ id }) => id === last);
  // So much is new that the page does not reach what was known.
  if (end === -1 && (start === 0 || !page.hasMore)) {
    return { rows: [...rows.slice(0, start), ...page.rows], hasMore: page.hasMore };
  }
  if (end < start) return { rows, hasMore };
  return { rows: [...rows.slice(0, start), ...page.rows, ...rows.slice(end + 1)], hasMore };
}
