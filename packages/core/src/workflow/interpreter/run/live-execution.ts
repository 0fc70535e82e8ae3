import type { Execution, ExecutionStatus, JsonObject, JsonValue, NewExecutionEvent, Span } from '@halyard/contracts';
import { isoTime } from '../../../json/iso-time.ts';
import { copyJson } from '../../../json/to-json.ts';
import { childPath, decisionPath, isBelow, type Place } from '../../definition/place.ts';
import type { ExecutionInfo } from '../../definition/step-context.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { WorkflowSpan } from '../../spans/workflow-traces.ts';
import type { CommitDraft } from '../commits/commit-draft.ts';
import { type Ending, writeEnding } from './ending.ts';

/** The start of an execution. */
export type ExecutionStart = Pick<
  Execution,
  | 'id'
  | 'creationId'
  | 'path'
  | 'input'
  | 'context'
  | 'workflowState'
  | 'metadata'
  | 'userId'
  | 'conversationId'
  | 'user'
  | 'createdAt'
  | 'status'
  | 'seq'
>;

/** An execution while this process runs it: a root, or the sub-workflow of a step. */
export class LiveExecution {
  readonly id: string;
  readonly creationId: string;
  readonly workflow: WorkflowDefinition;
  /** The path of its step in the root's journal; `''` for a root. */
  readonly path: string;
  readonly input: JsonValue;
  readonly context: JsonObject;
  metadata: JsonObject;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly user: JsonObject | undefined;
  readonly createdAt: number;
  /** Includes patches that are not committed yet. */
  state: JsonObject;
  status: ExecutionStatus;
  /** Number of the last event that is stored. */
  seq: number;
  /** Step instances whose `step-start` was written. Those that have ended may be missing. */
  readonly started: Set<string>;
  /** The span of this run; undefined when tracing is off. */
  traced: WorkflowSpan | undefined = undefined;

  constructor(workflow: WorkflowDefinition, start: ExecutionStart, started: Set<string>) {
    this.id = start.id;
    this.creationId = start.creationId;
    this.workflow = workflow;
    this.path = start.path;
    this.input = start.input;
    this.context = start.context;
    this.metadata = start.metadata;
    this.userId = start.userId;
    this.conversationId = start.conversationId;
    this.user = start.user;
    this.createdAt = start.createdAt;
    this.state = start.workflowState;
    this.status = start.status;
    this.seq = start.seq;
    this.started = started;
  }

  get span(): Span | undefined {
    return this.traced?.span;
  }

  get hasEnded(): boolean {
    return this.status !== 'running' && this.status !== 'suspended';
  }

  /** The path in the root's journal of a path in this execution. */
  pathOf(ownPath: string): string {
    return childPath(this.path, ownPath);
  }

  /** Where the journal records that a step bailed. */
  get bailPath(): string {
    return decisionPath(this.path, 'bail');
  }

  /** Whether a place belongs to this execution or to one of its sub-workflows. */
  contains(place: Place): boolean {
    return isBelow(place, this.path);
  }

  /** A copy for the author's code. */
  get info(): ExecutionInfo {
    return {
      executionId: this.id,
      workflowId: this.workflow.id,
      workflowName: this.workflow.name,
      startAt: isoTime(this.createdAt),
      userId: this.userId,
      conversationId: this.conversationId,
      metadata: copyJson(this.metadata),
    };
  }

  patchState(patch: JsonObject, draft: CommitDraft): void {
    this.state = { ...this.state, ...patch };
    draft.patchState(this.id, patch);
  }

  /** Writes an event. A suspended execution becomes `running` with it. */
  emit(event: NewExecutionEvent, draft: CommitDraft): void {
    if (this.status === 'suspended') {
      this.status = 'running';
      draft.setStatus(this.id, 'running');
    }
    draft.addEvent(this.id, event);
  }

  end(ending: Ending, draft: CommitDraft, now: number): void {
    this.status = ending.status;
    writeEnding({ id: this.id, workflowId: this.workflow.id, createdAt: this.createdAt }, ending, draft, now);
  }
}
