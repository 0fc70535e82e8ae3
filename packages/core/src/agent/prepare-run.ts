import { InvalidInputError } from '@halyard/contracts';
import { decodeDataUrl } from '../model/file-download.ts';
import type { AgentInput } from '../model/message.ts';
import type { Prompt, ResolvedModel } from '../model/model-port.ts';
import { currentModels, resolveModels } from '../model/resolve-models.ts';
import { type FetchFile, textPrompt, toPrompt } from '../model/to-prompt.ts';
import { acceptInput, newestUserText, withNewestUserText } from './agent-input.ts';
import type { RunContext, RunOptions } from './agent-options.ts';
import type { AgentServices } from './agent-services.ts';
import type { Agent } from './agent.ts';
import { acceptAnswers, type AcceptedAnswers } from './approval-answers.ts';
import type { ApprovalRequest } from './approvals.ts';
import { greatestMaxSteps, requestSettings, type SentSettings } from './generation-options.ts';
import { guardText } from './guardrails.ts';
import type { HookRun } from './hooks.ts';
import { type AgentJournal, noJournal } from './journal.ts';
import type { ParentRun } from './parent-run.ts';
import { RunClock } from './run-clock.ts';
import type { Emit, ObjectRequest, Run } from './run.ts';
import { addUsage, noUsage, type Usage } from './usage.ts';

/** Who hears of a run. */
export interface Audience {
  readonly emit: Emit;
  /** Whether somebody watches; asked before each model call where that may change. */
  readonly streaming: boolean | (() => boolean);
}

const noContext: Readonly<Record<string, unknown>> = {};

/**
 * Everything that can refuse a request, before anything is generated: messages, approvals, guardrails, files.
 *
 * @throws InvalidInputError, GuardrailBlockedError, AbortedError
 */
export async function prepareRun(
  agent: Agent,
  input: AgentInput,
  options: RunOptions,
  { emit, streaming, object }: Audience & { readonly object: ObjectRequest | undefined },
): Promise<Run> {
  const services = servicesOf(agent, options.services);
  const context: RunContext = {
    context: options.context ?? noContext,
    user: options.user,
    userId: options.memory?.userId ?? options.userId,
    conversationId: options.memory?.conversationId ?? options.conversationId,
  };
  const maxSteps = acceptMaxSteps(options.maxSteps ?? agent.maxSteps);
  const clock = new RunClock(services.clock, agent.timeouts, options.signal);
  try {
    clock.check();
    const accepted =
      plainRequest(agent, input) ??
      (await clock.orStopped(acceptRequest(agent, input, context, services, clock.signal)));
    const { requests } = accepted;
    const { journal = noJournal } = options;
    // Recorded, since idempotency keys are made of it.
    const id =
      journal === noJournal ? services.ids.next() : await journal.record('run', async () => services.ids.next());
    // Last, so that a request that is refused uses no approval up.
    if (requests.length > 0) await consumeAll(journal, services, requests);
    clock.check();

    return new PreparedRun(agent, options, {
      accepted,
      clock,
      context,
      emit,
      id,
      journal,
      maxSteps,
      object,
      services,
      streaming,
    });
  } catch (error) {
    clock.stop();
    throw clock.signal.aborted ? clock.failure() : error;
  }
}

interface RunParts extends Audience, Pick<Run, 'clock' | 'id' | 'journal' | 'maxSteps' | 'object' | 'services'> {
  readonly accepted: AcceptedRequest;
  readonly context: RunContext;
}

/** A class, because V8 soon allocates an object literal that outlives a few collections among the old objects, where it keeps all of a run. */
class PreparedRun implements Run {
  readonly agent: Agent;
  readonly id: string;
  readonly services: AgentServices;
  readonly journal: AgentJournal;
  readonly context: RunContext['context'];
  readonly user: RunContext['user'];
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly hookRun: HookRun;
  readonly models: readonly ResolvedModel[];
  readonly settings: SentSettings;
  readonly maxSteps: number;
  readonly prompt: Prompt;
  readonly answers: Run['answers'];
  readonly stillWaiting: boolean;
  readonly agentPath: readonly string[];
  readonly clock: RunClock;
  readonly emit: Emit;
  readonly object: ObjectRequest | undefined;
  readonly delegated: boolean;
  readonly #streaming: Audience['streaming'];
  readonly #parent: ParentRun | undefined;
  #usage: Usage = noUsage;

