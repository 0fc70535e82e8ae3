import type { Turn } from '../../memory/turn/turn.ts';
import { decodeDataUrl } from '../../model/file-download.ts';
import type { AgentInput } from '../../model/message.ts';
import type { Prompt, ResolvedModel } from '../../model/model-port.ts';
import { currentModels, resolveModels } from '../../model/resolve-models.ts';
import { type FetchFile, textPrompt, toPrompt } from '../../model/to-prompt.ts';
import type { AgentServices } from '../../services/agent-services.ts';
import type { Tool } from '../../tool/tool.ts';
import { acceptInput, newestUserText, withNewestUserText } from '../agent-input.ts';
import type { RunContext } from '../agent-options.ts';
import type { Agent } from '../agent.ts';
import { acceptAnswers, type AcceptedAnswers } from '../approvals/approval-answers.ts';
import { guardText } from '../guardrails.ts';

/** A request that nothing is wrong with. */
export interface AcceptedRequest extends Omit<AcceptedAnswers, 'messages'> {
  readonly models: readonly ResolvedModel[];
  readonly prompt: Prompt;
  /** Where the run has a conversation: what it writes there. */
  readonly turn?: Turn;
  /** Tools of the memory, beside those of the agent. */
  readonly tools?: readonly Tool[];
}

/** A text for an agent that is the same in every run, as most are: there is nothing to wait for. */
export function plainRequest(
  { inputGuardrails, instructions, model }: Agent,
  input: AgentInput,
): AcceptedRequest | undefined {
  if (typeof input !== 'string' || typeof instructions === 'function' || inputGuardrails.length > 0) return undefined;
  const models = typeof model === 'function' ? undefined : currentModels(model);
  if (models === undefined) return undefined;
  const prompt = textPrompt(input);
  if (instructions !== '') prompt.unshift({ role: 'system', content: instructions });
  return { answers: [], requests: [], stillWaiting: false, prompt, models };
}

/** @throws InvalidInputError, GuardrailBlockedError */
export async function acceptRequest(
  agent: Agent,
  input: AgentInput,
  context: RunContext,
  services: AgentServices,
  signal: AbortSignal,
): Promise<AcceptedRequest> {
  const accepted = await acceptInput(input, agent.acceptSystemMessages);
  const { messages, ...answers } = acceptAnswers(accepted.messages, agent, services, context);
  const text = await guardedText(agent, messages, context);
  const system = await systemText(agent, accepted.system, context);
  const guarded = text === undefined ? messages : withNewestUserText(messages, text);
  const prompt = await toPrompt(guarded, answeredBy(answers.answers), fetchFileFor(services, signal));
  if (system !== '') prompt.unshift({ role: 'system', content: system });
  return { ...answers, prompt, models: await chooseModels(agent, context) };
}

/** What input guardrails made of the newest text of the user; undefined when they left it as it is. @throws GuardrailBlockedError */
export async function guardedText(
  { inputGuardrails }: Agent,
  messages: Parameters<typeof newestUserText>[0],
  context: RunContext,
): Promise<string | undefined> {
  const text = inputGuardrails.length === 0 ? undefined : newestUserText(messages);
  if (text === undefined) return undefined;
  const guarded = await guardText('input', inputGuardrails, text, context);
  return guarded === text ? undefined : guarded;
}

/** The agent's own instructions, then those given. */
export async function systemText(
  { instructions }: Agent,
  others: readonly string[],
  context: RunContext,
): Promise<string> {
  const own = typeof instructions === 'function' ? await instructions(context) : instructions;
  return [own, ...others].filter((text) => text !== '').join('\n\n');
}

/** Ids of the calls whose results this run supplies. */
export function answeredBy(answers: AcceptedAnswers['answers']): ReadonlySet<string> {
  return new Set(answers.map(({ call }) => call.toolCallId));
}

export function chooseModels(
  { model }: Agent,
  context: RunContext,
): readonly ResolvedModel[] | Promise<readonly ResolvedModel[]> {
  if (typeof model !== 'function') return currentModels(model) ?? resolveModels(model);
  return Promise.resolve(model(context)).then((choice) => currentModels(choice) ?? resolveModels(choice));
}

export function fetchFileFor(services: AgentServices, signal: AbortSignal): FetchFile {
  return async (url) => (/^data:/i.test(url) ? decodeDataUrl(url) : services.downloadFile(url, signal));
}
