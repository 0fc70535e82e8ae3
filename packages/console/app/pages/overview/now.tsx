import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCredential } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { causeOf } from '../../ui/cause-of.ts';
import { formatCount } from '../../ui/format.ts';
import { type Period, toSince } from '../../ui/search-params.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { AgentName } from '../agents/agent-name.tsx';
import { approvalKey, useApprovals } from '../approvals/use-approvals.ts';
import { spanPreview } from '../traces/recorded-content.ts';
import { nameOf, wordFor } from '../traces/span-rows.ts';
import { WorkflowName } from '../workflows/workflow-name.tsx';
import styles from './now.module.css';

const shown = 5;
const mostCounted = 100;
const refreshMs = 5_000;

/** Runs, waiting requests and failures: the newest, and those that still run first. */
export function Now({ period }: { readonly period: Period }): ReactNode {
  useLiveQueries(['overview', 'now'], refreshMs);
  const running = useTraces('running', {});
  const latest = useTraces(undefined, {});
  const failed = useTraces('error', period);
  return (
    <div className={styles.now}>
      <List
        title="Latest runs"
        count={latest.data?.total}
        error={running.error ?? latest.error}
        nothing="Nothing has run yet."
        link={
          running.data !== undefined && running.data.total > 0 ? (
            <Link to="/traces" search={{ status: 'running' }}>
              {formatCount(running.data.total)} running
            </Link>
          ) : (
            <Link to="/traces">All runs</Link>
          )
        }
      >
        {runningFirst(running.data?.traces, latest.data?.traces).map((trace) => (
          <TraceItem key={trace.traceId} trace={trace} />
        ))}
      </List>
      <Waiting />
      <List
        title="Latest failures"
        count={failed.data?.total}
        error={failed.error}
        nothing="Nothing has failed in this time."
        link={
          <Link to="/failures" search={{ range: period.range, from: period.from, to: period.to }}>
            By reason
          </Link>
        }
      >
        {failed.data?.traces.map((trace) => (
          <TraceItem key={trace.traceId} trace={trace} />
        ))}
      </List>
    </div>
  );
}

/** A user's token does not open the inbox: it shows the user's executions that wait. */
function Waiting(): ReactNode {
  return useCredential()?.kind === 'token' ? <WaitingExecutions /> : <WaitingApprovals />;
}

function WaitingApprovals(): ReactNode {
  const { data, error } = useApprovals();
  return (
    <List
      title="Waiting for a person"
      count={data?.approvals.length}
      isMore={data?.hasMore === true}
      error={error}
      nothing="No request waits for an answer."
      link={<Link to="/approvals">Answer them</Link>}
    >
      {data?.approvals.slice(0, shown).map((approval) => {
        const { agentId, reason, requestedAt, toolName, workflowId } = approval;
        return (
          <li key={approvalKey(approval)}>
            <StateMark state="waiting" isShort />
            <Link to="/approvals" search={{ id: approvalKey(approval) }}>
              {toolName ?? (workflowId !== null && <WorkflowName id={workflowId} />)}
            </Link>
            <span className={styles.why} dir="auto">
              {toolName === null || agentId === null ? (
                reason
              ) : (
                <>
                  asked by <AgentName id={agentId} />
                </>
              )}
            </span>
            <Ago time={requestedAt} />
          </li>
        );
      })}
    </List>
  );
}

function WaitingExecutions(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['overview', 'now', 'waiting'],
    queryFn: ({ signal }) =>
      readData(
        api.GET('/workflows/executions', { params: { query: { status: 'suspended', limit: mostCounted } }, signal }),
      ),
  });
  return (
    <List
      title="Waiting for a person"
      count={data?.length}
      isMore={data?.length === mostCounted}
      error={error}
      nothing="No request waits for an answer."
      link={
        <Link to="/executions" search={{ status: 'suspended' }}>
          All that wait
        </Link>
      }
    >
      {data?.slice(0, shown).map(({ id, suspension, updatedAt, workflowId, workflowName }) => (
        <li key={id}>
          <StateMark state="waiting" isShort />
          <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId: id }}>
            {workflowName}
          </Link>
          <span className={styles.why} dir="auto">
            {suspension?.reason}
          </span>
          <Ago time={suspension?.suspendedAt ?? updatedAt} />
        </li>
      ))}
    </List>
  );
}

function useTraces(status: 'running' | 'error' | undefined, { from, range, to }: Period) {
  return useQuery({
    queryKey: ['overview', 'now', status, range, from, to],
    queryFn: ({ signal }) => {
      const since = from === undefined || to === undefined ? toSince(range) : { from, to };
      const query = { ...since, ...(status && { status }), limit: shown };
      return readData(api.GET('/observability/traces', { params: { query }, signal }));
    },
  });
}

type Trace = NonNullable<ReturnType<typeof useTraces>['data']>['traces'][number];

function runningFirst(running: readonly Trace[] = [], latest: readonly Trace[] = []): readonly Trace[] {
  return [...new Map([...running, ...latest].map((trace) => [trace.traceId, trace])).values()].slice(0, shown);
}

function TraceItem({ trace: { failure, rootSpan, startTime, status, traceId } }: { readonly trace: Trace }): ReactNode {
  const reason = failure?.message ?? rootSpan.status.message;
  return (
    <li>
      <StateMark state={status} word={wordFor(status, rootSpan.attributes['error.type'])} isShort />
      <Link to="/traces/$traceId" params={{ traceId }}>
        {nameOf(rootSpan)}
      </Link>
      <span className={styles.why} title={reason} dir="auto">
        {reason === undefined ? spanPreview(rootSpan) : causeOf(reason)}
      </span>
      <Ago time={startTime} />
    </li>
  );
}

function List({
  title,
  count,
  isMore = false,
  error,
  nothing,
  link,
  children,
}: {
  readonly title: string;
  readonly count: number | undefined;
  readonly isMore?: boolean;
  readonly error: Error | null;
  readonly nothing: string;
  readonly link: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className={styles.list}>
      <header>
        <h2>{title}</h2>
        <span className={styles.count}>{count !== undefined && `${formatCount(count)}${isMore ? '+' : ''}`}</span>
        {count !== undefined && count > 0 && link}
      </header>
      {error !== null ? <p role="alert">{error.message}</p> : count === 0 ? <p>{nothing}</p> : <ul>{children}</ul>}
    </section>
  );
}
