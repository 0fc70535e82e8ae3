import { ObjectNotGeneratedError, spanKinds, type Span } from '@halyard/contracts';
import type { AgentInput } from '../../model/message.ts';
import type { AgentServices } from '../../services/agent-services.ts';
import { ModelCallDetails } from '../../telemetry/attributes/model-call.ts';
import { RunDetails } from '../../telemetry/attributes/run.ts';
import { userAttribute } from '../../telemetry/attributes/user.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import { spanNames } from '../../telemetry/span-names.ts';
import type { RunContext, RunOptions } from '../agent-options.ts';
import type { Agent } from '../agent.ts';
import type { Run, RunResult } from './run.ts';
import type { StepOutcome } from './step-reader.ts';
import { RunSuspended } from './suspensions.ts';

const nameOfRun = spanNames('invoke_agent');
const nameOfCall = spanNames('chat');

/** Begins the span of a run. Undefined where nothing is recorded. @param startTime milliseconds since the epoch. */
export function beginRecording(
  agent: Agent,
  { parent: worksFor, traceParent, user }: RunOptions,
  { conversationId, userId }: RunContext,
  { recorder }: AgentServices,
  operation: string,
  startTime: number,
): RunRecording | undefined {
  if (recorder === undefined) return undefined;
  const details = new RunDetails(agent, operation, conversationId, userAttribute(user, userId));
  const near = worksFor?.span ?? recorder.active();
  const span = recorder.start({
    name: nameOfRun(agent.name),
    parent: near ?? traceParent ?? null,
    isEntry: near === undefined,
    startTime,
    details,
  });
  return { recorder, span, details };
}

/** The request was refused. */
export function endRefused({ details, recorder, span }: RunRecording, input: AgentInput, error: unknown): void {
  if (!span.isRecording) return;
  if (recorder.recordsContent && typeof input === 'string')
    details.asked([{ role: 'user', content: [{ type: 'text', text: input }] }]);
  span.end({ error });
}

/** Says in the span of a run what its model is asked. */
export function recordPrompt(run: Run, { details, recorder, span }: RunRecording): void {
  if (!span.isRecording || !recorder.recordsContent) return;
  // With answers to settle, its last message may be replaced.
  details.asked(run.answers.length > 0 ? [...run.prompt] : run.prompt);
}

/** Says in the span of a run what came of it, and ends it. A promise only where an object has to be looked at. */
export function recordOutcome(
  { agent, object }: Run,
  { details, recorder, span }: RunRecording,
  { answer: { finishReason, text, usage }, lastText }: RunResult,
): Promise<void> | undefined {
  if (span.isRecording && recorder.recordsContent) details.answered(text);
  details.ended(usage, finishReason);
  if (object === undefined) {
    span.end();
    return undefined;
  }
  return object.complaint(lastText).then(
    (complaint) => span.end(complaint === undefined ? {} : { error: new ObjectNotGeneratedError(agent.id) }),
    (error: unknown) => {
      span.end({ error });
      throw error;
    },
  );
}

/** Ends the span of a run that did not come to its end. */
export function recordFailure(run: Run, { details, span }: RunRecording, error: unknown): void {
  // A suspended run continues in another span; so does one that was taken over.
  const isLeft = error instanceof RunSuspended || run.journal.isStale?.() === true;
  details.ended(run.usage.total(), isLeft ? 'tool-calls' : undefined);
  span.end(isLeft ? {} : { error });
}

/** The span of a model call, and what it says. */
export interface ModelCallRecording {
  readonly span: Span;
  readonly details: ModelCallDetails;
}

/** Begins the span of a model call. Undefined where nothing is recorded. @param startTime milliseconds since the epoch. */
export function beginModelCall(run: Run, step: number, startTime: number): ModelCallRecording | undefined {
  const { conversationId, models, prompt, recording, settings } = run;
  if (recording?.span.isRecording !== true) return undefined;
  const { recorder, span: parent } = recording;
  const [model] = models;
  const told = recorder.recordsContent ? prompt : undefined;
  const details = new ModelCallDetails(model, step, settings, conversationId, told);
  const name = nameOfCall(model?.modelId ?? 'unknown');
  return {
    span: recorder.start({ name, kind: spanKinds.client, parent: parent.context, startTime, details }),
    details,
  };
}

export function endModelCall({ details, span }: ModelCallRecording, outcome: StepOutcome): void {
  details.ended(outcome);
  span.end();
}
