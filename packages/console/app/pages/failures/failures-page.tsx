import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMayOperate } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { Button } from '../../ui/button.tsx';
import { causeOf } from '../../ui/cause-of.ts';
import { PeriodSelect } from '../../ui/filters.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { toWindow } from '../../ui/search-params.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Ago } from '../../ui/time.tsx';
import { AgentName } from '../agents/agent-name.tsx';
import { WorkflowName } from '../workflows/workflow-name.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import styles from './failures.module.css';

export type FailureGroup = components['schemas']['FailureGroup'];
type Part = FailureGroup['parts'][number];

const route = getRouteApi('/failures');

/** The failures of a time by their reason, the most frequent first. */
export function FailuresPage(): ReactNode {
  const period = route.useSearch();
  const navigate = route.useNavigate();
  const [retried, setRetried] = useState<FailureGroup>();
  useLiveQueries(['failures']);
  const { data, error, refetch } = useQuery({
    queryKey: ['failures', period],
    queryFn: ({ signal }) =>
      readData(api.GET('/observability/failures', { params: { query: toWindow(period) }, signal })),
    placeholderData: (previous) => previous,
  });
  return (
    <Page
      title="Failures"
      about={data === undefined ? undefined : describeCounts(data.count, data.groups.length)}
      actions={<PeriodSelect value={period} onChange={(next) => void navigate({ search: next, replace: true })} />}
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the failures" />
      ) : data.groups.length === 0 ? (
        <EmptyState title="Nothing has failed">
          In this time, no agent, model, tool or workflow has failed. Runs that were stopped or refused do not count.
        </EmptyState>
      ) : (
        <>
          {!data.isComplete && (
            <p className={styles.note}>There are more: the newest 2,000 failed spans were counted.</p>
          )}
          <ul className={styles.groups} aria-label="Failures by reason">
            {data.groups.map((group) => (
              <Group key={group.reason} group={group} onRetry={() => setRetried(group)} />
            ))}
          </ul>
        </>
      )}
      {retried !== undefined && <RetryDialog group={retried} onClose={() => setRetried(undefined)} />}
    </Page>
  );
}

/** `19, for 3 reasons`. */
function describeCounts(count: number, reasons: number): string {
  return reasons < 2 ? formatCount(count) : `${formatCount(count)}, for ${formatCount(reasons)} reasons`;
}

function Group({ group, onRetry }: { readonly group: FailureGroup; readonly onRetry: () => void }): ReactNode {
  const mayOperate = useMayOperate(undefined);
  const { count, countsOverTime, errorType, executions, lastAt, latest, message, parts } = group;
  return (
    <li className={styles.group}>
      <b className={styles.count}>{formatCount(count)}</b>
      <div className={styles.reason}>
        <Link to="/traces/$traceId" params={{ traceId: latest.traceId }} search={{ span: latest.spanId }}>
          <span title={message} dir="auto">
            {causeOf(message)}
          </span>
        </Link>
        <p>
          {errorType !== null && errorType !== 'Error' && <code>{errorType}</code>}
          {parts.filter(isNamed).map((part) => (
            <PartLink key={`${part.kind} ${part.id}`} part={part} total={count} />
          ))}
          <span>
            last <Ago time={lastAt} />
          </span>
        </p>
      </div>
      <div className={styles.course}>
        <Sparkline values={countsOverTime} isBad />
      </div>
      <div className={styles.action}>
        {executions.length > 0 && mayOperate && (
          <Button icon="retry" onClick={onRetry}>
            Retry {executions.length === 1 ? 'the execution' : `these ${formatCount(executions.length)}`}
          </Button>
        )}
      </div>
    </li>
  );
}

/** A model that is chosen for each run has no name. */
function isNamed({ id, kind }: Part): boolean {
  return kind !== 'model' || id !== 'dynamic';
}

/** What failed; how often, unless all failures of the reason passed through it. */
function PartLink({ part: { count, id, kind }, total }: { readonly part: Part; readonly total: number }): ReactNode {
  const name = (
    <>
      {kind} <b>{kind === 'agent' ? <AgentName id={id} /> : kind === 'workflow' ? <WorkflowName id={id} /> : id}</b>
      {count < total && ` ${formatCount(count)}`}
    </>
  );
  if (kind === 'agent')
    return (
      <Link to="/agents/$agentId" params={{ agentId: id }}>
        {name}
      </Link>
    );
  if (kind === 'tool')
    return (
      <Link to="/tools/$toolName" params={{ toolName: id }}>
        {name}
      </Link>
    );
  if (kind === 'workflow')
    return (
      <Link to="/workflows/$workflowId" params={{ workflowId: id }}>
        {name}
      </Link>
    );
  return (
    <Link to="/runs" search={{ model: id, status: 'error' }}>
      {name}
    </Link>
  );
}
