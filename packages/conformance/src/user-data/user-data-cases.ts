import { deleteCases } from './delete-cases.ts';
import { exportCases } from './export-cases.ts';
import type { UserDataCase } from './user-data-harness.ts';

/** What every storage must do with all that it has of one user. */
export const userDataCases: readonly UserDataCase[] = [...exportCases, ...deleteCases];
