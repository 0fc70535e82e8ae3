import type { ConversationStore } from './conversation-store.ts';
import type { Conversation } from './conversation.ts';
import type { ExecutionStore } from './execution-store.ts';
import type { Execution, ExecutionEvent } from './execution.ts';
import type { JsonValue } from './json.ts';
import type { StoredMessage } from './message.ts';
import type { ApprovalStore } from './ports.ts';
import type { StreamStore } from './stream-store.ts';
import type { TelemetryStore } from './telemetry-store.ts';
import type { WorkingMemoryStore } from './working-memory-store.ts';

/** What a server keeps its data in. Adapters implement the parts; an app passes one object. */
export interface Storage {
  readonly approvals: ApprovalStore;
  readonly conversations: ConversationStore;
  readonly executions: ExecutionStore;
  readonly users: UserDataStore;
  /** Absent: answers that outlive their clients are kept in the process. */
  readonly streams?: StreamStore;
  /** Absent: spans and logs are kept in the process. */
  readonly telemetry?: TelemetryStore;
  readonly workingMemory: WorkingMemoryStore;
  /** Resolves when the storage can serve; rejects when it cannot. `GET /readyz` asks it. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Everything that is stored of one user, in all the parts of a storage. */
export interface UserDataStore {
  /** One thing after the other: a user's data need not fit into memory. What is written meanwhile may be in it, or not. */
  export(userId: string): AsyncIterable<UserRecord>;

  /** Deletes all of it. Executions that run stop at their next commit, and leave nothing. */
  delete(userId: string): Promise<DeletedUserData>;
}

export type UserRecord =
  | { readonly type: 'conversation'; readonly conversation: Conversation; readonly workingMemory?: JsonValue }
  /** After its conversation, in its order. */
  | { readonly type: 'message'; readonly conversationId: string; readonly message: StoredMessage }
  | { readonly type: 'working-memory'; readonly content: JsonValue }
  /** Root executions and their sub-workflows. */
  | { readonly type: 'execution'; readonly execution: Execution; readonly events: readonly ExecutionEvent[] };

export interface DeletedUserData {
  readonly conversations: number;
  readonly messages: number;
  /** Root executions; their sub-workflows go with them. */
  readonly executions: number;
}
