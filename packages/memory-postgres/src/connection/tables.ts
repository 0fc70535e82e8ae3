import type { MessageRole } from '@halyard/contracts';
import type { Generated } from 'kysely';

/** The tables, as Kysely is told of them. What only the functions of the database touch is not listed. */
export interface Tables {
  approvals: { id: string; expires_at: number };
  executions: ExecutionsTable;
  execution_journal: { root_key: string; position: number; path: string; entry: string };
  execution_events: { execution_key: string; seq: number; event: string };
  conversations: ConversationsTable;
  messages: {
    conversation_key: string;
    created_at: number;
    id: string;
    role: MessageRole;
    parts: string;
    metadata: string | null;
  };
}

interface ConversationsTable {
  key: Generated<string>;
  id: string;
  resource_id: string;
  user_id: string;
  title: string;
  metadata: string;
  created_at: number;
  updated_at: number;
  created_by: string;
}

interface ExecutionsTable {
  key: Generated<string>;
  id: string;
  parent_id: string | null;
  root_key: string | null;
  path: string;
  workflow_id: string;
  user_id: string | null;
  status: string;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
  wants_runner_at: number | null;
  runner: string | null;
  epoch: number;
  seq: number;
  signals: number;
  request_kind: string | null;
  request_reason: string | null;
  resume_request_ids: string[];
  metadata_digests: string[];
  /** JSON: {@link StoredWait}s. */
  waits: string;
  /** JSON: {@link StoredRewind}s. */
  rewinds: string;
  output: string | null;
  error: string | null;
}
