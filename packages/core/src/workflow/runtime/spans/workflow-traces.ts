import type { Execution, JsonObject, Recorder, Span, SpanContext } from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import { type TracedExecution, WorkflowDetails } from '../../../telemetry/attributes/workflow.ts';
import { spanNames } from '../../../telemetry/span-names.ts';

const nameOfWorkflow = spanNames('workflow');

/** The span of a stretch of an execution, and what it says. */
export interface WorkflowSpan {
  readonly span: Span;
  readonly details: WorkflowDetails;
}

interface SpanOrigin {
  /** Default: the span that the calling code runs in; null: it begins a trace. */
  readonly parent?: SpanContext | null | undefined;
  readonly links?: readonly SpanContext[];
  /** Milliseconds since the epoch; default: now. */
  readonly startTime?: number;
}

/** How long a span waits for its execution to be claimed here. */
const greatestWaitMs = 60_000;
const greatestHeld = 10_000;
const greatestRemembered = 10_000;

/**
 * The traces of the executions of one process. An execution is one trace: its first span begins when it is started and goes to the first activation here;
 * each later stretch is a span below that one, which the execution's metadata names.
 */
export class WorkflowTraces {
  readonly recorder: Recorder;
  readonly #now: () => number;
  readonly #held = new Map<string, HeldSpan>();
  /** The latest stretch here of executions that rest, and who had them go on. Elsewhere nobody knows: a link less. */
  readonly #latest = new Map<string, SpanContext>();
  readonly #resumers = new Map<string, SpanContext>();
  #isClosed = false;

  constructor({ clock, recorder }: { readonly clock: AgentServices['clock']; readonly recorder: Recorder }) {
    this.recorder = recorder;
    this.#now = () => clock.now();
  }

  /** A span in which executions enter: of one that begins, or goes on. */
  begin(execution: TracedExecution, origin: SpanOrigin): WorkflowSpan {
    return this.#start(execution, { ...origin, isEntry: true });
  }

  /** The span of an execution that is written, for who runs it first in this process. */
  hold(executionId: string, span: WorkflowSpan, since: number = this.#now()): void {
    const held = new HeldSpan(span, since);
    if (this.#isClosed || this.#held.size >= greatestHeld) held.letGo();
    else this.#held.set(executionId, held);
  }

  /** Another process runs it. */
  release(executionId: string): void {
    this.#held.get(executionId)?.letGo();
    this.#held.delete(executionId);
  }

  /** Lets go of the spans of executions that nobody claimed here. */
  sweep(): void {
    const oldest = this.#now() - greatestWaitMs;
    for (const [executionId, { since }] of this.#held.entries()) if (since <= oldest) this.release(executionId);
  }

  close(): void {
    this.#isClosed = true;
    for (const [executionId] of this.#held.entries()) this.release(executionId);
  }

  /** The span of an activation. */
  stretch(execution: Execution): WorkflowSpan {
    const { epoch, id, metadata } = execution;
    const held = this.#held.get(id);
    const resumer = this.#resumers.get(id);
    this.#resumers.delete(id);
    if (held !== undefined && epoch === 1) {
      this.#held.delete(id);
      return held.begun;
    }
    this.release(id);
    const first = traceOf(metadata);
    const links = [this.#latest.get(id) ?? first, resumer].filter((link) => link !== undefined);
    return this.begin(execution, { parent: first ?? null, links });
  }

  /** A sub-workflow: a span inside that of its step. @param earlier its span of an earlier stretch. */
  beginChild(execution: TracedExecution, parent: SpanContext, earlier: SpanContext | undefined): WorkflowSpan {
    return this.#start(execution, { parent, links: earlier === undefined ? [] : [earlier] });
  }

  /** A new execution from a step of an old one is a trace of its own. */
  beginReplay(execution: TracedExecution, { metadata }: Pick<Execution, 'metadata'>): WorkflowSpan {
    const links = [traceOf(metadata), this.recorder.active()].filter((link) => link !== undefined);
    return this.begin(execution, { parent: null, links });
  }

  /** An activation of it is over, and it has not ended. */
  rested(executionId: string, { context: { spanId, traceId } }: Span): void {
    remember(this.#latest, executionId, { traceId, spanId });
  }

  ended(executionId: string): void {
    this.#latest.delete(executionId);
    this.#resumers.delete(executionId);
  }

  /** Somebody has had it go on. */
  resumedBy(executionId: string, resumer: SpanContext | undefined): void {
    const by = resumer ?? this.recorder.active();
    if (by !== undefined) remember(this.#resumers, executionId, { traceId: by.traceId, spanId: by.spanId });
  }

  #start(execution: TracedExecution, origin: SpanOrigin & { readonly isEntry?: boolean }): WorkflowSpan {
    const name = nameOfWorkflow(execution.workflowId);
    const details = new WorkflowDetails(execution, this.recorder.recordsContent ? execution.input : undefined);
    return { span: this.recorder.start({ ...origin, name, details }), details };
  }
}

/** Undefined where nothing is recorded. */
export function workflowTraces({ clock, recorder }: AgentServices): WorkflowTraces | undefined {
  return recorder && new WorkflowTraces({ clock, recorder });
}

/** Metadata that names the span in which the execution began. */
export function withTrace(metadata: JsonObject, begun: WorkflowSpan | undefined): JsonObject {
  if (begun === undefined) return metadata;
  const { isSampled, spanId, traceId } = begun.span.context;
  return { ...metadata, traceId, spanId, ...(isSampled === false && { traceFlags: unsampled }) };
}

/** Metadata of an execution without what names its span. */
export function withoutTrace({ spanId: _, traceFlags: __, traceId: ___, ...metadata }: JsonObject): JsonObject {
  return metadata;
}

/** The span in which an execution began. Undefined where that was not recorded. */
export function traceOf({ spanId, traceFlags, traceId }: JsonObject): SpanContext | undefined {
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return undefined;
  if (!/^[0-9a-f]{32}$/.test(traceId) || !/^[0-9a-f]{16}$/.test(spanId)) return undefined;
  return { traceId, spanId, ...(traceFlags === unsampled && { isSampled: false }) };
}

const unsampled = '00';

class HeldSpan {
  readonly begun: WorkflowSpan;
  readonly since: number;

  constructor(begun: WorkflowSpan, since: number) {
    this.begun = begun;
    this.since = since;
  }

  /** It ends as it began: what came of the execution is told by the spans of who ran it. */
  letGo(): void {
    this.begun.span.end({ endTime: this.since });
  }
}

/** Of more than there is room for, those that were told last. */
function remember(map: Map<string, SpanContext>, executionId: string, context: SpanContext): void {
  map.delete(executionId);
  map.set(executionId, context);
  if (map.size <= greatestRemembered) return;
  const { value } = map.keys().next();
  if (value !== undefined) map.delete(value);
}
