import type { Logger } from '@halyard/contracts';
import { LRUCache } from 'lru-cache';
import { checkEmbeddingModel, type Embedding, embedTexts } from '../../model/embed-texts.ts';
import type { EmbeddingModel } from '../../model/embedding-model.ts';
import { defaultRetries } from '../../model/retry-delay.ts';
import { systemClock } from '../../services/default-services.ts';
import { embeddableText } from './message-text.ts';

/** A user waits for a query: after a few seconds, the answer is given without recalled messages. */
const queryLimits = { retries: { maxRetries: 1, initialDelayMs: 200, maxDelayMs: 1000 }, callLimitMs: 5000 };
const backgroundLimits = { retries: defaultRetries, callLimitMs: 60_000 };

/** Turns texts into vectors. A run stores the text that it searched with: the cache saves embedding it a second time. */
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
  async embedQuery(query: string): Promise<Embedding> {
    const text = embeddableText(query);
    const cached = this.#queries.get(text);
    if (cached !== undefined) return cached;
    const [embedding = []] = await this.#embed([text], queryLimits);
    this.#queries.set(text, embedding);
    return embedding;
  }

  /** @throws EmbeddingFailedError */
  async embedAll(texts: readonly string[]): Promise<readonly Embedding[]> {
    const cached = new Map(texts.map((text) => [text, this.#queries.get(text)]));
    const missing = texts.filter((text) => cached.get(text) === undefined);
    const embedded = await this.#embed(missing, backgroundLimits);
    for (const [index, text] of missing.entries()) cached.set(text, embedded[index]);
    return texts.map((text) => cached.get(text) ?? []);
  }

  async #embed(texts: readonly string[], limits: typeof queryLimits): Promise<readonly Embedding[]> {
    if (texts.length === 0) return [];
    return embedTexts(this.#model, texts, { ...limits, clock: systemClock, logger: this.#logger });
  }
}
