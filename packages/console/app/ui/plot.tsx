import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useRef } from 'react';
import UPlot from 'uplot';
import type { ChartSeries } from './chart.tsx';

const height = 148;

interface PlotProps {
  /** Start times of the intervals. */
  readonly times: readonly number[];
  readonly intervalMs: number;
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly index: number | undefined;
  readonly onIndex: (index: number | undefined) => void;
  /** The first and the last interval that are marked. */
  readonly span: readonly [first: number, last: number] | undefined;
  /** Intervals were marked by dragging. */
  readonly onSpan: (first: number, last: number) => void;
}

/** The canvas of a chart. Loaded when the first chart is shown. */
export function Plot({ times, intervalMs, series, format, index, onIndex, span, onSpan }: PlotProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const data = [[...times], ...series.map(({ drawn, values }) => [...(drawn ?? values)])] as UPlot.AlignedData;
  const latest = useRef({ data, onIndex, onSpan, format, end: 0 });
  latest.current = { data, onIndex, onSpan, format, end: (times.at(-1) ?? 0) + intervalMs };

  // Only another look needs another plot; other data do not.
  const look = JSON.stringify([series.map(({ color, look: each, name }) => [name, color, each]), intervalMs]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new UPlot(toOptions(element, series, intervalMs, latest), latest.current.data, element);
    };
    draw();
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    const themes = new MutationObserver(draw);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', draw);
    return () => {
      observer.disconnect();
      themes.disconnect();
      system.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [look]);

  const json = JSON.stringify(data);
  useEffect(() => plot.current?.setData(latest.current.data), [json]);
  useEffect(() => {
    const current = plot.current;
    if (current === undefined) return;
    const time = index === undefined ? undefined : times[index];
    const left = time === undefined ? -10 : current.valToPos(time + intervalMs / 2, 'x');
    if (Math.abs((current.cursor.left ?? -10) - left) > 1 && indexAt(current, intervalMs) !== index)
      current.setCursor({ left, top: time === undefined ? -10 : 1 }, false);
  }, [index, intervalMs, times]);
  const [from, to] = span === undefined ? [] : [times[span[0]], times[span[1]]];
  useEffect(() => {
    const current = plot.current;
    if (current === undefined) return;
    const left = from === undefined ? 0 : current.valToPos(from, 'x');
    const width = to === undefined ? 0 : current.valToPos(to + intervalMs, 'x') - left;
    current.setSelect({ left, top: 0, width, height: current.over.clientHeight }, false);
  }, [from, to, intervalMs]);
  return <div ref={place} />;
}

function toOptions(
  element: HTMLElement,
  series: readonly ChartSeries[],
  intervalMs: number,
  latest: {
    readonly current: Pick<PlotProps, 'format' | 'onIndex' | 'onSpan'> & { readonly end: number };
  },
): UPlot.Options {
  const color = readColors(element);
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: color('--faint'), font, ticks: { show: false } };
  const bars = UPlot.paths.bars?.({ size: [0.82, 28], align: 1 });
  return {
    width: element.clientWidth,
    height,
    ms: 1,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 5 } },
    scales: {
      x: { time: true, range: (plot) => [plot.data[0][0] ?? 0, latest.current.end] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 6,
        space: 64,
        grid: { show: false },
        values: (plot, splits, _axis, _space, step) =>
          splits.map((split) => (isCut(plot, split) ? '' : toTick(split, step))),
      },
      {
        ...axis,
        size: 52,
        gap: 6,
        space: 32,
        grid: { stroke: color('--line'), width: 1 },
        values: (_plot, splits) =>
          splits.map((split) => (split === 0 ? '0' : latest.current.format(split).replace(/\.00$/, ''))),
      },
    ],
    series: [
      {},
      ...series.map(({ color: name, look }): UPlot.Series => {
        const stroke = color(`--${name}`);
        return look === 'bar'
          ? { fill: stroke, stroke, width: 0, points: { show: false }, ...(bars && { paths: bars }) }
          : { stroke, width: 2, points: { show: false }, paths: toSteps(intervalMs) };
      }),
    ],
    hooks: {
      setCursor: [(plot) => latest.current.onIndex(indexAt(plot, intervalMs))],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width <= 0) return;
          const [first, last] = [left, left + width].map((at) => nearestIndex(plot, at, intervalMs));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (first !== undefined && last !== undefined) latest.current.onSpan(first, last);
        },
      ],
    },
  };
}

/**
 * A level line for each interval, also for one whose neighbours have no value, which a line from
 * point to point would leave out.
 */
function toSteps(intervalMs: number): UPlot.Series.PathBuilder {
  return (plot, index, first, last) => {
    const stroke = new Path2D();
    const [times] = plot.data;
    let isOpen = false;
    for (let place = first; place <= last; place += 1) {
      const [time, value] = [times[place], plot.data[index]?.[place]];
      const hasValue = time !== undefined && value !== null && value !== undefined;
      if (hasValue) {
        const [left, top] = [plot.valToPos(time, 'x', true), plot.valToPos(value, 'y', true)];
        if (isOpen) stroke.lineTo(left, top);
        else stroke.moveTo(left, top);
        stroke.lineTo(plot.valToPos(time + intervalMs, 'x', true), top);
      }
      isOpen = hasValue;
    }
    return { stroke };
  };
}

/** The interval under the cursor. */
function indexAt(plot: UPlot, intervalMs: number): number | undefined {
  const { left = -1 } = plot.cursor;
  const [times] = plot.data;
  if (left < 0) return undefined;
  const index = placeOf(plot, left, intervalMs);
  return index >= 0 && index < times.length ? index : undefined;
}

/** The interval at a place: of one beyond the ends, the first or the last. */
function nearestIndex(plot: UPlot, left: number, intervalMs: number): number {
  return Math.max(0, Math.min(placeOf(plot, left, intervalMs), plot.data[0].length - 1));
}

function placeOf(plot: UPlot, left: number, intervalMs: number): number {
  return Math.floor((plot.posToVal(left, 'x') - (plot.data[0][0] ?? 0)) / intervalMs);
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Whether the end of the chart would cut the label of a time. */
function isCut(plot: UPlot, time: number): boolean {
  return plot.valToPos(time, 'x') > plot.over.clientWidth - 16;
}

/** The day at midnight, else the time. */
function toTick(time: number, step: number): string {
  const at = new Date(time);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  return isMidnight || step >= 86_400_000 ? date.format(at) : clock.format(at);
}

/** Resolves tokens, which depend on the theme, to colours that a canvas understands. */
function readColors(element: HTMLElement): (token: string) => string {
  return (token) => {
    const before = element.style.color;
    element.style.color = `var(${token})`;
    const { color } = getComputedStyle(element);
    element.style.color = before;
    return color;
  };
}
