import type { ReactNode } from 'react';

interface Tide {
  readonly kind: 'high' | 'low';
  readonly time: string;
  readonly metres: number;
}

interface TideCurveProps {
  readonly harbour: string;
  readonly tides: readonly Tide[];
}

const width = 480;
const height = 96;

/** The tides of a day as a curve between high and low water. */
export function TideCurve({ harbour, tides }: TideCurveProps): ReactNode {
  const points = tides.map((tide, index) => ({
    ...tide,
    x: ((index + 0.5) * width) / tides.length,
    y: tide.kind === 'high' ? 22 : height - 22,
  }));
  const summary = tides.map(({ kind, metres, time }) => `${kind} water ${time}, ${metres} m`).join('; ');
  return (
    <figure className="tides">
      <figcaption>
        {harbour}, <span>tides today</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary}>
        <path className="water" d={`${curveThrough(points)} V${height} H0 Z`} />
        <path className="surface" d={curveThrough(points)} />
        {points.map(({ time, x, y }) => (
          <circle key={time} cx={x} cy={y} r="3.5" />
        ))}
      </svg>
      <ol aria-hidden="true">
        {points.map(({ kind, metres, time }) => (
          <li key={time} data-kind={kind}>
            <b>{time}</b> {metres} m
          </li>
        ))}
      </ol>
    </figure>
  );
}

/** Flat at each high and low water. It begins and ends halfway to the neighbouring tide. */
function curveThrough(points: readonly { readonly x: number; readonly y: number }[]): string {
  const step = points.length === 0 ? width : width / points.length;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `M0 ${height / 2} H${width}`;
  const all = [{ x: first.x - step, y: height - first.y }, ...points, { x: last.x + step, y: height - last.y }];
  return all
    .map(({ x, y }, index) => {
      const before = all[index - 1];
      return before === undefined ? `M${x} ${y}` : `C${x - step / 2} ${before.y} ${x - step / 2} ${y} ${x} ${y}`;
    })
    .join(' ');
}
