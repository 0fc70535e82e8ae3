/** Prints the duration of some work, and the memory of this process after it. */
export async function once(name: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const answer = await work();
  const memory = Math.round(process.memoryUsage().rss / 1_048_576);
  console.log(`${name}: ${Math.round(performance.now() - began)} ms; this process has ${memory} MB`, answer);
}

/** Prints the median and the 99th percentile of the duration of some work. */
export async function latency(name: string, work: () => Promise<unknown>, times: number): Promise<void> {
  for (let time = 0; time < 20; time += 1) await work();
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  took.sort((one, other) => one - other);
  const at = (share: number): string => (took[Math.floor(took.length * share)] ?? 0).toFixed(2);
  console.log(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

/**
 * Prints figures.
 *
 * @param most the limit of each.
 */
export function report(
  name: string,
  figures: Readonly<Record<string, number>>,
  most: Readonly<Record<string, number>> = {},
): void {
  const parts = Object.entries(figures).map(([unit, value]) => {
    const must = most[unit];
    const reached = must === undefined ? '' : ` (must ${must}: ${value <= must ? 'reached' : 'MISSED'})`;
    return `${unit} ${Math.round(value * 10) / 10}${reached}`;
  });
  console.log(`${name}: ${parts.join(', ')}`);
}
