import { ConfigurationError } from '@halyard/contracts';
import { toSql } from 'pgvector';

/** The text of a vector of length 1 that points where this one does; one that points nowhere stays as it is. @throws ConfigurationError when it holds what is no number. */
export function directionOf(embedding: readonly number[]): string {
  let squares = 0;
  for (const value of embedding) squares += value * value;
  if (!Number.isFinite(squares)) throw new ConfigurationError('An embedding holds numbers that are not finite');
  const length = Math.sqrt(squares) || 1;
  return String(toSql(embedding.map((value) => value / length)));
}
