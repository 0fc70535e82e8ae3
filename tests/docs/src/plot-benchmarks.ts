/** A scenario whose cost is a multiple of that of bare Fastify. */
interface Bar {
  readonly label: string;
  readonly value: number;
  readonly target: number | undefined;
}

/** The plot of docs/performance.md. @param output what `pnpm bench` has printed */
export function plotBenchmarks(output: string): string {
  return drawBars(readBars(output));
}

/**
 * The rows that the harness prints with a multiple in the column `halyard`, after two spaces or
 * more between columns.
 */
function readBars(output: string): readonly Bar[] {
  return output.split('\n').flatMap((line) => {
    const [, label, rest = ''] = /^(.{31}) +(.+)$/.exec(line) ?? [];
    const [limit, , , halyard = '', must = ''] = rest.trim().split(/\s{2,}/);
    const value = /^([\d.]+) ×$/.exec(halyard)?.[1];
    // Rows without a limit compare Halyard with itself. The start is no cost of a request.
    if (label?.startsWith('start ') === true || label === undefined || value === undefined || limit === '–') return [];
    const target = /^([\d.]+) ×$/.exec(must)?.[1];
    return [{ label: label.trim(), value: Number(value), target: target === undefined ? undefined : Number(target) }];
  });
}

function drawBars(all: readonly Bar[]): string {
  const rowHeight = 44;
  const [left, right, top] = [16, 424, 78];
  const longest = Math.ceil(Math.max(...all.flatMap(({ target = 0, value }) => [value, target])));
  const x = (multiple: number): number => Math.round(left + (multiple / longest) * (right - left));
  const height = top + all.length * rowHeight + 12;
  const rows = all.flatMap(({ label, target, value }, index) => {
    const y = top + index * rowHeight;
    const isMissed = target !== undefined && value > target;
    return [
      `<text x="${left}" y="${y}">${label}</text>`,
      `<rect class="${isMissed ? 'missed' : 'bar'}" x="${left}" y="${y + 7}" width="${x(value) - left}" height="14"/>`,
      ...(target === undefined
        ? []
        : [`<line class="target" x1="${x(target)}" x2="${x(target)}" y1="${y + 3}" y2="${y + 25}"/>`]),
      `<text x="${Math.max(x(value), x(target ?? 0)) + 6}" y="${y + 19}">${value.toFixed(2)}</text>`,
    ];
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 ${height}" width="480" height="${height}" role="img" aria-label="The cost of each scenario as a multiple of bare Fastify, with its target">`,
    '<style>',
    'svg { background: #ffffff; }',
    'text { font: 14px system-ui, sans-serif; fill: #1f2328; }',
    '.title { font-weight: 600; }',
    '.bar { fill: #0b6a83; }',
    '.missed { fill: #b35900; }',
    '.target { stroke: #1f2328; stroke-width: 2; }',
    '@media (prefers-color-scheme: dark) {',
    '  svg { background: #0d1117; }',
    '  text { fill: #e6edf3; }',
    '  .bar { fill: #55c4de; }',
    '  .missed { fill: #f0a24b; }',
    '  .target { stroke: #e6edf3; }',
    '}',
    '</style>',
    `<text class="title" x="${left}" y="24">Cost, as a multiple of bare Fastify</text>`,
    `<text x="${left}" y="44">Line: target. Orange: target missed.</text>`,
    ...rows,
    '</svg>',
  ].join('\n')}\n`;
}
