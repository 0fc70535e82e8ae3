import type {
  CreateOptions,
  ExecutionError,
  ExecutionRequest,
  ExecutionStatus,
  JournalEntry,
  JsonObject,
  JsonValue,
  NewExecution,
  NewExecutionEvent,
  Resumption,
  Rewind,
  Suspension,
  Timer,
} from '@halyard/contracts';
import type { Link, LinkedList } from '../conversations/linked-list.ts';
import type { DueHeap } from './due-heap.ts';

type Values = Omit<NewExecution, 'id' | 'events'>;

/** What is stored of an execution. The values in it are never changed, only replaced. */
export class StoredExecution {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly input: JsonValue;
  readonly context: JsonObject;
  readonly metadata: JsonObject;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly user: JsonObject | undefined;
  readonly createdAt: number;
  events: NewExecutionEvent[] = [];
  workflowState: JsonObject;
  status: ExecutionStatus = 'running';
  output: JsonValue | undefined = undefined;
  error: ExecutionError | undefined = undefined;
  updatedAt: number;
  endedAt: number | null = null;
  /** Its own sub-workflows; most have none. */
  children: LinkedList<StoredChild> | undefined = undefined;

  constructor(id: string, values: Values, now: number) {
    this.id = id;
    this.workflowId = values.workflowId;
    this.workflowName = values.workflowName;
    this.input = values.input;
    this.context = values.context;
    this.metadata = values.metadata;
    this.userId = values.userId;
    this.conversationId = values.conversationId;
    this.user = values.user;
    this.workflowState = values.workflowState;
    this.createdAt = now;
    this.updatedAt = now;
  }
}

/** An execution that is run for itself. What is empty for most is made when it is needed: many executions wait here. */
export class StoredRoot extends StoredExecution {
  readonly order: number;
  readonly requestId: string;
  journal: JournalEntry[];
  suspensions: Suspension[] | undefined = undefined;
  resumptions: Resumption[] | undefined = undefined;
  timers: Timer[] | undefined = undefined;
  rewinds: Rewind[] | undefined = undefined;
  request: ExecutionRequest | null = null;
  signals = 0;
  epoch = 0;
  runner: string | null = null;
  claimsWithoutCommit = 0;
  lastCommitId: string | undefined = undefined;
  lastSignals = 0;
  /** Sub-workflows that the last commit changed. */
  lastChangedChildren: readonly string[] | undefined = undefined;
  /** Requests of resumptions that were accepted, the last few. */
  resumeRequestIds: string[] | undefined = undefined;
  /** Sub-workflows of the whole tree. */
  descendants: StoredChild[] | undefined = undefined;

  wantsRunnerAt: number = Infinity;
  heap: DueHeap<this> | undefined = undefined;
  heapIndex = -1;
  /** Its places in the lists of executions. */
  links: readonly Link<StoredRoot>[] = [];
  finishedLink: Link<StoredRoot> | undefined = undefined;
  finishedBytes = 0;

  constructor(values: NewExecution, { requestId, journal, resumptions }: CreateOptions, order: number, now: number) {
    super(values.id, values, now);
    this.order = order;
    this.requestId = requestId === values.id ? this.id : requestId;
    this.journal = journal?.slice() ?? [];
    this.resumptions = resumptions?.slice();
    for (const event of values.events) this.events.push(event);
  }

  /** Gives back the room that lists keep to grow: nothing is added for a while. */
  trim(): void {
    this.events = this.events.slice();
    this.journal = this.journal.slice();
    for (const child of this.descendants ?? []) child.events = child.events.slice();
  }
}

/** An execution that runs as a step of another. */
export class StoredChild extends StoredExecution {
  readonly root: StoredRoot;
  readonly parentExecutionId: string;
  readonly path: string;

  constructor(
    id: string,
    values: Values & { readonly parentExecutionId: string; readonly path: string },
    root: StoredRoot,
    now: number,
  ) {
    super(id, values, now);
    this.root = root;
    this.parentExecutionId = values.parentExecutionId;
    this.path = values.path;
  }
}

export function isFinal(status: ExecutionStatus): boolean {
  return status === 'completed' || status === 'error' || status === 'cancelled';
}
