import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { classes } from '../../ui/classes.ts';
import { shortId } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { describe } from '../executions/describe-record.ts';
import { stateOf } from '../executions/execution-filter.ts';
import { latestRunsQuery } from '../executions/read-execution.ts';
import { toRunTree } from './run-tree.ts';
import styles from './run-rail.module.css';

const mostDepth = 3;

/** The latest runs of a workflow, live, with replays below the run that they repeat. */
export function RunRail({
  shown,
  workflowId,
}: {
  readonly workflowId: string;
  /** The runs that the page shows: none, one, or two that are compared. */
  readonly shown: readonly string[];
}): ReactNode {
  useLiveQueries(['executions', 'latest', workflowId]);
  const { data } = useQuery(latestRunsQuery(workflowId));
  const runs = useMemo(() => toRunTree(data ?? []), [data]);
  const [left] = shown;
  const list = useRef<HTMLOListElement>(null);
  const isRead = data !== undefined;
  useEffect(() => {
    if (isRead) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [left, isRead]);
  return (
    <nav className={styles.rail} aria-label="Runs">
      <header>
        <h2>Runs</h2>
        <Link to="/executions" search={{ workflowId }} aria-label="All executions">
          All
        </Link>
      </header>
      {data?.length === 0 && <p className={styles.none}>It has not run yet.</p>}
      <ol ref={list}>
        {runs.map(({ depth, run }) => (
          <li
            key={run.id}
            className={classes(styles.run, depth > 0 && styles.replay, shown.includes(run.id) && styles.shown)}
            style={{ '--depth': Math.min(depth, mostDepth) } as CSSProperties}
          >
            <Link
              to="/executions/$workflowId/$executionId"
              params={{ workflowId, executionId: run.id }}
              search={(current) => ({ tab: current.tab })}
              aria-current={shown.includes(run.id) ? 'page' : undefined}
              title={run.id}
            >
              <span className={styles.name}>
                <StateMark state={stateOf(run)} isShort />
                <code>{shortId(run.id)}</code>
              </span>
              <Ago time={run.createdAt} />
              <small dir="auto">{describe(run) || (depth > 0 ? 'replay' : run.userId)}</small>
            </Link>
            {left !== undefined && !shown.includes(run.id) && (
              <Link
                to="/compare/$workflowId"
                params={{ workflowId }}
                search={{ left, right: run.id }}
                className={styles.compare}
                aria-label={`Compare ${shortId(left)} with ${shortId(run.id)}`}
                title="Compare with the run that is open"
              >
                <Icon name="compare" />
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
