import type { ExecutionStatus, MessageRole, WebhookDelivery, WebhookEventType } from '@halyard/contracts';
import type { Generated } from 'kysely';

/**
 * A `bigint`. Drivers return it as text unless the app has configured them otherwise: convert it
 * with `Number`.
 */
type BigInteger = string | number;

/** The columns that queries built with Kysely use. Other columns are used by SQL functions only. */
export interface Tables {
  approvals: { id: string; expires_at: number };
  open_approvals: OpenApprovalsTable;
  approval_decisions: { id: string; expires_at: number; decisions: string; user_id: string | null };
  audit_log: AuditLogTable;
  conversations: ConversationsTable;
  messages: MessagesTable;
  working_memory: WorkingMemoryTable;
  executions: ExecutionsTable;
  mirrored_executions: MirroredExecutionsTable;
  execution_journal: ExecutionJournalTable;
  execution_events: ExecutionEventsTable;
  published_events: {
    position: Generated<BigInteger>;
    user_id: string | null;
    published_at: BigInteger;
    is_pending: boolean;
    deliver_at: BigInteger;
  };
  streams: StreamsTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

interface AuditLogTable {
  id: string;
  at: BigInteger;
  user_id: string | null;
  action: string;
  target_ids: readonly string[];
  /** JSON, as is the outcome. */
  record: string;
  outcome: string | null;
}

interface OpenApprovalsTable {
  id: string;
  user_id: string | null;
  approver_keys: readonly string[];
  created_at: BigInteger;
  expires_at: BigInteger;
  round: Generated<number>;
  /** JSON. */
  ids: Generated<string>;
  /** JSON. */
  request: string;
}

interface WebhookEndpointsTable {
  url: string;
  events: readonly WebhookEventType[];
  listens_until: BigInteger;
  disabled_at: BigInteger | null;
}

interface WebhookDeliveriesTable {
  position: Generated<BigInteger>;
  id: string;
  url: string;
  type: WebhookEventType;
  at: BigInteger;
  user_id: string | null;
  /** JSON. */
  data: string;
  status: WebhookDelivery['status'];
  attempts: number;
  redelivered_after: number;
  due_at: BigInteger | null;
  attempted_at: BigInteger | null;
  reply_status: number | null;
  error: string | null;
}

interface MirroredExecutionsTable {
  key: Generated<BigInteger>;
  id: string;
  creation_id: string;
  workflow_id: string;
  user_id: string | null;
  status: ExecutionStatus;
  created_at: BigInteger;
  ended_at: BigInteger | null;
  quarantined_at: BigInteger | null;
  metadata_digests: readonly string[];
  approver_keys: readonly string[] | null;
  revision: BigInteger;
  /** JSON. */
  execution: string;
}

interface ExecutionJournalTable {
  root_key: BigInteger;
  position: number;
  path: string;
  entry: string;
  output_of: number | null;
}

interface ExecutionEventsTable {
  execution_key: BigInteger;
  seq: number;
  event: string;
  value_of: number | null;
}

interface ConversationsTable {
  key: Generated<BigInteger>;
  id: string;
  resource_id: string;
  user_id: string;
  title: string;
  metadata: string;
  created_at: BigInteger;
  updated_at: BigInteger;
  /** The id of the call that created the conversation. */
  created_by: string;
}

interface MessagesTable {
  conversation_key: BigInteger;
  created_at: BigInteger;
  id: string;
  role: MessageRole;
  parts: string;
  metadata: string | null;
}

interface WorkingMemoryTable {
  conversation_key: BigInteger | null;
  user_id: string | null;
  content: string | null;
  revision: Generated<BigInteger>;
  last_writes: string[];
}

interface ExecutionsTable {
  key: Generated<BigInteger>;
  id: string;
  parent_id: string | null;
  root_key: BigInteger | null;
  path: string;
  workflow_id: string;
  user_id: string | null;
  request_id: string | null;
  status: ExecutionStatus;
  created_at: BigInteger;
  updated_at: BigInteger;
  ended_at: BigInteger | null;
  wants_runner_at: BigInteger | null;
  definition: string;
  quarantined_at: BigInteger | null;
  priority: number;
  concurrency_key: string | null;
  waiting_since: BigInteger | null;
  claims_without_commit: number;
  runner: string | null;
  epoch: number;
  seq: number;
  signals: number;
  request_kind: string | null;
  request_reason: string | null;
  resume_request_ids: string[];
  metadata_digests: string[];
  /** JSON: a list of `StoredWait`. */
  waits: string;
  /** JSON: a list of `StoredRewind`. */
  rewinds: string;
  output: string | null;
  error: string | null;
}

interface StreamsTable {
  key: Generated<BigInteger>;
  id: string;
  agent_id: string;
  conversation_id: string;
  owner: string;
  started_at: BigInteger;
  lease_until: BigInteger;
  status: string;
  ended_at: BigInteger | null;
  is_stop_requested: boolean;
  chunk_count: number;
}
