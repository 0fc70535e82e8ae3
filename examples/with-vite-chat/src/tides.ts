/** A harbour with the times of its tides, which are invented. */
interface Harbour {
  readonly name: string;
  /** Minutes by which its high water is later than that of Falmouth. */
  readonly laterBy: number;
  /** Metres at high and at low water. */
  readonly range: readonly [high: number, low: number];
}

const harbours: readonly Harbour[] = [
  { name: 'Falmouth', laterBy: 0, range: [5.3, 0.6] },
  { name: 'Fowey', laterBy: 12, range: [5.2, 0.6] },
  { name: 'Salcombe', laterBy: 35, range: [5.1, 0.7] },
  { name: 'Dartmouth', laterBy: 52, range: [4.9, 0.6] },
];

export const harbourNames: readonly string[] = harbours.map(({ name }) => name);

/** High or low water. */
export interface Tide {
  readonly kind: 'high' | 'low';
  readonly time: string;
  readonly metres: number;
}

/**
 * The four tides of a day. They come 50 minutes later each day, and low water follows high water
 * after 6 hours and 12 minutes.
 */
export function tidesOf(harbourName: string, date: Date): readonly Tide[] {
  const { laterBy, range } = harbours.find(({ name }) => name === harbourName) ?? { laterBy: 0, range: [5, 0.6] };
  const day = Math.floor(date.getTime() / 86_400_000);
  const first = (day * 50 + laterBy) % 372;
  return [0, 1, 2, 3].map((index) => {
    const minutes = first + index * 372;
    const isHigh = index % 2 === 0;
    return { kind: isHigh ? 'high' : 'low', time: clockTime(minutes), metres: range[isHigh ? 0 : 1] ?? 0 };
  });
}

function clockTime(minutes: number): string {
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `${twoDigits(Math.floor(minutes / 60) % 24)}:${twoDigits(minutes % 60)}`;
}
