import { ObjectNotGeneratedError, type Recorder, type Span, type SpanEnd, spanKinds } from '@halyard/contracts';
import type { AgentInput } from '../../model/messages/message.ts';
import type { Prompt } from '../../model/providers/model-port.ts';
import { activeWorkflowId } from '../../telemetry/active-workflow.ts';
import {
  describeModelCall,
  modelCallAttributes,
  type RecordedModelCall,
} from '../../telemetry/attributes/model-call.ts';
import { describeRun, type RunDetails, runAttributes, usageAttributes } from '../../telemetry/attributes/run.ts';
import { userAttribute } from '../../telemetry/attributes/user.ts';
import { describeLater } from '../../telemetry/describe-later.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import type { RunContext, InternalRunOptions } from '../agent-options.ts';
import type { AgentServices } from '../agent-services.ts';
import type { Agent } from '../agent.ts';
import type { TextResult } from '../run-result.ts';
import type { Run, RunDependencies, RunDialogue, RunIdentity } from './run.ts';
import type { StepOutcome } from './step/step-reader.ts';
import { RunSuspended } from './suspensions.ts';

/**
 * Starts the span of a run. Undefined where nothing is recorded. @param startTime milliseconds
 * since the epoch.
 */
export function beginRecording(
  agent: Agent,
  { isRequest, parent: parentRun, traceParent, user }: InternalRunOptions,
  { conversationId, userId }: RunContext,
  { recorder }: AgentServices,
  operation: string,
  startTime: number,
): RunRecording | undefined {
  if (recorder === undefined) return undefined;
  const details: RunDetails = { agent, operation };
  const localParent = parentRun?.span ?? recorder.active();
  const span = recorder.start({
    name: `invoke_agent ${agent.name}`,
    parent: localParent ?? traceParent ?? null,
    isEntry: isRequest ?? localParent === undefined,
    startTime,
    attributes: runAttributes(agent.id, conversationId, userAttribute(user, userId)),
    describe: () => describeRun(details),
  });
  return { recorder, span, details };
}

/** Ends the span of a run whose request was refused. */
export function endRefused({ details, recorder, span }: RunRecording, input: AgentInput, error: unknown): void {
  if (recorder.recordsContent && typeof input === 'string')
    details.prompt = [{ role: 'user', content: [{ type: 'text', text: input }] }];
  endRun(span, details, { error });
}

/** Records the first prompt of the run: later steps extend it. */
export function recordPrompt({ prompt }: RunDialogue, { details, recorder, span }: RunRecording): void {
  if (span.isRecording && recorder.recordsContent) details.prompt = [...prompt];
}

/**
 * Ends the span of a run that has completed, where it is recorded. @returns whether it has failed,
 * because its object does not fit.
 */
export async function recordOutcome({ dependencies, identity, output }: Run, result: TextResult): Promise<boolean> {
  const { agent } = dependencies;
  const { recording } = identity;
  const { object } = output;
  const { finishReason, fullText, text, usage } = result;
  if (recording !== undefined) {
    const { details, recorder } = recording;
    if (recorder.recordsContent) details.reply = fullText;
    details.usage = usage;
    details.finishReason = finishReason;
  }
  const end = (failure: SpanEnd = {}): void => {
    if (recording !== undefined) endRun(recording.span, recording.details, failure);
  };
  try {
    const complaint = object && (await object.complaint(text));
    end(complaint === undefined ? {} : { error: new ObjectNotGeneratedError(agent.id, result) });
    return complaint !== undefined;
  } catch (error) {
    end({ error });
    throw error;
  }
}

/** Ends the span of a run that failed, was suspended, or is continued by another process. */
export function recordFailure({ dependencies, output }: Run, { details, span }: RunRecording, error: unknown): void {
  const isContinuedLater = error instanceof RunSuspended || dependencies.journal.isStale?.() === true;
  details.usage = output.usage.total();
  if (isContinuedLater) details.finishReason = 'tool-calls';
  endRun(span, details, isContinuedLater ? {} : { error });
}

function endRun(span: Span, details: RunDetails, end: SpanEnd = {}): void {
  if (!span.isRecording) return;
  span.end({ ...end, ...describeLater([details.prompt, details.reply], () => describeRun(details)) });
}

/** The span of a model call. */
export interface ModelCallRecording {
  readonly span: Span;
  readonly call: RecordedModelCall;
}

/**
 * Starts the span of a model call. Undefined where nothing is recorded.
 *
 * @param step undefined for a call that is no step of the run.
 * @param startTime milliseconds since the epoch.
 */
export function beginModelCall(
  { conversationId, recording }: Pick<RunIdentity, 'conversationId' | 'recording'>,
  asked: Pick<RunDependencies, 'modelTools' | 'models' | 'settings'>,
  step: number | undefined,
  prompt: Prompt,
  startTime: number,
): ModelCallRecording | undefined {
  if (recording?.span.isRecording !== true) return undefined;
  const call = recordedCall(asked, step, prompt, recording.recorder);
  const span = recording.recorder.start({
    name: `chat ${call.model?.modelId ?? 'unknown'}`,
    kind: spanKinds.client,
    parent: recording.span.context,
    startTime,
    attributes: modelCallAttributes({
      agentId: recording.details.agent.id,
      modelId: call.model?.modelId,
      provider: call.model?.provider,
      conversationId,
      workflowId: activeWorkflowId(),
    }),
    describe: () => describeModelCall(call),
  });
  return { span, call };
}

/**
 * The stored span retains only the data of its attributes: the rest of an outcome, such as its
 * sources, may be large and is not counted.
 */
export function endModelCall({ call, span }: ModelCallRecording, outcome: StepOutcome): void {
  const { finishReason, modelId, responseId, usage } = outcome;
  const content = call.prompt === undefined ? undefined : outcome.content;
  const reply = { finishReason, modelId, content, ...(responseId !== undefined && { responseId }) };
  span.end({
    attributes: usageAttributes(usage),
    ...describeLater([call.prompt, call.settings, reply], () => describeModelCall(call, reply)),
  });
}

function recordedCall(
  { modelTools, models, settings }: Pick<RunDependencies, 'modelTools' | 'models' | 'settings'>,
  step: number | undefined,
  prompt: Prompt,
  recorder: Recorder,
): RecordedModelCall {
  const [model] = models;
  return { model, step, settings, tools: modelTools, prompt: recorder.recordsContent ? prompt : undefined };
}
