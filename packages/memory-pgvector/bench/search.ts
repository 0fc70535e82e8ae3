import type { MessageVector, VectorQuery, VectorStore } from '@halyard/contracts';
import { startPostgresServer } from '../../memory-postgres/src/testing/postgres-server.ts';
import { createPgVectorStore } from '../src/pgvector-store.ts';

/*
 * Measures writes, recall and latency on a PostgreSQL server with default settings: VECTORS (100 000) of DIMENSIONS (384) around TOPICS (2 000) topics, with variances
 * that decrease from axis to axis, like embeddings of texts. One user has a fifth of the vectors, the others 800 each. Conversations have 50 messages.
 * Run: node --conditions=@halyard/source bench/search.ts
 */
const count = Number(process.env['VECTORS'] ?? 100_000);
const dimensions = Number(process.env['DIMENSIONS'] ?? 384);
const topics = Number(process.env['TOPICS'] ?? 2_000);
const queries = 300;
const limit = 10;

const random = seeded(7);
const centers = Array.from({ length: topics }, () => Array.from({ length: dimensions }, (_, axis) => spread(axis)));
const vectors = Array.from({ length: count }, () => nearSomeTopic());
const wanted = Array.from({ length: queries }, () => nearSomeTopic());

const server = await startPostgresServer();
const stores: VectorStore[] = [];
try {
  const store = open(100);
  await store.check().catch(() => store.deleteUser('unknown'));
  await append(store);
  for (const efSearch of [40, 100, 200]) {
    await measure(`all, efSearch ${efSearch}`, open(efSearch), {}, () => true);
  }
  await measure(`a user with ${count / 5}`, store, { userId: userOf(0) }, (index) => userOf(index) === userOf(0));
  const few = count - 1;
  await measure('a user with 800', store, { userId: userOf(few) }, (index) => userOf(index) === userOf(few));
  const conversationId = conversationOf(few);
  await measure('a conversation of 50', store, { conversationId }, (index) => conversationOf(index) === conversationId);
} finally {
  await Promise.all(stores.map((store) => store.close()));
  await server.remove();
}

function open(efSearch: number): VectorStore {
  const store = createPgVectorStore({ connectionString: server.connectionString, dimensions, efSearch });
  stores.push(store);
  return store;
}

async function append(store: VectorStore): Promise<void> {
  const began = performance.now();
  const each = 100;
  let next = 0;
  const writer = async (): Promise<void> => {
    for (let from = next; from < count; from = next) {
      next += each;
      await store.upsert(vectors.slice(from, from + each).map((vector, index) => messageOf(from + index, vector)));
    }
  };
  await Promise.all([writer(), writer()]);
  const tookMs = performance.now() - began;
  console.log(`appended ${count} in ${Math.round(tookMs)} ms: ${Math.round((count * 1_000) / tookMs)} vectors/s`);
}

async function measure(
  name: string,
  store: VectorStore,
  filter: Partial<VectorQuery>,
  isMatching: (index: number) => boolean,
): Promise<void> {
  const search = (embedding: Float32Array) =>
    store.search('anyone', { ...filter, embedding: [...embedding], limit, threshold: 0 });
  for (const embedding of wanted.slice(0, 50)) await search(embedding);
  const times: number[] = [];
  let found = 0;
  for (const embedding of wanted) {
    const began = performance.now();
    const matches = await search(embedding);
    times.push(performance.now() - began);
    const nearest = exact(embedding, isMatching);
    found += matches.filter(({ messageId }) => nearest.has(messageId)).length;
  }
  times.sort((one, other) => one - other);
  const at = (part: number): string => (times[Math.floor(times.length * part)] ?? 0).toFixed(1);
  console.log(
    `${name}: recall@${limit} ${(found / queries / limit).toFixed(3)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  );
}

function exact(embedding: Float32Array, isMatching: (index: number) => boolean): ReadonlySet<string> {
  const scores = vectors.flatMap((vector, index) =>
    isMatching(index) ? [{ index, score: dot(vector, embedding) }] : [],
  );
  scores.sort((one, other) => other.score - one.score);
  return new Set(scores.slice(0, limit).map(({ index }) => `message-${index}`));
}

function messageOf(index: number, embedding: Float32Array): MessageVector {
  const [conversationId, userId] = [conversationOf(index), userOf(index)];
  const text = `The ${index}th message of a user, as long as messages in which people explain what they need. `.repeat(
    2,
  );
  const message = {
    conversationId,
    messageId: `message-${index}`,
    userId,
    role: 'user',
    text,
    createdAt: index,
  } as const;
  return { ...message, embedding: [...embedding] };
}

function userOf(index: number): string {
  return index < count / 5 ? 'the busy one' : `user-${Math.floor(index / 800)}`;
}

function conversationOf(index: number): string {
  return `conversation-${Math.floor(index / 50)}`;
}

function nearSomeTopic(): Float32Array {
  const center = centers[Math.floor(random() * topics)];
  return direction((axis) => (center?.[axis] ?? 0) + spread(axis));
}

function spread(axis: number): number {
  return gaussian() / (1 + axis / 32);
}

function direction(value: (index: number) => number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, index) => value(index));
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((part) => part / length);
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

function gaussian(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
