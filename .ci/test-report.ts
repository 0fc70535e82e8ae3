// node test-report.ts <report> <failures>: reads vitest's JSON report, prints "<passed> <failed>",
// and appends the failed tests with their messages to the second file.
import { appendFileSync, readFileSync } from 'node:fs';
import type { JsonTestResults } from 'vitest/node';

const [, , report = '', failures = ''] = process.argv;
const { numFailedTests, numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonTestResults;

for (const { assertionResults, message, name } of testResults) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { failureMessages, fullName } of failed) {
    appendFailure(`${name}: ${fullName}`, (failureMessages ?? []).join('\n'));
  }
  if (failed.length === 0 && message !== '') appendFailure(name, message);
}
process.stdout.write(`${numPassedTests} ${numFailedTests}\n`);

function appendFailure(name: string, reason: string): void {
  const lines = reason.split('\n').filter((line) => !/node_modules|<anonymous>/.test(line));
  const brief = lines.slice(0, 12).map((line) => `  ${line.slice(0, 300)}\n`);
  appendFileSync(failures, `FAILED: ${name}\n${brief.join('')}`);
}
