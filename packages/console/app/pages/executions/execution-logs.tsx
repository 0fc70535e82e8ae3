import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterToggle } from '../../ui/filters.tsx';
import { formatClock } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import styles from './execution.module.css';

type LogEntry = components['schemas']['LogEntry'];

const columns: readonly Column<LogEntry>[] = [
  { name: 'Time', width: '6rem', cell: ({ timestamp }) => formatClock(timestamp) },
  { name: 'Level', width: '4rem', cell: ({ level }) => level },
  { name: 'Message', width: 'minmax(10rem, 3fr)', cell: ({ msg }) => <span title={msg}>{msg}</span> },
  {
    name: 'Trace',
    width: '6rem',
    isSecondary: true,
    cell: ({ traceId }) =>
      traceId === undefined ? (
        '–'
      ) : (
        <Link to="/traces/$traceId" params={{ traceId }}>
          {traceId.slice(0, 8)}
        </Link>
      ),
  },
];

/** The lines that the server has logged for an execution, newest first. */
export function ExecutionLogs({ executionId }: { readonly executionId: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['executions', 'one', executionId, 'logs'],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/logs', { params: { query: { executionId, limit: 1_000 } }, signal })),
  });
  const [hasRequests, setRequests] = useState(false);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the logs" />;
  const lines = hasRequests ? data : data.filter((line) => !isRequest(line));
  const requests = data.length - lines.length;
  const toggle = (hasRequests || requests > 0) && (
    <div className={styles.logBar}>
      <FilterToggle isOn={hasRequests} onChange={setRequests}>
        Requests about it
      </FilterToggle>
    </div>
  );
  if (lines.length === 0)
    return (
      <>
        {toggle}
        <EmptyState title="No line was logged">
          Steps log with their logger: <code>{"execute: ({ logger }) => logger.info('…')"}</code>
        </EmptyState>
      </>
    );
  return (
    <>
      {toggle}
      <div className={styles.list}>
        <DataTable
          label="Log lines"
          columns={columns}
          rows={lines}
          rowKey={({ msg, timestamp }) => `${timestamp} ${msg}`}
          total={lines.length}
        />
      </div>
    </>
  );
}

/** A line of the server about a request, such as those of this console. */
function isRequest(line: LogEntry): boolean {
  return 'route' in line;
}
