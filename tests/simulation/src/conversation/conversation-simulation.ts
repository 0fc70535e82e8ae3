import { isHalyardError, type StoredMessage } from '@halyard/contracts';
import type { AgentInput, RunOptions } from '@halyard/core';
import type { Resend } from '@halyard/core/server';
import { expect } from 'vitest';
import { asActive, isInactive } from '../../../../packages/core/src/conversation/branch.ts';
import { isSummary } from '../../../../packages/core/src/conversation/summary.ts';
import { chatAnswer, chatOf, rawAnswer } from '../../../../packages/core/src/memory/testing/chat-client.ts';
import type { ScriptedReply } from '../../../../packages/core/src/testing/index.ts';
import { Random } from '../../../../packages/core/src/workflow/testing/random.ts';
import { Violation } from '../workflow/violation.ts';
import { newStep, type PlainCall, PlainConversation, type PlainPart } from './plain-conversation.ts';
import { isCut, lastDelta, type RandomReply, randomReply } from './random-reply.ts';
import { type SimulatedAgent, simulatedAgent } from './simulated-agent.ts';

interface SimulationOptions {
  readonly turns?: number;
  /** Whether older messages are summarised. */
  readonly compacts?: boolean;
}

/**
 * Runs random turns in one conversation, and compares the stored messages with a plain list after
 * each. Summaries are not compared.
 *
 * @returns how many turns and summaries there were.
 */
export async function simulateConversation(
  seed: number,
  { compacts = false, turns = 14 }: SimulationOptions = {},
): Promise<{ readonly turns: number; readonly summaries: number }> {
  const simulation = new Simulation(seed, compacts);
  for (let turn = 0; turn < turns; turn += 1) await simulation.turn();
  return { turns, summaries: simulation.summaries };
}

class Simulation {
  readonly #random: Random;
  readonly #seed: number;
  readonly #plain = new PlainConversation();
  readonly #setup: SimulatedAgent;
  readonly #repeatsIds: boolean;
  readonly #compacts: boolean;
  readonly #done: string[] = [];
  #script: ScriptedReply[] = [];
  #lastId = 0;
  #lastText = 0;
  /** An accepted answer, to be sent again. */
  #usedAnswer: AgentInput | undefined;

