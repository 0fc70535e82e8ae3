import type { JsonObject } from '@halyard/contracts';
import type { Agent } from '../agent/agent.ts';
import { approvalExpiryId, type ExpiringRequest } from '../agent/approvals/expiring-request.ts';
import { isoTime } from '../json/iso-time.ts';
import { toJson } from '../json/to-json.ts';
import { internalWorkflow } from '../workflow/definition/internal-workflow.ts';
import type { WorkflowDefinition } from '../workflow/definition/workflow-definition.ts';
import { andRun } from '../workflow/steps/and-run.ts';

/** A request of a conversation at the end of a round. */
export interface ExpiredRound {
  readonly request: ExpiringRequest;
  readonly conversationId: string;
  readonly userId: string | undefined;
  /** A snapshot of the verified user of the run. */
  readonly user: JsonObject | undefined;
  readonly signal: AbortSignal;
}

export interface ApprovalExpiryOptions {
  /** Asks those of a round, if the request still waits. @returns whether it does. */
  readonly askAgain: (expired: ExpiredRound, round: number) => Promise<boolean>;
  /** Continues the conversation as if a person had responded, if the request still waits. */
  readonly settle: (expired: ExpiredRound) => Promise<void>;
}

/**
 * Ends requests in conversations at their time limits. Its executions sleep until then, and find
 * most requests answered. Each is its own, so that a deletion of the user's data ends it.
 */
export function approvalExpiryWorkflow(
  { id, name }: Pick<Agent, 'id' | 'name'>,
  { askAgain, settle }: ApprovalExpiryOptions,
): WorkflowDefinition {
  const step = andRun<ExpiringRequest, void>({
    id: 'rounds',
    run: async ({ data: request, sleepUntil, state, step: call, user: given }) => {
      const { conversationId = '', userId } = state;
      const user = given && (toJson(given) as JsonObject);
      for (const [round, { until }] of request.rounds.entries()) {
        await sleepUntil(`wait-${round}`, isoTime(until));
        const isLast = round === request.rounds.length - 1;
        const waits = await call(`end-${round}`, async ({ signal }) => {
          const expired = { request, conversationId, userId, user, signal };
          if (!isLast) return askAgain(expired, round + 1);
          await settle(expired);
          return false;
        });
        if (!waits) return;
      }
    },
  });
  return internalWorkflow(approvalExpiryId(id), [step], {
    // Only operators see its executions.
    access: 'server',
    name: `Time limits of approvals of ${name}`,
    purpose: 'Ends requests for approval in conversations when nobody has responded in time',
    retries: { attempts: 12, delayMs: 500 },
  });
}
