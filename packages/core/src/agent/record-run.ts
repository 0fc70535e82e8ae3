import { type Attributes, ObjectNotGeneratedError, spanKinds, type Span } from '@halyard/contracts';
import type { AgentInput } from '../model/message.ts';
import type { ModelCallOptions } from '../model/model-port.ts';
import { boundedJson, ContentBounds } from '../telemetry/bounded-json.ts';
import { OpenAttributes } from '../telemetry/open-attributes.ts';
import { answerContent, promptContent, textPart } from '../telemetry/prompt-content.ts';
import type { RunRecording } from '../telemetry/record-memory.ts';
import { setLater } from '../telemetry/set-later.ts';
import { userAttribute } from '../telemetry/user-attribute.ts';
import type { RunContext, RunOptions } from './agent-options.ts';
import type { AgentServices } from './agent-services.ts';
import type { Agent } from './agent.ts';
import type { RunOutcome } from './run-agent.ts';
import { RunAtRest } from './run-rests.ts';
import type { Run } from './run.ts';
import type { StepOutcome } from './step-reader.ts';
import type { Usage } from './usage.ts';

/** Begins the span of a run. Undefined where nothing is recorded. */
export function beginRecording(
  agent: Agent,
  { parent: worksFor, traceParent, user }: RunOptions,
  { conversationId, userId }: RunContext,
  { recorder }: AgentServices,
  operation: string,
): RunRecording | undefined {
  if (recorder === undefined) return undefined;
  const attributes = new OpenAttributes();
  attributes['entity.type'] = 'agent';
  attributes['entity.id'] = agent.id;
  attributes['gen_ai.operation.name'] = 'invoke_agent';
  attributes['gen_ai.agent.id'] = agent.id;
  attributes['gen_ai.agent.name'] = agent.name;
  attributes['gen_ai.request.model'] = agent.modelName;
  attributes['halyard.operation'] = operation;
  if (conversationId !== undefined) attributes['gen_ai.conversation.id'] = conversationId;
  const owner = userAttribute(user, userId);
  if (owner !== undefined) attributes['user.id'] = owner;
  const near = worksFor?.span ?? recorder.active();
  const span = recorder.start({
    name: `invoke_agent ${agent.name}`,
    parent: near ?? traceParent ?? null,
    isEntry: near === undefined,
    attributes,
  });
  return { recorder, span, asked: undefined };
}

/** The request was refused. */
export function endRefused({ recorder, span }: RunRecording, input: AgentInput, error: unknown): void {
  if (!span.isRecording) return;
  if (recorder.recordsContent && typeof input === 'string')
    setLater(span, () => ({
      'gen_ai.input.messages': boundedJson(new ContentBounds().copy([{ role: 'user', parts: [textPart(input)] }])),
    }));
  span.end({ error });
}

/** Runs it in its span, which ends with it. */
export async function recordRun(
  run: Run,
  recording: RunRecording,
  work: () => Promise<RunOutcome>,
): Promise<RunOutcome> {
  const { recorder, span } = recording;
  const isTold = span.isRecording && recorder.recordsContent;
  if (isTold) {
    // It grows with each step.
    const asked = [...run.prompt];
    const content = once(() => promptContent(asked));
    // Its first model call is asked the same.
    if (run.answers.length === 0) recording.asked = content;
    setLater(span, content);
  }
  try {
    const outcome = await span.run(work);
    const { finishReason, text, usage } = outcome.result;
    if (isTold) setLater(span, () => answerContent([{ type: 'text', text }], finishReason));
    const attributes = usageAttributes(usage);
    attributes['gen_ai.response.finish_reasons'] = [finishReason];
    const isUnfit = run.object !== undefined && (await run.object.complaint(outcome.lastText)) !== undefined;
    span.end({ attributes, ...(isUnfit && { error: new ObjectNotGeneratedError(run.agent.id) }) });
    return outcome;
  } catch (error) {
    const attributes = usageAttributes(run.usage());
    // Who rests goes on in another span; so does what was taken over.
    const isLeft = error instanceof RunAtRest || run.journal.isOver?.() === true;
    if (isLeft) attributes['gen_ai.response.finish_reasons'] = ['tool-calls'];
    span.end(isLeft ? { attributes } : { attributes, error });
    throw error;
  }
}

/** Begins the span of a model call. Undefined where nothing is recorded. */
export function beginModelCall(run: Run, step: number, call: ModelCallOptions): Span | undefined {
  const { conversationId, models, recording } = run;
  if (recording?.span.isRecording !== true) return undefined;
  const [model] = models;
  const name = model?.modelId ?? 'unknown';
  const attributes = new OpenAttributes();
  attributes['gen_ai.operation.name'] = 'chat';
  attributes['gen_ai.provider.name'] = providerName(model?.provider);
  attributes['gen_ai.request.model'] = name;
  attributes['halyard.step'] = step;
  if (conversationId !== undefined) attributes['gen_ai.conversation.id'] = conversationId;
  if (call.temperature !== undefined) attributes['gen_ai.request.temperature'] = call.temperature;
  if (call.maxOutputTokens !== undefined) attributes['gen_ai.request.max_tokens'] = call.maxOutputTokens;
  if (call.topP !== undefined) attributes['gen_ai.request.top_p'] = call.topP;
  if (call.frequencyPenalty !== undefined) attributes['gen_ai.request.frequency_penalty'] = call.frequencyPenalty;
  if (call.presencePenalty !== undefined) attributes['gen_ai.request.presence_penalty'] = call.presencePenalty;
  if (call.seed !== undefined) attributes['gen_ai.request.seed'] = call.seed;
  if (call.stopSequences !== undefined) attributes['gen_ai.request.stop_sequences'] = call.stopSequences;
  const { recorder, span: parent } = recording;
  const span = recorder.start({ name: `chat ${name}`, kind: spanKinds.client, parent: parent.context, attributes });
  const { prompt } = call;
  const shared = step === 0 ? recording.asked : undefined;
  if (recorder.recordsContent) setLater(span, shared ?? (() => promptContent(prompt)));
  return span;
}

export function endModelCall(
  { recording }: Run,
  span: Span,
  { content, finishReason, modelId, usage }: StepOutcome,
): void {
  if (recording?.recorder.recordsContent === true) setLater(span, () => answerContent(content, finishReason));
  const attributes = usageAttributes(usage);
  attributes['gen_ai.response.model'] = modelId;
  attributes['gen_ai.response.finish_reasons'] = [finishReason];
  span.end({ attributes });
}

function once(make: () => Attributes): () => Attributes {
  let made: Attributes | undefined;
  return () => (made ??= make());
}

function usageAttributes({ completionTokens, promptTokens }: Usage): OpenAttributes {
  const attributes = new OpenAttributes();
  attributes['gen_ai.usage.input_tokens'] = promptTokens;
  attributes['gen_ai.usage.output_tokens'] = completionTokens;
  return attributes;
}

/** `openai.responses` → `openai`. */
function providerName(provider = 'unknown'): string {
  const dot = provider.indexOf('.');
  return dot > 0 ? provider.slice(0, dot) : provider;
}
