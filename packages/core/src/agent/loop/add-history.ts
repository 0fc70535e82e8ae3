import { abortable } from '../../async/abortable.ts';
import type { RunConversation } from '../../conversation/run-conversation.ts';
import { callModel } from '../../model/call-model.ts';
import type { Prompt } from '../../model/providers/model-port.ts';
import { toModelFailure } from '../../model/providers/provider-failure.ts';
import { resolveModels } from '../../model/providers/resolve-models.ts';
import { outputPasses, processHistory } from '../processors/bound-processor.ts';
import type { ConversationHistory, HistoryQuestion } from '../processors/processor.ts';
import { passText } from '../processors/text-channel.ts';
import { beginModelCall, endModelCall, recordPrompt } from './record-run.ts';
import type { Run } from './run.ts';
import { StepReader } from './step/step-reader.ts';

/**
 * Adds the stored messages to the prompt of a run, as its processors return them. Messages that
 * processors store come before the input, which is not stored yet.
 *
 * @throws GuardrailBlockedError, ProcessorFailedError, and the reason for which the run was
 * aborted.
 */
export async function addHistory(run: Run): Promise<void> {
  const { prompt, stored: conversation } = run.conversation;
  const { recording } = run.identity;
  if (conversation === undefined) return;
  const history = await readHistory(run, conversation, conversation.messages, false);
  const start = prompt.findIndex(({ role }) => role !== 'system');
  prompt.splice(start === -1 ? prompt.length : start, 0, ...history);
  if (recording !== undefined) recordPrompt(run.conversation, recording);
}

/**
 * Replaces the stored messages in the prompt by fewer ones, as the processors return them, after
 * the model has refused the prompt as too long.
 *
 * @throws what {@link addHistory} throws.
 */
export async function shortenHistory(run: Run): Promise<void> {
  const { prompt, stored: conversation } = run.conversation;
  const sent = conversation?.sentHistory;
  if (conversation === undefined || sent === undefined) return;
  const before = new Set(sent.prompt);
  const start = prompt.findIndex((message) => before.has(message));
  // `prepareStep` has replaced the messages.
  if (start === -1) return;
  const history = await readHistory(run, conversation, sent.messages, true);
  prompt.splice(
    0,
    prompt.length,
    ...prompt.slice(0, start),
    ...history,
    ...prompt.slice(start).filter((message) => !before.has(message)),
  );
}

async function readHistory(
  run: Run,
  conversation: RunConversation,
  given: ConversationHistory['messages'],
  isTooLong: boolean,
): Promise<Prompt> {
  const { limits, processors } = run.dependencies;
  const { question } = run.conversation;
  const historyOf = (messages: ConversationHistory['messages']): ConversationHistory =>
    historyFor(run, conversation, messages, isTooLong);
  const messages = await abortable(processHistory(processors, historyOf, given), limits.signal);
  limits.throwIfAborted();
  const prompt = await abortable(conversation.history(question, messages), limits.signal);
  conversation.sentHistory = { messages, prompt };
  return prompt;
}

function historyFor(
  run: Run,
  conversation: RunConversation,
  messages: ConversationHistory['messages'],
  isTooLong: boolean,
): ConversationHistory {
  const { journal, limits, logger, services } = run.dependencies;
  const { writer } = run.conversation;
  return {
    messages,
    isTooLong,
    isReadOnly: conversation.isReadOnly,
    startedAt: services.clock.now(),
    signal: limits.signal,
    logger,
    ask: (request) => askModel(run, request),
    summarize: async (text, count) => {
      // The runner that took the run over summarises the same messages.
      if (conversation.isReadOnly || limits.signal.aborted || journal.isStale?.() === true) return undefined;
      const summary = await conversation.storeSummary(text, messages.slice(0, count));
      if (summary === undefined) return undefined;
      const { createdAt: _, ...message } = summary;
      writer?.keepSummary(message);
      await run.output.events.emit({ type: 'summary', message });
      return summary;
    },
  };
}

/** One model call that is no step of the run. */
async function askModel(
  { dependencies, identity, output }: Run,
  { model, prompt, timeoutMs }: HistoryQuestion,
): Promise<string> {
  const { agent, limits, logger, outputProcessors, services } = dependencies;
  const models = model === undefined ? dependencies.models : [...(await resolveModels(model, agent.providers))];
  const abortSignal = AbortSignal.any([limits.signal, AbortSignal.timeout(timeoutMs)]);
  const span = beginModelCall(
    identity,
    { modelTools: [], models, settings: {} },
    undefined,
    prompt,
    services.clock.now(),
  );
  const count = output.counter.modelCall();
  try {
    const { clock } = services;
    const options = { retries: agent.retries, firstTokenMs: timeoutMs, clock, logger };
    const ask = () => callModel(models, false, { prompt, abortSignal }, options);
    const reply = await (span === undefined ? ask() : span.span.run(ask));
    const reader = new StepReader(unheard);
    for (const part of reply.opening) await reader.read(part);
    const outcome = reader.outcome(reply.model, clock.now());
    output.usage.add(outcome.usage);
    if (span !== undefined) endModelCall(span, outcome);
    count.ended(outcome, reader.tokens);
    // A processor that blocks the text does not end the run.
    const processors = outputProcessors.map((bound) => ({ ...bound, run: { ...bound.run, refusal: undefined } }));
    return await passText(outputPasses(processors, 'summary'), outcome.text);
  } catch (error) {
    const failure = toModelFailure(agent.id, models.at(-1), error);
    span?.span.end({ error: failure });
    count.failed(models.at(-1), failure);
    throw failure;
  }
}

/** Nobody reads the parts as they arrive. */
const unheard: ConstructorParameters<typeof StepReader>[0] = {
  emit: () => undefined,
  isProcessed: false,
  rawChunks: false,
  onToolCall: async () => {},
  inputOf: () => undefined,
  flagsFor: () => ({}),
  onWarnings: () => {},
};
