import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseMetadata, stateOf, toFilter, toQuery } from './execution-filter.ts';

describe('toFilter', () => {
  it('has only the conditions that are set', () => {
    expect(toFilter({})).toEqual({});
    expect(toFilter({ workflowId: 'order', status: 'error', quarantined: 'true', userId: 'ada' })).toEqual({
      workflowId: 'order',
      status: 'error',
      quarantined: true,
      userId: 'ada',
    });
  });

  it('ignores a value of `quarantined` in the address that no control writes', () => {
    expect(toFilter({ quarantined: 'false' })).toEqual({});
  });

  it('looks back from now', () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2027-01-08T12:00:00Z') });
    expect(toFilter({ range: '6h' })).toEqual({ from: '2027-01-08T06:00:00.000Z' });
    expect(toFilter({ range: '7d' })).toEqual({ from: '2027-01-01T12:00:00.000Z' });
  });

  it('leaves out text that is no filter of metadata', () => {
    expect(toFilter({ metadata: 'tenant' })).toEqual({});
  });
});

it('sends metadata as JSON in a query', () => {
  expect(toQuery({ status: 'error', metadata: 'tenant=acme' })).toEqual({
    status: 'error',
    metadata: '{"tenant":"acme"}',
  });
  expect(toQuery({ status: 'error' })).toEqual({ status: 'error' });
});

it.each<readonly [string | undefined, unknown]>([
  [undefined, undefined],
  ['  ', undefined],
  ['tenant=acme', { tenant: 'acme' }],
  [' tenant = acme , isTest=true,count=3', { tenant: 'acme', isTest: true, count: 3 }],
  ['formula=a=b', { formula: 'a=b' }],
  ['tenant=', { tenant: '' }],
  ['tenant', undefined],
  ['tenant=acme,', undefined],
  ['=acme', undefined],
  [' {"a":{"b":1}}', { a: { b: 1 } }],
  ['{"a":', undefined],
])('reads %j as the metadata %j', (text, metadata) => {
  expect(parseMetadata(text)).toEqual(metadata);
});

it('names an execution quarantined that no process can run', () => {
  expect(stateOf({ status: 'suspended' })).toBe('suspended');
  expect(stateOf({ status: 'suspended', quarantinedAt: '2027-01-01T00:00:00Z' })).toBe('quarantined');
});