  constructor(seed: number, compacts: boolean) {
    this.#seed = seed;
    this.#compacts = compacts;
    this.#random = new Random(seed);
    this.#repeatsIds = this.#random.chance(0.3);
    this.#setup = simulatedAgent(new Random(seed), {
      compacts,
      nextTurn: () => this.#script.shift() ?? 'The script has ended.',
    });
  }

  /** How many there were. */
  get summaries(): number {
    return this.#setup.notes.calls.length;
  }

  async turn(): Promise<void> {
    const [what, work] = this.#choose();
    this.#done.push(what);
    try {
      await work();
      expect(await this.#stored()).toEqual(this.#plain.lines());
      this.#checkPrompts();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Violation(`CONVERSATION_SEED=${this.#seed}: ${this.#done.join(', ')}: ${reason}`, { cause: error });
    }
  }

  #choose(): readonly [string, () => Promise<void>] {
    const random = this.#random;
    const { last, messages, waiting } = this.#plain;
    if (waiting.length > 0 && random.chance(0.7)) {
      if (waiting.length > 1 && random.chance(0.3)) return ['answer all', () => this.#answerAll()];
      return ['answer', () => this.#answer()];
    }
    if (this.#usedAnswer !== undefined && random.chance(0.15)) return ['answer twice', () => this.#answerTwice()];
    if (last?.role === 'user' && random.chance(0.5)) return ['retry', () => this.#again(messages.length - 1)];
    const asked = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
    const place = asked[random.below(asked.length)];
    switch (random.below(11)) {
      case 0:
        return place === undefined ? ['ask', () => this.#ask()] : ['again', () => this.#again(place)];
      case 1:
        return place === undefined ? ['ask', () => this.#ask()] : ['edit', () => this.#again(place, this.#newText())];
      case 2:
        return ['ask in parallel', () => this.#askInParallel()];
      case 3:
        return ['delete in the middle', () => this.#deleteInTheMiddle()];
      case 4:
        return ['fail to write', () => this.#failToWrite()];
      case 5:
        return ['disconnect anywhere', () => this.#disconnectAnywhere()];
      case 6:
        return messages.length < 2 ? ['ask', () => this.#ask()] : ['branch', () => this.#branch()];
      default:
        return ['ask', () => this.#ask()];
    }
  }

  async #ask(): Promise<void> {
    const text = this.#newText();
    const [input, streaming] = [await this.#inputOf(text), this.#random.chance(0.6)];
    const answer = randomReply(this.#random, streaming, this.#nextCallId());
    await this.#run(input, answer, streaming);
    this.#plain.messages.push({ role: 'user', parts: [text] });
    this.#expectAnswer(answer);
  }

  /** Sends a question again, unchanged or edited; a new answer replaces all messages after it. */
  async #again(place: number, text?: string): Promise<void> {
    const chat = chatOf(await this.#messages()).slice(0, place + 1);
    const question = chat[place];
    if (question === undefined) return;
    if (text !== undefined) chat[place] = { ...question, parts: [{ type: 'text', text }] };
    const streaming = this.#random.chance(0.6);
    const answer = randomReply(this.#random, streaming, this.#nextCallId());
    await this.#run(chat, answer, streaming, text === undefined ? 'regenerate' : 'edit');
    if (!hasContent(answer.parts)) return;
    this.#plain.messages.splice(place + 1);
    if (text !== undefined) this.#plain.messages.splice(place, 1, { role: 'user', parts: [text] });
    this.#expectAnswer(answer);
  }

  /**
   * Continues after an earlier message than the newest: what followed it is kept, and is not in the
   * prompt.
   */
  async #branch(): Promise<void> {
    const place = this.#random.below(this.#plain.messages.length - 1);
    const messages = await this.#messages();
    const left = messages.slice(place + 1);
    this.#lastId += 1;
    const text = this.#newText();
    const question = { id: `u${this.#lastId}`, role: 'user' as const, parts: [{ type: 'text' as const, text }] };
    const streaming = this.#random.chance(0.6);
    const answer = randomReply(this.#random, streaming, this.#nextCallId());
    const calls = this.#setup.model.calls.length;
    await this.#run([...chatOf(messages.slice(0, place + 1)), question], answer, streaming);

    this.#plain.messages.splice(place + 1);
    this.#plain.messages.push({ role: 'user', parts: [text] });
    this.#expectAnswer(answer);
    const inactive = (await this.#setup.stored()).filter(isInactive).map(({ id }) => id);
    expect(inactive).toEqual(expect.arrayContaining(left.map(({ id }) => id)));
    const asked = this.#setup.model.calls.slice(calls).flatMap(({ prompt }) => prompt.map(textOf));
    for (const message of left) if (message.role === 'user') expect(asked).not.toContain(textOf(message));
  }

  /** Answers some or all of the waiting calls. */
  async #answer(): Promise<void> {
    const { waiting } = this.#plain;
    const some = waiting.filter(() => this.#random.chance(0.7));
    const answered = some.length === 0 ? waiting.slice(0, 1) : some;
    const approved = new Map(answered.map((call) => [call.id, this.#random.chance(0.7)]));
    const answerOf = this.#random.chance(0.5) ? rawAnswer : chatAnswer;
    const input = answerOf(await this.#messages(), approved);
    const streaming = this.#random.chance(0.6);
    if (answered.length < waiting.length) {
      await this.#run(input, { turns: [], parts: [], end: 'completes' }, streaming);
      settle(answered, approved);
      this.#plain.endAnswer();
      return;
    }
    const { last } = this.#plain;
    const used = last?.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.id]));
    const answer = randomReply(this.#random, streaming, this.#nextCallId(), used);
    await this.#run(input, answer, streaming);
    settle(answered, approved);
    last?.parts.push(...answer.parts);
    this.#plain.endAnswer(isCut(answer));
    if (answered.some(({ name }) => name === 'pay')) this.#usedAnswer = input;
  }

  /** Answers each call in its own request, all at the same time. No answer may be lost. */
  async #answerAll(): Promise<void> {
    const { waiting } = this.#plain;
    const messages = await this.#messages();
    const inputs = waiting.map(({ id }) => rawAnswer(messages, new Map([[id, true]])));
    this.#script = waiting.map(() => 'Then.');
    await Promise.all(inputs.map((input) => this.#setup.agent.generateText(input, this.#options())));
    settle(waiting, new Map(waiting.map(({ id }) => [id, true])));
    this.#plain.endAnswer();
    const last = (await this.#messages()).at(-1);
    // The last run to read continues; when all read before the first write, none does.
    const continuations = last?.parts.filter((part) => part.type === 'text' && part.text === 'Then.').length ?? 0;
    expect(continuations).toBeLessThan(2);
    if (continuations > 0) this.#plain.last?.parts.push(newStep, 'Then.');
  }

  async #answerTwice(): Promise<void> {
    const again = this.#usedAnswer ?? '';
    await expect(this.#setup.agent.generateText(again, this.#options())).rejects.toMatchObject({
      kind: 'invalid-input',
    });
  }

  async #askInParallel(): Promise<void> {
    const texts = [this.#newText(), this.#newText()];
    const inputs = await Promise.all(texts.map((text) => this.#inputOf(text)));
    const before = this.#plain.lines();
    this.#script = ['First.', 'Second.'];
    await Promise.all(inputs.map((input) => this.#setup.agent.generateText(input, this.#options())));
    const after = await this.#stored();
    expect(after.slice(0, before.length)).toEqual(before);
    const answers = ['assistant: | First.', 'assistant: | Second.', ...texts.map((text) => `user: ${text}`)];
    // The second run continues where its client does: it leaves out the turn of the first if its
    // input is a list.
    expect(after.length - before.length).toBeOneOf([2, 4]);
    const all = new PlainConversation();
    all.adopt((await this.#setup.stored()).filter((message) => !isSummary(message)).map(asActive));
    expect(all.lines().slice(-4).toSorted()).toEqual(answers.toSorted());
    this.#plain.adopt(await this.#messages());
  }

  async #deleteInTheMiddle(): Promise<void> {
    const { agent, storage } = this.#setup;
    const input = await this.#inputOf(this.#newText());
    const options = this.#options({ mode: 'step', debounceMs: 0 });
    this.#script = [
      { toolCalls: [{ toolName: 'look', toolCallId: 'd', input: {} }] },
      async () => {
        await expect.poll(() => storage.conversations.isTaken('c1'), { interval: 1 }).toBe(true);
        await storage.conversations.delete('anyone', 'c1');
        return 'Too late.';
      },
    ];
    const { text } = await agent.generateText(input, options);
    expect([text, await storage.conversations.isTaken('c1')]).toEqual(['Too late.', false]);
    this.#plain.messages = [];
  }

  /** Makes a save fail. Earlier messages remain; the run fails unless it made fewer saves. */
  async #failToWrite(): Promise<void> {
    const before = this.#plain.lines();
    const input = await this.#inputOf(this.#newText());
    this.#setup.faults.failingSave = this.#random.between(1, 2);
    this.#script = [{ toolCalls: [{ toolName: 'look', toolCallId: 'f', input: {} }] }, 'Fine.'];
    const outcome = await this.#setup.agent.generateText(input, this.#options()).catch((error: unknown) => error);
    if (this.#setup.faults.failingSave === 0) expect(outcome).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    else expect(isHalyardError(outcome)).toBe(false);
    this.#setup.faults.failingSave = 0;
    expect((await this.#stored()).slice(0, before.length)).toEqual(before);
    this.#plain.adopt(await this.#messages());
  }

  /** Aborts after any event: the content until then is stored. */
  async #disconnectAnywhere(): Promise<void> {
    const before = this.#plain.lines();
    const text = this.#newText();
    const input = await this.#inputOf(text);
    const answer = randomReply(this.#random, true, this.#nextCallId());
    this.#script = [...answer.turns];
    const stream = await this.#setup.agent.streamText(input, this.#options());
    let left = this.#random.below(20);
    let received = '';
    for await (const event of stream) {
      if (event.type === 'text-delta') received += event.delta;
      if (left === 0 || (event.type === 'text-delta' && event.delta === lastDelta)) break;
      left -= 1;
    }
    await stream.result.catch(() => {});
    const after = await this.#stored();
    expect(after.slice(0, before.length + 1)).toEqual([...before, `user: ${text}`]);
    expect(after.length - before.length).toBeLessThan(3);
    const answers = (await this.#messages()).slice(before.length + 1).flatMap(({ parts }) => parts);
    expect(answers.map((part) => (part.type === 'text' ? part.text : '')).join('')).toContain(received);
    this.#plain.adopt(await this.#messages());
  }

  async #run(input: AgentInput, answer: RandomReply, streaming: boolean, resend?: Resend): Promise<void> {
    const { agent } = this.#setup;
    const options = { ...this.#options(), resend };
    this.#script = [...answer.turns];
    if (streaming) {
      const stream = await agent.streamText(input, options);
      for await (const event of stream) {
        if (answer.end === 'disconnects' && event.type === 'text-delta' && event.delta === lastDelta) break;
      }
      await this.#ending(stream.result, answer);
      return;
    }
    const controller = new AbortController();
    const last = this.#script.at(-1);
    if (answer.end === 'disconnects' && last !== undefined) {
      this.#script[this.#script.length - 1] = () => {
        setImmediate(() => controller.abort());
        return last;
      };
    }
    const result = agent.generateText(input, { ...options, signal: controller.signal });
    await this.#ending(result, answer);
  }

  async #ending(result: Promise<unknown>, { end }: RandomReply): Promise<void> {
    if (end === 'disconnects' || end === 'fails') await expect(result).rejects.toThrow();
    else await result;
  }

  #expectAnswer(answer: RandomReply): void {
    const parts = [...answer.parts];
    if (hasContent(parts)) this.#plain.messages.push({ role: 'assistant', parts, isIncomplete: isCut(answer) });
  }

  /** Checks that each call has its result, and each result its call. */
  #checkPrompts(): void {
    for (const { prompt } of this.#setup.model.calls.slice(-4)) {
      let open: string[] = [];
      for (const { content, role } of prompt) {
        if (role === 'tool') {
          const results = content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
          expect(results.toSorted()).toEqual(open.toSorted());
          open = [];
          continue;
        }
        expect(open).toEqual([]);
        expect(content.length).toBeGreaterThan(0);
        if (role === 'assistant')
          open = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
      }
      expect(open).toEqual([]);
    }
  }

  #options(
    persistence: NonNullable<
      NonNullable<RunOptions['memory']>['options']
    >['conversationPersistence'] = this.#persistence(),
  ): RunOptions {
    const { options } = this.#setup;
    return {
      ...options,
      memory: {
        options: {
          ...(!this.#compacts && { contextLimit: this.#random.below(6) }),
          conversationPersistence: persistence,
        },
      },
    };
  }

  #persistence(): { mode: 'step' | 'finish'; debounceMs: number; flushOnToolResult: boolean } {
    const random = this.#random;
    return {
      mode: random.pick(['step', 'step', 'finish']),
      debounceMs: random.below(2),
      flushOnToolResult: random.chance(0.5),
    };
  }

  /** An input with this text: alone, or after the whole history. */
  async #inputOf(text: string): Promise<AgentInput> {
    if (this.#random.chance(0.3)) return text;
    if (this.#random.chance(0.2)) return [{ role: 'user', content: text }];
    this.#lastId += 1;
    const id = `u${this.#lastId}`;
    // Clients send the summaries, too.
    return [...chatOf(await this.#active()), { id, role: 'user', parts: [{ type: 'text', text }] }];
  }

  async #messages(): Promise<readonly StoredMessage[]> {
    return (await this.#active()).filter((message) => !isSummary(message));
  }

  /** Without what branches have left out. */
  async #active(): Promise<readonly StoredMessage[]> {
    return (await this.#setup.stored()).filter((message) => !isInactive(message));
  }

  async #stored(): Promise<readonly string[]> {
    const plain = new PlainConversation();
    plain.adopt(await this.#messages());
    return plain.lines();
  }

  /** Never the same twice: an edit without a change is no edit. */
  #newText(): string {
    this.#lastText += 1;
    return `q${this.#lastText}`;
  }

  #nextCallId(): (index: number) => string {
    return (index) => {
      if (this.#repeatsIds) return `call-${index}`;
      this.#lastId += 1;
      return `call-${this.#lastId}`;
    };
  }
}

function textOf({ content, parts = content }: { readonly content?: unknown; readonly parts?: unknown }): string {
  return (Array.isArray(parts) ? parts : []).map((part: { readonly text?: unknown }) => part.text).join('');
}

function hasContent(parts: readonly PlainPart[]): boolean {
  return parts.some((part) => part !== newStep);
}

function settle(calls: readonly PlainCall[], approved: ReadonlyMap<string, boolean>): void {
  for (const call of calls) {
    const no = call.name === 'pay' ? 'output-denied' : 'output-error';
    call.state = approved.get(call.id) === true ? 'output-available' : no;
  }
}
