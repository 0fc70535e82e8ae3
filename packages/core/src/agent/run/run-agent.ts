import type { FinishReason } from '../agent-event.ts';
import { callHook } from '../hooks.ts';
import type { TextResult, ToolCallRecord, ToolResultRecord } from '../run-result.ts';
import { modelStep } from './model-step.ts';
import { approvalAnswer, type PlannedCall, planCall, recordAnswer, approvalSuspension } from './plan-call.ts';
import type { ApprovalAnswer, Run } from './run.ts';
import { denyCall, isSettledTold, promptResult, settleCall, type SettledCall } from './settle-calls.ts';
import type { StepOutcome } from './step-reader.ts';
import { RunSuspended, type CallSuspension } from './suspensions.ts';

/** A run's result, and the text of its last step alone (a structured answer is read from that). */
export interface RunOutcome {
  readonly result: TextResult;
  readonly lastText: string;
}

/**
 * The loop over steps: a model call, the tools it asks for, and again, until the model is done, a call waits for a person, or
 * the steps are used up. One loop serves text, stream, chat and object; what differs is who watches the events.
 *
 * Emits `finish` at its end. A failure is thrown, and its caller emits it. A suspended run has not ended, nor has its step: it emits neither.
 */
export async function runAgent(run: Run): Promise<RunOutcome> {
  const { hooks } = run.agent;
  const { logger } = run;
  const tally = new Tally();
  // Awaited is only what has to be: each `await` costs, and most runs have neither hooks nor a reader that is behind.
  if (run.journal.isDelivered?.('run') !== true) {
    const startBehind = run.emit({ type: 'start' });
    if (startBehind !== undefined) await startBehind;
    if (hooks.onStart !== undefined) await callHook(logger, 'onStart', () => hooks.onStart?.(run.hookRun));
  }
  run.turn?.begin();

  const finishReason = await runSteps(run, tally);
  const outcome = tally.outcome(run, finishReason);
  const { text, usage } = outcome.result;
  // What was answered is stored when it is told.
  if (run.turn !== undefined) await run.turn.end();
  const behind = run.emit({ type: 'finish', finishReason, usage });
  if (behind !== undefined) await behind;
  if (hooks.onEnd !== undefined)
    await callHook(logger, 'onEnd', () => hooks.onEnd?.(run.hookRun, { text, finishReason, usage }));
  return outcome;
}

/** @returns why it was the last step. */
async function runSteps(run: Run, tally: Tally): Promise<FinishReason> {
  const { agent, logger } = run;
  const { hooks } = agent;
  if (run.answers.length > 0) await settleAnswers(run, tally);
  if (run.stillWaiting) return 'tool-calls';

  let repairs = 0;
  for (let step = 0; ; step += 1) {
    const isTold = run.journal.isDelivered?.(`step-${step}/model`) === true;
    run.turn?.check();
    const behind = (isTold ? run.recall : run.emit)({ type: 'start-step' });
    if (behind !== undefined) await behind;
    const planned: PlannedCall[] = [];
    // Calls are checked while the model still speaks, in their order; they run when it is done.
    const outcome = await modelStep(run, step, async (call) => {
      planned.push(await planCall(run, `step-${step}`, call, isTold));
    });
    tally.addStep(outcome, planned);
    run.addUsage(outcome.usage);
    if (planned.length > 0 && run.turn !== undefined) await run.turn.settled();
    const { suspensions, settled } = planned.length === 0 ? nothingPlanned : await settleAll(run, step, planned, tally);
    run.limits.throwIfAborted();
    if (suspensions.length > 0) throw new RunSuspended(suspensions);
    const waits = planned.some(({ kind }) => kind === 'wait');
    const finishReason =
      waits || (planned.length > 0 && isDone(outcome.finishReason)) ? 'tool-calls' : outcome.finishReason;
    if (!isTold || !planned.every((plan) => isSettledTold(run, `step-${step}`, plan))) {
      const stepBehind = run.emit({ type: 'finish-step', finishReason, usage: outcome.usage });
      if (stepBehind !== undefined) await stepBehind;
      if (hooks.onStepEnd !== undefined)
        await callHook(logger, 'onStepEnd', () =>
          hooks.onStepEnd?.(run.hookRun, {
            step,
            text: outcome.text,
            toolCalls: planned.map(({ call }) => call),
            finishReason,
            usage: outcome.usage,
          }),
        );
    }

    if (waits) return finishReason;
    if (planned.length > 0) {
      if (step + 1 >= run.maxSteps) return finishReason;
      if (outcome.content.length > 0) run.prompt.push({ role: 'assistant', content: outcome.content });
      if (settled.length > 0) run.prompt.push({ role: 'tool', content: settled.map(({ prompt }) => prompt) });
      continue;
    }
    const { object } = run;
    const complaint =
      object === undefined || repairs >= object.repairs ? undefined : await object.complaint(outcome.text);
    if (complaint === undefined) return finishReason;
    repairs += 1;
    run.turn?.dropStep();
    if (outcome.content.length > 0) run.prompt.push({ role: 'assistant', content: outcome.content });
    run.prompt.push({ role: 'user', content: [{ type: 'text', text: complaint }] });
  }
}

