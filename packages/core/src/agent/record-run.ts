import { ObjectNotGeneratedError, spanKinds, type Span } from '@halyard/contracts';
import type { AgentInput } from '../model/message.ts';
import type { RunRecording } from '../telemetry/record-memory.ts';
import { spanName } from '../telemetry/span-name.ts';
import { userAttribute } from '../telemetry/user-attribute.ts';
import type { RunContext, RunOptions } from './agent-options.ts';
import type { AgentServices } from './agent-services.ts';
import type { Agent } from './agent.ts';
import { ModelCallDetails } from './model-call-details.ts';
import type { RunOutcome } from './run-agent.ts';
import { RunDetails } from './run-details.ts';
import { RunAtRest } from './run-rests.ts';
import type { Run } from './run.ts';
import type { StepOutcome } from './step-reader.ts';

/** Begins the span of a run. Undefined where nothing is recorded. */
export function beginRecording(
  agent: Agent,
  { parent: worksFor, traceParent, user }: RunOptions,
  { conversationId, userId }: RunContext,
  { recorder }: AgentServices,
  operation: string,
): RunRecording | undefined {
  if (recorder === undefined) return undefined;
  const details = new RunDetails(agent, operation, conversationId, userAttribute(user, userId));
  const near = worksFor?.span ?? recorder.active();
  const span = recorder.start({
    name: spanName('invoke_agent', agent.name),
    parent: near ?? traceParent ?? null,
    isEntry: near === undefined,
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

/** Says in the span of the run what comes of it, and ends it. */
export async function recordRun(
  run: Run,
  { details, recorder, span }: RunRecording,
  work: () => Promise<RunOutcome>,
): Promise<RunOutcome> {
  const isTold = span.isRecording && recorder.recordsContent;
  // With answers to settle, its last message may be replaced.
  if (isTold) details.asked(run.answers.length > 0 ? [...run.prompt] : run.prompt);
  try {
    const outcome = await work();
    const { finishReason, text, usage } = outcome.result;
    if (isTold) details.answered(text);
    details.ended(usage, finishReason);
    const isUnfit = run.object !== undefined && (await run.object.complaint(outcome.lastText)) !== undefined;
    if (isUnfit) span.end({ error: new ObjectNotGeneratedError(run.agent.id) });
    else span.end();
    return outcome;
  } catch (error) {
    // Who rests goes on in another span; so does what was taken over.
    const isLeft = error instanceof RunAtRest || run.journal.isOver?.() === true;
    details.ended(run.usage(), isLeft ? 'tool-calls' : undefined);
    span.end(isLeft ? {} : { error });
    throw error;
  }
}

/** The span of a model call, and what it says. */
export interface ModelCallRecording {
  readonly span: Span;
  readonly details: ModelCallDetails;
}

/** Begins the span of a model call. Undefined where nothing is recorded. */
export function beginModelCall(run: Run, step: number): ModelCallRecording | undefined {
  const { conversationId, models, prompt, recording, settings } = run;
  if (recording?.span.isRecording !== true) return undefined;
  const { recorder, span: parent } = recording;
  const [model] = models;
  const told = recorder.recordsContent ? prompt : undefined;
  const details = new ModelCallDetails(model, step, settings, conversationId, told);
  const name = spanName('chat', model?.modelId ?? 'unknown');
  return { span: recorder.start({ name, kind: spanKinds.client, parent: parent.context, details }), details };
}

export function endModelCall({ details, span }: ModelCallRecording, outcome: StepOutcome): void {
  details.ended(outcome);
  span.end();
}
