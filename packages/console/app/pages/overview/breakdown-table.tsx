import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCosts, formatCount, formatDuration } from '../../ui/format.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { type Breakdown, type Metrics, type Period, toPeriod } from './use-overview.ts';
import styles from './breakdown-table.module.css';

interface BreakdownTableProps {
  readonly metrics: Metrics;
  readonly by: Breakdown;
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
export function BreakdownTable({ metrics, by }: BreakdownTableProps): ReactNode {
  const { groups, other } = metrics;
  const period = toPeriod(metrics);
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
                <RunsLink by={by} id={group.id} period={period}>
                  {formatCount(group.requests)}
                </RunsLink>
              </td>
              <td data-errors={group.errors > 0}>
                <Outcome by={by} id={group.id} period={period} status="error" count={group.errors} />
              </td>
              <td>
                <Outcome by={by} id={group.id} period={period} status="aborted" count={group.aborted} />
              </td>
              <td>
                <Outcome by={by} id={group.id} period={period} status="refused" count={group.refused} />
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
  readonly period: Period;
  readonly status?: 'ended' | 'error' | 'aborted' | 'refused';
}

/** How many runs ended so. */
function Outcome({ count, ...link }: RunsLinkProps & { readonly count: number }): ReactNode {
  return count === 0 ? '0' : <RunsLink {...link}>{formatCount(count)}</RunsLink>;
}

/** The list has exactly the runs that the number counts. */
function RunsLink({
  by,
  id,
  period,
  status = 'ended',
  children,
}: RunsLinkProps & { readonly children: ReactNode }): ReactNode {
  const filter =
    by === 'user' ? { userId: id, entry: 'true' } : by === 'model' ? { model: id } : { entityType: by, entityId: id };
  return (
    <Link to="/runs" search={{ ...filter, status, ...period }}>
      {children}
    </Link>
  );
}
