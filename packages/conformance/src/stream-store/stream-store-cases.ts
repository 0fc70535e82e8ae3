import { appendCases } from './append-cases.ts';
import { beginCases } from './begin-cases.ts';
import { forgetCases } from './forget-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { stopCases } from './stop-cases.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';
import { valueCases } from './value-cases.ts';
import { watchCases } from './watch-cases.ts';

/** The cases of every stream store. */
export const streamStoreCases: readonly StreamStoreCase[] = [
  ...beginCases,
  ...appendCases,
  ...leaseCases,
  ...stopCases,
  ...ownerCases,
  ...watchCases,
  ...forgetCases,
  ...valueCases,
];
