/** The products of the shop, in place of a database. */
export const shop: ReadonlyMap<string, { readonly name: string; readonly cents: number; readonly stock: number }> =
  new Map([
    ['lamp', { name: 'Desk lamp', cents: 4_900, stock: 40 }],
    ['chair', { name: 'Armchair', cents: 69_000, stock: 12 }],
    ['piano', { name: 'Grand piano', cents: 890_000, stock: 1 }],
  ]);

/** Orders of at least this amount need approval. */
export const approvalFromCents = 100_000;

export function inEuros(cents: number): string {
  return `€ ${(cents / 100).toFixed(2)}`;
}
