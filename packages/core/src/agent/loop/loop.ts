import { withOrigin } from '../../model/prompt/reply-origin.ts';
import type { FinishReason } from '../agent-event.ts';
import type { TextResult } from '../run-result.ts';
import { denyApprovals, waitsForApproval } from '../tools/provider-approvals.ts';
import { runDecidedCalls, runCalls } from '../tools/run-call.ts';
import { deliveryKeys, type PlannedCall } from '../tools/tool-call.ts';
import { addHistory } from './add-history.ts';
import { modelKey } from './journal.ts';
import { messageMetadata } from './message-metadata.ts';
import { NextSteps } from './next-step.ts';
import { repeatMessage } from './repeat-message.ts';
import type { Run, RunDialogue } from './run.ts';
import { modelStep } from './step/model-step.ts';
import { StepPreparation } from './step/step-preparation.ts';
import type { StepOutcome } from './step/step-reader.ts';
import type { EndedStep } from './step/step-result.ts';

/**
 * The agent loop: calls the model, runs the tools that it asks for, and repeats this until the
 * model is done, a call waits for a person or the client, or the steps are used up. Text, stream,
 * chat and object share it.
 *
 * @throws RunSuspended for a run that waits in a workflow; whatever else the run fails with, which
 * its caller emits.
 */
export async function runSteps(run: Run): Promise<TextResult> {
  const { conversation, output } = run;
  const { events, tally } = output;
  const { storedReply, writer } = conversation;
  if (storedReply !== undefined) return repeatMessage(run, storedReply);
  const start = events.for(['run']);
  await start.emit({ type: 'start', ...messageMetadata(run, { type: 'start' }) });
  await start.callHook('onStart', (hooks, hookRun) => hooks.onStart?.(hookRun));
  await addHistory(run);
  writer?.begin();

  const { prepareStep } = run.dependencies.loop;
  const preparation = prepareStep && new StepPreparation(run, prepareStep);
  const { approvalResponses, delegations } = conversation;
  const hasResponses = approvalResponses.length > 0 || delegations.length > 0;
  const isWaiting = (hasResponses && (await addApprovalResponses(run))) || conversation.isWaiting;
  const finishReason = isWaiting ? 'tool-calls' : await repeatSteps(run, preparation);
  const usage = output.usage.total();
  const result = tally.result(run, finishReason, usage);
  const { fullText, text } = result;
  const finish = { type: 'finish', finishReason, usage } as const;
  const added = messageMetadata(run, { ...finish, steps: result.steps });
  writer?.addMetadata(added.messageMetadata);
  // The reply is stored before its end is announced.
  await writer?.end();
  await events.emit({ ...finish, ...added });
  await events.callHook('onEnd', (hooks, hookRun) => hooks.onEnd?.(hookRun, { text, fullText, finishReason, usage }));
  return result;
}

/** @returns why the last step ended. */
async function repeatSteps(run: Run, preparation: StepPreparation | undefined): Promise<FinishReason> {
  const { conversation, output } = run;
  const nextSteps = new NextSteps(run);
  for (let stepNumber = 0; ; stepNumber += 1) {
    const step = await runStep(run, stepNumber, preparation);
    const next = await nextSteps.after(step);
    switch (next.kind) {
      case 'wait':
      case 'finish':
        return step.finishReason;
      case 'continue':
        addToPrompt(conversation, step.outcome);
        if (step.toolContent.length > 0) conversation.prompt.push({ role: 'tool', content: step.toolContent });
        break;
      case 'repair':
        conversation.writer?.dropStep();
        output.tally.dropMessage();
        addToPrompt(conversation, step.outcome);
        conversation.prompt.push({ role: 'user', content: [{ type: 'text', text: next.complaint }] });
        break;
      default:
        return next satisfies never;
    }
  }
}

/** Calls the model, and runs the tools that it asks for. */
async function runStep(run: Run, stepNumber: number, preparation: StepPreparation | undefined): Promise<EndedStep> {
  const { conversation, dependencies, output } = run;
  conversation.writer?.throwIfFailed();
  const prepared = preparation === undefined ? run : await preparation.prepare(stepNumber);
  const { calls, outcome } = await modelStep(prepared, stepNumber);
  conversation.writer?.markOrigin(outcome);
  output.usage.add(outcome.usage);
  conversation.lastUsage = outcome.usage;
  const { outcomes, waiting } =
    calls.length === 0 ? { outcomes: [], waiting: [] } : await runCalls(run, stepNumber, calls);
  dependencies.limits.throwIfAborted();

  const isWaiting = waitsForApproval(run, outcome) || waiting.length > 0 || calls.some(({ kind }) => kind === 'wait');
  const denials = isWaiting ? [] : await denyApprovals(run, stepNumber, outcome);
  const toolContent = [...denials, ...outcomes.map(({ prompt }) => prompt)];
  const finishReason = chooseFinishReason(outcome, calls, isWaiting);
  const step = { stepNumber, outcome, planned: calls, outcomes, waiting, toolContent, finishReason, isWaiting };
  await announceEnd(run, step);
  output.tally.addStep(run, step);
  return step;
}

/** Some providers report that the model is done although it asks for tools. */
function chooseFinishReason(
  { finishReason }: StepOutcome,
  calls: readonly PlannedCall[],
  isWaiting: boolean,
): FinishReason {
  const isDone = finishReason === 'stop' || finishReason === 'other';
  return isWaiting || (calls.length > 0 && isDone) ? 'tool-calls' : finishReason;
}

async function announceEnd(
  { dependencies, output }: Run,
  { finishReason, outcome, planned, stepNumber: step }: EndedStep,
): Promise<void> {
  const { providerMetadata, text, usage } = outcome;
  const events = output.events.for([modelKey(step), ...deliveryKeys(step, planned)]);
  // It may contain text that processors have not checked.
  const metadata = dependencies.outputProcessors.length === 0 && providerMetadata !== undefined && { providerMetadata };
  await events.emit({ type: 'finish-step', finishReason, usage, ...metadata });
  await events.callHook('onStepEnd', (hooks, hookRun) =>
    hooks.onStepEnd?.(hookRun, { step, text, toolCalls: planned.map(({ call }) => call), finishReason, usage }),
  );
}

function addToPrompt({ prompt }: RunDialogue, outcome: StepOutcome): void {
  const content = withOrigin(outcome.content, outcome);
  if (content.length > 0) prompt.push({ role: 'assistant', content });
}

/**
 * Runs or denies the calls to which this request responds, and adds their results to the prompt.
 * @returns whether sub-agents wait for further responses.
 */
async function addApprovalResponses(run: Run): Promise<boolean> {
  const ended = await runDecidedCalls(run);
  run.output.tally.addApproved(ended);
  if (ended.outcomes.length === 0) return ended.waiting.length > 0;
  const { prompt } = run.conversation;
  const content = ended.outcomes.map((outcome) => outcome.prompt);
  const last = prompt.at(-1);
  // A new array: the recorded prompt contains the current message.
  if (last?.role === 'tool') prompt.pop();
  prompt.push({ role: 'tool', content: last?.role === 'tool' ? [...last.content, ...content] : content });
  return ended.waiting.length > 0;
}
