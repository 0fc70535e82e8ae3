import { checkApiReport, reported } from './api-report.ts';

/** Writes the reports of the public types of the packages that have one, which must be built. */
for (const name of reported) checkApiReport(name, { isUpdate: true });
