import { type Citation, ModelFailedError } from '@halyard/contracts';
import { abortable } from '../../../async/abortable.ts';
import { callModel, type ModelReply } from '../../../model/call-model.ts';
import { fileRefusal, type ModelFailure } from '../../../model/files/refused-files.ts';
import { isPromptTooLong } from '../../../model/prompt/prompt-too-long.ts';
import type {
  ModelCallOptions,
  ModelPart,
  ModelWarning,
  Prompt,
  ResolvedModel,
} from '../../../model/providers/model-port.ts';
import { toModelFailure } from '../../../model/providers/provider-failure.ts';
import { rememberReasoning } from '../../../model/providers/reasoning-models.ts';
import { rememberRefused } from '../../../model/providers/refused-settings.ts';
import { usageAttributes } from '../../../telemetry/attributes/run.ts';
import { OutputParts } from '../../processors/output-parts.ts';
import { TextSmoother } from '../../smoothing/text-smoother.ts';
import { inputInPrompt } from '../../tools/input-of-call.ts';
import { planCall } from '../../tools/plan-call.ts';
import { withRepairs } from '../../tools/repair-call.ts';
import { toToolCallFlags } from '../../tools/tool-call-flags.ts';
import type { PlannedCall } from '../../tools/tool-call.ts';
import { noUsage } from '../../usage.ts';
import { modelKey } from '../journal.ts';
import type { RunLimits } from '../limits.ts';
import { beginModelCall, endModelCall } from '../record-run.ts';
import type { Emit, Run } from '../run.ts';
import type { CallIds } from './call-ids.ts';
import { sentPrompt, shorterPrompt } from './sent-prompt.ts';
import type { StepReaderOptions } from './step-reader-options.ts';
import { type StepOutcome, StepReader } from './step-reader.ts';

export interface ModelStep {
  readonly outcome: StepOutcome;
  readonly calls: readonly PlannedCall[];
}

/**
 * One model call of a run: calls the model, reads its reply and emits it as it arrives. Tool calls
 * are checked as soon as they are complete, in their order; they run when the model is done. A call
 * that is in the journal is not repeated: its outcome is emitted at once.
 *
 * @throws ModelFailedError, and the reason for which the run was aborted.
 */
export async function modelStep(run: Run, step: number): Promise<ModelStep> {
  const key = modelKey(step);
  const events = run.output.events.for([key]);
  await events.emit({ type: 'start-step' });
  const smoother = textSmoother(run, events.emit);
  const emit = smoother?.emit ?? events.emit;
  const calls: PlannedCall[] = [];
  const options = readerOptions(run, emit, async (call) => {
    calls.push(await planCall(run, step, call, emit));
  });
  let isReplay = true;
  try {
    const outcome = await run.dependencies.journal.record(key, () => {
      isReplay = false;
      return callAndRead(run, step, options);
    });
    smoother?.release();
    if (isReplay) await replay(outcome, options);
    return { outcome, calls };
  } finally {
    // The text of a failed step is a part of the message, too.
    smoother?.release();
  }
}

/** An object is not read as a text. */
function textSmoother({ dependencies, output }: Run, emit: Emit): TextSmoother | undefined {
  const { limits, services } = dependencies;
  const { isStreaming, object, smoothing } = output;
  if (smoothing === undefined || object !== undefined || !isStreaming()) return undefined;
  return new TextSmoother(emit, { smoothing, clock: services.clock, signal: limits.signal });
}

/**
 * Asks the models. If one refuses the prompt as too long and none replies, they are asked once more
 * with a shorter one, where the agent can make one.
 */
async function callAndRead(run: Run, step: number, options: StepReaderOptions): Promise<StepOutcome> {
  const { limits } = run.dependencies;
  const prompt = await sentPrompt(run, step);
  const failures: ModelFailure[] = [];
  try {
    try {
      return await askModels(run, step, prompt, options, failures);
    } catch (error) {
      const isTooLong = !limits.signal.aborted && failures.some((failure) => isPromptTooLong(failure.error));
      const shorter = isTooLong ? await shorterPrompt(run, step, prompt) : undefined;
      if (shorter === undefined) throw error;
      return await askModels(run, step, shorter, options, failures);
    }
  } catch (error) {
    const refusal = limits.signal.aborted ? undefined : fileRefusal(prompt, failures);
    if (refusal !== undefined) run.conversation.writer?.refuseFiles(refusal);
    throw error;
  }
}

