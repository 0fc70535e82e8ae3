import type { LogRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { LogRecords, unrecorded } from './log-records.ts';

const clock = { now: () => 1 };
const line = (msg: string, fields: object = {}): string => `${JSON.stringify({ level: 30, ...fields, msg })}\n`;

function recording() {
  const recorded: LogRecord[] = [];
  const records = new LogRecords({ clock });
  const target = {
    sink: { logged: (log: LogRecord) => void recorded.push(log) },
    active: () => undefined,
    recordsContent: true,
  };
  return { records, target, texts: () => recorded.map(({ body }) => body), recorded };
}

it('converts lines in the next turn, including lines from before a target was connected', async () => {
  const { records, target, texts } = recording();
  records.write(line('early'));
  records.connect(target);
  records.write(line('late'));
  expect(texts()).toEqual([]);
  await new Promise(setImmediate);
  expect(texts()).toEqual(['early', 'late']);
});

it('discards lines without a target', async () => {
  const { records, target, texts } = recording();
  records.write(line('early'));
  records.connect(undefined);
  records.write(line('late'));
  records.connect(target);
  await new Promise(setImmediate);
  expect(texts()).toEqual([]);
});

it('stores a bounded number of pending lines', () => {
  const { records, target, recorded } = recording();
  for (let at = 0; at < 20_000; at += 1) records.write(line('x'));
  records.connect(target);
  records.flush();
  expect(recorded).toHaveLength(10_000);
});

it('does not record lines about the recording itself', () => {
  const { records, target, texts } = recording();
  records.connect(target);
  const write = (fields: object, message: string): void => records.write(line(message, fields));
  const logger = { debug: write, info: write, warn: write, error: write };
  unrecorded(logger).warn({ component: 'store' }, 'the store fails');
  logger.warn({ component: 'store' }, 'something else');
  records.flush();
  expect(texts()).toEqual(['something else']);
});

it('exports records to the same place as spans', () => {
  const { records, target, recorded } = recording();
  const exported: LogRecord[] = [];
  records.connect({ ...target, exportLog: (log) => void exported.push(log) });
  records.write(line('one'));
  records.flush();
  expect(exported).toEqual(recorded);
});
