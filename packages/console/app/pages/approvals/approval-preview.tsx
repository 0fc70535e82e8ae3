import type { ReactNode } from 'react';
import { AgentName } from '../agents/agent-name.tsx';
import { WorkflowName } from '../workflows/workflow-name.tsx';
import type { Approval } from './use-approvals.ts';
import styles from './approvals.module.css';

const longestPreview = 300;

/**
 * A request in one line: the agent, the user, the arguments, and the reason for asking a person.
 */
export function ApprovalPreview({ approval }: { readonly approval: Approval }): ReactNode {
  const { agentId, data, input, kind, reason, userId, workflowId } = approval;
  const values = toPreview(input ?? data);
  return (
    <span className={styles.preview}>
      {agentId !== null ? (
        <b>
          <AgentName id={agentId} />
        </b>
      ) : (
        workflowId !== null && (
          <b>
            <WorkflowName id={workflowId} />
          </b>
        )
      )}
      {userId !== null && <span>{userId}</span>}
      {values !== '' && <code>{values}</code>}
      {kind === 'tool' && <span>{reason}</span>}
    </span>
  );
}

/** The fields of an object as `name: value`, or another value as JSON. */
function toPreview(value: unknown): string {
  if (value === undefined || value === null) return '';
  const isObject = typeof value === 'object' && !Array.isArray(value);
  const text = isObject
    ? Object.entries(value)
        .map(([name, each]) => `${name}: ${toText(each)}`)
        .join(', ')
    : toText(value);
  return text.slice(0, longestPreview);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
