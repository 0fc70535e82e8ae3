import type { JsonObject, JsonValue } from '@halyard/contracts';
import { openaiFailure } from './openai-failure.ts';
import type { WireReply } from './send-reply.ts';

const defaultDimensions = 1536;

/** `POST /v1/embeddings`, as numbers or as base64 of little-endian 32-bit floats. */
export function embeddingsReply(body: JsonObject): WireReply {
  const { input, model = '', dimensions = defaultDimensions, encoding_format: encoding = 'float' } = body;
  const texts = typeof input === 'string' ? [input] : Array.isArray(input) ? input : [];
  if (texts.length === 0 || !texts.every(isText) || typeof dimensions !== 'number') {
    return {
      kind: 'json',
      status: 400,
      body: openaiFailure(400, { message: 'input must be a text or a list of texts.' }),
    };
  }

  const data = texts.map((text, index): JsonValue => {
    const vector = embeddingOf(text, dimensions);
    return { object: 'embedding', index, embedding: encoding === 'base64' ? toBase64(vector) : vector };
  });
  const tokens = texts.reduce((sum, text) => sum + wordsOf(text).length, 0);
  return {
    kind: 'json',
    status: 200,
    body: { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } },
  };
}

/**
 * The vector of a text: of length 1, equal for equal words, and the closer to the vector of another
 * text the more words they share (ignoring case), so that a search returns plausible results.
 */
export function embeddingOf(text: string, dimensions: number = defaultDimensions): readonly number[] {
  const sum = new Float64Array(dimensions);
  for (const word of wordsOf(text)) addWord(sum, word);
  const length = Math.hypot(...sum);
  return Array.from(sum, (value) => Math.fround(length === 0 ? 1 / Math.sqrt(dimensions) : value / length));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Pseudo-random directions are nearly orthogonal, so different words have different directions. */
function addWord(sum: Float64Array, word: string): void {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(word)) state = Math.imul(state ^ byte, 0x01000193);
  for (let index = 0; index < sum.length; index += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    state = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    sum[index] = (sum[index] ?? 0) + (state | 0) / 2 ** 31;
  }
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString('base64');
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string';
}
