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
}

/** The canvas of a chart. Loaded when the first chart is shown. */
export function Plot({ times, intervalMs, series, format, index, onIndex }: PlotProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const data = [[...times], ...series.map(({ drawn, values }) => [...(drawn ?? values)])] as UPlot.AlignedData;
  const latest = useRef({ data, onIndex, format, end: 0 });
  latest.current = { data, onIndex, format, end: (times.at(-1) ?? 0) + intervalMs };

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
  return <div ref={place} />;
}

function toOptions(
  element: HTMLElement,
  series: readonly ChartSeries[],
  intervalMs: number,
  latest: {
    readonly current: { onIndex: (index: number | undefined) => void; format: (value: number) => string; end: number };
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
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
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
    hooks: { setCursor: [(plot) => latest.current.onIndex(indexAt(plot, intervalMs))] },
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
  const [first] = times;
  if (left < 0 || first === undefined) return undefined;
  const index = Math.floor((plot.posToVal(left, 'x') - first) / intervalMs);
  return index >= 0 && index < times.length ? index : undefined;
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
