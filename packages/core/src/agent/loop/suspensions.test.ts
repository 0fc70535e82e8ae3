import { describe, expect, it } from 'vitest';
import { RunSuspended, suspensionsWithin, ToolSuspension, type WorkflowSuspensions } from './suspensions.ts';

const pending = { key: 'step-0/tool/c1/step-1/approval/c2', kind: 'approval', reason: 'pay' } as const;

function suspensions(answered: readonly string[] = []): WorkflowSuspensions & { readonly aborts: readonly string[] } {
  const aborts: string[] = [];
  return {
    aborts,
    executionId: 'e1',
    callAddress: (key) => `e1/${key}`,
    findResumeData: (key) => (answered.includes(key) ? { data: { by: key }, id: 'a1' } : undefined),
    findPending: (key) => (key === pending.key ? pending : undefined),
    abort: (reason) => void aborts.push(reason),
  };
}

describe('the suspensions of a sub-agent’s run', () => {
  const parent = suspensions(['step-0/tool/c1/step-1/tool/c3']);
  const within = suspensionsWithin(parent, 'step-0/tool/c1');

  it('are those of the execution whose keys start with the call', () => {
    expect(within.executionId).toBe('e1');
    expect(within.callAddress('step-1/approval/c2')).toBe('e1/step-0/tool/c1/step-1/approval/c2');
    expect(within.findResumeData('step-1/tool/c3')).toEqual({
      data: { by: 'step-0/tool/c1/step-1/tool/c3' },
      id: 'a1',
    });
    expect(within.findResumeData('step-1/tool/c4')).toBeUndefined();
    expect(within.findPending('step-1/approval/c2')).toEqual({ ...pending, key: 'step-1/approval/c2' });
    expect(within.findPending('step-1/approval/c4')).toBeUndefined();
  });

  it('abort the whole execution', () => {
    within.abort('enough');
    expect(parent.aborts).toEqual(['enough']);
  });

  it('are thrown by the parent run with the key of its call', () => {
    const thrown = new RunSuspended([{ ...pending, key: 'step-1/approval/c2' }]).within('step-0/tool/c1');
    expect(thrown).toBeInstanceOf(RunSuspended);
    expect(thrown.suspensions).toEqual([pending]);
    expect(thrown).toMatchObject({ name: 'RunSuspended', message: 'The run is suspended' });
  });
});

describe('a tool in a workflow', () => {
  it('suspends it with a copy of its data, which counts although the tool catches the error', () => {
    const tool = new ToolSuspension(suspensions(), 'step-0/tool/c1', undefined);
    const data = { euros: 5 };
    expect(tool).toMatchObject({ executionId: 'e1', resumeData: undefined, requested: undefined });
    expect(() => tool.suspend('a question', data)).toThrow('The tool suspended its workflow');
    expect(() => tool.suspend('another')).toThrow('do not catch this error');
    data.euros = 7;
    expect(tool.requested).toEqual({
      key: 'step-0/tool/c1',
      kind: 'step',
      reason: 'a question',
      data: { euros: 5 },
      resumptionId: undefined,
    });
  });

  it('suspends it again after an answer, which it names', () => {
    const tool = new ToolSuspension(suspensions(['step-0/tool/c1']), 'step-0/tool/c1', undefined);
    expect(tool.resumeData).toEqual({ by: 'step-0/tool/c1' });
    expect(() => tool.suspend('again')).toThrow();
    expect(tool.requested).toMatchObject({ reason: 'again', data: undefined, resumptionId: 'a1' });
  });

  it('aborts it, with a reason or without', () => {
    const own = suspensions();
    const tool = new ToolSuspension(own, 'step-0/tool/c1', undefined);
    expect(() => tool.abort('enough')).toThrow('The tool aborted its workflow');
    expect(() => tool.abort()).toThrow('do not catch this error');
    expect(own.aborts).toEqual(['enough', 'aborted by a tool']);
  });
});
