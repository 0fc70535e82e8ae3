import type { VectorStore } from '@halyard/contracts';
import { type Fault, wrappersOf } from '../faults.ts';

export type VectorFault = Fault<VectorStore>;

export const { ownerless, passing, returning } = wrappersOf<VectorStore>();
