import { deleteCases } from './delete-cases.ts';
import { exportCases } from './export-cases.ts';
import type { UserDataCase } from './user-data-harness.ts';

/** The cases of every storage for the data of one user. */
export const userDataCases: readonly UserDataCase[] = [...exportCases, ...deleteCases];
