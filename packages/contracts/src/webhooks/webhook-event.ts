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
 * The ids of everything that an event is about. It contains no content of users: receivers read that
 * from the server, with a credential.
 */
export interface WebhookData {
  readonly agentId?: string;
  /** The id of the request, as in `GET /approvals`. */
  readonly approvalId?: string;
  readonly conversationId?: string;
  /** Of a root. */
  readonly executionId?: string;
  /**
   * Of `approval.settled`. `answered`: also by the time limit of its step. `withdrawn`: nobody has to
   * answer any more. Of `answer.finished`: how it ended.
   */
  readonly outcome?: 'answered' | 'withdrawn' | 'completed' | 'error' | 'cancelled';
  /** The user of the run. */
  readonly userId?: string;
  readonly workflowId?: string;
}

/** Begins the ids of the workflows that run durable replies; the id of the agent follows. */
export const answerWorkflowPrefix = 'answer:';
