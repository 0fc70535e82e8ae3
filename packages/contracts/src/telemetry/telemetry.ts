import type { JsonObject } from '../json.ts';
import type { ErrorOutcome } from './error-outcome.ts';
import type { MetricSource } from './metrics.ts';

/** The numbers of OpenTelemetry's API. */
export const spanKinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;
export type SpanKind = (typeof spanKinds)[keyof typeof spanKinds];

/** The numbers of OpenTelemetry's API. */
export const spanStatusCodes = { unset: 0, ok: 1, error: 2 } as const;
export type SpanStatusCode = (typeof spanStatusCodes)[keyof typeof spanStatusCodes];

export type AttributeValue = string | number | boolean | readonly string[] | readonly number[] | readonly boolean[];

/** Attributes by the names of OpenTelemetry's semantic conventions. */
export interface Attributes {
  readonly [name: string]: AttributeValue | undefined;
}

/**
 * Identifies a span of this or another process. W3C Trace Context,
 * https://www.w3.org/TR/trace-context/.
 */
export interface SpanContext {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** False where the caller decided that nothing of this trace is recorded. Default: true. */
  readonly isSampled?: boolean;
}

/**
 * One piece of work. A record never changes; a span that has ended is a new record. Times are
 * milliseconds since the epoch.
 */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /**
   * Whether work enters this service here: the first span of a trace, and the first span each time
   * the work continues later, such as a workflow that continues after a suspension. The earliest
   * entry is the root of its trace; the latest entry decides the status of the trace.
   */
  readonly isEntry: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: number;
  /** Null while it runs. */
  readonly endTime: number | null;
  /**
   * Without the attributes that `describe` computes. The attributes that stores filter by are
   * always here: `entity.type`, `entity.id`, `user.id`; and those that they count of model calls:
   * `gen_ai.operation.name`, `gen_ai.request.model`, `gen_ai.agent.id`, `gen_ai.usage.*`, and
   * `halyard.workflow.id`, the nearest workflow that the call is part of.
   */
  readonly attributes: Attributes;
  /**
   * Computes further attributes. Code that stores, shows or exports a span calls `describedSpan`,
   * at the latest when the span is read.
   */
  readonly describe?: (() => Attributes) | undefined;
  /** About how many bytes `describe` retains, for stores that count memory. */
  readonly describeBytes?: number | undefined;
  readonly status: { readonly code: SpanStatusCode; readonly message?: string };
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly resource: Attributes;
  readonly instrumentationScope: { readonly name: string; readonly version?: string };
}

export interface SpanEvent {
  readonly name: string;
  readonly time: number;
  readonly attributes?: Attributes;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes?: Attributes;
}

/** One log line, in OpenTelemetry's data model. */
export interface LogRecord {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly traceId: string | null;
  readonly spanId: string | null;
  /** 1 to 24: 1 trace, 5 debug, 9 info, 13 warn, 17 error, 21 fatal. */
  readonly severityNumber: number;
  /** `TRACE`, `DEBUG`, `INFO`, `WARN`, `ERROR`, `FATAL`. */
  readonly severityText: string;
  readonly body: string;
  /**
   * The fields that were logged with the text. Logs can be filtered by `agentId`, `workflowId`,
   * `executionId`, `conversationId` and `userId`.
   */
  readonly attributes: JsonObject;
}

export interface NewSpan {
  readonly name: string;
  /** Default: internal. */
  readonly kind?: SpanKind;
  /** Default: the active span; null: none, the span starts a trace. */
  readonly parent?: SpanContext | null | undefined;
  /**
   * Whether the span is a request: its parent is in another process, or has already ended. Default:
   * whether it has no parent.
   */
  readonly isEntry?: boolean;
  readonly links?: readonly SpanContext[] | undefined;
  /** Milliseconds since the epoch; default: now. */
  readonly startTime?: number;
  readonly attributes?: Attributes;
  /**
   * Computes further attributes: called when the running span is read, and when it ends without
   * another `describe`.
   */
  readonly describe?: (() => Attributes) | undefined;
}

export interface SpanEnd {
  /**
   * Its class becomes `error.type`, its message that of the status. The span has failed, unless
   * {@link outcomeOfError} tells that it was aborted or refused: then its status code stays unset,
   * and the attribute `halyard.outcome` is `aborted` or `refused`.
   */
  readonly error?: unknown;
  /** How the work ended that threw `error`. Default: by the class of the error. */
  readonly outcome?: ErrorOutcome | undefined;
  readonly attributes?: Attributes;
  /**
   * Replaces the `describe` of the start. It is called when the span is read, so it must retain
   * little memory.
   */
  readonly describe?: (() => Attributes) | undefined;
  readonly describeBytes?: number | undefined;
  /** Milliseconds since the epoch; default: now. */
  readonly endTime?: number | undefined;
}

/** A started span. Its methods never throw, and have no effect after it has ended. */
export interface Span {
  readonly context: SpanContext;
  /** False when nothing is recorded: attributes that are expensive to compute can be left out. */
  readonly isRecording: boolean;
  setAttributes(attributes: Attributes): void;
  /**
   * @param content attributes that may contain texts of users, models and tools: recorded only
   * where content is.
   */
  addEvent(name: string, attributes?: Attributes, content?: Attributes): void;
  end(end?: SpanEnd): void;
  /**
   * Calls `work` with this span as the active one, including everything that `work` starts
   * asynchronously.
   */
  run<Result>(work: () => Result): Result;
}

/** Creates spans. A server chooses one when it starts; without one, nothing is recorded. */
export interface Recorder {
  /** Whether spans may contain prompts, replies, arguments, results and messages of errors. */
  readonly recordsContent: boolean;
  start(span: NewSpan): Span;
  /** The span that the calling code runs in. */
  active(): SpanContext | undefined;
}

/** Receives spans from recorders, and lines from loggers. Returns at once, and never throws. */
export interface TelemetrySink {
  spanStarted(span: SpanRecord): void;
  /** The complete record of a span that was started before. */
  spanEnded(span: SpanRecord): void;
  logged(log: LogRecord): void;
}

/**
 * Creates the recorder of a server. An app passes one in when its spans are also sent elsewhere.
 */
export interface RecorderFactory {
  createRecorder(options: RecorderOptions): Promise<OpenRecorder> | OpenRecorder;
}

export interface RecorderOptions {
  readonly sink: TelemetrySink;
  readonly recordsContent: boolean;
  readonly clock: { now(): number };
  readonly logger: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Describes the service: `service.name`, `service.version`. */
  readonly resource: Attributes;
}

export interface OpenRecorder {
  readonly recorder: Recorder;
  /** Sends a log line to where the spans are exported. */
  readonly exportLog?: (log: LogRecord) => void;
  /** Exports these metrics at an interval, until it is closed. Absent: it exports no metrics. */
  readonly exportMetrics?: (source: MetricSource) => void;
  /** Sends everything that is still waiting, within a time limit. */
  close(): Promise<void>;
}
