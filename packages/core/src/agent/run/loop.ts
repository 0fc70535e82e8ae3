import { addHistory } from '../../conversation/add-history.ts';
import { withOrigin } from '../../model/answer-origin.ts';
import type { FinishReason } from '../agent-event.ts';
import type { TextResult } from '../run-result.ts';
import { modelKey } from './journal.ts';
import { messageMetadata } from './message-metadata.ts';
import { repeatMessage } from './repeat-message.ts';
import { RunTally } from './run-tally.ts';
import type { Run } from './run.ts';
import { modelStep } from './step/model-step.ts';
import { StepPreparation } from './step/step-preparation.ts';
import type { StepOutcome } from './step/step-reader.ts';
import { isStopConditionMet } from './stop-condition.ts';
import { denyApprovals, waitsForApproval } from './tool-calls/provider-approvals.ts';
import { type CallOutcome, runAnsweredCalls, runCalls } from './tool-calls/run-call.ts';
import { deliveryKeys, type PlannedCall } from './tool-calls/tool-call.ts';

/**
 * The agent loop: calls the model, runs the tools that it asks for, and repeats this until the model is done, a call waits for a person or the client, or the
 * steps are used up. Text, stream, chat and object share it.
 *
 * @throws RunSuspended for a run that waits in a workflow; whatever else the run fails with, which its caller emits.
 */
export async function runSteps(run: Run): Promise<TextResult> {
  if (run.answered !== undefined) return repeatMessage(run, run.answered);
  const { events, writer } = run;
  const start = events.for(['run']);
  await start.emit({ type: 'start', ...messageMetadata(run, { type: 'start' }) });
  await start.callHook('onStart', (hooks, hookRun) => hooks.onStart?.(hookRun));
  await addHistory(run);
  writer?.begin();

  const tally = new RunTally();
  const { prepareStep } = run.loop;
  const preparation = prepareStep && new StepPreparation(run, prepareStep);
  if (run.answers.length > 0) tally.addAnswers(await addAnswers(run));
  const finishReason = run.isWaiting ? 'tool-calls' : await repeatSteps(run, tally, preparation);
  const usage = run.usage.total();
  const answer = tally.result(run, finishReason, usage);
  const { fullText, text } = answer;
  const finish = { type: 'finish', finishReason, usage } as const;
  const added = messageMetadata(run, { ...finish, steps: answer.steps });
  writer?.addMetadata(added.messageMetadata);
  // The answer is stored before its end is announced.
  await writer?.end();
  await events.emit({ ...finish, ...added });
  await events.callHook('onEnd', (hooks, hookRun) => hooks.onEnd?.(hookRun, { text, fullText, finishReason, usage }));
  return answer;
}

/** @returns why the last step ended. */
async function repeatSteps(run: Run, tally: RunTally, preparation: StepPreparation | undefined): Promise<FinishReason> {
  let repairs = 0;
  const deferred = new Set<string>();
  for (let step = 0; ; step += 1) {
    run.writer?.throwIfFailed();
    const prepared = preparation === undefined ? run : await preparation.prepare(step, tally);
    const { calls, outcome } = await modelStep(prepared, step);
    run.writer?.markOrigin(outcome);
    run.usage.add(outcome.usage);
    run.lastUsage = outcome.usage;
    updateDeferred(deferred, run, outcome);
    const results = calls.length === 0 ? [] : await runCalls(run, step, calls);
    run.limits.throwIfAborted();

    const isWaiting = waitsForApproval(run, outcome) || calls.some(({ kind }) => kind === 'wait');
    const denials = isWaiting ? [] : await denyApprovals(run, step, outcome);
    const finishReason = finishReasonOf(outcome, calls, isWaiting);
    const toolContent = [...denials, ...results.map(({ prompt }) => prompt)];
    await endStep(run, step, calls, outcome, finishReason);
    tally.addStep(run, { stepNumber: step, outcome, planned: calls, outcomes: results, toolContent, finishReason });
    if (isWaiting) return finishReason;
    if (calls.length > 0 || deferred.size > 0 || denials.length > 0) {
      if (step + 1 >= run.maxSteps || (await isStopConditionMet(run, tally))) return finishReason;
      addToPrompt(run, outcome);
      if (toolContent.length > 0) run.prompt.push({ role: 'tool', content: toolContent });
      continue;
    }

    const { object } = run;
    const isRepairable = object !== undefined && repairs < object.repairs && !unrepairable.has(finishReason);
    const complaint = isRepairable ? await object.complaint(outcome.text) : undefined;
    if (complaint === undefined) return finishReason;
    repairs += 1;
    run.writer?.dropStep();
    tally.dropMessage();
    addToPrompt(run, outcome);
    run.prompt.push({ role: 'user', content: [{ type: 'text', text: complaint }] });
  }
}

/** A model that refuses would refuse again, and an answer that the limit of tokens has cut would be cut again. */
const unrepairable: ReadonlySet<FinishReason> = new Set(['content-filter', 'length']);

/**
 * Adds the calls of a step whose results the provider may send in a later one, and removes those whose results have arrived. A step that was to bring a result and
 * has none ends the waiting, unless the agent's own tools go on.
 */
function updateDeferred(deferred: Set<string>, { agent }: Run, { calls, content }: StepOutcome): void {
  const hasWaited = deferred.size > 0;
  for (const part of content) {
    if (part.type === 'tool-call' && part.providerExecuted === true && agent.defersResults(part.toolName))
      deferred.add(part.toolCallId);
    if (part.type === 'tool-result') deferred.delete(part.toolCallId);
  }
  if (hasWaited && calls.length === 0 && content.every(({ type }) => type !== 'tool-result')) deferred.clear();
}

/** Some providers report that the model is done although it asks for tools. */
function finishReasonOf(
  { finishReason }: StepOutcome,
  calls: readonly PlannedCall[],
  isWaiting: boolean,
): FinishReason {
  const isDone = finishReason === 'stop' || finishReason === 'other';
  return isWaiting || (calls.length > 0 && isDone) ? 'tool-calls' : finishReason;
}

async function endStep(
  run: Run,
  step: number,
  calls: readonly PlannedCall[],
  { providerMetadata, text, usage }: StepOutcome,
  finishReason: FinishReason,
): Promise<void> {
  const events = run.events.for([modelKey(step), ...deliveryKeys(step, calls)]);
  // It may contain text that processors have not checked.
  const metadata = run.outputProcessors.length === 0 && providerMetadata !== undefined && { providerMetadata };
  await events.emit({ type: 'finish-step', finishReason, usage, ...metadata });
  await events.callHook('onStepEnd', (hooks, hookRun) =>
    hooks.onStepEnd?.(hookRun, { step, text, toolCalls: calls.map(({ call }) => call), finishReason, usage }),
  );
}

function addToPrompt({ prompt }: Run, outcome: StepOutcome): void {
  const content = withOrigin(outcome.content, outcome);
  if (content.length > 0) prompt.push({ role: 'assistant', content });
}

/** Runs or denies the calls that were answered with this request, and adds their results to the prompt. */
async function addAnswers(run: Run): Promise<readonly CallOutcome[]> {
  const results = await runAnsweredCalls(run);
  run.limits.throwIfAborted();
  const content = results.map(({ prompt }) => prompt);
  const last = run.prompt.at(-1);
  // A new array: the recorded prompt contains the current message.
  if (last?.role === 'tool') run.prompt.pop();
  run.prompt.push({ role: 'tool', content: last?.role === 'tool' ? [...last.content, ...content] : content });
  return results;
}
