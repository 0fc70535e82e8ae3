import type { Sample } from './samples.ts';

/** Narrow, with large text: it is shown on phones, too. */
const width = 480;
const panelHeight = 130;
const gap = 46;
const left = 56;
const right = 16;
const top = 40;

interface Panel {
  readonly title: string;
  readonly valueOf: (sample: Sample) => number;
}

const panels: readonly Panel[] = [
  { title: 'Heap after garbage collection (MB)', valueOf: ({ heapMb }) => heapMb },
  { title: 'Resident memory (MB)', valueOf: ({ rssMb }) => rssMb },
  { title: 'Open handles', valueOf: ({ handles }) => handles },
  { title: '99 % of the requests within (ms)', valueOf: ({ p99Ms }) => p99Ms },
];

const style = `
svg { background: #ffffff; }
text { font: 14px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
.grid { stroke: #d0d7de; stroke-width: 1; }
.curve { fill: none; stroke: #0969da; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; }
  .grid { stroke: #30363d; }
  .curve { stroke: #58a6ff; }
}`;

/**
 * Draws the samples of a run as SVG: one panel for each value, over the minutes. Light or dark like
 * the page of the reader.
 */
export function drawCurves(samples: readonly Sample[], caption: string): string {
  const minutes = Math.max(1, (samples.at(-1)?.seconds ?? 0) / 60);
  const height = top + panels.length * (panelHeight + gap);
  const drawn = panels.map((panel, index) =>
    drawPanel(panel, samples, { minutes, y: top + index * (panelHeight + gap) }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${caption}">`,
    `<style>${style}\n</style>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

interface Place {
  readonly y: number;
  readonly minutes: number;
}

function drawPanel({ title, valueOf }: Panel, samples: readonly Sample[], { minutes, y }: Place): string {
  const ticks = ticksUpTo(Math.max(...samples.map(valueOf)));
  const highest = ticks.at(-1) ?? 1;
  const inner = width - left - right;
  const xOf = (minute: number): number => left + (minute / minutes) * inner;
  const yOf = (value: number): number => y + panelHeight - (value / highest) * panelHeight;
  const points = samples.map((sample) => `${xOf(sample.seconds / 60).toFixed(1)},${yOf(valueOf(sample)).toFixed(1)}`);
  const times = ticksUpTo(minutes).filter((minute) => minute <= minutes);
  const bottom = y + panelHeight;
  return [
    `<text class="title" x="${left}" y="${y - 12}">${title}</text>`,
    ...ticks.map(
      (tick) =>
        `<line class="grid" x1="${left}" x2="${width - right}" y1="${yOf(tick)}" y2="${yOf(tick)}"/>` +
        `<text x="${left - 8}" y="${yOf(tick) + 4}" text-anchor="end">${tick}</text>`,
    ),
    ...times.map(
      (minute) => `<text x="${xOf(minute).toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${minute} min</text>`,
    ),
    `<polyline class="curve" points="${points.join(' ')}"/>`,
  ].join('\n');
}

/** Round numbers from 0 to the first one that is not below `highest`: three to seven. */
function ticksUpTo(highest: number): readonly number[] {
  const rough = Math.max(highest, 1e-9) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}