/** @param failures receives those of each model. */
async function askModels(
  run: Run,
  step: number,
  prompt: Prompt,
  options: StepReaderOptions,
  failures: ModelFailure[],
): Promise<StepOutcome> {
  const { dependencies, identity } = run;
  const { agent, limits, logger, models, outputProcessors, processors, services } = dependencies;
  const { callIds, counter, isStreaming, usage } = run.output;
  const streaming = isStreaming();
  const reader = new StepReader(options);
  const output = outputProcessors.length === 0 ? undefined : new OutputParts(outputProcessors);
  const call = callOptions(run, prompt);
  const recording = beginModelCall(identity, dependencies, step, prompt, services.clock.now());
  const count = counter.modelCall();
  // With several models, each has its own limit for the first token.
  limits.startModelCall(streaming && models.length === 1);
  // When none replies, the last one has failed.
  let asked = models.at(-1);
  try {
    const ask = (): Promise<ModelReply> =>
      callModel(models, streaming, call, {
        retries: agent.retries,
        firstTokenMs: agent.timeouts.firstTokenMs,
        onData: (part) => {
          limits.restartIdle();
          // The call may be stopped before its first token.
          reader.readUsage(part);
        },
        onFailure: (failed) => failures.push(failed),
        clock: services.clock,
        logger,
      });
    callIds.know(call.prompt);
    const reply = await (recording === undefined ? ask() : recording.span.run(ask));
    asked = reply.model;
    limits.firstTokenReceived();
    preferModel(models, reply.model);
    await readReply(reply, { ids: callIds, limits, output, reader });
    limits.throwIfAborted();
    if (!reader.hasFinished)
      throw new ModelFailedError(agent.id, { cause: 'the stream of the model ended before it was finished' });
    const read = withRepairs(reader.outcome(reply.model, services.clock.now()));
    const outcome = run.dependencies.defaulted.has('maxOutputTokens') ? withCutWarning(run, read) : read;
    if (outcome.usage.reasoningTokens > 0) rememberReasoning(reply.model);
    if (recording !== undefined) endModelCall(recording, outcome);
    count.ended(outcome, reader.tokens);
    return outcome;
  } catch (error) {
    const isCompacting = processors.some(({ processor }) => processor.processHistory !== undefined);
    const failure = limits.signal.aborted ? limits.failure() : toModelFailure(agent.id, asked, error, isCompacting);
    const spent = reader.tokens.usage;
    usage.add(spent);
    recording?.span.end({ error: failure, attributes: spent === noUsage ? {} : usageAttributes(spent) });
    count.failed(asked, failure, reader.tokens);
    throw failure;
  } finally {
    limits.pauseIdle();
  }
}

/** Adds a warning to a reply that a default has cut. */
function withCutWarning({ dependencies }: Run, outcome: StepOutcome): StepOutcome {
  if (outcome.finishReason !== 'length') return outcome;
  const { agent, logger, settings } = dependencies;
  const message =
    `The reply of agent "${agent.id}" was cut at ${settings.maxOutputTokens} tokens, the default of HTTP requests: ` +
    "set maxOutputTokens, or generation: 'provider-defaults'";
  const warning: ModelWarning = { type: 'other', message };
  agent.warn(logger, [warning]);
  return { ...outcome, warnings: [...(outcome.warnings ?? []), warning] };
}

/**
 * Later steps ask the model that replied first: another one may still fail, after all of its
 * retries.
 */
function preferModel(models: ResolvedModel[], answered: ResolvedModel): void {
  const place = models.indexOf(answered);
  if (place > 0) models.unshift(...models.splice(place, 1));
}

interface Reading {
  readonly ids: CallIds;
  readonly limits: RunLimits;
  readonly output: OutputParts | undefined;
  readonly reader: StepReader;
}

async function readReply({ opening, rest }: ModelReply, { ids, limits, output, reader }: Reading): Promise<void> {
  const { signal } = limits;
  const read = (given: ModelPart): Promise<void> | undefined => {
    const part = ids.unique(given);
    return output === undefined ? reader.read(part) : readProcessed(part, reader, output);
  };
  // A model that ignores the signal would leave `read` waiting forever.
  const cancel = (): void => void rest?.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  let isComplete = false;
  try {
    limits.pauseIdle();
    for (const part of opening) {
      const behind = read(part);
      if (behind !== undefined) await abortable(behind, signal);
    }
    while (rest !== undefined) {
      limits.restartIdle();
      const next = await rest.read();
      if (next.done || signal.aborted) break;
      const behind = read(next.value);
      if (behind === undefined) continue;
      // The time that a consumer or a processor takes is not the model's.
      limits.pauseIdle();
      await abortable(behind, signal);
    }
    isComplete = !signal.aborted;
  } finally {
    signal.removeEventListener('abort', cancel);
    if (!isComplete) cancel();
  }
}

