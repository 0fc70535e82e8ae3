import type { Logger } from '@halyard/contracts';
import { LRUCache } from 'lru-cache';
import { systemClock } from '../../agent/default-services.ts';
import { checkEmbeddingModel, type Embedding, embedTexts } from '../../model/providers/embed-texts.ts';
import type { EmbeddingModel } from '../../model/providers/embedding-model.ts';
import { defaultRetries } from '../../model/providers/retry-delay.ts';
import { embeddableText } from './message-text.ts';

/** A user waits for a query: after a few seconds, the reply is given without recalled messages. */
const queryLimits = { retries: { maxRetries: 1, initialDelayMs: 200, maxDelayMs: 1000 }, callLimitMs: 5000 };
const backgroundLimits = { retries: defaultRetries, callLimitMs: 60_000 };

/** A text of a user; without a user, of all callers that may read the data of all. */
interface EmbeddedText {
  readonly text: string;
  readonly userId: string | undefined;
}

/**
 * Turns texts into vectors. A run stores the text that it searched with: the cache saves embedding
 * it a second time. It is used only for texts of the same user: the time of a search must not
 * reveal texts of others.
 */
export class Embedder {
  readonly #model: EmbeddingModel;
  readonly #logger: Logger;
  readonly #queries = new LRUCache<string, Embedding>({ max: 100 });

  /** @throws ConfigurationError */
  constructor(model: EmbeddingModel, logger: Logger) {
    checkEmbeddingModel(model);
    this.#model = model;
    this.#logger = logger;
  }

  /** @throws EmbeddingFailedError within seconds. */
  async embedQuery(query: string, userId: string | undefined): Promise<Embedding> {
    const text = embeddableText(query);
    const key = toKey({ text, userId });
    const cached = this.#queries.get(key);
    if (cached !== undefined) return cached;
    const [embedding = []] = await this.#embed([text], queryLimits);
    this.#queries.set(key, embedding);
    return embedding;
  }

  /** @throws EmbeddingFailedError */
  async embedAll(texts: readonly EmbeddedText[]): Promise<readonly Embedding[]> {
    const embeddings = texts.map((text) => this.#queries.get(toKey(text)));
    const missing = texts.flatMap(({ text }, index) => (embeddings[index] === undefined ? [text] : []));
    const embedded = (await this.#embed(missing, backgroundLimits)).values();
    return embeddings.map((embedding) => embedding ?? embedded.next().value ?? []);
  }

  async #embed(texts: readonly string[], limits: typeof queryLimits): Promise<readonly Embedding[]> {
    if (texts.length === 0) return [];
    return embedTexts(this.#model, texts, { ...limits, clock: systemClock, logger: this.#logger });
  }
}

function toKey({ text, userId }: EmbeddedText): string {
  return JSON.stringify([userId, text]);
}
