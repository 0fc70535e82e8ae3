import { median, type Trend, trendOf } from './trend.ts';

/** The figures of one moment, and of the requests that ended since the moment before. */
export interface Sample {
  readonly seconds: number;
  /** After a garbage collection. */
  readonly heapMb: number;
  readonly rssMb: number;
  /** Open sockets, files and similar resources of the process, without timers. */
  readonly handles: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The verdict on a long run. Slopes are per hour. */
export interface Verdict {
  readonly figures: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** The beginning of a run, in which caches, pools and compiled code grow. */
const warmUpShare = 0.2;
/** A heap that certainly grows by less is flat. */
const heapNoiseMbPerHour = 0.5;
/** In a run of a few minutes, caches and compiled code still grow: by this much at most. */
const shortRunMb = 3;
const shortRunHours = 1 / 6;
const handleNoise = 5;
/** A p99 of ten seconds has few requests above it, and other programs share the machine. */
const slowerBy = 2;
const latencyNoiseMs = 20;

/** Decides whether heap, handles and latency were flat after the warm-up. */
export function judge(samples: readonly Sample[]): Verdict {
  const steady = samples.slice(Math.floor(samples.length * warmUpShare));
  const heap = trendOf(steady.map(({ heapMb, seconds }) => ({ x: seconds / 3600, y: heapMb })));
  if (heap === undefined) return { figures: { samples: samples.length }, problems: ['the run was too short'] };

  const third = Math.ceil(steady.length / 3);
  const [first, last] = [steady.slice(0, third), steady.slice(-third)];
  const handles = [median(first.map((one) => one.handles)), median(last.map((one) => one.handles))] as const;
  const p99 = [median(first.map((one) => one.p99Ms)), median(last.map((one) => one.p99Ms))] as const;
  const problems: string[] = [];
  const hours = ((steady.at(-1)?.seconds ?? 0) - (steady[0]?.seconds ?? 0)) / 3_600;
  const allowed = hours < shortRunHours ? shortRunMb / hours : heapNoiseMbPerHour;
  if (heap.low > allowed) problems.push(`the heap grows by ${describe(heap)} MB an hour`);
  if (handles[1] > handles[0] + handleNoise) problems.push(`handles grew from ${handles[0]} to ${handles[1]}`);
  if (p99[1] > p99[0] * slowerBy + latencyNoiseMs) problems.push(`the p99 grew from ${p99[0]} to ${p99[1]} ms`);
  return {
    figures: {
      samples: samples.length,
      heapMb: round(median(last.map((one) => one.heapMb))),
      heapMbPerHour: round(heap.slope),
      heapLow: round(heap.low),
      heapHigh: round(heap.high),
      rssMb: Math.max(...samples.map((one) => one.rssMb)),
      handlesFirst: handles[0],
      handlesLast: handles[1],
      p99FirstMs: p99[0],
      p99LastMs: p99[1],
    },
    problems,
  };
}

/** The samples as comma-separated values, with a line of names. */
export function toCsv(samples: readonly Sample[]): string {
  const names = ['seconds', 'heapMb', 'rssMb', 'handles', 'requests', 'p50Ms', 'p99Ms'] as const;
  return `${[names.join(), ...samples.map((one) => names.map((name) => one[name]).join())].join('\n')}\n`;
}

function describe({ high, low, slope }: Trend): string {
  return `${round(slope)} (95 %: ${round(low)} to ${round(high)})`;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
