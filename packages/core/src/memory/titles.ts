import type { ConversationStore, Logger, Message } from '@halyard/contracts';
import { systemClock } from '../agent/default-services.ts';
import { callModel } from '../model/call-model.ts';
import type { ResolvedModel } from '../model/providers/model-port.ts';
import { loggedModelError } from '../model/providers/provider-failure.ts';
import { resolveModels } from '../model/providers/resolve-models.ts';
import { defaultRetries } from '../model/providers/retry-delay.ts';
import type { TitleSettings } from './memory-options.ts';
import { messageText } from './recall/message-text.ts';
import type { WrittenMessages } from './written-messages.ts';

/** A shutdown waits for titles, and takes 25 seconds at most. */
const titleLimitMs = 20_000;
/** Of the question and of the reply, in UTF-16 units: enough to find the topic. */
const excerptLength = 1500;
const maxRunning = 4;
const maxWaiting = 1000;
const notCreated = 'a title could not be created';

/** Gives conversations a title after their first reply, in the background. */
export class Titles {
  readonly #settings: TitleSettings;
  readonly #conversations: ConversationStore;
  readonly #waiting: WrittenMessages[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(settings: TitleSettings, conversations: ConversationStore) {
    this.#settings = settings;
    this.#conversations = conversations;
  }

  /** For the first turn of a conversation. A title that is set in between is not replaced. */
  create(written: WrittenMessages): void {
    if (this.#waiting.length >= maxWaiting) {
      written.logger.error(
        { waiting: this.#waiting.length },
        'a title could not be created: too many conversations wait',
      );
      return;
    }
    this.#waiting.push(written);
    this.#startNext();
  }

  /** Resolves when every title was created or has failed. */
  async flush(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startNext(): void {
    if (this.#running.size >= maxRunning) return;
    const written = this.#waiting.shift();
    if (written === undefined) return;
    const running = this.#createTitle(written)
      .catch((error: unknown) => written.logger.warn({ err: error }, notCreated))
      .finally(() => {
        this.#running.delete(running);
        this.#startNext();
      });
    this.#running.add(running);
  }

  async #createTitle(written: WrittenMessages): Promise<void> {
    const { conversationId, messages, models, logger, userId } = written;
    const text = excerpt(messages);
    if (text === '' || !(await this.#isUntitled(written))) return;
    const title = cleanTitle(await this.#askModel(text, models, logger), this.#settings.maxLength);
    if (title === '' || !(await this.#isUntitled(written))) return;
    await this.#conversations.update({ user: userId }, conversationId, { title });
  }

  /**
   * Whether the user still has the conversation, without a title. After its deletion, another user
   * may have created one with its id.
   */
  async #isUntitled({ conversationId, userId }: WrittenMessages): Promise<boolean> {
    return (await this.#conversations.find({ user: userId }, conversationId))?.title === '';
  }

  /** The reply; empty if there is none. */
  async #askModel(text: string, models: readonly ResolvedModel[], logger: Logger): Promise<string> {
    const { instructions, model } = this.#settings;
    const asked = model === undefined ? models : await resolveModels(model);
    const call = {
      prompt: [
        { role: 'system' as const, content: instructions },
        { role: 'user' as const, content: [{ type: 'text' as const, text }] },
      ],
      abortSignal: AbortSignal.timeout(titleLimitMs),
    };
    const options = { retries: defaultRetries, firstTokenMs: titleLimitMs, clock: systemClock, logger };
    try {
      const { opening } = await callModel(asked, false, call, options);
      return opening.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
    } catch (error) {
      logger.warn(loggedModelError(asked.at(-1), error), notCreated);
      return '';
    }
  }
}

/** The beginning of the first user message and of the first reply. */
function excerpt(messages: readonly Message[]): string {
  const textOf = (role: Message['role'], text: (message: Message) => string): string => {
    const message = messages.find((one) => one.role === role);
    return message === undefined ? '' : text(message).slice(0, excerptLength).toWellFormed();
  };
  const [question, answer] = [textOf('user', messageText), textOf('assistant', toReplyText)];
  if (question === '') return answer;
  return answer === '' ? question : `User: ${question}\n\nAssistant: ${answer}`;
}

function toReplyText(message: Message): string {
  return withoutReasoning(messageText(message)).trimStart();
}

/**
 * A text without the reasoning that some models write into it: `<think>…</think>`. A prompt
 * template may contain the first tag, and the last one is missing where a limit ended the reply.
 */
function withoutReasoning(text: string): string {
  const [start = '', ...rest] = text.split(/<(\/?)(?:think|thinking|thought|reasoning)>/i);
  let kept = start;
  let isReasoning = false;
  for (let index = 0; index < rest.length; index += 2) {
    const isEnd = rest[index] === '/';
    if (isEnd && !isReasoning) kept = '';
    if (isEnd) kept += rest[index + 1] ?? '';
    isReasoning = !isEnd;
  }
  return kept;
}

/**
 * The first line of a reply without reasoning and without the markup that models add to a title,
 * cut between words when it is too long.
 */
export function cleanTitle(answer: string, maxLength: number): string {
  const line =
    withoutReasoning(answer)
      .split('\n')
      .find((one) => one.trim() !== '') ?? '';
  const bare = line
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s#*_`"'“”„‘’«»]*(?:title:)?[\s*_`"'“”„‘’«»]*/i, '')
    .replace(/[\s*_`"'“”„‘’«».]+$/, '');
  const characters = [...bare];
  if (characters.length <= maxLength) return bare;
  const cut = characters.slice(0, maxLength).join('');
  const lastSpace = characters[maxLength] === ' ' ? -1 : cut.lastIndexOf(' ');
  return (lastSpace > 0 ? cut.slice(0, lastSpace) : cut).trimEnd();
}
