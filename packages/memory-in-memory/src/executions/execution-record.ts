import type {
  Execution,
  ExecutionError,
  ExecutionRequest,
  ExecutionStatus,
  JsonObject,
  JsonValue,
  Resumption,
  Rewind,
  Suspension,
  Timer,
} from '@halyard/contracts';
import { StoredRoot, type StoredChild } from './stored-execution.ts';

/** A copy of what is stored now, which later changes do not touch. */
export function executionRecord(stored: StoredRoot | StoredChild): Execution {
  return new ExecutionRecord(stored);
}

class ExecutionRecord implements Execution {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly status: ExecutionStatus;
  readonly parentExecutionId: string | null;
  readonly rootExecutionId: string;
  readonly path: string;
  readonly input: JsonValue;
  readonly context: JsonObject;
  readonly workflowState: JsonObject;
  readonly metadata: JsonObject;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly user: JsonObject | undefined;
  // Declared only: where there is none, there is no such key.
  declare readonly output?: JsonValue;
  declare readonly error?: ExecutionError;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly seq: number;
  readonly suspensions: readonly Suspension[];
  readonly resumptions: readonly Resumption[];
  readonly timers: readonly Timer[];
  readonly request: ExecutionRequest | null;
  readonly rewinds: readonly Rewind[];
  readonly signals: number;
  readonly epoch: number;
  readonly runner: string | null;

  constructor(stored: StoredRoot | StoredChild) {
    const root = stored instanceof StoredRoot ? stored : undefined;
    this.id = stored.id;
    this.workflowId = stored.workflowId;
    this.workflowName = stored.workflowName;
    this.status = stored.status;
    this.parentExecutionId = stored instanceof StoredRoot ? null : stored.parentExecutionId;
    this.rootExecutionId = stored instanceof StoredRoot ? stored.id : stored.root.id;
    this.path = stored instanceof StoredRoot ? '' : stored.path;
    this.input = stored.input;
    this.context = stored.context;
    this.workflowState = stored.workflowState;
    this.metadata = stored.metadata;
    this.userId = stored.userId;
    this.conversationId = stored.conversationId;
    this.user = stored.user;
    if (stored.output !== undefined) this.output = stored.output;
    if (stored.error !== undefined) this.error = stored.error;
    this.createdAt = stored.createdAt;
    this.updatedAt = stored.updatedAt;
    this.endedAt = stored.endedAt;
    this.seq = stored.events.length;
    this.suspensions = stored instanceof StoredRoot ? copied(stored.suspensions) : suspensionsBelow(stored);
    this.resumptions = copied(root?.resumptions);
    this.timers = copied(root?.timers);
    this.request = root?.request ?? null;
    this.rewinds = copied(root?.rewinds);
    this.signals = root?.signals ?? 0;
    this.epoch = root?.epoch ?? 0;
    this.runner = root?.runner ?? null;
  }
}

const none: readonly never[] = Object.freeze([]);

function copied<Item>(items: readonly Item[] | undefined): readonly Item[] {
  return items === undefined || items.length === 0 ? none : items.slice();
}

function suspensionsBelow({ root, path }: StoredChild): readonly Suspension[] {
  if (root.suspensions === undefined) return none;
  const below = `${path}/`;
  return root.suspensions.filter((suspension) => suspension.path.startsWith(below));
}
