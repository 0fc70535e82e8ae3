import type { Logger } from '@halyard/contracts';
import { checkEmbeddingModel, type Embedding, embedTexts } from '../model/embed-texts.ts';
import type { EmbeddingModel } from '../model/embedding-model.ts';
import { defaultRetries } from '../model/retry-delay.ts';
import { systemClock } from '../services/default-services.ts';
import { embeddableText } from './message-text.ts';

/** Somebody waits for a query: better none than a late one. */
const patience = { retries: { maxRetries: 1, initialDelayMs: 200, maxDelayMs: 1000 }, callLimitMs: 5000 };
const patienceInBackground = { retries: defaultRetries, callLimitMs: 60_000 };

const keptQueries = 100;

/** Turns texts into vectors. What a run has searched by is what it stores then: it is not embedded twice. */
export class Embedder {
  readonly #model: EmbeddingModel;
  readonly #logger: Logger;
  readonly #queries = new Map<string, Embedding>();

  /** @throws ConfigurationError */
  constructor(model: EmbeddingModel, logger: Logger) {
    checkEmbeddingModel(model);
    this.#model = model;
    this.#logger = logger;
  }

  /** @throws EmbeddingFailedError within seconds. */
  async embedQuery(query: string): Promise<Embedding> {
    const text = embeddableText(query);
    const kept = this.#queries.get(text);
    if (kept !== undefined) return kept;
    const [embedding = []] = await this.#embed([text], patience);
    this.#queries.set(text, embedding);
    const [oldest] = this.#queries.keys();
    if (this.#queries.size > keptQueries && oldest !== undefined) this.#queries.delete(oldest);
    return embedding;
  }

  /** @throws EmbeddingFailedError */
  async embedAll(texts: readonly string[]): Promise<readonly Embedding[]> {
    const known = texts.map((text) => this.#queries.get(text));
    const embedded = (
      await this.#embed(
        texts.filter((_, index) => known[index] === undefined),
        patienceInBackground,
      )
    ).values();
    return known.map((embedding) => embedding ?? embedded.next().value ?? []);
  }

  async #embed(texts: readonly string[], limits: typeof patience): Promise<readonly Embedding[]> {
    if (texts.length === 0) return [];
    return embedTexts(this.#model, texts, { ...limits, clock: systemClock, logger: this.#logger });
  }
}
