import { ConfigurationError } from '@halyard/contracts';

export interface VectorIndexOptions {
  /** How many numbers an embedding of the model has: 1 to 4000. Above 2000 they are kept in half precision, which is as far as an index goes. */
  readonly dimensions: number;
  /** How many neighbours a vector has in the graph of the index, 2 to 100. Read when the table is created. Default: 16. */
  readonly m?: number;
  /** How many candidates an insertion looks at, 4 to 1000 and at least twice `m`. Read when the table is created. Default: 64. */
  readonly efConstruction?: number;
}

/** What the column of embeddings and its index are made of. */
export interface VectorIndex {
  /** The type of the column, without its dimensions. */
  readonly type: 'vector' | 'halfvec';
  readonly dimensions: number;
  readonly m: number;
  readonly efConstruction: number;
}

/** The most that an index takes of each type. */
const most = { vector: 2_000, halfvec: 4_000 };

/** @throws ConfigurationError when pgvector can have no such index. */
export function vectorIndex({ dimensions, efConstruction = 64, m = 16 }: VectorIndexOptions): VectorIndex {
  inRange('dimensions', dimensions, 1, most.halfvec);
  inRange('m', m, 2, 100);
  inRange('efConstruction', efConstruction, Math.max(4, 2 * m), 1_000);
  return { type: dimensions > most.vector ? 'halfvec' : 'vector', dimensions, m, efConstruction };
}

/** @throws ConfigurationError unless it is a whole number from `least` to `greatest`. */
export function inRange(name: string, value: number, least: number, greatest: number): void {
  if (Number.isInteger(value) && value >= least && value <= greatest) return;
  throw new ConfigurationError(`"${name}" is ${value}, but must be a whole number from ${least} to ${greatest}`);
}
