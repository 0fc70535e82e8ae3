import type { Execution, JsonObject, JsonValue, Recorder, Span, SpanContext } from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import { isChatWorkflow } from '../../chat/durable/chat-workflow-id.ts';
import { inputAndOutput, type RecordedExecution, workflowAttributes } from '../../telemetry/attributes/workflow.ts';
import { bulkWorkflowId } from '../bulk/bulk-workflow-id.ts';
import { scheduleWorkflowId } from '../schedules/schedule-record.ts';

/** The span of one run of an execution. */
export interface WorkflowSpan {
  readonly span: Span;
  /** The input of the execution; undefined where content is not recorded. */
  readonly input: JsonValue | undefined;
}

interface SpanOrigin {
  /** Default: the active span; null: the span starts a trace. */
  readonly parent?: SpanContext | null | undefined;
  readonly links?: readonly SpanContext[];
  /** Milliseconds since the epoch; default: now. */
  readonly startTime?: number;
}

interface PendingSpan extends WorkflowSpan {
  /** When the execution was stored, in milliseconds since the epoch. */
  readonly since: number;
}

/** How long the span of a new execution stays open until this process claims the execution. */
const maxPendingMs = 60_000;
const maxPending = 10_000;
/**
 * Each takes 230 bytes, and a process that suspends many executions would keep all of them. Of the
 * others, later runs link to the first run.
 */
const maxRemembered = 1_000;
/**
 * The settings of the app in schedules and bulk operations are not for the users whose executions
 * they start or change, and who may read their traces.
 */
const withoutContent: ReadonlySet<string> = new Set([bulkWorkflowId, scheduleWorkflowId]);

/**
 * The spans of the executions of one process. An execution is one trace: its first span starts when
 * the execution is created and covers its first run in this process. Each later run is a child of
 * that span, whose ids are in the metadata of the execution.
 */
export class WorkflowTraces {
  readonly recorder: Recorder;
  readonly #now: () => number;
  /** Spans of executions that were created here and not yet claimed. */
  readonly #pending = new Map<string, PendingSpan>();
  /**
   * The latest run, and the span that resumed the execution, of idle executions of this process:
   * later runs link to them.
   */
  readonly #latest = new Map<string, SpanContext>();
  readonly #resumers = new Map<string, SpanContext>();
  #isClosed = false;

  constructor({ clock, recorder }: { readonly clock: AgentServices['clock']; readonly recorder: Recorder }) {
    this.recorder = recorder;
    this.#now = () => clock.now();
  }

  /** Starts the span of an execution that is created or continued. */
  start(execution: RecordedExecution, origin: SpanOrigin): WorkflowSpan {
    return this.#startSpan(execution, { ...origin, isEntry: !isChatWorkflow(execution.workflowId) });
  }