/** Some providers say that they are done although they ask for tools. */
function isDone(reason: FinishReason): boolean {
  return reason === 'stop' || reason === 'other';
}

interface SettledStep {
  readonly settled: readonly SettledCall[];
  /** Calls that the run cannot continue without. */
  readonly suspensions: readonly CallSuspension[];
}

const nothingPlanned: SettledStep = { settled: [], suspensions: [] };

async function settleAll(run: Run, step: number, planned: readonly PlannedCall[], tally: Tally): Promise<SettledStep> {
  const outcomes = await Promise.all(
    planned.map((plan) => settlePlanned(run, `step-${step}`, plan).catch((error: unknown) => suspensionsOf(error))),
  );
  const settled: SettledCall[] = [];
  const suspensions: CallSuspension[] = [];
  for (const outcome of outcomes) {
    if (outcome === undefined) continue;
    if ('suspensions' in outcome) suspensions.push(...outcome.suspensions);
    else settled.push(outcome);
  }
  tally.addResults(settled);
  return { settled, suspensions };
}

async function settlePlanned(
  run: Run,
  at: string,
  plan: PlannedCall,
): Promise<SettledCall | Pick<RunSuspended, 'suspensions'> | undefined> {
  switch (plan.kind) {
    case 'wait': {
      const waiting = approvalSuspension(run, at, plan);
      return waiting === undefined ? undefined : { suspensions: [waiting] };
    }
    case 'run':
      if (plan.answer !== undefined) {
        run.turn?.answered(plan.call.toolCallId, approvalAnswer(plan.answer));
        await recordAnswer(run, at, plan.call, plan.answer);
      }
      return settleCall(run, at, plan);
    case 'deny': {
      const isTold = isSettledTold(run, at, plan);
      run.turn?.answered(plan.call.toolCallId, approvalAnswer(plan.answer));
      await recordAnswer(run, at, plan.call, plan.answer);
      return denyCall(run, plan.call, plan.reason, { isTold });
    }
    case 'refuse':
      return { prompt: promptResult(plan.call, { type: 'error-text', value: plan.error }), result: undefined };
    default:
      return plan satisfies never;
  }
}

/** A suspended call does not keep the other calls from being recorded. */
function suspensionsOf(error: unknown): Pick<RunSuspended, 'suspensions'> {
  if (error instanceof RunSuspended) return error;
  throw error;
}

/** The answers that came with this request: what was approved runs now, what was denied is told to the model. */
async function settleAnswers(run: Run, tally: Tally): Promise<void> {
  const settled = await Promise.all(run.answers.map((answer) => settleAnswer(run, answer)));
  run.limits.throwIfAborted();
  tally.addResults(settled);
  const content = settled.map(({ prompt }) => prompt);
  const last = run.prompt.at(-1);
  // The message stays as it is for who was shown it.
  if (last?.role === 'tool') run.prompt.pop();
  run.prompt.push({ role: 'tool', content: last?.role === 'tool' ? [...last.content, ...content] : content });
}

async function settleAnswer(run: Run, { call, approved, reason }: ApprovalAnswer): Promise<SettledCall> {
  if (!approved) return denyCall(run, call, reason);
  const tool = run.findTool(call.toolName);
  const checked = await tool?.input.validate(call.input, 'input');
  if (tool === undefined || tool.clientSide || checked?.ok !== true) {
    const error = `Tool "${call.toolName}" can no longer run this call`;
    await run.emit({ type: 'tool-error', ...call, error });
    return { prompt: promptResult(call, { type: 'error-text', value: error }), result: undefined };
  }
  return settleCall(run, 'answers', { kind: 'run', tool, call, input: checked.value });
}

class Tally {
  #text = '';
  readonly #calls: ToolCallRecord[] = [];
  readonly #results: ToolResultRecord[] = [];
  #lastText = '';

  addStep({ text }: StepOutcome, planned: readonly PlannedCall[]): void {
    this.#lastText = text;
    if (text !== '') this.#text = this.#text === '' ? text : `${this.#text}\n\n${text}`;
    for (const { call } of planned) this.#calls.push(call);
  }

  addResults(settled: readonly SettledCall[]): void {
    for (const { result } of settled) if (result !== undefined) this.#results.push(result);
  }

  outcome({ conversationId, usage }: Run, finishReason: FinishReason): RunOutcome {
    const result: TextResult = {
      text: this.#text,
      usage: usage(),
      finishReason,
      toolCalls: this.#calls,
      toolResults: this.#results,
      ...(conversationId !== undefined && { conversationId }),
    };
    return { result, lastText: this.#lastText };
  }
}
