import { expectTypeOf, it } from 'vitest';
import type { BulkOperation, BulkOperations } from './bulk-operations.ts';

declare const bulk: BulkOperations;

it('types each operation with its own fields, and requires a selection', () => {
  expectTypeOf(bulk.start({ operation: 'cancel', reason: 'late', all: true })).resolves.toEqualTypeOf<BulkOperation>();
  void bulk.start({ operation: 'retry', filter: { status: 'error', metadata: { tenant: 1 } } });
  void bulk.start({ operation: 'resume', resumeData: { by: 'ada' }, filter: { isQuarantined: true } });
  void bulk.start({ operation: 'replay', stepId: 'charge', filter: { from: 0 }, requestId: 'monday' });
  void bulk.preview({ filter: { workflowId: 'order' } });

  // @ts-expect-error -- a replay needs a step
  void bulk.start({ operation: 'replay', all: true });
  // @ts-expect-error -- nothing is selected
  void bulk.start({ operation: 'retry' });
  // @ts-expect-error -- both
  void bulk.start({ operation: 'retry', all: true, filter: { status: 'error' } });
  // @ts-expect-error -- no such operation
  void bulk.start({ operation: 'delete', all: true });
  // @ts-expect-error -- no such field
  void bulk.start({ operation: 'retry', filter: { workflow: 'order' } });
  // @ts-expect-error -- pages are not part of a filter
  void bulk.preview({ filter: { limit: 10 } });
});

it('types the progress', () => {
  expectTypeOf<BulkOperation['operation']>().toEqualTypeOf<'cancel' | 'resume' | 'retry' | 'replay'>();
  expectTypeOf<BulkOperation['failures'][number]['code']>().toEqualTypeOf<string>();
});