async function readProcessed(part: ModelPart, reader: StepReader, output: OutputParts): Promise<void> {
  for (const processed of await output.read(part)) await reader.read(processed);
}

function callOptions({ dependencies, output }: Run, prompt: Prompt): ModelCallOptions {
  const { agent, limits, modelTools, settings, toolChoice } = dependencies;
  const { object } = output;
  const call: ModelCallOptions = { ...settings, prompt, abortSignal: limits.signal };
  if (modelTools.length > 0) {
    call.tools = modelTools;
    call.toolChoice = toolChoice;
  }
  if (object !== undefined) call.responseFormat = object.format;
  if (agent.rawChunks) call.includeRawChunks = true;
  return call;
}

function readerOptions(run: Run, emit: Emit, onToolCall: StepReaderOptions['onToolCall']): StepReaderOptions {
  const { dependencies } = run;
  const { agent, defaulted, logger, models, outputProcessors } = dependencies;
  return {
    emit,
    isProcessed: outputProcessors.length > 0,
    rawChunks: agent.rawChunks,
    onToolCall,
    inputOf: (toolCallId) => inputInPrompt(run.conversation.prompt, toolCallId),
    flagsFor: (toolName) => toToolCallFlags(dependencies, toolName),
    onWarnings: (warnings) => {
      const [model, ...fallbacks] = models;
      // With fallbacks, another model may have replied.
      if (model !== undefined && fallbacks.length === 0) rememberRefused(model, warnings);
      agent.warn(
        logger,
        warnings.filter((warning) => !isAboutDefault(warning, defaulted)),
      );
    },
  };
}

/**
 * A warning about a default: the request did not contain the setting that the model does not
 * support.
 */
function isAboutDefault(warning: ModelWarning, defaulted: ReadonlySet<string>): boolean {
  return warning.type === 'unsupported' && defaulted.has(warning.feature);
}

/** Emits a recorded outcome, as processors returned it. */
async function replay(
  { approvals = [], citations = {}, content, calls, sources = [] }: StepOutcome,
  options: StepReaderOptions,
): Promise<void> {
  const reader = new StepReader({
    ...options,
    onToolCall: (call) => options.onToolCall(calls.find(({ toolCallId }) => toolCallId === call.toolCallId) ?? call),
  });
  for (const part of content.flatMap((item, index) => recordedParts(item, String(index), calls, citations[index])))
    await reader.read(part);
  for (const approval of approvals) await reader.read({ type: 'tool-approval-request', ...approval });
  for (const source of sources) await options.emit(source);
}

function recordedParts(
  item: StepOutcome['content'][number],
  id: string,
  calls: StepOutcome['calls'],
  citations: Citation[] | undefined,
): ModelPart[] {
  const { providerOptions: providerMetadata } = item;
  const providerFields = providerMetadata && { providerMetadata };
  switch (item.type) {
    case 'text':
    case 'reasoning':
      return [
        { type: `${item.type}-start`, id },
        { type: `${item.type}-delta`, id, delta: item.text },
        { type: `${item.type}-end`, id, ...(citations && { citations }), ...providerFields },
      ];
    case 'tool-call': {
      const { toolCallId, toolName, providerExecuted } = item;
      const input = calls.find((call) => call.toolCallId === toolCallId)?.input ?? JSON.stringify(item.input);
      return [
        {
          type: 'tool-call',
          toolCallId,
          toolName,
          input,
          ...(providerExecuted && { providerExecuted }),
          ...providerFields,
        },
      ];
    }
    case 'tool-result': {
      const { toolCallId, toolName, output } = item;
      if (output.type !== 'text' && output.type !== 'json' && output.type !== 'error-json') return [];
      const isError = output.type === 'error-json';
      return [
        {
          type: 'tool-result',
          toolCallId,
          toolName,
          result: output.value ?? 'null',
          ...(isError && { isError }),
          ...providerFields,
        },
      ];
    }
    case 'file':
    case 'reasoning-file': {
      const { data, mediaType, type } = item;
      if (data.type === 'url')
        return [{ type, mediaType, data: { type: 'url', url: new URL(String(data.url)) }, ...providerFields }];
      return data.type === 'data' ? [{ type, mediaType, data, ...providerFields }] : [];
    }
    case 'custom':
      return [{ type: 'custom', kind: item.kind, ...providerFields }];
  }
}
