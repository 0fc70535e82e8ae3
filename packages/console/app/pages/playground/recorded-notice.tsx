import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AgentSummary } from '../agents/agents-query.ts';
import type { FoundCall } from './use-recorded-call.ts';
import styles from './playground.module.css';

/** Says which recorded call the page shows, and what will differ when it is sent again. */
export function RecordedNotice({ agent, call }: { readonly call: FoundCall; readonly agent: AgentSummary }): ReactNode {
  const { agentId, error, instructions, loss, messages, traceId } = call;
  return (
    <div className={styles.recorded}>
      <p>
        <b>A recorded call of the model</b>
        {agentId === undefined ? ', by no agent that the trace names' : ` by ${agent.name}`}: the{' '}
        {messages.length === 1 ? 'message' : `${messages.length} messages`} and settings that it got.{' '}
        <Link to="/traces/$traceId" params={{ traceId }}>
          Trace
        </Link>
      </p>
      {error !== undefined && <p className={styles.error}>It failed: {error}</p>}
      {loss !== undefined && <p>{loss}</p>}
      {instructions !== undefined && (
        <details>
          <summary>Instructions at that time. The agent sends those that it has now.</summary>
          <pre>{instructions}</pre>
        </details>
      )}
    </div>
  );
}
