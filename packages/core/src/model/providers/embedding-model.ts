import type { EmbeddingModelV2, EmbeddingModelV3, EmbeddingModelV4 } from '@ai-sdk/provider';

/**
 * A model of any AI SDK provider package that embeds texts, interface version 2 to 4:
 * `openai.embedding('…')`.
 */
export type EmbeddingModel = EmbeddingModelV2<string> | EmbeddingModelV3 | EmbeddingModelV4;

/** The newest version of the interface. */
export type CurrentEmbeddingModel = EmbeddingModelV4;
