import { type Static, Type } from '@sinclair/typebox';
import { shop } from './shop.ts';

/** The input of the workflow. */
export const Order = Type.Object({
  customer: Type.String({ minLength: 1 }),
  city: Type.String({ minLength: 1 }),
  lines: Type.Array(
    Type.Object({
      sku: Type.Unsafe<string>({ type: 'string', enum: [...shop.keys()] }),
      quantity: Type.Integer({ minimum: 1, maximum: 100 }),
    }),
    { minItems: 1 },
  ),
});
export type Order = Static<typeof Order>;

/** The data shown to the approver. */
export const ApprovalRequest = Type.Object({ customer: Type.String(), cents: Type.Integer() });
export type ApprovalRequest = Static<typeof ApprovalRequest>;

/** The approver's answer. */
export const Approval = Type.Object({
  approved: Type.Boolean(),
  by: Type.String({ minLength: 1 }),
  reason: Type.Optional(Type.String()),
});
export type Approval = Static<typeof Approval>;

/** The result of the workflow. */
export const Receipt = Type.Union([
  Type.Object({
    status: Type.Literal('shipped'),
    cents: Type.Integer(),
    carrier: Type.String(),
    parcel: Type.String(),
    message: Type.String(),
  }),
  Type.Object({ status: Type.Literal('declined'), by: Type.String(), reason: Type.String() }),
  Type.Object({ status: Type.Literal('out-of-stock'), missing: Type.Array(Type.String()) }),
]);
export type Receipt = Static<typeof Receipt>;
