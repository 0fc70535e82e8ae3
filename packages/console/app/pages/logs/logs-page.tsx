import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FilterSelect, FilterToggle, SearchField } from '../../ui/filters.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { LogLines } from './log-lines.tsx';
import { type LogEntry, useLogTail, useTraceLogs } from './use-log-tail.ts';

const route = getRouteApi('/logs');
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** The log of the server as it is written, or the lines of one trace. */
export function LogsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: Partial<typeof search>): void => {
    void navigate({ search: { ...search, ...changed }, replace: true });
  };
  const { level, q, traceId } = search;
  const [isPaused, setPaused] = useState(false);
  const hasConsole = search.console === 'shown';
  const tail = useLogTail({ level, text: q, hasConsole }, isPaused);
  const ofTrace = useTraceLogs(traceId);
  const all = traceId === undefined ? tail.lines : ofTrace.lines;
  // The server has searched the others.
  const lines = useMemo(
    () => (traceId === undefined ? tail.lines : (ofTrace.lines ?? []).filter((line) => matches(line, q))),
    [ofTrace.lines, q, tail.lines, traceId],
  );
  return (
    <Page
      title="Logs"
      about={formatCount(lines.length)}
      isFilled
      actions={
        traceId === undefined ? (
          <Button icon={isPaused ? 'play' : 'pause'} onClick={() => setPaused(!isPaused)}>
            {isPaused ? `Continue${tail.heldBack === 0 ? '' : ` (${formatCount(tail.heldBack)} new)`}` : 'Pause'}
          </Button>
        ) : (
          <Button onClick={() => change({ traceId: undefined })}>Show all lines</Button>
        )
      }
      bar={
        <>
          <FilterSelect
            label="Level"
            value={level}
            options={levels.map((each) => ({ value: each, name: `${each} and above` }))}
            onChange={(next) => change({ level: next })}
          />
          <SearchField label="Search in messages and fields" value={q} onChange={(next) => change({ q: next })} />
          {traceId === undefined && (
            <FilterToggle isOn={hasConsole} onChange={(isOn) => change({ console: isOn ? 'shown' : undefined })}>
              Console requests
            </FilterToggle>
          )}
          {traceId !== undefined && (
            <span>
              Lines of{' '}
              <Link to="/traces/$traceId" params={{ traceId }}>
                trace {traceId.slice(0, 8)}
              </Link>
            </span>
          )}
        </>
      }
    >
      {ofTrace.error !== null ? (
        <ErrorState error={ofTrace.error} />
      ) : all === undefined || (tail.state === 'connecting' && all.length === 0) ? (
        <Loading what="the log" />
      ) : lines.length === 0 ? (
        <EmptyState
          title={q === undefined && level === undefined ? 'Nothing has been logged yet' : 'No line matches'}
          {...(q === undefined && { snippet: loggerOption })}
        >
          {q === undefined
            ? 'Lines below the log level of the server are neither shown nor stored. In production it is warn by default:'
            : traceId === undefined
              ? 'The search covers the newest 10,000 stored lines of this level, and those that arrive.'
              : 'The search covers the lines of this trace.'}
        </EmptyState>
      ) : (
        <LogLines lines={lines} isFollowing={!isPaused && traceId === undefined} />
      )}
    </Page>
  );
}

const loggerOption = `createServer({ logger: 'info', … })`;

function matches(line: LogEntry, query: string | undefined): boolean {
  return query === undefined || JSON.stringify(line).toLowerCase().includes(query.toLowerCase());
}
