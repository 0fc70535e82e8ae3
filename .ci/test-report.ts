// node test-report.ts <report> <failures>: of vitest's JSON report, prints "<passed> <failed>" and adds to the second
// file what failed, and why.
import { appendFileSync, readFileSync } from 'node:fs';
import type { JsonTestResults } from 'vitest/node';

const [, , report = '', failures = ''] = process.argv;
const { numFailedTests, numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonTestResults;

for (const { assertionResults, message, name } of testResults) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { failureMessages, fullName } of failed) {
    tell(`${name}: ${fullName}`, (failureMessages ?? []).join('\n'));
  }
  if (failed.length === 0 && message !== '') tell(name, message);
}
process.stdout.write(`${numPassedTests} ${numFailedTests}\n`);

function tell(what: string, why: string): void {
  const lines = why.split('\n').filter((line) => !/node_modules|<anonymous>/.test(line));
  const brief = lines.slice(0, 12).map((line) => `  ${line.slice(0, 300)}\n`);
  appendFileSync(failures, `FAILED: ${what}\n${brief.join('')}`);
}
