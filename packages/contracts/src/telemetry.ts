import type { JsonObject } from './json.ts';
import type { Packable } from './packing.ts';

/** As the API of OpenTelemetry numbers them. */
export const spanKinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;
export type SpanKind = (typeof spanKinds)[keyof typeof spanKinds];

/** As the API of OpenTelemetry numbers them. */
export const spanStatusCodes = { unset: 0, ok: 1, error: 2 } as const;
export type SpanStatusCode = (typeof spanStatusCodes)[keyof typeof spanStatusCodes];

export type AttributeValue = string | number | boolean | readonly string[] | readonly number[] | readonly boolean[];

/** What is said of a span, by the names of OpenTelemetry's semantic conventions. */
export interface Attributes {
  readonly [name: string]: AttributeValue | undefined;
}

/** Names a span, here or in another process. W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface SpanContext {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** False where its caller decided that nothing of this trace is recorded. Default: true. */
  readonly isSampled?: boolean;
}

/** One piece of work, as it is kept. Times are milliseconds since the epoch. One that has ended may be packed, where it says how. */
export interface SpanRecord extends Partial<Packable<SpanRecord>> {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /**
   * Where a piece of work entered this service: the first span of a trace here, and the first of each later stretch of it, such as a workflow that goes on
   * after it was suspended. The earliest entry is the root of its trace, the latest one says how the trace stands.
   */
  readonly isEntry: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: number;
  /** Null while it runs. */
  readonly endTime: number | null;
  readonly attributes: Attributes;
  readonly status: { readonly code: SpanStatusCode; readonly message?: string };
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly resource: Attributes;
  readonly instrumentationScope: { readonly name: string; readonly version?: string };
  /** Where a part of `attributes` is made only when they are read: what they say without it. */
  readonly briefAttributes?: Attributes;
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

/** One line of a log, in OpenTelemetry's data model. */
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
  /** What was logged beside the text. `agentId`, `workflowId`, `executionId`, `conversationId` and `userId` can be asked for. */
  readonly attributes: JsonObject;
}

/** How a span is begun. */
export interface NewSpan {
  readonly name: string;
  /** Default: internal. */
  readonly kind?: SpanKind;
  /** Default: the span that the calling code runs in; null: none, it begins a trace. */
  readonly parent?: SpanContext | null | undefined;
  /** Its parent is elsewhere, in another process or in the past. A span without a parent is an entry in any case. */
  readonly isEntry?: boolean;
  readonly links?: readonly SpanContext[] | undefined;
  /** In milliseconds since the epoch; default: now. */
  readonly startTime?: number;
  /** Taken over as it is: it must not change afterwards. */
  readonly attributes?: Attributes;
  /** Says more. What `attributes` and `setAttributes` say wins. */
  readonly details?: SpanDetails;
}

/**
 * What is said of a span, put into words when somebody looks: nobody may ever do. It may say more while the span runs; from the span's end on it says the same.
 * A recorder whose spans go elsewhere at once asks when the span begins and when it ends.
 */
export interface SpanDetails extends Partial<Packable<SpanDetails>> {
  /** What costs little to say. */
  toAttributes(): Attributes;
  /** Prompts, answers, arguments and results. */
  toContent(): Attributes | undefined;
}

/** A span that has begun. Nothing is thrown, and once it has ended nothing changes it. */
export interface Span {
  readonly context: SpanContext;
  /** False: nobody wants to know. What is expensive to tell need not be put together. */
  readonly isRecording: boolean;
  setAttributes(attributes: Attributes): void;
  addEvent(name: string, attributes?: Attributes): void;
  /**
   * @param end `error` makes it a failed span: its class goes into `error.type`, its message into the status.
   * `endTime` in milliseconds since the epoch, default now.
   */
  end(end?: { readonly error?: unknown; readonly attributes?: Attributes; readonly endTime?: number }): void;
  /** Calls `work` with this span as the active one, in what it awaits too: spans that name no parent are its children. */
  run<Result>(work: () => Result): Result;
}

/** Makes spans. One for a server, chosen when it starts; where there is none, nothing is recorded. */
export interface Recorder {
  /** Whether prompts, answers, arguments and results may be among the attributes. */
  readonly recordsContent: boolean;
  start(span: NewSpan): Span;
  /** The span that the calling code runs in. */
  active(): SpanContext | undefined;
}

/** Where recorders tell of spans, and loggers of lines. Returns at once, and never throws. */
export interface TelemetrySink {
  spanStarted(span: SpanRecord): void;
  /** The same span, complete. */
  spanEnded(span: SpanRecord): void;
  logged(log: LogRecord): void;
}

/** Makes the recorder of a server: what an app passes in whose spans go elsewhere too. */
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
  /** Of the service: `service.name`, `service.version`. */
  readonly resource: Attributes;
}

export interface OpenRecorder {
  readonly recorder: Recorder;
  /** Sends a line of the log where the spans go too. */
  readonly exportLog?: (log: LogRecord) => void;
  /** Sends what waits to be sent, within its own time limit. */
  close(): Promise<void>;
}
