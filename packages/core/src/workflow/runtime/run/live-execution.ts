import type { Execution, ExecutionStatus, JsonObject, JsonValue, NewExecutionEvent, Span } from '@halyard/contracts';
import { copyJson } from '../../../json/to-json.ts';
import { isoTime } from '../../../services/iso-time.ts';
import type { ExecutionInfo } from '../../definition/step-context.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { CommitDraft } from '../commits/commit-draft.ts';
import type { WorkflowSpan } from '../spans/workflow-traces.ts';
import { isBelow } from '../waits/waits.ts';
import { type Ending, writeEnding } from './ending.ts';

/** What an execution begins with. */
export type ExecutionStart = Pick<
  Execution,
  | 'id'
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
>;

/** An execution while it runs here: a root, or the sub-workflow of a step. */
export class LiveExecution {
  readonly id: string;
  readonly workflow: WorkflowDefinition;
  /** Where in the root's journal its steps are; `''` for a root. */
  readonly path: string;
  readonly input: JsonValue;
  readonly context: JsonObject;
  metadata: JsonObject;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly user: JsonObject | undefined;
  readonly createdAt: number;
  /** As of the last commit and all that is on its way. */
  state: JsonObject;
  status: ExecutionStatus;
  /** Step instances that were announced already. */
  readonly started: Set<string>;
  /** Of this stretch of it; undefined where nothing is recorded. */
  traced: WorkflowSpan | undefined = undefined;

  constructor(workflow: WorkflowDefinition, start: ExecutionStart, started: Set<string>) {
    this.id = start.id;
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
    this.started = started;
  }

  get span(): Span | undefined {
    return this.traced?.span;
  }

  get hasEnded(): boolean {
    return this.status !== 'running' && this.status !== 'suspended';
  }

  /** The path of one of its top-level steps. */
  pathOf(stepId: string): string {
    return this.path === '' ? stepId : `${this.path}/${stepId}`;
  }

  /** Whether a path is one of its own, or of its sub-workflows. */
  contains(path: string): boolean {
    return this.path === '' || isBelow(path, this.path);
  }

  /** For the author's code, which may change it. */
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

  /** Writes an event. An execution that was suspended is running again with it. */
  tell(event: NewExecutionEvent, draft: CommitDraft): void {
    if (this.status === 'suspended') {
      this.status = 'running';
      draft.setStatus(this.id, 'running');
    }
    draft.event(this.id, event);
  }

  end(ending: Ending, draft: CommitDraft, now: number): void {
    this.status = ending.status;
    writeEnding({ id: this.id, workflowId: this.workflow.id, createdAt: this.createdAt }, ending, draft, now);
  }
}
