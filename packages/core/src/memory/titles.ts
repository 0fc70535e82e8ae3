import type { ConversationStore, Logger, Message } from '@halyard/contracts';
import { callModel } from '../model/call-model.ts';
import type { ResolvedModel } from '../model/model-port.ts';
import { resolveModels } from '../model/resolve-models.ts';
import { defaultRetries } from '../model/retry-delay.ts';
import { abortable } from '../services/abortable.ts';
import { systemClock } from '../services/default-services.ts';
import { BackgroundTasks } from './background-tasks.ts';
import type { TitleSettings } from './memory-settings.ts';
import { messageText } from './recall/message-text.ts';
import type { FinishedTurn } from './turn/finished-turn.ts';

/** A shutdown waits for titles, and has 25 seconds for everything. */
const titleLimitMs = 20_000;
/** Of what the user and the agent said, each: enough to know what it is about. */
const excerptLength = 1500;

/** Names conversations after their first answer, beside requests. */
export class Titles {
  readonly #settings: TitleSettings;
  readonly #conversations: ConversationStore;
  readonly #tasks = new BackgroundTasks({ atOnce: 4, limit: 1000 });

  constructor(settings: TitleSettings, conversations: ConversationStore) {
    this.#settings = settings;
    this.#conversations = conversations;
  }

  /** For a conversation that was just made. It keeps the title that somebody else gave it meanwhile. */
  make({ conversationId, messages, models, logger }: FinishedTurn): void {
    const said = excerpt(messages);
    if (said === '') return;
    this.#tasks.add(logger, 'a title could not be made', async () => {
      if (!(await this.#isUntitled(conversationId))) return;
      const title = cleanTitle(await this.#ask(said, models, logger), this.#settings.maxLength);
      if (title === '' || !(await this.#isUntitled(conversationId))) return;
      await this.#conversations.update('anyone', conversationId, { title });
    });
  }

  async flush(): Promise<void> {
    await this.#tasks.flush();
  }

  async #isUntitled(conversationId: string): Promise<boolean> {
    return (await this.#conversations.find('anyone', conversationId))?.title === '';
  }

  async #ask(said: string, models: readonly ResolvedModel[], logger: Logger): Promise<string> {
    const { instructions, model } = this.#settings;
    const abortSignal = AbortSignal.timeout(titleLimitMs);
    const asked = callModel(
      model === undefined ? models : await resolveModels(model),
      false,
      {
        prompt: [
          { role: 'system', content: instructions },
          { role: 'user', content: [{ type: 'text', text: said }] },
        ],
        abortSignal,
      },
      { retries: defaultRetries, firstTokenMs: titleLimitMs, clock: systemClock, logger },
    );
    const { opening } = await abortable(asked, abortSignal);
    return opening.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  }
}

/** What the first user message and the first answer say. */
function excerpt(messages: readonly Message[]): string {
  const saidBy = (role: Message['role']): string => {
    const message = messages.find((one) => one.role === role);
    return message === undefined ? '' : messageText(message).slice(0, excerptLength).toWellFormed();
  };
  const [question, answer] = [saidBy('user'), saidBy('assistant')];
  if (question === '') return answer;
  return answer === '' ? question : `User: ${question}\n\nAssistant: ${answer}`;
}

/** One line without what models put around a title, cut at a word where it is too long. */
export function cleanTitle(answer: string, maxLength: number): string {
  const line = answer.split('\n').find((one) => one.trim() !== '') ?? '';
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
