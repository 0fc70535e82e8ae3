import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDateTime, shortId } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { AgentName } from '../agents/agent-name.tsx';
import { WorkflowName } from '../workflows/workflow-name.tsx';
import { type AuditRecord, type AuditSearch, useAudit } from './use-audit.ts';
import styles from './audit.module.css';

/** The records that match, newest first. */
export function AuditList({ search, empty }: { readonly search: AuditSearch; readonly empty: string }): ReactNode {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } = useAudit(search);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading what="the audit trail" />;
  const records = data.pages.flatMap((page) => page.records);
  if (records.length === 0)
    return <EmptyState title={empty}>Decisions, changes, exports and reads of operators are recorded.</EmptyState>;
  return (
    <>
      <ol className={styles.list} aria-label="Records, newest first">
        {records.map((record) => (
          <AuditEntry key={record.id} record={record} />
        ))}
      </ol>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show earlier records
        </Button>
      )}
    </>
  );
}

function AuditEntry({ record }: { readonly record: AuditRecord }): ReactNode {
  const { action, actor, at, detail, id, outcome, target } = record;
  return (
    <li className={styles.entry}>
      <div className={styles.line}>
        <Link to="/audit" search={{ action }} title={`Only ${action}`}>
          <code>{action}</code>
        </Link>
        <span>
          by{' '}
          {actor.userId === null ? (
            channels[actor.channel]
          ) : (
            <Link to="/audit" search={{ actor: actor.userId }} title={`Only ${actor.userId}`}>
              {actor.userId}
            </Link>
          )}
        </span>
        <Ago time={at} />
        <Outcome outcome={outcome} />
      </div>
      <div className={styles.targets}>
        {linksOf(target).map(([name, link], index) => (
          <Fragment key={name}>
            {index > 0 && ' · '}
            {name} {link}
          </Fragment>
        ))}
      </div>
      <details>
        <summary>
          Details<span className={styles.hidden}> of {id}</span>
        </summary>
        <Facts
          facts={{
            Time: formatDateTime(at),
            User: actor.userId ?? 'none',
            Roles: actor.roles.length > 0 && actor.roles.join(', '),
            Tenant: actor.tenantId ?? undefined,
            With: channels[actor.channel],
            Address: <code>{actor.address}</code>,
            Record: <code>{id}</code>,
          }}
        />
        {detail !== undefined && <JsonView label={`details of ${action}`} value={detail} depth={3} />}
      </details>
    </li>
  );
}

function Outcome({ outcome }: Pick<AuditRecord, 'outcome'>): ReactNode {
  if (outcome === null) return <span>no outcome yet</span>;
  if (outcome.errorCode === null) return <StateMark state="success" />;
  return (
    <span className={styles.failed}>
      <StateMark state="refused" /> <code>{outcome.errorCode}</code>
    </span>
  );
}

const channels: Readonly<Record<AuditRecord['actor']['channel'], string>> = {
  token: 'a token',
  'console-key': 'the console key',
  link: 'an answer link',
  webhook: 'a webhook',
  open: 'no credential',
  server: 'the server',
};

/** What a record is about. An execution without its workflow has no page: the link filters. */
function linksOf({
  agentId,
  approvalId,
  bulkId,
  conversationId,
  executionId,
  userId,
  workflowId,
}: AuditRecord['target']): readonly (readonly [name: string, link: ReactNode])[] {
  const links: (readonly [string, ReactNode])[] = [];
  if (executionId !== undefined)
    links.push([
      'execution',
      workflowId === undefined ? (
        <Link to="/audit" search={{ target: executionId }}>
          <code>{shortId(executionId)}</code>
        </Link>
      ) : (
        <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId }}>
          <code>{shortId(executionId)}</code>
        </Link>
      ),
    ]);
  if (workflowId !== undefined)
    links.push([
      'workflow',
      <Link to="/workflows/$workflowId" params={{ workflowId }}>
        <WorkflowName id={workflowId} />
      </Link>,
    ]);
  if (conversationId !== undefined)
    links.push([
      'conversation',
      <Link
        to="/conversations/$conversationId"
        params={{ conversationId }}
        search={agentId === undefined ? {} : { agentId }}
      >
        <code>{shortId(conversationId)}</code>
      </Link>,
    ]);
  if (agentId !== undefined)
    links.push([
      'agent',
      <Link to="/agents/$agentId" params={{ agentId }}>
        <AgentName id={agentId} />
      </Link>,
    ]);
  if (userId !== undefined)
    links.push([
      'user',
      <Link to="/users/$userId" params={{ userId }}>
        {userId}
      </Link>,
    ]);
  if (bulkId !== undefined)
    links.push([
      'operation',
      <Link to="/executions" search={{ bulk: bulkId }}>
        <code>{shortId(bulkId)}</code>
      </Link>,
    ]);
  if (approvalId !== undefined)
    links.push([
      'request',
      <Link to="/audit" search={{ target: approvalId }}>
        <code>{shortId(approvalId)}</code>
      </Link>,
    ]);
  return links;
}
