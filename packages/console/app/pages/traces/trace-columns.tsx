import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { components } from '../../api/schema.ts';
import { causeOf } from '../../ui/cause-of.ts';
import type { Column } from '../../ui/data-table.tsx';
import { formatCost, formatCount, formatDuration } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { spanPreview } from './recorded-content.ts';
import { nameOf, type Span, wordFor } from './span-rows.ts';
import type { TraceFilters } from './trace-search.ts';

type TraceSummary = components['schemas']['TraceSummary'];

const columns: readonly Column<TraceSummary>[] = [
  {
    name: 'Status',
    width: '5.5rem',
    cell: ({ rootSpan, status }) => (
      <StateMark state={status} word={wordFor(status, rootSpan.attributes['error.type'])} />
    ),
  },
  {
    name: 'Input, or reason of the failure',
    width: 'minmax(8rem, 3fr)',
    below: 'narrow',
    cell: ({ failure, rootSpan }) =>
      failure === undefined ? (
        <span dir="auto">{spanPreview(rootSpan) ?? '–'}</span>
      ) : (
        <span title={failure.message} dir="auto">
          {causeOf(failure.message)}
        </span>
      ),
  },
  { name: 'User', width: 'minmax(5rem, 1fr)', isSecondary: true, cell: ({ rootSpan }) => readUser(rootSpan) ?? '–' },
  { name: 'Models', width: 'minmax(6rem, 1fr)', isSecondary: true, cell: ({ models }) => models.join(', ') || '–' },
  {
    name: 'Feedback',
    width: '5.5rem',
    isSecondary: true,
    cell: ({ feedback }) => (feedback === undefined ? '–' : describeRatings(feedback)),
  },
  number('Spans', '4.5rem', ({ spanCount }) => formatCount(spanCount)),
  number('Tokens', '5.5rem', ({ inputTokens, outputTokens }) =>
    inputTokens + outputTokens === 0 ? '–' : formatCount(inputTokens + outputTokens),
  ),
  number('Cost', '5.5rem', ({ cost }) => (cost === null ? '–' : formatCost(cost))),
  number('Duration', '6rem', ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs))),
  { name: 'Started', width: '5.5rem', isNumber: true, cell: ({ startTime }) => <Ago time={startTime} /> },
];

function runColumn(filters: TraceFilters): Column<TraceSummary> {
  return {
    name: 'Run',
    width: 'minmax(8rem, 2fr)',
    cell: ({ rootSpan, traceId }) => (
      <Link to="/traces/$traceId" params={{ traceId }} search={filters}>
        {nameOf(rootSpan)}
      </Link>
    ),
  };
}

function number(name: string, width: string, cell: (trace: TraceSummary) => ReactNode): Column<TraceSummary> {
  return { name, width, cell, isNumber: true, isSecondary: true };
}

/** `👍`, `👍 2 👎`. */
function describeRatings({ down, up }: NonNullable<TraceSummary['feedback']>): string {
  const counts = [
    ['👍', up],
    ['👎', down],
  ] as const;
  return counts
    .filter(([, count]) => count > 0)
    .map(([sign, count]) => (count === 1 ? sign : `${sign} ${formatCount(count)}`))
    .join(' ');
}

function readUser({ attributes }: Span): string | undefined {
  const id = attributes['user.id'];
  return typeof id === 'string' ? id : undefined;
}

const optional = columns.filter(({ isSecondary }) => isSecondary === true).map(({ name }) => name);
const hiddenAtFirst = ['Models', 'Spans'];
const storageKey = 'halyard.traces.hidden-columns';

/**
 * The columns that the person has chosen, which this browser remembers, and the menu to choose.
 *
 * @param filters passed on to each trace.
 */
export function useTraceColumns(filters: TraceFilters): {
  readonly columns: readonly Column<TraceSummary>[];
  readonly menu: ReactNode;
} {
  const [hidden, setHidden] = useState(readHidden);
  const toggle = (name: string): void => {
    const next = hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name];
    localStorage.setItem(storageKey, next.join());
    setHidden(next);
  };
  return {
    columns: [runColumn(filters), ...columns.filter(({ name }) => !hidden.includes(name))],
    menu: (
      <Menu label="Columns">
        {optional.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={!hidden.includes(name)} onChange={() => toggle(name)} />
            {name}
          </label>
        ))}
      </Menu>
    ),
  };
}

function readHidden(): readonly string[] {
  return localStorage.getItem(storageKey)?.split(',') ?? hiddenAtFirst;
}
