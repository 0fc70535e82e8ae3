/** Search parameters of lists. What is empty or of the wrong type is left out of the address. */

function textParam(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value if it is one of those that the API knows. */
export function oneOf<Value extends string>(values: readonly Value[], value: string | undefined): Value | undefined {
  return values.find((each) => each === value);
}

/** The named parameters that have a text. */
export function listSearch<const Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = textParam(search[name]);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** How far back a list or a chart looks. */
export const timeRanges = ['1h', '6h', '24h', '3d', '7d', '14d'] as const;
export type TimeRange = (typeof timeRanges)[number];

/** Names an unknown range as undefined: the router keeps parameters that are not named. */
export function timeSearch(search: Record<string, unknown>): { range?: TimeRange | undefined } {
  if (search['range'] === undefined) return {};
  return { range: timeRanges.find((each) => each === search['range']) };
}

/** A period of its own counts, instead of a range that ends now. */
export interface Period {
  readonly range?: TimeRange | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Both ends of a period, or none: half of one would be another. */
export function periodSearch(search: Record<string, unknown>): Period {
  const [from, to] = [toTime(search['from']), toTime(search['to'])];
  if (from === undefined || to === undefined || from >= to)
    return { ...timeSearch(search), from: undefined, to: undefined };
  return { ...timeSearch(search), from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function toTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** As the API wants it: a range excludes a period. */
export function toWindow({ from, range = '24h', to }: Period): { from: string; to: string } | { range: TimeRange } {
  return from === undefined || to === undefined ? { range } : { from, to };
}

const hourMs = 3_600_000;

function rangeMs(range: TimeRange): number {
  const amount = Number.parseInt(range, 10);
  return range.endsWith('h') ? amount * hourMs : amount * 24 * hourMs;
}

/** Since when, as the API wants it: an ISO 8601 timestamp. */
export function toSince(range: TimeRange | undefined): { from?: string } {
  return range === undefined ? {} : { from: new Date(Date.now() - rangeMs(range)).toISOString() };
}
