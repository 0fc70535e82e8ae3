import { describe, expect, it } from 'vitest';
import { toLogEntry } from '../../api/routes/logs/to-log-entry.ts';
import { toLogRecord } from './to-log-record.ts';

const read = (fields: object | string, messageKey?: string) =>
  toLogRecord(typeof fields === 'string' ? fields : JSON.stringify(fields), { takenAt: 5, messageKey });

describe('a line of the log', () => {
  it('becomes a record with its fields as attributes', () => {
    const line = { level: 40, time: 7, pid: 1, hostname: 'h', traceId: 't', spanId: 's', agentId: 'a', msg: 'Hi' };
    expect(read(line)).toEqual({
      timestamp: 7,
      traceId: 't',
      spanId: 's',
      severityNumber: 13,
      severityText: 'WARN',
      body: 'Hi',
      attributes: { agentId: 'a' },
    });
  });

  it.each([
    [10, 1, 'TRACE'],
    [20, 5, 'DEBUG'],
    [30, 9, 'INFO'],
    [35, 9, 'INFO'],
    [50, 17, 'ERROR'],
    [60, 21, 'FATAL'],
    [99, 21, 'FATAL'],
    [1, 1, 'TRACE'],
    ['warn', 13, 'WARN'],
    ['loud', 9, 'INFO'],
  ])('of level %s has severity %s', (level, severityNumber, severityText) => {
    expect(read({ level })).toMatchObject({ severityNumber, severityText });
  });

  it('contains the type, message and stack of an error', () => {
    const err = { type: 'TypeError', message: 'no', stack: 'at', config: { apiKey: 'x' } };
    expect(read({ level: 50, err })?.attributes).toEqual({ err: { type: 'TypeError', message: 'no', stack: 'at' } });
  });

  it('contains only the type and the code of an error where content is not recorded', () => {
    const err = {
      type: 'TypeError',
      message: 'secret',
      code: 'E1',
      stack: 'TypeError: secret',
      cause: { message: 'secret' },
    };
    const line = JSON.stringify({
      level: 50,
      err,
      reason: 'secret',
      error: 'secret',
      warning: { message: 'secret' },
      tool: 't',
    });
    const format = { takenAt: 5, recordsContent: false };
    expect(toLogRecord(line, format)?.attributes).toEqual({ tool: 't', err: { type: 'TypeError', code: 'E1' } });
    expect(toLogRecord(JSON.stringify({ err: 'secret' }), format)?.attributes).toEqual({});
  });

  it.each([
    ['no time', {}, 5],
    ['a text', { time: '2026-01-01T00:00:00Z' }, Date.UTC(2026, 0)],
    ['nonsense', { time: 'soon' }, 5],
  ])('with the time %s has a timestamp', (_, fields, timestamp) => {
    expect(read(fields)).toMatchObject({ timestamp });
  });

  it('may have another message key', () => {
    expect(read({ message: 'Hi', msg: 1 }, 'message')).toMatchObject({ body: 'Hi', attributes: { msg: 1 } });
  });

  it.each(['', 'hello', '[1]', 'null', '{"a":'])('that is %j is no record', (line) => {
    expect(read(line)).toBeUndefined();
  });
});

it('is returned to clients as one flat object, whose declared fields take precedence', () => {
  const record = read({ level: 30, time: 0, msg: 'Hi', timestamp: 'x', traceId: 't', userId: 'ada' });
  expect(record && toLogEntry(record)).toEqual({
    timestamp: '1970-01-01T00:00:00.000Z',
    level: 'info',
    msg: 'Hi',
    traceId: 't',
    userId: 'ada',
  });
});
