import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMayOperate } from '../../access/credential.ts';
import { LookOnly } from '../../access/look-only.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatCount, formatDateTime, shortId } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { Ago } from '../../ui/time.tsx';
import { AgentName } from '../agents/agent-name.tsx';
import { WorkflowName } from '../workflows/workflow-name.tsx';
import { ApprovalConversation } from './approval-conversation.tsx';
import { StepResumption } from './step-resumption.tsx';
import { ToolApproval } from './tool-approval.tsx';
import type { Approval } from './use-approvals.ts';
import styles from './approvals.module.css';

/** One request: who asks, for what and where, and the form for the answer. */
export function ApprovalPanel({
  approval,
  onResponse,
}: {
  readonly approval: Approval;
  readonly onResponse: () => void;
}): ReactNode {
  const { data, input, kind, reason, toolName, userId } = approval;
  const mayOperate = useMayOperate(userId);
  return (
    <section className={styles.panel} aria-labelledby="approval-title">
      <header>
        <h2 id="approval-title" dir="auto">
          {kind === 'tool' ? <code>{toolName}</code> : reason}
        </h2>
        {kind === 'tool' && <p dir="auto">{reason}</p>}
      </header>
      <Facts facts={listFacts(approval)} />
      {input !== undefined && (
        <div>
          <h3>Arguments</h3>
          <JsonView label="arguments" value={input} depth={3} />
        </div>
      )}
      {data !== undefined && (
        <div>
          <h3>What the step says</h3>
          <JsonView label="data of the step" value={data} depth={3} />
        </div>
      )}
      <ApprovalConversation approval={approval} />
      {!mayOperate ? (
        <LookOnly />
      ) : kind === 'tool' ? (
        <ToolApproval approval={approval} onResponse={onResponse} />
      ) : (
        <StepResumption approval={approval} onResponse={onResponse} />
      )}
    </section>
  );
}

function listFacts({
  agentId,
  approvers,
  conversationId,
  executionId,
  expiresAt,
  quorum,
  requestedAt,
  stepId,
  userId,
  workflowId,
}: Approval): Readonly<Record<string, ReactNode>> {
  return {
    User:
      userId === null ? (
        'none'
      ) : (
        <Link to="/users/$userId" params={{ userId }}>
          {userId}
        </Link>
      ),
    Agent:
      agentId === null ? undefined : (
        <Link to="/agents/$agentId" params={{ agentId }}>
          <AgentName id={agentId} />
        </Link>
      ),
    Workflow:
      workflowId === null ? undefined : (
        <Link to="/workflows/$workflowId" params={{ workflowId }}>
          <WorkflowName id={workflowId} />
        </Link>
      ),
    Step: stepId === null ? undefined : <code>{stepId}</code>,
    Execution:
      executionId === null || workflowId === null ? undefined : (
        <span className={styles.id}>
          <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId }}>
            <code>{shortId(executionId)}</code>
          </Link>
          <CopyButton text={executionId} label="Copy the id of the execution" />
        </span>
      ),
    Conversation:
      conversationId === null ? undefined : (
        <span className={styles.id}>
          <Link
            to="/conversations/$conversationId"
            params={{ conversationId }}
            search={agentId === null || executionId !== null ? {} : { agentId }}
          >
            <code>{shortId(conversationId)}</code>
          </Link>
          <CopyButton text={conversationId} label="Copy the id of the conversation" />
        </span>
      ),
    'May answer': approvers === null ? undefined : <bdi>{approvers.join(', ')}</bdi>,
    'People needed': quorum > 1 && formatCount(quorum),
    Since: <Ago time={requestedAt} />,
    Expires: expiresAt === null ? undefined : <span title={formatDateTime(expiresAt)}>{<Ago time={expiresAt} />}</span>,
  };
}
