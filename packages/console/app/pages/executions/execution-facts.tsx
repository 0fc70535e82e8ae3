import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import type { components } from '../../api/schema.ts';
import { Facts } from '../../ui/facts.tsx';
import { formatDateTime, formatDuration, shortId } from '../../ui/format.ts';
import { Ago, useNow } from '../../ui/time.tsx';

type ExecutionState = components['schemas']['ExecutionState'];

/** When an execution ran, whose it is, and what belongs to it. */
export function ExecutionFacts({
  execution,
  parentWorkflowId,
}: {
  readonly execution: ExecutionState;
  /** The workflow of the execution around this one, if the person came from there. */
  readonly parentWorkflowId: string | undefined;
}): ReactNode {
  const { conversationId, endAt, metadata, parentExecutionId, startAt, userId, waitingSince, workflowId } = execution;
  const now = useNow();
  const isRestricted = useIsRestricted();
  const { continuedFrom, replayedFrom, startedBy, traceId } = metadata as Readonly<Record<string, unknown>>;
  const { continuedAs } = (execution.output ?? {}) as { readonly continuedAs?: unknown };
  const end = endAt === null ? Math.max(now, Date.parse(startAt)) : Date.parse(endAt);
  return (
    <Facts
      facts={{
        Started: (
          <>
            {formatDateTime(startAt)} (<Ago time={startAt} />)
          </>
        ),
        [endAt === null ? 'Duration so far' : 'Duration']: formatDuration(end - Date.parse(startAt)),
        User: userId && (
          <Link to="/users/$userId" params={{ userId }}>
            {userId}
          </Link>
        ),
        Conversation: conversationId && (
          <Link to="/conversations/$conversationId" params={{ conversationId }}>
            {shortId(conversationId)}
          </Link>
        ),
        Trace:
          typeof traceId === 'string' && !isRestricted ? (
            <Link to="/traces/$traceId" params={{ traceId }}>
              {shortId(traceId)}
            </Link>
          ) : undefined,
        'Waits for a free place since': waitingSince && <Ago time={waitingSince} />,
        'Sub-workflow of':
          parentExecutionId &&
          (parentWorkflowId === undefined ? (
            <code title={parentExecutionId}>{shortId(parentExecutionId)}</code>
          ) : (
            <Link
              to="/executions/$workflowId/$executionId"
              params={{ workflowId: parentWorkflowId, executionId: parentExecutionId }}
            >
              {parentWorkflowId} {shortId(parentExecutionId)}
            </Link>
          )),
        'Started by': typeof startedBy === 'string' ? <code title={startedBy}>{shortId(startedBy)}</code> : undefined,
        'Replayed from': linkTo(workflowId, replayedFrom, execution.executionId),
        'Continued from': linkTo(workflowId, continuedFrom, execution.executionId),
        'Continued as': linkTo(workflowId, continuedAs, execution.executionId),
      }}
    />
  );
}

/** Another execution of the same workflow, with a comparison. */
function linkTo(workflowId: string, id: unknown, ownId: string): ReactNode {
  if (typeof id !== 'string') return undefined;
  return (
    <>
      <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId: id }}>
        {shortId(id)}
      </Link>
      {', '}
      <Link to="/compare/$workflowId" params={{ workflowId }} search={{ left: id, right: ownId }}>
        compare
      </Link>
    </>
  );
}