  /** Stores the span of a new execution for its first run. */
  addPending(executionId: string, started: WorkflowSpan, since: number = this.#now()): void {
    const pending = { ...started, since };
    if (this.#isClosed || this.#pending.size >= maxPending) endPending(pending);
    else this.#pending.set(executionId, pending);
  }

  /** Ends the span of an execution that another process runs. */
  endPending(executionId: string): void {
    const pending = this.#pending.get(executionId);
    if (pending === undefined) return;
    this.#pending.delete(executionId);
    endPending(pending);
  }

  /** Ends the spans of executions that this process has not claimed in time. */
  endExpired(): void {
    const oldest = this.#now() - maxPendingMs;
    for (const [executionId, { since }] of this.#pending) if (since <= oldest) this.endPending(executionId);
  }

  close(): void {
    this.#isClosed = true;
    for (const executionId of this.#pending.keys()) this.endPending(executionId);
  }

  /** The span of a run of a claimed execution. */
  startRun(execution: Execution): WorkflowSpan {
    const { epoch, id, metadata } = execution;
    const pending = this.#pending.get(id);
    const resumer = this.#resumers.get(id);
    this.#resumers.delete(id);
    if (pending !== undefined && epoch === 1) {
      this.#pending.delete(id);
      return pending;
    }
    this.endPending(id);
    const first = readSpanContext(metadata);
    const links = [this.#latest.get(id) ?? first, resumer].filter((link) => link !== undefined);
    return this.start(execution, { parent: first ?? null, links });
  }

  /**
   * Starts the span of a sub-workflow inside the span of its step. @param earlier its span in an
   * earlier run.
   */
  startChild(execution: RecordedExecution, parent: SpanContext, earlier: SpanContext | undefined): WorkflowSpan {
    return this.#startSpan(execution, { parent, links: earlier === undefined ? [] : [earlier] });
  }

  /** Starts the trace of a new execution that replays another one from a step on. */
  startReplay(execution: RecordedExecution, { metadata }: Pick<Execution, 'metadata'>): WorkflowSpan {
    const links = [readSpanContext(metadata), this.recorder.active()].filter((link) => link !== undefined);
    return this.start(execution, { parent: null, links });
  }

  /** A run has ended, and the execution will continue. */
  runEnded(executionId: string, { context: { spanId, traceId } }: Span): void {
    remember(this.#latest, executionId, { traceId, spanId });
  }

  executionEnded(executionId: string): void {
    this.#latest.delete(executionId);
    this.#resumers.delete(executionId);
  }

  /** @param resumer the span that resumed the execution; default: the active span. */
  resumedBy(executionId: string, resumer: SpanContext | undefined): void {
    const by = resumer ?? this.recorder.active();
    if (by !== undefined) remember(this.#resumers, executionId, { traceId: by.traceId, spanId: by.spanId });
  }

  /** Whether inputs and outputs of the executions of a workflow are recorded. */
  recordsContentOf(workflowId: string): boolean {
    return this.recorder.recordsContent && !withoutContent.has(workflowId);
  }

  #startSpan(execution: RecordedExecution, origin: SpanOrigin & { readonly isEntry?: boolean }): WorkflowSpan {
    const input = this.recordsContentOf(execution.workflowId) ? execution.input : undefined;
    const span = this.recorder.start({
      ...origin,
      name: `workflow ${execution.workflowId}`,
      attributes: workflowAttributes(execution),
      ...(input !== undefined && { describe: () => inputAndOutput(input, undefined) }),
    });
    return { span, input };
  }
}

/** Undefined where nothing is recorded. */
export function workflowTraces({ clock, recorder }: AgentServices): WorkflowTraces | undefined {
  return recorder && new WorkflowTraces({ clock, recorder });
}

/** Metadata with the ids of the span in which the execution was created. */
export function withTrace(metadata: JsonObject, started: WorkflowSpan | undefined): JsonObject {
  if (started === undefined) return metadata;
  const { isSampled, spanId, traceId } = started.span.context;
  return { ...metadata, traceId, spanId, ...(isSampled === false && { traceFlags: unsampled }) };
}

/** Metadata of an execution without the ids of its span. */
export function withoutTrace({ spanId: _, traceFlags: __, traceId: ___, ...metadata }: JsonObject): JsonObject {
  return metadata;
}

/** The span in which an execution was created. Undefined where that was not recorded. */
export function readSpanContext({ spanId, traceFlags, traceId }: JsonObject): SpanContext | undefined {
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return undefined;
  if (!/^[0-9a-f]{32}$/.test(traceId) || !/^[0-9a-f]{16}$/.test(spanId)) return undefined;
  return { traceId, spanId, ...(traceFlags === unsampled && { isSampled: false }) };
}

const unsampled = '00';

/** The span covers only the creation: the runs of other processes have spans of their own. */
function endPending({ since, span }: PendingSpan): void {
  span.end({ endTime: since });
}

/** Forgets the oldest entry when there are too many. */
function remember(map: Map<string, SpanContext>, executionId: string, context: SpanContext): void {
  map.delete(executionId);
  map.set(executionId, context);
  if (map.size <= maxRemembered) return;
  const { value } = map.keys().next();
  if (value !== undefined) map.delete(value);
}
