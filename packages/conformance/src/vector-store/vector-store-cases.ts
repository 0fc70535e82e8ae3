import { dimensionCases } from './dimension-cases.ts';
import { filterCases } from './filter-cases.ts';
import { scoreCases } from './score-cases.ts';
import { valueCases } from './value-cases.ts';
import type { VectorStoreCase } from './vector-store-harness.ts';
import { writeCases } from './write-cases.ts';

/** The cases of every vector store. */
export const vectorStoreCases: readonly VectorStoreCase[] = [
  ...scoreCases,
  ...filterCases,
  ...writeCases,
  ...dimensionCases,
  ...valueCases,
];
