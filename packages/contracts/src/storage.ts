import type { ApprovalStore } from './approvals/approval-store.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { ConversationStore } from './conversations/conversation-store.ts';
import type { Conversation } from './conversations/conversation.ts';
import type { StoredMessage } from './conversations/message.ts';
import type { StreamStore } from './conversations/stream-store.ts';
import type { WorkingMemoryStore } from './conversations/working-memory-store.ts';
import type { ExecutionMirror } from './executions/execution-mirror.ts';
import type { ExecutionStore } from './executions/execution-store.ts';
import type { Execution, ExecutionEvent } from './executions/execution.ts';
import type { JsonValue } from './json.ts';
import type { Logger } from './ports.ts';
import type { TelemetryStore } from './telemetry/telemetry-store.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';

/** The stores of a server. Adapters implement them; an app passes one object. */
export interface Storage {
  readonly approvals: ApprovalStore;
  readonly audit: AuditLog;
  readonly conversations: ConversationStore;
  readonly executions: ExecutionStore;
  /** For the lists of an engine. Absent: executions cannot be in an engine. */
  readonly executionMirror?: ExecutionMirror;
  readonly users: UserDataStore;
  /** Absent: the server stores resumable replies in its process. */
  readonly streams?: StreamStore;
  /** Absent: the server stores spans and logs in its process. */
  readonly telemetry?: TelemetryStore;
  /** Absent: the server sends no webhooks. */
  readonly webhooks?: WebhookStore;
  readonly workingMemory: WorkingMemoryStore;
  /**
   * The server's log, for warnings from here on. A server calls it when it is created. Absent, or
   * if the app has passed a logger to the storage: warnings go elsewhere.
   */
  useLogger?(logger: Logger): void;
  /**
   * Resolves after the first attempt to open the storage: it is open, or a temporary failure is
   * being retried. Rejects with a ConfigurationError when opening fails until somebody acts. A
   * server calls it before it listens. Absent: there is nothing to open.
   */
  opened?(): Promise<void>;
  /**
   * Resolves when the storage is available, and rejects when it is not, with a ConfigurationError
   * where somebody must act. It checks one write path, and stores nothing. `GET /readyz` calls it.
   */
  check(): Promise<void>;
  /**
   * The connections of its pool, for metrics. Undefined while it is not open. Absent: it has no
   * pool.
   */
  connections?(): PoolConnections | undefined;
  /**
   * The size on disk. It must respond without reading the tables. Absent: nothing is stored outside
   * the process, or the size is not known.
   */
  size?(): Promise<StorageSize>;
  /** Closes the connections that the storage has opened. */
  close(): Promise<void>;
}

/** The state of a pool of connections in this process. */
export interface PoolConnections {
  /** Open connections: those in use and those that are idle. */
  readonly total: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
  /** The most connections that may be open. */
  readonly max: number;
}

/** The size of a storage on disk. */
export interface StorageSize {
  /** With indexes. */
  readonly bytes: number;
  /** The largest first. */
  readonly tables: readonly TableSize[];
}

export interface TableSize {
  readonly name: string;
  /** With its indexes and partitions. */
  readonly bytes: number;
  /** An estimate; null while the database has none. */
  readonly rows: number | null;
}

/** All data of one user, in all stores of a storage. */
export interface UserDataStore {
  /**
   * Streams the data record by record, so it need not fit into memory. Data written during the
   * export may be missing.
   */
  export(userId: string): AsyncIterable<UserRecord>;

  /**
   * Deletes all data of the user. Running executions stop at their next commit, which writes
   * nothing.
   */
  delete(userId: string): Promise<DeletedUserData>;
}

/** One record of an export. */
export type UserRecord =
  | { readonly type: 'conversation'; readonly conversation: Conversation; readonly workingMemory?: JsonValue }
  /** Follows its conversation, in the order of the conversation. */
  | { readonly type: 'message'; readonly conversationId: string; readonly message: StoredMessage }
  | { readonly type: 'working-memory'; readonly content: JsonValue }
  /** A root execution or a sub-workflow. */
  | { readonly type: 'execution'; readonly execution: Execution; readonly events: readonly ExecutionEvent[] };

/** How many records were deleted. */
export interface DeletedUserData {
  readonly conversations: number;
  readonly messages: number;
  /** Root executions. Their sub-workflows are deleted with them and not counted. */
  readonly executions: number;
}