  constructor(agent: Agent, options: RunOptions, parts: RunParts) {
    const { accepted, context, id } = parts;
    this.agent = agent;
    this.id = id;
    this.services = parts.services;
    this.journal = parts.journal;
    this.context = context.context;
    this.user = context.user;
    this.userId = context.userId;
    this.conversationId = context.conversationId;
    this.hookRun = {
      agentId: agent.id,
      runId: id,
      userId: context.userId,
      conversationId: context.conversationId,
      context: context.context,
    };
    this.models = accepted.models;
    this.settings = requestSettings(agent.settings, options);
    this.maxSteps = parts.maxSteps;
    this.prompt = accepted.prompt;
    this.answers = accepted.answers;
    this.stillWaiting = accepted.stillWaiting;
    this.agentPath = options.parent === undefined ? [agent.id] : [...options.parent.agentPath, agent.id];
    this.#streaming = parts.streaming;
    this.clock = parts.clock;
    this.emit = parts.emit;
    this.object = parts.object;
    this.delegated = options.parent !== undefined;
    this.#parent = options.parent;
  }

  get streaming(): boolean {
    return typeof this.#streaming === 'function' ? this.#streaming() : this.#streaming;
  }

  readonly addUsage = (added: Usage): void => {
    this.#usage = addUsage(this.#usage, added);
    this.#parent?.addUsage(added);
  };

  readonly usage = (): Usage => this.#usage;
}

/** A server brings everything, with each request: nothing is copied then. */
function servicesOf(agent: Agent, given: Partial<AgentServices> | undefined): AgentServices {
  if (given === undefined) return agent.services;
  return isComplete(given) ? given : { ...agent.services, ...given };
}

function isComplete(services: Partial<AgentServices>): services is AgentServices {
  const { approvals, clock, downloadFile, ids, logger } = services;
  return (approvals && clock && downloadFile && ids && logger) !== undefined;
}

interface AcceptedRequest extends Omit<AcceptedAnswers, 'messages'> {
  readonly models: readonly ResolvedModel[];
  readonly prompt: Prompt;
}

/** A text for an agent that is the same in every run, as most are: there is nothing to wait for. */
function plainRequest({ inputGuardrails, instructions, model }: Agent, input: AgentInput): AcceptedRequest | undefined {
  if (typeof input !== 'string' || typeof instructions === 'function' || inputGuardrails.length > 0) return undefined;
  const models = typeof model === 'function' ? undefined : currentModels(model);
  if (models === undefined) return undefined;
  const prompt = textPrompt(input);
  if (instructions !== '') prompt.unshift({ role: 'system', content: instructions });
  return { answers: [], requests: [], stillWaiting: false, prompt, models };
}

async function acceptRequest(
  agent: Agent,
  input: AgentInput,
  context: RunContext,
  services: AgentServices,
  signal: AbortSignal,
): Promise<AcceptedRequest> {
  const accepted = await acceptInput(input, agent.acceptSystemMessages);
  const { messages, ...answers } = acceptAnswers(accepted.messages, agent, services, context);
  const guarded = await guardInput(agent, messages, context);
  const system = await systemText(agent, accepted.system, context);
  const answered = new Set(answers.answers.map(({ call }) => call.toolCallId));
  const prompt = await toPrompt(guarded, answered, fetchFileFor(services, signal));
  if (system !== '') prompt.unshift({ role: 'system', content: system });
  return { ...answers, prompt, models: await chooseModels(agent, context) };
}

/** Once per run: when it is repeated from its journal, its approvals are its own already. */
async function consumeAll(
  journal: AgentJournal,
  { approvals }: AgentServices,
  requests: readonly ApprovalRequest[],
): Promise<void> {
  await journal.record('answers', async () => {
    for (const request of requests) await approvals.consume(request);
    return null;
  });
}

function acceptMaxSteps(maxSteps: number): number {
  if (Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= greatestMaxSteps) return maxSteps;
  throw new InvalidInputError(`body/options/maxSteps must be an integer from 1 to ${greatestMaxSteps}`);
}

async function guardInput<Messages extends Parameters<typeof newestUserText>[0]>(
  { inputGuardrails }: Agent,
  messages: Messages,
  context: RunContext,
): Promise<Parameters<typeof newestUserText>[0]> {
  const text = inputGuardrails.length === 0 ? undefined : newestUserText(messages);
  if (text === undefined) return messages;
  const guarded = await guardText('input', inputGuardrails, text, context);
  return guarded === text ? messages : withNewestUserText(messages, guarded);
}

/** The agent's own instructions, then what the caller sent as system messages. */
async function systemText({ instructions }: Agent, sent: readonly string[], context: RunContext): Promise<string> {
  const own = typeof instructions === 'function' ? await instructions(context) : instructions;
  return [own, ...sent].filter((text) => text !== '').join('\n\n');
}

function chooseModels(agent: Agent, context: RunContext): readonly ResolvedModel[] | Promise<readonly ResolvedModel[]> {
  const { model } = agent;
  if (typeof model !== 'function') return currentModels(model) ?? resolveModels(model);
  return Promise.resolve(model(context)).then((choice) => currentModels(choice) ?? resolveModels(choice));
}

function fetchFileFor(services: AgentServices, signal: AbortSignal): FetchFile {
  return async (url) => (/^data:/i.test(url) ? decodeDataUrl(url) : services.downloadFile(url, signal));
}
