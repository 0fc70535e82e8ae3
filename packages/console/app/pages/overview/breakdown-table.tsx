import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCosts, formatCount, formatDuration } from '../../ui/format.ts';
import type { TimeRange } from '../../ui/search-params.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import type { Breakdown, Metrics } from './use-overview.ts';
import styles from './breakdown-table.module.css';

interface BreakdownTableProps {
  readonly metrics: Metrics;
  readonly by: Breakdown;
  readonly range: TimeRange;
}

const nothing: Record<Breakdown, string> = {
  agent: 'No agent has run in this time.',
  workflow: 'No workflow has run in this time.',
  model: 'No model was called in this time.',
  user: 'No run of this time belongs to a user.',
};

/**
 * The groups with the most requests, and all others together. Names lead to what they name, numbers
 * to the runs that they count.
 */
export function BreakdownTable({ metrics: { groups, other }, by, range }: BreakdownTableProps): ReactNode {
  if (groups.length === 0) return <p className={styles.nothing}>{nothing[by]}</p>;
  return (
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={`By ${by}`}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{by[0]?.toUpperCase() + by.slice(1)}</th>
            <th scope="col" className={styles.course}>
              <span className={styles.spoken}>Course</span>
            </th>
            <th scope="col">{by === 'model' ? 'Calls' : 'Requests'}</th>
            <th scope="col">Errors</th>
            <th scope="col">Aborted</th>
            <th scope="col">Refused</th>
            <th scope="col">Median</th>
            <th scope="col">p95</th>
            <th scope="col">Input tokens</th>
            <th scope="col">Output tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.id}>
              <th scope="row">
                <NameLink by={by} id={group.id} />
              </th>
              <td className={styles.course}>
                <Sparkline values={group.requestsOverTime} />
              </td>
              <td>
                <RunsLink by={by} id={group.id} range={range}>
                  {formatCount(group.requests)}
                </RunsLink>
              </td>
              <td data-errors={group.errors > 0}>
                <Outcome by={by} id={group.id} range={range} status="error" count={group.errors} />
              </td>
              <td>
                <Outcome by={by} id={group.id} range={range} status="aborted" count={group.aborted} />
              </td>
              <td>
                <Outcome by={by} id={group.id} range={range} status="refused" count={group.refused} />
              </td>
              <td>{group.p50Ms === null ? '–' : formatDuration(group.p50Ms)}</td>
              <td>{group.p95Ms === null ? '–' : formatDuration(group.p95Ms)}</td>
              <td>{formatCount(group.inputTokens)}</td>
              <td>{formatCount(group.outputTokens)}</td>
              <td>{formatCosts(group)}</td>
            </tr>
          ))}
          {other !== null && (
            <tr className={styles.other}>
              <th scope="row">all others</th>
              <td className={styles.course} />
              <td>{formatCount(other.requests)}</td>
              <td>{formatCount(other.errors)}</td>
              <td>{formatCount(other.aborted)}</td>
              <td>{formatCount(other.refused)}</td>
              <td>–</td>
              <td>–</td>
              <td>{formatCount(other.inputTokens)}</td>
              <td>{formatCount(other.outputTokens)}</td>
              <td>{formatCosts(other)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function NameLink({ by, id }: { readonly by: Breakdown; readonly id: string }): ReactNode {
  if (by === 'agent')
    return (
      <Link to="/agents/$agentId" params={{ agentId: id }}>
        {id}
      </Link>
    );
  if (by === 'workflow')
    return (
      <Link to="/workflows/$workflowId" params={{ workflowId: id }}>
        {id}
      </Link>
    );
  if (by === 'user')
    return (
      <Link to="/users/$userId" params={{ userId: id }}>
        {id}
      </Link>
    );
  return id;
}

interface RunsLinkProps {
  readonly by: Breakdown;
  readonly id: string;
  readonly range: TimeRange;
  readonly status?: 'error' | 'aborted' | 'refused';
}

/** How many runs ended so. */
function Outcome({ count, ...link }: RunsLinkProps & { readonly count: number }): ReactNode {
  return count === 0 ? '0' : <RunsLink {...link}>{formatCount(count)}</RunsLink>;
}

function RunsLink({
  by,
  id,
  range,
  status: ended,
  children,
}: RunsLinkProps & { readonly children: ReactNode }): ReactNode {
  const status = ended === undefined ? {} : { status: ended };
  // An execution that was aborted is cancelled. Those that were refused have not begun.
  if (by === 'workflow' && ended !== 'refused')
    return (
      <Link
        to="/executions"
        search={{ range, workflowId: id, ...(ended === 'aborted' ? { status: 'cancelled' } : status) }}
      >
        {children}
      </Link>
    );
  const filter =
    by === 'agent' || by === 'workflow' ? { entityType: by, entityId: id } : by === 'user' ? { userId: id } : { q: id };
  return (
    <Link to="/traces" search={{ range, ...filter, ...status }}>
      {children}
    </Link>
  );
}
