import type { Recorder, Span, SpanContext } from '@halyard/contracts';
import type { JSONValue } from '../model/model-port.ts';
import { boundedText } from '../telemetry/bounded-json.ts';
import { CorrelatedLogger } from '../telemetry/correlated-logger.ts';
import { OpenAttributes } from '../telemetry/open-attributes.ts';
import { setLater } from '../telemetry/set-later.ts';
import { userAttribute } from '../telemetry/user-attribute.ts';
import { runTool } from './run-tool.ts';
import type { Tool } from './tool.ts';

export interface RecordedToolOptions {
  /** Absent: nothing is recorded. */
  readonly recorder: Recorder | undefined;
  /** The span that the call belongs to. Default: the one that the calling code runs in. */
  readonly parent?: SpanContext | undefined;
  /** The span of another service that asked for the call, where it belongs to none here. */
  readonly traceParent?: SpanContext | undefined;
  /** Whether what was thrown is a failure of the tool. Default: it is. */
  readonly isFailure?: (error: unknown) => boolean;
}

type Call = Parameters<typeof runTool>;

/** {@link runTool} in a span of its own, which the tool's code runs in. @throws what that throws. */
export async function runToolRecorded(
  tool: Tool,
  input: unknown,
  context: Call[2],
  limitMs: number,
  { isFailure, parent: given, recorder, traceParent }: RecordedToolOptions,
): Promise<JSONValue> {
  if (recorder === undefined) return runTool(tool, input, context, limitMs);
  const near = given ?? recorder.active();
  const span = recorder.start({
    name: `execute_tool ${tool.name}`,
    parent: near ?? traceParent ?? null,
    isEntry: near === undefined,
    attributes: toolAttributes(tool, context),
  });
  const isTold = span.isRecording && recorder.recordsContent;
  if (isTold) setLater(span, () => ({ 'gen_ai.tool.call.arguments': boundedText(input) }));
  try {
    const output = await span.run(() => runTool(tool, input, contextWithin(span, tool, context, recorder), limitMs));
    if (isTold) setLater(span, () => ({ 'gen_ai.tool.call.result': boundedText(output) }));
    span.end();
    return output;
  } catch (error) {
    span.end(isFailure?.(error) === false ? {} : { error });
    throw error;
  }
}

function toolAttributes({ name }: Tool, { conversationId, toolCallId, user, userId }: Call[2]): OpenAttributes {
  const attributes = new OpenAttributes();
  attributes['entity.type'] = 'tool';
  attributes['entity.id'] = name;
  attributes['gen_ai.operation.name'] = 'execute_tool';
  attributes['gen_ai.tool.name'] = name;
  attributes['gen_ai.tool.call.id'] = toolCallId;
  attributes['gen_ai.tool.type'] = 'function';
  if (conversationId !== undefined) attributes['gen_ai.conversation.id'] = conversationId;
  const owner = userAttribute(user, userId);
  if (owner !== undefined) attributes['user.id'] = owner;
  return attributes;
}

function contextWithin({ context: at }: Span, { name }: Tool, context: Call[2], recorder: Recorder): Call[2] {
  const { logger, parent } = context;
  const { spanId, traceId } = at;
  return {
    ...context,
    recorder,
    logger: new CorrelatedLogger(logger, { toolName: name, traceId, spanId }),
    ...(parent !== undefined && { parent: { ...parent, span: at } }),
  };
}
