import { callModel } from '../../../model/call-model.ts';
import { toModelFailure } from '../../../model/provider-failure.ts';
import { resolveModels } from '../../../model/resolve-models.ts';
import { abortable } from '../../../services/abortable.ts';
import { outputPasses, processHistory } from '../../processors/bound-processor.ts';
import type { ConversationHistory, HistoryQuestion } from '../../processors/processor.ts';
import { passText } from '../../processors/text-channel.ts';
import { modelCallCounter } from '../count-run.ts';
import { beginModelCall, endModelCall, recordPrompt } from '../record-run.ts';
import type { Run } from '../run.ts';
import { StepReader } from '../step/step-reader.ts';
import type { RunConversation } from './run-conversation.ts';

/**
 * Adds the stored messages to the prompt of a run, as its processors return them. What they store comes before the input, which is not stored yet.
 *
 * @throws GuardrailBlockedError, ProcessorFailedError, and what the run was aborted for.
 */
export async function addHistory(run: Run): Promise<void> {
  const { conversation, limits, processors, prompt, question, recording } = run;
  if (conversation === undefined) return;
  const historyOf = (messages: ConversationHistory['messages']): ConversationHistory =>
    historyFor(run, conversation, messages);
  const messages = await abortable(processHistory(processors, historyOf, conversation.messages), limits.signal);
  limits.throwIfAborted();
  const history = await abortable(conversation.history(question, messages), limits.signal);
  const start = prompt.findIndex(({ role }) => role !== 'system');
  prompt.splice(start === -1 ? prompt.length : start, 0, ...history);
  if (recording !== undefined) recordPrompt(run, recording);
}

function historyFor(
  run: Run,
  conversation: RunConversation,
  messages: ConversationHistory['messages'],
): ConversationHistory {
  const { events, journal, limits, logger, services, turn } = run;
  return {
    messages,
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
      turn?.keepSummary(message);
      await events.emit({ type: 'summary', message });
      return summary;
    },
  };
}

/** One model call that is no step of the run. */
async function askModel(run: Run, { model, prompt, timeoutMs }: HistoryQuestion): Promise<string> {
  const { agent, conversationId, limits, logger, outputProcessors, recording, services } = run;
  const models = model === undefined ? run.models : [...(await resolveModels(model, agent.providers))];
  const abortSignal = AbortSignal.any([limits.signal, AbortSignal.timeout(timeoutMs)]);
  const span = beginModelCall(
    { conversationId, modelTools: [], models, recording, settings: {} },
    undefined,
    prompt,
    services.clock.now(),
  );
  const count = modelCallCounter(agent, services);
  try {
    const { clock } = services;
    const options = { retries: agent.retries, firstTokenMs: timeoutMs, clock, logger };
    const ask = () => callModel(models, false, { prompt, abortSignal }, options);
    const reply = await (span === undefined ? ask() : span.span.run(ask));
    const reader = new StepReader(unheard);
    for (const part of reply.opening) await reader.read(part);
    const outcome = reader.outcome(reply.model, clock.now());
    run.usage.add(outcome.usage);
    if (span !== undefined) endModelCall(span, outcome);
    count.ended(outcome);
    // One that blocks the text does not end the run.
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
  marksOf: () => ({}),
  onWarnings: () => {},
};
