import { fixedClock } from '@halyard/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestConnection } from '../../testing/test-connection.ts';
import { ChangeSender } from './change-sender.ts';
import { PacedSender } from './paced-sender.ts';
import { failureMessage } from './protocol.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const clock = fixedClock(0);
  const connection = new TestConnection();
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  return { clock, connection, pass };
}

describe('a paced sender', () => {
  const bufferBytes = 100;
  const text = 'x'.repeat(10);

  function pace() {
    const opened = open();
    return { ...opened, sender: new PacedSender(opened.connection, { bufferBytes, clock: opened.clock }) };
  }

  it('sends texts at once and in order to a client that reads', () => {
    const { connection, sender } = pace();
    sender.send(['a', 'b']);
    sender.send([]);
    sender.send(['c']);
    expect(connection.sent).toEqual(['a', 'b', 'c']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fills half of the buffer, and sends the rest as the client reads', async () => {
    const { connection, pass, sender } = pace();
    connection.isStalled = true;
    sender.send(Array.from({ length: 8 }, (_, at) => `${at}${text.slice(1)}`));
    expect(connection.sent).toHaveLength(5);
    expect(vi.getTimerCount()).toBe(1);
    // Behind the waiting entries.
    sender.send(['last']);
    expect(connection.sent).toHaveLength(5);
    await pass(4);
    connection.bufferedBytes = 0;
    expect(connection.sent).toHaveLength(5);
    await pass(1);
    expect(connection.sent.map((sent) => sent.slice(0, 4))).toEqual([
      '0xxx',
      '1xxx',
      '2xxx',
      '3xxx',
      '4xxx',
      '5xxx',
      '6xxx',
      '7xxx',
      'last',
    ]);
    expect([vi.getTimerCount(), connection.closes]).toEqual([0, []]);
  });

  it('closes a client that takes nothing for a second while a buffer waits', async () => {
    const { connection, pass, sender } = pace();
    connection.isStalled = true;
    sender.send(Array.from({ length: 11 }, () => text));
    for (let at = 0; at < 199; at += 1) await pass(5);
    expect(connection.closes).toEqual([]);
    await pass(5);
    expect(connection.closes).toEqual([[1013, 'too much is waiting to be read']]);
    sender.send([text]);
    connection.bufferedBytes = 0;
    await pass(1_000);
    expect([connection.sent.length, vi.getTimerCount()]).toEqual([5, 0]);
  });

  it('waits for a client while less than a buffer waits', async () => {
    const { connection, pass, sender } = pace();
    connection.isStalled = true;
    sender.send(Array.from({ length: 9 }, () => text));
    for (let at = 0; at < 1_000; at += 1) await pass(5);
    expect(connection.closes).toEqual([]);
    expect(connection.sent).toHaveLength(5);
  });

  it('keeps a client that reads slowly', async () => {
    const { connection, pass, sender } = pace();
    connection.isStalled = true;
    sender.send(Array.from({ length: 100 }, () => text));
    for (let at = 0; at < 95; at += 1) {
      connection.bufferedBytes -= 10;
      for (let passed = 0; passed < 900; passed += 5) await pass(5);
    }
    expect(connection.closes).toEqual([]);
    expect(connection.sent).toHaveLength(100);
  });

  it('begins to count when texts wait, not before', async () => {
    const { connection, pass, sender } = pace();
    sender.send([text]);
    await pass(10_000);
    connection.isStalled = true;
    sender.send(Array.from({ length: 11 }, () => text));
    await pass(5);
    expect(connection.closes).toEqual([]);
  });

  it('closes a client that is 16 buffers behind, although it reads', () => {
    const { connection, sender } = pace();
    connection.isStalled = true;
    sender.send(Array.from({ length: 159 }, () => text));
    expect(connection.closes).toEqual([]);
    const other = pace();
    other.connection.isStalled = true;
    other.sender.send(Array.from({ length: 160 }, () => text));
    expect(other.connection.closes).toEqual([[1013, 'too much is waiting to be read']]);
  });

  it('sends nothing more to a connection that is closed', async () => {
    const { connection, pass, sender } = pace();
    connection.isStalled = true;
    sender.send(Array.from({ length: 8 }, () => text));
    connection.leave();
    expect(vi.getTimerCount()).toBe(0);
    connection.isOpen = true;
    connection.bufferedBytes = 0;
    await pass(5);
    sender.send([text]);
    expect(connection.sent).toHaveLength(5);
  });

  it('stops when a text cannot be sent', () => {
    const { connection, sender } = pace();
    connection.isOpen = false;
    sender.send([text, text]);
    connection.isOpen = true;
    sender.send([text]);
    expect([connection.sent, vi.getTimerCount()]).toEqual([[], 0]);
  });
});

describe('a change sender', () => {
  const change = (timestamp: string) =>
    `{"type":"OBSERVABILITY_CHANGE","success":true,"data":{"timestamp":"${timestamp}"}}`;

  it('tells of a change at once, and of those that follow once a second', async () => {
    const { clock, connection, pass } = open();
    const sender = new ChangeSender(connection, clock);
    sender.changed();
    sender.changed();
    sender.changed();
    expect(connection.sent).toEqual([change('1970-01-01T00:00:00.000Z')]);
    await pass(999);
    expect(connection.sent).toHaveLength(1);
    await pass(1);
    expect(connection.sent.slice(1)).toEqual([change('1970-01-01T00:00:01.000Z')]);
    await pass(1_000);
    expect(connection.sent).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
    sender.changed();
    expect(connection.sent).toHaveLength(3);
  });

  it('ends with its connection', () => {
    const { clock, connection } = open();
    new ChangeSender(connection, clock).changed();
    connection.leave();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('replies to a message that is not accepted with an error', () => {
  expect(failureMessage('no "x"')).toBe(String.raw`{"type":"ERROR","success":false,"error":"no \"x\""}`);
});
