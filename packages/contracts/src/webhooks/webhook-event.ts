/** The events that webhooks report. */
export const webhookEventTypes = [
  'approval.requested',
  'approval.settled',
  'execution.suspended',
  'execution.completed',
  'execution.failed',
  'execution.quarantined',
  'answer.finished',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/**
 * The ids of everything that an event is about, and how a request was answered. It contains no other
 * content of users: receivers read that from the server, with a credential.
 */
export interface WebhookData {
  readonly agentId?: string;
  /** Of `approval.settled`: the user who has answered. Absent for an operator without a name. */
  readonly answeredBy?: string;
  /** The id of the request, as in `GET /approvals`. */
  readonly approvalId?: string;
  /** Of `approval.settled`: the decision. Absent for a step that was resumed with other data. */
  readonly approved?: boolean;
  readonly conversationId?: string;
  /** Of `approval.settled`: nobody has answered in time. Without `approved`, it asks again or fails. */
  readonly expired?: true;
  /** Of a root. */
  readonly executionId?: string;
  /**
   * Of `approval.settled`. `answered`: also by the time limit of its step. `withdrawn`: nobody has to
   * answer any more. Of `answer.finished`: how it ended.
   */
  readonly outcome?: 'answered' | 'withdrawn' | 'completed' | 'error' | 'cancelled';
  /** Of `approval.settled`: why, up to 1000 characters. */
  readonly reason?: string;
  /** The user of the run. */
  readonly userId?: string;
  readonly workflowId?: string;
}

/** Begins the ids of the workflows of the framework, which report nothing. */
export const internalWorkflowPrefix = 'halyard:';

/** Begins the ids of the workflows that run durable replies; the id of the agent follows. */
export const answerWorkflowPrefix = 'answer:';
