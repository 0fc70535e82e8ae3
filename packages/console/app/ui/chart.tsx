import { type KeyboardEvent, lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { classes } from './classes.ts';
import { formatDateTime } from './format.ts';
import styles from './chart.module.css';

export interface ChartSeries {
  readonly name: string;
  /** A token without its dashes: `series-1`, `bad`. */
  readonly color: 'series-1' | 'series-2' | 'series-3' | 'series-4' | 'series-5' | 'series-6' | 'bad';
  readonly look: 'bar' | 'line';
  /** One for each interval; null: nothing to show. */
  readonly values: readonly (number | null)[];
  /**
   * How high it is drawn, where that is not its value: a bar behind another one. Later series cover
   * earlier ones.
   */
  readonly drawn?: readonly (number | null)[];
  /** Beside its name while no interval is chosen. */
  readonly total?: string;
}

interface ChartProps {
  readonly title: string;
  /** Start times of the intervals, in milliseconds. */
  readonly times: readonly number[];
  readonly intervalMs: number;
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** The chosen interval. Charts side by side may share it. */
  readonly index: number | undefined;
  readonly onIndex: (index: number | undefined) => void;
  /** A part of the time was chosen: its start, and its end, which is exclusive. */
  readonly onSpan: (from: number, to: number) => void;
  /** Shows the values as a table instead. */
  readonly isTable?: boolean;
}

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

/**
 * Values over time. The mouse or the arrow keys choose an interval, whose values are read out
 * beside the names; dragging, or the arrow keys with Shift and then Enter, choose several.
 */
export function Chart({
  title,
  times,
  intervalMs,
  series,
  format,
  index,
  onIndex,
  onSpan,
  isTable = false,
}: ChartProps): ReactNode {
  const id = useId();
  const show = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : format(value);
  /** The other end of a span that the keys choose. */
  const [anchor, setAnchor] = useState<number>();
  const time = index === undefined ? undefined : times[index];
  const span =
    anchor === undefined || index === undefined
      ? undefined
      : ([Math.min(anchor, index), Math.max(anchor, index)] as const);
  const start = span === undefined ? undefined : times[span[0]];
  const spanText =
    start === undefined || span === undefined ? '' : `${span[1] - span[0] + 1} times from ${formatDateTime(start)}, `;
  const text =
    time === undefined || index === undefined
      ? undefined
      : `${spanText}${formatDateTime(time)}: ${series.map(({ name, values }) => `${name} ${show(values[index])}`).join(', ')}`;
  const choose = (first: number, last: number): void => {
    const [from, to] = [times[first], times[last]];
    setAnchor(undefined);
    onIndex(undefined);
    if (from !== undefined && to !== undefined) onSpan(from, to + intervalMs);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && index !== undefined) {
      event.preventDefault();
      choose(...(span ?? [index, index]));
      return;
    }
    const next = nextIndex(event.key, index, times.length);
    if (next === false) return;
    event.preventDefault();
    setAnchor(event.shiftKey && next !== undefined ? (anchor ?? index ?? next) : undefined);
    onIndex(next);
  };
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption className={styles.head}>
        <h3 id={id}>{title}</h3>
        <span className={styles.time}>{time !== undefined && !isTable && formatDateTime(time)}</span>
        <ul className={classes(styles.legend, index !== undefined && styles.reading)}>
          {series.map(({ color, look, name, total, values }) => (
            <li key={name} data-color={color} data-look={look}>
              {name} <b>{index === undefined || isTable ? total : show(values[index])}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      {isTable ? (
        <ValueTable title={title} times={times} series={series} show={show} />
      ) : (
        <div
          className={styles.plot}
          role="slider"
          tabIndex={0}
          aria-label={`${title}: the arrow keys choose a time, with Shift several, Enter shows only those`}
          aria-valuemin={0}
          aria-valuemax={times.length - 1}
          aria-valuenow={index ?? 0}
          aria-valuetext={text ?? 'no time chosen'}
          onKeyDown={onKeyDown}
          onBlur={() => {
            setAnchor(undefined);
            onIndex(undefined);
          }}
        >
          <Suspense fallback={<div className={styles.pending} />}>
            <Plot
              times={times}
              intervalMs={intervalMs}
              series={series}
              format={format}
              index={index}
              onIndex={onIndex}
              span={span}
              onSpan={choose}
            />
          </Suspense>
        </div>
      )}
    </figure>
  );
}

function ValueTable({
  title,
  times,
  series,
  show,
}: Pick<ChartProps, 'title' | 'times' | 'series'> & {
  readonly show: (value: number | null | undefined) => string;
}): ReactNode {
  return (
    <div className={styles.values} tabIndex={0} role="region" aria-label={`${title}, values`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, place) => (
            <tr key={time}>
              <th scope="row">{formatDateTime(time)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{show(values[place])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** False: the key has no meaning here. */
function nextIndex(key: string, index: number | undefined, count: number): number | undefined | false {
  const last = count - 1;
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return index === undefined ? last : Math.max(index - 1, 0);
    case 'ArrowRight':
    case 'ArrowUp':
      return index === undefined ? last : Math.min(index + 1, last);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return index === undefined ? false : undefined;
    default:
      return false;
  }
}
