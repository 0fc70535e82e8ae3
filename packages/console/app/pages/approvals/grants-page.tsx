import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { consoleLevel, isUser, useMayOperate } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount, formatDateTime, shortId } from '../../ui/format.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { notify } from '../../ui/toast.tsx';
import styles from './approvals.module.css';

type Grant = components['schemas']['ApprovalGrant'];

const listKey = ['approval-grants'] as const;

/** The calls that people have approved in advance. */
export function GrantsPage(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) =>
      isUser()
        ? readData(api.GET('/api/approvals/grants', { signal }))
        : readData(api.GET('/approvals/grants', { signal })),
    refetchInterval: 5_000,
  });
  return (
    <Page
      title="Approved in advance"
      about={data === undefined ? undefined : `${formatCount(data.grants.length)}${data.hasMore ? ' or more' : ''}`}
      actions={
        <LinkButton to="/approvals" icon="approvals">
          Approvals
        </LinkButton>
      }
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the approved calls" />
      ) : data.grants.length === 0 ? (
        <EmptyState title="Every call asks" snippet={example}>
          A person can approve later calls together with one. They appear here and can be revoked. A tool allows it
          with:
        </EmptyState>
      ) : (
        <ul className={styles.grants} aria-label="Approved in advance">
          {data.grants.map((grant) => (
            <GrantRow key={grant.id} grant={grant} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function GrantRow({ grant }: { readonly grant: Grant }): ReactNode {
  const { agentId, conversationId, createdAt, expiresAt, grantedBy, id, toolName, userId } = grant;
  const mayOperate = useMayOperate(userId);
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeGrant(id),
    onSuccess: () => notify(`The next call of ${toolName} asks again.`),
    onSettled: () => client.invalidateQueries({ queryKey: listKey }),
  });
  return (
    <li>
      <div>
        <code>{toolName}</code> of{' '}
        <Link to="/agents/$agentId" params={{ agentId }}>
          {agentId}
        </Link>
        <p>
          {userId !== null && (
            <span>
              for{' '}
              <Link to="/users/$userId" params={{ userId }}>
                {userId}
              </Link>
            </span>
          )}
          {conversationId === null ? (
            <span>in all runs</span>
          ) : (
            <span>
              in the conversation{' '}
              <Link to="/conversations/$conversationId" params={{ conversationId }} search={{}}>
                <code>{shortId(conversationId)}</code>
              </Link>
            </span>
          )}
          <span>
            by {grantedBy ?? 'an operator'}, <Ago time={createdAt} />
          </span>
          <span>until {formatDateTime(expiresAt)}</span>
          {revoke.error !== null && <span role="alert">{revoke.error.message}</span>}
        </p>
      </div>
      {mayOperate && (
        <Button
          icon="close"
          isBusy={revoke.isPending}
          aria-label={`Revoke ${toolName} of ${agentId} for ${userId ?? 'nobody'}`}
          onClick={() => revoke.mutate()}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}

/** A viewer revokes only what is for own runs. */
function revokeGrant(grantId: string): Promise<unknown> {
  const request = { params: { path: { grantId } } };
  return isUser() || consoleLevel() === 'viewer'
    ? readData(api.DELETE('/api/approvals/grants/{grantId}', request))
    : readData(api.DELETE('/approvals/grants/{grantId}', request));
}

const example = `const refund = createTool({
  name: 'refund',
  needsApproval: { always: true },
  // …
});`;
