import {
  type ErrorOutcome,
  isHalyardError,
  outcomeOfError,
  type Recorder,
  type Span,
  type SpanContext,
} from '@halyard/contracts';
import type { AgentServices } from '../agent/agent-services.ts';
import type { UnaskedCall } from '../agent/approvals/approvals.ts';
import type { JSONValue } from '../model/providers/model-port.ts';
import { toolCallAttributes, toolContent } from '../telemetry/attributes/tool-call.ts';
import { userAttribute } from '../telemetry/attributes/user.ts';
import { CorrelatedLogger, toTraceIds } from '../telemetry/correlated-logger.ts';
import { describeLater } from '../telemetry/describe-later.ts';
import type { RunEnd } from '../telemetry/run-metrics.ts';
import { type OnPreliminary, runTool } from './run-tool.ts';
import type { Tool } from './tool.ts';

export interface RecordedToolOptions {
  /** Absent: nothing is recorded. */
  readonly recorder: Recorder | undefined;
  /** The parent span. Default: the active one. */
  readonly parent?: SpanContext | undefined;
  /** The calling service's span; the parent where this process has none. */
  readonly traceParent?: SpanContext | undefined;
  /** Whether an error that was thrown is a failure of the tool. Default: it is. */
  readonly isFailure?: ((error: unknown) => boolean) | undefined;
  readonly onPreliminary?: OnPreliminary | undefined;
  /** Why a call runs although its tool asks for approval. */
  readonly unasked?: UnaskedCall | undefined;
  /** Counts the call. Absent: it is not counted. */
  readonly services?: Pick<AgentServices, 'clock' | 'metrics'> | undefined;
}

type Call = Parameters<typeof runTool>;

/**
 * {@link runTool} in a span, which is active while the tool runs, and counted. @throws its errors.
 */
export async function runToolRecorded(
  tool: Tool,
  input: unknown,
  context: Call[2],
  limitMs: number,
  options: RecordedToolOptions,
): Promise<JSONValue> {
  const { isFailure, services } = options;
  if (services?.metrics === undefined) return runInSpan(tool, input, context, limitMs, options);
  const { clock, metrics } = services;
  const startedAt = clock.now();
  let end: RunEnd = 'completed';
  try {
    return await runInSpan(tool, input, context, limitMs, options);
  } catch (error) {
    end = isFailure?.(error) === false ? 'suspended' : toOutcome(error, context.signal);
    throw error;
  } finally {
    metrics.toolCallEnded({ toolName: tool.name, end, durationMs: clock.now() - startedAt });
  }
}

async function runInSpan(
  tool: Tool,
  input: unknown,
  context: Call[2],
  limitMs: number,
  { isFailure, onPreliminary, parent: given, recorder, traceParent, unasked }: RecordedToolOptions,
): Promise<JSONValue> {
  if (recorder === undefined) return runTool(tool, input, context, limitMs, onPreliminary);
  const localParent = given ?? recorder.active();
  const { conversationId, toolCallId, user, userId: named } = context;
  const userId = userAttribute(user, named);
  const span = recorder.start({
    name: `execute_tool ${tool.name}`,
    parent: localParent ?? traceParent ?? null,
    isEntry: localParent === undefined,
    attributes: toolCallAttributes({ toolName: tool.name, toolCallId, conversationId, userId, unasked }),
    ...(recorder.recordsContent && { describe: () => toolContent(input, undefined) }),
  });
  const isRecorded = span.isRecording && recorder.recordsContent;
  try {
    const output = await span.run(() =>
      runTool(tool, input, contextWithin(span, tool, context, recorder), limitMs, onPreliminary),
    );
    span.end(isRecorded ? describedContent(input, output) : {});
    return output;
  } catch (error) {
    span.end(isFailure?.(error) === false ? {} : { error, outcome: toOutcome(error, context.signal) });
    throw error;
  }
}

/**
 * A tool may throw anything when its signal aborts it; the reason tells whether a time limit did.
 */
function toOutcome(error: unknown, { aborted, reason }: AbortSignal): ErrorOutcome {
  if (!aborted) return outcomeOfError(error);
  return isHalyardError(reason) ? outcomeOfError(reason) : 'aborted';
}

/**
 * A function of its own: a closure retains all variables that closures of its function use, and
 * those of a call lead to its whole run.
 */
function describedContent(input: unknown, output: JSONValue): ReturnType<typeof describeLater> {
  return describeLater([input, output], () => toolContent(input, output));
}

function contextWithin(span: Span, { name }: Tool, context: Call[2], recorder: Recorder): Call[2] {
  const { logger, parent } = context;
  return {
    ...context,
    recorder,
    logger: new CorrelatedLogger(logger, () => ({ toolName: name, ...toTraceIds(span) })),
    ...(parent !== undefined && { parent: { ...parent, span: span.context } }),
  };
}
