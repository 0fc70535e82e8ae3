import { isHalyardError, ModelFailedError } from '@halyard/contracts';
import { callModel, type ModelReply } from '../../model/call-model.ts';
import type { ModelCallOptions, ModelPart } from '../../model/model-port.ts';
import { abortable } from '../../services/abortable.ts';
import { runNext } from '../../telemetry/run-next.ts';
import { HeldText } from '../guardrails.ts';
import { noJournal } from './journal.ts';
import type { RunLimits } from './limits.ts';
import { beginModelCall, endModelCall } from './record-run.ts';
import type { Run } from './run.ts';
import { type StepOutcome, StepReader, type StepReaderOptions } from './step-reader.ts';

/**
 * One model call of a run: asks, reads, and tells the client as it goes. A call that the journal knows is not made again; its
 * outcome comes through in one piece.
 *
 * @throws ModelFailedError, or what the run was stopped for.
 */
export function modelStep(run: Run, step: number, onToolCall: StepReaderOptions['onToolCall']): Promise<StepOutcome> {
  const options = readerOptions(run, onToolCall);
  return run.journal === noJournal ? askModel(run, step, options) : recordedStep(run, step, options);
}

async function recordedStep(run: Run, step: number, options: StepReaderOptions): Promise<StepOutcome> {
  const key = `step-${step}/model`;
  const isTold = run.journal.isDelivered?.(key) === true;
  let live = false;
  const outcome = await run.journal.record(key, () => {
    live = true;
    return askModel(run, step, options);
  });
  if (isTold && run.turn === undefined) for (const call of outcome.calls) await options.onToolCall(call);
  else if (isTold) await replay(outcome, { ...options, emit: run.recall });
  else if (!live) await replay(outcome, options);
  return outcome;
}

async function askModel(run: Run, step: number, options: StepReaderOptions): Promise<StepOutcome> {
  const { agent, limits, models, services, streaming } = run;
  const reader = new StepReader(options);
  const call = callOptions(run);
  const recording = beginModelCall(run, step, services.clock.now());
  // With several models, each has its own limit for the first token.
  limits.startModelCall(streaming && models.length === 1);
  try {
    const ask = (): Promise<ModelReply> =>
      callModel(models, streaming, call, {
        retries: agent.retries,
        firstTokenMs: agent.timeouts.firstTokenMs,
        onData: () => limits.restartIdle(),
        clock: services.clock,
        logger: run.logger,
      });
    const asked = recording === undefined ? ask() : runNext(recording.span, ask);
    // A stream that opens listens to the signal itself, so that none is left open.
    const reply = streaming ? await asked : await abortable(asked, limits.signal);
    limits.firstTokenReceived();
    await readReply(reply, reader, limits);
    limits.throwIfAborted();
    if (!reader.finished)
      throw new ModelFailedError(agent.id, { cause: 'the stream of the model ended before it was finished' });
    const outcome = reader.outcome(reply.model.modelId);
    if (recording !== undefined) endModelCall(recording, outcome);
    return outcome;
  } catch (error) {
    const failure = limits.signal.aborted ? limits.failure() : modelFailure(agent.id, error);
    recording?.span.end({ error: failure });
    throw failure;
  } finally {
    limits.pauseIdle();
  }
}

function modelFailure(agentId: string, error: unknown): Error {
  return isHalyardError(error) ? error : new ModelFailedError(agentId, { cause: error });
}

async function readReply({ opening, rest }: ModelReply, reader: StepReader, limits: RunLimits): Promise<void> {
  const { signal } = limits;
  // A model that ignores the signal would leave `read` waiting forever.
  const cancel = (): void => void rest?.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  let isComplete = false;
  try {
    limits.pauseIdle();
    for (const part of opening) {
      const behind = reader.read(part);
      if (behind !== undefined) await abortable(behind, signal);
    }
    while (rest !== undefined) {
      limits.restartIdle();
      const next = await rest.read();
      if (next.done || signal.aborted) break;
      const behind = reader.read(next.value);
      if (behind === undefined) continue;
      limits.pauseIdle();
      await abortable(behind, signal);
    }
    isComplete = !signal.aborted;
  } finally {
    signal.removeEventListener('abort', cancel);
    if (!isComplete) cancel();
  }
}

function callOptions({ agent, limits, modelTools, object, prompt, settings }: Run): ModelCallOptions {
  const call: ModelCallOptions = { ...settings, prompt: [...prompt], abortSignal: limits.signal };
  if (modelTools.length > 0) {
    call.tools = modelTools;
    call.toolChoice = { type: 'auto' };
  }
  if (object !== undefined) call.responseFormat = { type: 'json', schema: object.jsonSchema };
  if (agent.rawChunks) call.includeRawChunks = true;
  return call;
}

function readerOptions(run: Run, onToolCall: StepReaderOptions['onToolCall']): StepReaderOptions {
  const { agent } = run;
  return {
    emit: run.emit,
    hold: agent.outputGuardrails.length > 0 ? () => new HeldText(agent.outputGuardrails, run) : undefined,
    guarded: agent.outputGuardrails.length > 0,
    rawChunks: agent.rawChunks,
    onToolCall,
    onWarnings: (warnings) => agent.warn(run.logger, warnings),
  };
}

/** Guardrails passed a recorded text before it was recorded. */
async function replay({ content, calls, sources = [] }: StepOutcome, options: StepReaderOptions): Promise<void> {
  const reader = new StepReader({
    ...options,
    hold: undefined,
    onToolCall: (call) => options.onToolCall(calls.find(({ toolCallId }) => toolCallId === call.toolCallId) ?? call),
  });
  for (const part of content.flatMap((item, index) => recordedParts(item, String(index), calls)))
    await reader.read(part);
  for (const source of sources) await options.emit(source);
}

function recordedParts(item: StepOutcome['content'][number], id: string, calls: StepOutcome['calls']): ModelPart[] {
  const { providerOptions: providerMetadata } = item;
  const carried = providerMetadata && { providerMetadata };
  switch (item.type) {
    case 'text':
    case 'reasoning':
      return [
        { type: `${item.type}-start`, id },
        { type: `${item.type}-delta`, id, delta: item.text },
        { type: `${item.type}-end`, id, ...carried },
      ];
    case 'tool-call': {
      const { toolCallId, toolName, providerExecuted } = item;
      const input = calls.find((call) => call.toolCallId === toolCallId)?.input ?? JSON.stringify(item.input);
      return [
        { type: 'tool-call', toolCallId, toolName, input, ...(providerExecuted && { providerExecuted }), ...carried },
      ];
    }
    case 'tool-result': {
      const { toolCallId, toolName, output } = item;
      if (output.type !== 'json' && output.type !== 'error-json') return [];
      const isError = output.type === 'error-json';
      return [
        {
          type: 'tool-result',
          toolCallId,
          toolName,
          result: output.value ?? 'null',
          ...(isError && { isError }),
          ...carried,
        },
      ];
    }
    case 'file':
    case 'reasoning-file': {
      const { data, mediaType, type } = item;
      if (data.type === 'url')
        return [{ type, mediaType, data: { type: 'url', url: new URL(String(data.url)) }, ...carried }];
      return data.type === 'data' ? [{ type, mediaType, data, ...carried }] : [];
    }
    case 'custom':
      return [];
  }
}
