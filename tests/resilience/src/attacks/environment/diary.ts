import { setTimeout as delay } from 'node:timers/promises';
import type { App, Reply } from './app.ts';

/**
 * A conversation in which messages are written in pairs, while the surroundings of the server fail.
 */
export class Diary {
  static readonly conversationId = 'diary';
  readonly #app: App;
  readonly #token: string;
  readonly #bytes: number;
  /** The pairs whose write was answered with 200. */
  readonly acknowledged: string[] = [];

  private constructor(app: App, bytes: number) {
    this.#app = app;
    this.#bytes = bytes;
    this.#token = app.tokenOf('user', Date.now() / 1_000 + 3_600);
  }

  /** @param bytes of each message. */
  static async create(app: App, bytes: number): Promise<Diary> {
    const diary = new Diary(app, bytes);
    const { status } = await app.ask('POST', '/api/memory/conversations', diary.#token, {
      conversationId: Diary.conversationId,
    });
    if (status !== 201) throw new Error(`no conversation was created: ${status}`);
    return diary;
  }

  /** The conversation exists already. */
  static continue(app: App, bytes: number): Diary {
    return new Diary(app, bytes);
  }

  async save(id: string): Promise<Reply> {
    const messages = [0, 1].map((part) => ({
      id: `${id}.${part}`,
      role: 'user',
      // Random, so that it is not compressed away.
      parts: [{ type: 'text', text: randomText(this.#bytes) }],
    }));
    const body = { conversationId: Diary.conversationId, messages };
    const reply = await this.#app.ask('POST', '/api/memory/save-messages', this.#token, body);
    if (reply.status === 200) this.acknowledged.push(id);
    return reply;
  }

  list(): Promise<Reply> {
    return this.#app.ask('GET', `/api/memory/conversations/${Diary.conversationId}/messages?limit=4`, this.#token);
  }

  async isHealthy(): Promise<boolean> {
    return (await this.#app.ask('GET', '/healthz', this.#token)).status === 200;
  }

  /**
   * Writes until a write succeeds. @returns how long that took, and what was lost or written in
   * part.
   */
  async recover(boundMs: number): Promise<{ readonly recoveredMs: number; readonly findings: readonly string[] }> {
    const from = performance.now();
    let isBack = false;
    for (let tries = 0; !isBack && performance.now() - from < boundMs; tries += 1) {
      isBack = (await this.save(`after-${tries}`)).status === 200;
      if (!isBack) await delay(500);
    }
    const recoveredMs = Math.round(performance.now() - from);
    const findings = isBack ? await this.#check() : [`no write succeeded within ${boundMs} ms after the fault`];
    return { recoveredMs, findings };
  }

  /** Each acknowledged pair must be there, and no half of a pair. */
  async #check(): Promise<readonly string[]> {
    const found = new Set<string>();
    let before = '';
    for (;;) {
      const path = `/api/memory/conversations/${Diary.conversationId}/messages?limit=10${before}`;
      const { data, status } = await this.#app.ask('GET', path, this.#token);
      if (status !== 200) return [`the messages could not be read: ${status}`];
      const { messages } = data as {
        readonly messages: readonly { readonly id: string; readonly createdAt: string }[];
      };
      for (const { id } of messages) found.add(id);
      const [oldest] = messages;
      if (oldest === undefined) break;
      before = `&before=${encodeURIComponent(oldest.createdAt)}`;
    }
    return Diary.problemsOf([...found], this.acknowledged);
  }

  /** @param found the ids of all stored messages. */
  static problemsOf(found: readonly string[], acknowledged: readonly string[]): readonly string[] {
    const pairs = new Map<string, number>();
    for (const id of found) {
      const pair = id.slice(0, -2);
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
    const problems: string[] = [];
    for (const id of acknowledged) if (!pairs.has(id)) problems.push(`${id} was acknowledged and is lost`);
    for (const [id, count] of pairs) if (count !== 2) problems.push(`${id} was written in part`);
    return problems;
  }
}

function randomText(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(65_536, bytes))))
    .toString('base64')
    .repeat(Math.ceil(bytes / 87_000))
    .slice(0, bytes);
}
